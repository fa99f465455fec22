"""``work.db``: shared by processes, sealed, swept, migrated, and never in the way of the log."""

import sqlite3
import threading
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from bdd import Clock
from processes import run, started
from work_of import engine_of, rows_of, work_of

import muniment
from muniment import Muniment, StorageFailed
from muniment.work import schema
from muniment.work.store import WorkStore

WORDS = ("zebrakey", "zebravalue", "zebratag", "zebracategory", "zebrasession", "zebraturn")


def fill(m: Muniment) -> None:
    """One of each, with words that can be looked for."""
    m.working.save(
        "session/zebrakey/zebrakey", "zebravalue", tags=["zebratag"], category="zebracategory"
    )
    m.conversation.append("zebrasession", "user", "zebraturn")
    m.report_tool_call("zebrasession", "zebratool", {"zebraargument": 1}, False, "zebraerror")
    m.context("zebrasession", "zebramessage")


def bytes_of(directory: Path) -> bytes:
    """Everything under a directory that nobody has open."""
    return b"".join(path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "store"


SAVING = """
with muniment.open(target, actor="bot:" + arguments[0]) as m:
    say("open")
    sys.stdin.readline()
    for number in range(50):
        m.working.save(f"session/{arguments[0]}/k{number}", f"value {number}", ttl=3600)
        if number % 5 == 0:
            m.conversation.append("talk", "user", f"{arguments[0]} {number}")
    say("done")
"""


class TestProcesses:
    def test_two_share_working_memory_and_lose_nothing(self, directory: Path) -> None:
        with muniment.open(directory):
            pass
        with (
            started(SAVING, directory, "one") as one,
            started(SAVING, directory, "two") as two,
        ):
            assert (one.hear(), two.hear()) == ("open", "open")
            one.tell()
            two.tell()
            assert (one.hear(), two.hear()) == ("done", "done")
            assert one.rest() == two.rest() == []
        with muniment.open(directory) as m:
            for name in ("one", "two"):
                found = m.working.search(namespace=f"session/{name}")
                values = {hit.key: hit.value for hit in found}
                assert values == {f"session/{name}/k{n}": f"value {n}" for n in range(50)}
                assert {hit.writer for hit in found} == {f"bot:{name}"}
            turns = [hit.turn for hit in m.conversation.search(limit=200)]
            assert len({turn.number for turn in turns}) == len(turns) == 20
            for name in ("one", "two"):  # each in its own order
                mine = [turn.content for turn in reversed(turns) if turn.content.startswith(name)]
                assert mine == [f"{name} {n}" for n in range(0, 50, 5)]

    def test_one_sees_what_another_has_just_written(self, directory: Path) -> None:
        code = """
        with muniment.open(target) as m:
            m.working.save("shared/a/x", "from elsewhere")
            for line in sys.stdin:
                m.working.save("shared/a/x", line.strip())
                say(m.working.search("here").hits[0].value)
        """
        with muniment.open(directory) as m:
            m.working.save("shared/b/x", "here 0")
            assert len(m.working.search("here")) == 1
            with started(code, directory) as other:
                other.tell("nothing here")
                assert other.hear() in ("nothing here", "here 0")
                assert m.working.get("shared/a/x").value == "nothing here"
                assert {hit.value for hit in m.working.search("here")} == {"here 0", "nothing here"}
                m.working.save("shared/b/x", "gone")
                other.tell("here too")
                assert other.hear() == "here too"

    def test_what_was_acknowledged_outlives_a_killed_process(self, directory: Path) -> None:
        code = """
        with muniment.open(target) as m:
            for number in range(1_000_000):
                m.conversation.append("talk", "user", str(number))
                say(number)
        """
        with started(code, directory) as process:
            heard = [process.hear() for _ in range(5)]
            heard += process.kill()
        with muniment.open(directory) as m:
            turns = work_of(m).turns.unread("default", "mining", 1_000_000)
        kept = [int(turn.content) for turn in turns]
        assert kept == list(range(len(kept)))
        assert len(kept) - len(heard) in (0, 1)  # one may have been kept and not told

    def test_a_child_of_the_process_that_opened_it_is_refused(self, directory: Path) -> None:
        code = """
        with muniment.open(target) as m:
            m.working.save("shared/a/x", "v")
            child = os.fork()
            if child == 0:
                try:
                    m.working.get("shared/a/x")
                except muniment.StorageFailed as error:
                    say(error.code)
                os._exit(0)
            os.waitpid(child, 0)
            say(m.working.get("shared/a/x").value)
        """
        assert run(code, directory) == ["forked", "v"]


class TestThreads:
    def test_many_threads_lose_nothing(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            failures: list[BaseException] = []

            def work(name: str) -> None:
                try:
                    for number in range(10):
                        m.working.save(f"session/{name}/k{number}", f"harbour {name}")
                        m.conversation.append(name, "user", f"turn {number}")
                        assert m.working.search("harbour", namespace=f"session/{name}")
                        assert m.context(name, "harbour").turns[-1].content == f"turn {number}"
                except BaseException as error:  # noqa: BLE001
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert failures == []
            assert len(m.working.search()) == len(m.conversation.search(limit=200)) == 60

    def test_threads_at_the_limit_never_pass_it(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            refused: list[str] = []

            def work(name: str) -> None:
                for number in range(20):
                    try:
                        m.working.save(f"shared/full/{name}-{number}", "v")
                    except muniment.Refused as error:
                        refused.append(error.code)

            threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(m.working.search()) == 50
            assert refused == ["namespace_full"] * 30

    def test_two_handles_of_one_process_lose_nothing(self, directory: Path) -> None:
        with muniment.open(directory) as one:
            one.working.save("a/b/first", "v")
            with muniment.open(directory) as other:

                def work(m: Muniment, name: str) -> None:
                    for number in range(20):
                        m.working.save(f"shared/{name}/k{number}", "v")

                threads = [
                    threading.Thread(target=work, args=(m, name))
                    for m, name in ((one, "one"), (other, "other"))
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert len(one.working.search()) == len(other.working.search()) == 41

    def test_opening_another_handle_leaves_the_locks_of_the_first(self, directory: Path) -> None:
        code = """
        import sqlite3
        raw = sqlite3.connect(target / "work.db", timeout=0)
        try:
            raw.execute("PRAGMA journal_mode = DELETE").fetchone()
            say("nobody held it")
        except sqlite3.OperationalError as error:
            say(str(error))
        """
        with muniment.open(directory) as one:
            one.working.save("a/b/first", "v")
            with muniment.open(directory) as other:
                assert len(other.working.search()) == 1
            assert run(code, directory) == ["database is locked"]


class TestTheFile:
    def test_only_its_owner_may_use_it_and_it_is_made_when_it_is_needed(
        self, directory: Path
    ) -> None:
        with muniment.open(directory) as m:
            m.save("Rack 12 is full")
            assert not (directory / "work.db").exists()
            fill(m)
            assert {p.stat().st_mode & 0o777 for p in directory.glob("work.*")} == {0o600}

    def test_no_word_stands_in_it(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            fill(m)
            assert m.working.search("zebravalue").hits[0].tags == ("zebratag",)
        found = bytes_of(directory).lower()
        assert b"zebra" not in found
        for word in WORDS:
            assert word.encode("utf-16-le") not in found

    def test_another_programs_file_is_left_as_it_is(self, directory: Path) -> None:
        directory.mkdir()
        with closing(sqlite3.connect(directory / "work.db")) as other:
            other.execute("CREATE TABLE theirs (x)")
        before = (directory / "work.db").read_bytes()
        with muniment.open(directory) as m:
            with pytest.raises(StorageFailed) as caught:
                m.working.search()
            assert caught.value.code == "not_ours"
            assert m.save("Rack 12 is full").outcome == "created"  # the log goes on
        assert (directory / "work.db").read_bytes() == before

    def test_a_newer_one_is_refused(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            fill(m)
        with closing(sqlite3.connect(directory / "work.db")) as raw:
            raw.execute(f"PRAGMA user_version = {schema.SCHEMA + 1}")
        with muniment.open(directory) as m, pytest.raises(StorageFailed) as caught:
            m.working.search()
        assert caught.value.code == "newer_schema"

    def test_a_migration_that_dies_leaves_the_schema_before_it(
        self, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with muniment.open(directory) as m:
            fill(m)

        def dies(connection: sqlite3.Connection) -> None:
            connection.execute("CREATE TABLE half (x)")
            raise sqlite3.OperationalError("killed")

        with monkeypatch.context() as patch:
            patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, dies))
            patch.setattr(schema, "SCHEMA", schema.SCHEMA + 1)
            with muniment.open(directory) as m, pytest.raises(StorageFailed):
                m.working.search()
            with (
                muniment.open(directory, read_only=True) as m,
                pytest.raises(StorageFailed) as caught,
            ):
                m.working.search()
            assert caught.value.code == "older_schema"
        with muniment.open(directory) as m:
            assert len(m.working.search()) == 1
        with closing(sqlite3.connect(directory / "work.db")) as raw:
            assert raw.execute("SELECT * FROM sqlite_schema WHERE name = 'half'").fetchall() == []

    def test_a_damaged_one_names_itself(self, directory: Path) -> None:
        directory.mkdir()
        (directory / "work.db").write_bytes(b"no database at all, but long enough for one" * 99)
        with muniment.open(directory) as m:
            with pytest.raises(StorageFailed, match=r"work\.db is damaged") as caught:
                m.working.search()
            assert caught.value.code == "corrupt"
            assert m.save("Rack 12 is full").outcome == "created"

    def test_a_damaged_row_names_the_file(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            fill(m)
        with closing(sqlite3.connect(directory / "work.db")) as raw:
            raw.execute("UPDATE entries SET heading = zeroblob(64)")
            raw.commit()
        with muniment.open(directory) as m, pytest.raises(StorageFailed) as caught:
            m.working.search()
        assert caught.value.code == "corrupt"
        assert "work.db" in caught.value.message

    def test_a_sealed_row_opens_in_its_own_place_alone(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            fill(m)
            m.acting_as("manual", space="other").working.save("a/b/c", "theirs")
        with closing(sqlite3.connect(directory / "work.db")) as raw:
            raw.execute("UPDATE entries SET value = heading WHERE space = 'default'")
            raw.commit()
        with muniment.open(directory) as m, pytest.raises(StorageFailed):
            m.working.search()

    def test_without_its_key_nothing_is_read_and_it_says_so(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            fill(m)
        with closing(sqlite3.connect(directory / "work.db")) as raw:
            ((key,),) = raw.execute("SELECT key_id FROM spaces").fetchall()
        with muniment.open(directory) as m:
            engine_of(m).store.keys.destroy([key])
            with pytest.raises(StorageFailed) as caught:
                m.working.search()
            assert caught.value.code == "key_missing"


class TestReadOnly:
    def test_what_is_there_is_read_and_nothing_is_written(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            fill(m)
        with muniment.open(directory, read_only=True) as m:
            assert m.working.search("zebravalue").hits[0].value == "zebravalue"
            assert len(m.conversation.turns("zebrasession")) == 1
            with pytest.raises(StorageFailed) as caught:
                m.working.save("a/b/c", "v")
            assert caught.value.code == "read_only"

    def test_a_file_that_is_missing_is_empty(self, directory: Path) -> None:
        with muniment.open(directory) as m:
            m.save("Rack 12 is full")
        with muniment.open(directory, read_only=True) as m:
            assert m.working.search().hits == ()
            assert m.conversation.turns("a") == []
        assert not (directory / "work.db").exists()

    def test_a_closed_store_says_so(self, directory: Path) -> None:
        for use in (fill, str):
            m = muniment.open(directory)
            use(m)
            m.close()
            with pytest.raises(StorageFailed) as caught:
                m.working.get("a/b/c")
            assert caught.value.code == "closed"


class TestSweeping:
    def rows(self, m: Muniment, *tables: str) -> list[int]:
        return [rows_of(m, f"SELECT count(*) FROM {table}")[0][0] for table in tables]

    def test_what_is_over_is_deleted_within_the_hour(self, m: Muniment, clock: Clock) -> None:
        m.save("The zebra is in stable 5")
        fill(m)
        clock.advance(minutes=59)
        assert self.rows(m, "entries", "shown") == [1, 1]
        clock.advance(minutes=1)
        assert self.rows(m, "entries", "shown") == [0, 0]
        assert self.rows(m, "turns", "sessions", "reports") == [1, 1, 1]
        clock.advance(days=30)
        assert self.rows(m, "turns", "sessions", "reports") == [0, 0, 0]

    def test_answers_go_on_where_sweeping_fails(
        self, m: Muniment, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(store: WorkStore, now: datetime) -> None:
            raise StorageFailed("The disk is full.", code="full")

        fill(m)
        clock.advance(hours=1)
        monkeypatch.setattr(WorkStore, "sweep", fails)
        assert m.working.search().hits == ()
        assert len(m.conversation.search()) == 1

    def test_a_clock_that_is_set_back_is_no_obstacle(self, m: Muniment, clock: Clock) -> None:
        m.working.save("a/b/c", "v")
        clock.advance(days=-400)
        m.working.save("a/b/d", "w")
        assert {hit.value for hit in m.working.search()} == {"v", "w"}
        clock.advance(minutes=6)
        assert {hit.value for hit in m.working.search()} == {"v"}


def test_the_disk_may_be_full(directory: Path) -> None:
    code = """
    import resource
    with muniment.open(target) as m:
        m.working.save("a/b/kept", "v")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit = max(p.stat().st_size for p in target.iterdir() if p.is_file()) + 200_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            m.working.save("a/b/large", "x" * 1_000_000)
        except muniment.StorageFailed as error:
            say(error.code)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        m.working.save("a/b/after", "w")
        say(sorted(hit.key for hit in m.working.search()))
    """
    code_, keys = run(code, directory)
    assert code_ in ("full", "io_error")
    assert keys == ["a/b/after", "a/b/kept"]


def test_a_work_db_in_memory_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with muniment.open(":memory:") as m:
        fill(m)
        assert m.working.search("zebravalue").hits
    assert list(tmp_path.iterdir()) == []
