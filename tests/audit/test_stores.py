"""Audits of real stores: what they record, and that they stay right whatever is broken."""
# pyright: reportPrivateUsage=false

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import independent
import numpy as np
import pytest
from bdd import START, Clock
from commotion import commotion
from log_backends import SOAK
from loopback import Loopback

import muniment
from muniment import Conflict, Invalid, Muniment, NotFound, Refused, StorageFailed
from muniment.audit.reader import Reader
from muniment.projections.catalog import Catalog
from muniment.projections.search_index import SearchIndex

Row = dict[str, Any]


def _directory(m: Muniment) -> Path:
    directory = m._engine.directory
    assert directory is not None
    return directory


def failing(row: Row) -> set[str]:
    return {one["name"] for one in row["invariants"]}


def fill(m: Muniment, count: int, *, about: str = "Crane") -> list[str]:
    """Saves so many facts that have nothing to do with each other."""
    return [
        saved.id
        for saved in m.save_many(
            [
                {"content": f"{about} {number} stands at berth {number * 7}", "store": "episodic"}
                for number in range(count)
            ]
        )
    ]


class TestARun:
    def test_it_is_one_event_of_numbers_ids_and_names(self, m: Muniment) -> None:
        m.save("User is in Chicago", category="people/anna")
        row = m.audit.run()
        (entry,) = m.log(name="audit.completed")
        assert entry.position == row["position"] + 1 == 2
        with sqlite3.connect(_directory(m) / "log.db") as log:
            facts, payload = log.execute(
                "SELECT facts, payload FROM events WHERE name = 'audit.completed'"
            ).fetchone()
        log.close()
        assert payload is None
        assert b"anna" not in facts
        assert b"Chicago" not in facts

    def test_what_was_run_is_read_back_as_the_same_row(self, m: Muniment, clock: Clock) -> None:
        m.audit.run()
        clock.advance(days=1)
        m.save("User is in Chicago", category="people/anna")
        row = m.audit.run()
        assert row["topCategoriesByGrowth"][0]["category"] == "people/anna"
        assert m.audit.latest() == row
        assert m.audit.trend(30)[-1] == row
        with muniment.open(_directory(m), clock=clock, read_only=True) as later:
            assert later.audit.latest() == row

    def test_it_is_of_its_own_space(self, m: Muniment) -> None:
        m.save("User is in Chicago")
        other = m.acting_as("manual", "other")
        fill(other, 3)
        assert (m.audit.run()["live"], other.audit.run()["live"]) == (1, 3)
        assert m.audit.latest() != other.audit.latest()

    def test_a_store_for_reading_alone_is_not_audited(self, m: Muniment) -> None:
        m.save("User is in Chicago")
        with (
            muniment.open(_directory(m), read_only=True) as reading,
            pytest.raises(StorageFailed) as refused,
        ):
            reading.audit.run()
        assert refused.value.code == "read_only"

    def test_a_store_in_memory_is(self, clock: Clock) -> None:
        with muniment.open(":memory:", clock=clock) as m:
            fill(m, 3)
            m.audit.run()
            clock.advance(days=1)
            assert m.audit.run()["createdSinceLast"] == 0
            assert m.audit.report() is not None

    def test_one_that_another_overtook_is_not_recorded(
        self, m: Muniment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m.save("User is in Chicago")
        auditing = m._engine.auditing
        measure = auditing.measure

        def overtaken(*given: Any, **named: Any) -> Any:
            monkeypatch.undo()
            m.audit.run()
            return measure(*given, **named)

        monkeypatch.setattr(auditing, "measure", overtaken)
        with pytest.raises(Conflict) as refused:
            m.audit.run()
        assert refused.value.code == "version_conflict"
        assert len(m.audit.trend(1)) == 1
        assert m.audit.run()["status"] == "healthy"

    def test_before_the_first_there_is_nothing(self, m: Muniment) -> None:
        assert (m.audit.latest(), m.audit.report(), m.inbox()) == (None, None, [])

    def test_a_purged_memory_leaves_no_category_behind(self, m: Muniment, clock: Clock) -> None:
        m.audit.run()
        clock.advance(days=1)
        id_ = m.save("Anna is ill", category="people/anna").id
        m.audit.run()
        reports = _directory(m) / "audit"
        assert "anna" in (reports / "latest.md").read_text(encoding="utf-8")
        m.archive(id_, "stale")
        clock.advance(days=91)
        assert m.purge().purged == [id_]
        assert all("anna" not in path.read_text(encoding="utf-8") for path in reports.iterdir())
        assert "anna" not in json.dumps(m.audit.trend(400))
        assert m.audit.run()["purgedSinceLast"] == 1
        assert "anna" not in (reports / "latest.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(8 * SOAK))
def test_at_a_moment_gives_the_row_that_a_run_wrote_then(seed: int, tmp_path: Path) -> None:
    made = commotion(seed, tmp_path)
    with made.m as m:
        rows: list[Row] = []
        for _ in range(4):
            made.happen(15)
            made.clock.advance(hours=made.random.choice([1, 30, 90]))
            rows.append(m.audit.run())
        made.happen(10)
        for number, row in enumerate(rows):
            later = [*rows[number + 1 :], m.audit.run()]
            was_purged = any(one["purgedSinceLast"] + one["erasedSinceLast"] for one in later)
            kept = row.keys() - (_OF_WORDS if was_purged else set())
            then = m.audit.at(row["position"])
            assert {name: then[name] for name in kept} == {name: row[name] for name in kept}
        rows = m.audit.trend(400)
        (_directory(m) / "state" / "audit.db").unlink()
    with muniment.open(tmp_path, clock=made.clock) as m:
        assert m.audit.trend(400) == rows
        again = m.audit.run()
        assert m.audit.at(again["position"]) == again


_OF_WORDS = {"nearDupPairs", "nearDupEntries", "topCategoriesByGrowth", "emptyCategoryDirs"}


def test_a_lost_ledger_costs_no_count(m: Muniment, clock: Clock) -> None:
    ids = fill(m, 20)
    m.audit.run()
    m.archive(ids[0], "stale")
    clock.advance(days=1)
    directory = _directory(m)
    m.close()
    (directory / "state" / "audit.db").unlink()
    with muniment.open(directory, clock=clock) as later:
        row = later.audit.run()
    assert (row["archivedSinceLast"], row["createdSinceLast"], row["status"]) == (1, 0, "healthy")


def test_a_ledger_that_is_no_database_is_begun_anew(m: Muniment, clock: Clock) -> None:
    fill(m, 5)
    m.audit.run()
    directory = _directory(m)
    m.close()
    (directory / "state" / "audit.db").write_bytes(b"nonsense" * 1_000)
    with muniment.open(directory, clock=clock) as later:
        assert later.audit.run()["status"] == "healthy"


class TestAHandOnTheLog:
    @pytest.fixture
    def ids(self, m: Muniment, clock: Clock) -> list[str]:
        ids = fill(m, 30)
        m.audit.run()
        clock.advance(days=1)
        return ids

    def _edit(self, m: Muniment, *statements: tuple[str, tuple[object, ...]]) -> Row:
        """The run after somebody edited the log while nobody had it open."""
        directory, clock = _directory(m), m._engine.clock
        m.close()
        independent.tamper(directory, *statements)
        with muniment.open(directory, clock=clock) as later:
            return later.audit.run()

    def test_a_deleted_row_is_named_and_the_log_not_intact(
        self, m: Muniment, ids: list[str]
    ) -> None:
        row = self._edit(m, ("DELETE FROM events WHERE stream = ?", (ids[4],)))
        assert failing(row) == {"no-hard-delete-outside-purge", "log-intact"}
        assert row["invariants"][0]["ids"] == [ids[4]]
        assert (row["live"], row["hardDeletedSinceLast"], row["hardDeletedOutsidePurge"]) == (
            29,
            1,
            1,
        )

    def test_many_deleted_rows_are_a_loss(self, m: Muniment, ids: list[str]) -> None:
        row = self._edit(m, ("DELETE FROM events WHERE position BETWEEN 3 AND 8", ()))
        assert failing(row) == {
            "no-hard-delete-outside-purge",
            "loss-percent-threshold",
            "log-intact",
        }
        assert set(row["invariants"][0]["ids"]) == set(ids[2:8])

    def test_a_tail_that_was_cut_off_is_named(self, m: Muniment, ids: list[str]) -> None:
        row = self._edit(m, ("DELETE FROM events WHERE position > 28", ()))
        assert {"no-hard-delete-outside-purge", "log-intact"} <= failing(row)
        assert set(row["invariants"][0]["ids"]) == set(ids[28:])
        assert (row["previousPosition"], row["position"]) == (30, 28)

    def test_a_cut_that_takes_the_audit_alone_is_seen(self, m: Muniment, ids: list[str]) -> None:
        assert len(ids) == 30
        row = self._edit(m, ("DELETE FROM events WHERE position > 30", ()))
        assert failing(row) == {"log-intact"}
        assert row["live"] == 30

    def test_an_older_copy_of_the_log_is_seen(
        self, m: Muniment, clock: Clock, tmp_path: Path, ids: list[str]
    ) -> None:
        m.backup(tmp_path / "copy")
        late = m.save("What came after the backup").id
        m.audit.run()
        directory = _directory(m)
        assert directory is not None
        m.close()
        (directory / "log.db").write_bytes((tmp_path / "copy" / "log.db").read_bytes())
        clock.advance(days=1)
        with muniment.open(directory, clock=clock) as later:
            row = later.audit.run()
        assert failing(row) == {"no-hard-delete-outside-purge", "log-intact"}
        assert (row["invariants"][0]["ids"], row["live"]) == ([late], len(ids))

    def test_altered_words_are_told_and_not_counted(self, m: Muniment, ids: list[str]) -> None:
        row = self._edit(
            m, ("UPDATE events SET payload = zeroblob(40) WHERE stream = ?", (ids[0],))
        )
        assert failing(row) == {"no-malformed-files", "log-intact"}
        assert (row["live"], row["malformedFiles"]) == (30, 1)

    def test_a_count_that_was_seen_before_is_seen_anew(self, m: Muniment, clock: Clock) -> None:
        said = "the harbour crane is inspected by two people every spring"
        both = [m.save(said, store="episodic").id for _ in range(2)]
        assert m.audit.run()["nearDupPairs"] == 1
        clock.advance(days=1)
        row = self._edit(m, ("DELETE FROM events WHERE stream = ?", (both[0],)))
        assert (row["nearDupPairs"], row["nearDupEntries"]) == (0, 0)

    def test_a_hand_on_it_while_it_is_open_is_seen_too(self, m: Muniment, ids: list[str]) -> None:
        independent.tamper(_directory(m), ("DELETE FROM events WHERE stream = ?", (ids[4],)))
        row = m.audit.run()
        assert {"no-hard-delete-outside-purge", "log-intact"} <= failing(row)
        assert (row["invariants"][0]["ids"], row["live"]) == ([ids[4]], 29)

    def test_a_cut_that_no_checkpoint_shows_is_seen(self, clock: Clock, tmp_path: Path) -> None:
        unsigned = {"log": {"checkpoint_events": 0, "checkpoint_minutes": 0}}
        with muniment.open(tmp_path, clock=clock, settings=unsigned) as m:
            fill(m, 30)
            m.audit.run()
            clock.advance(days=1)
        independent.tamper(tmp_path, ("DELETE FROM events WHERE position > 30", ()))
        with muniment.open(tmp_path, clock=clock, settings=unsigned) as m:
            assert m.verify().intact
            assert failing(m.audit.run()) == {"log-intact"}


def test_pins_on_the_words_of_a_user_are_no_damage(m: Muniment) -> None:
    id_ = m.save("Anna is ill").id
    bot = m.acting_as("bot:main")
    bot.pin(id_, trigger="never forget this")
    bot.unpin(id_, trigger="that may go")
    row = m.audit.run()
    assert (row["malformedFiles"], row["status"]) == (0, "healthy")


def test_what_was_purged_since_is_no_fault_of_then(m: Muniment, clock: Clock) -> None:
    id_ = m.save("Anna is ill", category="people/anna").id
    row = m.audit.run()
    m.archive(id_, "stale")
    clock.advance(days=91)
    m.purge()
    then = m.audit.at(row["position"])
    assert (then["live"], then["malformedFiles"], then["status"]) == (1, 0, "healthy")


def _wrong_catalog(m: Muniment) -> None:
    catalog = m._engine.models.catalog("default")
    catalog._condition.set(0, 1)


def _empty_index(m: Muniment) -> None:
    models = m._engine.models
    models.search_index("default")
    models._loaded["default"][SearchIndex].projection = SearchIndex()


def _broken_index(m: Muniment) -> None:
    m._engine.models.search_index("default")._documents._tallies.clear()


def _broken_catalog(m: Muniment) -> None:
    models = m._engine.models
    models.catalog("default")
    models._loaded["default"][Catalog].projection.ids = []  # type: ignore[attr-defined]


@pytest.mark.parametrize("break_it", [_wrong_catalog, _empty_index, _broken_index, _broken_catalog])
def test_a_broken_read_model_moves_no_count(
    break_it: Callable[[Muniment], None], m: Muniment, clock: Clock
) -> None:
    fill(m, 10)
    said = "the harbour crane is inspected by two people every spring"
    for _ in range(2):
        m.save(said, store="episodic")
    before = m.audit.run()
    clock.advance(days=1)
    break_it(m)
    row = m.audit.run()
    assert failing(row) == {"read-model-agrees"}
    same = ("live", "archived", "nearDupPairs", "nearDupEntries", "hardDeletedSinceLast")
    assert {name: row[name] for name in same} == {name: before[name] for name in same}
    m.rebuild()
    assert m.audit.run()["status"] == "healthy"


def test_broken_vectors_move_no_count(clock: Clock, tmp_path: Path) -> None:
    with Loopback() as service:
        embedding = {"endpoint": service.url(), "model": "toy"}
        with muniment.open(tmp_path, clock=clock, settings={"embedding": embedding}) as m:
            for number in (1, 1):
                m.save(f"the crane {number} is inspected by two people each", store="episodic")
            assert m.embeddings is not None
            assert m.embeddings.drain(20)
            before = m.audit.run()
            assert before["embeddingDupClusters"] == 1
            clock.advance(days=1)
            index = m._engine.models.passages("default")._index
            assert index is not None
            index._matrix[:] = np.nan
            row = m.audit.run()
    assert row["embeddingDupClusters"] == 0
    assert (row["nearDupPairs"], row["live"], row["status"]) == (
        before["nearDupPairs"],
        2,
        "healthy",
    )


class TestTheTrendOfALogThatNobodyAudited:
    @pytest.fixture
    def three_days(self, m: Muniment, clock: Clock) -> list[str]:
        ids = fill(m, 2)
        clock.advance(days=1)
        ids += fill(m, 3, about="Lock")
        m.archive(ids[0], "stale")
        clock.advance(days=2)
        return ids

    def test_it_says_what_every_scheduled_audit_would_have(
        self, m: Muniment, three_days: list[str]
    ) -> None:
        rows = m.audit.trend(30)
        assert len(three_days) == 5
        assert [row["takenAt"][:13] for row in rows] == [
            "2026-03-04T04",
            "2026-03-05T04",
            "2026-03-06T04",
        ]
        assert [row["live"] for row in rows] == [2, 4, 4]
        assert [row["createdSinceLast"] for row in rows] == [0, 3, 0]
        assert [row.get("netGrowthPerDay") for row in rows] == [None, 2.0, 0.0]
        assert all(row["replayed"] for row in rows)
        assert m.stats().head == 6

    def test_a_window_changes_no_row_but_leaves_out_what_is_before(
        self, m: Muniment, three_days: list[str]
    ) -> None:
        assert three_days
        assert m.audit.trend(1.5) == m.audit.trend(30)[1:]

    def test_once_audited_it_is_what_was_recorded_unless_asked_otherwise(
        self, m: Muniment, three_days: list[str]
    ) -> None:
        assert three_days
        replayed = m.audit.trend(30)
        row = m.audit.run()
        assert m.audit.trend(30) == [row]
        assert m.audit.trend(30, replayed=True) == replayed

    def test_any_moment_and_any_position_has_a_row(
        self, m: Muniment, three_days: list[str]
    ) -> None:
        assert three_days
        assert m.audit.at(START)["live"] == 2
        assert m.audit.at(5)["live"] == 5
        assert m.audit.at("5") == m.audit.at(5)
        assert m.audit.at(START - timedelta(days=1))["position"] == 0
        assert m.audit.at("2026-03-04T13:00:00Z") == m.audit.at("2026-03-04T13:00:00Z")

    @pytest.mark.parametrize(
        ("when", "code"),
        [
            (0, "when_invalid"),
            (7, "when_invalid"),
            (2**70, "when_invalid"),
            (True, "when_invalid"),
            (None, "when_invalid"),
            ("yesterday", "timestamp_invalid"),
            (datetime(2026, 3, 3), "timezone_required"),  # noqa: DTZ001
        ],
    )
    def test_what_is_no_moment_is_refused(
        self, m: Muniment, three_days: list[str], when: Any, code: str
    ) -> None:
        assert three_days
        with pytest.raises(Invalid) as refused:
            m.audit.at(when)
        assert (refused.value.code, refused.value.field) == (code, "when")

    @pytest.mark.parametrize("days", [0, -1, "7", True, float("nan"), 10**6])
    def test_days_are_a_number_above_0(self, m: Muniment, days: Any) -> None:
        with pytest.raises(Invalid) as refused:
            m.audit.trend(days)
        assert refused.value.code == "days_invalid"


class TestWhatIsTold:
    def test_a_finding_comes_to_the_inbox_and_a_healthy_run_does_not(
        self, m: Muniment, clock: Clock
    ) -> None:
        m.audit.run()
        fill(m, 30)
        clock.advance(days=1)
        m.audit.run()
        (message,) = m.inbox()
        assert (message.kind, message.status, message.sent_at) == (
            "audit.alert",
            "warning",
            clock.now,
        )
        assert "net-growth-threshold" in message.text
        assert "30.0 a day" in message.text.replace("30 a day", "30.0 a day")
        assert m.inbox("another") == []

    def test_alerts_that_are_off_say_nothing(self, clock: Clock) -> None:
        off = {"audit": {"alert_on_attention": False}}
        with muniment.open(":memory:", clock=clock, settings=off) as m:
            m.audit.run()
            fill(m, 30)
            clock.advance(days=1)
            assert m.audit.run()["status"] == "warning"
            assert m.inbox() == []

    def test_a_digest_is_told_whatever_it_says(self, m: Muniment, clock: Clock) -> None:
        m.audit.digest()
        assert m.inbox() == []
        m.save("User is in Chicago")
        m.audit.run()
        clock.advance(hours=1)
        m.audit.digest()
        (message,) = m.inbox()
        assert (message.kind, message.sent_at) == ("audit.digest", clock.now)
        assert message.text == m.audit.report().report  # type: ignore[union-attr]


class TestTheBreaker:
    ON = {"audit": {"pause_consolidation_on_alert": True}}  # noqa: RUF012

    def _lose_half(self, m: Muniment, clock: Clock) -> Row:
        ids = fill(m, 10)
        m.audit.run()
        for id_ in ids[:5]:
            m.archive(id_, "stale")
        clock.advance(days=1)
        return m.audit.run()

    def test_a_loss_pauses_until_a_person_resumes(self, clock: Clock) -> None:
        with muniment.open(":memory:", clock=clock, settings=self.ON) as m:
            row = self._lose_half(m, clock)
            state = m.audit.consolidation
            assert (state.paused, state.because) == (True, ("loss-percent-threshold",))
            assert (state.since, state.snapshot_id) == (clock.now, row["snapshotId"])
            assert "Consolidation is paused" in m.inbox()[-1].text
            clock.advance(days=1)
            assert m.audit.run()["status"] == "healthy"
            assert m.audit.consolidation.paused
            for actor in ("system:dream", "subagent:scout"):
                with pytest.raises(Refused):
                    m.acting_as(actor).audit.resume_consolidation("it looks fine")
            assert not m.audit.resume_consolidation("they were mine to archive").paused
            assert not m.audit.consolidation.paused
            (entry,) = m.log(name="consolidation.resumed")
            assert (entry.actor, entry.data["reason"]) == ("manual", "they were mine to archive")

    def test_it_is_off_unless_it_is_put_on(self, m: Muniment, clock: Clock) -> None:
        assert self._lose_half(m, clock)["status"] == "alert"
        assert not m.audit.consolidation.paused
        before = m.stats().head
        m.audit.resume_consolidation("nothing to resume")
        assert m.stats().head == before

    def test_a_broken_merge_chain_does_not_pause(self, clock: Clock, tmp_path: Path) -> None:
        with muniment.open(tmp_path, clock=clock, settings=self.ON) as m:
            one, other, *_ = fill(m, 30)
            m.audit.run()
            clock.advance(days=1)
            m._engine.models.catalog("default")._condition.set(0, 1)
            assert (one != other, failing(m.audit.run())) == (True, {"read-model-agrees"})
            assert not m.audit.consolidation.paused

    def test_a_reason_is_required(self, m: Muniment) -> None:
        with pytest.raises(Invalid) as refused:
            m.audit.resume_consolidation("")
        assert refused.value.field == "reason"


class TestWhoMay:
    def test_a_service_audits_and_reads_nothing(self, m: Muniment) -> None:
        service = m.acting_as("system:audit")
        assert service.audit.run()["status"] == "healthy"
        with pytest.raises(Refused):
            service.audit.latest()

    @pytest.mark.parametrize("actor", ["manual", "bot:main"])
    def test_a_person_and_an_agent_audit_and_read(self, m: Muniment, actor: str) -> None:
        m.save("User is in Chicago")
        acting = m.acting_as(actor)
        assert acting.audit.run()["live"] == 1
        assert acting.audit.latest()

    def test_a_subagent_does_neither(self, m: Muniment) -> None:
        scout = m.acting_as("subagent:scout")
        calls: list[Callable[[], object]] = [
            scout.audit.run,
            scout.audit.latest,
            scout.audit.trend,
            scout.audit.report,
            scout.audit.digest,
            scout.audit.scheduler,
            scout.inbox,
            lambda: scout.audit.at(0),
            lambda: scout.audit.explain("log-intact"),
            lambda: scout.audit.consolidation,
        ]
        for call in calls:
            with pytest.raises(Refused) as refused:
                call()
            assert refused.value.code == "role_refused"


def test_a_finding_is_explained_by_its_name(m: Muniment) -> None:
    entry = m.audit.explain("chain-depth-threshold")
    assert entry.keys() == {"name", "severity", "title", "meaning", "whatToDo"}
    assert entry["severity"] == "warning"
    with pytest.raises(NotFound) as refused:
        m.audit.explain("no-such-thing")
    assert "chain-depth-threshold" in refused.value.message


def test_the_report_comes_with_its_findings_explained(m: Muniment, clock: Clock) -> None:
    m.audit.run()
    assert m.audit.report().findings is None  # type: ignore[union-attr]
    fill(m, 30)
    clock.advance(days=1)
    row = m.audit.run()
    answer = m.audit.report()
    assert answer is not None
    assert answer.row == row
    (finding,) = answer.findings or []
    assert finding["name"] == "net-growth-threshold"
    assert {"title", "meaning", "whatToDo", "severity", "message", "ids"} <= finding.keys()
    assert m._engine.auditing.reports("default").latest() == answer.report


def test_a_reader_takes_what_was_edited_for_no_run(m: Muniment, clock: Clock) -> None:
    m.save("User is in Chicago")
    m.audit.run()
    directory = _directory(m)
    m.close()
    edit = ("UPDATE events SET facts = ? WHERE name = 'audit.completed'", (b"{}",))
    independent.tamper(directory, edit)
    with muniment.open(directory, clock=clock) as later:
        assert isinstance(later._engine.auditing.reader, Reader)
        assert later.audit.latest() is None
        assert failing(later.audit.run()) == {"log-intact"}


def test_times_of_a_row_are_in_utc(tmp_path: Path) -> None:
    aware = datetime(2026, 3, 3, 12, tzinfo=UTC).astimezone()
    with muniment.open(tmp_path, clock=lambda: aware) as m:
        assert m.audit.run()["takenAt"] == "2026-03-03T12:00:00.000000Z"
