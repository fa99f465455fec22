"""What was exported, backed up or restored, for people."""

from collections.abc import Iterator
from typing import TypeAlias

from muniment.backups import BackedUp, RestoredBackup
from muniment.exporting import Exported
from muniment.key_backups import KeysBackedUp, RestoredKeys
from muniment.keychain import KeysRotated, SigningKeyRotated

from .console import Line, line

Copied: TypeAlias = (
    Exported
    | BackedUp
    | RestoredBackup
    | KeysBackedUp
    | RestoredKeys
    | KeysRotated
    | SigningKeyRotated
)


def copied(answer: Copied) -> Iterator[Line]:
    """What was done, and what is to be done besides."""
    match answer:
        case Exported():
            yield line(
                (f"Exported {answer.memories:,} memories", "green"),
                f" as of position {answer.head:,} to {answer.path} ({answer.format}).",
            )
            if answer.unreadable:
                yield _note(f"the words of {answer.unreadable:,} could not be read")
            yield _note("the words in it are in the clear")
        case BackedUp():
            yield line(
                ("Backed up and verified: ", "green"),
                f"{answer.events:,} events up to position {answer.head:,}, {answer.bytes:,} bytes,"
                f" in {answer.path}.",
            )
            yield line(("chain  ", "dim"), answer.chain)
            yield _note("no key is in it: 'muniment keys backup' is for those")
        case RestoredBackup():
            yield line(
                ("Restored and verified: ", "green"),
                f"{answer.events:,} events up to position {answer.head:,}, backed up"
                f" {answer.made_at}, in {answer.target}.",
            )
            yield line(("chain  ", "dim"), answer.chain)
            yield _note(answer.note)
        case KeysBackedUp():
            yield line(
                (f"Backed up {answer.keys:,} keys", "green"), f" to {answer.path}, and read back."
            )
            yield _note(
                "the passphrase opens it: keep both apart from backups of the log"
                if answer.sealed
                else "the master key is not in it: keep keys/master.key besides"
            )
        case RestoredKeys():
            yield line(
                (f"Restored {answer.keys:,} keys", "green"),
                f" to {answer.target}; {answer.purged:,} of what was purged since were left out.",
            )
        case KeysRotated():
            yield line(
                ("The master key was replaced: ", "green"),
                f"{answer.keys:,} keys are wrapped under the new one.",
            )
        case SigningKeyRotated():
            yield line(("Another key signs the checkpoints: ", "green"), answer.public_key)


def _note(text: str) -> Line:
    return line((f"    note: {text}", "yellow"))
