"""A store made of the first rows of another, as if nothing had come after."""

import shutil
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import muniment
from muniment import Muniment


def rebuilt(directory: Path, target: Path, position: int, now: datetime) -> Muniment:
    """The log up to a position, under the keys that there are now; no kept state comes along."""
    target.mkdir(mode=0o700)
    shutil.copytree(directory / "keys", target / "keys")
    with (
        closing(sqlite3.connect(directory / "log.db")) as log,
        closing(sqlite3.connect(target / "log.db")) as copy,
    ):
        log.backup(copy)
        (trigger,) = copy.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'events_no_delete'"
        ).fetchone()
        copy.execute("DROP TRIGGER events_no_delete")
        copy.execute("DELETE FROM events WHERE position > ?", [position])
        copy.execute(trigger)
        copy.commit()
    return muniment.open(target, clock=lambda: now, read_only=True)
