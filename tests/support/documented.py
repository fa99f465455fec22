"""Sessions of the command line as pages show them: each command, and what it prints."""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

_BLOCK = re.compile(r"^```(?:console)?\n(\$ .*?)^```$", re.DOTALL | re.MULTILINE)
_HEAD = re.compile(r" \| head -(\d+)$")
_MOMENT = r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z)?"
_ID = r"[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{12}\b"
_SIZE = r"\b(?:\d+h)?\d\dm|\d+m\d\ds|\b[\d,]+ bytes"  # the time that is left, and of files
_ANY = re.compile(rf"(?P<moment>{_MOMENT})|(?P<id>{_ID})|(?P<size>{_SIZE})")


@dataclass(frozen=True, slots=True)
class Step:
    """A command without the program's name, and the lines that it prints."""

    command: str
    printed: tuple[str, ...]


def steps(page: str) -> Iterator[Step]:
    """Every command of ``muniment`` on a page that is shown with what it prints, in order."""
    for block in _BLOCK.findall(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            if command.startswith("muniment "):
                lines = printed.rstrip("\n").split("\n") if printed.strip() else []
                yield Step(command.removeprefix("muniment "), tuple(lines))


def replay(page: str, run: Callable[[list[str]], str]) -> list[Step]:
    """The commands of a page run one after another: what is printed, ids and times as on the page.

    An id of the page is whichever stood in its place when it was first printed. A time in a command
    becomes the present one.
    """
    known: dict[str, str] = {}
    answered: list[Step] = []
    for step in steps(page):
        head = _HEAD.search(step.command)
        command = _ANY.sub(lambda found: _given(found, known), _HEAD.sub("", step.command))
        printed = run(shlex.split(command)).splitlines()
        if head:
            printed = printed[: int(head[1])]
        shown = [found for line in step.printed for found in _ANY.finditer(line)]
        real = [found for line in printed for found in _ANY.finditer(line)]
        for mine, theirs in zip(real, shown, strict=False):
            if theirs.lastgroup == "id" == mine.lastgroup:
                known.setdefault(theirs[0], mine[0])
        names = {there: here for here, there in known.items()}
        places = iter(shown)

        def told(found: re.Match[str], places: Iterator[re.Match[str]] = places) -> str:
            return _told(found, names, next(places, None))  # noqa: B023 (called in this round)

        answered.append(Step(step.command, tuple(_ANY.sub(told, one) for one in printed)))
    return answered


def _given(found: re.Match[str], known: dict[str, str]) -> str:
    if found.lastgroup == "moment":
        return datetime.now(UTC).isoformat()
    return known.get(found[0], found[0])


def _told(found: re.Match[str], names: dict[str, str], place: re.Match[str] | None) -> str:
    """What was printed as the page has it: ids by name, times as in their place."""
    if found.lastgroup == "id":
        return names.get(found[0], found[0])
    is_alike = place is not None and place.lastgroup == found.lastgroup
    return place[0] if is_alike and place is not None else found[0]
