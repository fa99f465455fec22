"""Stored events that cannot be read: told loudly, and everything else goes on."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import muniment
from muniment import Muniment, MunimentError, Refused, StorageFailed

FACT = "The Quillmark feed sits on Drive North."
OTHER = "The lobby is blue."


def altered(directory: Path, statement: str) -> None:
    """Changes a stored row behind the program's back, past the triggers that forbid it."""
    with closing(sqlite3.connect(directory / "log.db")) as log, log:
        triggers = log.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            log.execute(f"DROP TRIGGER {name}")
        log.execute(statement)
        for _, sql in triggers:
            log.execute(sql)


@pytest.fixture
def store(tmp_path: Path) -> tuple[Path, str]:
    """A store of two memories, the first of which was pinned, and the first one's id."""
    with muniment.open(tmp_path) as m:
        saved = m.save(FACT)
        m.save(OTHER)
        m.pin(saved.id)
    return tmp_path, saved.id


class TestDamagedWords:
    """B35."""

    @pytest.fixture
    def m(self, store: tuple[Path, str]) -> Iterator[Muniment]:
        directory, _ = store
        altered(directory, "UPDATE events SET payload = zeroblob(80) WHERE position = 1")
        with muniment.open(directory) as handle:
            yield handle

    def test_that_memory_says_so_and_others_are_served(
        self, m: Muniment, store: tuple[Path, str]
    ) -> None:
        memory = m.get(store[1])
        assert (memory.content, memory.fault) == ("[unreadable]", "unreadable")
        assert [hit.memory.content for hit in m.search("lobby").hits] == [OTHER]
        assert len(m.search().hits) == 2
        assert m.search("quillmark").hits == ()

    def test_its_facts_are_still_known(self, m: Muniment, store: tuple[Path, str]) -> None:
        memory = m.get(store[1])
        assert (memory.importance, memory.trust, memory.pinned, memory.version) == (0.5, 3, True, 2)
        assert "damaged" in m.history(store[1])[0].summary

    def test_verify_names_the_position_and_the_store_still_writes(self, m: Muniment) -> None:
        found = m.verify()
        assert not found.intact
        assert [(one.kind, one.position) for one in found.findings] == [("leaf", 1)]
        assert m.save("Rack 12 is full.").outcome == "created"

    def test_it_is_neither_written_to_nor_matched(
        self, m: Muniment, store: tuple[Path, str]
    ) -> None:
        with pytest.raises(StorageFailed) as caught:
            m.unpin(store[1])
        assert caught.value.code == "unreadable"
        assert m.save(FACT).outcome == "created"
        assert m.save("[unreadable]").outcome == "created"


class TestDamagedFacts:
    """B35."""

    def test_a_beginning_cut_short_is_told_as_damaged(self, store: tuple[Path, str]) -> None:
        directory, id_ = store
        altered(directory, "UPDATE events SET facts = X'7b' WHERE position = 1")
        with muniment.open(directory) as m:
            assert m.get(id_).fault == "unreadable"
            assert m.verify().findings[0].position == 1
            with pytest.raises(StorageFailed):
                m.archive(id_, "broken")
            assert [hit.memory.content for hit in m.search().hits] == [OTHER]


class TestWordsWithoutAKey:
    def test_they_are_told_from_damaged_ones(self, store: tuple[Path, str]) -> None:
        directory, id_ = store
        with closing(sqlite3.connect(directory / "log.db")) as log:
            (key,) = log.execute("SELECT key_id FROM events WHERE position = 1").fetchone()
        with closing(sqlite3.connect(directory / "keys" / "keys.db")) as keys, keys:
            (table,) = keys.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%wrapped%'"
            ).fetchone()
            keys.execute(f"DELETE FROM {table} WHERE id = ?", (key,))
        with muniment.open(directory) as m:
            assert m.get(id_).fault == "key_missing"
            assert m.verify().intact
            assert m.search("lobby").hits[0].memory.content == OTHER


class TestEventsOfANewerRelease:
    """B36."""

    @pytest.fixture
    def m(self, store: tuple[Path, str]) -> Iterator[Muniment]:
        directory, _ = store
        altered(directory, "UPDATE events SET name = 'memory.levitated' WHERE position = 3")
        with muniment.open(directory) as handle:
            yield handle

    def test_the_memory_is_read_only_and_says_why(
        self, m: Muniment, store: tuple[Path, str]
    ) -> None:
        _, id_ = store
        memory = m.get(id_)
        assert (memory.content, memory.fault, memory.version) == (FACT, "newer_release", 2)
        before = m.stats().head
        for edit in (m.pin, m.unpin, m.mark_used, m.restore):
            with pytest.raises(Refused) as caught:
                edit(id_)
            assert caught.value.code == "newer_release"
        assert m.stats().head == before

    def test_it_is_not_matched_and_others_go_on(self, m: Muniment) -> None:
        assert m.save(FACT).outcome == "created"
        assert m.save(OTHER).outcome == "reinforced"

    def test_its_history_names_the_event(self, m: Muniment, store: tuple[Path, str]) -> None:
        entry = m.history(store[1])[-1]
        assert (entry.name, entry.data) == ("memory.levitated", {})
        assert "newer release" in entry.summary

    def test_a_memory_that_begins_with_one_is_there_and_read_only(
        self, store: tuple[Path, str]
    ) -> None:
        directory, id_ = store
        altered(directory, "UPDATE events SET schema = 99 WHERE position = 1")
        with muniment.open(directory) as m:
            memory = m.get(id_)
            assert (memory.content, memory.fault) == ("[unreadable]", "newer_release")
            assert [entry.name for entry in m.history(id_)] == ["memory.saved", "memory.pinned"]
            with pytest.raises(Refused):
                m.rescore(id_, 0.9)
            assert [hit.memory.content for hit in m.search().hits] == [OTHER]
            assert m.save(FACT).outcome == "created"


class TestClosed:
    def test_a_closed_handle_says_so(self) -> None:
        m = muniment.open(":memory:")
        m.close()
        m.close()
        for call in (lambda: m.save(FACT), m.search, m.verify, m.stats):
            with pytest.raises(MunimentError):
                call()
