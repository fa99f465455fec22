"""What a body may be: one JSON object of bounded size, and nothing that only looks like one."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic_core import from_json
from served import Served, fails

MANY = 1_048_576
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def owner(server: Served) -> httpx.Client:
    return server.client()


def _sent(owner: httpx.Client, body: bytes, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return owner.post("/v1/memories", content=body, headers={**JSON, **named})


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b"\xff\xfe",
        b'{"content": "x", "content": "y"}',
        b'{"content": "x", "metadata": {"a": "1", "a": "2"}}',
        b'{"content": "x", "importance": NaN}',
        b'{"content": "x", "importance": -Infinity}',
        b'{"content": "x", "importance": 1e999}',
        b'{"content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"content": "x", "importance": ' + b"9" * 5_000 + b"}",
        b'{"content": "x"} trailing',
    ],
    ids=[
        *("cut", "list", "text", "null", "not UTF-8", "twice", "twice inside", "NaN", "Infinity"),
        *("over any float", "deep", "a long number", "trailing"),
    ],
)
def test_what_is_no_object_of_json_is_refused(owner: httpx.Client, body: bytes) -> None:
    told = _sent(owner, body)
    assert (told.status_code, told.json()["error"]["code"]) == (422, "json_invalid")
    assert len(told.content) < 1_000


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_json_does_not_have_is_told_by_its_field(
    owner: httpx.Client, number: str
) -> None:
    given = f'{{"content": "x", "importance": {number}}}'.encode()
    assert number in fails(_sent(owner, given), 422, "json_invalid", "importance")
    given = f'{{"items": [{{"content": "x"}}, {{"importance": {number}}}]}}'.encode()
    told = owner.post("/v1/memories/batch", content=given, headers=JSON)
    fails(told, 422, "json_invalid", "items.1.importance")


@pytest.mark.parametrize("field", ["content", "category", "tags", "metadata"])
def test_half_a_character_is_refused_wherever_it_stands(owner: httpx.Client, field: str) -> None:
    half = {
        "content": "\ud800",
        "category": "\ud800",
        "tags": ["\ud800"],
        "metadata": {"\ud800": "x"},
    }
    given = {"content": "x", field: half[field]}
    told = _sent(owner, json.dumps(given).encode())
    assert (told.status_code, told.json()["error"]["code"]) == (422, "invalid_unicode")


@pytest.mark.parametrize(
    "sent", [b'{"content": "x", "\\ud800": "y"}', b'{"\\ud800": 1, "\\ud800": 2}']
)
def test_half_a_character_in_a_name_is_told_in_whole_ones(owner: httpx.Client, sent: bytes) -> None:
    told = _sent(owner, sent)
    assert told.status_code == 422
    assert from_json(told.content)["error"]["field"] == "\ufffd"  # a strict reader of JSON


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded"])
def test_a_body_says_that_it_is_json(owner: httpx.Client, kind: str) -> None:
    fails(_sent(owner, b'{"content": "x"}', Content_Type=kind), 415, "content_type_unsupported")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_a_charset_may_be_named_and_case_is_of_no_matter(owner: httpx.Client, kind: str) -> None:
    assert _sent(owner, b'{"content": "Rack 1."}', Content_Type=kind).is_success


def test_a_compressed_body_is_refused(owner: httpx.Client) -> None:
    fails(_sent(owner, b"x", Content_Encoding="gzip"), 415, "encoding_unsupported")


def test_a_body_may_have_so_many_bytes(owner: httpx.Client) -> None:
    frame = json.dumps({"content": ""}).encode()
    body = json.dumps({"content": "x" * (MANY - len(frame))}).encode()
    assert len(body) == MANY
    fails(_sent(owner, body), 413, "content_too_large", "content")
    fails(_sent(owner, body + b" "), 413, "body_too_large")


def test_what_is_too_long_is_refused_while_it_comes(server: Served) -> None:
    """The rest is neither waited for nor read."""
    address = httpx.URL(server.base)
    with socket.create_connection((address.host, address.port or 0), timeout=10) as wire:
        token = server.token()
        head = (
            f"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        wire.sendall(head.encode())
        for _ in range(17):
            wire.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
        assert wire.recv(64).startswith(b"HTTP/1.1 413")


def test_ten_megabytes_are_refused_without_being_kept(server: Served) -> None:
    def grown() -> int:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * 4_096

    def body() -> Iterator[bytes]:
        for _ in range(160):
            yield b"x" * 65_536

    owner = server.client()
    owner.post("/v1/search", json={})
    before = grown()
    try:
        told = owner.post("/v1/memories", content=body(), headers=JSON)
    except httpx.TransportError:
        pass  # it was cut off while it was sent
    else:
        fails(told, 413, "body_too_large")
    assert grown() - before < 20 << 20


def test_a_body_that_never_comes_keeps_nobody_else_waiting(server: Served) -> None:
    address = httpx.URL(server.base)
    wires = [socket.create_connection((address.host, address.port or 0)) for _ in range(70)]
    token = server.token()
    for wire in wires:
        wire.sendall(
            f"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 5\r\n\r\n".encode()
        )
    try:
        assert server.client().post("/v1/search", json={}).status_code == 200
    finally:
        for wire in wires:
            wire.close()
