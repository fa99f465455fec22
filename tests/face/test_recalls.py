"""What was recalled is recorded, and `knew` tells it in the words of then."""

import json
import sqlite3
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from bdd import START, Clock
from kept_states import engine_of
from processes import run
from projection_answers import store_of

import muniment
from muniment import Invalid, Muniment, Refused, StorageFailed
from muniment.commands.purge_recalls import CompleteRecallPurge
from muniment.commands.record_recalls import RecordRecalls
from muniment.domain.identity import identity
from muniment.domain.recall import Asked, Recall, Recalled
from muniment.log.keys import Keys
from muniment.log.read_models import ReadModels
from muniment.log.writer import Writer
from muniment.queries.told import summary

FACT = "The relay at dock 7 listens on port 4100."


def recalls_of(m: Muniment) -> list[Any]:
    return [entry for entry in m.log() if entry.name == "session.recalled"]


def with_recall(**settings: Any) -> dict[str, Any]:
    return {"recall": settings}


class TestRecall:
    def test_it_finds_what_search_finds(self, m: Muniment) -> None:
        m.save(FACT)
        assert m.recall("relay", session="s") == m.search("relay")

    def test_a_search_is_not_recorded(self, m: Muniment) -> None:
        m.save(FACT)
        m.search("relay")
        assert m.knew("manual", 1).known == ()
        assert recalls_of(m) == []

    def test_recalls_of_a_session_are_recorded_together(self, clock: Clock) -> None:
        with muniment.open(":memory:", clock=clock, settings=with_recall(batch=3)) as m:
            id_ = m.save(FACT).id
            for _ in range(2):
                m.recall("relay", session="s")
            assert recalls_of(m) == []
            m.recall("dock", session="s")
            (entry,) = recalls_of(m)
            assert entry.data["session"] == "s"
            assert entry.data["queries"] == ("relay", "relay", "dock")
            assert [one.memories for one in entry.data["recalls"]] == [(id_,)] * 3

    def test_synchronous_is_recorded_before_the_answer(self, clock: Clock) -> None:
        settings = with_recall(mode="synchronous")
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            m.recall("relay", session="s")
            assert len(recalls_of(m)) == 1

    def test_off_records_nothing_and_knew_says_so(self, clock: Clock) -> None:
        with muniment.open(":memory:", clock=clock, settings=with_recall(mode="off")) as m:
            m.save(FACT)
            assert m.recall("relay", session="s").hits
            report = m.knew("manual", clock())
            assert report.known == ()
            assert any("recall.mode is off" in sentence for sentence in report.may_lack)

    def test_after_some_seconds_it_is_recorded_by_itself(self, clock: Clock) -> None:
        with muniment.open(":memory:", clock=clock, settings=with_recall(seconds=0.02)) as m:
            m.recall("relay", session="s")
            give_up = time.monotonic() + 20
            while not recalls_of(m) and time.monotonic() < give_up:
                time.sleep(0.01)
            assert len(recalls_of(m)) == 1

    def test_closing_records_what_waits(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path) as m:
            m.recall("relay", session="s", agent="subagent:scout")
        with muniment.open(tmp_path, read_only=True) as m:
            assert recalls_of(m)[0].data["agent"] == "subagent:scout"

    def test_a_contributor_may_recall(self, m: Muniment) -> None:
        m.save(FACT)
        m.acting_as("subagent:scout").recall("relay", session="s")
        (known,) = m.knew("subagent:scout", m.stats().head).known
        assert known.content == FACT
        (entry,) = recalls_of(m)
        assert (entry.actor, entry.data["agent"]) == ("subagent:scout", None)

    @pytest.mark.parametrize("actor", ["subagent:kid", "system:dream"])
    @pytest.mark.parametrize("agent", ["bot:main", "manual", "?"])
    def test_who_may_not_write_cannot_say_what_another_was_told(
        self, m: Muniment, actor: str, agent: str
    ) -> None:
        m.save(FACT)
        with pytest.raises(Refused) as caught:
            m.acting_as(actor).recall("relay", session="s", agent=agent)
        assert (caught.value.code, caught.value.field) == ("role_refused", "agent")
        assert m.knew("bot:main", m.stats().head).known == ()
        denied = [entry.data["operation"] for entry in m.log(name="access.denied")]
        assert denied == ["recall for another"]

    def test_anybody_that_recalls_may_name_itself(self, m: Muniment) -> None:
        m.save(FACT)
        m.acting_as("subagent:kid").recall("relay", session="s", agent="subagent:kid")
        (known,) = m.knew("subagent:kid", m.stats().head).known
        assert known.recorded_by is None

    def test_of_what_another_recorded_it_is_told_who_did(self, m: Muniment) -> None:
        m.save(FACT)
        main = m.acting_as("bot:main")
        main.recall("relay", session="s", agent="subagent:kid")
        m.acting_as("subagent:kid").recall("relay", session="s")
        report = m.knew("subagent:kid", m.stats().head)
        assert sorted(known.recorded_by or "" for known in report.known) == ["", "bot:main"]

    def test_a_month_of_a_session_and_agent_is_one_stream(self, m: Muniment, clock: Clock) -> None:
        for session, agent, days in (
            ("s", "bot:a", 0),
            ("s", "bot:a", 1),
            ("s", "bot:b", 0),
            ("t", "bot:a", 0),
            ("s", "bot:a", 40),
        ):
            clock.advance(days=days)
            m.recall("x", session=session, agent=agent)
            m.knew("manual", clock())  # records what waits
        streams = [entry.stream for entry in recalls_of(m)]
        assert streams[0] == streams[1]
        assert len(set(streams)) == 4
        keys = {store_of(m).rows.key_of(stream) for stream in streams}
        assert len(keys) == 4

    def test_another_process_goes_on_in_the_same_stream(self, tmp_path: Path) -> None:
        for _ in range(2):
            with muniment.open(tmp_path) as m:
                m.recall("relay", session="s")
        with muniment.open(tmp_path, read_only=True) as m:
            first, second = recalls_of(m)
            assert (first.stream, first.version) == (second.stream, 1)
            assert second.version == 2

    def test_two_recorders_in_one_commit_meet_in_one_stream(self, m: Muniment) -> None:
        asked = [Asked(query=text, recall=Recall(at=START)) for text in "abc"]
        commands = [RecordRecalls.of(session="s", agent="bot:a", asked=(one,)) for one in asked]
        engine_of(m).run_all(commands, identity("default", "manual"))
        assert len({entry.stream for entry in recalls_of(m)}) == 1
        assert [entry.version for entry in recalls_of(m)] == [1, 2, 3]

    def test_names_and_queries_are_not_in_the_clear(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path) as m:
            m.recall("Quetzalcoatlus", session="Xanthippe's")
        raw = sqlite3.connect(tmp_path / "log.db")
        row = raw.execute("SELECT facts, stream, payload FROM events").fetchone()
        raw.close()
        assert b"Quetzal" not in row[0]
        assert b"Xanth" not in row[0]
        assert json.loads(row[0])["recalls"][0]["memories"] == []

    def test_what_cannot_be_recorded_waits(
        self, m: Muniment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m.save(FACT)
        m.recall("relay", session="s")

        def full(*_: object) -> None:
            raise StorageFailed("The disk is full.", code="full")

        with monkeypatch.context() as patch:
            patch.setattr(Writer, "run", full)
            with pytest.raises(StorageFailed):
                m.knew("manual", 1)
            engine_of(m).recalls.close()
        assert recalls_of(m) == []
        assert len(m.knew("manual", m.stats().head).known) == 1

    def test_a_store_that_is_read_only_refuses_to_recall(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path) as m:
            m.save(FACT)
        with (
            muniment.open(tmp_path, read_only=True) as m,
            pytest.raises(StorageFailed, match="use search"),
        ):
            m.recall("relay", session="s")

    @pytest.mark.parametrize("session", ["", " ", "a\nb", "x" * 201, "\u200b", 5, None])
    def test_a_session_has_a_printable_name(self, m: Muniment, session: Any) -> None:
        with pytest.raises(Invalid) as caught:
            m.recall("relay", session=session)
        assert (caught.value.code, caught.value.field) == ("session_invalid", "session")
        assert m.knew("manual", m.save(FACT).position).known == ()

    @pytest.mark.parametrize("agent", ["", "scout", "bot:", "bot:a b", 5])
    def test_an_agent_has_the_name_of_an_actor(self, m: Muniment, agent: Any) -> None:
        with pytest.raises(Invalid) as caught:
            m.recall("relay", session="s", agent=agent)
        assert (caught.value.code, caught.value.field) == ("agent_invalid", "agent")

    def test_it_is_told_in_a_sentence(self, m: Muniment) -> None:
        m.save(FACT)
        m.recall("relay", session="standup", agent="bot:a")
        m.knew("bot:a", 1)
        store = store_of(m)
        (recorded,) = [one for one in store.recorded() if isinstance(one.event, Recalled)]
        assert summary(recorded) == ("recalled for bot:a in session standup: recalls 1, memories 1")


class TestKnew:
    def test_it_has_the_text_of_the_version_that_was_recalled(
        self, m: Muniment, clock: Clock
    ) -> None:
        id_ = m.save(FACT).id
        m.recall("relay", session="s", agent="bot:a")
        clock.advance(hours=1)
        m.revise(id_, "The relay at dock 7 listens on port 9999.")
        m.recall("relay port", session="t", agent="bot:a")
        report = m.knew("bot:a", clock())
        told = [
            (one.version, one.content, one.session, one.query, one.recalled_at)
            for one in report.known
        ]
        assert told == [
            (1, FACT, "s", "relay", START),
            (2, "The relay at dock 7 listens on port 9999.", "t", "relay port", clock.now),
        ]
        assert all(one.score > 0 for one in report.known)

    def test_what_came_later_or_to_another_is_not_in_it(self, m: Muniment, clock: Clock) -> None:
        m.save(FACT)
        m.recall("relay", session="s", agent="bot:a")
        then = clock()
        clock.advance(seconds=1)
        m.recall("relay", session="s", agent="bot:a")
        m.recall("relay", session="s", agent="bot:b")
        assert len(m.knew("bot:a", then).known) == 1
        assert len(m.knew("bot:a", clock()).known) == 2
        assert m.knew("bot:a", then.isoformat()).when == then

    def test_a_position_stands_for_when_its_event_was_recorded(
        self, m: Muniment, clock: Clock
    ) -> None:
        first = m.save(FACT)
        clock.advance(minutes=1)
        m.recall("relay", session="s")
        clock.advance(minutes=1)
        second = m.save("Olga has the key.")
        assert m.knew("manual", first.position).known == ()
        assert len(m.knew("manual", second.position).known) == 1
        assert len(m.knew("manual", str(second.position)).known) == 1

    def test_a_purged_memory_shows_no_words(self, clock: Clock) -> None:
        settings = {"dream": {"memory_archive_retention_days": 1}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            id_ = m.save(FACT).id
            m.recall("relay", session="s")
            m.archive(id_, "stale")
            clock.advance(days=2)
            assert m.purge().purged == [id_]
            (known,) = m.knew("manual", clock()).known
            assert (known.memory, known.content, known.state) == (id_, None, "purged")
            assert known.query == "relay"

    def test_words_in_quarantine_are_for_people(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        m.recall("relay", session="s")
        m.quarantine(id_, "doubtful")
        head = m.stats().head
        assert m.knew("manual", head).known[0].content == FACT
        assert m.acting_as("bot:main").knew("manual", head).known[0].content is None

    def test_another_space_knows_nothing_of_it(self, m: Muniment) -> None:
        m.save(FACT)
        m.recall("relay", session="s")
        other = m.acting_as("manual", space="other")
        assert other.knew("manual", m.stats().head).known == ()

    def test_it_says_what_it_may_lack(self, m: Muniment, clock: Clock) -> None:
        then = clock()
        sentences = " ".join(m.knew("manual", then).may_lack)
        assert "last 60 s of a process that ended without closing, at most 63" in sentences
        assert "Other processes may hold" in sentences
        clock.advance(minutes=2)
        assert "Other processes" not in " ".join(m.knew("manual", then).may_lack)

    @pytest.mark.parametrize("when", [0, -1, 99, True, None, "yesterday", 1.5])
    def test_a_moment_that_is_none_is_refused(self, m: Muniment, when: Any) -> None:
        m.save(FACT)
        with pytest.raises(Invalid) as caught:
            m.knew("manual", when)
        assert caught.value.field == "when"
        assert caught.value.code in ("position_unknown", "when_invalid", "timestamp_invalid")

    def test_a_sub_agent_may_not_ask(self, m: Muniment) -> None:
        with pytest.raises(Refused):
            m.acting_as("subagent:scout").knew("manual", 1)


class TestCrash:
    def test_what_was_not_recorded_is_lost_and_what_was_is_not(self, tmp_path: Path) -> None:
        run(
            """
            m = muniment.open(target, settings={"recall": {"batch": 2}})
            m.save("The relay listens on port 4100.")
            for _ in range(3):
                m.recall("relay", session="s")
            say("dying")
            sys.stdout.flush()
            os._exit(0)
            """,
            tmp_path,
        )
        with muniment.open(tmp_path) as m:
            report = m.knew("manual", m.stats().head)
            assert len(report.known) == 2
            assert m.verify().intact


def aged(clock: Clock, target: str | Path = ":memory:") -> Muniment:
    """A store with a stream of recalls that is due, and one that is not."""
    m = muniment.open(target, clock=clock, settings=with_recall(retention_days=10))
    m.save(FACT)
    m.recall("relay", session="old", agent="bot:a")
    m.knew("bot:a", 1)
    clock.advance(days=11)
    m.recall("relay", session="new", agent="bot:a")
    m.knew("bot:a", 1)
    return m


def names_of(m: Muniment, stream: str) -> list[str]:
    return [entry.name for entry in m.log() if entry.stream == stream]


class TestRetention:
    def test_a_dry_run_says_what_is_due(self, clock: Clock) -> None:
        with aged(clock) as m:
            old, new = (entry.stream for entry in recalls_of(m))
            assert m.purge(dry_run=True).recalls == [old]
            assert names_of(m, old) == ["session.recalled"]
            assert old != new

    def test_its_words_are_gone_and_which_memories_is_kept(self, clock: Clock) -> None:
        with aged(clock) as m:
            old, _ = (entry.stream for entry in recalls_of(m))
            key = store_of(m).rows.key_of(old)
            assert m.purge().recalls == [old]
            assert key is not None
            assert store_of(m).keys.get(key) is None
            assert names_of(m, old) == [
                "session.recalled",
                "session.purge_requested",
                "session.purged",
            ]
            report = m.knew("bot:a", clock())
            assert [(one.session, one.query, one.content) for one in report.known] == [
                (None, None, FACT),
                ("new", "relay", FACT),
            ]
            assert any("Of 1 recalls the session" in one for one in report.may_lack)
            assert m.purge().recalls == []
            assert m.prove_invariants().holds
            assert m.verify().intact
            assert m.rebuild().agrees

    def test_the_session_goes_on_in_a_new_stream(self, clock: Clock) -> None:
        settings = with_recall(retention_days=0.001)
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            m.recall("relay", session="s")
            m.knew("manual", clock())
            clock.advance(minutes=5)
            m.purge()
            m.recall("relay", session="s")
            m.knew("manual", clock())
            assert len({entry.stream for entry in recalls_of(m)}) == 2

    def test_for_ever_is_for_ever(self, clock: Clock) -> None:
        settings = with_recall(retention_days=0)
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            m.recall("relay", session="s")
            m.knew("manual", clock())
            clock.advance(days=9_000)
            assert m.purge().recalls == []

    def test_no_byte_of_the_session_or_query_is_left(self, clock: Clock, tmp_path: Path) -> None:
        settings: dict[str, Any] = {
            "recall": {"retention_days": 10},
            "log": {"keep_state_after": 1},
        }
        with muniment.open(tmp_path, clock=clock, settings=settings) as m:
            m.save(FACT)
            m.recall("relay Quetzalcoatlus", session="Xanthippe")
        clock.advance(days=11)
        with muniment.open(tmp_path, clock=clock, settings=settings) as m:
            stream = recalls_of(m)[0].stream
            key = store_of(m).rows.key_of(stream)
            assert key is not None
            raw = store_of(m).keys.get(key)
            assert raw is not None
            m.knew("manual", clock())
            m.purge()
        for path in tmp_path.rglob("*"):
            if path.is_file():
                held = path.read_bytes()
                assert b"Quetzal" not in held
                assert b"Xanth" not in held
                assert raw not in held

    @pytest.mark.parametrize("step", ["destroy", "models", "complete"])
    def test_killed_at_any_step_the_next_opening_finishes_it(
        self, clock: Clock, tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def die(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        m = aged(clock, tmp_path)
        old, _ = (entry.stream for entry in recalls_of(m))
        kind: type = {"destroy": Keys, "models": ReadModels, "complete": CompleteRecallPurge}[step]
        name = {"destroy": "destroy", "models": "purge", "complete": "decide"}[step]
        with monkeypatch.context() as patch:
            patch.setattr(kind, name, die)
            with pytest.raises(KeyboardInterrupt):
                m.purge()
        assert names_of(m, old) == ["session.recalled", "session.purge_requested"]
        assert [entry.data["session"] for entry in recalls_of(m)] == ["", "new"]
        m.close()
        with muniment.open(tmp_path, clock=clock) as again:
            assert names_of(again, old)[1:] == ["session.purge_requested", "session.purged"]
            key = store_of(again).rows.key_of(old)
            assert key is not None
            assert store_of(again).keys.get(key) is None
            assert again.knew("bot:a", clock()).known[0].session is None

    def test_an_erasure_of_the_space_finishes_it_too(
        self, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise StorageFailed("The disk is full.", code="full")

        with aged(clock) as m:
            old, new = (entry.stream for entry in recalls_of(m))
            with monkeypatch.context() as patch:
                patch.setattr(CompleteRecallPurge, "decide", fail)
                with pytest.raises(StorageFailed):
                    m.purge()
            m.erase_space("default", basis="contract ended")
            assert names_of(m, old)[1:] == ["session.purge_requested", "session.purged"]
            assert names_of(m, new)[1:] == ["words.purge_requested", "words.purged"]
            assert m.prove_invariants().holds


def test_the_evidence_of_the_purge_is_a_fact(clock: Clock) -> None:
    with aged(clock) as m:
        began: datetime = recalls_of(m)[0].recorded_at
        m.purge()
        asked, done = [entry.data for entry in m.log() if entry.name.startswith("session.purge")]
        assert asked == done == {"newest_at": began, "retention_days": 10.0}
