"""What is in ``examples/`` runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
from conversing import told
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from served import served

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_program_over_http_saves_and_finds_and_may_be_repeated() -> None:
    with served() as running:
        program = str(EXAMPLES / "over_http.py")
        command = [sys.executable, program, running.base, running.token()]
        for _ in range(2):
            done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
            assert done.stdout.splitlines() == [
                "created User is in Chicago (America/Chicago)",
                "created The web shop deploys on Tuesdays at 3 pm",
                "found User is in Chicago (America/Chicago)",
            ]
        assert len(running.store.search().hits) == 2


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
