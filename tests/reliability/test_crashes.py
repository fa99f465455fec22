"""Killed, out of space, cut short: what was acknowledged is there, and nothing else."""

import random
import shutil
from pathlib import Path

import independent
import pytest
from log_backends import SOAK
from processes import run, started
from projection_answers import differing

import muniment

ROUNDS = 10 * SOAK
CUTS = 30 * SOAK

_SAVING = """
def save_for_ever(tell, first):
    m = muniment.open(target)
    for number in range(first, first + 1_000):
        os.write(tell, f"asked {number}\\n".encode())
        saved = m.save(f"Server number {number} is in rack {number * 7}")
        os.write(tell, f"kept {number} {saved.id}\\n".encode())


for round_ in range(int(arguments[0])):
    lines = int(sys.stdin.readline())
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        save_for_ever(tell, round_ * 1_000)
    os.close(tell)
    with open(hear) as acknowledgements:
        said = [acknowledgements.readline().split() for _ in range(lines)]
        os.kill(child, signal.SIGKILL)
        said += [line.split() for line in acknowledgements if line.endswith("\\n")]
    os.waitpid(child, 0)
    say(said)
"""


def checked(directory: Path, texts: list[str]) -> dict[str, str]:
    """Opens what is left, asserts that it is sound, and gives the content of each memory."""
    with muniment.open(directory) as m:
        assert m.verify().intact
        assert [entry.position for entry in m.log()] == list(range(1, m.stats().head + 1))
        assert differing(m, texts) == []
        kept = {entry.stream: m.get(entry.stream).content or "" for entry in m.log()}
    raw = independent.raw(directory)
    rows = independent.stored(raw)
    (store_id,) = raw.execute("SELECT id FROM store").fetchone()
    raw.close()
    independent.check_chain(rows, store_id)
    return kept


