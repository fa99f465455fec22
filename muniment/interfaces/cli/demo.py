"""The demonstration, told to people."""

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.demonstration import Demonstration, Ending, Link, Scene, StoryClock
from muniment.domain.errors import Refused
from muniment.domain.moments import day, minute
from muniment.engine import Engine
from muniment.settings import MemorySettings

from . import records
from .console import Line, line, put, tail
from .memories import stamp
from .session import ONE_SHOT

_SHOWN_CHAIN = 16


def tell(directory: Path | None) -> None:
    """Plays the story and prints it as it goes."""
    with _stage(directory) as demonstration:
        put(_opening(directory))
        put(found for scene in demonstration.scenes() for found in _scene(scene))
        put(_ending(demonstration.ending()))
    put(_closing(directory))


def told(directory: Path | None) -> dict[str, object]:
    """Plays the story, for programs."""
    with _stage(directory) as demonstration:
        return {"scenes": list(demonstration.scenes()), "ending": demonstration.ending()}


@contextmanager
def _stage(directory: Path | None) -> Generator[Demonstration]:
    """A demonstration on an empty store: in ``directory``, or one that is gone afterwards."""
    if directory is not None and (directory / "log.db").exists():
        raise Refused(
            f"There is a store in {directory} already: name an empty directory for the story.",
            code="store_not_empty",
            field="data",
        )
    with tempfile.TemporaryDirectory(prefix="muniment-") as temporary:
        clock = StoryClock()
        engine = Engine(
            directory or Path(temporary) / "store",
            clock=clock,
            settings={"memory": MemorySettings().model_dump(), **ONE_SHOT},
        )
        try:
            yield Demonstration(engine, clock)
        finally:
            engine.close()


def _opening(directory: Path | None) -> Iterator[Line]:
    where = "a temporary directory" if directory is None else str(directory)
    yield line(
        ("One memory, two agents, a sub-agent and a user, four months.", "bold"),
        f" Store: {where}.",
    )
    yield line()


def _scene(scene: Scene) -> Iterator[Line]:
    yield line((f"{day(scene.at)}  ", "dim"), (f"{scene.actor:<14}  ", "magenta"), scene.does)
    verdict, _, reason = scene.outcome.partition(":")
    yield line(f"{'':<28}→ ", (verdict, "bold green"), f":{reason}")


def _ending(ending: Ending) -> Iterator[Line]:
    yield line()
    yield line((f"{stamp(ending.now)[:10]}: an agent asks “{ending.question}” and reads", "bold"))
    for read in ending.read_by_agent.splitlines():
        yield line("  ", read)
    yield line()
    yield line(("The context that an agent gets for that question, in its session", "bold"))
    for read in ending.context.splitlines():
        yield line("  ", read)
    yield line()
    yield line(("The history of the purged memory: what happened stays, its words do not", "bold"))
    for told in records.history(ending.history):
        yield line("  ").append_text(told)
    yield line()
    yield line(("The log: what happened is all there is, each event chained to the last", "bold"))
    for link in ending.log:
        yield _link(link)
    yield line()
    yield from records.verification(ending.verification)


def _link(link: Link) -> Line:
    event = link.event
    return line(
        (f"  {event.position:>3}  ", "bold"),
        (f"{minute(event.recorded_at)}  ", "dim"),
        (f"{event.actor:<22}  ", "magenta"),
        f"{event.name:<22}  ",
        (tail(event.stream), "cyan"),
        (f"  {link.chain[:_SHOWN_CHAIN]}…", "yellow"),
    )


def _closing(directory: Path | None) -> Iterator[Line]:
    yield line()
    if directory is None:
        yield line("The store is gone. Keep one to look around in: muniment --data DIR demo")
    else:
        yield line(f"Look around: muniment --data {directory} search, log, history, doctor …")
