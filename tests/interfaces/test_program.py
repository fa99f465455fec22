"""The program in a process of its own: where it looks, what it prints when, and its reference."""

import inspect
import json
import os
import pty
import re
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest
from terminal import Terminal, program

import muniment
from muniment import __version__, operations
from muniment.commands.command import Command
from muniment.interfaces.cli.help import PANELS
from muniment.interfaces.cli.program import whole
from muniment.interfaces.cli.reference import reference
from muniment.interfaces.cli.verbs import OTHERWISE
from muniment.working import ReportToolCall

ROOT = Path(__file__).parents[2]


def test_the_installed_command_tells_its_version() -> None:
    command = Path(sys.executable).with_name("muniment")
    done = subprocess.run([command, "--version"], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode() == f"muniment {__version__}\n"


def test_without_arguments_it_helps() -> None:
    run = program()
    assert run.status == 0
    assert run.out.startswith("Usage: muniment [OPTIONS] COMMAND")
    assert run.out == program("--help").out


def test_the_store_is_where_the_environment_or_the_system_says(tmp_path: Path) -> None:
    named = {"MUNIMENT_DATA": str(tmp_path / "named"), "MUNIMENT_ACTOR": "bot:x"}
    assert program("save", "Hello there", environment=named).status == 0
    entry = json.loads(program("log", "--json", environment=named).out)
    assert entry["actor"] == "bot:x"
    home = {"XDG_DATA_HOME": str(tmp_path / "home"), "MUNIMENT_DATA": ""}
    assert program("save", "Hello there", environment=home).status == 0
    if sys.platform == "linux":
        assert (tmp_path / "home" / "muniment" / "log.db").exists()


def test_pipes_get_no_colour_and_any_encoding_will_do(tmp_path: Path) -> None:
    store = ("--data", str(tmp_path / "store"))
    run = program(*store, "save", "Zoë pays 5 €", environment={"PYTHONIOENCODING": "ascii"})
    assert run.status == 0
    assert "\x1b" not in run.out
    assert "Zo\\xeb pays 5 \\u20ac" in run.out


def on_a_terminal(*arguments: str, environment: dict[str, str] | None = None) -> bytes:
    """What a terminal gets from the program."""
    ours, theirs = pty.openpty()
    inherited = {key: value for key, value in os.environ.items() if not key.endswith("_COLOR")}
    subprocess.run(
        [sys.executable, "-m", "muniment", *arguments],
        stdout=theirs,
        stderr=theirs,
        env={**inherited, "TERM": "xterm-256color", **(environment or {})},
        check=True,
        timeout=60,
    )
    os.close(theirs)
    written = os.read(ours, 65_536)
    os.close(ours)
    return written


@pytest.mark.parametrize(("no_colour", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_gets_colour_unless_it_is_declined(
    tmp_path: Path, no_colour: dict[str, str], is_coloured: bool
) -> None:
    store = ("--data", str(tmp_path / "store"))
    written = on_a_terminal(*store, "save", "Hello there", environment=no_colour)
    assert (b"\x1b[32m" in written) is is_coloured
    assert b"Hello there" in written


def test_what_may_take_long_shows_on_a_terminal_that_it_goes_on(tmp_path: Path) -> None:
    store = ("--data", str(tmp_path / "store"))
    made = program(*store, "save", "Hello there").err
    assert made.strip() == f"A new store was made in {tmp_path / 'store'}."  # once
    assert program(*store, "save", "Rack 12 is full").err == ""
    assert b"verifying" in on_a_terminal(*store, "verify")
    assert program(*store, "verify").err == ""


def test_every_operation_has_its_verb_and_nothing_else_has() -> None:
    made = {
        operation.VERB.replace("_", "-").partition(" ")[0]
        for operation in (*operations.COMMANDS, *operations.QUERIES, *operations.WORK)
        if operation not in OTHERWISE
    }
    besides = {"fold", "purge", "import", "verify", "rebuild", "settings", "doctor", "demo"}
    besides |= {"serve", "mcp", "instructions"}
    besides |= {"prove-invariants", "checkpoint", "prove", "export", "backup", "restore-backup"}
    besides |= {"keys", "token", "space", "proposals", "erase", "erasures", "diff", "inbox"}
    besides |= {"knew", "trace", "blast-radius", "rollback", "audit", "conversation", "working"}
    besides |= {"report"}
    assert set(whole().commands) == made | besides


def test_every_verb_is_in_one_panel_of_the_help() -> None:
    names = [name for panel in PANELS.values() for name in panel]
    assert sorted(names) == sorted(whole().commands)


def test_no_default_stands_twice_in_the_help() -> None:
    page = reference()
    assert not re.search(r"\[default: [^]]*\]\s+\[default: ", page)
    assert "~/.local/share/muniment" in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("list",), "'list': 'search' without a query lists the latest. See 'muniment --help'."),
        (("sav", "x"), "Did you mean 'save'? See 'muniment --help'."),
        (("save", "x", "--data", "y"), "--data stands before the verb: 'muniment --data DIR save"),
        (("save", "x", "--categry", "y"), "--category"),
    ],
)
def test_a_line_that_makes_no_sense_is_told_what_was_meant(
    muniment: Terminal, asked: tuple[str, ...], said: str
) -> None:
    run = muniment(*asked)
    assert (run.status, run.out) == (2, "")
    assert said in run.err


def test_every_verb_and_every_parameter_is_explained() -> None:
    for name, verb in whole().commands.items():
        assert verb.help, name
        for parameter in verb.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"


@pytest.mark.parametrize(
    "operation",
    [
        one
        for one in (*operations.COMMANDS, *operations.QUERIES, *operations.WORK)
        if one not in OTHERWISE or one is ReportToolCall
    ],
    ids=lambda operation: operation.VERB,
)
def test_the_face_takes_every_field_of_an_operation_by_its_name(
    operation: type[Command | operations.Query | operations.Work],
) -> None:
    with muniment.open(":memory:") as m:
        path = {"show": "get"}.get(operation.VERB, operation.VERB).replace(" ", ".")
        method = attrgetter(path)(m)
    taken = set(inspect.signature(method).parameters) - {"self"}
    if "options" in taken:
        taken = taken - {"options"} | {"expected_version", "idempotency_key"}
    assert taken == set(operation.model_fields)


def test_the_reference_is_what_the_help_says() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == reference(), "python -m muniment.interfaces.cli.reference > docs/cli.md"
