from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from muniment.domain.evaluation import (
    MAX_TEXT,
    Evaluated,
    Family,
    Grounds,
    Item,
    Part,
    Reply,
    Sample,
    Verdict,
    answered,
    cut,
    judged,
    key,
    shown,
)

AT = datetime(2026, 3, 8, 5, tzinfo=UTC)
FACT = "The relay listens on port 4100, and so does   the Grüße service."


def sample(family: Family = "near-duplicate", *texts: str, **how: Any) -> Sample:
    parts = tuple(Part("memory", f"m{n}", text) for n, text in enumerate(texts or (FACT,)))
    return Sample(family=family, parts=parts, **how)


def said(samples: Sequence[Sample], *items: Item) -> list[tuple[tuple[str, ...], bool]]:
    asked = [(one, f"k{n}") for n, one in enumerate(samples)]
    return [
        (one.verdict.ids, one.verdict.sound)
        for one in judged(asked, Reply(verdicts=list(items)), AT)
    ]


def item(index: int, *, sound: bool, **how: Any) -> Item:
    return Item(index=index, sound=sound, **how)


class TestAReply:
    def test_gives_each_sample_the_verdict_of_its_index(self) -> None:
        one, other = sample("merge", "a"), sample("merge", "b", "c")
        assert said([one, other], item(1, sound=False), item(0, sound=True)) == [
            (("m0",), True),
            (("m0", "m1"), False),
        ]

    def test_that_names_an_index_not_offered_is_dropped_there(self) -> None:
        assert said([sample()], item(1, sound=True), item(-1, sound=True)) == []

    def test_that_leaves_a_sample_out_says_nothing_of_it(self) -> None:
        assert said([sample(), sample()], item(1, sound=True)) == [(("m0",), True)]

    def test_that_says_both_of_one_sample_says_nothing_of_it(self) -> None:
        assert said([sample()], item(0, sound=True), item(0, sound=False)) == []
        assert said([sample()], item(0, sound=True), item(0, sound=True)) == [(("m0",), True)]


class TestAMemorySaidOften:
    @pytest.mark.parametrize(
        "evidence",
        ["the relay", "PORT 4100,\nand so", "andsodoes the GRÜSSE", FACT],
    )
    def test_is_unsound_by_words_that_stand_in_it(self, evidence: str) -> None:
        mine = sample("reinforced")
        assert said([mine], item(0, sound=False, evidence=evidence)) == [(("m0",), False)]

    @pytest.mark.parametrize("evidence", [None, "", "  ", "port 4200", "The relay … service"])
    def test_is_not_unsound_without(self, evidence: str | None) -> None:
        assert said([sample("reinforced")], item(0, sound=False, evidence=evidence)) == []

    def test_is_sound_without(self) -> None:
        assert said([sample("reinforced")], item(0, sound=True)) == [(("m0",), True)]


def test_words_of_a_neighbour_are_no_evidence() -> None:
    mine = Sample(family="ephemeral", parts=(Part("dropped", "d", "a"), Part("live", "l", "b")))
    asked, reply = [(mine, "k")], Reply(verdicts=[item(0, sound=False, evidence="b")])
    (one,) = judged(asked, reply, AT)
    assert (one.verdict.ids, one.verdict.context_ids) == (("d",), ("l",))
    assert one.grounds == Grounds("k", "", "")


class TestTheKey:
    mine = sample("near-duplicate", "a", "b", figures={"similarity": 0.5})

    def test_is_the_same_whatever_the_figures_and_the_order(self) -> None:
        turned = replace(self.mine, parts=self.mine.parts[::-1], figures={"similarity": 0.6})
        assert key(self.mine, "q", "d") == key(turned, "q", "d")

    @pytest.mark.parametrize(
        ("other", "question", "directive"),
        [
            (mine, "q2", "d"),
            (mine, "q", "d2"),
            (replace(mine, family="merge"), "q", "d"),
            (replace(mine, coverage="lost: x"), "q", "d"),
            (sample("near-duplicate", "a", "c"), "q", "d"),
            (replace(mine, parts=(*mine.parts, Part("live", "l", "x"))), "q", "d"),
            (replace(mine, parts=(mine.parts[0], Part("memory", "m9", "b"))), "q", "d"),
        ],
    )
    def test_is_another_for_anything_that_is_judged(
        self, other: Sample, question: str, directive: str
    ) -> None:
        assert key(other, question, directive) != key(self.mine, "q", "d")


def test_a_text_is_cut_at_8000_characters_and_marked() -> None:
    assert cut("x" * MAX_TEXT) == "x" * 8_000
    whole = cut("x" * 8_001)
    assert whole.startswith("x" * 8_000 + "\n[cut here: 8,000 of 8,001")


def test_what_is_shown_has_no_ids() -> None:
    text = shown([sample(figures={"observed": 20})])
    assert "m0" not in text
    assert '"observed": 20' in text


def evaluated(number: int, *families: Family, verdicts: Sequence[Verdict] = ()) -> Evaluated:
    return Evaluated(
        number=number,
        evaluated_at=AT + timedelta(days=7 * number),
        position=1,
        model="m",
        tier="low",
        directive_sha256="d",
        families=families,
        verdicts=tuple(verdicts),
        grounds=tuple(Grounds(f"k{number}") for _ in verdicts),
    )


def test_verdicts_are_carried_from_the_last_evaluation_that_had_the_family() -> None:
    verdict = Verdict(family="merge", ids=("m",), sound=True, judged_at=AT)
    earlier = [evaluated(1, "merge", verdicts=[verdict]), evaluated(2, "reinforced")]
    assert [one.grounds.key for one in answered(earlier)["merge"]] == ["k1"]
    later = [*earlier, evaluated(3, "merge", verdicts=[verdict])]
    assert [one.grounds.key for one in answered(later)["merge"]] == ["k3"]


def test_an_evaluation_whose_words_are_gone_still_has_its_verdicts() -> None:
    verdict = Verdict(family="merge", ids=("m",), sound=False, judged_at=AT)
    gone = replace(evaluated(1, "merge", verdicts=[verdict]), grounds=())
    assert not gone.is_legible
    assert [(one.verdict, one.grounds) for one in gone.judgements] == [(verdict, Grounds())]
    assert gone.summary.unsound == 1
