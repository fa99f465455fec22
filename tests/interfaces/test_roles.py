"""Every cell of the table of roles, on every surface that there is."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from roles_page import table
from surfaces import (
    CALLS,
    REQUESTS,
    SURFACES,
    TOOL_CALLS,
    VERBS,
    InPython,
    OnTheCommandLine,
    OverHttp,
    operations,
    surface,
)
from terminal import Terminal

import muniment
from muniment.domain.access import ROLES
from muniment.domain.identity import Role
from muniment.interfaces.cli import program
from muniment.interfaces.mcp.tools import TOOLS

ALLOWED = frozenset(
    [
        *("done", "not_found", "entry_not_found", "path_invalid", "not_live"),
        *("target_not_empty", "target_exists", "namespace_required", "model_not_configured"),
    ]
)
"""How what is allowed may end here: it is asked for with what may not be there."""


@pytest.fixture
def made(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Terminal:
    """A store, on whose command line verbs are made once."""
    monkeypatch.setattr(program, "application", cache(_once()))
    return Terminal(tmp_path / "store", capsys, monkeypatch)


def _once() -> Callable[[], object]:
    return program.application


def test_every_operation_has_a_row_and_is_asked_for_on_every_surface() -> None:
    names = operations()
    assert names <= set(ROLES)
    assert set(CALLS) == names - InPython.LACKS
    assert set(VERBS) == names - OnTheCommandLine.LACKS
    assert set(REQUESTS) == names - OverHttp.LACKS
    assert {tool.operation for tool in TOOLS} - {None} == set(TOOL_CALLS)


@pytest.mark.parametrize("role", get_args(Role))
@pytest.mark.parametrize("name", SURFACES)
def test_a_role_does_what_the_table_allows_and_nothing_else(
    made: Terminal, name: str, role: Role
) -> None:
    with muniment.open(made.data) as m:
        of = m.save("The Quillmark feed sits on Drive North.").id
    wrong: list[str] = []
    with surface(name, made) as ask:
        for operation in sorted(CALLS.keys() - ask.LACKS):
            with muniment.open(made.data) as m:
                if m.get(of).state == "quarantined":
                    m.release(of)
                m.restore(of)
                before = _written(m)
            code = ask(operation, role, of)
            if role in ROLES[operation]:
                right = code in ALLOWED
            else:
                with muniment.open(made.data) as m:
                    right = code == "role_refused" and _written(m) == before
            wrong += [] if right else [f"{operation}: {code}"]
    assert wrong == []


def _written(m: muniment.Muniment) -> int:
    """How many events say something else than that somebody was denied."""
    return sum(entry.name != "access.denied" for entry in m.log(space="*"))


def test_the_page_has_the_table_of_the_code() -> None:
    page = Path(__file__).parents[2] / "docs" / "roles-and-trust.md"
    assert table() in page.read_text(encoding="utf-8"), "python tests/support/roles_page.py"
