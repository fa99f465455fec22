"""The protocol under ``/mcp``: whoever bears the token, as long as it lets anybody in."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import anyio
import httpx
import httpx2
import pytest
from conversing import over_http, talk
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents
from served import Served, fails, served

from muniment.domain.identity import identity
from muniment.interfaces.mcp.tools import TOOLS


@pytest.mark.parametrize("token", [None, "muniment_wrong"])
def test_without_a_token_there_is_no_session(server: Served, token: str | None) -> None:
    let_in: list[ClientSession] = []

    async def say(session: ClientSession) -> None:
        let_in.append(session)

    with pytest.raises(BaseException):  # noqa: B017, PT011 (each transport has its own)
        talk(over_http(server.base, token), say)
    assert let_in == []
    server.client().get("/v1/stats")  # a good one ends the count of failures


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
    def test_is_a_name_and_opens_nothing(self, server: Served) -> None:
        mine, other = server.client("bot:main"), server.client("bot:main")
        named = began(mine)
        saved = mine.post(
            "/mcp", json=calling("save_memory", {"content": "Rack 1 is full."}), headers=named
        )
        assert saved.status_code == 200
        found = other.post(
            "/mcp", json=calling("search_memory", {"query": "rack"}), headers=named
        ).json()["result"]
        assert found["structuredContent"]["hits"] == []

    def test_never_gets_the_answer_to_a_call_of_the_same_number(self, server: Served) -> None:
        """Neither from another space, nor from another client of the same identity."""
        space = server.fresh_space()
        clients = [server.client("bot:main", space=space) for _ in range(3)]
        clients.append(server.client("bot:main"))
        named = began(clients[0])

        def asked(which: int) -> list[str]:
            call = calling(
                "save_to_working_memory", {"key": f"session/racks/{which}", "data": "full"}, 7
            )
            return [
                clients[which]
                .post("/mcp", json=call, headers=named)
                .json()["result"]["structuredContent"]["key"]
                for _ in range(20)
            ]

        with ThreadPoolExecutor(len(clients)) as threads:
            answers = list(threads.map(asked, range(len(clients))))
        assert [set(keys) for keys in answers] == [{f"session/racks/{which}"} for which in range(4)]

    def test_goes_on_with_another_server_of_the_store(self, tmp_path: Path) -> None:
        with served(tmp_path / "store") as first, served(tmp_path / "store") as second:
            token = first.token("bot:main")
            named = began(first.bearing(token))
            call = calling("save_memory", {"content": "Rack 1 is full."})
            assert second.bearing(token).post("/mcp", json=call, headers=named).status_code == 200
            search = calling("search_memory", {"query": "rack"})
            for running in (first, second):
                told_ = running.bearing(token).post("/mcp", json=search, headers=named)
                assert "Rack 1 is full." in told_.text

    @pytest.mark.parametrize("header", ["Mcp-Session-Id", "X-Session"])
    def test_names_what_its_recalls_are_recorded_in(self, server: Served, header: str) -> None:
        space = server.fresh_space()
        client = server.client("bot:main", space=space)
        client.post("/v1/memories", json={"content": "Rack 1 is full."})
        search = calling("search_memory", {"query": "rack"})
        client.post("/mcp", json=search, headers={**ACCEPTS, header: "night-shift"})
        owner = server.store.acting_as("manual", space)
        owner.blast_radius(actor="bot:main")  # records what was recalled so far
        (known,) = owner.knew("bot:main", owner.stats().head).known
        assert known.session == "night-shift"

    def test_counts_a_call_that_writes_as_a_write_and_all_else_as_a_read(self) -> None:
        limits = {"reads_per_minute": 3, "writes_per_minute": 1}
        with served(settings={"limits": limits}) as running:
            client = running.client("bot:main")
            ping: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            save = calling("save_memory", {"content": "Rack 1 is full."})
            assert "Saved" in client.post("/mcp", json=save, headers=ACCEPTS).text
            for message, reads in ((save, 0), (ping, 3)):
                for _ in range(reads):
                    assert client.post("/mcp", json=message).status_code == 200
                told_ = client.post("/mcp", json=message)
                assert "ask again in" in fails(told_, 429, "rate_limited")
                assert int(told_.headers["retry-after"]) > 0


class TestErrors:
    """Clients of the protocol show what its errors say, so ours are of its form here."""

    def test_of_the_server_are_of_the_protocol(self, server: Served) -> None:
        call = calling("search_memory", {})
        client = server.client("bot:main")
        fails(server.bearing(None).post("/mcp", json=call), 401, "token_required")
        wrong = server.bearing("muniment_wrong").post("/mcp", json=call)
        fails(wrong, 401, "token_refused")
        server.client().get("/v1/stats")  # a good one ends the count of failures
        foreign = client.post("/mcp", json=call, headers={"Origin": "https://evil.example"})
        fails(foreign, 403, "origin_refused")
        elsewhere = client.post("/mcp", json=call, headers={"Host": "evil.example"})
        fails(elsewhere, 403, "host_refused")
        text = client.post("/mcp", content=b"{}", headers={"Content-Type": "text/plain"})
        fails(text, 415, "content_type_unsupported")
        packed = client.post("/mcp", json=call, headers={"Content-Encoding": "gzip"})
        fails(packed, 415, "encoding_unsupported")
        json_ = {"Content-Type": "application/json"}
        large = client.post("/mcp", content=b"x" * 1_100_000, headers=json_)
        fails(large, 413, "body_too_large")

    def test_are_read_by_a_client_whose_token_was_revoked(self, server: Served) -> None:
        space = server.fresh_space()
        admin = server.store.as_identity(identity(space, "manual", "admin"))
        made = admin.tokens.issue(actor="bot:main")

        async def say(session: ClientSession) -> None:
            await anyio.to_thread.run_sync(admin.tokens.revoke, made.token.id)
            with anyio.fail_after(10), pytest.raises(MCPError, match=r"\[token_refused\] "):
                await session.call_tool("save_memory", {"content": "Rack 2 is full."})

        talk(over_http(server.base, made.text), say)
        assert server.store.acting_as("manual", space).search().hits == ()

    @pytest.mark.parametrize(
        ("sent", "code", "number"),
        [
            (b"no json", -32_700, None),
            (b"[1]", -32_600, None),
            (b"\xff{}", -32_700, None),
            (b"[" * 100_000, -32_700, None),
            (b'{"jsonrpc": "2.0", "id": 5}', -32_600, 5),
            (b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', -32_600, None),
            (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "method": "tools/list"}', -32_600, 5),
            (b'{"jsonrpc": "2.0", "id": 5, "id": 6, "method": "ping"}', -32_600, None),
            (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "result": {}}', -32_600, 5),
            (
                b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": {"a": "\\ud800"}}',
                *(-32_600, 5),
            ),
            (
                b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": {"a": NaN}}',
                *(-32_600, 5),
            ),
        ],
    )
    def test_say_what_was_wrong_with_a_message(
        self, server: Served, sent: bytes, code: int, number: int | None
    ) -> None:
        headers = {**ACCEPTS, "Content-Type": "application/json"}
        told_ = server.client("bot:main").post("/mcp", content=sent, headers=headers)
        assert told_.status_code == 400
        said = told_.json()
        assert (said["error"]["code"], said["id"]) == (code, number)


@pytest.mark.parametrize("accepts", [None, "*/*", "text/html", "application/json"])
def test_the_answer_is_json_whatever_is_accepted(server: Served, accepts: str | None) -> None:
    client = server.client("bot:main")
    del client.headers["accept"]
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    content = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    if accepts is not None:
        headers["Accept"] = accepts
    told_ = client.post("/mcp", content=content, headers=headers)
    assert (told_.status_code, told_.json()["result"]) == (200, {})


def test_an_answer_is_taken_and_not_answered(server: Served) -> None:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "What?"}}
    told_ = server.client("bot:main").post("/mcp", json=error)
    assert (told_.status_code, told_.content) == (202, b"")


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_every_version_of_the_protocol_is_spoken(server: Served, mode: str) -> None:
    token = server.token("bot:main", space=server.fresh_space())

    async def say() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(f"{server.base}/mcp", http_client=http), mode=mode) as c,
        ):
            assert len((await c.list_tools()).tools) == len(TOOLS)
            saved = await c.call_tool("save_memory", {"content": "Rack 1 is full."})
            assert saved.structured_content is not None
            found = await c.call_tool("search_memory", {"query": "rack"})
            (part,) = found.content
            assert isinstance(part, TextContent)
            assert "Rack 1 is full." in part.text
            (read,) = (await c.read_resource("muniment://inbox")).contents
            assert isinstance(read, TextResourceContents)

    anyio.run(say)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_another_method_is_refused(server: Served, method: str) -> None:
    told_ = server.client().request(method, "/mcp")
    fails(told_, 405, "method_not_allowed")
    assert told_.headers["allow"] == "POST"
