"""Which memories the duplicate check is shown."""

from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain import category as categories
from muniment.domain.memory import events as e
from muniment.domain.recorded import Recorded
from muniment.projections.similarity import Form, Likeness, Similarity

AT = datetime(2028, 3, 1, tzinfo=UTC)
STOP = {"the", "is", "on"}


class Folded(NamedTuple):
    """A stand-in for the canonical form: case and blanks fall."""

    key: str
    terms: tuple[str, ...]


def form(text: str) -> Folded:
    words = text.casefold().split()
    return Folded(" ".join(words), tuple(word for word in words if word not in STOP))


class Lookup(Protocol):
    def same(self, top: str, form: Form) -> tuple[str, ...]: ...

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> list[Likeness]: ...


def saved(content: str, category: str | None = None, store: e.Store = "semantic") -> e.Saved:
    return e.Saved(
        content=content, category=category, importance=0.5, trust=3, source_type="user",
        store=store, chars=len(content),
    )  # fmt: skip


def imported(content: str, category: str | None, *, archived: bool) -> e.Imported:
    return e.Imported(
        content=content, category=category, importance=0.5, trust=3, source_type="user",
        store="semantic", chars=1, format="x", created_at=AT, last_seen_at=AT, updated_at=AT,
        scored_at=AT, reinforcement_count=1, access_count=1, last_accessed_at=AT,
        archived_at=AT if archived else None,
    )  # fmt: skip


def extended(addition: str) -> e.Extended:
    return e.Extended(addition=addition, importance=0.5, trust=3, source_type="user", chars=1)


def revised(content: str) -> e.Revised:
    return e.Revised(content=content, chars=1)


ARCHIVED = e.Archived(cause="request", importance=0.5)


def recorded(position: int, stream: str, event: Any) -> Recorded:
    return Recorded(
        position=position, stream=stream, version=2, name="memory.x", schema=1, recorded_at=AT,
        actor="a", space="s", command_id="c", correlation_id=None, causation_id=None, event=event,
    )  # fmt: skip


def log_of(*pairs: tuple[str, Any]) -> list[Recorded]:
    return [recorded(position, id_, event) for position, (id_, event) in enumerate(pairs, 1)]


def kept(log: Iterable[Recorded], *, repack_at: int = 1_024) -> Similarity:
    similarity = Similarity(form, repack_at=repack_at)
    for one in log:
        similarity.apply(one)
    return similarity


class Naive:
    """The same answers by comparing everything."""

    def __init__(self, log: Iterable[Recorded]) -> None:
        self._memories: dict[str, tuple[list[str], str | None, bool]] = {}
        memories = self._memories
        for one in log:
            event = one.event
            statements, category, archived = memories.get(one.stream, ([], None, False))
            if one.stream not in memories:
                if isinstance(event, e.Saved | e.Imported) and event.store != "episodic":
                    hidden = isinstance(event, e.Imported) and event.archived_at is not None
                    memories[one.stream] = ([event.content], event.category, hidden)
                continue
            match event:
                case e.Extended():
                    statements = [*statements, event.addition]
                case e.Revised():
                    statements = [event.content]
                case e.Recategorized():
                    category = event.category
                case e.Archived():
                    archived = True
                case e.Restored():
                    archived = False
                case _:
                    pass
            memories[one.stream] = (statements, category, archived)

    def _met(self, top: str) -> Iterable[tuple[str, list[str]]]:
        for id_, (statements, category, archived) in self._memories.items():
            met = categories.top(category) == top and not categories.never_matched(category)
            if met and not archived:
                yield id_, statements

    def same(self, top: str, form: Form) -> tuple[str, ...]:
        return tuple(
            id_
            for id_, statements in self._met(top)
            if any(_form(text).key == form.key for text in statements)
        )

    def similar(self, top: str, form: Form, *, at_least: float, limit: int) -> list[Likeness]:
        asked, found = set(form.terms), list[tuple[Fraction, str, int]]()
        for id_, statements in self._met(top):
            for number, text in enumerate(statements):
                terms = set(_form(text).terms)
                if asked and terms:
                    index = Fraction(len(asked & terms), len(asked | terms))
                    if index >= Fraction(str(at_least)) and asked & terms:
                        found.append((index, id_, number))
        found.sort(key=lambda one: -one[0])
        return [Likeness(id_, number, float(index)) for index, id_, number in found[:limit]]


_form = form

letters = "abcdefghijkl"
texts = st.lists(st.sampled_from([*letters, "the", "is"]), max_size=9).map(" ".join)
tops = st.sampled_from([None, "p", "P/x", "q/y", "feedback", "feedback/x", "claim/capability/z"])
changes: st.SearchStrategy[Any] = st.one_of(
    st.builds(saved, texts, tops),
    st.builds(saved, texts, tops, st.sampled_from(["semantic", "episodic"])),
    st.builds(imported, texts, tops, archived=st.booleans()),
    st.builds(extended, texts),
    st.builds(revised, texts),
    st.builds(e.Recategorized, category=tops),
    st.just(ARCHIVED),
    st.just(e.Restored()),
    st.just(e.Used()),
    st.none(),
)
logs = st.lists(
    st.tuples(st.sampled_from([f"m{number}" for number in range(9)]), changes), max_size=40
).map(lambda pairs: log_of(*pairs))
stores = st.lists(texts, max_size=60).map(
    lambda contents: log_of(*((f"m{n:02}", saved(text, "p")) for n, text in enumerate(contents)))
)
thresholds = st.sampled_from([0.5, 0.6, 0.88, 1.0, 2 / 3, 0.3])


