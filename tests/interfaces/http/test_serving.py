"""The server as a program: what it prints, whom it lets in, and how it ends."""

import json
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from started import PATIENCE, serving
from terminal import Terminal, program

import muniment as package
from muniment.domain.identity import identity
from muniment.interfaces.http.owner_token import owner_token
from muniment.interfaces.http.serving import listen
from muniment.log.shelf import sizes


def pasted(line: str) -> Any:
    done = subprocess.run(["sh", "-c", f"{line} -sS"], capture_output=True, check=True, timeout=30)
    return json.loads(done.stdout)


def test_a_first_start_prints_lines_that_work_and_a_second_keeps_the_secret(
    tmp_path: Path,
) -> None:
    data = tmp_path / "a store"
    with serving(data) as child:
        file = data / "keys" / "server.token"
        token = file.read_text(encoding="ascii").strip()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert child.told.count(token) == 1
        assert pasted(child.curl)["outcome"] == "created"
        configured = json.loads(child.told[child.told.index("{\n") :])["mcpServers"]["muniment"]
        assert configured["args"][:2] == ["-m", "muniment"]
        assert str(data) in configured["args"]
        assert f"{child.base}/mcp" in child.told
        child.end()
    with serving(data) as child:
        assert token not in child.told
        assert str(file) in child.told
        assert pasted(child.curl)["outcome"] == "reinforced"
        child.end()


def test_no_answer_waits_until_the_client_acknowledges_its_headers() -> None:
    with (
        listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()[:2]),
        listening.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_token_that_has_ended_is_replaced(tmp_path: Path) -> None:
    with package.open(tmp_path / "store") as m:
        first = owner_token(m, tmp_path / "store")
        assert first.text == first.path.read_text(encoding="ascii").strip()
        assert owner_token(m, tmp_path / "store").text is None
        admin = m.as_identity(identity("default", "manual", "admin"))
        (token,) = admin.tokens.list()
        assert (token.actor, token.role) == ("manual", "owner")
        admin.tokens.revoke(token.id)
        second = owner_token(m, tmp_path / "store")
        assert second.text not in (None, first.text)
        assert m.tokens.authenticate(second.path.read_text(encoding="ascii").strip())


def test_a_token_of_another_space_is_not_taken_for_the_owners(tmp_path: Path) -> None:
    with package.open(tmp_path / "store") as m:
        first = owner_token(m, tmp_path / "store")
        other = owner_token(m.acting_as("manual", "other"), tmp_path / "store")
        assert other.text not in (None, first.text)
        shared = tmp_path / "store" / "keys" / "server.other.token"
        shared.write_bytes(first.path.read_bytes())
        again = owner_token(m.acting_as("manual", "other"), tmp_path / "store")
        assert again.text not in (None, first.text, other.text)


def test_servers_of_several_spaces_keep_a_token_each(tmp_path: Path) -> None:
    with package.open(tmp_path / "store") as m:
        spaces = ("default", "team-a", "team-b")
        made = {
            space: owner_token(m.acting_as("manual", space), tmp_path / "store") for space in spaces
        }
        assert made["default"].path.name == "server.token"
        for space, token in made.items():
            again = owner_token(m.acting_as("manual", space), tmp_path / "store")
            assert (again.path, again.text) == (token.path, None)
            text = token.path.read_text(encoding="ascii").strip()
            assert (text, m.tokens.authenticate(text).space) == (token.text, space)


def test_it_ends_in_order_with_streams_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_LOG__CHECKPOINT_EVENTS", "50")
    data = tmp_path / "store"
    with serving(data) as child:
        token = (data / "keys" / "server.token").read_text(encoding="ascii").strip()
        headers = {"Authorization": f"Bearer {token}", "X-Session": "web-7"}
        with httpx.Client(base_url=child.base, headers=headers, timeout=PATIENCE) as client:
            items = [{"content": f"Rack {at} is full."} for at in range(60)]
            assert client.post("/v1/memories/batch", json={"items": items}).status_code == 200
            client.post("/v1/search", json={"query": "rack"})
            with client.stream("GET", "/v1/log/stream") as stream:
                lines = stream.iter_lines()
                next(lines)
                idle = socket.create_connection(("127.0.0.1", httpx.URL(child.base).port or 0))
                assert child.end() < 5
                idle.close()
    with package.open(data, read_only=True) as m:
        names = [entry.name for entry in m.log()]
        assert names[:2] == ["token.issued", "process.started"]
        assert names[-1] == "session.recalled"
        assert m.verify().intact
    assert any((data / "checkpoints").iterdir())


def test_its_end_signs_a_checkpoint_of_the_little_that_was_appended(tmp_path: Path) -> None:
    data = tmp_path / "store"
    with serving(data) as child:
        assert pasted(child.curl)["outcome"] == "created"
        scout = {"Authorization": f"Bearer {_scout(data)}"}
        for _ in range(3):  # two of which are recorded as it ends
            asked = httpx.post(f"{child.base}/v1/tokens", headers=scout, timeout=PATIENCE)
            assert asked.status_code == 403
        child.end()
    with package.open(data, read_only=True) as m:
        head = m.stats().head
        assert [entry.name for entry in m.log(after=head - 1)] == ["access.denied"]
    assert sizes(data / "checkpoints") == [head]
    with serving(data, "--open") as child:
        child.end()
    assert sizes(data / "checkpoints") == [head, head + 1]


def _scout(data: Path) -> str:
    with package.open(data, role="admin") as m:
        return m.tokens.issue(actor="subagent:scout").text


def test_open_asks_for_no_token_and_an_interrupt_ends_it(tmp_path: Path) -> None:
    with serving(tmp_path / "store", "--open") as child:
        assert "Authorization" not in child.told
        assert pasted(child.curl)["memory"]["source"]["type"] == "agent"
        assert not (tmp_path / "store" / "keys" / "server.token").exists()
        assert child.end(signal.SIGINT) < 5


def test_open_is_for_this_machine_alone(muniment: Terminal) -> None:
    run = muniment("--json", "serve", "--open", "--host", "0.0.0.0")
    assert (run.status, run.error["code"]) == (2, "open_not_loopback")


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        run = program("--data", str(tmp_path / "store"), "--json", "serve", "--port", port)
    assert (run.status, '"code": "port_taken"' in run.err) == (7, True)
    assert "cannot be listened on (Address already in use): name another" in run.err


def test_without_the_extra_it_says_what_to_install(
    muniment: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("muniment.interfaces.http")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("muniment.interfaces.http", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    run = muniment("--json", "serve")
    assert (run.status, json.loads(run.err)["error"]["code"]) == (7, "server_not_installed")
    assert "pip install 'muniment[server]'" in run.err


def test_other_verbs_do_not_pay_for_the_servers() -> None:
    asked = "import sys, muniment.interfaces.cli.program as p; p.application(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True, text=True)
    assert not {"fastapi", "uvicorn", "mcp", "starlette"} & set(done.stdout.split())


def test_the_instructions_are_a_block_to_paste(muniment: Terminal) -> None:
    run = muniment("instructions")
    assert run.out.startswith("## Long-term memory")
    assert "get_memory_audit" in run.out
