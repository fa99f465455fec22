"""What every log store promises. Each test takes ``log``; on a store that does nothing all fail."""

import inspect
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import independent
import pytest
from log_backends import BACKENDS, Idle, LogUnderTest, later, undo
from making import START, extended, new_stream, pending, saved

from muniment.domain.errors import Conflict
from muniment.domain.memory import events


@pytest.fixture(params=BACKENDS)
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LogUnderTest]:
    opened = BACKENDS[request.param](tmp_path)
    yield opened
    opened.close()


# appending and reading


def test_what_was_appended_is_read_by_its_stream_in_order_of_version(log: LogUnderTest) -> None:
    stream = new_stream()
    log.append(pending(saved("first"), stream, 1), pending(events.Pinned(), stream, 2))
    log.append(pending(saved("of another stream")))
    log.append(pending(events.Unpinned(), stream, 3))
    assert [(one.version, one.event) for one in log.history(stream)] == [
        (1, saved("first")),
        (2, events.Pinned()),
        (3, events.Unpinned()),
    ]


def test_what_was_appended_is_read_by_position_within_bounds(log: LogUnderTest) -> None:
    for number in range(5):
        log.append(pending(saved(f"fact {number}")))
    assert [one.event.content for one in log.recorded(after=1, until=4)] == [
        "fact 1",
        "fact 2",
        "fact 3",
    ]


def test_reading_goes_on_over_any_number_of_sections(log: LogUnderTest) -> None:
    log.append(*(pending(events.Used()) for _ in range(2_003)))
    assert [one.position for one in log.recorded(after=2)] == list(range(3, 2_004))


def test_reading_may_be_narrowed_to_a_space(log: LogUnderTest) -> None:
    for number in range(4):
        log.append(pending(saved(f"fact {number}"), space=f"space-{number % 2}"))
    assert [one.event.content for one in log.recorded(space="space-1")] == ["fact 1", "fact 3"]


def test_an_event_comes_back_whole_with_its_envelope(log: LogUnderTest) -> None:
    one = pending(
        saved(
            "Grüße ☃",
            category="a/b",
            tags=("x", "y"),
            metadata={"k": "v"},
            resembles=("another",),
            similarity=0.5,
            measure="lexical",
        ),
        space="team.one",
        actor="bot:main",
        correlation_id="corr",
        causation_id="cause",
    )
    (answered,) = log.append(one)
    (read,) = log.history(one.originator_id)
    assert read == answered
    assert read.event == one.event
    assert (read.position, read.stream, read.version) == (1, one.originator_id, 1)
    assert (read.name, read.schema, read.fault) == ("memory.saved", 1, None)
    assert (read.recorded_at, read.actor, read.space) == (one.recorded_at, "bot:main", "team.one")
    assert (read.command_id, read.correlation_id, read.causation_id) == (
        one.command_id,
        "corr",
        "cause",
    )


def test_positions_count_from_one_without_a_gap(log: LogUnderTest) -> None:
    given = [log.append(pending(saved("a")), pending(saved("b"))), log.append(pending(saved("c")))]
    assert [one.position for batch in given for one in batch] == [1, 2, 3]
    assert [row["position"] for row in log.stored()] == [1, 2, 3]


def test_several_streams_are_appended_to_in_one_commit(log: LogUnderTest) -> None:
    one, other = new_stream(), new_stream()
    log.append(
        pending(saved("one"), one, 1),
        pending(saved("other"), other, 1),
        pending(events.Pinned(), one, 2),
    )
    assert [(row["stream"], row["version"]) for row in log.stored()] == [
        (one, 1),
        (other, 1),
        (one, 2),
    ]


def test_a_memory_is_folded_from_its_stream(log: LogUnderTest) -> None:
    stream = new_stream()
    log.append(pending(saved("a fact"), stream, 1), pending(events.Pinned(), stream, 2))
    memory = log.memory(stream)
    assert memory is not None
    assert (memory.content, memory.pinned, memory.version) == ("a fact", True, 2)


def test_a_stream_is_found_by_the_tail_of_its_name(log: LogUnderTest) -> None:
    stream = new_stream()
    log.append(pending(saved("a fact"), stream, 1), pending(saved("another")))
    assert log.streams(stream[-12:]) == [stream]


def test_a_keyed_command_is_looked_up_by_its_id(log: LogUnderTest) -> None:
    key = "0123456789abcdef" * 2
    stream = new_stream()
    log.append(pending(saved("other")))
    log.append(
        pending(saved("a"), stream, 1, command_id=key),
        pending(events.Pinned(), stream, 2, command_id=key),
    )
    assert log.command(key) == [2, 3]
    assert log.command("f" * 32) == []


