"""``verify``, ``checkpoint`` and ``prove``: what they print, and how they end."""

import json
from pathlib import Path

import independent
import pytest
from terminal import Terminal

from muniment import Checkpoint, verifier


def test_a_checkpoint_is_printed_as_the_note_that_it_is(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    printed = muniment("checkpoint").out
    checkpoint = Checkpoint.of(printed)
    assert checkpoint.size == 1
    found = muniment("checkpoint", "--json").json
    assert found["text"] == printed
    assert (found["size"], found["root"]) == (1, checkpoint.root)


def test_verify_compares_with_a_checkpoint_that_was_kept(
    muniment: Terminal, tmp_path: Path
) -> None:
    muniment.save("User is in Chicago")
    muniment.save("Anna has a boat in Oslo")
    kept = tmp_path / "kept"
    kept.write_text(muniment("checkpoint").out, encoding="utf-8")
    run = muniment("verify", "--against", str(kept))
    assert run.status == 0
    assert "Not ruled out" not in run.out
    run = muniment("verify", "--against", "-", "--json", stdin=kept.read_bytes())
    assert (run.status, run.json["not_ruled_out"], run.json["checkpoints"]) == (0, [], 1)
    independent.tamper(muniment.data, ("DELETE FROM events WHERE position = 2", ()))
    run = muniment("verify", "--against", str(kept))
    assert run.status == 1
    assert "cut_off from position 2 on" in run.out


def test_verify_says_what_only_a_checkpoint_kept_elsewhere_can_show(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    assert "no checkpoint was found beside it" in muniment("verify").out
    muniment("checkpoint")
    assert "give a checkpoint that was kept elsewhere" in muniment("verify").out


@pytest.mark.parametrize("against", ["/nowhere/to/be/found", "-"])
def test_verify_ends_with_2_where_the_checkpoint_cannot_be_read(
    muniment: Terminal, against: str
) -> None:
    muniment.save("User is in Chicago")
    run = muniment("verify", "--against", against, "--json", stdin=b"\xff")
    assert run.status == 2
    assert run.error["code"] in ("checkpoint_unreadable", "checkpoint_malformed")
    assert run.error["field"] == "against"


def test_verify_ends_with_2_where_the_log_cannot_be_read(muniment: Terminal) -> None:
    assert muniment("verify").status == 2
    muniment.data.mkdir()
    (muniment.data / "log.db").write_bytes(b"this is no database" * 100)
    run = muniment("verify", "--json")
    assert (run.status, run.error["code"]) == (2, "not_a_log")


def test_what_prove_prints_the_verifier_accepts(
    muniment: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = muniment.save("User is in Chicago")
    kept = tmp_path / "kept"
    kept.write_text(muniment("checkpoint").out, encoding="utf-8")
    muniment("pin", id_)
    bundle = muniment("prove", id_[-12:], "--since", str(kept)).out
    assert json.loads(bundle)["since"] == kept.read_text(encoding="utf-8")
    path = tmp_path / "bundle.json"
    path.write_text(bundle, encoding="utf-8")
    assert verifier.main([str(path), "--checkpoint", str(kept)]) == 0
    assert "memory.pinned" in capsys.readouterr().out
    assert muniment("prove", "01980000-0000-7000-8000-000000000000").status == 3


def test_another_signing_key_is_put_in_place_and_followed(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    muniment("checkpoint")
    assert "Another key signs" in muniment("keys", "rotate-signing").out
    muniment("checkpoint")
    assert muniment("verify", "--json").json["checkpoints"] == 2
    assert "signing_key.rotated" in muniment("log").out
