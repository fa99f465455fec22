"""What is in ``examples/`` runs."""

import json
import os
import sys
from pathlib import Path

import anyio
import pytest
from conversing import told
from example_programs import EXAMPLES, printed, run
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from served import served


def test_the_program_over_http_saves_and_finds_and_may_be_repeated() -> None:
    with served() as running:
        for _ in range(2):
            assert printed("over_http.py", running.base, running.token()) == [
                "created User is in Chicago (America/Chicago)",
                "created The web shop deploys on Tuesdays at 3 pm",
                "found User is in Chicago (America/Chicago)",
            ]
        assert len(running.store.search().hits) == 2


@pytest.mark.parametrize("name", ["langgraph_store.py", "traced.py"])
def test_a_program_on_a_store_runs_again_on_the_same_one(name: str, tmp_path: Path) -> None:
    for lines in [printed(name, str(tmp_path / "store")) for _ in range(2)]:
        assert lines


@pytest.mark.parametrize("program", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_a_program_without_its_arguments_says_how_it_is_used(program: Path) -> None:
    done = run(program.name)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"usage: python examples/{program.name} ")


def test_the_configuration_of_a_host_starts_a_server(tmp_path: Path) -> None:
    text = (EXAMPLES / "claude_desktop_config.json").read_text(encoding="utf-8")
    (server,) = json.loads(text)["mcpServers"].values()
    started = StdioServerParameters(
        command=str(Path(sys.executable).with_name(server["command"])),
        args=server["args"],
        env={**server["env"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        cwd=tmp_path,
    )

    async def say() -> str:
        async with stdio_client(started) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return await told(session, "save_memory", content="Rack 1 is full.")

    assert anyio.run(say).startswith("Saved as a new memory.")
    assert (tmp_path / "memory" / "log.db").is_file()
