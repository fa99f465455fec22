"""Who may do what: every operation, every role, whatever the input."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import muniment
from muniment import Muniment, MunimentError, Refused
from muniment.domain.identity import Role
from muniment.operations import COMMANDS, QUERIES

FACT = "The Quillmark feed sits on Drive North."

WRITERS = frozenset({"owner", "main"})
READERS = WRITERS | {"contributor", "service"}
LEDGER = WRITERS | {"auditor", "admin"}

MAY: dict[str, frozenset[str]] = {
    "save": WRITERS,
    "revise": WRITERS,
    "rescore": WRITERS,
    "recategorize": WRITERS,
    "retag": WRITERS,
    "describe": WRITERS,
    "pin": frozenset({"owner"}),
    "unpin": frozenset({"owner"}),
    "mark_used": WRITERS,
    "archive": WRITERS,
    "restore": WRITERS,
    "supersede": WRITERS,
    "merge": WRITERS,
    "fold": WRITERS | {"service"},
    "quarantine": frozenset({"owner", "service"}),
    "release": frozenset({"owner"}),
    "hold": frozenset({"owner", "admin"}),
    "release_hold": frozenset({"owner", "admin"}),
    "purge": frozenset({"owner", "service"}),
    "import": frozenset({"owner"}),
    "search": READERS,
    "show": READERS,
    "get_many": READERS,
    "history": LEDGER | {"contributor"},
    "log": LEDGER,
    "diff": frozenset({"owner", "auditor", "admin"}),
    "stats": LEDGER,
}
"""An operation without a row here fails the test below."""

CALLS: dict[str, Callable[[Muniment, str], Any]] = {
    "save": lambda m, of: m.save("Rack 12 is full."),
    "revise": lambda m, of: m.revise(of, "Rack 12 is full."),
    "rescore": lambda m, of: m.rescore(of, 0.9),
    "recategorize": lambda m, of: m.recategorize(of, "infra"),
    "retag": lambda m, of: m.retag(of, ["x"]),
    "describe": lambda m, of: m.describe(of, {"k": "v"}),
    "pin": lambda m, of: m.pin(of),
    "unpin": lambda m, of: m.unpin(of),
    "mark_used": lambda m, of: m.mark_used(of),
    "archive": lambda m, of: m.archive(of, "stale"),
    "restore": lambda m, of: m.restore(of),
    "supersede": lambda m, of: m.supersede(of, "01980000-0000-7000-8000-000000000000"),
    "merge": lambda m, of: m.merge([of, "01980000-0000-7000-8000-000000000000"], "Both."),
    "fold": lambda m, of: m.fold(),
    "quarantine": lambda m, of: m.quarantine(of, "doubtful"),
    "release": lambda m, of: m.release(of),
    "hold": lambda m, of: m.hold(of, "a suit"),
    "release_hold": lambda m, of: m.release_hold(of),
    "purge": lambda m, of: m.purge(),
    "import": lambda m, of: m.import_from("rockbot", Path(__file__).parent / "nothing here"),
    "search": lambda m, of: m.search("feed"),
    "show": lambda m, of: m.get(of),
    "get_many": lambda m, of: m.get_many([of]),
    "history": lambda m, of: m.history(of),
    "log": lambda m, of: list(m.log()),
    "diff": lambda m, of: m.diff(1, 1),
    "stats": lambda m, of: m.stats(),
}

NONSENSE: dict[str, Callable[[Any], Any]] = {
    "save": lambda m: m.save("", importance=9),
    "save_many": lambda m: m.save_many([{"content": ""}]),
    "revise": lambda m: m.revise("?", ""),
    "archive": lambda m: m.archive("?", ""),
    "merge": lambda m: m.merge(["?"], ""),
    "purge": lambda m: m.purge(),
    "import": lambda m: m.import_from("?", "?"),
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one memory."""
    directory = tmp_path_factory.mktemp("store")
    with muniment.open(directory) as m:
        m.save(FACT)
    return directory


@pytest.fixture(scope="module", params=get_args(Role))
def acting(request: pytest.FixtureRequest, directory: Path) -> Iterator[tuple[Role, Muniment]]:
    """A handle in each role."""
    with muniment.open(directory, role=request.param) as handle:
        yield request.param, handle


def test_the_table_has_a_row_for_every_operation() -> None:
    assert set(MAY) == {operation.VERB for operation in (*COMMANDS, *QUERIES)}
    assert set(CALLS) == set(MAY)


@pytest.mark.parametrize("verb", sorted(MAY))
def test_a_role_does_what_it_may_and_nothing_else(
    verb: str, acting: tuple[Role, Muniment], directory: Path
) -> None:
    role, m = acting
    with muniment.open(directory) as owner:
        (memory, *_) = owner.search("feed").hits or owner.search(include_archived=True).hits
        owner.restore(memory.memory.id)
        before = owner.stats().head
    try:
        CALLS[verb](m, memory.memory.id)
    except MunimentError as error:
        code = error.code
    else:
        code = "done"
    if role in MAY[verb]:
        assert code in ("done", "path_invalid", "not_found")
        with muniment.open(directory) as owner:
            if owner.get(memory.memory.id).state == "quarantined":
                owner.release(memory.memory.id)
        return
    assert code == "role_refused"
    with muniment.open(directory) as owner:
        assert owner.stats().head == before


@pytest.mark.parametrize("verb", sorted(NONSENSE))
def test_the_role_is_checked_before_anything_about_the_input(m: Muniment, verb: str) -> None:
    with pytest.raises(Refused) as caught:
        NONSENSE[verb](m.acting_as("subagent:scout"))
    assert caught.value.code == "role_refused"


class TestByActor:
    @pytest.mark.parametrize("actor", ["manual", "bot:main", "skill:mail", "reflection:s-1"])
    def test_owners_and_main_agents_write(self, m: Muniment, actor: str) -> None:
        saved = m.acting_as(actor).save(FACT)
        assert m.history(saved.id)[0].actor == actor

    @pytest.mark.parametrize("actor", ["subagent:scout", "system:dream"])
    def test_sub_agents_and_the_system_do_not(self, m: Muniment, actor: str) -> None:
        with pytest.raises(Refused, match="may not save"):
            m.acting_as(actor).save(FACT)
        assert m.stats().head == 0

    def test_a_sub_agent_searches_what_others_saved(self, m: Muniment) -> None:
        m.save(FACT)
        assert len(m.acting_as("subagent:scout").search("feed").hits) == 1

    def test_a_refusal_says_who_may_not_do_what(self, m: Muniment) -> None:
        with pytest.raises(Refused, match=r"'contributor' of subagent:scout may not save"):
            m.acting_as("subagent:scout").save(FACT)
