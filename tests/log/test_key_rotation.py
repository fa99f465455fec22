"""A change of the master key: whole or not at all, noticed by whoever has the vault open."""

import shutil
import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from log_backends import SOAK
from processes import run, started

import muniment
from muniment import MunimentError, Refused, StorageFailed
from muniment.log.keys import KEY_BYTES, Keys

FACT = "The build runs on Fridays"


def vault(directory: Path, *, read_only: bool = False) -> Keys:
    return Keys(directory / "keys", batch=4, busy_timeout=30.0, read_only=read_only)


def master(directory: Path) -> bytes:
    return (directory / "keys" / "master.key").read_bytes()


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()} - {"keys.db-journal"}


def test_every_key_is_read_under_the_new_master_and_none_under_the_old(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    taken = dict(keys.take() for _ in range(6))
    old = master(tmp_path)
    assert keys.rotate() >= 6
    assert {key_id: keys.get(key_id) for key_id in taken} == taken
    keys.close()
    assert master(tmp_path) != old
    assert names(tmp_path / "keys") == {"keys.db", "master.key"}
    assert stat.S_IMODE((tmp_path / "keys" / "master.key").stat().st_mode) == 0o600
    again = vault(tmp_path)
    assert {key_id: again.get(key_id) for key_id in taken} == taken
    again.close()
    (tmp_path / "keys" / "master.key").write_bytes(old)
    with_the_old_one = vault(tmp_path)
    assert [with_the_old_one.get(key_id) for key_id in taken] == [None] * 6
    with_the_old_one.close()


def test_it_may_be_changed_again_and_again(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    key_id, raw = keys.take()
    masters = {master(tmp_path)}
    for _ in range(3):
        keys.rotate()
        masters.add(master(tmp_path))
    keys.close()
    assert len(masters) == 4
    again = vault(tmp_path)
    assert again.get(key_id) == raw
    again.close()


def test_a_damaged_key_is_left_as_it_is(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    (one, _), (other, raw) = keys.take(), keys.take()
    keys.adopt("store", [(7, raw)])
    connection = sqlite3.connect(tmp_path / "keys" / "keys.db")
    with connection:
        connection.execute("UPDATE keys SET wrapped = x'00' WHERE id = ?", (one,))
    connection.close()
    assert keys.rotate() >= 3
    keys.close()
    again = vault(tmp_path)
    assert (again.get(one), again.get(other), again.get(7)) == (None, raw, raw)
    again.close()


def test_a_vault_in_memory_can_be_changed_too() -> None:
    keys = Keys(None, batch=4)
    key_id, raw = keys.take()
    keys.rotate()
    keys.forget([key_id])
    assert keys.get(key_id) == raw
    keys.close()


def test_under_another_master_key_nothing_is_minted_or_changed(tmp_path: Path) -> None:
    vault(tmp_path).close()
    (tmp_path / "keys" / "master.key").write_bytes(b"o" * KEY_BYTES)
    keys = vault(tmp_path)
    for refused in (
        keys.take,
        keys.rotate,
        keys.vault,
        lambda: keys.adopt("store", [(7, b"r" * 32)]),
    ):
        with pytest.raises(StorageFailed) as caught:
            refused()
        assert caught.value.code == "master_key_wrong"
    keys.close()
    assert master(tmp_path) == b"o" * KEY_BYTES
    assert names(tmp_path / "keys") == {"keys.db", "master.key"}


def test_opened_for_reading_it_is_not_changed(tmp_path: Path) -> None:
    vault(tmp_path).close()
    reader = vault(tmp_path, read_only=True)
    with pytest.raises(StorageFailed) as caught:
        reader.rotate()
    assert caught.value.code == "read_only"
    reader.close()


_KILLED = """
import shutil
import sqlite3
from muniment.log import keys as vaults, master as masters
from muniment.log.keys import Keys

OURS = {vaults.__file__, masters.__file__}


def opened(directory):
    return Keys(directory, batch=4, busy_timeout=30.0)


def killed_at(step, directory):
    keys, seen = opened(directory), 0

    def watch(frame, event, _):
        nonlocal seen
        if frame.f_code.co_filename not in OURS:
            return None
        if event in ("line", "return"):
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)
        return watch

    sys.settrace(watch)
    keys.rotate()
    sys.settrace(None)
    os._exit(0)


for step in range(1, 10_000, int(arguments[0])):
    directory = target / str(step)
    shutil.copytree(target / "keys", directory)
    child = os.fork()
    if child == 0:
        killed_at(step, directory)
    if os.waitpid(child, 0)[1] == 0:
        say(step)
        break
"""


def test_killed_at_any_line_it_leaves_the_old_or_the_new_master_valid(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    taken = dict(keys.take() for _ in range(3))
    keys.close()
    old = master(tmp_path)
    stride = 3 if SOAK == 1 else 1
    (steps,) = run(_KILLED, tmp_path, stride)
    assert steps > 40
    kept = {"old": 0, "new": 0, "unsettled": 0}
    for step in range(1, steps + 1, stride):
        left = tmp_path / str(step)
        kept["unsettled"] += (left / "master.key.next").exists()
        for read_only in (True, False):
            found = Keys(left, batch=4, read_only=read_only)
            assert {key_id: found.get(key_id) for key_id in taken} == taken, step
            if not read_only:
                found.take()
            found.close()
        assert names(left) == {"keys.db", "master.key"}, step
        kept["old" if (left / "master.key").read_bytes() == old else "new"] += 1
    assert min(kept.values()) > 0, kept


_HOLDING = """
m = muniment.open(target, settings={"log": {"key_batch": 4}})
m.save("Anna works in Lisbon")
say("open")
sys.stdin.readline()
saved = [m.save(f"Server {number} is in rack {number * 7}").id for number in range(12)]
say([m.get(id_).content for id_ in (arguments[0], *saved)])
m.close()
"""


def test_a_process_that_has_the_vault_open_notices_and_goes_on(tmp_path: Path) -> None:
    with muniment.open(tmp_path) as m:
        first = m.save(FACT).id
        with started(_HOLDING, tmp_path, first) as process:
            assert process.hear() == "open"
            m.keys.rotate()
            process.tell()
            assert len(set(process.hear())) == 13
            assert process.rest() == []
        m.keys.rotate()
    with muniment.open(tmp_path) as m:
        found = m.search("server", limit=50).hits
        assert len(found) == 12
        assert not [hit for hit in found if hit.memory.fault]
        assert m.get(first).content == FACT


def test_threads_that_save_meanwhile_lose_nothing(tmp_path: Path) -> None:
    kept: list[str] = []
    with muniment.open(tmp_path, settings={"log": {"key_batch": 2}}) as m:

        def save(thread: int) -> None:
            kept.extend(
                m.save(f"Server {thread}-{number} is in rack {number * 7 + thread}").id
                for number in range(15)
            )

        threads = [threading.Thread(target=save, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            m.keys.rotate()
        for thread in threads:
            thread.join()
    with muniment.open(tmp_path) as m:
        assert not [id_ for id_ in kept if m.get(id_).fault]


def test_two_that_change_it_at_once_both_do(tmp_path: Path) -> None:
    first, second = vault(tmp_path), vault(tmp_path)
    key_id, raw = first.take()
    failed: list[BaseException] = []

    def rotate(keys: Keys) -> None:
        try:
            for _ in range(10):
                keys.rotate()
        except BaseException as error:  # noqa: BLE001 (it is asserted on)
            failed.append(error)

    threads = [threading.Thread(target=rotate, args=(keys,)) for keys in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    for keys in (first, second):
        keys.forget([key_id])
        assert keys.get(key_id) == raw
        keys.close()
    assert names(tmp_path / "keys") == {"keys.db", "master.key"}


def test_a_copy_taken_between_the_two_steps_opens(tmp_path: Path) -> None:
    """What a killed change leaves is copied like any directory, the second file too."""
    with muniment.open(tmp_path / "store") as m:
        id_ = m.save(FACT).id
        keys = tmp_path / "store" / "keys"
        shutil.copy(keys / "master.key", tmp_path / "old")
        m.keys.rotate()
        (keys / "master.key").rename(keys / "master.key.next")
        shutil.copy(tmp_path / "old", keys / "master.key")
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    for read_only in (True, False, True):
        with muniment.open(tmp_path / "copy", read_only=read_only) as m:
            assert m.get(id_).content == FACT
    assert names(tmp_path / "copy" / "keys") == {"keys.db", "master.key"}


@pytest.mark.parametrize("role", ["main", "contributor", "service", "auditor"])
def test_only_owner_and_admin_touch_the_keys(tmp_path: Path, role: str) -> None:
    with muniment.open(tmp_path, role=role) as m:  # type: ignore[arg-type]
        for refused in (m.keys.rotate, lambda: m.keys.backup(tmp_path / "keys.json")):
            with pytest.raises(Refused) as caught:
                refused()
            assert caught.value.code == "role_refused"
    assert issubclass(Refused, MunimentError)


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_owner_and_admin_may(tmp_path: Path, role: str) -> None:
    with muniment.open(tmp_path, role=role) as m:  # type: ignore[arg-type]
        assert m.keys.rotate().keys == 0
