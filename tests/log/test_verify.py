"""verify: intact where nothing was touched; each tampering found, with its kind and position."""

import shutil
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import independent
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_backends import SOAK, Sqlite
from making import START, new_stream, pending, saved

import muniment
from muniment.domain.memory import events
from muniment.log import chain
from muniment.log import verify as verifying
from muniment.log.findings import Finding
from muniment.log.verify import verify

ROWS = 12
NOTHING: set[tuple[str, int]] = set()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of twelve rows: four memories, three events each, by turns."""
    directory = tmp_path_factory.mktemp("whole") / "log"
    log = Sqlite(directory)
    streams = [new_stream() for _ in range(4)]
    for number, stream in enumerate(streams):
        log.append(pending(saved(f"fact {number}"), stream, 1))
    for number, stream in enumerate(streams):
        log.append(pending(events.Revised(content=f"new {number}", chars=5), stream, 2))
    for stream in streams:
        log.append(pending(events.Pinned(), stream, 3))
    log.close()
    return directory


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "log")
    return tmp_path / "log"


def findings(directory: Path) -> set[tuple[str, int]]:
    log = Sqlite(directory)
    found = verify(log.store)
    log.close()
    assert found.intact == (not found.findings)
    return {(finding.kind, finding.position) for finding in found.findings}


# whole logs


def test_a_whole_log_is_intact_and_says_where_it_ends(copy: Path) -> None:
    log = Sqlite(copy)
    rows = log.stored()
    found = verify(log.store)
    log.close()
    assert found.intact
    assert found.findings == ()
    assert (found.events, found.head) == (ROWS, ROWS)
    assert found.chain == rows[-1].chain.hex()
    assert found.root == independent.merkle_root([row.leaf for row in rows]).hex()


def test_an_empty_log_is_intact() -> None:
    log = Sqlite(None)
    found = verify(log.store)
    assert (found.intact, found.events, found.head) == (True, 0, 0)
    assert found.root == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    log.close()


@settings(max_examples=50 * SOAK, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from(["saved", "pinned", "revised"]),
            st.text(max_size=20),
            st.sampled_from(["default", "a", "b.c"]),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_no_clean_log_raises_an_alarm(
    given: Sequence[tuple[int, str, str, str, bool]],
) -> None:
    log = Sqlite(None)
    streams = [new_stream() for _ in range(4)]
    versions = dict.fromkeys(streams, 0)
    for number, kind, text, space, linked in given:
        stream = streams[number]
        versions[stream] += 1
        event = {
            "saved": saved(text),
            "pinned": events.Pinned(),
            "revised": events.Revised(content=text, chars=len(text)),
        }[kind]
        log.append(
            pending(
                event,
                stream,
                versions[stream],
                at=START,
                space=space,
                correlation_id=text or "c" if linked else None,
            )
        )
    found = verify(log.store)
    assert found.findings == ()
    assert found.events == len(given)
    log.close()


def test_every_kind_of_command_leaves_an_intact_log(tmp_path: Path) -> None:
    with muniment.open(tmp_path / "log") as m:
        known = m.save("The build runs on Fridays", category="ci", tags=["a"]).id
        m.save("The build runs on Fridays")
        m.save("The build runs on Fridays", idempotency_key="k1")
        m.save_many([{"content": f"Server number {number} is in Lisbon"} for number in range(5)])
        m.revise(known, "The build runs on Mondays")
        m.rescore(known, 0.9)
        m.recategorize(known, None)
        m.retag(known, ["b"])
        m.describe(known, {"subjectTime": "2026-03"})
        m.pin(known)
        m.unpin(known)
        m.mark_used(known)
        m.archive(known, "old")
        m.restore(known)
        with pytest.raises(muniment.MunimentError):
            m.revise(known, "")
        m.acting_as("bot:main", "other").save("Of another space")
        assert m.verify().intact
    with muniment.open(tmp_path / "log", read_only=True) as m:
        assert m.verify().intact
        assert m.verify().events == len(list(m.log(space="*")))


def test_verifying_needs_no_key_and_no_right_to_write(copy: Path) -> None:
    shutil.rmtree(copy / "keys")
    with muniment.open(copy, read_only=True) as m:
        assert m.verify().intact
    assert not (copy / "keys").exists()


def test_a_log_that_was_tampered_with_still_opens_reads_and_appends(copy: Path) -> None:
    independent.tamper(copy, ("UPDATE events SET actor = 'bot:x' WHERE position = 5", ()))
    with muniment.open(copy) as m:
        assert not m.verify().intact
        assert len(m.search().hits) == 4
        assert m.save("Anna works in Lisbon").position == ROWS + 1
        assert [finding.position for finding in m.verify().findings] == [5]


# each tampering

_SWAP = (
    "UPDATE events SET payload = CASE position"
    " WHEN 6 THEN (SELECT payload FROM events WHERE position = 7)"
    " ELSE (SELECT payload FROM events WHERE position = 6) END WHERE position IN (6, 7)"
)
_COPY_ROW = (
    "INSERT INTO events SELECT {position}, {stream}, {version}, name, schema, recorded_at, actor,"
    " space, command_id, correlation_id, causation_id, key_id, facts, payload, leaf, chain"
    " FROM events WHERE position = {of}"
)


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        pytest.param(
            ["UPDATE events SET payload = zeroblob(length(payload)) WHERE position = 5"],
            {("leaf", 5)},
            id="the bytes of a payload",
        ),
        pytest.param(
            ["UPDATE events SET payload = NULL WHERE position = 5"],
            {("leaf", 5)},
            id="a payload taken away",
        ),
        pytest.param(
            ["UPDATE events SET payload = x'' WHERE position = 9"],
            NOTHING,
            id="nothing for no payload, which is hashed alike",
        ),
        pytest.param(
            ["UPDATE events SET facts = CAST(facts || ' ' AS BLOB) WHERE position = 2"],
            {("leaf", 2)},
            id="a blank in the facts",
        ),
        pytest.param([_SWAP], {("leaf", 6)}, id="two payloads swapped"),
        *(
            pytest.param(
                [f"UPDATE events SET {column} = {value} WHERE position = 4"],
                {("leaf", 4)},
                id=f"another {column}",
            )
            for column, value in {
                "name": "'memory.imported'",
                "schema": "2",
                "actor": "'bot:x'",
                "space": "'other'",
                "command_id": "'x'",
                "correlation_id": "'x'",
                "causation_id": "'x'",
                "key_id": "key_id + 1",
            }.items()
        ),
        pytest.param(
            ["UPDATE events SET recorded_at = '2026-03-03T12:00:00.000000Z' WHERE position = 4"],
            {("leaf", 4), ("time_fell", 4)},
            id="an earlier time",
        ),
        pytest.param(
            ["UPDATE events SET recorded_at = '2027-03-03T12:00:00.000000Z' WHERE position = 4"],
            {("leaf", 4), ("time_fell", 5)},
            id="a later time",
        ),
        pytest.param(
            ["UPDATE events SET stream = 'another' WHERE position = 3"],
            {("leaf", 3), ("stream_gap", 7)},
            id="another stream",
        ),
        pytest.param(
            ["UPDATE events SET version = 7 WHERE position = 10"],
            {("leaf", 10), ("stream_gap", 10)},
            id="another version",
        ),
        pytest.param(
            ["UPDATE events SET leaf = x'00' WHERE position = 8"],
            {("leaf", 8), ("chain", 8)},
            id="a leaf",
        ),
        pytest.param(
            ["UPDATE events SET chain = x'00' WHERE position = 8"],
            {("chain", 8)},
            id="a link",
        ),
        pytest.param(
            ["DELETE FROM events WHERE position = 6"],
            {("position_gap", 6), ("chain", 7), ("stream_gap", 10)},
            id="a row taken out",
        ),
        pytest.param(
            ["DELETE FROM events WHERE position = 1"],
            {("position_gap", 1), ("chain", 2), ("stream_gap", 5)},
            id="the first row taken out",
        ),
        pytest.param(
            [
                "DELETE FROM events WHERE position = 6",
                "UPDATE events SET position = position - 1 WHERE position > 6",
            ],
            {("leaf", 6), ("chain", 6), ("stream_gap", 9)},
            id="a row taken out and the rest moved up",
        ),
        pytest.param(
            [_COPY_ROW.format(position=13, stream="'new'", version=1, of=12)],
            {("leaf", 13), ("chain", 13)},
            id="a row put in at the end",
        ),
        pytest.param(
            [
                "UPDATE events SET position = -position WHERE position > 6",
                "UPDATE events SET position = 1 - position WHERE position < 0",
                _COPY_ROW.format(position=7, stream="'new'", version=1, of=6),
            ],
            {("leaf", 7), ("chain", 7)},
            id="a row put in between",
        ),
        pytest.param(
            [_COPY_ROW.format(position=13, stream="stream", version=4, of=12)],
            {("leaf", 13), ("chain", 13)},
            id="a row twice",
        ),
        pytest.param(
            [
                "UPDATE events SET position = -1 WHERE position = 6",
                "UPDATE events SET position = 6 WHERE position = 7",
                "UPDATE events SET position = 7 WHERE position = -1",
            ],
            {("leaf", 6), ("chain", 6), ("time_fell", 7)},
            id="two rows in the other order",
        ),
        pytest.param(
            ["UPDATE events SET position = -3 WHERE position = 12"],
            {("position_gap", 1), ("leaf", -3), ("chain", -3), ("time_fell", 1)},
            id="a row before the first",
        ),
        pytest.param(
            ["UPDATE events SET actor = CAST(x'6d61ff' AS TEXT) WHERE position = 5"],
            {("row_shape", 5), ("leaf", 5), ("chain", 6)},
            id="a text that is no UTF-8",
        ),
    ],
)
def test_each_tampering_is_found_with_its_kind_and_first_position(
    copy: Path, statements: list[str], found: set[tuple[str, int]]
) -> None:
    independent.tamper(copy, *((statement, ()) for statement in statements))
    assert findings(copy) == found


@pytest.mark.parametrize("column", ["facts", "payload", "leaf", "chain"])
@pytest.mark.parametrize("position", [1, 7, ROWS])
def test_any_flipped_bit_of_what_is_stored_is_found(copy: Path, column: str, position: int) -> None:
    log = Sqlite(copy)
    row = log.stored()[position - 1]
    log.close()
    stored = getattr(row, column)
    if stored is None:
        stored = b"\0"
    for at in {0, len(stored) // 2, len(stored) - 1}:
        flipped = bytearray(stored)
        flipped[at] ^= 1
        independent.tamper(
            copy, (f"UPDATE events SET {column} = ? WHERE position = ?", (bytes(flipped), position))
        )
        assert min(where for _, where in findings(copy)) == position


def test_a_row_rewritten_with_its_leaf_breaks_the_chain_there(copy: Path) -> None:
    log = Sqlite(copy)
    row = log.stored()[4]
    log.close()
    facts = row.facts.replace(b"5", b"6")
    leaf = independent.leaf(row.envelope, facts, row.payload)
    independent.tamper(
        copy, ("UPDATE events SET facts = ?, leaf = ? WHERE position = 5", (facts, leaf))
    )
    assert findings(copy) == {("chain", 5)}


def test_a_row_rewritten_with_leaf_and_link_breaks_the_chain_after_it(copy: Path) -> None:
    log = Sqlite(copy)
    rows = log.stored()
    log.close()
    row, facts = rows[4], rows[4].facts.replace(b"5", b"6")
    leaf = independent.leaf(row.envelope, facts, row.payload)
    link = independent.link(rows[3].chain, leaf)
    independent.tamper(
        copy,
        (
            "UPDATE events SET facts = ?, leaf = ?, chain = ? WHERE position = 5",
            (facts, leaf, link),
        ),
    )
    assert findings(copy) == {("chain", 6)}


def test_a_log_rewritten_to_its_end_shows_in_its_root_alone(copy: Path) -> None:
    log = Sqlite(copy)
    rows = log.stored()
    before = verify(log.store)
    log.close()
    changes: list[tuple[str, Sequence[object]]] = []
    link = rows[3].chain
    for row in rows[4:]:
        facts = row.facts.replace(b"5", b"6")
        leaf = independent.leaf(row.envelope, facts, row.payload)
        link = independent.link(link, leaf)
        changes.append(
            (
                "UPDATE events SET facts = ?, leaf = ?, chain = ? WHERE position = ?",
                (facts, leaf, link, row["position"]),
            )
        )
    independent.tamper(copy, *changes)
    log = Sqlite(copy)
    after = verify(log.store)
    log.close()
    assert after.intact  # only a checkpoint that is kept elsewhere says otherwise
    assert after.root != before.root
    assert after.chain != before.chain


@pytest.mark.parametrize("trigger", independent.TRIGGERS)
def test_a_missing_trigger_is_found(copy: Path, trigger: str) -> None:
    raw = independent.raw(copy)
    raw.execute(f"DROP TRIGGER {trigger}")
    raw.close()
    assert findings(copy) == {("unguarded", ROWS)}


def test_a_trigger_made_harmless_is_found(copy: Path) -> None:
    raw = independent.raw(copy)
    raw.execute("DROP TRIGGER events_no_delete")
    raw.execute("CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT 1; END")
    raw.close()
    assert findings(copy) == {("unguarded", ROWS)}


def test_columns_of_another_type_are_found(copy: Path) -> None:
    raw = independent.raw(copy)
    independent.unguard(raw)
    (made,) = raw.execute("SELECT sql FROM sqlite_schema WHERE name = 'events'").fetchone()
    raw.execute("ALTER TABLE events RENAME TO old")
    raw.execute(made.replace("STRICT", "").replace(" TEXT", "").replace(" BLOB", ""))
    raw.execute("INSERT INTO events SELECT * FROM old")
    raw.execute("UPDATE events SET actor = 7 WHERE position = 3")
    raw.execute("UPDATE events SET facts = 'text' WHERE position = 5")
    raw.execute("DROP TABLE old")
    raw.close()
    found = findings(copy)
    assert {("row_shape", 3), ("leaf", 3), ("unguarded", ROWS)} <= found


def test_a_damaged_page_is_found_and_what_lies_before_it_is_checked(tmp_path: Path) -> None:
    log = Sqlite(tmp_path / "log")
    log.append(*(pending(saved(f"fact {number} {'x' * 200}")) for number in range(300)))
    rows = log.stored()
    log.close()
    payload = rows[199].payload
    assert payload is not None
    path = tmp_path / "log" / "log.db"
    data = bytearray(path.read_bytes())
    page = data.index(payload) // 4_096 * 4_096
    data[page : page + 16] = b"\xff" * 16
    path.write_bytes(data)
    log = Sqlite(tmp_path / "log")
    found = verify(log.store)
    log.close()
    assert [finding.kind for finding in found.findings] == ["damaged"]
    assert 180 <= found.findings[0].position <= 200
    assert found.events == found.findings[0].position - 1


def test_a_finding_says_how_often_it_shows(copy: Path) -> None:
    independent.tamper(copy, ("UPDATE events SET actor = 'bot:x' WHERE position > 9", ()))
    log = Sqlite(copy)
    found = verify(log.store).findings
    log.close()
    assert found == (Finding("leaf", 10, "a row is not what was hashed when it was written", 3),)


def test_memory_does_not_grow_with_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_SECTION", 200)
    log = Sqlite(None)
    peaks: list[int] = []
    for rows in (1_000, 4_000):
        stream = new_stream()
        log.append(*(pending(events.Used(), stream, version + 1) for version in range(rows)))
        verify(log.store)
        tracemalloc.start()
        verify(log.store)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    log.close()
    assert peaks[1] < peaks[0] * 1.2


# the canonical form


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.text(), max_size=12),
    st.binary(max_size=40),
    st.none() | st.binary(max_size=40),
)
def test_a_leaf_is_the_same_from_the_standard_library(
    envelope: list[int | str | None], facts: bytes, payload: bytes | None
) -> None:
    assert chain.leaf(envelope, facts, payload) == independent.leaf(envelope, facts, payload)
