"""Words and meaning together, with a small model whose cosines are known by heart."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from loopback import Exchange, Loopback, fails, replies

import muniment
from muniment import Hit, Muniment
from muniment.domain.embedding import document
from muniment.projections.search_index import Matches
from muniment.projections.vector_index import VectorIndex
from muniment.queries.hybrid import ranked

CONCEPTS = (
    {"ship", "ships", "boat", "boats", "vessel"},
    {"dawn", "morning", "sunrise"},
    {"food", "bread", "cheese"},
    {"ada"},
)
PATIENCE = 10.0


def concepts(exchange: Exchange) -> None:
    """One axis a concept, and one for what the texts have in common."""
    data = [{"index": at, "embedding": vector(text)} for at, text in enumerate(texts(exchange))]
    replies({"data": data})(exchange)


def texts(exchange: Exchange) -> list[str]:
    given: list[str] = exchange.body["input"]
    return given


def vector(text: str) -> list[float]:
    words = text.casefold().replace(":", " ").replace(",", " ").split()
    return [float(sum(word in concept for word in words)) for concept in CONCEPTS] + [0.5]


def cosine(query: str, text: str) -> float:
    one, other = np.array(vector(query)), np.array(vector(text))
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.fixture
def service() -> Iterator[Loopback]:
    with Loopback(always=concepts) as running:
        yield running


def opened(service: Loopback, model: str = "toy", **embedding: Any) -> Muniment:
    given = {"endpoint": service.url(), "model": model, "query_deadline": PATIENCE, **embedding}
    return muniment.open(
        ":memory:", settings={"embedding": given, "memory": {"dedupe_enabled": False}}
    )


def embedded(m: Muniment) -> None:
    assert m.embeddings is not None
    assert m.embeddings.drain(PATIENCE)


def content(hit: Hit) -> str:
    assert hit.memory.content is not None
    return hit.memory.content


def contents(hits: tuple[Hit, ...]) -> list[str]:
    return [content(hit) for hit in hits]


class TestWhatIsFound:
    def test_what_shares_no_word_with_the_query_is_found_by_meaning(
        self, service: Loopback
    ) -> None:
        with opened(service) as m:
            m.save("The vessel leaves at sunrise")
            m.save("Bread is in the cupboard")
            embedded(m)
            assert not m.search("boats in the morning", mode="keyword").hits
            assert contents(m.search("boats in the morning").hits) == [
                "The vessel leaves at sunrise"
            ]

    def test_a_speaker_who_is_only_a_tag_leads_to_what_was_said(self, service: Loopback) -> None:
        with opened(service) as m:
            m.save("A boat it is", tags=["Ben"])
            m.save("A vessel it is", tags=["Ada"])
            m.save("Bye Ada")
            embedded(m)
            found = m.search("Which ship does Ada like", mode="semantic").hits
        assert contents(found)[0] == "A vessel it is"

    @pytest.mark.parametrize("change", ["retag", "recategorize", "said again"])
    def test_another_tag_or_category_leads_to_it_from_then_on(
        self, service: Loopback, change: str
    ) -> None:
        with opened(service) as m:
            id_ = m.save("It hangs in the hall").id
            embedded(m)
            assert not m.search("Ada", mode="semantic").hits
            if change == "retag":
                m.retag(id_, ["Ada"])
            elif change == "recategorize":
                m.recategorize(id_, "people/Ada")
            else:
                m.revise(id_, "It hangs in the hall of Ada")
            embedded(m)
            assert [hit.memory.id for hit in m.search("Ada", mode="semantic").hits] == [id_]


def test_a_whole_identifier_is_looked_at_before_better_scores() -> None:
    """A long text scores low, and would not be among the best by words."""
    words = Matches(
        np.array([0, 1, 2], np.int32), np.array([9.0, 8.0, 0.1]), np.array([False, False, True])
    )
    nothing = VectorIndex(2).compared(np.array([1, 0], np.float32))
    found = ranked(nothing, np.zeros(0, np.int32), words, depth=2)
    assert found.rows[found.exact].tolist() == [2]
    assert found.rows.tolist() == [0, 2]


class TestTheThreshold:
    QUERY, TEXT = "ship", "bread for the boat and cheese"

    def test_is_for_hits_by_meaning_alone(self, service: Loopback) -> None:
        """A hit by words keeps what it has by meaning, so that the better of two comes first."""
        with opened(service) as m:
            m.save("bread cheese food pilot")
            wanted = m.save("bread cheese dawn boat pilot").id
            embedded(m)
            found = m.search("pilot boats", explain=True).hits
        assert cosine("pilot boats", "bread cheese dawn boat pilot") < 0.5
        assert found[0].memory.id == wanted
        assert [hit.why["cosine"] for hit in found if hit.why] == pytest.approx(
            [cosine("pilot boats", text) for text in contents(found)], abs=1e-5
        )

    @pytest.mark.parametrize(
        ("model", "given", "is_hit"),
        [
            ("toy", {}, False),
            ("toy", {"min_similarity_threshold": 0.3}, True),
            ("sentence-transformers/all-MiniLM-L6-v2", {}, True),
            ("sentence-transformers/all-MiniLM-L6-v2", {"min_similarity_threshold": 0.6}, False),
        ],
    )
    def test_is_what_was_set_or_is_known_of_the_model(
        self, service: Loopback, model: str, given: dict[str, Any], *, is_hit: bool
    ) -> None:
        assert 0.35 < cosine(self.QUERY, self.TEXT) < 0.5
        with opened(service, model, **given) as m:
            m.save(self.TEXT)
            embedded(m)
            assert bool(m.search(self.QUERY).hits) is is_hit


class TestScores:
    def test_add_up_from_what_they_are_said_to_be_made_of(self, service: Loopback) -> None:
        said = ["pilot boat", "pilot pilot of the ship at dawn", "pilot", "vessel dawn", "cheese"]
        query = "pilot of boats"
        with opened(service) as m:
            for number, text in enumerate(said):
                m.save(text, importance=number / 5)
            embedded(m)
            found = m.search(query, explain=True).hits
        assert sorted(contents(found)) == sorted(said[:4])
        known = {text: cosine(query, document(text, None, ())) for text in said}
        least, most = min(known.values()), max(known.values())
        best = max(hit.why["bm25"] for hit in found if hit.why)
        for hit in found:
            why = hit.why
            assert why is not None
            terms = sum(term["score"] for term in why["terms"])
            assert why["bm25"] == pytest.approx(terms)
            assert why["words"] == pytest.approx(terms / best)
            assert why["cosine"] == pytest.approx(known[content(hit)], abs=1e-5)
            assert why["meaning"] == pytest.approx((why["cosine"] - least) / (most - least), 1e-4)
            mean = (why["words"] + why["meaning"]) / 2
            assert hit.score == pytest.approx(mean * (0.5 + 0.5 * why["importance"]))

    def test_what_has_no_vector_yet_is_found_by_its_words(self, service: Loopback) -> None:
        with opened(service) as m:
            m.save("pilot boat")
            embedded(m)
            m.search("pilot boat")
            service.always = fails(503)
            late = m.save("pilot boat too").id
            why = {hit.memory.id: hit.why for hit in m.search("pilot boat", explain=True).hits}
        of_it = why[late]
        assert of_it is not None
        assert (of_it["cosine"], of_it["meaning"]) == (None, 0.0)

    def test_are_the_same_on_every_page(self, service: Loopback) -> None:
        """Also past the depth to which both are looked at."""
        with opened(service) as m:
            m.save_many(
                [
                    {"content": f"{'boat ' * (n % 7)}{'pilot ' * (n % 5)}{'dawn ' * (n % 3)} n{n}"}
                    for n in range(1, 400)
                ]
            )
            embedded(m)
            query = "pilot of boats at sunrise"
            paged: list[Hit] = []
            cursor: str | None = None
            while True:
                page = m.search(query, limit=60, cursor=cursor)
                paged += page.hits
                cursor = page.cursor
                if cursor is None:
                    break
            first = m.search(query, limit=200).hits
        assert len({hit.memory.id for hit in paged}) == len(paged) > 256
        assert [(hit.memory.id, hit.score) for hit in paged[:200]] == [
            (hit.memory.id, hit.score) for hit in first
        ]
        assert [hit.score for hit in paged] == sorted((hit.score for hit in paged), reverse=True)


WORDS = st.sampled_from(["ship", "boat", "dawn", "sunrise", "bread", "pilot", "Ada", "quay"])
TEXTS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


@examples(max_examples=25, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=12), TEXTS)
def test_hybrid_finds_all_that_words_find_and_all_that_is_near_and_nothing_else(
    said: list[str], query: str
) -> None:
    with Loopback(always=concepts) as service, opened(service) as m:
        m.save_many([{"content": text} for text in said])
        embedded(m)
        found = {
            mode: {hit.memory.id for hit in m.search(query, mode=mode, limit=200).hits}
            for mode in ("hybrid", "keyword", "semantic")
        }
        again = [hit.memory.id for hit in m.search(query).hits]
        assert again == [hit.memory.id for hit in m.search(query).hits]
    assert found["hybrid"] == found["keyword"] | found["semantic"]


def test_the_order_in_which_vectors_come_makes_no_difference(
    service: Loopback,
) -> None:
    said = [f"boat pilot number {n} {'dawn ' * (n % 4)}" for n in range(40)]
    with opened(service) as m:
        m.save_many([{"content": text} for text in said])
        embedded(m)
        at_once = [(content(hit), hit.score) for hit in m.search("pilot at dawn").hits]
    with opened(service) as m:
        for text in said:
            m.save(text)
            if text.endswith("dawn "):
                embedded(m)
        for hit in m.search("boat", mode="keyword", limit=5).hits:
            m.revise(hit.memory.id, "another text for a while")
            embedded(m)
            m.revise(hit.memory.id, content(hit))
        embedded(m)
        one_by_one = [(content(hit), hit.score) for hit in m.search("pilot at dawn").hits]
    assert len(at_once) == 8
    assert dict(one_by_one) == dict(at_once)
