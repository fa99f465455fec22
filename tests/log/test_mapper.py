"""Stored events that cannot be read: each fails closed, alone, and everything else is served."""

import json
from collections.abc import Generator
from pathlib import Path

import independent
import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_backends import Sqlite
from making import new_stream, pending, saved
from projection_answers import differing

import muniment
from muniment import Muniment, Refused, StorageFailed
from muniment.domain.memory import events
from muniment.log import codec

READABLE = "Anna works in Lisbon"
TOUCHED = "The build runs on Fridays"


class Damaged:
    """A store of two memories, of which one is about to be tampered with."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        with muniment.open(directory) as m:
            self.id = m.save(TOUCHED, category="ci", tags=["build"]).id  # position 1
            m.rescore(self.id, 0.75)  # 2
            m.revise(self.id, "The build runs on Mondays")  # 3
            self.other = m.save(READABLE).id  # 4
        self._open: list[Muniment] = []

    def tamper(self, statement: str, *values: object) -> Muniment:
        independent.tamper(self.directory, (statement, values))
        m = muniment.open(self.directory)
        self._open.append(m)
        return m

    def close(self) -> None:
        for m in self._open:
            m.close()


@pytest.fixture
def damaged(tmp_path: Path) -> Generator[Damaged, None, None]:
    made = Damaged(tmp_path / "log")
    yield made
    made.close()


def others_are_served(m: Muniment, other: str) -> None:
    assert m.get(other).content == READABLE
    assert [hit.memory.id for hit in m.search("Lisbon").hits] == [other]
    assert other in [hit.memory.id for hit in m.search().hits]
    assert m.pin(other).pinned
    assert m.save(READABLE).outcome == "reinforced"
    assert m.save("The server is called zebra").outcome == "created"
    assert differing(m, [READABLE, TOUCHED]) == []
    assert len(list(m.log(space="*"))) == 7


def edits_are_refused(m: Muniment, name: str) -> list[muniment.MunimentError]:
    head = m.stats().head
    refusals: list[muniment.MunimentError] = []
    for edit in (
        lambda: m.revise(name, "x"),
        lambda: m.rescore(name, 0.1),
        lambda: m.recategorize(name, "x"),
        lambda: m.retag(name, ["x"]),
        lambda: m.describe(name, {"x": "y"}),
        lambda: m.pin(name),
        lambda: m.unpin(name),
        lambda: m.mark_used(name),
        lambda: m.archive(name, "x"),
        lambda: m.restore(name),
    ):
        with pytest.raises(muniment.MunimentError) as refused:
            edit()
        refusals.append(refused.value)
    assert m.stats().head == head
    return refusals


# a newer release


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET name = 'memory.levitated' WHERE position = 3",
        "UPDATE events SET schema = 2 WHERE position = 3",
        "UPDATE events SET name = 'os.system' WHERE position = 2",
        "UPDATE events SET name = 'muniment.domain.memory.events:Saved' WHERE position = 3",
        "UPDATE events SET schema = -1 WHERE position = 2",
    ],
)
def test_what_a_newer_release_wrote_makes_its_memory_read_only(
    damaged: Damaged, statement: str
) -> None:
    m = damaged.tamper(statement)
    memory = m.get(damaged.id)
    assert memory.fault == "newer_release"
    assert memory.version == 3
    for refused in edits_are_refused(m, damaged.id):
        assert isinstance(refused, Refused)
        assert (refused.code, refused.field) == ("newer_release", "id")
    others_are_served(m, damaged.other)


def test_what_a_newer_release_wrote_is_still_in_the_log_and_the_history(damaged: Damaged) -> None:
    m = damaged.tamper("UPDATE events SET name = 'memory.levitated', schema = 4 WHERE position = 3")
    assert [(entry.name, entry.schema) for entry in m.log()][2] == ("memory.levitated", 4)
    assert [entry.name for entry in m.history(damaged.id)] == [
        "memory.saved",
        "memory.rescored",
        "memory.levitated",
    ]


# damage


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET payload = CAST(substr(payload, 1, 20) AS BLOB) WHERE position = 3",
        "UPDATE events SET payload = x'00' WHERE position = 3",
        "UPDATE events SET payload = NULL WHERE position = 3",
        "UPDATE events SET payload = CAST(payload || x'00' AS BLOB) WHERE position = 3",
        (
            "UPDATE events SET payload = (SELECT payload FROM events WHERE position = 1)"
            " WHERE position = 3"
        ),
        (
            "UPDATE events SET (payload, key_id) ="
            " (SELECT payload, key_id FROM events WHERE position = 4) WHERE position = 3"
        ),
        "UPDATE events SET key_id = NULL WHERE position = 3",
        "UPDATE events SET space = 'other' WHERE position = 3",
        "UPDATE events SET facts = CAST('{\"chars\":' AS BLOB) WHERE position = 3",
        'UPDATE events SET facts = CAST(\'{"chars":"many"}\' AS BLOB) WHERE position = 3',
        "UPDATE events SET facts = x'' WHERE position = 3",
        "UPDATE events SET facts = x'ff00' WHERE position = 3",
        "UPDATE events SET facts = CAST('{}' AS BLOB) WHERE position = 2",
        "UPDATE events SET facts = CAST('[1]' AS BLOB) WHERE position = 2",
        "UPDATE events SET facts = CAST('{\"importance\":NaN}x' AS BLOB) WHERE position = 2",
        "UPDATE events SET recorded_at = 'yesterday' WHERE position = 3",
        "UPDATE events SET recorded_at = '2026-03-03T12:00:00' WHERE position = 3",
        "UPDATE events SET recorded_at = CAST(x'ff' AS TEXT) WHERE position = 3",
    ],
)
def test_a_damaged_event_makes_its_memory_unreadable_and_no_other(
    damaged: Damaged, statement: str
) -> None:
    m = damaged.tamper(statement)
    assert m.get(damaged.id).fault == "unreadable"
    for refused in edits_are_refused(m, damaged.id):
        assert isinstance(refused, StorageFailed)
        assert refused.code == "unreadable"
    others_are_served(m, damaged.other)
    assert {finding.position for finding in m.verify().findings} <= {2, 3, 4}
    assert not m.verify().intact


def test_words_that_cannot_be_read_are_not_taken_for_another_text(damaged: Damaged) -> None:
    m = damaged.tamper("UPDATE events SET payload = x'00' WHERE position = 3")
    assert m.get(damaged.id).content == "[unreadable]"
    assert m.search("Fridays").hits == ()
    assert m.save("[unreadable]").outcome == "created"


def test_a_first_event_whose_words_are_damaged_leaves_the_facts(damaged: Damaged) -> None:
    m = damaged.tamper("UPDATE events SET payload = x'00' WHERE position = 1")
    memory = m.get(damaged.id)
    assert (memory.fault, memory.importance, memory.category) == ("unreadable", 0.75, None)
    others_are_served(m, damaged.other)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET facts = x'00' WHERE position = 1",
        "UPDATE events SET schema = 2 WHERE position = 1",
    ],
)
def test_where_the_first_event_cannot_be_read_others_are_served_and_nothing_is_written_to_it(
    damaged: Damaged, statement: str
) -> None:
    m = damaged.tamper(statement)
    edits_are_refused(m, damaged.id)
    others_are_served(m, damaged.other)


def test_a_text_that_is_no_utf_8_stops_nobody(damaged: Damaged) -> None:
    m = damaged.tamper("UPDATE events SET actor = CAST(x'6d61ff' AS TEXT) WHERE position = 4")
    assert m.get(damaged.id).content == "The build runs on Mondays"
    assert [entry.position for entry in m.log()] == [1, 2, 3, 4]
    assert m.save("The server is called zebra").position == 5


def test_a_damaged_time_at_the_head_does_not_stop_the_log(damaged: Damaged) -> None:
    m = damaged.tamper("UPDATE events SET recorded_at = 'yesterday' WHERE position = 4")
    assert m.save("The server is called zebra").position == 5
    assert m.get(damaged.id).fault is None


# sealing


@pytest.mark.parametrize("changed", ["space", "stream", "version", "name"])
def test_words_open_only_in_the_place_that_they_were_sealed_for(
    tmp_path: Path, changed: str
) -> None:
    log = Sqlite(tmp_path / "log")
    one, other = new_stream(), new_stream()
    log.append(
        pending(saved("sealed here"), one, 1), pending(events.Revised(content="a", chars=1), one, 2)
    )
    log.close()
    value = {"space": "'x'", "stream": f"'{other}'", "version": "3", "name": "'memory.revised'"}
    independent.tamper(
        tmp_path / "log",
        ("DELETE FROM events WHERE position = 2", ()),
        (f"UPDATE events SET {changed} = {value[changed]} WHERE position = 1", ()),
    )
    log = Sqlite(tmp_path / "log")
    (read,) = log.recorded()
    log.close()
    assert read.fault == "unreadable"
    assert "sealed here" not in repr(read)


@given(
    st.dictionaries(
        st.sampled_from(["_type_", "_data_", "__class__", "$ref", "py/object"]) | st.text(),
        st.text(),
        max_size=4,
    )
)
def test_whatever_users_write_is_just_data(metadata: dict[str, str]) -> None:
    event = saved("x", metadata=metadata, tags=tuple(metadata), category="_type_")
    facts, words = codec.encode(event)
    assert codec.decode("memory.saved", 1, facts, words) == event


def test_metadata_that_looks_like_a_serialised_type_is_kept_as_it_is(tmp_path: Path) -> None:
    metadata = {"_type_": "uuid_hex", "_data_": "os:system", "__class__": "builtins.exec"}
    with muniment.open(tmp_path) as m:
        known = m.save("The build runs on Fridays", metadata=metadata)
    with muniment.open(tmp_path) as m:
        assert m.get(known.id).metadata == metadata


# the codec


def test_a_field_that_has_its_default_is_left_out() -> None:
    facts, words = codec.encode(saved("x"))
    assert json.loads(facts).keys() == {"importance", "trust", "source_type", "store", "chars"}
    assert words == b'{"content":"x"}'


def test_keys_stand_in_order() -> None:
    facts, words = codec.encode(
        saved("x", tags=("t",), category="c", metadata={"b": "1", "a": "2"}, similarity=0.5)
    )
    assert words is not None
    for stored in (facts, words):
        assert list(json.loads(stored)) == sorted(json.loads(stored))


def test_words_read_as_blank_where_they_cannot_be_had() -> None:
    facts, _ = codec.encode(saved("secret", tags=("t",), importance=0.25))
    read = codec.decode("memory.saved", 1, facts, None)
    assert (read.content, read.tags, read.importance) == ("", (), 0.25)


def test_every_stored_name_is_used_once() -> None:
    names = {
        f"{event.NAME} {event.SCHEMA}"  # type: ignore[attr-defined]
        for event in codec.EVENTS
    }
    assert len(names) == len(codec.EVENTS)


def test_an_unknown_name_has_no_words_and_is_never_resolved() -> None:
    assert codec.form("os.system", 1) is None
    with pytest.raises(codec.UnknownEvent):
        codec.decode("os.system", 1, b"{}", None)
