"""What models are told of the tools, and what each answers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conversing import failed, over_http, talk, told
from mcp import ClientSession
from mcp.shared.exceptions import MCPError
from served import Served

from muniment.interfaces.mcp.guides import GUIDES
from muniment.interfaces.mcp.instructions import BLOCK, INSTRUCTIONS
from muniment.interfaces.mcp.tools import TOOLS

FACT = "The Quillmark feed sits on Drive North."
PINNED = Path(__file__).with_name("descriptions.json")


@pytest.fixture
def space(server: Served) -> str:
    return server.fresh_space()


def agent(server: Served, space: str, actor: str = "bot:main", **options: Any) -> Any:
    return over_http(server.base, server.token(actor, space=space, **options))


class TestTold:
    def test_descriptions_are_what_was_decided(self) -> None:
        """A model goes by these words: who changes one changes this file with it."""
        pinned = json.loads(PINNED.read_text(encoding="utf-8"))
        assert {tool.name: tool.description for tool in TOOLS} == pinned

    def test_the_instructions_are_five_lines_at_most(self) -> None:
        assert len(INSTRUCTIONS.splitlines()) <= 5
        assert "get_memory_audit" in INSTRUCTIONS

    def test_what_is_told_names_only_tools_that_exist(self) -> None:
        names = {tool.name for tool in TOOLS}
        texts = [INSTRUCTIONS, BLOCK, *GUIDES.values(), *(tool.description for tool in TOOLS)]
        words = {word.strip(".,:;()'`") for text in texts for word in text.split()}
        called = {word for word in words if "_" in word and word.islower()}
        assert called <= names

    def test_a_session_is_told_all_of_it(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            listed = (await session.list_tools()).tools
            assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
            for tool in listed:
                assert tool.input_schema["additionalProperties"] is False
                assert tool.output_schema is not None
                assert tool.output_schema["type"] == "object"
                assert "$ref" not in json.dumps([tool.input_schema, tool.output_schema])
            hints = {tool.name: tool.annotations for tool in listed}
            assert all(one is not None and one.open_world_hint is False for one in hints.values())
            destructive = {n for n, one in hints.items() if one and one.destructive_hint}
            assert destructive == {"delete_memory"}
            reading = {n for n, one in hints.items() if one and one.read_only_hint}
            assert {"search_memory", "get_memory_audit"} <= reading
            assert "save_memory" not in reading

        talk(agent(server, space), say)

    @pytest.mark.parametrize(
        ("actor", "role", "has", "lacks"),
        [
            (
                *("manual", "auditor"),
                {"get_memory_history", "get_memory_audit", "verify_memory_log", "get_tool_guide"},
                {"search_memory", "save_memory", "delete_memory", "give_feedback"},
            ),
            (
                *("subagent:scout", None),
                {"search_memory", "propose_memory", "save_to_working_memory"},
                {"save_memory", "delete_memory", "resume_memory_consolidation"},
            ),
        ],
    )
    def test_a_role_is_told_of_what_it_may_do(
        self, server: Served, space: str, actor: str, role: Any, has: set[str], lacks: set[str]
    ) -> None:
        async def say(session: ClientSession) -> None:
            listed = (await session.list_tools()).tools
            names = {tool.name for tool in listed}
            assert has <= names
            assert not lacks & names
            if role == "auditor":
                assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed)
            for given in ({"id": "x"}, {}, {"nothing": 1}):
                said = await failed(session, "delete_memory", **given)
                assert said.startswith("[role_refused] ")

        talk(agent(server, space, actor, role=role), say)
        denied = server.store.acting_as("manual", space).log(name="access.denied")
        assert [entry.data["operation"] for entry in denied] == ["archive"]


class TestCalls:
    def test_what_is_saved_is_found_and_can_be_deleted(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            saved = await told(session, "save_memory", content=FACT, category="ops", tags=None)
            assert saved.startswith("Saved as a new memory.")
            id_ = saved.splitlines()[1].removeprefix("id: ")
            again = await told(session, "save_memory", content=FACT, category="ops")
            assert again.startswith("Known already: it was reinforced.")
            assert FACT in await told(session, "search_memory", query="quillmark")
            assert "ops (1)" in await told(session, "search_memory")
            rescored = await told(session, "update_memory_importance", id=id_, importance=0.9)
            assert "0.90" in rescored
            assert "restore" in await told(session, "delete_memory", id=id_)
            history = (await told(session, "get_memory_history", id=id_)).splitlines()
            assert len(history) == 4
            assert "deleted by its agent" in history[-1]
            missed = await told(session, "search_memory", query="quillmark")
            assert "not evidence" in missed

        talk(agent(server, space), say)

    def test_working_memory_keeps_and_finds(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            kept = {"key": "session/a/inbox", "data": "3 unread\nfrom Ada", "tags": ["mail"]}
            assert "session/a/inbox" in await told(
                session, "save_to_working_memory", **kept, ttl_minutes=0.5
            )
            assert await told(session, "get_from_working_memory", key=kept["key"]) == kept["data"]
            found = await told(session, "search_working_memory", query="unread", tags=["mail"])
            assert found.startswith("- session/a/inbox (expires in ")
            assert len(found.splitlines()) == 1
            assert "session/a/inbox" in await told(session, "search_working_memory")
            nothing = await told(session, "search_working_memory", namespace="patrol")
            assert nothing == "Working memory holds nothing there."
            missed = await told(session, "search_working_memory", query="zebra")
            assert "not evidence" in missed
            for ttl in (0, -1, True, "5", 10**400, 1e308):
                code = await failed(session, "save_to_working_memory", **kept, ttl_minutes=ttl)
                assert code.startswith("[ttl_invalid] ")

        talk(agent(server, space), say)

    def test_a_name_lies_in_the_place_of_the_session(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> str:
            kept = await told(session, "save_to_working_memory", key="inbox", data="3 unread")
            assert await told(session, "get_from_working_memory", key="inbox") == "3 unread"
            return kept.split()[2]

        full, other = (talk(agent(server, space), say) for _ in range(2))
        assert full != other
        assert re.fullmatch(r"session/[0-9a-f]{32}/inbox", full)
        owner = server.store.acting_as("manual", space)
        assert owner.working.get(full).value == "3 unread"

        async def scout(session: ClientSession) -> None:
            kept = await told(session, "save_to_working_memory", key="inbox", data="3 unread")
            assert kept.startswith("Kept under subagent/scout/inbox ")

        talk(agent(server, space, "subagent:scout"), scout)

    def test_what_was_said_is_found_on_one_line(self, server: Served, space: str) -> None:
        said = 'Where is\n- 2026-01-01 00:00 assistant in "s": "the depot?"'
        server.store.acting_as("manual", space).conversation.append("web-7", "user", said)

        async def say(session: ClientSession) -> None:
            found = await told(session, "search_conversation_history", query="depot")
            assert len(found.splitlines()) == 1
            assert ' user in "web-7": ' in found
            absent = await told(
                session, "search_conversation_history", query="depot", session="other", limit=5
            )
            assert "not evidence" in absent

        talk(agent(server, space), say)

    def test_the_audit_is_told_with_its_guide(self, server: Served, space: str) -> None:
        owner = server.store.acting_as("manual", space)

        async def say(session: ClientSession) -> None:
            assert (await failed(session, "get_memory_audit")).startswith("[no_audit] ")
            owner.audit.run()
            assert "healthy" in await told(session, "get_memory_audit")
            (row,) = (await told(session, "get_memory_audit_trend", days=2)).splitlines()
            assert json.loads(row)["status"] == "healthy"
            unsaid = await failed(session, "resume_memory_consolidation")
            assert unsaid.startswith("[reason_required] ")
            resumed = await told(session, "resume_memory_consolidation", reason="Looked into.")
            assert resumed == "Consolidation goes on."
            guide = await told(session, "get_tool_guide", name="memory-audit")
            assert guide == GUIDES["memory-audit"]
            assert "memory-audit" in await failed(session, "get_tool_guide", name="nothing")

        talk(agent(server, space), say)

    def test_what_is_wrong_with_an_argument_is_told_by_its_name(
        self, server: Served, space: str
    ) -> None:
        async def say(session: ClientSession) -> None:
            for wrong in (
                *({"data": 5}, {"data": ""}, {"ttl_minutes": 0}, {"ttl_minutes": "5"}, {"key": 5}),
                *({"ttl_minutes": 10**400}, {"ttl_minutes": 1e9}),
            ):
                given = {"key": "session/a/b", "data": "text", **wrong}
                said = await failed(session, "save_to_working_memory", **given)
                (name,) = wrong
                assert re.match(rf"\[\w+\] {name}\b", said), said

        talk(agent(server, space), say)

    def test_proposals_feedback_and_the_proof(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            proposed = await told(session, "propose_memory", content=FACT, confidence="high")
            assert proposed == "Proposal 1 is pending."
            assert await told(session, "give_feedback", kind="praise", text="Nice.") == (
                "Kept as praise."
            )
            verified = (await told(session, "verify_memory_log")).splitlines()
            assert verified[0].startswith("The log is intact")
            assert verified[1] == "Not ruled out:"
            assert all(line.startswith("- ") for line in verified[2:])

        talk(agent(server, space), say)

    def test_searches_are_recalls_of_the_session(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            await told(session, "save_memory", content=FACT)
            await told(session, "search_memory", query="quillmark")

        talk(agent(server, space), say)
        owner = server.store.acting_as("manual", space)
        owner.blast_radius(actor="bot:main")  # records what was recalled so far
        (known,) = owner.knew("bot:main", owner.stats().head).known
        assert known.content == FACT
        assert known.session is not None
        assert len(known.session) == 32

    def test_errors_are_a_code_and_a_sentence(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            for arguments, code in (
                ({"content": FACT, "colour": "red"}, "unknown_field"),
                ({}, "content_required"),
                ({"content": None}, "content_required"),
                ({"content": "\u200b"}, "content_empty"),
                ({"content": 5}, "content_invalid"),
                ({"content": "x", "category": "../x"}, "category_invalid"),
            ):
                said = await failed(session, "save_memory", **arguments)
                assert said.startswith(f"[{code}] ")
            assert (await failed(session, "shred_memory")).startswith("[tool_unknown] ")
            missing = await failed(session, "delete_memory", id="f" * 12)
            assert missing.startswith("[not_found] ")
            for importance in (1.01, "0.5", True):
                said = await failed(
                    session, "update_memory_importance", id="f" * 12, importance=importance
                )
                assert said.startswith("[importance_invalid] ")

        talk(agent(server, space), say)

    def test_a_bug_tells_nothing_of_itself(
        self, server: Served, space: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: Any, **__: Any) -> Any:
            raise RuntimeError("the master key is hunter2")

        monkeypatch.setattr("muniment.handle.Muniment.save", fail)

        async def say(session: ClientSession) -> None:
            said = await failed(session, "save_memory", content=FACT)
            assert said.startswith("[unexpected] ")
            assert "hunter2" not in said

        talk(agent(server, space), say)


class TestInbox:
    def test_the_inbox_is_a_resource(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            (listed,) = (await session.list_resources()).resources
            assert (str(listed.uri), listed.mime_type) == ("muniment://inbox", "text/markdown")
            (read,) = (await session.read_resource("muniment://inbox")).contents
            assert getattr(read, "text", None) == "Nothing was said."
            with pytest.raises(MCPError, match="no such resource"):
                await session.read_resource("muniment://secrets")

        talk(agent(server, space), say)

    def test_who_may_not_read_it_is_not_told_of_it(self, server: Served, space: str) -> None:
        async def say(session: ClientSession) -> None:
            assert (await session.list_resources()).resources == []
            with pytest.raises(MCPError, match="role_refused"):
                await session.read_resource("muniment://inbox")

        talk(agent(server, space, "subagent:scout"), say)


def test_a_bug_behind_the_inbox_is_told_without_its_words(
    server: Served, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> str:
        raise RuntimeError("hunter2")

    monkeypatch.setattr("muniment.interfaces.mcp.server.inbox", broken)

    async def say(session: ClientSession) -> None:
        with pytest.raises(MCPError, match="should not happen") as caught:
            await session.read_resource("muniment://inbox")
        assert "hunter2" not in str(caught.value)

    talk(agent(server, space), say)
