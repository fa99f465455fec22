"""Bundles: proofs of a memory's events that a Python without this package accepts, or refuses."""

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import independent
import pytest

import muniment
from muniment import Bundle, StorageFailed, verifier

VERIFIER = Path(verifier.__file__)


@pytest.fixture
def alone(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs a copy of the verifier in a Python that has no way to this package."""
    program = tmp_path / "alone" / "verifier.py"
    program.parent.mkdir()
    shutil.copyfile(VERIFIER, program)

    def run(bundle: object, *arguments: str) -> tuple[int, str]:
        path = program.with_name("bundle.json")
        path.write_text(json.dumps(bundle), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-I", str(program), str(path), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=program.parent,
        )
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def bundle(directory: Path) -> Bundle:
    with muniment.open(directory) as m:
        id_ = m.save("Grüße aus Köln: the feed sits on drive 12", category="ops").id
        m.save("Another machine has 40 discs")
        m.revise(id_, "The feed sits on drive 13")
        since = m.checkpoint()
        m.save("A third machine has 77 fans")
        m.pin(id_)
        m.checkpoint()
        return m.prove(id_, since=since)


def test_the_verifier_is_one_short_file_that_imports_nothing_of_ours() -> None:
    source = VERIFIER.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 200
    imports = [line for line in source.splitlines() if line.startswith(("import", "from"))]
    assert not [line for line in imports if "muniment" in line or " ." in line]


def test_what_the_package_proves_a_python_without_it_accepts(
    bundle: Bundle, alone: Callable[..., tuple[int, str]]
) -> None:
    status, said = alone(bundle)
    assert status == 0, said
    assert said.endswith("PROVEN.\n")
    assert "memory.pinned (version 3)" in said
    assert "The log begins with the 3 events of the earlier checkpoint." in said
    assert "give --public-key" in said


def test_the_key_and_a_checkpoint_that_were_kept_may_be_given(
    bundle: Bundle, alone: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.write_text(bundle["since"] or "", encoding="utf-8")
    given = ["--public-key", bundle["public_keys"][0], "--checkpoint", str(kept)]
    status, said = alone(bundle, *given)
    assert (status, "give --public-key" in said) == (0, False)
    kept.write_text("another", encoding="utf-8")
    assert alone(bundle, *given)[0] == 1
    with muniment.open(":memory:") as m:
        m.checkpoint()
        other = str(m.keys.rotate_signing().public_key)
    assert alone(bundle, "--public-key", other)[0] == 1
    assert alone(bundle, "--checkpoint", str(tmp_path / "nothing"))[0] == 2


def _set(*path: str | int, to: Callable[[Any], Any]) -> Callable[[Any], None]:
    def alter(bundle: Any) -> None:
        inner = bundle
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = to(inner[path[-1]])

    return alter


def _always(other: Any) -> Callable[[Any], Any]:
    return lambda _: other


def _other_hash(text: str) -> str:
    return ("0" if text[0] != "0" else "1") + text[1:]


ALTERED: Sequence[tuple[str, Callable[[Any], None]]] = (
    *(
        (f"column {column} of an envelope", _set("rows", 1, "envelope", column, to=_always(other)))
        for column, other in enumerate([4, "x", 3, "x", 2, "x", "x", "x", "x", "x", "x", 7])
    ),
    ("a column too few", _set("rows", 0, "envelope", to=lambda it: it[:-1])),
    ("the facts", _set("rows", 0, "facts", to=lambda it: it + " ")),
    ("the hash of the payload", _set("rows", 0, "payload_sha256", to=_other_hash)),
    ("a hash of a path", _set("rows", 0, "inclusion", 0, to=_other_hash)),
    ("a path too short", _set("rows", 0, "inclusion", to=lambda it: it[1:])),
    ("an event left out", _set("rows", to=lambda it: [it[0], it[2]])),
    ("two events swapped", _set("rows", to=lambda it: it[::-1])),
    ("no event", _set("rows", to=lambda _: [])),
    ("another stream", _set("stream", to=lambda it: it[::-1])),
    ("the size", _set("checkpoint", to=lambda it: it.replace("\n5\n", "\n6\n"))),
    ("the time", _set("checkpoint", to=lambda it: it.replace("time 2", "time 3"))),
    ("no signature", _set("checkpoint", to=lambda it: it.split("\n\n")[0] + "\n")),
    ("no checkpoint", _set("checkpoint", to=lambda _: "")),
    ("a consistency proof", _set("consistency", 0, to=_other_hash)),
    ("no consistency proof", _set("consistency", to=lambda _: None)),
    ("the earlier checkpoint", _set("since", to=lambda it: it.replace("\n3\n", "\n2\n"))),
    ("no keys", _set("public_keys", to=lambda _: [])),
    ("a key that is none", _set("public_keys", to=lambda _: ["a+b"])),
    ("another form", _set("format", to=lambda _: "other")),
    ("a newer form", _set("version", to=lambda _: 2)),
)


@pytest.mark.parametrize("alter", [pytest.param(alter, id=name) for name, alter in ALTERED])
def test_no_altered_bundle_is_accepted(
    bundle: Bundle, alter: Callable[[Any], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    altered = copy.deepcopy(bundle)
    alter(altered)
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle), encoding="utf-8")
    assert verifier.main([str(path)]) == 0
    path.write_text(json.dumps(altered), encoding="utf-8")
    capsys.readouterr()
    assert verifier.main([str(path)]) == 1
    assert capsys.readouterr().out.startswith("NOT PROVEN: ")


@pytest.mark.parametrize("text", ["", "{", "\xff"])
def test_what_is_no_json_cannot_be_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_bytes(text.encode("latin-1"))
    assert verifier.main([str(path)]) == 2


@pytest.mark.parametrize("text", ["[]", "null", "{}", '{"format": "muniment-proof"}', "7"])
def test_json_that_is_no_bundle_proves_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(text, encoding="utf-8")
    assert verifier.main([str(path)]) == 1


def test_a_bundle_holds_nobodys_words(bundle: Bundle) -> None:
    text = json.dumps(bundle, ensure_ascii=False)
    assert "Köln" not in text
    assert "drive" not in text


def test_a_purged_memory_is_proven_still(
    directory: Path, alone: Callable[..., tuple[int, str]]
) -> None:
    settings = {"dream": {"memory_archive_retention_days": 1e-9}}
    with muniment.open(directory, settings=settings) as m:
        id_ = m.save("The feed sits on drive 12", importance=0.1).id
        m.archive(id_, "old")
        assert list(m.purge().purged) == [id_]
        status, said = alone(m.prove(id_[-12:]))
    assert status == 0
    assert "memory.purged (version 4)" in said


def test_the_newest_checkpoint_is_taken_where_it_reaches_far_enough(directory: Path) -> None:
    with muniment.open(directory) as m:
        id_ = m.save("The feed sits on drive 12").id
        made = m.checkpoint()
        m.save("Another machine has 40 discs")
    with muniment.open(directory, read_only=True) as m:
        assert m.prove(id_)["checkpoint"] == made.text
    with muniment.open(directory) as m:
        m.pin(id_)
    with muniment.open(directory, read_only=True) as m, pytest.raises(StorageFailed) as error:
        m.prove(id_)
    assert error.value.code == "read_only"


def test_nothing_is_proven_of_a_log_that_was_tampered_with(directory: Path) -> None:
    with muniment.open(directory) as m:
        id_ = m.save("The feed sits on drive 12").id
        m.save("Another machine has 40 discs")
        m.checkpoint()
    independent.tamper(directory, ("UPDATE events SET actor = 'bot:x' WHERE position = 1", ()))
    with muniment.open(directory) as m, pytest.raises(StorageFailed) as error:
        m.prove(id_)
    assert error.value.code == "log_not_intact"


def test_nothing_is_proven_since_a_checkpoint_of_another_log(directory: Path) -> None:
    with muniment.open(":memory:") as m:
        m.save("Another machine has 40 discs")
        other = m.checkpoint()
    with muniment.open(directory) as m:
        id_ = m.save("The feed sits on drive 12").id
        with pytest.raises(StorageFailed) as error:
            m.prove(id_, since=other)
    assert error.value.code == "log_not_intact"


def test_a_memory_of_another_space_is_not_proven(directory: Path) -> None:
    with muniment.open(directory) as m:
        id_ = m.save("The feed sits on drive 12").id
        with pytest.raises(muniment.NotFound):
            m.acting_as("manual", "other").prove(id_)


def test_proofs_are_for_who_may_read_histories_and_checkpoints_for_fewer(directory: Path) -> None:
    with muniment.open(directory) as m:
        id_ = m.save("The feed sits on drive 12").id
    for role, may_prove, may_sign in (
        ("owner", True, True),
        ("main", True, False),
        ("contributor", True, False),
        ("service", False, True),
        ("auditor", True, True),
        ("admin", True, True),
    ):
        with muniment.open(directory, role=role) as m:  # type: ignore[arg-type]
            assert _may(lambda m=m: m.checkpoint()) == may_sign  # type: ignore[misc]
            assert _may(lambda m=m: m.prove(id_)) == may_prove  # type: ignore[misc]


def _may(call: Callable[[], object]) -> bool:
    try:
        call()
    except muniment.Refused:
        return False
    return True
