"""Many at once: threads on one handle, and processes on one directory."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from log_backends import SOAK
from processes import run, started
from projection_answers import differing, store_of

import muniment
from muniment import Muniment

THREADS = 8
SAVES = 50 * SOAK
BY_EACH_PROCESS = 200 * SOAK


@pytest.fixture(params=["disk", "memory"])
def m(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Muniment, None, None]:
    with muniment.open(tmp_path / "log" if request.param == "disk" else ":memory:") as opened:
        yield opened


def at_once(*work: Callable[[], object]) -> None:
    """Runs all on a thread each, and raises what the first to fail raised."""
    failures: list[BaseException] = []
    gate = threading.Barrier(len(work))

    def guarded(one: Callable[[], object]) -> None:
        gate.wait()
        try:
            one()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def sound(m: Muniment, events: int) -> None:
    assert [entry.position for entry in m.log(space="*")] == list(range(1, events + 1))
    assert m.verify().intact
    assert differing(m) == []


@contextmanager
def counted_commits(m: Muniment) -> Generator[list[int], None, None]:
    """Counts the transactions of a store."""
    datastore, commits = store_of(m).datastore, [0]
    entered = datastore.unit_of_work

    @contextmanager
    def counted(undone: Callable[[], None] | None = None) -> Generator[object, None, None]:
        commits[0] += 1
        with entered(undone) as cursor:
            yield cursor

    datastore.unit_of_work = counted  # type: ignore[method-assign,assignment]
    yield commits
    datastore.unit_of_work = entered  # type: ignore[method-assign]


def test_many_threads_save_through_one_handle(m: Muniment) -> None:
    def saving(thread: int) -> Callable[[], None]:
        def save() -> None:
            for number in range(SAVES):
                m.save(f"Person {thread * 10_000 + number} of team {thread} likes tea")

        return save

    at_once(*(saving(thread) for thread in range(THREADS)))
    sound(m, THREADS * SAVES)
    assert m.stats().memories["live"] == THREADS * SAVES


def test_readers_and_writers_do_not_wait_for_each_other_for_ever(m: Muniment) -> None:
    known = m.save("Anna works in Lisbon")

    def write() -> None:
        for number in range(SAVES):
            m.save(f"Server {number} is in rack {threading.get_ident()}")

    def search() -> None:
        for _ in range(SAVES):
            assert m.search("Lisbon").hits[0].memory.id == known.id
            assert m.search().hits
            assert m.get(known.id).content == "Anna works in Lisbon"

    def edit() -> None:
        for _ in range(SAVES):
            m.mark_used(known.id)

    at_once(write, write, search, search, search, edit)
    assert m.get(known.id).access_count == SAVES + 1
    sound(m, 1 + 3 * SAVES)


def test_a_thread_reads_what_it_has_just_written(m: Muniment) -> None:
    def work(thread: int) -> Callable[[], None]:
        def check() -> None:
            for number in range(SAVES // 5):
                name = f"zebra{thread}x{number}"
                saved = m.save(f"The code word is {name}")
                assert [hit.memory.id for hit in m.search(name).hits][:1] == [saved.id]
                m.archive(saved.id, "done")
                assert m.search(name).hits == ()

        return check

    at_once(*(work(thread) for thread in range(4)))


def test_the_same_said_by_many_threads_at_once_is_one_memory(m: Muniment) -> None:
    def say() -> None:
        for _ in range(10):
            m.save("The build runs on Fridays")

    at_once(*[say] * THREADS)
    (hit,) = m.search().hits
    assert hit.memory.reinforcement_count == THREADS * 10
    assert Counter(entry.name for entry in m.log()) == {
        "memory.saved": 1,
        "memory.reinforced": THREADS * 10 - 1,
    }
    sound(m, THREADS * 10)


def test_one_idempotency_key_used_by_many_threads_at_once_is_one_save(m: Muniment) -> None:
    answers: list[str] = []

    def say() -> None:
        answers.append(m.save("The build runs on Fridays", idempotency_key="one").id)

    at_once(*[say] * THREADS)
    assert len(answers) == THREADS
    assert len(set(answers)) == 1
    sound(m, 1)


def test_threads_that_wait_together_are_committed_together(tmp_path: Path) -> None:
    with muniment.open(tmp_path) as m:
        m.save("Warm")
        with counted_commits(m) as commits:
            at_once(
                *(
                    lambda number=number: m.save(f"Server {number} is in rack {number * 7}")
                    for number in range(64)
                )
            )
        assert 1 <= commits[0] < 64
        sound(m, 65)


def test_a_refused_command_of_a_group_leaves_the_others(tmp_path: Path) -> None:
    with muniment.open(tmp_path, settings={"log": {"busy_timeout": 30.0}}) as m:
        known = m.save("The build runs on Fridays")
        lock = store_of(m).datastore
        refused: list[str] = []

        def refuse() -> None:
            with pytest.raises(muniment.Conflict):
                m.save_many(
                    [{"content": "Never said"}, {"content": "Nor this", "expected_version": 99}]
                )
            refused.append("yes")

        threads = [
            threading.Thread(target=work)
            for number in range(12)
            for work in (
                lambda number=number: m.save(f"Server {number} is in rack {number * 7}"),
                refuse,
            )
        ]
        with counted_commits(m) as commits:
            try:
                with lock.exclusive():
                    threads[0].start()
                    while not commits[0]:
                        time.sleep(0.001)  # until it leads, and is held up by the lock
                    for thread in threads[1:]:
                        thread.start()
                    while waiting(m) < len(threads) - 1:
                        time.sleep(0.001)
            finally:
                for thread in threads:
                    if thread.ident is not None:
                        thread.join()
        assert len(refused) == 12
        assert commits[0] == 2
        sound(m, 13)
        assert m.get(known.id).version == 1


def waiting(m: Muniment) -> int:
    """How many commands wait for their turn."""
    writer = m._engine._writer  # pyright: ignore[reportPrivateUsage]
    return len(writer._waiting)  # pyright: ignore[reportPrivateUsage]


def test_verifying_while_others_write_raises_no_alarm(m: Muniment) -> None:
    done = threading.Event()

    def write() -> None:
        for number in range(SAVES * 2):
            m.save(f"Server {number} is in rack {number * 7}")
        done.set()

    def check() -> None:
        while not done.is_set():
            assert m.verify().findings == ()

    at_once(write, check)
    sound(m, SAVES * 2)


# processes


def test_two_processes_save_into_one_directory_without_a_lock_error(tmp_path: Path) -> None:
    saving = """
    m = muniment.open(target)
    say("ready")
    sys.stdin.readline()
    for number in range(int(arguments[1])):
        m.save(f"Person {number} of team {arguments[0]} likes tea")
        if number % 20 == 0:
            m.search("tea")
    m.close()
    say("done")
    """
    directory = tmp_path / "log"
    with (
        started(saving, directory, "red", BY_EACH_PROCESS) as one,
        started(saving, directory, "blue", BY_EACH_PROCESS) as other,
    ):
        assert (one.hear(), other.hear()) == ("ready", "ready")
        one.tell()
        other.tell()
        assert (one.rest(), other.rest()) == (["done"], ["done"])
    with muniment.open(directory) as m:
        sound(m, 2 * BY_EACH_PROCESS)
        contents = {entry.data["content"] for entry in m.log()}
    assert contents == {
        f"Person {number} of team {team} likes tea"
        for team in ("red", "blue")
        for number in range(BY_EACH_PROCESS)
    }


def test_the_same_said_by_two_processes_at_once_is_one_memory(tmp_path: Path) -> None:
    said = run(
        """
        children = []
        for _ in range(2):
            child = os.fork()
            if child == 0:
                with muniment.open(target) as m:
                    for _ in range(25):
                        m.save("The build runs on Fridays")
                os._exit(0)
            children.append(child)
        say([os.waitpid(child, 0)[1] for child in children])
        """,
        tmp_path / "log",
    )
    assert said == [[0, 0]]
    with muniment.open(tmp_path / "log") as m:
        (hit,) = m.search().hits
        assert hit.memory.reinforcement_count == 50
        sound(m, 50)


def test_a_handle_sees_what_another_process_has_written(tmp_path: Path) -> None:
    with muniment.open(tmp_path) as m:
        mine = m.save("Anna works in Lisbon")
        assert len(m.search().hits) == 1
        (theirs,) = run(
            """
            with muniment.open(target) as m:
                m.archive(arguments[0], "by another process")
                say(m.save("Ben works in Porto").id)
            """,
            tmp_path,
            mine.id,
        )
        assert [hit.memory.id for hit in m.search("works").hits] == [theirs]
        assert m.get(mine.id).state == "archived"
        assert m.save("Ben works in Porto").outcome == "reinforced"
        assert m.save("Anna works in Lisbon").outcome == "created"
        sound(m, 5)
