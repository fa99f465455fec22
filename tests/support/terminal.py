"""The command line, run in this process where speed matters, or as the program that it is."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from muniment.interfaces.cli import main

PATIENCE = 60.0
"""Seconds after which a program that should have ended counts as hung."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on the standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error on the standard error, which holds nothing else."""
        assert self.status != 0
        assert self.out == ""
        return json.loads(self.err)["error"]


class Terminal:
    """Runs verbs on one store, without starting a process."""

    def __init__(
        self, data: Path, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
    ) -> None:
        self.data = data
        self._capture = capture
        self._patch = patch

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Run:
        """Runs a verb."""
        self._patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        self._capture.readouterr()
        status = in_process("--data", str(self.data), *arguments)
        out, err = self._capture.readouterr()
        return Run(status, out, err)

    def save(self, content: str, *options: str) -> str:
        """Saves a text and gives its id."""
        return str(self("save", content, *options, "--json").json["id"])


def in_process(*arguments: str) -> int:
    """Runs the program in this process, and leaves logging as it was; the status."""
    before = structlog.get_config() if structlog.is_configured() else None
    try:
        return main(list(arguments))
    finally:
        structlog.reset_defaults()  # how a program logs ends with it
        if before is not None:
            structlog.configure(**before)


def program(
    *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> Run:
    """Runs the program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "muniment", *arguments],
        input=stdin,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(environment or {})},
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())
