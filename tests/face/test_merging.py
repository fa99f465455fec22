"""Merging and folding: nothing said is lost, counts stay true, and it can be taken back."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from bdd import START, Clock, day

import muniment
from muniment import Conflict, Invalid, Merged, MergeRejected, Muniment, NotFound, Refused
from muniment.commands.fold_twins import FoldTwins

RACK, RELAY = "Rack 12 is full.", "The Tessera relay listens on port 4100."
BOTH = "Rack 12 is full, and the Tessera relay listens on port 4100."
LIFT = "The lift in Lisbon stops at noon."
ALL = f"{BOTH} {LIFT}"


def two(m: Muniment, **fields: Any) -> tuple[str, str]:
    return m.save(RACK, **fields).id, m.save(RELAY, **fields).id


def found(m: Muniment, **how: Any) -> set[str]:
    return {hit.memory.id for hit in m.search(limit=200, **how).hits}


def names(m: Muniment) -> list[str]:
    return [entry.name for entry in m.log()]


def count(m: Muniment, id_: str) -> int:
    return m.get(id_).reinforcement_count


def folding(m: Muniment, *ids: str) -> tuple[str, ...]:
    """Folds what was found to repeat before."""
    engine, acting = m._engine, m._identity  # pyright: ignore[reportPrivateUsage]
    return engine.run(FoldTwins.of(ids=ids), acting)


class TestMerge:
    def test_the_result_replaces_its_sources_in_recall(self, m: Muniment, clock: Clock) -> None:
        rack = m.save(RACK, category="infra", tags=["rack"], importance=0.4, trust=1).id
        clock.advance(days=2)
        m.save(RACK, category="infra", trust=1)
        relay = m.save(RELAY, category="Infra", tags=["Rack", "relay"], importance=0.6).id
        clock.advance(days=1)
        answer = m.merge([rack, relay], BOTH)
        memory = answer.memory
        assert answer == Merged(memory.id, memory, (rack, relay))
        assert (memory.content, memory.category) == (BOTH, "infra")
        assert memory.tags == ("rack", "relay")
        assert (memory.importance, memory.trust) == (0.6, 1)
        assert (memory.created_at, memory.last_seen_at) == (START, day(2))
        assert (memory.reinforcement_count, memory.updated_at) == (3, day(3))
        assert memory.merged_from == (rack, relay)
        assert memory.source.type == "owner"
        assert memory == m.get(answer.id)
        assert found(m) == {answer.id}
        assert found(m, query="Tessera") == {answer.id}
        for source in map(m.get, (rack, relay)):
            assert (source.state, source.merged_into) == ("archived", answer.id)
            assert source.archive_reason == f"merged into {answer.id}"
        assert found(m, query="Tessera", include_archived=True) == {relay, answer.id}

    def test_it_is_one_append_the_result_first(self, m: Muniment) -> None:
        sources = two(m)
        answer = m.merge(sources, BOTH)
        made = list(m.log(after=2))
        assert [entry.name for entry in made] == ["memory.merged", *["memory.archived"] * 2]
        assert [entry.stream for entry in made] == [answer.id, *sources]
        assert len({entry.command_id for entry in made}) == 1

    def test_what_was_said_is_said_of_the_result_from_then_on(self, m: Muniment) -> None:
        answer = m.merge(two(m), BOTH)
        assert m.save(BOTH).id == answer.id
        assert count(m, answer.id) == 3

    def test_what_is_given_wins_over_what_would_follow(self, m: Muniment) -> None:
        sources = two(m, category="infra", tags=["a"], importance=0.9)
        memory = m.merge(sources, BOTH, category="rooms", tags=["b"], importance=0.2).memory
        assert (memory.category, memory.tags, memory.importance) == ("rooms", ("b",), 0.2)

    def test_subject_times_widen_and_other_metadata_ends_with_the_sources(
        self, m: Muniment
    ) -> None:
        rack = m.save(RACK, metadata={"subjectTime": "2018", "k": "v"}).id
        relay = m.save(RELAY, metadata={"subjectTime": "2018-04-02"}).id
        memory = m.merge([rack, relay], BOTH).memory
        assert memory.metadata == {"subjectTime": "2018-04-02"}
        since = {"subjectTimeStart": "1997", "subjectTimeEnd": "2002"}
        lift = m.save(LIFT, metadata=since).id
        widened = m.merge([memory.id, lift], ALL).memory.metadata
        assert widened == {"subjectTimeStart": "1997", "subjectTimeEnd": "2018-04-02"}

    def test_sources_may_be_named_by_the_ends_of_their_ids(self, m: Muniment) -> None:
        rack, relay = two(m)
        assert m.merge([rack[-12:], relay.upper()], BOTH).sources == (rack, relay)


class TestSourcesNamedWrongly:
    def refused(self, m: Muniment, ids: Sequence[str], *, space: str | None = None) -> Any:
        before = m.stats().head
        with pytest.raises((Invalid, Conflict, NotFound, Refused)) as caught:
            m.acting_as("manual", space).merge(ids, BOTH)
        assert m.stats().head == before
        return type(caught.value), caught.value.code

    def test_a_source_that_is_named_twice_counts_once(self, m: Muniment) -> None:
        rack, relay = two(m)
        m.save(RACK)
        answer = m.merge([rack, rack, relay, rack[-12:]], BOTH)
        assert answer.sources == (rack, relay)
        assert count(m, answer.id) == 3

    def test_one_alone_or_none_is_refused(self, m: Muniment) -> None:
        rack, _ = two(m)
        for ids in ([], [rack], [rack, rack], [rack, rack[-12:]]):
            assert self.refused(m, ids) == (Invalid, "merge_needs_two")

    def test_more_than_20_are_refused(self, m: Muniment) -> None:
        ids = [m.save(f"Rack {number} is full.").id for number in range(21)]
        assert self.refused(m, ids) == (Invalid, "merge_too_many")
        text = f"Racks {', '.join(map(str, range(20)))} are full: every Rack is."
        assert count(m, m.merge(ids[:20], text).id) == 20

    def test_an_archived_source_is_a_conflict_and_nothing_else_is_archived(
        self, m: Muniment
    ) -> None:
        rack, relay = two(m)
        m.archive(relay, "stale")
        assert self.refused(m, [rack, relay]) == (Conflict, "source_not_live")
        assert m.get(rack).state == "live"

    def test_a_quarantined_or_superseded_source_is_one_too(self, m: Muniment) -> None:
        rack, relay = two(m)
        lift = m.save(LIFT).id
        m.quarantine(relay, "doubtful")
        m.supersede(rack, lift)
        for other in (rack, relay):
            assert self.refused(m, [lift, other]) == (Conflict, "source_not_live")

    def test_a_purged_source_is_not_found(self, m: Muniment, clock: Clock) -> None:
        rack, relay = two(m)
        m.archive(rack, "stale")
        clock.advance(days=91)
        assert m.purge().purged == [rack]
        assert self.refused(m, [rack, relay]) == (NotFound, "purged")

    def test_an_unknown_one_or_one_of_another_space_is_not_found(self, m: Muniment) -> None:
        rack, relay = two(m)
        unknown = "01980000-0000-7000-8000-000000000000"
        assert self.refused(m, [rack, unknown]) == (NotFound, "not_found")
        elsewhere = m.acting_as("manual", "other").save(LIFT).id
        assert self.refused(m, [rack, elsewhere]) == (NotFound, "not_found")
        assert self.refused(m, [rack, relay], space="other") == (NotFound, "not_found")

    def test_a_source_that_was_merged_meanwhile_is_a_conflict(self, m: Muniment) -> None:
        rack, relay = two(m)
        lift = m.save(LIFT).id
        m.merge([rack, relay], BOTH)
        assert self.refused(m, [rack, lift]) == (Conflict, "source_not_live")
        assert m.get(lift).state == "live"

    def test_a_pinned_source_takes_the_owner(self, m: Muniment) -> None:
        rack, relay = two(m)
        m.pin(rack)
        with pytest.raises(Refused) as caught:
            m.acting_as("bot:main").merge([rack, relay], BOTH)
        assert caught.value.code == "pinned"
        assert not m.merge([rack, relay], BOTH).memory.pinned


COVERED = [
    (
        ["Priya's Kestrel Print Workshop opens soon"],
        "The Kestrel Print Workshop run by Priya opens soon",
    ),
    (
        ["A Blue Heron concert at Dock Hall on October 7, 2027."],
        "A Blue Heron concert at Dock Hall on 2027-10-07.",
    ),
    (
        [
            "Todo rows are not editable. Archiving a row needs the key.",
            "The agent keeps archiving finished rows.",
        ],
        "Todo rows are not editable; a row to archive needs the key. The agent archives old rows.",
    ),
    (["Check the best 4 options"], "Check the best four options"),
]
LOST = [
    (["The filing is due on the 17th, in 2027"], "The filing is due soon", {"17", "2027"}),
    (
        ["The gallery moved to New Haven last autumn."],
        "The gallery moved to Haven last autumn.",
        {"New"},
    ),
    (
        ["Quillmark built the Tessera booth for the Lisbon fair."],
        "The booth was built for a fair.",
        {"Lisbon", "Quillmark", "Tessera"},
    ),
    (["SMTP relay is set for the bot account."], "Relay is set for the bot account.", {"SMTP"}),
    (
        ["The lease was signed in March 2027."],
        "The lease was signed on 2026-03-09.",
        {"2027", "March"},
    ),
]
PLAIN = "the kettle is in the kitchen"


class TestCoverage:
    def sources(self, m: Muniment, texts: Sequence[str]) -> list[str]:
        return [m.save(text).id for text in [*texts, *[PLAIN] * (len(texts) < 2)]]

    @pytest.mark.parametrize(("texts", "merged"), COVERED)
    def test_what_keeps_every_specific_is_merged(
        self, m: Muniment, texts: list[str], merged: str
    ) -> None:
        sources = self.sources(m, texts)
        answer = m.merge(sources, f"{merged}; {PLAIN}" if len(texts) < 2 else merged)
        assert found(m) == {answer.id}

    @pytest.mark.parametrize(("texts", "merged", "lost"), LOST)
    def test_what_loses_one_is_refused_and_says_which(
        self, m: Muniment, texts: list[str], merged: str, lost: set[str]
    ) -> None:
        sources = self.sources(m, texts)
        with pytest.raises(MergeRejected) as caught:
            m.merge(sources, f"{merged} {PLAIN}.")
        assert lost <= set(caught.value.missing)
        assert (caught.value.code, caught.value.field) == ("merge_rejected", "content")
        assert found(m) == set(sources)

    def test_a_refusal_stamps_each_source_and_changes_nothing_else(self, m: Muniment) -> None:
        sources = two(m)
        before = [m.get(id_) for id_ in sources]
        with pytest.raises(MergeRejected) as caught:
            m.merge(sources, RACK)
        assert set(caught.value.missing) >= {"4100", "Tessera"}
        stamps = [m.history(id_)[-1] for id_ in sources]
        assert [stamp.name for stamp in stamps] == ["memory.merge_rejected"] * 2
        assert {stamp.data["cluster"] for stamp in stamps} == {stamps[0].data["cluster"]}
        assert {stamp.data["sources"] for stamp in stamps} == {sources}
        lost: list[tuple[str, ...]] = [stamp.data["missing"] for stamp in stamps]
        assert {word for own in lost for word in own} == set(caught.value.missing)
        assert stamps[0].data["missing_count"] == len(caught.value.missing)
        assert "Tessera" in " ".join(stamp.summary for stamp in stamps)
        for own, was in zip(lost, before, strict=True):
            assert all(word in (was.content or "") for word in own)
        for memory, was in zip(map(m.get, sources), before, strict=True):
            assert (memory.state, memory.content) == ("live", was.content)
            assert (memory.updated_at, memory.reinforcement_count) == (was.updated_at, 1)
            assert memory.version == was.version + 1
        assert m.merge(sources, BOTH).sources == sources

    def test_what_is_missing_is_encrypted_and_how_much_is_a_fact(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path / "log") as m:
            sources = two(m)
            with pytest.raises(MergeRejected) as caught:
                m.merge(sources, RACK)
        raw = sqlite3.connect(tmp_path / "log" / "log.db")
        rows = raw.execute(
            "SELECT facts, payload FROM events WHERE name = 'memory.merge_rejected'"
        ).fetchall()
        raw.close()
        assert len(rows) == 2
        for facts, payload in rows:
            assert json.loads(facts)["missing_count"] == len(caught.value.missing)
            assert b"Tessera" not in facts + payload

    def test_the_same_set_is_recognised_when_it_is_refused_again(self, m: Muniment) -> None:
        sources = two(m)
        for ids in (sources, reversed(sources)):
            with pytest.raises(MergeRejected):
                m.merge(ids, RACK)
        clusters = [
            entry.data["cluster"] for entry in m.log() if entry.name == "memory.merge_rejected"
        ]
        assert len(clusters) == 4
        assert len(set(clusters)) == 1


class TestInput:
    @pytest.mark.parametrize(
        ("ids", "said", "field"),
        [
            (5, {}, "ids"),
            ([5, 6], {}, "ids"),
            (["x", "y"], {}, "id"),
            (["f" * 12] * 101, {}, "ids"),
            (None, {"content": "\u200b"}, "content"),
            (None, {"content": "a\x00"}, "content"),
            (None, {"content": "x" * 70_000}, "content"),
            (None, {"category": "../x"}, "category"),
            (None, {"importance": 1.01}, "importance"),
            (None, {"importance": float("nan")}, "importance"),
            (None, {"tags": [str(number) for number in range(33)]}, "tags"),
        ],
    )
    def test_what_breaks_a_rule_is_named_and_nothing_is_appended(
        self, m: Muniment, ids: Any, said: dict[str, Any], field: str
    ) -> None:
        sources = two(m)
        given: dict[str, Any] = {"content": BOTH, **said}
        with pytest.raises(Invalid) as caught:
            m.merge(ids or sources, **given)
        assert (caught.value.field or "").partition(".")[0] == field
        assert m.stats().head == 2
        assert m.merge(sources, BOTH).sources == sources


class TestRetries:
    def test_an_accepted_merge_happens_once_and_is_answered_alike(self, m: Muniment) -> None:
        sources = two(m)
        first = m.merge(sources, BOTH, idempotency_key="k")
        head = m.stats().head
        assert m.merge(sources, BOTH, idempotency_key="k") == first
        assert m.stats().head == head

    def test_a_refused_merge_leaves_one_set_of_stamps_and_is_answered_alike(
        self, m: Muniment
    ) -> None:
        sources = two(m)
        said: list[tuple[str, tuple[str, ...]]] = []
        for _ in range(3):
            with pytest.raises(MergeRejected) as caught:
                m.merge(sources, RACK, idempotency_key="k")
            said.append((caught.value.message, caught.value.missing))
        assert len(set(said)) == 1
        assert names(m).count("memory.merge_rejected") == 2
        with pytest.raises(Conflict) as reused:
            m.merge(sources, BOTH, idempotency_key="k")
        assert reused.value.code == "idempotency_key_reused"

    def test_a_retry_is_answered_though_the_result_has_moved_since(self, m: Muniment) -> None:
        sources = two(m)
        first = m.merge(sources, BOTH, idempotency_key="k")
        m.archive(first.id, "stale")
        again = m.merge(sources, BOTH, idempotency_key="k")
        assert (again.id, again.sources) == (first.id, sources)
        assert again.memory == m.get(first.id)


class TestRestoringASource:
    def test_its_count_is_taken_out_of_the_result_and_the_caller_is_warned(
        self, m: Muniment
    ) -> None:
        rack, relay = two(m)
        m.save(RACK)
        answer = m.merge([rack, relay], BOTH)
        restored = m.restore(rack)
        assert restored.memory.state == "live"
        assert restored.memory.merged_into is None
        assert restored.warnings == (
            f"live_merge_source: {answer.id}, which it was merged into, says it too",
        )
        assert (count(m, answer.id), count(m, rack)) == (1, 2)
        assert m.history(answer.id)[-1].data == {"restored": rack, "count": 2}
        assert names(m)[-2:] == ["memory.restored", "memory.merge_retracted"]
        assert m.restore(rack).warnings == ("already_live: it was in recall all along",)
        assert count(m, answer.id) == 1

    def test_it_is_taken_out_along_the_whole_chain(self, m: Muniment) -> None:
        rack, relay = two(m)
        m.save(RACK)
        m.save(RACK)
        first = m.merge([rack, relay], BOTH).id
        lift = m.save(LIFT).id
        last = m.merge([first, lift], ALL).id
        assert (count(m, first), count(m, last)) == (4, 5)
        restored = m.restore(rack)
        assert (count(m, first), count(m, last)) == (1, 2)
        assert f"live_merge_source: {last}" in restored.warnings[0]

    def test_of_a_result_in_the_chain_what_it_still_holds_is_taken_out(self, m: Muniment) -> None:
        rack, relay = two(m)
        m.save(RACK)
        first = m.merge([rack, relay], BOTH).id
        last = m.merge([first, m.save(LIFT).id], ALL).id
        m.restore(first)
        assert count(m, last) == 1
        m.restore(rack)
        assert (count(m, first), count(m, last)) == (1, 1)

    def test_a_result_that_is_archived_itself_is_no_cause_for_a_warning(self, m: Muniment) -> None:
        rack, relay = two(m)
        answer = m.merge([rack, relay], BOTH)
        m.archive(answer.id, "wrong")
        assert m.restore(rack).warnings == ()
        assert count(m, answer.id) == 1

    def test_a_purged_result_is_left_alone(self, m: Muniment, clock: Clock) -> None:
        rack, relay = two(m, importance=0.9)
        answer = m.merge([rack, relay], BOTH, importance=0.1)
        m.archive(answer.id, "wrong")
        clock.advance(days=91)
        assert m.purge().purged == [answer.id]
        restored = m.restore(rack)
        assert (restored.memory.state, restored.warnings) == ("live", ())
        assert [entry.name for entry in m.history(answer.id)][-1] == "memory.purged"


class TestFold:
    def twins(self, m: Muniment, *texts: str, **fields: Any) -> list[str]:
        """Memories that became alike by being rewritten, so that no save has joined them."""
        ids = [m.save(f"x{number}", **fields).id for number in range(len(texts))]
        for id_, text in zip(ids, texts, strict=True):
            m.revise(id_, text)
        return ids

    def test_three_alike_become_the_oldest(self, m: Muniment, clock: Clock) -> None:
        ids: list[str] = []
        for number in range(3):
            ids.append(m.save(f"x{number}", category="Proj/Infra").id)
            clock.advance(days=9)
        for id_ in reversed(ids):
            m.revise(id_, RACK)
        written = m.get(ids[0]).updated_at
        assert m.fold() == ids[1:]
        kept = m.get(ids[0])
        assert (kept.reinforcement_count, kept.content) == (3, RACK)
        assert (kept.created_at, kept.last_seen_at) == (START, day(18))
        assert kept.updated_at == written
        assert kept.merged_from == ()
        assert found(m) == {ids[0]}
        for copy in map(m.get, ids[1:]):
            assert (copy.state, copy.merged_into) == ("archived", ids[0])
            assert copy.archive_reason == f"folded into {ids[0]}"
        head = m.stats().head
        assert m.fold() == []
        assert m.stats().head == head

    def test_the_category_s_case_and_white_space_fold_and_letters_case_does_not(
        self, m: Muniment
    ) -> None:
        one = m.save("x1", category="Proj/Infra").id
        other = m.save("x2", category="proj/infra").id
        elsewhere = m.save("x3", category="proj").id
        cased = m.save("x4", category="proj/infra").id
        for id_, text in [
            (one, RACK),
            (other, "Rack  12\nis full."),
            (elsewhere, RACK),
            (cased, RACK.upper()),
        ]:
            m.revise(id_, text)
        assert m.fold() == [other]
        assert found(m) == {one, elsewhere, cased}

    def test_of_a_cycle_of_copies_exactly_one_is_left(self, m: Muniment) -> None:
        ids = self.twins(m, *[RACK] * 6)
        assert sorted(m.fold()) == sorted(ids[1:])
        assert count(m, ids[0]) == 6

    def test_a_pinned_copy_survives_and_two_stay_both(self, m: Muniment) -> None:
        first, second, third = self.twins(m, *[RACK] * 3)
        m.pin(third)
        m.pin(second)
        assert m.fold() == [first]
        assert found(m) == {second, third}
        assert m.fold() == []

    def test_episodes_and_what_is_held_are_left(self, m: Muniment) -> None:
        first, held = self.twins(m, RACK, RACK)
        m.hold(held, "a suit")
        for _ in range(2):
            m.save("The lift stopped.", store="episodic")
        assert m.fold() == []
        m.release_hold(held)
        assert m.fold() == [held]
        assert m.get(first).state == "live"

    def test_what_moved_since_it_was_found_is_left_and_the_others_fold(self, m: Muniment) -> None:
        ids = self.twins(m, *[RACK] * 4)
        m.archive(ids[0], "stale")
        m.revise(ids[3], RELAY)
        assert folding(m, *ids, ids[1][-12:]) == (ids[2],)
        assert [m.get(id_).state for id_ in ids] == ["archived", "live", "archived", "live"]
        assert count(m, ids[1]) == 2
        assert folding(m, *ids, ids[1][-12:]) == ()

    def test_each_space_is_folded_by_itself(self, m: Muniment) -> None:
        here = self.twins(m, RACK, RACK)
        there = m.acting_as("manual", "other")
        others = self.twins(there, RACK, RACK)
        assert m.fold() == here[1:]
        assert found(there) == set(others)

    def test_a_restored_copy_takes_its_count_back(self, m: Muniment) -> None:
        first, second, third = self.twins(m, *[RACK] * 3)
        m.fold()
        restored = m.restore(second)
        assert count(m, first) == 2
        assert f"live_merge_source: {first}" in restored.warnings[0]
        relay = m.save(RELAY).id
        answer = m.merge([first, relay], BOTH)
        assert count(m, answer.id) == 3
        m.restore(third)
        assert (count(m, first), count(m, answer.id)) == (1, 2)

    def test_a_fold_is_no_link_of_a_chain_of_merges(self, m: Muniment) -> None:
        first, _ = self.twins(m, RACK, RACK)
        m.fold()
        answer = m.merge([first, m.save(RELAY).id], BOTH)
        assert m.get(first).merged_from == ()
        assert answer.memory.reinforcement_count == 3


class TestSupersede:
    def test_the_loser_leaves_recall_and_can_come_back(self, m: Muniment) -> None:
        old = m.save("Deploys run on Tuesdays.").id
        new = m.save("Deploys run on Thursdays.").id
        memory = m.supersede(old, new)
        assert memory.state == "superseded"
        assert memory.superseded_by == new
        assert m.supersede(old, new) == memory
        assert found(m) == {new}
        assert found(m, query="deploys", include_archived=True) == {old, new}
        restored = m.restore(old)
        assert (restored.memory.state, restored.memory.superseded_by) == ("live", None)
        assert restored.warnings == ()
        assert found(m) == {old, new}

    def test_what_is_said_again_is_no_repetition_of_what_was_superseded(self, m: Muniment) -> None:
        old = m.save(RACK).id
        m.supersede(old, m.save(RELAY).id)
        assert m.save(RACK).outcome == "created"

    def test_it_stays_in_its_space(self, m: Muniment) -> None:
        old, new = m.save(RACK).id, m.acting_as("manual", "other").save(RELAY).id
        with pytest.raises(NotFound):
            m.supersede(old, new)


def test_a_page_does_not_count_once_more_for_having_been_merged(m: Muniment) -> None:
    page = {"type": "web", "ref": "https://example.org/a"}
    one = m.save("The Quillmark feed sits on Drive North.", source=page)
    other = m.save("Berg GmbH hosts the Quillmark feed.", source=page)
    text = "Berg GmbH hosts the Quillmark feed, which sits on Drive North."
    merged = m.merge([one.id, other.id], text)
    again = m.save(text, source=page)
    assert (again.id, again.outcome, again.counted) == (merged.id, "reinforced", False)
    assert m.get(merged.id).reinforcement_count == 2
