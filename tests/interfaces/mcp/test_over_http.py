"""The protocol under ``/mcp``: whoever bears the token, as long as it lets anybody in."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import anyio
import httpx
import pytest
from conversing import over_http, talk, told
from mcp import ClientSession
from served import Served, fails, served

from muniment.domain.identity import identity
from muniment.interfaces.http import tools


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


ACCEPTS: Final = {"Accept": "application/json, text/event-stream"}
INITIALISE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def began(client: httpx.Client) -> dict[str, str]:
    """The headers of a session that a client opened."""
    answer = client.post("/mcp", json=INITIALISE, headers=ACCEPTS)
    assert answer.status_code == 200, answer.text
    named = {**ACCEPTS, "Mcp-Session-Id": answer.headers["mcp-session-id"]}
    said = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    client.post("/mcp", json=said, headers=named)
    return named


def calling(name: str, arguments: dict[str, object], number: int = 2) -> dict[str, object]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


class TestASession:
    def test_does_not_exist_for_anybody_but_who_opened_it(self, server: Served) -> None:
        mine, other = server.client("bot:main"), server.client("bot:main")
        space = server.fresh_space()
        colleague, same = server.client("bot:b", space=space), server.client("bot:a", space=space)
        shared = server.client("bot:a", space=space)
        named, theirs = began(mine), began(shared)
        call = calling("save_memory", {"content": "Rack 1 is full."})
        nowhere = other.post("/mcp", json=call, headers={**named, "Mcp-Session-Id": "0" * 32})
        for stranger, session in ((other, named), (colleague, theirs)):
            for method in ("POST", "GET", "DELETE"):
                asked = stranger.request(
                    method, "/mcp", json=call if method == "POST" else None, headers=session
                )
                assert (asked.status_code, asked.content) == (404, nowhere.content)
        assert server.store.acting_as("manual", space).search().hits == ()
        assert mine.post("/mcp", json=call, headers=named).status_code == 200
        assert same.post("/mcp", json=call, headers=theirs).status_code == 200

    def test_never_gets_the_answer_to_a_call_of_the_same_number(self, server: Served) -> None:
        mine, other = server.client("bot:main"), server.client("bot:main")
        mine.post("/v1/memories", json={"content": "The Quillmark feed sits on Drive North."})
        named = began(mine)

        def asked(client: httpx.Client) -> list[str]:
            calls = [calling("search_memory", {"query": "quillmark"}, at) for at in range(2, 22)]
            return [client.post("/mcp", json=one, headers=named).text for one in calls]

        with ThreadPoolExecutor(2) as threads:
            answers, overheard = threads.map(asked, (mine, other))
        assert all("Drive North" in text for text in answers)
        assert not any("Drive North" in text for text in overheard)

    def test_is_one_of_so_many_that_an_actor_may_have(
        self, server: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tools, "SESSIONS", 3)
        space = server.fresh_space()
        client = server.client("bot:a", space=space)
        opened = [began(client) for _ in range(3)]
        told_ = client.post("/mcp", json=INITIALISE, headers=ACCEPTS)
        fails(told_, 429, "too_many_sessions")
        assert int(told_.headers["retry-after"]) > 0
        began(server.client("bot:b", space=space))
        assert client.delete("/mcp", headers=opened[0]).status_code == 200
        began(client)

    def test_counts_as_a_read_when_it_is_opened(self) -> None:
        with served(settings={"limits": {"reads_per_minute": 2}}) as running:
            client = running.client("bot:a")
            for _ in range(2):
                assert client.post("/mcp", json=INITIALISE, headers=ACCEPTS).status_code == 200
            fails(client.post("/mcp", json=INITIALISE, headers=ACCEPTS), 429, "rate_limited")


def test_a_body_over_the_limit_is_refused(server: Served) -> None:
    told_ = server.client().post("/mcp", content=b"x" * 1_100_000)
    assert told_.status_code == 413


def test_another_method_is_refused(server: Served) -> None:
    fails(server.client().put("/mcp", json={}), 405, "method_not_allowed")
