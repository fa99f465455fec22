"""The keys that words are under: minted ahead, wrapped, for their owner alone, never in the log."""

import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from log_backends import Sqlite
from making import new_stream, pending, saved
from processes import run
from projection_answers import store_of

import muniment
from muniment import StorageFailed
from muniment.domain.memory import events
from muniment.log.keys import KEY_BYTES, Keys


def vault(directory: Path, *, batch: int = 8, read_only: bool = False) -> Keys:
    return Keys(directory / "keys", batch=batch, busy_timeout=5.0, read_only=read_only)


def wrapped(directory: Path) -> dict[int, bytes]:
    connection = sqlite3.connect(directory / "keys" / "keys.db")
    found = dict(connection.execute("SELECT id, wrapped FROM keys").fetchall())
    connection.close()
    return found


def refusal(directory: Path, *, read_only: bool = False) -> str:
    with pytest.raises(StorageFailed) as refused:
        vault(directory, read_only=read_only)
    return refused.value.code


# minting


def test_keys_are_minted_ahead_in_one_batch(tmp_path: Path) -> None:
    keys = vault(tmp_path, batch=8)
    assert wrapped(tmp_path) == {}
    key_id, raw = keys.take()
    assert len(wrapped(tmp_path)) == 8
    assert key_id in wrapped(tmp_path)
    assert len(raw) == KEY_BYTES
    keys.close()


def test_a_batch_is_refilled_in_the_background_before_it_ends(tmp_path: Path) -> None:
    keys = vault(tmp_path, batch=8)
    taken = {keys.take()[0] for _ in range(6)}
    keys.close()  # waits for the refill
    assert len(wrapped(tmp_path)) == 16
    assert taken <= wrapped(tmp_path).keys()


def test_a_batch_of_one_is_enough(tmp_path: Path) -> None:
    keys = vault(tmp_path, batch=1)
    assert len({keys.take() for _ in range(5)}) == 5
    keys.close()


def test_no_key_is_given_out_twice(tmp_path: Path) -> None:
    keys = vault(tmp_path, batch=16)
    taken: list[tuple[int, bytes]] = []

    def take() -> None:
        taken.extend(keys.take() for _ in range(50))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    keys.close()
    assert len({key_id for key_id, _ in taken}) == len({raw for _, raw in taken}) == 200


def test_ids_are_positive_and_fit_sixty_three_bits(tmp_path: Path) -> None:
    keys = vault(tmp_path, batch=512)
    keys.take()
    keys.close()
    assert all(0 < key_id < 2**63 for key_id in wrapped(tmp_path))
    assert max(wrapped(tmp_path)) > 2**56


def test_two_processes_mint_at_once(tmp_path: Path) -> None:
    (counts,) = run(
        """
        from muniment.log.keys import Keys
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                keys = Keys(target / "keys", batch=4, busy_timeout=20.0)
                for _ in range(40):
                    keys.take()
                keys.close()
                os._exit(0)
            children.append(child)
        say([os.waitpid(child, 0)[1] for child in children])
        """,
        tmp_path,
    )
    assert counts == [0, 0, 0, 0]
    keys = vault(tmp_path)
    stored = wrapped(tmp_path)
    assert len(stored) >= 160
    assert all(keys.get(key_id) is not None for key_id in stored)
    keys.close()


# reading back


