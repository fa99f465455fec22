"""Fixed English phrases that say the same, and lead-ins that say nothing."""

import re
from collections.abc import Callable
from typing import Final

from .tokens import Kind, Reading, Token
from .words import STOP_WORDS, listed

# Both directions were weighed: "via", "named", "each", "about" are missing because they also mean
# other things. "using" is a verb after some words, see USING_IS_A_VERB_AFTER.
_PHRASES: Final = """
every day > daily
each day > daily
every week > weekly
each week > weekly
every month > monthly
each month > monthly
every year > yearly
each year > yearly
annually > yearly
every hour > hourly
each hour > hourly
by means of > with
by using > with
using > with
two times > twice
any more > anymore
per cent > percent
approx > approximately
in order to > to
prior to > before
is named > is called
are named > are called
has got > has
have got > have
for example > eg
for instance > eg
e.g > eg
i.e > ie
that is to say > ie
vs > versus
noon > 12:00
midnight > 00:00
a lot of > lots of
as soon as possible > asap
mon > monday
tue > tuesday
tues > tuesday
thu > thursday
thur > thursday
thurs > thursday
fri > friday
on line > online
off line > offline
& > and
"""
USING_IS_A_VERB_AFTER: Final = listed("""
    using is are was were be been being am i'm start starts started stop stops stopped avoid
    avoids avoided keep keeps kept begin begins began like likes liked love loves loved hate hates
    hated prefer prefers preferred try tries tried consider recommend recommends suggest suggests
    quit finish mind not no never without before after while when of for from in on at about than
    to against and or but everyone anyone someone people users those anybody nobody any
    """)
_CAPITAL_ONLY: Final = listed("mon tue tues thu thur thurs fri")


def _table() -> dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    table: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for line in _PHRASES.strip().splitlines():
        phrase, _, instead = line.partition(" > ")
        words = tuple(phrase.split())
        table.setdefault(words[0], []).append((words, tuple(instead.split())))
    return table


_BY_HEAD: Final = _table()
# The rarest word of each phrase: a text without one of these has no phrase to fold.
TRIGGERS: Final = frozenset(
    max((word for word in phrase if word not in STOP_WORDS), key=len)
    for listed in _BY_HEAD.values()
    for phrase, _ in listed
) | {"been", "got"}

_STARTS: Final = frozenset(_BY_HEAD) | {"been", "got"}

_LEAD_IN: Final = re.compile(
    r"""\s*+(?:
      (?:please\s++)?
      (?:note|remember|recall|keep\ in\ mind|be\ aware|bear\ in\ mind|do(?:n't|\ not)\ forget)
      (?:\s++that\b|\s*+:)
    | (?:fyi|for\ your\ information|(?:as\ a\ |just\ a\ |quick\ )?reminder|(?:quick\ )?note
        |nb|n\.b\.|ps|p\.s\.|btw|by\ the\ way|heads[ -]up|for\ the\ record|for\ reference
        |just\ so\ you\ know|to\ recap|remember
        |as\ (?:said|mentioned|noted|stated)(?:\ (?:before|earlier|already))?)
      \s*+[:,\u2013-](?=\s)
    | (?:just\ )?a\ reminder\ that
    )\s++""",
    re.IGNORECASE | re.VERBOSE,
)
_LEAD_INITIALS: Final = frozenset("pnrkbfhjtaqdPNRKBFHJTAQD")
_MOST_LEAD_INS: Final = 3


def without_lead_in(text: str) -> str:
    """The text without "note that", "FYI:" and their like; "again" is no lead-in but a fact."""
    for _ in range(_MOST_LEAD_INS):
        match = _LEAD_IN.match(text) if text[:1] in _LEAD_INITIALS else None
        if match is None or match.end() == len(text):
            return text
        text = text[match.end() :]
    return text


def fold(tokens: list[Token], read: Callable[[str], Reading]) -> list[Token]:
    """Puts one wording for each listed phrase; ``read`` is the lexer's."""
    folded: list[Token] = []
    done = 0
    for at in [at for at, token in enumerate(tokens) if token.key in _STARTS]:
        if at < done:
            continue
        folded += tokens[done:at]
        token, done = tokens[at], at
        if token.key in {"been", "got"} and folded and folded[-1].raw == "'s":
            folded[-1] = read("has").tokens[0]
        for words, instead in _BY_HEAD.get(token.key, ()):
            if _stands(tokens, at, words) and not _meant_otherwise(token, folded):
                for word in instead:
                    folded += read(word).tokens
                done = at + len(words)
                break
    return folded + tokens[done:]


def _stands(tokens: list[Token], at: int, words: tuple[str, ...]) -> bool:
    return len(words) == 1 or tuple(token.key for token in tokens[at : at + len(words)]) == words


def _meant_otherwise(token: Token, before: list[Token]) -> bool:
    if token.key == "using":
        last = before[-1] if before else token
        return last.kind is not Kind.WORD or last.key in USING_IS_A_VERB_AFTER
    return token.key in _CAPITAL_ONLY and token.raw[:1].islower()