# conflicts and units of work


@pytest.mark.parametrize("version", [1, 3])
def test_a_version_conflict_stores_nothing(log: LogUnderTest, version: int) -> None:
    stream = new_stream()
    log.append(pending(saved("first"), stream, 1))
    with pytest.raises(Conflict) as refused:
        log.append(pending(saved("another")), pending(events.Pinned(), stream, version))
    assert refused.value.code == "version_conflict"
    assert len(log.stored()) == 1


def test_after_a_conflict_the_next_append_takes_the_next_position(log: LogUnderTest) -> None:
    stream = new_stream()
    log.append(pending(saved("first"), stream, 1))
    with pytest.raises(Conflict):
        log.append(pending(events.Pinned(), stream, 1))
    (appended,) = log.append(pending(events.Pinned(), stream, 2))
    assert appended.position == 2
    independent.check_chain(log.stored(), log.store_id)


def test_a_unit_of_work_is_kept_whole(log: LogUnderTest) -> None:
    with log.unit_of_work():
        log.append(pending(saved("a")))
        log.append(pending(saved("b")))
    assert len(log.stored()) == 2


def test_a_unit_of_work_that_fails_leaves_nothing(log: LogUnderTest) -> None:
    log.append(pending(saved("kept")))
    with log.unit_of_work():
        log.append(pending(saved("undone")))
        undo()
    log.append(pending(saved("kept too")))
    assert [one.event.content for one in log.recorded()] == ["kept", "kept too"]
    independent.check_chain(log.stored(), log.store_id)


def test_a_unit_of_work_reads_what_it_has_appended(log: LogUnderTest) -> None:
    stream = new_stream()
    with log.unit_of_work():
        log.append(pending(saved("seen"), stream, 1))
        memory = log.memory(stream)
        assert memory is not None
        assert memory.content == "seen"
        assert log.head()[0] == 1


def test_undoing_one_command_leaves_the_others_of_the_batch(log: LogUnderTest) -> None:
    with log.unit_of_work():
        with log.savepoint():
            log.append(pending(saved("a")))
        with log.savepoint():
            log.append(pending(saved("refused")), pending(saved("refused too")))
            undo()
        with log.savepoint():
            log.append(pending(saved("b")))
    assert [one.event.content for one in log.recorded()] == ["a", "b"]
    independent.check_chain(log.stored(), log.store_id)


def test_a_second_handle_reads_what_the_first_has_written(log: LogUnderTest) -> None:
    other = log.second()
    log.append(pending(saved("by the first")))
    assert [one.event.content for one in other.recorded()] == ["by the first"]
    other.append(pending(saved("by the second")))
    assert [one.event.content for one in log.recorded()] == ["by the first", "by the second"]
    assert log.head() == other.head()


# append-only by force


def _three(log: LogUnderTest) -> list[str]:
    streams = [new_stream() for _ in range(3)]
    for stream in streams:
        log.append(pending(saved("a fact"), stream, 1))
    return streams


_COPY = (
    "SELECT {position}, {stream}, {version}, name, schema, recorded_at, actor, space, command_id,"
    " correlation_id, causation_id, key_id, facts, payload, leaf, chain FROM events"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET actor = 'bot:other' WHERE position = 2",
        "UPDATE OR IGNORE events SET payload = NULL",
        "UPDATE OR REPLACE events SET position = 1 WHERE position = 2",
        "DELETE FROM events WHERE position = 3",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events " + _COPY.format(position=2, stream="stream", version=2),
        "INSERT OR IGNORE INTO events " + _COPY.format(position=2, stream="stream", version=2),
        "REPLACE INTO events "
        + _COPY.format(position=4, stream="stream", version=1)
        + " WHERE position = 1",
        "INSERT INTO events "
        + _COPY.format(position=5, stream="'new'", version=1)
        + " WHERE position = 1",
        "INSERT INTO events "
        + _COPY.format(position=0, stream="'new'", version=1)
        + " WHERE position = 1",
        "INSERT INTO events "
        + _COPY.format(position="NULL", stream="'new'", version=1)
        + " WHERE position = 1",
        "INSERT INTO events "
        + _COPY.format(position=4, stream="stream", version=3)
        + " WHERE position = 1",
        "INSERT INTO events "
        + _COPY.format(position=4, stream="'new'", version=2)
        + " WHERE position = 1",
        "INSERT INTO events "
        + _COPY.format(position=4, stream="'new'", version=0)
        + " WHERE position = 1",
    ],
)
def test_nothing_but_the_next_row_gets_in(log: LogUnderTest, statement: str) -> None:
    _three(log)
    before = log.stored()
    with pytest.raises(Exception, match="muniment: "):
        log.execute(statement)
    assert len(before) == 3
    assert log.stored() == before


