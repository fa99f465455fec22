"""Who may do what, whatever the input; every cell of the table is in ``interfaces/test_roles``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from bdd import Clock

import muniment
from muniment import Muniment, NotFound, Refused, StorageFailed
from muniment.commands.record_denial import RecordDenial
from muniment.domain.access import ROLES, Operation
from muniment.domain.identity import Role

FACT = "The Quillmark feed sits on Drive North."

NONSENSE: dict[str, Callable[[Any], Any]] = {
    "save": lambda m: m.save("", importance=9),
    "save_many": lambda m: m.save_many([{"content": ""}]),
    "revise": lambda m: m.revise("?", ""),
    "archive": lambda m: m.archive("?", ""),
    "merge": lambda m: m.merge(["?"], ""),
    "purge": lambda m: m.purge(),
    "erase": lambda m: m.erase("?", basis=""),
    "rollback": lambda m: m.rollback(dry_run=None),
    "import": lambda m: m.import_from("?", "?"),
}

NONSENSE_OF_WORK: dict[str, Callable[[Any], Any]] = {
    "working save": lambda m: m.working.save("", "", ttl=0),
    "working get": lambda m: m.working.get(""),
    "working search": lambda m: m.working.search(limit=0),
    "conversation append": lambda m: m.conversation.append("", "", ""),
    "conversation turns": lambda m: m.conversation.turns(""),
    "conversation search": lambda m: m.conversation.search(limit=0),
    "context": lambda m: m.context("", 5),
    "report_tool_call": lambda m: m.report_tool_call("", "", 5, 5),
    "feedback": lambda m: m.feedback("?", ""),
}


SETTLED: dict[str, dict[str, bool]] = {
    "search": {"owner": True, "main": True, "contributor": True, "auditor": False, "service": True},
    "save": {"owner": True, "main": True, "contributor": False, "auditor": False, "admin": False},
    "decide": {"owner": True, "main": True, "contributor": False, "service": False},
    "propose": {"contributor": True, "auditor": False},
    "recall for another": {"owner": True, "main": True, "contributor": False, "service": False},
    "purge": {"owner": True, "main": False, "contributor": False, "service": True, "admin": True},
    "erase": {"owner": True, "main": False, "service": False, "admin": True},
    "hold": {"owner": True, "main": False, "service": False, "admin": True},
    "release": {"owner": True, "main": False, "service": False, "admin": False},
    "history": {"main": True, "contributor": True, "auditor": True, "service": False},
    "log": {"main": True, "contributor": False, "auditor": True, "service": False, "admin": True},
    "token issue": {"owner": False, "main": False, "auditor": False, "admin": True},
    "import": {"owner": True, "main": False, "admin": False},
    "keys rotate": {"owner": True, "main": False, "auditor": False, "admin": True},
    "every_space": {"owner": True, "main": False, "auditor": True, "admin": True},
}
"""What the roles are for, said once more than by the table."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one memory."""
    directory = tmp_path_factory.mktemp("store")
    with muniment.open(directory) as m:
        m.save(FACT)
    return directory


@pytest.mark.parametrize("operation", sorted(SETTLED))
def test_the_table_says_what_the_roles_are_for(operation: str) -> None:
    allowed: frozenset[str] = ROLES[operation]
    assert {role: role in allowed for role in SETTLED[operation]} == SETTLED[operation]


def test_an_operation_without_a_row_cannot_be_defined() -> None:
    with pytest.raises(TypeError, match="no row 'shred'"):

        class Shred(Operation):  # pyright: ignore[reportUnusedClass]
            VERB: ClassVar[str] = "shred"


@pytest.mark.parametrize("verb", sorted(NONSENSE))
def test_the_role_is_checked_before_anything_about_the_input(m: Muniment, verb: str) -> None:
    with pytest.raises(Refused) as caught:
        NONSENSE[verb](m.acting_as("subagent:scout"))
    assert caught.value.code == "role_refused"


@pytest.mark.parametrize("verb", sorted(NONSENSE_OF_WORK))
def test_an_auditor_is_refused_before_anything_about_the_input(directory: Path, verb: str) -> None:
    with muniment.open(directory, role="auditor") as m, pytest.raises(Refused) as caught:
        NONSENSE_OF_WORK[verb](m)
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
        assert m.search().hits == ()

    def test_a_sub_agent_searches_what_others_saved(self, m: Muniment) -> None:
        m.save(FACT)
        assert len(m.acting_as("subagent:scout").search("feed").hits) == 1

    def test_a_refusal_says_who_may_not_do_what(self, m: Muniment) -> None:
        with pytest.raises(Refused, match=r"'contributor' of subagent:scout may not save"):
            m.acting_as("subagent:scout").save(FACT)