def assert_same_answers(one: Lookup, other: Lookup, asked: Iterable[str]) -> None:
    for text in asked:
        for top in ("", "p", "q", "feedback", "claim"):
            assert one.same(top, form(text)) == other.same(top, form(text))
            for at_least in (0.5, 0.6, 0.88):
                assert one.similar(top, form(text), at_least=at_least, limit=99) == other.similar(
                    top, form(text), at_least=at_least, limit=99
                )


class TestAgainstComparingEverything:
    @settings(max_examples=400)
    @given(stores, texts, thresholds, st.integers(1, 9), st.sampled_from([1, 5, 1_024]))
    def test_every_statement_that_reaches_the_threshold_is_found(
        self, log: list[Recorded], text: str, at_least: float, limit: int, repack_at: int
    ) -> None:
        similarity = kept(log, repack_at=repack_at)
        found = similarity.similar("p", form(text), at_least=at_least, limit=limit)
        assert found == Naive(log).similar("p", form(text), at_least=at_least, limit=limit)

    @settings(max_examples=150)
    @given(st.randoms(use_true_random=False), thresholds, st.sampled_from([1, 1_024]))
    def test_long_texts_that_differ_in_a_few_words_too(
        self, random: Random, at_least: float, repack_at: int
    ) -> None:
        words = [f"w{number}" for number in range(40)]
        text = random.sample(words, random.randint(1, 30))
        log: list[Recorded] = []
        for number in range(30):
            near = [word for word in text if random.random() > 0.2]
            near += random.sample(words, random.randint(0, 8))
            log.append(recorded(number + 1, f"m{number:02}", saved(" ".join(near), "p")))
        asked = form(" ".join(text))
        found = kept(log, repack_at=repack_at).similar("p", asked, at_least=at_least, limit=99)
        assert found == Naive(log).similar("p", asked, at_least=at_least, limit=99)

    @settings(max_examples=100)
    @given(logs, st.lists(texts, min_size=1, max_size=3), st.sampled_from([1, 4, 1_024]))
    def test_whatever_happened_to_the_memories(
        self, log: list[Recorded], asked: list[str], repack_at: int
    ) -> None:
        assert_same_answers(kept(log, repack_at=repack_at), Naive(log), asked)


class TestLaws:
    @settings(max_examples=100)
    @given(logs, texts, st.data())
    def test_rebuilt_from_zero_equals_kept_while_it_was_asked(
        self, log: list[Recorded], text: str, data: st.DataObject
    ) -> None:
        similarity = Similarity(form, repack_at=data.draw(st.sampled_from([1, 3])))
        for one in log:
            similarity.apply(one)
            if data.draw(st.booleans()):
                similarity.similar("p", form("a b c d"), at_least=0.5, limit=1)
        assert_same_answers(similarity, kept(log), [text])
        assert similarity.digest() == kept(log).digest()

    @given(logs, texts)
    def test_an_event_applied_twice_counts_once(self, log: list[Recorded], text: str) -> None:
        similarity = Similarity(form)
        for one in log:
            similarity.apply(one)
            similarity.apply(one)
            similarity.apply(log[0])
        assert similarity.position == len(log)
        assert_same_answers(similarity, kept(log), [text])


class TestDigest:
    @pytest.mark.parametrize(
        "change",
        [revised("a c"), extended("a"), ARCHIVED, e.Recategorized(category="work"), None],
    )
    def test_it_differs_exactly_where_something_else_is_held(self, change: Any) -> None:
        log = log_of(("m", saved("a b")), ("n", saved("c a")))
        changed = [*log, recorded(3, "m", change)]
        assert (kept(log).digest() != kept(changed).digest()) == (change is not None)


