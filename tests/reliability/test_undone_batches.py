"""What a batch had decided and did not commit is nowhere, the duplicate check included."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from making import saved
from projection_answers import differing, store_of

import muniment
from muniment import Muniment
from muniment.commands.command import Command, Work
from muniment.commands.save_memory import SaveMemory
from muniment.domain.identity import identity
from muniment.domain.ports import Append, Outcome
from muniment.log import datastore
from muniment.log.writer import _Turn  # pyright: ignore[reportPrivateUsage]

FACT = "The build runs on Fridays"


class Appends(Command):
    """Appends the beginning of a memory to a stream, wherever that is."""

    VERB = "append"
    stream: str
    version: int

    def decide(self, work: Work) -> Sequence[Append]:
        return [Append(self.stream, self.version, [saved("Out of turn")])]

    def answer(self, outcome: Outcome) -> str:
        return outcome.recorded[0].stream


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (KeyboardInterrupt(), KeyboardInterrupt),
        (muniment.StorageFailed("no", code="outcome_unknown"), muniment.StorageFailed),
        (sqlite3.OperationalError("disk I/O error"), muniment.StorageFailed),
    ],
)
def test_a_commit_that_fails_leaves_no_trace_in_the_duplicate_check(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    raised: type[BaseException],
) -> None:
    with muniment.open(tmp_path) as m:
        known = m.save("Anna works in Lisbon")

        def fail(_: object) -> None:
            raise failure

        with monkeypatch.context() as patched:
            patched.setattr(datastore, "_commit", fail)
            with pytest.raises(raised):
                m.save_many(
                    [{"content": FACT}, {"content": FACT}, {"content": "Anna works in Lisbon"}]
                )
        assert m.save(FACT).outcome == "created"
        assert m.save(FACT).outcome == "reinforced"
        assert m.get(known.id).version == 1
        assert m.verify().intact
        assert differing(m) == []


def commit(m: Muniment, *commands: Any) -> list[_Turn[Any]]:
    """Commits commands as one group, each a turn of its own."""
    turns: list[_Turn[Any]] = [
        _Turn([command], identity("default", "manual")) for command in commands
    ]
    m._engine._writer._commit(turns)  # pyright: ignore[reportPrivateUsage]
    return turns


@pytest.mark.parametrize("version", [0, 7])
def test_a_version_conflict_is_of_the_turn_that_has_it_alone(tmp_path: Path, version: int) -> None:
    with muniment.open(tmp_path) as m:
        known = m.save("Anna works in Lisbon")
        one, wrong, other = commit(
            m,
            SaveMemory.of(content=FACT),
            Appends.of(stream=known.id, version=version),
            SaveMemory.of(content=FACT),
        )
        assert isinstance(wrong.error, muniment.Conflict)
        assert wrong.error.code == "version_conflict"
        assert wrong.answers is None
        assert (one.error, other.error) == (None, None)
        assert one.answers is not None
        assert other.answers is not None
        assert (one.answers[0].outcome, other.answers[0].outcome) == ("created", "reinforced")
        assert m.get(known.id).version == 1
        assert [entry.position for entry in m.log()] == [1, 2, 3]
        assert m.verify().intact
        assert store_of(m).rows.tail is None
        assert differing(m) == []
