"""Spaces: nothing of one is seen, found, counted or touched from another."""

from collections.abc import Callable
from typing import Any

import pytest

import muniment
from muniment import Invalid, Muniment, NotFound

FACT = "The Quillmark feed sits on Drive North."
UNKNOWN = "00000000-0000-7000-8000-000000000000"

WITH_AN_ID: dict[str, Callable[[Muniment, str], Any]] = {
    "get": lambda m, of: m.get(of),
    "get_many": lambda m, of: m.get_many([of]),
    "history": lambda m, of: m.history(of),
    "revise": lambda m, of: m.revise(of, "Rack 12 is full."),
    "rescore": lambda m, of: m.rescore(of, 0.9),
    "recategorize": lambda m, of: m.recategorize(of, "infra"),
    "retag": lambda m, of: m.retag(of, ["x"]),
    "describe": lambda m, of: m.describe(of, {"k": "v"}),
    "pin": lambda m, of: m.pin(of),
    "unpin": lambda m, of: m.unpin(of),
    "mark_used": lambda m, of: m.mark_used(of),
    "archive": lambda m, of: m.archive(of, "stale"),
    "restore": lambda m, of: m.restore(of),
}


@pytest.fixture
def other(m: Muniment) -> Muniment:
    """Another space of the same store."""
    return m.acting_as("manual", space="other")


class TestAnotherSpacesId:
    @pytest.mark.parametrize("shorten", [False, True])
    @pytest.mark.parametrize("verb", sorted(WITH_AN_ID))
    def test_it_is_not_found_in_the_same_words_as_one_that_never_was(
        self, m: Muniment, other: Muniment, verb: str, shorten: bool
    ) -> None:
        saved = m.save(FACT)
        theirs, nobody_s = saved.id, UNKNOWN
        if shorten:
            theirs, nobody_s = theirs[-12:], nobody_s[-12:]
        with pytest.raises(NotFound) as of_theirs:
            WITH_AN_ID[verb](other, theirs)
        with pytest.raises(NotFound) as of_nobody_s:
            WITH_AN_ID[verb](other, nobody_s)
        assert of_theirs.value.code == of_nobody_s.value.code
        assert of_theirs.value.message.replace(theirs, "") == of_nobody_s.value.message.replace(
            nobody_s, ""
        )
        assert m.get(saved.id) == saved.memory


class TestReading:
    def test_search_browse_taxonomy_and_counts_are_of_the_space(
        self, m: Muniment, other: Muniment
    ) -> None:
        m.save(FACT, category="infra", tags=["feed"])
        other.save("Rack 12 is full.", category="racks")
        for found in (other.search(), other.search("Quillmark"), other.search(tags=["feed"])):
            assert found.taxonomy == {"racks": 1}
            assert all(hit.memory.space == "other" for hit in found.hits)
        assert other.search("Quillmark").hits == ()
        assert other.search(".*Quill.*", mode="regex").hits == ()
        assert other.stats().memories["live"] == 1
        assert {entry.space for entry in other.log()} == {"other"}

    def test_scores_do_not_depend_on_what_other_spaces_hold(
        self, m: Muniment, other: Muniment
    ) -> None:
        m.save(FACT)
        before = m.search("feed").hits[0].score
        other.save_many([{"content": f"feed number {n} of the plant"} for n in range(20)])
        assert m.search("feed").hits[0].score == before

    def test_a_space_that_has_no_event_is_empty(self, m: Muniment) -> None:
        nowhere = m.acting_as("manual", space="nowhere")
        found = nowhere.search()
        assert (found.hits, found.taxonomy, found.message) == ((), {}, None)
        assert sum(nowhere.stats().memories.values()) == 0

    def test_archiving_everything_of_one_leaves_the_other_as_it_was(
        self, m: Muniment, other: Muniment
    ) -> None:
        """Field case 10, as far as this goes: one tenant's removal is nobody else's."""
        for n in range(5):
            m.save(f"Shelf {n} is empty.")
            other.save(f"Shelf {n} is empty.")
        before = other.search(limit=200)
        for hit in m.search(limit=200).hits:
            m.archive(hit.memory.id, "gone")
        assert m.search().hits == ()
        assert other.search(limit=200) == before


class TestActingAs:
    def test_it_keeps_the_space_unless_another_is_named(self, m: Muniment, other: Muniment) -> None:
        bot = other.acting_as("bot:main")
        assert (bot.space, bot.actor) == ("other", "bot:main")
        assert (m.acting_as("bot:main").space, m.space) == ("default", "default")

    def test_closing_it_leaves_the_store_open(self, m: Muniment) -> None:
        with m.acting_as("bot:main") as bot:
            bot.save(FACT)
        assert len(m.search().hits) == 1

    @pytest.mark.parametrize("space", ["", "a b", "*", "a/b", "x" * 65, 5])
    def test_a_space_that_cannot_be_is_refused(self, m: Muniment, space: Any) -> None:
        with pytest.raises(Invalid) as acting:
            m.acting_as("manual", space=space)
        with pytest.raises(Invalid) as opening:
            muniment.open(":memory:", space=space)
        assert acting.value.code == opening.value.code == "space_invalid"

    @pytest.mark.parametrize("actor", ["", "root", "bot:", "subagent", 5, None])
    def test_an_actor_that_cannot_be_is_refused(self, m: Muniment, actor: Any) -> None:
        with pytest.raises(Invalid) as acting:
            m.acting_as(actor)
        with pytest.raises(Invalid) as opening:
            muniment.open(":memory:", actor=actor)
        assert acting.value.code == opening.value.code == "actor_invalid"