class TestThreshold:
    @pytest.mark.parametrize(
        ("common", "union", "at_least"), [(22, 25, 0.88), (3, 5, 0.6), (1, 2, 0.5), (2, 3, 2 / 3)]
    )
    def test_an_index_equal_to_it_is_a_match(
        self, common: int, union: int, at_least: float
    ) -> None:
        terms = [f"t{number}" for number in range(union)]
        similarity = kept(log_of(("m", saved(" ".join(terms)))))
        asked = form(" ".join(terms[:common]))
        found = similarity.similar("", asked, at_least=at_least, limit=5)
        assert found == [Likeness("m", 0, common / union)]
        less = form(" ".join(terms[: common - 1]))
        assert similarity.similar("", less, at_least=at_least, limit=5) == []

    def test_the_best_come_first_and_of_equal_ones_the_oldest(self) -> None:
        log = log_of(
            ("c", saved("a b c")), ("b", saved("a b d")), ("a", saved("a b")), ("d", saved("A B"))
        )
        log.append(recorded(9, "b", extended("b a")))
        found = kept(log).similar("", form("a b"), at_least=0.5, limit=9)
        assert [(one.id, one.statement) for one in found] == [
            ("b", 1), ("a", 0), ("d", 0), ("c", 0), ("b", 0),
        ]  # fmt: skip

    def test_a_text_of_stop_words_resembles_nothing(self) -> None:
        similarity = kept(log_of(("m", saved("the is"))))
        assert similarity.similar("", form("the is"), at_least=0.5, limit=5) == []
        assert similarity.same("", form("the  IS")) == ("m",)

    def test_repeated_terms_count_once(self) -> None:
        similarity = kept(log_of(("m", saved("a a a b"))))
        assert similarity.similar("", form("b a b"), at_least=1.0, limit=5) == [
            Likeness("m", 0, 1.0)
        ]


class TestScope:
    @pytest.mark.parametrize(
        "category", ["feedback", "Feedback/x", "claim/capability", "claim/capability/a/b"]
    )
    def test_categories_that_others_decide_about_are_never_met(self, category: str) -> None:
        similarity = kept(log_of(("m", saved("a b", category))))
        assert similarity.same(categories.top(category), form("a b")) == ()

    def test_the_occurrences_of_an_episode_are_never_met(self) -> None:
        similarity = kept(log_of(("m", saved("a b", None, "episodic")), ("m", e.Restored())))
        assert similarity.same("", form("a b")) == ()

    def test_a_category_that_only_begins_alike_is_met(self) -> None:
        similarity = kept(log_of(("m", saved("a b", "feedbacks")), ("n", saved("a", "claim/x"))))
        assert similarity.same("feedbacks", form("a b")) == ("m",)
        assert similarity.same("claim", form("a")) == ("n",)

    def test_filed_elsewhere_it_is_met_there(self) -> None:
        similarity = kept(
            log_of(
                ("m", saved("a b", "feedback")), ("m", extended("c d")),
                ("m", e.Recategorized(category="Work/x")),
            )
        )  # fmt: skip
        assert similarity.same("work", form("c d")) == ("m",)
        assert similarity.same("feedback", form("c d")) == ()

    def test_no_category_is_a_level_of_its_own(self) -> None:
        similarity = kept(log_of(("m", saved("a b")), ("n", saved("a b", "general"))))
        assert similarity.same("", form("a b")) == ("m",)
        assert similarity.same("general", form("a b")) == ("n",)


def test_every_statement_is_found_while_more_and_more_are_packed() -> None:
    similarity = Similarity(form, repack_at=64)
    for number in range(1, 150):
        text = f"w{number} x{number} y{number % 7}"
        similarity.apply(recorded(number, f"m{number}", saved(text)))
        for known in range(max(1, number - 20), number + 1):
            asked = form(f"w{known} x{known} y{known % 7}")
            assert similarity.same("", asked) == (f"m{known}",)
            assert similarity.similar("", asked, at_least=0.6, limit=9) == [
                Likeness(f"m{known}", 0, 1.0)
            ]


class TestATrial:
    @settings(max_examples=100, deadline=None)
    @given(logs, logs, st.data(), st.sampled_from([1, 4, 1_024]))
    def test_what_is_taken_back_leaves_no_trace(
        self, log: list[Recorded], batch: list[Recorded], data: st.DataObject, repack_at: int
    ) -> None:
        after = data.draw(st.integers(0, len(batch)))
        batch = [one._replace(position=len(log) + one.position) for one in batch]
        similarity = kept(log, repack_at=repack_at)
        similarity.begin_trial()
        for one in batch:
            similarity.apply(one)
            if data.draw(st.booleans()):
                similarity.similar("p", form("a b c d"), at_least=0.5, limit=1)
        similarity.take_back(len(log) + after)
        stands = kept([*log, *batch[:after]])
        assert similarity.digest() == stands.digest()
        assert_same_answers(similarity, stands, ["a b c", "d e"])

    @given(logs, logs, logs)
    def test_other_events_may_come_in_their_place(
        self, log: list[Recorded], batch: list[Recorded], other: list[Recorded]
    ) -> None:
        batch, other = (
            [one._replace(position=len(log) + one.position) for one in some]
            for some in (batch, other)
        )
        similarity = kept(log)
        similarity.begin_trial()
        for one in batch:
            similarity.apply(one)
        similarity.take_back(len(log))
        for one in other:
            similarity.apply(one)
        similarity.end_trial()
        assert similarity.digest() == kept([*log, *other]).digest()
        assert similarity.position == len(log) + len(other)

    def test_what_has_ended_cannot_be_taken_back(self) -> None:
        similarity = kept(log_of(("m", saved("a b"))))
        similarity.begin_trial()
        similarity.apply(recorded(2, "n", saved("c d")))
        similarity.end_trial()
        similarity.take_back(1)
        assert similarity.same("", form("c d")) == ("n",)
