"""Whatever a hand puts into a table, or takes away, is a finding or an error that says so."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import independent
import pytest
from terminal import Terminal

import muniment

TABLES = {
    "log.db": ("store", "events"),
    "keys/keys.db": ("keys", "master", "destroyed", "store"),
}
VALUES: tuple[object, ...] = (None, "x", -1, 1 << 62, 0.5, b"\xff")
VERBS = (["verify"], ["doctor"], ["log"], ["search", "Lisbon"], ["save", "Bert works in Faro."])


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with memories, one of which was erased."""
    directory = tmp_path_factory.mktemp("pristine") / "store"
    with muniment.open(directory) as m:
        gone = m.save("Zoe works in Porto.")
        m.save("Anna works in Lisbon.")
        m.erase(gone.id, basis="gdpr-17")
        m.checkpoint()
    return directory


@pytest.fixture
def program(
    pristine: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Terminal:
    """The command line on a copy of it."""
    shutil.copytree(pristine, tmp_path / "store")
    return Terminal(tmp_path / "store", capsys, monkeypatch)


def unruly(path: Path, table: str) -> list[str]:
    """Makes a small table anew, without a rule on what is in it; the columns of any table.

    The events keep their types, and lose their triggers.
    """
    with closing(sqlite3.connect(path)) as database, database:
        if table == "events":
            independent.unguard(database)
            return [row[1] for row in database.execute("PRAGMA table_info(events)")]
        database.execute(f"CREATE TABLE anew AS SELECT * FROM {table}")
        database.execute(f"DROP TABLE {table}")
        database.execute(f"ALTER TABLE anew RENAME TO {table}")
        return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


def expect_no_bug(program: Terminal) -> None:
    for verb in VERBS:
        run = program(*verb)
        assert run.status in (0, 1, 2, 6), (verb, run.err)
        assert "This should not happen" not in run.err, verb


@pytest.mark.parametrize(
    ("file", "table"), [(file, table) for file, tables in TABLES.items() for table in tables]
)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_that_does_not_belong_there_is_told(
    program: Terminal, file: str, table: str, value: object
) -> None:
    names = unruly(program.data / file, table)
    assert len(names) >= 2
    shutil.copytree(program.data, program.data.with_name("unruly"))
    tried = 0
    for name in names:
        shutil.rmtree(program.data)
        shutil.copytree(program.data.with_name("unruly"), program.data)
        with closing(sqlite3.connect(program.data / file)) as database, database:
            newest = f"rowid = (SELECT max(rowid) FROM {table})"
            try:
                changed = database.execute(
                    f"UPDATE {table} SET {name} = ? WHERE {newest}", (value,)
                ).rowcount
            except sqlite3.IntegrityError:
                assert table == "events"
                continue
        assert changed == 1, name
        tried += 1
        expect_no_bug(program)
    assert tried >= 1


@pytest.mark.parametrize(
    ("file", "table"), [(file, table) for file, tables in TABLES.items() for table in tables]
)
@pytest.mark.parametrize("what", ["DELETE FROM", "DROP TABLE"])
def test_what_was_taken_away_is_told(program: Terminal, file: str, table: str, what: str) -> None:
    unruly(program.data / file, table)
    with closing(sqlite3.connect(program.data / file)) as database, database:
        database.execute(f"{what} {table}")
    expect_no_bug(program)


def test_a_log_that_says_it_is_another_store_is_one_that_does_not_verify(
    program: Terminal,
) -> None:
    with closing(sqlite3.connect(program.data / "log.db")) as database, database:
        database.execute("UPDATE store SET id = '01a22bc6-4d4f-7433-a0a8-d26a2eceab4c'")
    run = program("verify")
    assert run.status == 1
    assert "other_store" in run.out


@pytest.mark.parametrize("change", ["UPDATE store SET id = 'x'", "DROP TABLE events"])
def test_a_log_that_cannot_be_read_ends_so_and_says_what_to_do(
    program: Terminal, change: str
) -> None:
    with closing(sqlite3.connect(program.data / "log.db")) as database, database:
        database.execute(change)
    run = program("verify")
    assert run.status == 2
    assert "restore it from a backup" in " ".join(run.err.split())
