"""A store whose keys are lost says so, and makes no others in their place."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from processes import run
from terminal import Terminal

import muniment
from muniment import Muniment, StorageFailed, restore_backup, restore_keys
from muniment.log.keys import Keys

PASSPHRASE = "correct horse battery"
FACT = "The Quillmark feed sits on Drive North."


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a memory, a backup of its log, and one of its keys."""
    with muniment.open(tmp_path / "store") as m:
        m.save(FACT)
        m.backup(tmp_path / "backup")
        m.keys.backup(tmp_path / "keys.json", passphrase=PASSPHRASE)
    return tmp_path / "store"


def in_vault(statement: str) -> Callable[[Path], None]:
    def change(store: Path) -> None:
        with closing(sqlite3.connect(store / "keys" / "keys.db")) as vault, vault:
            vault.execute(statement)

    return change


def another_store(store: Path) -> None:
    shutil.rmtree(store / "keys")
    with muniment.open(store.with_name("other")) as m:
        m.save("something else")
    shutil.copytree(store.with_name("other") / "keys", store / "keys")


def restored_without(store: Path) -> None:
    shutil.rmtree(store)
    restore_backup(store.with_name("backup"), store)


def an_empty_file(store: Path) -> None:
    (store / "keys" / "keys.db").write_bytes(b"")


def a_fresh_vault(store: Path) -> None:
    shutil.rmtree(store / "keys")
    Keys(store / "keys").close()


LOSSES: dict[str, Callable[[Path], None]] = {
    "no directory": lambda store: shutil.rmtree(store / "keys"),
    "no file": lambda store: (store / "keys" / "keys.db").unlink(),
    "an empty file": an_empty_file,
    "a fresh vault": a_fresh_vault,
    "the vault of another store": another_store,
    "a restored log alone": restored_without,
}


def files(directory: Path) -> dict[str, bytes]:
    keys = directory / "keys"
    return {path.name: path.read_bytes() for path in keys.iterdir()} if keys.exists() else {}


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_not_opened_for_writing_and_no_key_is_made(store: Path, loss: str) -> None:
    LOSSES[loss](store)
    before = files(store)
    for _ in range(2):
        with pytest.raises(StorageFailed) as refused:
            muniment.open(store)
        assert refused.value.code == "keys_missing"
        assert "muniment keys restore" in refused.value.message
        assert "begin a new store" in refused.value.message
    assert files(store).keys() == before.keys()
    assert files(store).get("master.key") == before.get("master.key")


@pytest.mark.parametrize("loss", LOSSES)
def test_what_happened_can_be_told_and_words_are_refused(
    store: Path, tmp_path: Path, loss: str
) -> None:
    LOSSES[loss](store)
    asked: list[Callable[[Muniment], Any]] = [
        lambda m: m.search("feed"),
        lambda m: m.as_of(1).search("feed"),
        lambda m: m.keys.backup(tmp_path / "again.json"),
    ]
    with muniment.open(store, read_only=True) as m:
        (entry,) = m.log()
        assert m.get(entry.stream).fault == "key_missing"
        assert m.verify().intact
        for ask in asked:
            with pytest.raises(StorageFailed) as refused:
                ask(m)
            assert refused.value.code == "keys_missing"


@pytest.mark.parametrize("loss", LOSSES)
def test_with_its_keys_restored_it_is_as_before(store: Path, tmp_path: Path, loss: str) -> None:
    LOSSES[loss](store)
    with pytest.raises(StorageFailed):
        muniment.open(store)
    restore_keys(tmp_path / "keys.json", store, PASSPHRASE)
    with muniment.open(store) as m:
        assert [hit.memory.content for hit in m.search("feed").hits] == [FACT]
        assert m.save(FACT).outcome == "reinforced"


def test_a_vault_that_was_taken_for_another_stores_is_known_by_its_keys(store: Path) -> None:
    in_vault("UPDATE store SET id = '01a22bc6-4d4f-7433-a0a8-d26a2eceab4c'")(store)
    for _ in range(2):
        with muniment.open(store) as m:
            assert len(m.search("feed").hits) == 1