# leaf, chain, time


def test_every_leaf_and_link_is_what_the_definition_says(log: LogUnderTest) -> None:
    for number in range(3):
        stream = new_stream()
        log.append(
            pending(saved(f"fact {number} ✓"), stream, 1, correlation_id="c"),
            pending(events.Pinned(), stream, 2, causation_id="d"),
        )
    rows = log.stored()
    assert len(rows) == 6
    independent.check_chain(rows, log.store_id)
    assert log.head() == (6, rows[-1].chain, rows[-1]["recorded_at"])


def test_an_empty_log_has_the_chain_of_its_store(log: LogUnderTest) -> None:
    assert log.head() == (0, independent.genesis(log.store_id), None)


def test_an_event_without_words_has_no_payload_and_no_key(log: LogUnderTest) -> None:
    log.append(pending(events.Used()))
    (row,) = log.stored()
    assert (row.payload, row["key_id"]) == (None, None)


def test_recorded_times_are_kept_to_the_microsecond_in_utc(log: LogUnderTest) -> None:
    moment = START + timedelta(microseconds=7)
    log.append(pending(saved("a"), at=moment))
    (row,) = log.stored()
    assert row["recorded_at"] == later(moment) == "2026-03-03T12:00:00.000007Z"


# words


def test_words_are_nowhere_in_the_clear(log: LogUnderTest) -> None:
    words: dict[str, Any] = {
        "content": "zebracontent",
        "category": "zebracategory",
        "tags": ("zebratag",),
        "metadata": {"zebrakey": "zebravalue"},
        "source_ref": "zebraref",
        "source_session": "zebrasession",
    }
    stream = new_stream()
    log.append(
        pending(saved(**words), stream, 1),
        pending(extended("zebraaddition"), stream, 2),
        pending(events.Archived(cause="request", importance=0.5, reason="zebrareason"), stream, 3),
    )
    everything = log.at_rest()
    assert stream.encode() in everything
    for form in (b"zebra", "zebra".encode("utf-16-le"), b"emVicm"):
        assert form not in everything


def test_facts_are_in_the_clear_and_hold_no_words(log: LogUnderTest) -> None:
    log.append(pending(saved("zebra crossing", importance=0.625, tags=("zebra",))))
    (row,) = log.stored()
    assert row.facts == (
        b'{"chars":14,"importance":0.625,"source_type":"owner","store":"semantic","trust":3}'
    )
    assert row.payload is not None


def test_the_same_words_are_sealed_differently_each_time(log: LogUnderTest) -> None:
    stream = new_stream()
    log.append(
        pending(saved("the same"), stream, 1),
        pending(events.Revised(content="the same", chars=8), stream, 2),
        pending(events.Revised(content="the same", chars=8), stream, 3),
    )
    payloads = [row.payload for row in log.stored()]
    assert len(payloads) == len(set(payloads)) == 3


def test_a_stream_has_one_key_and_no_two_streams_share_one(log: LogUnderTest) -> None:
    streams = _three(log)
    log.append(pending(events.Revised(content="b", chars=1), streams[0], 2))
    keys = [row["key_id"] for row in log.stored()]
    assert len(keys) == 4
    assert keys[3] == keys[0]
    assert len(set(keys)) == 3


def test_a_keyed_request_leaves_its_mark_in_the_facts_and_not_itself(log: LogUnderTest) -> None:
    log.append(pending(saved("zebra"), command_id="a" * 32, request=b'{"content":"zebra"}'))
    (row,) = log.stored()
    assert b'"request":"' in row.facts
    assert b"zebra" not in row.facts


# the contract itself


CONTRACT = {
    name: function
    for name, function in sorted(vars(sys.modules[__name__]).items())
    if name.startswith("test_") and "log" in inspect.signature(function).parameters
}


def _cases(function: Callable[..., None]) -> list[dict[str, object]]:
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    return [{mark.args[0]: value} for mark in marks for value in mark.args[1]] or [{}]


@pytest.mark.parametrize("name", CONTRACT)
def test_a_store_that_does_nothing_fails_every_part_of_the_contract(name: str) -> None:
    for given in _cases(CONTRACT[name]):
        with pytest.raises((Exception, pytest.fail.Exception)):
            CONTRACT[name](log=Idle(), **given)


def test_no_part_of_the_contract_is_skipped() -> None:
    assert len(CONTRACT) >= 25
    for function in CONTRACT.values():
        marks = {mark.name for mark in getattr(function, "pytestmark", [])}
        assert marks <= {"parametrize"}