def test_killed_while_saving_nothing_acknowledged_is_lost_and_nothing_else_appears(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    directory = tmp_path / "log"
    acknowledged: dict[str, int] = {}
    asked: set[int] = set()
    with started(_SAVING, directory, ROUNDS) as process:
        for number in range(ROUNDS):
            process.tell(str(chance.randrange(1, 60)))
            for what, *about in process.hear():
                if what == "asked":
                    asked.add(int(about[0]))
                else:
                    acknowledged[about[1]] = int(about[0])
            kept = checked(directory, [])
            numbers = {id_: int(content.split()[2]) for id_, content in kept.items()}
            assert acknowledged.items() <= numbers.items()
            unknown = {one for id_, one in numbers.items() if id_ not in acknowledged}
            assert unknown <= asked - set(acknowledged.values())
            assert len(unknown) <= number + 1
        assert process.rest() == []
    assert len(acknowledged) > ROUNDS


def test_killed_between_commit_and_reply_a_retry_makes_no_second_memory(tmp_path: Path) -> None:
    directory = tmp_path / "log"
    said = run(
        """
        from muniment.log import writer

        def attempt(m, number):
            return m.save(f"Server number {number} is in rack 7", idempotency_key=f"k{number}")

        def die(*_):
            os.kill(os.getpid(), signal.SIGKILL)

        for number in range(int(arguments[0])):
            child = os.fork()
            if child == 0:
                writer.ReadModels.apply = die  # what comes next after the commit
                attempt(muniment.open(target), number)
                os._exit(1)
            _, status = os.waitpid(child, 0)
            with muniment.open(target) as m:
                head = m.stats().head
                answer = attempt(m, number)
                say([os.WTERMSIG(status), head, m.stats().head, answer.outcome, answer.position])
        """,
        directory,
        ROUNDS,
    )
    assert said == [[9, number, number, "created", number] for number in range(1, ROUNDS + 1)]
    assert len(checked(directory, [])) == ROUNDS


@pytest.mark.parametrize("before", ["commit", "append"])
def test_killed_before_the_commit_nothing_is_there_and_a_retry_makes_one(
    tmp_path: Path, before: str
) -> None:
    directory = tmp_path / "log"
    said = run(
        """
        child = os.fork()
        if child == 0:
            from muniment.log import datastore, recorder

            def die(*_):
                os.kill(os.getpid(), signal.SIGKILL)

            m = muniment.open(target)
            if arguments[0] == "commit":
                datastore._commit = die
            else:
                m._engine.store.append = die
            m.save("The build runs on Fridays", idempotency_key="k")
            os._exit(1)
        _, status = os.waitpid(child, 0)
        with muniment.open(target) as m:
            head = m.stats().head
            answer = m.save("The build runs on Fridays", idempotency_key="k")
            say([os.WTERMSIG(status), head, answer.outcome, answer.position])
        """,
        directory,
        before,
    )
    assert said == [[9, 0, "created", 1]]
    checked(directory, [])


def test_a_write_ahead_log_cut_anywhere_opens_to_a_clean_beginning(tmp_path: Path) -> None:
    directory = tmp_path / "log"
    contents = run(
        """
        child = os.fork()
        if child == 0:
            m = muniment.open(target)
            for number in range(60):
                m.save(f"Server number {number} is in rack {number * 7}")
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        """,
        directory,
    )
    assert contents == []
    wal = (directory / "log.db-wal").read_bytes()
    whole = list(checked(_copy(directory, tmp_path / "whole"), []).values())
    assert len(whole) == 60
    chance = random.Random(11)
    offsets = {0, 31, 32, len(wal) - 1} | {chance.randrange(len(wal)) for _ in range(CUTS - 4)}
    found: set[int] = set()
    for number, offset in enumerate(sorted(offsets)):
        cut = _copy(directory, tmp_path / f"cut-{number}")
        (cut / "log.db-wal").write_bytes(wal[:offset])
        (cut / "log.db-shm").unlink(missing_ok=True)
        with muniment.open(cut) as m:
            kept = [entry.data["content"] for entry in m.log()]
            assert kept == whole[: len(kept)]
            assert m.verify().intact
            assert m.save("Written after the cut").position == len(kept) + 1
        found.add(len(kept))
        shutil.rmtree(cut)
    assert min(found) == 0
    assert len(found) > 10


def _copy(directory: Path, copy: Path) -> Path:
    shutil.copytree(directory, copy)
    return copy


def test_a_torn_or_flipped_frame_ends_the_log_before_it(tmp_path: Path) -> None:
    directory = tmp_path / "log"
    run(
        """
        child = os.fork()
        if child == 0:
            m = muniment.open(target)
            for number in range(20):
                m.save(f"Server number {number} is in rack {number * 7}")
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        """,
        directory,
    )
    wal = (directory / "log.db-wal").read_bytes()
    whole = list(checked(_copy(directory, tmp_path / "whole"), []).values())
    chance = random.Random(13)
    for number in range(10 * SOAK):
        torn = bytearray(wal)
        at = chance.randrange(32, len(wal) - 512)
        torn[at : at + 512] = bytes(512) if number % 2 else chance.randbytes(512)
        copy = _copy(directory, tmp_path / f"torn-{number}")
        (copy / "log.db-wal").write_bytes(torn)
        (copy / "log.db-shm").unlink(missing_ok=True)
        with muniment.open(copy) as m:
            kept = [entry.data["content"] for entry in m.log()]
            assert kept == whole[: len(kept)]
            assert m.verify().intact
        shutil.rmtree(copy)


def test_out_of_space_saves_fail_typed_reads_go_on_and_writes_resume(tmp_path: Path) -> None:
    directory = tmp_path / "log"
    (said,) = run(
        """
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        m = muniment.open(target)
        kept = {}

        def save(number):
            text = f"Server number {number} is in rack {number * 7}"
            kept[m.save(text).id] = text

        for number in range(20):
            save(number)
        size = (target / "log.db-wal").stat().st_size
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20_000, hard))
        failures, failed = [], 0
        for number in range(20, 60):
            try:
                save(number)
            except muniment.MunimentError as error:
                failures.append([type(error).__name__, error.code])
                failed += 1
                if failed == 5:
                    break
        reads = [len(m.search("rack", limit=100).hits), m.verify().intact]
        held = len(kept)
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        for number in range(100, 110):
            save(number)
        there = {entry.stream: entry.data["content"] for entry in m.log()}
        say([failures, reads, held, kept.items() <= there.items(), len(there), len(kept),
             m.verify().intact])
        m.close()
        """,
        directory,
    )
    failures, reads, held, all_there, there, kept, intact = said
    assert len(failures) == 5
    assert {family for family, _ in failures} == {"StorageFailed"}
    assert {code for _, code in failures} <= {"full", "io_error", "outcome_unknown"}
    assert reads[0] >= held >= 20
    assert reads[1] is True
    assert all_there
    assert kept <= there <= kept + 5
    assert intact
    checked(directory, [])


def test_a_bulk_save_that_is_killed_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    chance = random.Random(17)
    for number in range(max(3, ROUNDS // 3)):
        directory = tmp_path / str(number)
        with started(
            """
            m = muniment.open(target)
            m.save("Warm")
            say("ready")
            m.save_many(
                [{"content": f"Server number {n} is in rack {n * 7}"} for n in range(300)]
            )
            say("kept")
            time.sleep(60)
            """,
            directory,
        ) as process:
            assert process.hear() == "ready"
            process.popen.poll()
            if chance.random() < 0.3:
                assert process.hear() == "kept"
            rest = process.kill()
        kept = checked(directory, [])
        assert len(kept) in (1, 301)
        if "kept" in rest:
            assert len(kept) == 301


def test_without_space_for_keys_a_save_fails_typed_and_the_next_ones_succeed(
    tmp_path: Path,
) -> None:
    (said,) = run(
        """
        import logging, resource, structlog
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        m = muniment.open(target, settings={"log": {"key_batch": 4}})
        m.save("Anna works in Lisbon")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, hard))
        codes = []
        for number in range(6):
            try:
                m.save(f"Server number {number} is in rack {number * 7}")
            except muniment.StorageFailed as error:
                codes.append(error.code)
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        for number in range(10, 20):
            m.save(f"Server number {number} is in rack {number * 7}")
        say([codes, m.stats().memories["live"], m.verify().intact])
        m.close()
        """,
        tmp_path / "log",
    )
    codes, live, intact = said
    assert len(codes) == 6
    assert "keys_failed" in codes
    assert 11 <= live <= 17
    assert intact
    checked(tmp_path / "log", [])