def test_a_vault_of_which_everything_was_purged_is_the_stores_own(tmp_path: Path) -> None:
    clock, target = Clock(), tmp_path / "store"
    with muniment.open(target, clock=clock) as m:
        m.archive(m.save(FACT).id, "it is old")
        m.keys.backup(tmp_path / "keys.json", passphrase=PASSPHRASE)
        clock.advance(days=100)
        assert m.purge().purged
        m.backup(tmp_path / "backup")
    with closing(sqlite3.connect(target / "keys" / "keys.db")) as vault, vault:
        vault.execute("DELETE FROM keys")  # what was minted ahead too
    with muniment.open(target, clock=clock) as m:
        assert m.search("feed", include_archived=True).hits == ()
    restore_backup(tmp_path / "backup", tmp_path / "restored")
    assert restore_keys(tmp_path / "keys.json", tmp_path / "restored", PASSPHRASE).keys == 0
    with muniment.open(tmp_path / "restored", clock=clock) as m:
        assert m.save("something else").outcome == "created"


@pytest.mark.parametrize("purged", [False, True])
def test_a_vault_of_an_earlier_release_is_known_by_what_it_has_or_has_destroyed(
    tmp_path: Path, *, purged: bool
) -> None:
    clock, target = Clock(), tmp_path / "store"
    with muniment.open(target, clock=clock) as m:
        m.archive(m.save(FACT).id, "it is old")
        clock.advance(days=100)
        if purged:
            assert m.purge().purged
    in_vault("DROP TABLE store")(target)
    with muniment.open(target, clock=clock, read_only=True) as m:
        assert len(m.search("feed", include_archived=True).hits) == (not purged)
    for _ in range(2):
        with muniment.open(target, clock=clock) as m:
            assert len(m.search("feed", include_archived=True).hits) == (not purged)


def test_an_empty_log_may_have_its_vault_made_anew(tmp_path: Path) -> None:
    muniment.open(tmp_path / "store").close()
    shutil.rmtree(tmp_path / "store" / "keys")
    with muniment.open(tmp_path / "store", read_only=True) as m:
        assert m.search("feed").hits == ()
    with muniment.open(tmp_path / "store") as m:
        assert m.save(FACT).outcome == "created"


DYING = """
import os
from muniment.log import keys, master, vault_file
point = {point!r}
def dies(module, name, after):
    was = getattr(module, name)
    def die(*given, **named):
        if after:
            was(*given, **named)
        say("dying")
        os._exit(0)
    setattr(module, name, die)
dies(*{{
    "before the master key": (master, "create", False),
    "after the master key": (master, "create", True),
    "after the file": (keys, "connect", True),
    "before it says whose it is": (vault_file, "claim", False),
    "after it said whose it is": (vault_file, "claim", True),
}}[point])
import muniment
muniment.open(target)
"""


@pytest.mark.parametrize(
    "point",
    [
        "before the master key",
        "after the master key",
        "after the file",
        "before it says whose it is",
        "after it said whose it is",
    ],
)
def test_a_fresh_store_that_was_killed_while_its_vault_was_made_opens(
    tmp_path: Path, point: str
) -> None:
    assert run(DYING.format(point=point), tmp_path / "store") == ["dying"]
    with muniment.open(tmp_path / "store") as m:
        assert m.save(FACT).outcome == "created"
    with muniment.open(tmp_path / "store") as m:
        assert len(m.search("feed").hits) == 1


# the program


@pytest.mark.parametrize("loss", LOSSES)
def test_the_program_refuses_what_rests_on_words_and_does_the_rest(
    store: Path,
    loss: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    LOSSES[loss](store)
    muniment_at = Terminal(store, capsys, monkeypatch)
    for verb in (["search", "feed"], ["save", FACT], ["recall", "feed", "--session", "one"]):
        refused = muniment_at(*verb, "--json")
        assert (refused.status, refused.error["code"]) == (6, "keys_missing"), verb
    for verb in (
        ["verify"],
        ["log"],
        ["--as-of", "1", "log"],
        ["prove-invariants"],
        ["backup", str(store / "copy")],
    ):
        assert muniment_at(*verb).status == 0, verb
    told = muniment_at("doctor", "--json")
    found = {check["name"]: check for check in told.json["checks"]}
    assert told.status == 1
    assert found["keys"]["standing"] == "broken"
    assert "muniment keys restore" in found["keys"]["found"]
    assert "memories" not in found
    again = muniment_at(
        *("keys", "backup", str(store / "again.json"), "--passphrase", PASSPHRASE, "--json")
    )
    assert again.error["code"] == "keys_missing"
