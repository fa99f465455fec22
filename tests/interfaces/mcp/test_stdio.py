"""The program that a host starts: the protocol on its output, and nothing else."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conversing import over_stdio, talk, told
from mcp import ClientSession

import muniment

FACT = "The Quillmark feed sits on Drive North."


def _message(number: int, method: str, **params: object) -> bytes:
    said = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(said).encode() + b"\n"


HELLO = (
    _message(
        1,
        "initialize",
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": "test", "version": "1"},
    )
    + b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
)


def _start(data: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "muniment", "--data", data, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def test_a_session_acts_as_the_main_agent_and_is_on_record(tmp_path: Path) -> None:
    data = tmp_path / "store"

    async def say(session: ClientSession) -> None:
        assert (await told(session, "save_memory", content=FACT)).startswith("Saved")
        assert FACT in await told(session, "search_memory", query="quillmark")

    talk(over_stdio(data), say)
    with muniment.open(data) as m:
        entries = {entry.name: entry for entry in m.log()}
        assert entries["memory.saved"].actor == "bot:main"
        assert entries["process.started"].data["kind"] == "mcp"
        (known,) = m.knew("bot:main", m.stats().head).known
        assert known.session is not None
        assert known.session.startswith("mcp-")
        assert m.verify().intact


def test_an_actor_is_named_by_the_environment(tmp_path: Path) -> None:
    async def say(session: ClientSession) -> None:
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert "save_memory" not in names
        assert await told(session, "propose_memory", content=FACT) == "Proposal 1 is pending."

    talk(over_stdio(tmp_path / "s", environment={"MUNIMENT_ACTOR": "subagent:scout"}), say)


def test_it_speaks_nothing_but_the_protocol_and_soon(tmp_path: Path) -> None:
    with _start(tmp_path / "store") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        began = time.monotonic()
        child.stdin.write(HELLO)
        child.stdin.flush()
        first = child.stdout.readline()
        ready = time.monotonic() - began
        child.stdin.write(_message(2, "tools/list"))
        child.stdin.flush()
        second = child.stdout.readline()
        assert time.monotonic() - began - ready < 2
        child.stdin.write(b"this is no message\n")
        child.stdin.close()
        rest = child.stdout.read()
        assert child.wait(20) == 0
    for line in (first, second, *rest.splitlines()):
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert len(json.loads(second)["result"]["tools"]) > 10
    assert json.loads(first)["result"]["instructions"].count("\n") < 5


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"no json", -32_700, None),
        (b"[1", -32_700, None),
        (b'{"jsonrpc": "2.0", "id": 5}', -32_600, 5),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "method": "tools/list"}', -32_600, 5),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "\\ud800"}', -32_600, 5),
        (b'{"jsonrpc": "2.0", "id": "\xff", "method": "ping"}', -32_700, None),
    ],
)
def test_what_is_no_message_is_answered_and_the_next_one_served(
    tmp_path: Path, line: bytes, code: int, number: int | None
) -> None:
    with _start(tmp_path / "store") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for text in (HELLO, b"\n", line + b"\n", _message(2, "tools/list")):
            child.stdin.write(text)
            child.stdin.flush()
        said = [json.loads(child.stdout.readline()) for _ in range(3)]
        child.stdin.close()
        assert child.wait(5) == 0
    assert [one.get("id") for one in said] == [1, number, 2]
    assert said[1]["error"]["code"] == code


def test_what_was_asked_before_the_end_of_the_input_is_answered(tmp_path: Path) -> None:
    calls = [
        _message(number, "tools/call", name="save_memory", arguments={"content": f"Rack {number}."})
        for number in range(2, 22)
    ]
    with _start(tmp_path / "store") as child:
        out, _ = child.communicate(HELLO + b"".join(calls), timeout=60)
        assert child.returncode == 0
    answered = {json.loads(line)["id"] for line in out.splitlines()}
    assert answered == set(range(1, 22))


def test_an_answer_is_not_answered(tmp_path: Path) -> None:
    """Else two that do not understand each other would never end."""
    error = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "What?"}}\n'
    with _start(tmp_path / "store") as child:
        out, _ = child.communicate(HELLO + error + b'{"jsonrpc": "2.0", "id": 5, "result": {}}\n')
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1]


def test_a_line_over_the_limit_is_refused_and_the_next_one_served(tmp_path: Path) -> None:
    with _start(tmp_path / "store") as child:
        out, _ = child.communicate(HELLO + b"x" * 3_000_000 + b"\n" + _message(2, "ping"))
    said = [json.loads(line) for line in out.splitlines()]
    assert [one["id"] for one in said] == [1, None, 2]
    assert "1,048,576 bytes" in said[1]["error"]["message"]


def test_a_host_that_no_longer_listens_ends_it(tmp_path: Path) -> None:
    with _start(tmp_path / "store") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(HELLO)
        child.stdin.flush()
        child.stdout.readline()
        child.stdout.close()
        child.stdin.write(_message(2, "ping"))
        child.stdin.flush()
        assert child.wait(20) == 0


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_host_that_ends_the_process_loses_nothing(
    tmp_path: Path, number: int, status: int
) -> None:
    data = tmp_path / "store"
    calls = [
        _message(2, "tools/call", name="save_memory", arguments={"content": FACT}),
        _message(3, "tools/call", name="search_memory", arguments={"query": "quillmark"}),
    ]
    with _start(data) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for text in (HELLO, *calls):
            child.stdin.write(text)
            child.stdin.flush()
            child.stdout.readline()
        child.send_signal(number)
        assert child.wait(5) == status
    with muniment.open(data, read_only=True) as m:
        assert [entry.name for entry in m.log()][-1] == "session.recalled"
