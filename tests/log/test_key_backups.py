"""Backups of the keys: one file under a passphrase, read back, and restored beside the log."""

import base64
import json
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from projection_answers import store_of

import muniment
from muniment import (
    Invalid,
    MunimentError,
    StorageFailed,
    key_backups,
    restore_backup,
    restore_keys,
)

FACT = "The Quillmark feed sits on Drive North."
SECRET = "correct horse battery"
SMALL = {"log": {"key_batch": 4}}


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passphrases are worth little here."""
    monkeypatch.setattr(key_backups, "_COST", 1 << 10)


@pytest.fixture
def kept(tmp_path: Path) -> str:
    """A memory of a store, whose log and keys are backed up."""
    with muniment.open(tmp_path / "store", settings=SMALL) as m:
        id_ = m.save(FACT).id
        m.backup(tmp_path / "backup")
        m.keys.backup(tmp_path / "keys.json", passphrase=SECRET)
    return id_


def content(directory: Path, id_: str) -> str | None:
    with muniment.open(directory, settings=SMALL) as m:
        return m.get(id_).content


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(MunimentError) as caught:
        call()
    return caught.value.code, caught.value.message


class TestTheFile:
    def test_it_is_for_its_owner_alone_and_tells_how_many_keys_it_holds(
        self, tmp_path: Path
    ) -> None:
        with muniment.open(tmp_path / "store", settings=SMALL, clock=Clock()) as m:
            m.save(FACT)
            m.save("Anna works in Lisbon")
            done = m.keys.backup(tmp_path / "deep" / "keys.json", passphrase=SECRET)
            assert (done.keys, done.sealed) == (2, True)
            assert len(store_of(m).keys.vault().wrapped) >= 4
        path = tmp_path / "deep" / "keys.json"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [one.name for one in path.parent.iterdir()] == ["keys.json"]
        assert json.loads(path.read_text())["made_at"] == "2026-03-03T12:00:00.000000Z"

    def test_no_raw_key_and_no_master_key_is_in_it(self, tmp_path: Path, kept: str) -> None:
        with muniment.open(tmp_path / "store", settings=SMALL) as m:
            vault = store_of(m).keys.vault()
        written = (tmp_path / "keys.json").read_text()
        held = b"".join(
            base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
            for part in written.split('"')
            if len(part) > 40
        )
        raw = [vault.master.unwrap(key_id, one) for key_id, one in vault.wrapped.items()]
        assert len([one for one in vault.wrapped.values() if one in held]) == 1
        assert not [one for one in (vault.master.raw, *raw) if one is None or one in held]

    def test_an_earlier_one_is_not_overwritten(self, tmp_path: Path, kept: str) -> None:
        before = (tmp_path / "keys.json").read_bytes()
        with muniment.open(tmp_path / "store") as m:
            again = refusal(lambda: m.keys.backup(tmp_path / "keys.json", passphrase=SECRET))
        assert again[0] == "target_exists"
        assert (tmp_path / "keys.json").read_bytes() == before

    def test_guessing_at_a_passphrase_is_dear(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.undo()
        with muniment.open(tmp_path / "store", settings=SMALL) as m:
            m.keys.backup(tmp_path / "keys.json", passphrase=SECRET)
        sealed = json.loads((tmp_path / "keys.json").read_text())["sealed"]
        assert 128 * sealed["scrypt_n"] * sealed["scrypt_r"] >= 64 << 20  # bytes of memory

    @pytest.mark.parametrize("passphrase", ["", "short", 12345678])
    def test_a_passphrase_has_eight_characters(self, tmp_path: Path, passphrase: Any) -> None:
        with muniment.open(tmp_path / "store") as m:
            refused = refusal(lambda: m.keys.backup(tmp_path / "k", passphrase=passphrase))
        assert refused[0] == "passphrase_too_short"
        assert not (tmp_path / "k").exists()


class TestRestoring:
    def test_log_and_keys_restored_everything_is_there(self, tmp_path: Path, kept: str) -> None:
        restore_backup(tmp_path / "backup", tmp_path / "restored")
        done = restore_keys(tmp_path / "keys.json", tmp_path / "restored", SECRET)
        assert (done.keys, done.purged) == (1, 0)
        assert content(tmp_path / "restored", kept) == FACT
        keys = tmp_path / "restored" / "keys"
        assert stat.S_IMODE(keys.stat().st_mode) == 0o700
        assert (keys / "master.key").read_bytes() != (
            tmp_path / "store" / "keys" / "master.key"
        ).read_bytes()

    def test_a_change_of_the_master_key_since_then_does_not_matter(
        self, tmp_path: Path, kept: str
    ) -> None:
        with muniment.open(tmp_path / "store") as m:
            m.keys.rotate()
        shutil.rmtree(tmp_path / "store" / "keys")
        restore_keys(tmp_path / "keys.json", tmp_path / "store", SECRET)
        assert content(tmp_path / "store", kept) == FACT

    def test_keys_that_are_in_place_stay(self, tmp_path: Path, kept: str) -> None:
        restore_backup(tmp_path / "backup", tmp_path / "restored")
        restore_keys(tmp_path / "keys.json", tmp_path / "restored", SECRET)
        with muniment.open(tmp_path / "restored", settings=SMALL) as m:
            later = m.save("Anna works in Lisbon").id
        for _ in range(2):
            restore_keys(tmp_path / "keys.json", tmp_path / "restored", SECRET)
            assert content(tmp_path / "restored", kept) == FACT
            assert content(tmp_path / "restored", later) == "Anna works in Lisbon"

    def test_what_was_cached_without_the_words_is_not_used(self, tmp_path: Path, kept: str) -> None:
        restore_backup(tmp_path / "backup", tmp_path / "restored")
        (tmp_path / "restored" / "cache").mkdir()
        (tmp_path / "restored" / "cache" / "stale").write_bytes(b"made without words")
        restore_keys(tmp_path / "keys.json", tmp_path / "restored", SECRET)
        assert not (tmp_path / "restored" / "cache").exists()
        with muniment.open(tmp_path / "restored", settings=SMALL) as m:
            assert [hit.memory.id for hit in m.search("quillmark").hits] == [kept]

    def test_what_was_purged_since_stays_gone(self, tmp_path: Path) -> None:
        clock = Clock()
        with muniment.open(tmp_path / "store", settings=SMALL, clock=clock) as m:
            gone, kept = m.save(FACT).id, m.save("Anna works in Lisbon").id
            m.archive(gone, "old")
            m.keys.backup(tmp_path / "keys.json", passphrase=SECRET)
            clock.advance(days=200)
            assert m.purge().purged == [gone]
        shutil.rmtree(tmp_path / "store" / "keys")
        done = restore_keys(tmp_path / "keys.json", tmp_path / "store", SECRET)
        assert (done.keys, done.purged) == (1, 1)
        assert content(tmp_path / "store", gone) is None
        assert content(tmp_path / "store", kept) == "Anna works in Lisbon"
        with muniment.open(tmp_path / "store") as m:
            assert len(store_of(m).keys.vault().wrapped) == 1

    def test_without_a_passphrase_the_master_key_of_then_opens_it(
        self, tmp_path: Path, kept: str
    ) -> None:
        with muniment.open(tmp_path / "store") as m:
            assert not m.keys.backup(tmp_path / "bare.json").sealed
        master = shutil.copy(tmp_path / "store" / "keys" / "master.key", tmp_path / "master")
        restore_backup(tmp_path / "backup", tmp_path / "restored")
        target = tmp_path / "restored"
        bare = tmp_path / "bare.json"
        assert refusal(lambda: restore_keys(bare, target, SECRET))[0] == "passphrase_required"
        (tmp_path / "wrong").write_bytes(b"w" * 32)
        wrong = refusal(lambda: restore_keys(bare, target, master=tmp_path / "wrong"))
        assert wrong[0] == "master_key_wrong"
        restore_keys(bare, target, master=master)
        assert content(target, kept) == FACT


DAMAGE: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text[:-20], "backup_damaged"),
    (lambda text: "{}", "backup_damaged"),
    (lambda text: text.replace("muniment-keys", "other-keysss"), "backup_damaged"),
    (lambda text: text.replace('"version":1', '"version":2'), "newer_backup"),
    (lambda text: text.replace('"made_at":"20', '"made_at":"19'), "backup_damaged"),
    (lambda text: text.replace('"scrypt_n":1024', '"scrypt_n":2048'), "passphrase_wrong"),
    (lambda text: text.replace(":1024", ":1073741824"), "backup_damaged"),
]


class TestRefused:
    def test_another_passphrase_or_none(self, tmp_path: Path, kept: str) -> None:
        path, store = tmp_path / "keys.json", tmp_path / "store"
        assert refusal(lambda: restore_keys(path, store, "wrong horse"))[0] == "passphrase_wrong"
        assert refusal(lambda: restore_keys(path, store))[0] == "passphrase_required"

    def test_keys_of_another_store(self, tmp_path: Path, kept: str) -> None:
        muniment.open(tmp_path / "other").close()
        refused = refusal(lambda: restore_keys(tmp_path / "keys.json", tmp_path / "other", SECRET))
        assert refused[0] == "other_store"

    def test_a_place_without_a_log(self, tmp_path: Path, kept: str) -> None:
        refused = refusal(lambda: restore_keys(tmp_path / "keys.json", tmp_path / "new", SECRET))
        assert refused[0] == "missing"
        assert not (tmp_path / "new").exists()

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        refused = refusal(lambda: restore_keys(tmp_path / "none", tmp_path, SECRET))
        assert refused[0] == "backup_missing"
        with pytest.raises(Invalid):
            restore_keys("", tmp_path, SECRET)

    @pytest.mark.parametrize(("change", "code"), DAMAGE)
    def test_a_damaged_one(
        self, tmp_path: Path, kept: str, change: Callable[[str], str], code: str
    ) -> None:
        path = tmp_path / "keys.json"
        text = path.read_text()
        assert change(text) != text
        path.write_text(change(text))
        restore_backup(tmp_path / "backup", tmp_path / "restored")
        assert refusal(lambda: restore_keys(path, tmp_path / "restored", SECRET))[0] == code
        assert not (tmp_path / "restored" / "keys").exists()

    def test_a_key_that_was_taken_out_or_exchanged_is_noticed(
        self, tmp_path: Path, kept: str
    ) -> None:
        path = tmp_path / "keys.json"
        with muniment.open(tmp_path / "store", settings=SMALL) as m:
            m.save("Anna works in Lisbon")
            path.unlink()
            m.keys.backup(path, passphrase=SECRET)
        file = json.loads(path.read_text())
        one, other = file["keys"]
        for keys in (
            {key_id: wrapped for key_id, wrapped in file["keys"].items() if key_id != one},
            file["keys"] | {one: file["keys"][other]},
        ):
            path.write_text(json.dumps(file | {"keys": keys}))
            refused = refusal(lambda: restore_keys(path, tmp_path / "store", SECRET))
            assert refused[0] == "backup_damaged"

    def test_under_the_wrong_master_key_there_is_none(self, tmp_path: Path, kept: str) -> None:
        (tmp_path / "store" / "keys" / "master.key").write_bytes(b"w" * 32)
        with muniment.open(tmp_path / "store") as m, pytest.raises(StorageFailed) as caught:
            m.keys.backup(tmp_path / "none.json", passphrase=SECRET)
        assert caught.value.code == "master_key_wrong"
