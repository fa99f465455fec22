"""Every invariant is explained, and the page of the documentation says the same."""

import ast
from pathlib import Path

import pytest
from golden import EXAMPLES

from muniment.log import codec
from muniment.proofs import invariants, reference
from muniment.proofs.facts import MEMORY_NAMES, NAMES
from muniment.proofs.glossary import GLOSSARY
from muniment.proofs.invariants import ALL

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "invariants.md"


def test_every_invariant_has_an_entry_and_no_entry_is_of_none() -> None:
    assert set(GLOSSARY) == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_an_entry_says_what_it_means_and_what_to_do(name: str) -> None:
    entry = GLOSSARY[name]
    assert entry.title
    assert not entry.title.endswith(".")
    assert entry.meaning.endswith(".")
    assert entry.advice.endswith(".")


def test_titles_are_different() -> None:
    assert len({entry.title for entry in GLOSSARY.values()}) == len(ALL)


def test_the_page_is_what_the_glossary_says() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == reference.page(), "python -m muniment.proofs.reference > docs/invariants.md"


@pytest.mark.parametrize("name", ALL)
def test_the_page_has_every_invariant(name: str) -> None:
    assert f"\n## {name}\n" in PAGE.read_text(encoding="utf-8")


def test_every_event_of_a_memory_is_known() -> None:
    written = {event.NAME for event in codec.EVENTS if event.NAME.startswith("memory.")}  # type: ignore[attr-defined]  # every event has one
    assert written == MEMORY_NAMES


def test_every_event_of_a_proposal_and_of_an_erasure_is_known() -> None:
    names = {codec.stored_name(event)[0] for event in EXAMPLES}
    assert {name for name in names if name.startswith(("proposal.", "erasure.", "words."))} == (
        NAMES - MEMORY_NAMES
    )


def test_nothing_of_the_write_side_is_used_but_the_names_of_events() -> None:
    subjects = {"muniment.domain.memory", "muniment.domain.proposal", "muniment.domain.erasure"}
    ours = subjects | {"muniment.log.rows"}
    for path in Path(invariants.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("muniment") for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                module = node.module or ""
                assert not module.startswith("muniment") or module in ours, (path, module)
                if module in subjects:
                    assert [alias.name for alias in node.names] == ["events"], path