def test_a_key_is_the_same_after_reopening(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    key_id, raw = keys.take()
    keys.close()
    again = vault(tmp_path)
    assert again.get(key_id) == raw
    again.warm()
    assert again.get(key_id) == raw
    again.close()


def test_a_key_that_is_not_there_is_none(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    assert keys.get(7) is None
    keys.close()


def test_reading_alone_reads_keys_and_mints_none(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    key_id, raw = keys.take()
    keys.close()
    reader = vault(tmp_path, read_only=True)
    assert reader.get(key_id) == raw
    with pytest.raises(StorageFailed) as refused:
        reader.take()
    assert refused.value.code == "read_only"
    reader.close()


@pytest.mark.parametrize("damage", [b"", b"\0", b"x" * 12, b"x" * 60])
def test_a_damaged_key_is_none_and_the_others_are_read(tmp_path: Path, damage: bytes) -> None:
    keys = vault(tmp_path)
    (one, _), (other, raw) = keys.take(), keys.take()
    keys.close()
    connection = sqlite3.connect(tmp_path / "keys" / "keys.db")
    with connection:
        connection.execute("UPDATE keys SET wrapped = ? WHERE id = ?", (damage, one))
    connection.close()
    again = vault(tmp_path)
    again.warm()
    assert again.get(one) is None
    assert again.get(other) == raw
    again.close()


def test_a_wrapped_key_is_bound_to_its_id(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    (one, _), (other, _) = keys.take(), keys.take()
    keys.close()
    connection = sqlite3.connect(tmp_path / "keys" / "keys.db")
    with connection:
        connection.execute(
            "UPDATE keys SET wrapped = (SELECT wrapped FROM keys WHERE id = ?) WHERE id = ?",
            (one, other),
        )
    connection.close()
    again = vault(tmp_path)
    assert again.get(other) is None
    again.close()


# the master key


def test_files_and_directory_are_for_their_owner_alone(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    keys.take()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "keys").iterdir()}
    keys.close()
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_no_raw_key_is_on_the_disk(tmp_path: Path) -> None:
    log = Sqlite(tmp_path / "log")
    log.append(pending(saved()))
    raw = [log.store.keys.take()[1] for _ in range(300)]
    everything = log.at_rest()
    log.close()
    assert len(everything) > 50_000
    assert not [key for key in raw if key in everything or key.hex().encode() in everything]


def test_without_its_master_key_a_vault_refuses_and_makes_no_other(tmp_path: Path) -> None:
    vault(tmp_path).close()
    (tmp_path / "keys" / "master.key").unlink()
    assert refusal(tmp_path) == "master_key_unreadable"
    assert refusal(tmp_path, read_only=True) == "master_key_unreadable"
    assert not (tmp_path / "keys" / "master.key").exists()


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_master_key_of_another_length_is_refused(tmp_path: Path, content: bytes) -> None:
    vault(tmp_path).close()
    (tmp_path / "keys" / "master.key").write_bytes(content)
    assert refusal(tmp_path) == "master_key_damaged"


def test_under_another_master_key_no_key_is_read(tmp_path: Path) -> None:
    keys = vault(tmp_path)
    key_id, _ = keys.take()
    keys.close()
    (tmp_path / "keys" / "master.key").write_bytes(b"o" * KEY_BYTES)
    other = vault(tmp_path)
    assert other.get(key_id) is None
    other.close()


@pytest.mark.parametrize("content", [b"garbage" * 1_000, b"SQLite format 3\0" + b"\xff" * 4_080])
def test_a_vault_that_is_no_database_is_refused_and_left(tmp_path: Path, content: bytes) -> None:
    vault(tmp_path).close()
    (tmp_path / "keys" / "keys.db").write_bytes(content)
    assert refusal(tmp_path) == "keys_failed"
    assert (tmp_path / "keys" / "keys.db").read_bytes() == content


# memories without their keys


def test_without_its_keys_a_log_still_says_what_happened(tmp_path: Path) -> None:
    with muniment.open(tmp_path / "log") as m:
        lost = m.save("The build runs on Fridays", category="ci", tags=["build"], importance=0.75)
        m.pin(lost.id)
    for path in (tmp_path / "log" / "keys").iterdir():
        path.unlink()
    with muniment.open(tmp_path / "log", read_only=True) as m:
        memory = m.get(lost.id)
        assert (memory.fault, memory.content) == ("key_missing", "[unreadable]")
        assert (memory.category, memory.tags) == (None, ())
        assert (memory.importance, memory.pinned, memory.version) == (0.75, True, 2)
        assert m.verify().intact


def test_a_memory_whose_key_is_missing_is_not_written_to_and_others_are(tmp_path: Path) -> None:
    with muniment.open(tmp_path / "log") as m:
        lost = m.save("The build runs on Fridays")
        (row,) = store_of(m).rows.select_streams_events([lost.id])
        kept = m.save("Anna works in Lisbon")
    connection = sqlite3.connect(tmp_path / "log" / "keys" / "keys.db")
    with connection:
        connection.execute("DELETE FROM keys WHERE id = ?", (row.key_id,))
    connection.close()
    with muniment.open(tmp_path / "log") as m:
        assert m.get(lost.id).fault == "key_missing"
        assert m.get(kept.id).content == "Anna works in Lisbon"
        with pytest.raises(StorageFailed) as refused:
            m.revise(lost.id, "something else")
        assert refused.value.code == "key_missing"
        assert m.pin(kept.id).pinned
        assert m.save("The build runs on Fridays").outcome == "created"
        assert m.verify().intact


def test_no_words_are_added_to_a_stream_whose_key_is_lost(tmp_path: Path) -> None:
    stream = new_stream()
    log = Sqlite(tmp_path / "log")
    log.append(pending(saved("first words"), stream, 1))
    log.close()
    connection = sqlite3.connect(tmp_path / "log" / "keys" / "keys.db")
    with connection:
        connection.execute("DELETE FROM keys")
    connection.close()
    log = Sqlite(tmp_path / "log")
    with pytest.raises(StorageFailed) as refused:
        log.append(pending(events.Revised(content="second words", chars=12), stream, 2))
    assert refused.value.code == "key_missing"
    assert [one.fault for one in log.history(stream)] == ["key_missing"]
    log.close()
