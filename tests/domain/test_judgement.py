"""What an observation is to what is known: a repetition, an addition, or something else."""

import pytest
from bdd import START, archived, at, day, memory, observation, saved

from muniment.domain.duplicates import form
from muniment.domain.memory.decisions import Likeness, Observation
from muniment.domain.memory.events import Measure
from muniment.domain.memory.judgement import Candidate, Judgement, judge
from muniment.domain.memory.state import State
from muniment.domain.rules import DuplicateCheck

FACT = "The Quillmark feed sits on Drive North."
SAME = "the Quillmark feed sits on Drive North"
MORE = "The Quillmark feed sits on Drive North in rack 12."
OTHER = "The Quillmark feed sits on Drive South."


def known(text: str, id: str = "m-1", *, trust: int = 3) -> State:
    return memory(saved(text, trust=trust))._replace(id=id)


def candidate(
    state: State, similarity: float = 0.9, measure: Measure = "lexical", *, on: float = 0
) -> Candidate:
    return Candidate(
        memory=state,
        form=form(state.content),
        said_at=day(on),
        similarity=similarity,
        measure=measure,
    )


def judged(
    said: Observation,
    *candidates: Candidate,
    check: DuplicateCheck | None = None,
    on: float = 0,
) -> Judgement:
    return judge(said, form(said.content), candidates, now=day(on), check=check or DuplicateCheck())


class TestRepetition:
    def test_what_is_proven_the_same_is_reinforced(self) -> None:
        found = candidate(known(FACT), 1.0, "canonical")
        assert judged(observation(SAME), found) == Judgement(
            verdict="reinforced",
            memory=found.memory,
            likeness=Likeness(similarity=1.0, measure="canonical"),
        )

    def test_the_first_that_says_the_same_wins_however_similar_the_others_are(self) -> None:
        other, same, later = (
            candidate(known(OTHER, "m-1"), 0.99),
            candidate(known(FACT, "m-2"), 0.6),
            candidate(known(FACT, "m-3"), 0.6),
        )
        assert judged(observation(SAME), other, same, later).memory == same.memory

    def test_a_repetition_is_preferred_to_an_addition(self) -> None:
        shorter, same = candidate(known(FACT, "m-1")), candidate(known(MORE, "m-2"))
        verdict = judged(observation(MORE), shorter, same)
        assert (verdict.verdict, verdict.memory) == ("reinforced", same.memory)

    def test_a_less_trusted_speaker_may_repeat(self) -> None:
        verdict = judged(observation(SAME, trust=0), candidate(known(FACT, trust=3)))
        assert verdict.verdict == "reinforced"

    def test_today_said_on_another_day_is_not_the_same(self) -> None:
        text = "The review is today."
        assert judged(observation(text), candidate(known(text))).verdict == "reinforced"
        assert judged(observation(text), candidate(known(text)), on=1).verdict == "created"


class TestAddition:
    def test_what_only_adds_extends(self) -> None:
        found = candidate(known(FACT))
        assert judged(observation(MORE), found) == Judgement(
            verdict="extended", memory=found.memory, likeness=found.likeness
        )

    def test_a_similarity_equal_to_the_threshold_is_a_match(self) -> None:
        assert judged(observation(MORE), candidate(known(FACT), 0.60)).verdict == "extended"

    def test_below_the_threshold_it_is_a_newcomer_that_resembles(self) -> None:
        verdict = judged(observation(MORE), candidate(known(FACT), 0.59))
        assert (verdict.verdict, verdict.resembles) == ("created", ("m-1",))

    def test_a_less_trusted_speaker_never_extends(self) -> None:
        verdict = judged(observation(MORE, trust=2), candidate(known(FACT, trust=3)))
        assert (verdict.verdict, verdict.resembles) == ("created", ("m-1",))

    def test_an_equally_trusted_one_does(self) -> None:
        verdict = judged(observation(MORE, trust=2), candidate(known(FACT, trust=2)))
        assert verdict.verdict == "extended"

    def test_a_text_grows_to_the_bound_and_no_further(self) -> None:
        whole = len(FACT) + 2 + len(MORE)
        fits, over = DuplicateCheck(max_extended=whole), DuplicateCheck(max_extended=whole - 1)
        assert judged(observation(MORE), candidate(known(FACT)), check=fits).verdict == "extended"
        assert judged(observation(MORE), candidate(known(FACT)), check=over).verdict == "created"

    def test_one_that_may_not_be_extended_makes_way_for_the_next(self) -> None:
        distrustful, open_ = (
            candidate(known(FACT, "m-1", trust=3)),
            candidate(known(FACT, "m-2", trust=1)),
        )
        verdict = judged(observation(MORE, trust=1), distrustful, open_)
        assert verdict.memory == open_.memory

    def test_saying_less_is_no_proof_of_sameness(self) -> None:
        verdict = judged(
            observation("Priya prefers terse"),
            candidate(known("Priya prefers terse updates"), 0.75),
        )
        assert (verdict.verdict, verdict.resembles) == ("created", ("m-1",))


class TestNewcomer:
    def test_without_candidates_it_resembles_nothing(self) -> None:
        assert judged(observation(FACT)) == Judgement(verdict="created")

    def test_it_names_what_it_resembles_and_what_it_contradicts(self) -> None:
        near = candidate(known(OTHER, "m-1"), 0.8)
        far = candidate(known("The Quillmark feed is hosted by Berg GmbH.", "m-2"), 0.3)
        assert judged(observation(FACT), near, far) == Judgement(
            verdict="created",
            likeness=near.likeness,
            resembles=("m-1",),
            conflicts_with=("m-1",),
        )

    def test_a_memory_is_named_once_however_many_of_its_statements_are_near(self) -> None:
        state = known(OTHER)
        verdict = judged(observation(FACT), candidate(state, 0.8), candidate(state, 0.7))
        assert verdict.resembles == ("m-1",)

    @pytest.mark.parametrize(
        ("was", "becomes"),
        [
            ("Deployment is allowed.", "Deployment is not allowed."),
            ("Alice manages Bob.", "Bob manages Alice."),
            ("I love Chinese food", "I hate Chinese food"),
            ("The queue holds 312 jobs.", "The queue holds 321 jobs."),
            ("Case SR-2023-052 is closed.", "Case SR-2023-053 is closed."),
            ("Is the gate open?", "The gate is open."),
        ],
    )
    def test_a_correction_is_never_taken_for_a_repetition(self, was: str, becomes: str) -> None:
        assert judged(observation(becomes), candidate(known(was), 0.99)).verdict == "created"

    def test_the_settings_say_from_where_on_two_texts_resemble(self) -> None:
        strict = DuplicateCheck(resembling=0.95)
        verdict = judged(observation(FACT), candidate(known(OTHER), 0.9), check=strict)
        assert verdict == Judgement(verdict="created")


def test_what_happened_to_the_candidate_meanwhile_is_not_the_judge_s_business() -> None:
    state = memory(saved(FACT), at(START, archived()))
    assert judged(observation(SAME), candidate(state)).memory == state
