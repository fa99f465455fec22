"""``docs/invariants.md``, made from the glossary: ``python -m muniment.proofs.reference``."""

import sys
from typing import Final

from .glossary import GLOSSARY
from .invariants import ALL

_OPENING: Final = """\
# Invariants

Made by `python -m muniment.proofs.reference > docs/invariants.md`.

`muniment prove-invariants`, or `prove_invariants()` in Python, replays the log and evaluates each
of these after every event. The answer is that all held at all N positions, or for each that was
broken the first position, the event there, and how many events broke it. Only envelopes and facts
are read, so it needs no key, and what was purged is proven like everything else. It shares no code
with what writes the log but the names of events.

What was imported tells a past that is not in this log. Its figures are taken at its word, and the
memories that it names (`merged_from`, `merged_into`, `superseded_by`, what it resembles) need not
be here. What happens to it from then on is held to every invariant. An event that a newer release
wrote is held to what any event is held to, and nothing is claimed of its memory's figures after it.

Outside of these: whether the log is whole and unaltered (`muniment verify`), whether the words of
an event are what they should be, and whether its decision was wise.
"""


def page() -> str:
    """The page of the documentation."""
    sections = [
        f"## {name}\n\n**{entry.title}.** {entry.meaning}\n\n*What to do:* {entry.advice}\n"
        for name in ALL
        for entry in [GLOSSARY[name]]
    ]
    return "\n".join([_OPENING, *sections])


if __name__ == "__main__":
    sys.stdout.write(page())
