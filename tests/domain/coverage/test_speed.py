"""Hostile texts take no longer than their length allows, ordinary ones next to nothing."""

import random
import time
from collections.abc import Callable

import pytest

from muniment.domain.coverage import Source, missing

PIECES = {
    "digits": "7",
    "letters": "A",
    "a a a": "a ",
    "punctuation": ".,;:!?",
    "emoji": "😀",
    "back quotes": "`",
    "code": "`x` ",
    "fences": "```a\n",
    "lines": "A\n",
    "hyphens": "a-",
    "dots": "1.",
    "commas": "1,",
    "slashes": "a/",
    "backslashes": "a\\",
    "money": "$1",
    "rates": "$1/",
    "mail": "a@",
    "han": "漢",
    "kana": "ひ漢",
    "thai": "ห",
    "marks": "a\u0300\u0301",
    "brackets": "(",
    "bold": "**a",
    "number words": "one hundred and ",
    "dates": "May 1 ",
    "no-break blanks": "1\u00a0",
    "apostrophes": "a'",
    "initials": "A.",
    "codes": "A1b-",
    "denials": "Ann Bob not. ",
    "denials of words": "it does not swim or dive. ",
    "denials in one": "Ann is not, ",
    "contrasts": "instead of Ann ",
    "quantities": "5 kg ",
    "conjunctions": "and ",
}
SLACK = 4  # a shared machine; the slowest of these, twice 64 KiB, takes 0.7 s on an idle one

CONTENTS = """
Priya's Kestrel Print Workshop in Oslo moved its March 2027 opening to 2027-06-04, because the
SMTP relay at relay.example.org was not ready. The 14 volunteers don't work on Mondays.

The Tessera booth for the Lisbon fair costs $2,400 and seats 12 people; Quillmark built it in 3
weeks. Use `tide --fast` to print the badges, never the script at /srv/scans/badges.py

June Okafor prefers tea at 7:45 am and does not drink coffee. The gallery in New Haven opens every
Friday at 10:30, except in August, when it is closed. Ask Lind for the key to 4.12

Deploys of relay-ctl v2.1 need the token from the vault; without it the job fails after 30 s with
code 137. Ann and Bob may approve a deploy, only Ann may roll one back: docs/adr/7.md

The lease of Dock Hall was signed on August 3, 2026 for five years, at 1,250 EUR a month. Blue
Heron plays there on October 7, 2027; tickets cost 18 euros, and there is no parking lot.
"""
SOURCES = [" ".join(content.split()) for content in CONTENTS.split("\n\n")]


def _took(contents: list[str], text: str) -> float:
    sources = [Source(content, None) for content in contents]
    start = time.process_time()
    missing(sources, text)
    return time.process_time() - start


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_hostile_text_is_checked_in_linear_time(piece: str) -> None:
    text = (piece * 65_536)[:65_536]
    assert min(_took([text], text) for _ in range(2)) < 0.7 * SLACK


@pytest.mark.parametrize("spelt", [str.capitalize, str.lower], ids=["names", "words"])
def test_many_different_denials_are_checked_in_linear_time(spelt: Callable[[str], str]) -> None:
    chance = random.Random(7)
    names = [spelt("".join(chance.choices("aeiour", k=4))) for _ in range(90)]
    text = " ".join(
        f"{chance.choice(names)} {chance.choice(names)} does not use {chance.choice(names)}."
        for _ in range(1_900)
    )
    assert min(_took([text], text) for _ in range(2)) < 0.7 * SLACK


def test_five_sources_are_checked_in_a_millisecond() -> None:
    text = "\n\n".join(SOURCES)
    assert missing([Source(content, None) for content in SOURCES], text) == ()
    assert min(_took(SOURCES, text) for _ in range(50)) < 0.001 * SLACK
