"""Clients that mean harm, or that a proxy speaks for: the server goes on for all others."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from served import Served, fails, served
from started import owner_token, serving

from muniment.domain.identity import identity


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


Connect = Callable[[Served], socket.socket]


@pytest.fixture
def connected() -> Iterator[Connect]:
    """Makes connections to a server, and closes them at the end."""
    with ExitStack() as opened:

        def connect(running: Served) -> socket.socket:
            url = httpx.URL(running.base)
            assert url.port is not None
            return opened.enter_context(socket.create_connection((url.host, url.port), timeout=10))

        yield connect


def heard(connection: socket.socket, what: bytes) -> bytes:
    """What is told, up to a part of it or the end."""
    told = b""
    while what not in told and (more := connection.recv(4_096)):
        told += more
    return told


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def posting(token: str, body: bytes) -> bytes:
    """A request whose body begins so, and is 50 bytes long."""
    head = (
        "POST /v1/memories HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Length: 50",
        "Content-Type: application/json",
        f"Authorization: Bearer {token}",
    )
    return "\r\n".join([*head, "", ""]).encode() + body


class TestConnections:
    def test_that_do_not_say_what_they_want_are_closed(self, connected: Connect) -> None:
        with served(settings={"limits": {"head_seconds": 0.3}}) as running:
            silent, half = connected(running), connected(running)
            half.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127")
            assert is_closed(silent)
            assert is_closed(half)

    def test_that_begin_a_second_request_and_do_not_end_it_are_closed(
        self, connected: Connect
    ) -> None:
        with served(settings={"limits": {"head_seconds": 0.3}}) as running:
            one = connected(running)
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert b"live" in heard(one, b"}")
            one.sendall(b"GET ")
            assert is_closed(one)

    def test_that_wait_for_an_answer_are_kept(self) -> None:
        with served(settings={"limits": {"head_seconds": 0.3}}) as running:
            client = running.client()
            with client.stream("GET", "/v1/log/stream") as stream:
                time.sleep(0.6)
                client.post("/v1/memories", json={"content": "The Quillmark feed sits on Drive N."})
                assert any(line.startswith("id:") for line in stream.iter_lines())

    def test_more_than_are_allowed_are_closed_and_the_others_are_answered(
        self, connected: Connect
    ) -> None:
        with served(settings={"limits": {"connections": 3}}) as running:
            client = running.client()
            assert client.get("/healthz").status_code == 200  # it keeps its connection
            more = [connected(running) for _ in range(5)]
            assert client.get("/v1/stats").status_code == 200
            for one in more:
                one.settimeout(0.5)
            assert 3 <= sum(map(is_closed, more)) < 5

    def test_whose_body_does_not_come_are_told_so(self, connected: Connect) -> None:
        with served(settings={"limits": {"body_seconds": 0.3}}) as running:
            token = running.token()
            slow = connected(running)
            slow.sendall(posting(token, b"{"))
            told = heard(slow, b"}")
            assert told.startswith(b"HTTP/1.1 408 ")
            assert b"body_too_slow" in told


class TestOneReading:
    """Two programs on the way must not take a request for two things."""

    @pytest.mark.parametrize(
        "name",
        ["Authorization", "Content-Type", "Origin", "X-Session", "Mcp-Session-Id", "Last-Event-ID"],
    )
    @pytest.mark.parametrize("path", ["/v1/search", "/mcp"])
    def test_of_a_header_that_may_be_there_once(self, server: Served, name: str, path: str) -> None:
        client = server.client()
        headers = [(name, "a"), (name, "b")]
        fails(client.post(path, json={}, headers=headers), 400, "header_doubled", name)

    @pytest.mark.parametrize("version", ["1.0", "1.1"])
    def test_of_where_a_body_ends(self, server: Served, connected: Connect, version: str) -> None:
        length = "Content-Length: 4\r\n" if version == "1.1" else ""
        head = (
            f"POST /v1/search HTTP/{version}\r\nHost: localhost\r\n{length}"
            f"Authorization: Bearer {server.token()}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n"
        )
        connection = connected(server)
        connection.sendall(head.encode() + b"2\r\n{}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n")
        told = heard(connection, b"nothing that is said")
        assert told.count(b"HTTP/1.1 ") == 1
        assert b"HTTP/1.1 400 " in told
        assert b"framing_ambiguous" in told

    @pytest.mark.parametrize(
        "sent",
        [
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
            b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            b"nonsense\r\n\r\n",
        ],
    )
    def test_of_what_is_no_request(self, server: Served, connected: Connect, sent: bytes) -> None:
        connection = connected(server)
        connection.sendall(sent)
        head, _, body = heard(connection, b"nothing that is said").partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert json.loads(body)["error"]["code"] == "request_invalid"


class TestABodyOfManyNames:
    def test_is_read_in_a_time_that_grows_with_its_length(self, server: Served) -> None:
        # each name compared with each took minutes, during which nobody else was answered
        client = server.client()
        names = ", ".join(f'"k{at:06}": 0' for at in range(70_000))
        text = f'{{{names}, "k069999": 1}}'
        told = client.post("/v1/search", content=text, headers={"Content-Type": "application/json"})
        fails(told, 422, "json_invalid", "k069999")


class TestTheNameAsked:
    @pytest.mark.parametrize(
        "host",
        ["[", "[::1", "[localhost]", "a[b]c", "me@localhost", "localhost/x", "localhost:abc"],
    )
    def test_that_is_none_is_refused(self, server: Served, host: str) -> None:
        for path in ("/healthz", "/v1/stats", "/mcp"):
            told = server.bearing(None).get(path, headers={"Host": host})
            fails(told, 403, "host_refused")

    @pytest.mark.parametrize("host", ["127.0.0.1", "LOCALHOST:99", "[::1]:8420", "localhost:"])
    def test_is_known_with_any_port(self, server: Served, host: str) -> None:
        assert server.bearing(None).get("/healthz", headers={"Host": host}).status_code == 200


class TestMethods:
    def test_that_nobody_knows_are_counted_as_one(self, server: Served) -> None:
        client = server.client()
        for number in range(20):
            assert client.request(f"MADE{number}", "/healthz").status_code == 405
        told = client.get("/metrics").text
        assert 'method="_OTHER"' in told
        assert "MADE" not in told


class TestWhoIsKeptOut:
    def test_is_not_who_somebody_says_that_he_is(self) -> None:
        with served() as running:
            nobody = running.bearing("muniment_0_0")
            for number in range(10):
                headers = {"X-Forwarded-For": f"10.0.0.{number}"}
                fails(nobody.get("/v1/stats", headers=headers), 401, "token_refused")
            fails(nobody.get("/v1/stats"), 429, "locked_out")

    def test_is_who_a_listed_proxy_says(self) -> None:
        with served(settings={"server": {"proxies": ["127.0.0.1"]}}) as running:
            nobody, good = running.bearing("muniment_0_0"), running.client()
            guesser = {"X-Forwarded-For": "10.0.0.7"}
            for _ in range(10):
                fails(nobody.get("/v1/stats", headers=guesser), 401, "token_refused")
            fails(nobody.get("/v1/stats", headers=guesser), 429, "locked_out")
            neighbour = {"X-Forwarded-For": "10.0.0.8"}
            assert good.get("/v1/stats", headers=neighbour).status_code == 200

    def test_is_nobody_whose_token_was_good_until_it_ended(self) -> None:
        with served() as running:
            admin = running.store.as_identity(identity("default", "manual", "admin"))
            made = admin.tokens.issue(actor="bot:main")
            ended, good = running.bearing(made.text), running.client()
            admin.tokens.revoke(made.token.id)
            for _ in range(12):
                fails(ended.get("/v1/stats"), 401, "token_refused")
            assert good.get("/v1/stats").status_code == 200

    def test_keeps_the_streams_that_others_have_open(self) -> None:
        with served() as running:
            good, nobody = running.client(), running.bearing("muniment_0_0")
            with good.stream("GET", "/v1/log/stream") as stream:
                for _ in range(10):
                    nobody.get("/v1/stats")
                fails(good.get("/v1/stats"), 429, "locked_out")
                time.sleep(0.5)  # several looks at the log, from an address that is kept out
                token = good.headers["Authorization"].removeprefix("Bearer ")
                bearer = running.store.tokens.authenticate(token)
                running.store.as_identity(bearer).save("The Quillmark feed sits on Drive North.")
                assert any(line.startswith("id:") for line in stream.iter_lines())


class TestTheLogOfTheServer:
    def test_is_one_json_line_each_whatever_wrote_it(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        with log.open("w") as written, serving(tmp_path / "store", log=written) as child:
            url = httpx.URL(child.base)
            assert url.port is not None
            with socket.create_connection((url.host, url.port)) as one:
                one.sendall(b"\x00 no request\r\n\r\n")
                one.recv(100)
            bearer = {"Authorization": f"Bearer {owner_token(tmp_path / 'store')}"}
            httpx.get(f"{child.base}/v1/stats", headers=bearer)
            child.end()
        events = [json.loads(line)["event"] for line in log.read_text("utf-8").splitlines()]
        assert any("Invalid HTTP request" in event for event in events)
        assert "request" in events


def test_a_server_that_ends_tells_who_is_in_the_midst_of_a_body(connected: Connect) -> None:
    with served() as running:
        slow = connected(running)
        slow.sendall(posting(running.token(), b"{"))
        eventually(lambda: bool(running.server.server_state.tasks))
        running.server.handle_exit(15, None)
        told = heard(slow, b"}")
        assert told.startswith(b"HTTP/1.1 503 ")
        assert b'"stopping"' in told
