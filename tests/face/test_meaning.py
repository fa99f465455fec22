"""Searching by meaning through the face, with a real endpoint on the loopback."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import Loopback, fails

import muniment
from muniment import Muniment

PATIENCE = 10.0


def settings(service: Loopback, **memory: Any) -> dict[str, Any]:
    return {
        "embedding": {"endpoint": service.url(), "model": "toy", "query_deadline": 1.0},
        "memory": memory,
    }


@pytest.fixture
def service() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


def embedded(m: Muniment) -> None:
    """Waits until every text has its vector."""
    assert m.embeddings is not None
    assert m.embeddings.drain(PATIENCE)


class TestHybrid:
    def test_what_both_find_comes_first_and_says_why(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            wanted = m.save("The harbour pilot boards ships at dawn").id
            m.save("A cat sleeps on the warm stove")
            embedded(m)
            found = m.search("harbour pilot at dawn", explain=True)
        assert found.degraded is None
        assert found.hits[0].memory.id == wanted
        why = found.hits[0].why
        assert why is not None
        assert (why["words"], why["meaning"]) == (1.0, 1.0)

    def test_meaning_alone_finds_what_shares_its_words(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            wanted = m.save("harbour pilot ships").id
            embedded(m)
            found = m.search("harbour pilot ships", mode="semantic")
        assert [hit.memory.id for hit in found.hits] == [wanted]
        assert found.degraded is None

    def test_filters_hold_for_both(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            m.save("harbour pilot ships", category="a")
            kept = m.save("harbour pilot boats", category="b").id
            embedded(m)
            assert [hit.memory.id for hit in m.search("harbour pilot", category="b").hits] == [kept]

    def test_how_many_are_asked_for_does_not_change_what_they_score(
        self, service: Loopback
    ) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            for number in range(12):
                m.save(f"ship sea anchored {number} by the red lighthouse of berth {number}")
            m.save("zebra")
            m.save("zebra zebra")
            near = m.save("ship sea anchored lighthouse").id  # much by meaning, a little by words
            embedded(m)
            query = "ship sea anchored lighthouse zebra"
            few, many = (
                {hit.memory.id: hit.score for hit in m.search(query, limit=limit).hits}
                for limit in (1, 20)
            )
        assert few == {near: many[near]}

    def test_what_is_archived_shows_on_demand_alone(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            id_ = m.save("harbour pilot ships").id
            embedded(m)
            m.archive(id_, "done")
            assert not m.search("harbour pilot ships").hits
            assert len(m.search("harbour pilot ships", include_archived=True).hits) == 1


class TestThePast:
    def test_the_result_names_the_model_that_had_a_say(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            m.save("harbour pilot ships")
            embedded(m)
            assert m.as_of(1).search("harbour pilot").model == "toy"
            assert m.search("harbour pilot").model == "toy"
            assert m.search("harbour pilot", mode="keyword").model is None
            assert m.search("harbour", mode="regex").model is None
            assert m.search().model is None
            service.always = fails(500)
            assert m.as_of(1).search("another question").model is None

    def test_a_text_has_a_vector_then_if_it_is_the_same_now(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            least = m.save("harbour pilot lies low").id
            kept = m.save("harbour pilot ships", category="a").id
            rewritten = m.save("harbour pilot ships", category="b").id
            m.rescore(kept, 0.9)
            m.revise(rewritten, "harbour pilot boats")
            later = m.save("harbour pilot ships", category="c").id
            embedded(m)

            def near(then: Muniment) -> set[str]:
                found = then.search("harbour pilot ships", mode="semantic")
                return {hit.memory.id for hit in found.hits}

            assert near(m) == {least, kept, later, rewritten}
            assert near(m.as_of(3)) == {least, kept}
            assert near(m.as_of("1999-01-01T00:00:00Z")) == set()
            both = m.as_of(3).search("harbour pilot ships", explain=True)
            meaning = {hit.memory.id: (hit.why or {})["meaning"] for hit in both.hits}
        assert meaning[kept] == 1.0
        assert meaning[rewritten] == 0.0  # found by its words of then
        assert meaning[least] > 0.5  # scaled from 0, not from what the other's text is like now


class TestWithoutAService:
    def test_words_go_on_and_the_result_says_so(self, service: Loopback) -> None:
        service.always = fails(500)
        with muniment.open(":memory:", settings=settings(service)) as m:
            saved = m.save("The harbour pilot boards ships at dawn")
            found = m.search("harbour pilot")
        assert [hit.memory.id for hit in found.hits] == [saved.id]
        assert found.degraded is not None
        assert "keyword search alone" in found.degraded

    def test_a_model_that_is_not_named_is_asked_for(self, service: Loopback) -> None:
        with pytest.raises(muniment.Invalid) as refused:
            muniment.open(":memory:", settings={"embedding": {"endpoint": service.url()}})
        assert refused.value.code == "model_required"


class TestTheCache:
    def test_a_store_that_is_opened_again_asks_for_no_vector_twice(
        self, service: Loopback, tmp_path: Path
    ) -> None:
        with muniment.open(tmp_path, settings=settings(service)) as m:
            m.save("harbour pilot ships")
            embedded(m)
        asked = len(service.requests)
        with muniment.open(tmp_path, settings=settings(service)) as m:
            m.save("harbour pilot ships")  # said again: nothing new
            embedded(m)
            assert len(m.search("harbour pilot ships", mode="semantic").hits) == 1
        assert len(service.requests) == asked + 1  # the query

    def test_a_rewritten_text_gets_a_vector_of_its_own(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            id_ = m.save("harbour pilot ships").id
            embedded(m)
            m.revise(id_, "orchard apple trees")
            embedded(m)
            assert not m.search("harbour pilot ships", mode="semantic").hits
            assert len(m.search("orchard apple trees", mode="semantic").hits) == 1

    def test_a_purge_leaves_no_vector(self, service: Loopback, tmp_path: Path) -> None:
        given = settings(service) | {"dream": {"memory_archive_retention_days": 1e-9}}
        with muniment.open(tmp_path, settings=given) as m:
            id_ = m.save("harbour pilot ships").id
            embedded(m)
            m.archive(id_, "done")
            assert m.purge().purged == [id_]
            assert not m.search("harbour pilot ships", mode="semantic", include_archived=True).hits


class TestRepetition:
    def test_what_a_vector_brings_together_is_folded_by_proof(
        self, service: Loopback, tmp_path: Path
    ) -> None:
        """An import looks for no repetition, so the vectors are the first to show one."""
        told = tmp_path / "told.md"
        told.write_text("- Pool of the old town opens every day in May at 18:30\n")
        with muniment.open(":memory:", settings=settings(service)) as m:
            first = m.save("The pool of the old town opens every day in May at 18:30").id
            assert m.import_from("markdown", told).imported == 1
            embedded(m)
            (second,) = {hit.memory.id for hit in m.search(include_archived=True).hits} - {first}
            memory = m.get(second)
            assert (memory.state, memory.merged_into) == ("archived", first)
            assert m.get(first).reinforcement_count == 2
            assert m.history(first)[-1].actor == "system:dedupe"

    def test_nothing_is_folded_where_the_check_is_switched_off(
        self, service: Loopback, tmp_path: Path
    ) -> None:
        told = tmp_path / "told.md"
        told.write_text("- Pool of the old town opens every day in May at 18:30\n")
        with muniment.open(":memory:", settings=settings(service, dedupe_enabled=False)) as m:
            m.save("The pool of the old town opens every day in May at 18:30")
            m.import_from("markdown", told)
            embedded(m)
            assert len(m.search().hits) == 2

    def test_what_is_near_and_not_the_same_stays(self, service: Loopback) -> None:
        with muniment.open(":memory:", settings=settings(service)) as m:
            m.save("The harbour pilot boards all ships at dawn on every day of May")
            m.save("The harbour pilot boards all ships at dusk on every day of May")
            embedded(m)
            assert len(m.search(limit=10).hits) == 2
