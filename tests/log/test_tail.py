"""Rows wait until they are read or the unit of work ends, and an undone turn leaves none."""

from collections.abc import Callable, Iterator
from pathlib import Path

import independent
import pytest
from eventsourcing.sqlite import SQLiteCursor
from log_backends import Sqlite
from making import extended, new_stream, pending, saved

from muniment.domain.errors import Conflict
from muniment.log.store import Store


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Sqlite]:
    opened = Sqlite(tmp_path / "log")
    yield opened
    opened.close()


def contents(log: Sqlite) -> list[str]:
    return [one.event.content for one in log.recorded()]


def read(store: Store) -> None:
    assert store.rows.select_streams("0" * 12, limit=1) == []


def nothing(store: Store) -> None:
    pass


@pytest.mark.parametrize("before", [nothing, read])
@pytest.mark.parametrize("within", [nothing, read])
@pytest.mark.parametrize("after", [nothing, read])
def test_an_undone_turn_leaves_nothing_whenever_rows_were_read(
    log: Sqlite,
    before: Callable[[Store], None],
    within: Callable[..., None],
    after: Callable[..., None],
) -> None:
    store = log.store
    with store.datastore.unit_of_work() as raw:
        cursor, tail = SQLiteCursor(raw), store.rows.begin(store.rows.head())
        tail.begin_turn()
        store.append([pending(saved("a"))])
        before(store)
        tail.end_turn(cursor)
        tail.begin_turn()
        store.append([pending(saved("refused"))])
        within(store)
        store.append([pending(saved("refused too"))])
        tail.undo_turn(cursor)
        tail.begin_turn()
        store.append([pending(saved("b"))])
        after(store)
        tail.end_turn(cursor)
        tail.write(cursor)
        store.rows.tail = None
    assert contents(log) == ["a", "b"]
    independent.check_chain(log.stored(), log.store_id)


def test_what_waits_is_seen_by_its_unit_of_work_and_by_nobody_else(log: Sqlite) -> None:
    store, stream, other = log.store, new_stream(), log.second()
    with store.datastore.unit_of_work() as raw:
        tail = store.rows.begin(store.rows.head())
        store.append([pending(saved("first"), stream), pending(extended("second"), stream, 2)])
        memory = store.memory(stream)
        assert memory is not None
        assert memory.content == "first\n\nsecond"
        assert store.rows.key_of(stream) is not None
        assert other.memory(stream) is None
        tail.write(SQLiteCursor(raw))
        store.rows.tail = None
    assert other.memory(stream) == store.memory(stream)


def test_a_row_that_does_not_follow_is_a_conflict_when_it_is_written(log: Sqlite) -> None:
    store, stream = log.store, new_stream()
    log.append(pending(saved("here"), stream))
    with store.datastore.unit_of_work() as raw:
        tail = store.rows.begin(store.rows.head())
        store.append([pending(saved("again"), stream)])
        with pytest.raises(Conflict) as refused:
            tail.write(SQLiteCursor(raw))
        store.rows.tail = None
    assert refused.value.code == "version_conflict"
    assert contents(log) == ["here"]
