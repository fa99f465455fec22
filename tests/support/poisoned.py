"""A story for tests of investigations: a wrong page, what was made of it, and who was told."""

from dataclasses import dataclass

from bdd import Clock

from muniment import Muniment, Source

PAGE = "https://pumps.example/station-4"
WRONG = "The pump at station 4 runs at 9 bar"
CLEAN = (
    "Station 9 is painted green and was built in 1987",
    "Olga keeps the spare key of the boathouse",
    "Nora orders the valves from Meyer in Porto",
)


@dataclass(frozen=True)
class Poisoned:
    """Ids: what the page said, clean sources, and the merges of three levels."""

    wrong: str
    clean: tuple[str, ...]
    merges: tuple[str, ...]


def poisoned(m: Muniment, clock: Clock) -> Poisoned:
    """A fact from a web page, merged three times over with one clean memory each."""
    bot = m.acting_as("bot:main")
    source = Source(type="web", ref=PAGE, session="reading")
    wrong = bot.save(WRONG, source=source).id
    clock.advance(minutes=1)
    clean = tuple(m.save(text).id for text in CLEAN)
    into, text, merges = wrong, WRONG, list[str]()
    for id_, more in zip(clean, CLEAN, strict=True):
        clock.advance(minutes=1)
        text = f"{text}\n\n{more}"
        into = m.merge([into, id_], text).id
        merges.append(into)
    return Poisoned(wrong, clean, tuple(merges))
