"""Turns and reports of tool calls that are sent again are kept once."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from work_of import rows_of, work_of

import muniment
from muniment import Conflict, Invalid, Muniment

Send = Callable[[Muniment, str, str | None], Any]
"""Sends something that says a word, under a key."""

SENDING: dict[str, Send] = {
    "turns": lambda m, word, key: m.conversation.append("talk", "user", word, idempotency_key=key),
    "reports": lambda m, word, key: m.report_tool_call(
        "talk", "ls", {"path": word}, False, "none", idempotency_key=key
    ),
}


def kept(m: Muniment, table: str) -> int:
    ((count,),) = rows_of(m, f"SELECT count(*) FROM {table}")
    return int(count)


@pytest.mark.parametrize("table", SENDING)
class TestARetry:
    def test_is_answered_as_the_first_was(self, m: Muniment, clock: Clock, table: str) -> None:
        first = SENDING[table](m, "hello", "k-1")
        clock.advance(hours=1)
        assert SENDING[table](m, "hello", "k-1") == first
        assert kept(m, table) == 1

    def test_of_something_else_is_refused(self, m: Muniment, table: str) -> None:
        SENDING[table](m, "hello", "k-1")
        with pytest.raises(Conflict) as caught:
            SENDING[table](m, "goodbye", "k-1")
        assert (caught.value.code, caught.value.field) == (
            *("idempotency_key_reused", "idempotency_key"),
        )
        assert kept(m, table) == 1

    def test_without_a_key_is_kept_again(self, m: Muniment, table: str) -> None:
        assert SENDING[table](m, "hello", None) != SENDING[table](m, "hello", None)
        assert kept(m, table) == 2

    def test_is_no_one_else_s(self, m: Muniment, table: str) -> None:
        others = [m.acting_as("bot:main"), m.acting_as("manual", "elsewhere"), m]
        for handle in others:
            SENDING[table](handle, "hello", "k-1")
        assert kept(m, table) == 3

    def test_under_a_key_that_is_none_is_refused(self, m: Muniment, table: str) -> None:
        with pytest.raises(Invalid) as caught:
            SENDING[table](m, "hello", "a b")
        assert caught.value.code == "idempotency_key_invalid"
        assert kept(m, table) == 0

    def test_at_the_same_time_is_kept_once(self, m: Muniment, table: str) -> None:
        told: list[Any] = []
        threads = [
            threading.Thread(target=lambda: told.append(SENDING[table](m, "hello", "k-1")))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert told == told[:1] * 8
        assert kept(m, table) == 1

    def test_is_known_after_an_erasure_of_others_words(self, m: Muniment, table: str) -> None:
        first = SENDING[table](m, "hello", "k-1")
        SENDING[table](m, "Ada Lovelace called", "k-2")
        m.erase_subject("Ada Lovelace", basis="gdpr-17")
        assert kept(m, table) == 1
        assert SENDING[table](m, "hello", "k-1") == first
        assert kept(m, table) == 1

    def test_ends_with_what_it_repeats(self, m: Muniment, clock: Clock, table: str) -> None:
        first = SENDING[table](m, "hello", "k-1")
        clock.advance(days=60)
        work_of(m)  # sweeps
        assert SENDING[table](m, "goodbye", "k-1").number != first.number
        assert kept(m, table) == 1

    def test_leaves_no_key_in_the_clear(self, tmp_path: Path, table: str) -> None:
        with muniment.open(tmp_path / "store") as m:
            SENDING[table](m, "hello", "zebrakey")
        written = b"".join(path.read_bytes() for path in (tmp_path / "store").glob("work.db*"))
        assert b"zebrakey" not in written


def test_a_file_of_the_first_schema_goes_on(tmp_path: Path) -> None:
    with muniment.open(tmp_path / "store") as m:
        m.conversation.append("talk", "user", "hello")
    with closing(sqlite3.connect(tmp_path / "store" / "work.db")) as raw:
        for table in ("turns", "reports"):
            raw.execute(f"DROP INDEX {table}_by_retry")
            raw.execute(f"ALTER TABLE {table} DROP COLUMN retry")
        raw.execute("PRAGMA user_version = 1")
    with muniment.open(tmp_path / "store") as m:
        m.conversation.append("talk", "user", "again", idempotency_key="k-1")
        m.conversation.append("talk", "user", "again", idempotency_key="k-1")
        assert [turn.content for turn in m.conversation.turns("talk")] == ["hello", "again"]
