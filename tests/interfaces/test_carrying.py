"""The verbs that carry a store elsewhere and back."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from terminal import Terminal

from muniment import key_backups

FACT = "User is in Chicago"
SECRET = "correct horse battery"


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passphrases are worth little here."""
    monkeypatch.setattr(key_backups, "_COST", 1 << 10)


class _Typed(io.TextIOWrapper):
    """Input that somebody types."""

    def isatty(self) -> bool:
        return True


def elsewhere(muniment: Terminal, name: str) -> str:
    return str(muniment.data.parent / name)


def test_an_export_is_imported_and_says_what_it_held(muniment: Terminal) -> None:
    id_ = muniment.save(FACT, "--tag", "place")
    path = elsewhere(muniment, "export.jsonl")
    done = muniment("export", path)
    assert done.out.startswith(f"Exported 1 memories as of position 1 to {path} (native).")
    assert "in the clear" in done.out
    again = muniment("export", path, "--json").json
    assert again == {"path": path, "format": "native", "memories": 1, "unreadable": 0, "head": 1}
    assert muniment("import", "native", path, "--json").json["already_here"] == 1
    assert muniment("--space", "other", "import", "native", path, "--json").json["imported"] == 0
    muniment.data = muniment.data.with_name("second")
    assert muniment("import", "native", path, "--json").json["imported"] == 1
    assert muniment("show", id_, "--json").json["tags"] == ["place"]


def test_markdown_is_for_reading(muniment: Terminal) -> None:
    muniment.save(FACT, "--category", "user/place")
    path = elsewhere(muniment, "memories.md")
    assert "(markdown)" in muniment("export", path, "--format", "markdown").out
    assert f"# user/place\n\n- {FACT}\n" in Path(path).read_text(encoding="utf-8")
    assert muniment("export", path, "--format", "x", "--json").error["code"] == "format_unknown"


def test_a_backup_is_restored_with_its_keys(muniment: Terminal) -> None:
    id_ = muniment.save(FACT)
    backup, keys = elsewhere(muniment, "backup"), elsewhere(muniment, "keys.json")
    done = muniment("backup", backup)
    assert done.out.startswith("Backed up and verified: 1 events up to position 1")
    assert "no key is in it" in done.out
    taken = muniment("backup", backup, "--json")
    assert (taken.status, taken.error["code"]) == (4, "target_not_empty")
    secret = Path(elsewhere(muniment, "secret"))
    secret.write_text(SECRET + "\n", encoding="utf-8")
    done = muniment("keys", "backup", keys, "--passphrase", f"@{secret}", "--json")
    assert done.json["sealed"]

    target = elsewhere(muniment, "restored")
    done = muniment("restore-backup", backup, target)
    assert done.out.startswith("Restored and verified: 1 events up to position 1")
    assert "key backup in place besides" in done.out
    muniment.data = Path(target)
    assert muniment("show", id_, "--json").json["fault"] == "key_missing"
    done = muniment("keys", "restore", keys, "--passphrase", "-", stdin=SECRET.encode())
    assert done.out.startswith("Restored ")
    assert "0 of what was purged since were left out" in done.out
    assert muniment("show", id_, "--json").json["content"] == FACT


def test_answers_as_json_have_the_fields_of_the_face(muniment: Terminal) -> None:
    muniment.save(FACT)
    backup, target = elsewhere(muniment, "backup"), elsewhere(muniment, "restored")
    made = muniment("--json", "backup", backup).json
    assert made.keys() == {"path", "store", "events", "head", "chain", "bytes"}
    restored = muniment("restore-backup", backup, target, "--json").json
    assert (restored["chain"], restored["target"]) == (made["chain"], target)
    assert muniment("keys", "rotate", "--json").json["keys"] >= 1


def test_the_passphrase_may_stand_in_the_environment(
    muniment: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    muniment.save(FACT)
    path = elsewhere(muniment, "keys.json")
    refused = muniment("keys", "backup", path, "--json")
    assert (refused.status, refused.error["code"]) == (2, "passphrase_required")
    monkeypatch.setenv("MUNIMENT_PASSPHRASE", SECRET)
    assert "Backed up" in muniment("keys", "backup", path).out
    assert "Restored" in muniment("keys", "restore", path).out
    monkeypatch.setenv("MUNIMENT_PASSPHRASE", "wrong horse battery")
    refused = muniment("keys", "restore", path, "--json")
    assert (refused.status, refused.error["code"]) == (4, "passphrase_wrong")


def test_the_master_key_may_be_kept_elsewhere(muniment: Terminal) -> None:
    muniment.save(FACT)
    path, master = elsewhere(muniment, "keys.json"), str(muniment.data / "keys" / "master.key")
    done = muniment("keys", "backup", path, "--without-master")
    assert "the master key is not in it" in done.out
    assert json.loads(Path(path).read_text(encoding="utf-8"))["sealed"] is None
    assert "Restored" in muniment("keys", "restore", path, "--master", master).out
    refused = muniment("keys", "restore", path, "--passphrase", SECRET, "--json")
    assert refused.error["field"] == "master"


def test_the_master_key_is_replaced(muniment: Terminal) -> None:
    id_ = muniment.save(FACT)
    master = muniment.data / "keys" / "master.key"
    before = master.read_bytes()
    assert muniment("keys", "rotate").out.startswith("The master key was replaced: ")
    assert master.read_bytes() != before
    assert muniment("show", id_, "--json").json["content"] == FACT


def test_on_a_terminal_a_new_passphrase_is_asked_for_twice(
    muniment: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    muniment.save(FACT)
    asked: list[Any] = []
    answers = iter([SECRET, SECRET, SECRET, "something else"])

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return next(answers)

    monkeypatch.setattr(io, "TextIOWrapper", _Typed)
    monkeypatch.setattr("getpass.getpass", ask)
    path = elsewhere(muniment, "keys.json")
    assert muniment("keys", "backup", path, "--json").status == 0
    assert asked == ["Passphrase: ", "Once more: "]
    refused = muniment("keys", "backup", path, "--json")
    assert refused.error["code"] == "passphrase_differs"


@pytest.mark.parametrize(
    "verb", [("export", "x"), ("backup", "x"), ("keys", "backup", "x"), ("keys", "rotate")]
)
def test_without_a_store_nothing_is_made(
    muniment: Terminal, verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUNIMENT_PASSPHRASE", SECRET)
    refused = muniment(*verb, "--json")
    assert (refused.status, refused.error["code"]) == (6, "missing")
    assert not muniment.data.exists()
    assert not (tmp_path / "x").exists()


def test_a_place_that_is_no_directory_has_no_keys_to_restore(muniment: Terminal) -> None:
    refused = muniment("--data", ":memory:", "keys", "restore", "x", "--json")
    assert refused.error["code"] == "target_invalid"
