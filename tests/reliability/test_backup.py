"""Backups of the log: taken while others write, verified, without a key, and restored."""

import json
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from processes import started
from projection_answers import store_of

import muniment
from muniment import Invalid, MunimentError, Refused, StorageFailed, restore_backup

FACT = "The Quillmark feed sits on Drive North."


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a few memories."""
    with muniment.open(tmp_path / "store", settings={"log": {"key_batch": 8}}) as m:
        kept = m.save(FACT, category="infra/feeds", tags=["feed"]).id
        m.pin(kept)
        m.save("Anna works in Lisbon")
    return tmp_path / "store"


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def refusal(path: Path, target: Path) -> tuple[str, str]:
    with pytest.raises(MunimentError) as caught:
        restore_backup(path, target)
    assert not target.exists()
    return caught.value.code, caught.value.message


class TestWhatItHolds:
    def test_the_log_the_settings_and_a_manifest_each_for_its_owner_alone(
        self, store: Path, tmp_path: Path
    ) -> None:
        (store / "settings.toml").write_text("[search]\nk1 = 1.5\n", encoding="utf-8")
        with muniment.open(store, clock=Clock()) as m:
            done = m.backup(tmp_path / "backup")
            found = m.verify()
            assert (done.events, done.head, done.chain) == (3, 3, found.chain)
            store_id = store_of(m).id
        assert names(tmp_path / "backup") == {"log.db", "settings.toml", "manifest.json"}
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "backup").iterdir()}
        assert modes == {0o600}
        assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o700
        manifest = json.loads((tmp_path / "backup" / "manifest.json").read_text())
        assert (manifest["store"], manifest["head"], manifest["root"]) == (store_id, 3, found.root)
        assert manifest["made_at"] == "2026-03-03T12:00:00.000000Z"
        assert names(tmp_path) == {"store", "backup"}

    def test_no_byte_of_a_key_and_no_word(self, store: Path, tmp_path: Path) -> None:
        with muniment.open(store) as m:
            m.backup(tmp_path / "backup")
            vault = store_of(m).keys.vault()
        everything = b"".join(path.read_bytes() for path in (tmp_path / "backup").iterdir())
        raw = [vault.master.unwrap(key_id, one) for key_id, one in vault.wrapped.items()]
        secrets = [vault.master.raw, *vault.wrapped.values(), *filter(None, raw)]
        assert len(secrets) >= 17
        assert not [one for one in secrets if one in everything or one.hex().encode() in everything]
        assert b"Quillmark" not in everything

    def test_what_is_in_the_write_ahead_log_alone(self, store: Path, tmp_path: Path) -> None:
        with muniment.open(store) as m:
            before = (store / "log.db").read_bytes()
            late = m.save("Server bravo is in rack 12").id
            assert (store / "log.db").read_bytes() == before
            m.backup(tmp_path / "backup")
        restore_backup(tmp_path / "backup", tmp_path / "restored")
        shutil.copytree(store / "keys", tmp_path / "restored" / "keys")
        with muniment.open(tmp_path / "restored") as m:
            assert m.get(late).content == "Server bravo is in rack 12"

    def test_of_a_store_that_is_open_for_reading_too(self, store: Path, tmp_path: Path) -> None:
        told: list[int] = []
        with muniment.open(store, read_only=True) as m:
            assert m.backup(tmp_path / "deep" / "backup", progress=told.append).head == 3
        assert told[-1] > 0

    def test_an_empty_log_has_one_as_well(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path / "store") as m:
            assert m.backup(tmp_path / "backup").head == 0
        assert restore_backup(tmp_path / "backup", tmp_path / "restored").events == 0


class TestWhileOthersWrite:
    def test_every_save_that_was_acknowledged_before_is_in_it(self, tmp_path: Path) -> None:
        kept: list[str] = []
        stop = threading.Event()
        with muniment.open(tmp_path / "store") as m:

            def save(thread: int) -> None:
                number = 0
                while not stop.is_set():
                    number += 1
                    kept.append(m.save(f"Server {thread}-{number} is in rack {number * 7}").id)

            threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            try:
                done: list[tuple[set[str], Path, int]] = []
                for number in range(4):
                    while len(kept) < 10 * (number + 1):
                        stop.wait(0.001)
                    acknowledged, path = set(kept), tmp_path / f"backup-{number}"
                    done.append((acknowledged, path, m.backup(path).head))
            finally:
                stop.set()
                for thread in threads:
                    thread.join()
        for acknowledged, path, head in done:
            target = path.with_suffix(".restored")
            assert restore_backup(path, target).head == head
            with muniment.open(target, read_only=True) as m:
                assert acknowledged <= {entry.stream for entry in m.log()}
                assert m.verify().intact

    def test_another_process_writes_on(self, store: Path, tmp_path: Path) -> None:
        writing = """
            m = muniment.open(target)
            say("open")
            for number in range(40):
                m.save(f"Server {number} is in rack {number * 7}")
            m.close()
        """
        with started(writing, store) as process, muniment.open(store, read_only=True) as m:
            assert process.hear() == "open"
            heads = [m.backup(tmp_path / f"backup-{number}").head for number in range(4)]
            assert process.rest() == []
        assert heads == sorted(heads)
        with muniment.open(store, read_only=True) as m:
            assert m.stats().head == 43


class TestRestoring:
    def test_with_the_keys_copied_in_everything_is_there(self, store: Path, tmp_path: Path) -> None:
        with muniment.open(store) as m:
            m.backup(tmp_path / "backup")
            hits = m.search("feed").hits
        restored = restore_backup(tmp_path / "backup", tmp_path / "restored")
        assert (restored.events, restored.head) == (3, 3)
        assert "keys" in restored.note
        shutil.copytree(store / "keys", tmp_path / "restored" / "keys")
        with muniment.open(tmp_path / "restored") as m:
            assert [hit.memory.id for hit in m.search("feed").hits] == [
                hit.memory.id for hit in hits
            ]
            assert m.save(FACT, category="infra/feeds").outcome == "reinforced"
            assert m.verify().intact

    def test_without_keys_what_happened_can_be_told_and_nothing_else(
        self, store: Path, tmp_path: Path
    ) -> None:
        with muniment.open(store) as m:
            m.backup(tmp_path / "backup")
        restore_backup(tmp_path / "backup", tmp_path / "restored")
        with muniment.open(tmp_path / "restored", read_only=True) as m:
            memories = m.get_many({entry.stream for entry in m.log()})
            assert {memory.fault for memory in memories} == {"key_missing"}
            assert sorted(memory.pinned for memory in memories) == [False, True]
            assert m.verify().intact

    def test_into_a_directory_that_is_empty(self, store: Path, tmp_path: Path) -> None:
        with muniment.open(store) as m:
            m.backup(tmp_path / "backup")
        (tmp_path / "empty").mkdir()
        assert restore_backup(str(tmp_path / "backup"), tmp_path / "empty").target.is_dir()
        assert names(tmp_path / "empty") == {"log.db"}
        assert stat.S_IMODE((tmp_path / "empty" / "log.db").stat().st_mode) == 0o600


class TestRefused:
    def test_a_place_that_is_not_empty(self, store: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("mine")
        with muniment.open(store) as m:
            m.backup(tmp_path / "backup")
            for taken in (tmp_path / "backup", store, tmp_path / "file"):
                with pytest.raises(Refused) as caught:
                    m.backup(taken)
                assert caught.value.code == "target_not_empty"
                with pytest.raises(Refused) as caught:
                    restore_backup(tmp_path / "backup", taken)
                assert caught.value.code == "target_not_empty"
        assert (tmp_path / "file").read_text() == "mine"
        assert names(tmp_path) == {"store", "backup", "file"}

    def test_a_store_in_memory(self, tmp_path: Path) -> None:
        with muniment.open(":memory:") as m, pytest.raises(Refused) as caught:
            m.backup(tmp_path / "backup")
        assert caught.value.code == "volatile"

    @pytest.mark.parametrize("role", ["main", "contributor", "service", "auditor", "admin"])
    def test_whoever_is_not_the_owner(self, tmp_path: Path, role: Any) -> None:
        with muniment.open(tmp_path / "store", role=role) as m, pytest.raises(Refused) as caught:
            m.backup(tmp_path / "backup")
        assert caught.value.code == "role_refused"

    @pytest.mark.parametrize("path", ["", "a\0b", 7, None])
    def test_what_is_no_path(self, tmp_path: Path, path: Any) -> None:
        with muniment.open(tmp_path / "store") as m, pytest.raises(Invalid) as caught:
            m.backup(path)
        assert caught.value.code == "path_invalid"
        with pytest.raises(Invalid) as caught:
            restore_backup(tmp_path, path)
        assert caught.value.code == "target_invalid"

    def test_a_log_that_is_not_intact_is_no_backup(self, store: Path, tmp_path: Path) -> None:
        damaged = bytearray((store / "log.db").read_bytes())
        at = damaged.index(b"memory.pinned")
        damaged[at : at + 13] = b"memory.pinneD"
        (store / "log.db").write_bytes(damaged)
        with muniment.open(store, read_only=True) as m, pytest.raises(StorageFailed) as caught:
            m.backup(tmp_path / "backup")
        assert caught.value.code == "log_not_intact"
        assert "leaf at position 2" in caught.value.message
        assert names(tmp_path) == {"store"}


def _flip(path: Path, at: int = -100) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def _changed(**fields: Any) -> Callable[[Path], None]:
    def change(backup: Path) -> None:
        path = backup / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | fields))

    return change


def _log_of_another(backup: Path) -> None:
    """The manifest is right about the file, and wrong about what is in it."""
    with muniment.open(backup.parent / "other") as m:
        m.save(FACT)
        m.backup(backup.parent / "other backup")
    other = backup.parent / "other backup"
    shutil.copy(other / "log.db", backup / "log.db")
    _changed(files=json.loads((other / "manifest.json").read_text())["files"])(backup)


DAMAGE: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "nothing there": (shutil.rmtree, "backup_missing", "There is no backup"),
    "no manifest": (lambda b: (b / "manifest.json").unlink(), "backup_missing", "no backup"),
    "a torn manifest": (
        lambda b: (b / "manifest.json").write_bytes((b / "manifest.json").read_bytes()[:90]),
        "backup_damaged",
        "manifest.json cannot be read",
    ),
    "no log": (lambda b: (b / "log.db").unlink(), "backup_damaged", "log.db is missing"),
    "a flipped bit": (lambda b: _flip(b / "log.db"), "backup_damaged", "log.db is not what"),
    "a cut log": (
        lambda b: (b / "log.db").write_bytes((b / "log.db").read_bytes()[:4096]),
        "backup_damaged",
        "log.db is not what",
    ),
    "other settings": (
        lambda b: (b / "settings.toml").write_text("[search]\nk1 = 9.0\n"),
        "backup_damaged",
        "settings.toml is not what",
    ),
    "another head": (_changed(head=2), "backup_damaged", "not the one that its manifest"),
    "another chain": (_changed(chain="0" * 64), "backup_damaged", "not the one that its manifest"),
    "another store": (_log_of_another, "backup_damaged", "not the one that its manifest"),
    "a stray file": (
        _changed(files={"../x": {"sha256": "", "bytes": 0}}),
        "backup_damaged",
        "not that of a backup",
    ),
    "another program": (_changed(format="tar"), "backup_damaged", "not that of a backup"),
    "a newer format": (_changed(version=2), "newer_backup", "upgrade Muniment"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_backup_is_refused_with_the_reason(
    store: Path, tmp_path: Path, damage: str
) -> None:
    (store / "settings.toml").write_text("[search]\nk1 = 1.5\n", encoding="utf-8")
    with muniment.open(store) as m:
        m.backup(tmp_path / "backup")
    change, code, reason = DAMAGE[damage]
    change(tmp_path / "backup")
    found, message = refusal(tmp_path / "backup", tmp_path / "restored")
    assert found == code
    assert reason in message
    assert not [name for name in names(tmp_path) if name.startswith(".")]
