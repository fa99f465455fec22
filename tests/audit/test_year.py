"""A year of daily life with two incidents: the audit speaks on exactly the right days."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import independent
from bdd import Clock

import muniment
from muniment import Muniment

FIRST = datetime(2026, 1, 1, 4, tzinfo=UTC)
DAYS = 365
RUNAWAY = 140
DELETED = 250
PUT_BACK = 252

SETTINGS: dict[str, Any] = {
    "log": {"key_batch": 512, "checkpoint_events": 0, "checkpoint_minutes": 0},
    "audit": {"pause_consolidation_on_alert": True},
}
PLACES = ("berth", "shed", "crane", "gate", "tug", "quay")


class Life:
    """What agents do with a memory, day by day; it goes on over a close of the store."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = Clock(FIRST - timedelta(hours=16))
        self.random = Random(7)
        self.taken: list[tuple[object, ...]] = []
        self.live: list[str] = []
        self._number = 0
        self._open()

    def _open(self) -> None:
        self.m: Muniment = muniment.open(self.directory, clock=self.clock, settings=SETTINGS)
        self.scheduler = self.m.audit.scheduler()

    def edit(self, *statements: tuple[str, tuple[object, ...]]) -> None:
        """Somebody edits the log while nobody has it open."""
        self.scheduler.stop()
        self.m.close()
        independent.tamper(self.directory, *statements)
        self._open()

    def day(self, number: int) -> None:
        """Noon: things are said and retired. The next morning at four the audit is due."""
        choice = self.random.choice
        items = []
        for _ in range(choice([1, 2, 3])):
            self._number += 1
            said = f"{choice(PLACES)} {self._number} is looked after by crew {self._number * 3}"
            items.append({"content": said, "category": f"harbour/{choice(PLACES)}"})
        self.live += [saved.id for saved in self.m.save_many(items) if saved.outcome == "created"]
        if number % 5 == 4:
            self.m.save(items[0]["content"])
        if number > 20 and number % 2:
            self.m.archive(self.live.pop(self.random.randrange(len(self.live))), "out of date")
        if number % 30 == 29:
            one, other = self.live.pop(0), self.live.pop(0)
            texts = [memory.content or "" for memory in self.m.get_many([one, other])]
            self.live.append(self.m.merge([one, other], "; ".join(texts)).id)
        if number % 7 == 6:
            self.m.purge()
        self.scheduler.tick()

    def runaway(self) -> None:
        """A policy gone wrong takes a third of what is in recall."""
        for id_ in self.live[: len(self.live) // 3]:
            self.m.acting_as("bot:consolidation").archive(id_, "flagged as ephemeral")
        del self.live[: len(self.live) // 3]

    def delete(self) -> None:
        """A hand on the file takes away the first event of what was said first and is live."""
        with independent.raw(self.directory) as log:
            (row,) = log.execute(
                "SELECT * FROM events WHERE stream = ? AND version = 1", (self.live[0],)
            ).fetchall()
        log.close()
        self.taken = [row]
        self.edit(("DELETE FROM events WHERE position = ?", (row[0],)))

    def put_back(self) -> None:
        """The row comes back from a backup."""
        (row,) = self.taken
        marks = ", ".join("?" * len(row))
        self.edit((f"INSERT INTO events VALUES ({marks})", row))


def test_it_speaks_on_exactly_the_right_days(tmp_path: Path) -> None:
    life = Life(tmp_path / "store")
    incidents: dict[int, Callable[[], None]] = {
        RUNAWAY: life.runaway,
        DELETED: life.delete,
        PUT_BACK: life.put_back,
    }
    for number in range(DAYS):
        life.day(number)
        incidents.get(number, lambda: None)()
        life.clock.now = FIRST + timedelta(days=number)
        life.scheduler.tick()
        life.clock.advance(hours=8)
    m = life.m
    rows = m.audit.trend(400)
    assert len(rows) == DAYS
    told = {
        (message.sent_at - FIRST).days: {
            one["name"] for one in rows[(message.sent_at - FIRST).days]["invariants"]
        }
        for message in m.inbox()
    }
    assert told == {
        RUNAWAY: {"loss-percent-threshold"},
        # what is searched was kept from before, so it differs from the log too
        DELETED: {"no-hard-delete-outside-purge", "log-intact", "read-model-agrees"},
        DELETED + 1: {"log-intact", "read-model-agrees"},
    }
    unwell = {number for number, row in enumerate(rows) if row["status"] != "healthy"}
    assert unwell == told.keys()
    (lost,) = [
        one for one in rows[DELETED]["invariants"] if one["name"] == "no-hard-delete-outside-purge"
    ]
    assert lost["ids"] == [life.taken[0][1]]
    assert m.audit.consolidation.because == ("loss-percent-threshold",)
    assert m.verify().intact
    assert sum(row["purgedSinceLast"] for row in rows) > 100
    assert rows[-1]["maxChainDepth"] == 1
    assert sum(row["hardDeletedOutsidePurge"] for row in rows) == 1
    assert len(list((tmp_path / "store" / "audit").iterdir())) == DAYS + 1
    life.scheduler.stop()
    m.close()
