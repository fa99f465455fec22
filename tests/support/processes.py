"""Other processes for tests: a piece of Python, its answers line by line as JSON.

Only what was started here is ever ended, by its own number.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

PRELUDE = """
import json, os, signal, sys, threading, time
from pathlib import Path
import muniment
from muniment.log.store import Store
from muniment.log.verify import verify

target = Path(sys.argv[1])
arguments = sys.argv[2:]


def say(answer):
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
"""

PATIENCE = 60.0
"""Seconds after which a process that should have ended counts as hung."""


def _arguments(code: str, target: Path, arguments: tuple[object, ...]) -> list[str]:
    return [sys.executable, "-c", PRELUDE + dedent(code), str(target), *map(str, arguments)]


def run(code: str, target: Path, *arguments: object) -> list[Any]:
    """Runs to the end and gives what was said; fails where the process did."""
    done = subprocess.run(
        _arguments(code, target, arguments),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Process:
    """One that is under way."""

    def __init__(self, popen: "subprocess.Popen[str]") -> None:
        self.popen = popen

    def hear(self) -> Any:
        """The next thing that it says; None once it has ended."""
        assert self.popen.stdout is not None
        line = self.popen.stdout.readline()
        return json.loads(line) if line.endswith("\n") else None

    def tell(self, line: str = "") -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(line + "\n")
        self.popen.stdin.flush()

    def kill(self) -> list[Any]:
        """Ends it at once; gives what it had said and nobody had heard."""
        self.popen.send_signal(signal.SIGKILL)
        return self.rest()

    def rest(self) -> list[Any]:
        """Waits for its end; gives what nobody had heard, a line cut short left out."""
        out, _ = self.popen.communicate(timeout=PATIENCE)
        return [json.loads(line) for line in out.splitlines(keepends=True) if line.endswith("\n")]


@contextmanager
def started(code: str, target: Path, *arguments: object) -> Generator[Process, None, None]:
    """A process that is ended with the block, if it still runs."""
    popen = subprocess.Popen(
        _arguments(code, target, arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Process(popen)
    finally:
        if popen.poll() is None:
            popen.kill()
        for pipe in (popen.stdin, popen.stdout):
            if pipe is not None and not pipe.closed:
                with suppress(BrokenPipeError):
                    pipe.close()
        popen.wait()
