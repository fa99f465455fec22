"""What a process loads before it is asked for anything: those that wait for it pay for that."""

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import muniment

SELDOM = {
    *("fastapi", "httpcore", "httpx", "matplotlib", "muniment.adapters", "muniment.audit.auditor"),
    *("muniment.backups", "muniment.demonstration", "muniment.exporting", "muniment.importing"),
    *("muniment.interfaces.cli.rendering", "muniment.interfaces.http", "muniment.key_backups"),
    *("muniment.proofs", "muniment.reporting", "muniment.work", "prometheus_client", "stamina"),
}
"""Modules that only some calls need."""

PACKAGES = {
    *("cryptography", "eventsourcing", "numpy", "pydantic", "pydantic_settings", "rapidfuzz"),
    *("re2", "structlog", "zstandard"),
}
"""Packages that a store cannot be opened without."""

HELLO: dict[str, object] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


TELL = "\nimport sys\nsys.stderr.write(' '.join(sys.modules))"


def loaded(code: str) -> set[str]:
    """The modules that a process has after some code."""
    command = [sys.executable, "-c", code + TELL]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
    return set(done.stderr.split())


def test_importing_the_package_loads_nothing_of_it() -> None:
    names = loaded("import muniment")
    assert {name for name in names if name.partition(".")[0] == "muniment"} == {"muniment"}
    assert not names & (PACKAGES | {"mcp", "rich", "typer"})


def test_telling_the_version_loads_nothing_of_a_store() -> None:
    names = loaded("from muniment.interfaces.cli import main\nmain(['--version'])")
    assert "muniment.interfaces.cli.program" in names
    assert not names & (SELDOM | PACKAGES | {"muniment.handle", "muniment.settings", "rich"})


def test_a_store_that_is_written_and_searched_loads_what_that_takes() -> None:
    names = loaded(
        "import muniment\n"
        "with muniment.open(':memory:') as m:\n m.save('Hello there')\n m.search('hello')"
    )
    assert "muniment.handle" in names
    assert not names & (SELDOM | {"mcp", "typer"})


def test_a_host_waits_for_no_more_than_its_tools_take(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom muniment.interfaces.cli import main\nmain(['--data', sys.argv[1], 'mcp'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code + TELL, tmp_path / "store"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        _say(process, method="initialize", id=1, params=HELLO)
        assert "error" not in _answer(process)
        _say(process, method="notifications/initialized")
        _say(process, method="tools/list", id=2, params={})
        assert "save_memory" in json.dumps(_answer(process)["result"]["tools"])
        _, modules = process.communicate(timeout=60)
    names = set(modules.split())
    assert "muniment.interfaces.mcp.stdio" in names
    assert not names & (SELDOM | {"muniment.interfaces.cli.verbs", "muniment.meaning"})


def _say(process: subprocess.Popen[str], **message: object) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def _answer(process: subprocess.Popen[str]) -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


# the names of the face, which are loaded when they are first asked for


def test_every_name_of_the_face_can_be_had() -> None:
    assert sorted(muniment.__all__) == dir(muniment)
    assert len(dir(muniment)) > 60
    for name in dir(muniment):
        assert getattr(muniment, name) is not None


def test_a_name_that_the_face_has_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(muniment, "nonsense")  # noqa: B009 (checkers know that it is not there)


def test_every_name_comes_with_a_star() -> None:
    names = loaded("from muniment import *\nassert Muniment and open and SearchResult")
    assert "muniment.reporting.report" in names


def test_an_answer_survives_pickling() -> None:
    with muniment.open(":memory:") as m:
        saved = m.save("Hello there")
    assert pickle.loads(pickle.dumps(saved)) == saved


@pytest.mark.parametrize("name", ["backup", "erase", "import_from", "rollback", "save", "verify"])
def test_what_a_method_answers_with_can_be_looked_up(name: str) -> None:
    answer = get_type_hints(getattr(muniment.Muniment, name))["return"]
    assert "muniment." in str(answer)
