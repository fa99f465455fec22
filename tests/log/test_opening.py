"""Opening a log: what is made, what is refused and left as it was, and who is first."""

import os
import sqlite3
import stat
from pathlib import Path

import independent
import pytest
from making import pending, saved
from processes import run, started

import muniment
from muniment import Invalid, StorageFailed
from muniment.log import schema
from muniment.log.store import Store
from muniment.log.verify import verify


def opened(directory: Path, *, read_only: bool = False, busy_timeout: float = 5.0) -> Store:
    return Store(directory, release="test", busy_timeout=busy_timeout, read_only=read_only)


def refusal(directory: Path, *, read_only: bool = False) -> str:
    with pytest.raises(StorageFailed) as refused:
        opened(directory, read_only=read_only)
    return refused.value.code


def contents(directory: Path) -> dict[str, bytes]:
    """What the files hold that say anything: locks, shared memory and empty files do not."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm") and path.stat().st_size
    }


# what is made


def test_a_directory_and_its_parents_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "memory"
    opened(directory).close()
    made = {str(path.relative_to(directory)): path for path in [directory, *directory.rglob("*")]}
    assert made.keys() >= {".", "log.db", "log.lock", "keys", "keys/keys.db", "keys/master.key"}
    for path in made.values():
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_the_write_ahead_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.append([pending(saved())])
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("log.db*")}
    store.close()
    assert modes == {0o600}


def test_a_log_keeps_its_id_and_says_who_made_it(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.close()
    second = opened(tmp_path)
    second.close()
    assert first.id == second.id
    raw = independent.raw(tmp_path)
    assert raw.execute("SELECT id, made_by FROM store").fetchall() == [(first.id, "test")]
    assert raw.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
    assert raw.execute("PRAGMA user_version").fetchone() == (schema.SCHEMA,)
    raw.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_every_pragma_that_durability_rests_on_is_set(tmp_path: Path, read_only: bool) -> None:
    opened(tmp_path).close()
    store = opened(tmp_path, read_only=read_only)
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "secure_delete": 1,
        "mmap_size": 0,
        "trusted_schema": 0,
        "cell_size_check": 1,
        "journal_size_limit": 67_108_864,
        "wal_autocheckpoint": 0,
        "busy_timeout": 5_000,
    }
    for writes in {False, not read_only}:
        with store.datastore.get_connection(commit=writes) as connection:
            cursor = connection.cursor()
            found: dict[str, object] = {}
            for name in wanted:
                cursor.execute(f"PRAGMA {name}")
                found[name] = cursor.fetchone()[0]
        assert found == wanted
    store.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with (
        pytest.raises(sqlite3.OperationalError, match="readonly"),
        store.datastore.transaction(commit=False) as cursor,
    ):
        cursor.execute("DELETE FROM store")
    store.close()


# what is refused


def test_another_programs_database_is_left_as_it_was(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "log.db")
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    before = contents(tmp_path)
    assert refusal(tmp_path) == "not_a_log"
    assert refusal(tmp_path, read_only=True) == "not_a_log"
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "garbage", [b"some notes", b"garbage" * 1_000, b"SQLite format 3\0" + b"\xff" * 99]
)
def test_a_file_that_is_no_database_is_left_as_it_was(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "log.db").write_bytes(garbage)
    assert refusal(tmp_path) == "not_a_log"
    assert contents(tmp_path) == {"log.db": garbage}


def test_a_file_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    path.write_text("mine")
    assert refusal(path) == "not_a_directory"
    assert refusal(path, read_only=True) == "not_a_directory"
    assert refusal(path / "below") == "io_error"
    assert path.read_text() == "mine"


def test_a_directory_in_place_of_the_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.db").mkdir()
    assert refusal(tmp_path) == "not_a_log"


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("x" * 300)) == "io_error"


def test_a_log_of_a_newer_release_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    opened(tmp_path).close()
    raw = independent.raw(tmp_path)
    raw.execute("PRAGMA user_version = 99")
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    before = contents(tmp_path)
    for read_only in (False, True):
        with pytest.raises(StorageFailed, match="99") as refused:
            opened(tmp_path, read_only=read_only)
        assert refused.value.code == "newer_schema"
    assert contents(tmp_path) == before


def test_a_log_that_does_not_say_which_it_is_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).close()
    raw = independent.raw(tmp_path)
    raw.execute("DELETE FROM store")
    raw.close()
    assert refusal(tmp_path) == "not_a_log"


def test_reading_alone_makes_nothing(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere", read_only=True) == "missing"
    assert refusal(tmp_path, read_only=True) == "missing"
    assert list(tmp_path.iterdir()) == []


def test_reading_alone_of_a_log_that_is_still_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.db").touch()
    assert refusal(tmp_path, read_only=True) == "missing"


def test_reading_alone_reads_and_refuses_to_write(tmp_path: Path) -> None:
    with muniment.open(tmp_path) as m:
        known = m.save("The build runs on Fridays")
    before = contents(tmp_path)
    with muniment.open(tmp_path, read_only=True) as m:
        assert m.get(known.id).content == "The build runs on Fridays"
        assert m.verify().intact
        for write in (lambda: m.save("x y z"), lambda: m.pin(known.id)):
            with pytest.raises(StorageFailed) as refused:
                write()
            assert refused.value.code == "read_only"
    assert contents(tmp_path) == before


def test_reading_alone_sees_what_is_only_in_the_write_ahead_log(tmp_path: Path) -> None:
    with muniment.open(tmp_path) as writer:
        writer.save("The build runs on Fridays")
        with muniment.open(tmp_path, read_only=True) as reader:
            assert [hit.memory.content for hit in reader.search("build").hits] == [
                "The build runs on Fridays"
            ]


def test_a_name_of_nobodys_home_is_an_invalid_target() -> None:
    with pytest.raises(Invalid) as refused:
        muniment.open("~nobody-of-that-name/memory")
    assert refused.value.code == "target_invalid"


@pytest.mark.parametrize("target", ["", "a\0b", 7, None])
def test_what_names_no_directory_is_an_invalid_target(target: object) -> None:
    with pytest.raises(Invalid) as refused:
        muniment.open(target)  # type: ignore[arg-type]
    assert (refused.value.code, refused.value.field) == ("target_invalid", "target")


@pytest.mark.parametrize(
    "name",
    ["with blanks", "a?mode=memory", "a#b", "100%41", "späße ☃", "file:x", "a&b=c", "'\"", "-x"],
)
def test_a_path_is_taken_as_it_is_written(tmp_path: Path, name: str) -> None:
    directory = tmp_path / name / "deeper"
    with muniment.open(directory) as m:
        m.save("The build runs on Fridays")
    assert (directory / "log.db").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {name}
    with muniment.open(directory, read_only=True) as m:
        assert m.stats().memories == {"live": 1} or len(m.search().hits) == 1


def test_a_copied_directory_opens_with_its_words(tmp_path: Path) -> None:
    with muniment.open(tmp_path / "one") as m:
        known = m.save("The build runs on Fridays")
    (tmp_path / "one").rename(tmp_path / "other")
    with muniment.open(tmp_path / "other") as m:
        assert m.get(known.id).content == "The build runs on Fridays"


# killed while it is made, and two at once


def test_killed_at_any_step_of_being_made_a_log_opens_whole(tmp_path: Path) -> None:
    survived = run(
        """
        from muniment.log import schema

        make, *later = schema.MIGRATIONS
        for step in range(100):
            child = os.fork()
            if child == 0:
                seen = 0

                def trace(_):
                    global seen
                    if seen == step:
                        os.kill(os.getpid(), signal.SIGKILL)
                    seen += 1

                def failing(connection, release):
                    connection.set_trace_callback(trace)
                    make(connection, release)

                schema.MIGRATIONS = (failing, *later)
                Store(target / str(step), release="killed")
                os._exit(0)
            _, status = os.waitpid(child, 0)
            if os.WIFEXITED(status):
                say([step, os.WEXITSTATUS(status)])
                break
        """,
        tmp_path,
    )
    ((steps, status),) = survived
    assert status == 0
    assert steps >= 10
    for step in range(steps):
        store = opened(tmp_path / str(step))
        store.append([pending(saved())])
        assert verify(store).intact
        store.close()
        raw = independent.raw(tmp_path / str(step))
        assert raw.execute("SELECT made_by FROM store").fetchall() in ([("test",)], [("killed",)])
        raw.close()


def test_killed_at_any_step_of_a_migration_a_log_is_wholly_old_or_new(tmp_path: Path) -> None:
    opened(tmp_path / "log").close()
    outcomes = run(
        """
        import shutil
        from muniment.log import schema

        known, number_known = schema.MIGRATIONS, schema.SCHEMA

        def second(connection, release):
            connection.execute("ALTER TABLE store ADD COLUMN second TEXT")
            connection.execute("UPDATE store SET second = 'yes'")

        def columns(directory):
            import sqlite3
            raw = sqlite3.connect(directory / "log.db")
            found = [name for _, name, *_ in raw.execute("PRAGMA table_info(store)")]
            (number,) = raw.execute("PRAGMA user_version").fetchone()
            raw.close()
            return [number, len(found)]

        for step in range(20):
            directory = target.parent / f"step-{step}"
            shutil.copytree(target, directory)
            child = os.fork()
            if child == 0:
                seen = 0

                def trace(_):
                    global seen
                    if seen == step:
                        os.kill(os.getpid(), signal.SIGKILL)
                    seen += 1

                def failing(connection, release):
                    connection.set_trace_callback(trace)
                    second(connection, release)

                schema.MIGRATIONS, schema.SCHEMA = (*known, failing), number_known + 1
                Store(directory, release="killed")
                os._exit(0)
            _, status = os.waitpid(child, 0)
            after_kill = columns(directory)
            schema.MIGRATIONS, schema.SCHEMA = (*known, second), number_known + 1
            Store(directory, release="resumed").close()
            schema.MIGRATIONS, schema.SCHEMA = known, number_known
            say([os.WIFEXITED(status), after_kill, columns(directory)])
            if os.WIFEXITED(status):
                break
        """,
        tmp_path / "log",
    )
    assert len(outcomes) >= 4
    assert outcomes[-1][0] is True
    for _, after_kill, resumed in outcomes:
        assert after_kill in ([schema.SCHEMA, 2], [schema.SCHEMA + 1, 3])
        assert resumed == [schema.SCHEMA + 1, 3]


def test_of_many_starters_at_once_exactly_one_makes_the_log(tmp_path: Path) -> None:
    answers = run(
        """
        from muniment.log import schema

        make, *later = schema.MIGRATIONS

        def slow(connection, release):
            os.write(made, b"x")
            make(connection, release)
            time.sleep(0.05)

        schema.MIGRATIONS = (slow, *later)
        ready, go = os.pipe()
        counted, made = os.pipe()
        children = []
        for number in range(6):
            child = os.fork()
            if child == 0:
                os.read(ready, 1)
                store = Store(target, release=str(number))
                store.close()
                os._exit(0)
            children.append(child)
        os.write(go, b"123456")
        statuses = [os.waitpid(child, 0)[1] for child in children]
        os.close(made)
        say([statuses, len(os.read(counted, 100))])
        """,
        tmp_path,
    )
    assert answers == [[[0] * 6, 1]]
    raw = independent.raw(tmp_path)
    assert raw.execute("SELECT count(*) FROM store").fetchone() == (1,)
    raw.close()


# another process has it


def test_a_forked_child_is_told_to_open_the_store_itself(tmp_path: Path) -> None:
    ((codes, status), after) = run(
        """
        m = muniment.open(target)
        known = m.save("The build runs on Fridays")
        hear, tell = os.pipe()
        child = os.fork()
        if child == 0:
            codes = []
            for use in (
                lambda: m.save("By the child"),
                lambda: m.search("build"),
                lambda: m.search(),
                lambda: m.get(known.id),
                lambda: m.history(known.id),
                lambda: list(m.log()),
                lambda: m.stats(),
                lambda: m.verify(),
                lambda: m.rebuild(),
            ):
                try:
                    use()
                    codes.append("none")
                except muniment.StorageFailed as error:
                    codes.append(error.code)
            m.close()
            with muniment.open(target) as own:
                own.save("By the child, of its own")
            os.write(tell, json.dumps(codes).encode())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        say([json.loads(os.read(hear, 1000)), status])
        m.save("By the parent, after it")
        say([sorted(hit.memory.content for hit in m.search().hits), m.verify().intact])
        m.close()
        """,
        tmp_path,
    )
    assert codes == ["forked"] * 9
    assert status == 0
    assert after == [
        ["By the child, of its own", "By the parent, after it", "The build runs on Fridays"],
        True,
    ]


@pytest.mark.parametrize(
    "holding",
    [
        "import fcntl; fcntl.flock(os.open(target / 'log.lock', os.O_RDWR), fcntl.LOCK_EX)",
        (
            "import sqlite3; c = sqlite3.connect(target / 'log.db', isolation_level=None);"
            " c.execute('BEGIN IMMEDIATE')"
        ),
    ],
)
def test_while_another_process_holds_the_log_a_save_is_busy_and_reads_go_on(
    tmp_path: Path, holding: str
) -> None:
    with muniment.open(tmp_path, settings={"log": {"busy_timeout": 0.15}}) as m:
        known = m.save("The build runs on Fridays")
        with started(f"{holding}\nsay('held')\nsys.stdin.readline()", tmp_path) as other:
            assert other.hear() == "held"
            with pytest.raises(StorageFailed) as refused:
                m.save("Not while it is held")
            assert (refused.value.code, refused.value.retry_after) == ("busy", 1.0)
            assert m.get(known.id).content == "The build runs on Fridays"
            assert len(m.search("build").hits) == 1
            other.tell()
            assert other.rest() == []
        m.save("After it was given back")
        assert [entry.position for entry in m.log()] == [1, 2]
        assert m.verify().intact


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    m = muniment.open(tmp_path)
    known = m.save("The build runs on Fridays")
    m.close()
    m.close()
    for use in (
        lambda: m.save("x y z"),
        lambda: m.search("build"),
        lambda: m.get(known.id),
        m.verify,
    ):
        with pytest.raises(StorageFailed) as refused:
            use()
        assert refused.value.code == "closed"


def test_opening_and_closing_beside_a_process_that_keeps_the_log_do_not_hang(
    tmp_path: Path,
) -> None:
    m = muniment.open(tmp_path, settings={"log": {"busy_timeout": 0.15}})
    m.save("The build runs on Fridays")
    holding = "import fcntl; fcntl.flock(os.open(target / 'log.lock', os.O_RDWR), fcntl.LOCK_EX)"
    with started(f"{holding}\nsay('held')\nsys.stdin.readline()", tmp_path) as other:
        assert other.hear() == "held"
        with pytest.raises(StorageFailed) as refused:
            muniment.open(tmp_path, settings={"log": {"busy_timeout": 0.15}})
        assert refused.value.code == "busy"
        m.close()
        other.tell()
        other.rest()
    with muniment.open(tmp_path) as m:
        assert m.verify().intact
        assert len(m.search().hits) == 1


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.97, 0.99, 0.999])
@pytest.mark.parametrize("memories", [300, 1_000])
def test_a_log_cut_short_is_refused_or_found_not_to_be_intact(
    tmp_path: Path, memories: int, share: float
) -> None:
    with muniment.open(tmp_path) as m:
        m.save_many([{"content": f"Server {n} is in rack {n * 7}"} for n in range(memories)])
    path = tmp_path / "log.db"
    os.truncate(path, int(path.stat().st_size * share))
    try:
        with muniment.open(tmp_path) as m:
            live = m.stats().memories["live"]
            assert live == memories or not m.verify().intact
            assert len(m.search("rack", limit=200).hits) == min(live, 200) > 0
    except StorageFailed as error:
        assert error.code == "corrupt"  # noqa: PT017 (either may be)


def test_a_log_that_is_gone_is_not_begun_anew_beside_its_keys(tmp_path: Path) -> None:
    with muniment.open(tmp_path) as m:
        m.save("Nothing of this may be lost without a word.")
    for file in tmp_path.glob("log.db*"):
        file.unlink()
    with pytest.raises(StorageFailed) as refused:
        muniment.open(tmp_path)
    assert refused.value.code == "log_missing"
    assert not (tmp_path / "log.db").exists()
