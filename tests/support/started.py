"""``muniment serve`` as a process of its own: what it printed, where it answers, how it ends."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PATIENCE = 30.0


class Child:
    """A server that takes requests; ``base`` is where."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None,
        log: IO[str] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log or subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        self.told = ""
        while not self.told.endswith("\n}\n"):
            line = self.process.stdout.readline()
            assert line, self.told
            self.told += line
        found = re.search(r"http://[^ ]+:[0-9]+", self.told)
        assert found is not None
        self.base = found[0]

    @property
    def curl(self) -> str:
        """The line to paste."""
        (line,) = [line for line in self.told.splitlines() if line.startswith("  curl")]
        return line.strip()

    def end(self, number: int = signal.SIGTERM) -> float:
        """Ends it, and says after how many seconds it had ended."""
        began = time.monotonic()
        self.process.send_signal(number)
        assert self.process.wait(PATIENCE) == 0
        return time.monotonic() - began


@contextmanager
def started(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    log: IO[str] | None = None,
) -> Generator[Child]:
    """A command that serves; with all of this environment, or with that of the tests."""
    child = Child(command, environment, log)
    try:
        yield child
    finally:
        if child.process.poll() is None:
            child.process.kill()
        child.process.communicate()


@contextmanager
def serving(data: Path, *options: str, log: IO[str] | None = None) -> Generator[Child]:
    """``muniment serve`` on a free port; what it logs goes into ``log``."""
    program = [sys.executable, "-m", "muniment", "--data", str(data)]
    with started([*program, "serve", "--port", "0", *options], log=log) as child:
        yield child


def owner_token(data: Path) -> str:
    """The token that the first start made."""
    return (data / "keys" / "server.token").read_text(encoding="ascii").strip()