class TestHistories:
    def test_a_sub_agent_reads_no_history_that_it_had_no_part_in(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        with pytest.raises(Refused) as caught:
            m.acting_as("subagent:scout").history(id_)
        assert caught.value.code == "role_refused"
        assert [entry.data["operation"] for entry in m.log(name="access.denied")] == ["history"]

    @pytest.mark.parametrize("role", ["auditor", "admin"])
    def test_who_keeps_books_reads_facts_and_no_words(self, tmp_path: Any, role: Role) -> None:
        with muniment.open(tmp_path / "s") as m:
            id_ = m.save(FACT, category="infra", tags=["feed"]).id
        with muniment.open(tmp_path / "s", role=role) as m:
            (told,) = m.history(id_)
            (entry,) = m.log()
            assert told.data == entry.data
            assert told.data["trust"] == 3
            assert not {"content", "category", "tags", "metadata"} & told.data.keys()
            assert "Quillmark" not in told.summary
            with pytest.raises(Refused):
                m.get(id_)

    def test_an_auditor_reads_words_once_that_is_granted(self, tmp_path: Any) -> None:
        with muniment.open(tmp_path / "s") as m:
            id_ = m.save(FACT).id
        granted = {"access": {"auditors_read_content": True}}
        with muniment.open(tmp_path / "s", role="auditor", settings=granted) as m:
            assert m.history(id_)[0].data["content"] == FACT
            assert m.search("feed").hits[0].memory.id == id_
            with pytest.raises(Refused):
                m.save(FACT)
        with muniment.open(tmp_path / "s", role="admin", settings=granted) as m:
            assert "content" not in m.history(id_)[0].data


class TestDenials:
    """A denial is told in the log, and nobody fills the log by trying again."""

    @staticmethod
    def told(m: Muniment) -> list[tuple[str, str, int]]:
        return [
            (entry.actor, entry.data["operation"], entry.data["count"])
            for entry in m.log(name="access.denied")
        ]

    @staticmethod
    def tries(m: Muniment, times: int = 1) -> None:
        for _ in range(times):
            with pytest.raises(Refused):
                m.save(FACT)

    def test_the_first_is_told_at_once(self, m: Muniment) -> None:
        self.tries(m.acting_as("subagent:scout"))
        (entry,) = m.log(name="access.denied")
        assert (entry.actor, entry.version, entry.space) == ("subagent:scout", 1, "default")
        assert entry.data == {"operation": "save", "role": "contributor", "count": 1}

    def test_those_of_the_minute_after_are_told_together(self, m: Muniment, clock: Clock) -> None:
        scout = m.acting_as("subagent:scout")
        self.tries(scout, 5)
        clock.advance(seconds=59)
        self.tries(scout, 2)
        assert self.told(m) == [("subagent:scout", "save", 1)]
        clock.advance(seconds=1)
        self.tries(scout)
        assert self.told(m)[1:] == [("subagent:scout", "save", 7)]

    def test_each_actor_and_operation_is_told_apart(self, m: Muniment) -> None:
        scout, other = m.acting_as("subagent:scout"), m.acting_as("subagent:other")
        self.tries(scout, 2)
        self.tries(other, 2)
        with pytest.raises(Refused):
            scout.archive("01980000-0000-7000-8000-000000000000", "stale")
        assert self.told(m) == [
            ("subagent:scout", "save", 1),
            ("subagent:other", "save", 1),
            ("subagent:scout", "archive", 1),
        ]

    def test_what_was_counted_is_told_when_the_store_is_closed(self, tmp_path: Any) -> None:
        with muniment.open(tmp_path / "s") as m:
            self.tries(m.acting_as("subagent:scout"), 4)
        with muniment.open(tmp_path / "s") as m:
            assert sum(count for _, _, count in self.told(m)) == 4

    def test_a_handle_that_only_reads_tells_nothing(self, tmp_path: Any) -> None:
        with muniment.open(tmp_path / "s") as m:
            m.save(FACT)
        with muniment.open(tmp_path / "s", actor="subagent:scout", read_only=True) as m:
            self.tries(m)
        with muniment.open(tmp_path / "s") as m:
            assert self.told(m) == []

    def test_who_may_not_is_told_so_even_where_it_cannot_be_written_down(
        self, m: Muniment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: Any) -> Any:
            raise StorageFailed("The disk is full.", code="full")

        monkeypatch.setattr(RecordDenial, "decide", full)
        self.tries(m.acting_as("subagent:scout"))

    def test_the_log_of_other_spaces_is_denied_to_agents(self, m: Muniment) -> None:
        with pytest.raises(Refused):
            m.acting_as("bot:main").log(space="*")
        assert self.told(m) == [("bot:main", "log", 1)]

    def test_what_is_not_there_is_no_denial(self, m: Muniment) -> None:
        with pytest.raises(NotFound):
            m.acting_as("subagent:scout").history("01980000-0000-7000-8000-000000000000")
        assert self.told(m) == []
