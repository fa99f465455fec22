"""The programs in ``examples/``, run as a reader would."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
_PATIENCE = 60.0


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """How a program with these arguments ended, and what it printed."""
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=_PATIENCE)


def printed(name: str, *arguments: str) -> list[str]:
    """The lines of one that ended well."""
    done = run(name, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()
