"""The protocol under ``/mcp``: whoever bears the token, as long as it lets anybody in."""

import anyio
import pytest
from conversing import over_http, talk, told
from mcp import ClientSession
from served import Served, fails

from muniment.domain.identity import identity


@pytest.mark.parametrize("token", [None, "muniment_wrong"])
def test_without_a_token_there_is_no_session(server: Served, token: str | None) -> None:
    let_in: list[ClientSession] = []

    async def say(session: ClientSession) -> None:
        let_in.append(session)

    with pytest.raises(BaseException):  # noqa: B017, PT011 (each transport has its own)
        talk(over_http(server.base, token), say)
    assert let_in == []
    server.client().get("/v1/stats")  # a good one ends the count of failures


def test_a_token_that_is_revoked_ends_its_session(server: Served) -> None:
    space = server.fresh_space()
    admin = server.store.as_identity(identity(space, "manual", "admin"))
    made = admin.tokens.issue(actor="bot:main")
    saved: list[str] = []

    async def say(session: ClientSession) -> None:
        saved.append(await told(session, "save_memory", content="Rack 1 is full."))
        await anyio.to_thread.run_sync(admin.tokens.revoke, made.token.id)
        with anyio.fail_after(10):
            await session.call_tool("save_memory", {"content": "Rack 2 is full."})

    with pytest.raises(BaseException):  # noqa: B017, PT011 (each transport has its own)
        talk(over_http(server.base, made.text), say)
    assert len(saved) == 1
    owner = server.store.acting_as("manual", space)
    assert [hit.memory.content for hit in owner.search().hits] == ["Rack 1 is full."]


def test_a_session_acts_as_whoever_bears_the_token(server: Served) -> None:
    """The id of another's session is worth nothing: the space is that of the token."""
    initialise = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    accepts = {"Accept": "application/json, text/event-stream"}
    one, other = server.client("bot:main"), server.client("bot:main")
    began = one.post("/mcp", json=initialise, headers=accepts)
    named = {**accepts, "Mcp-Session-Id": began.headers["mcp-session-id"]}
    one.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=named)
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "save_memory", "arguments": {"content": "Rack 1 is full."}},
    }
    answer = other.post("/mcp", json=call, headers=named)
    assert one.post("/v1/search", json={}).json()["hits"] == [], answer.text
    assert one.post("/mcp", json=call, headers=named).status_code == 200
    assert len(one.post("/v1/search", json={}).json()["hits"]) == 1


def test_a_body_over_the_limit_is_refused(server: Served) -> None:
    told_ = server.client().post("/mcp", content=b"x" * 1_100_000)
    assert told_.status_code == 413


def test_another_method_is_refused(server: Served) -> None:
    fails(server.client().put("/mcp", json={}), 405, "method_not_allowed")
