"""Seeded text that looks like what agents keep: no two alike, words as frequent as in language."""

import random
from collections.abc import Iterator

_NAMES = ("Ada", "Bela", "Chen", "Dara", "Emil", "Farid", "Greta", "Hugo", "Ines", "Jun", "Kofi")
_CATEGORIES = (
    "user-preferences/style",
    "project-context/harbour",
    "project-context/orchard",
    "procedures/deploy",
    "people/team",
    "general",
)
_VOCABULARY = 20_000


def texts(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Content and category of ``count`` memories, 12 to 32 words each."""
    draw = random.Random(seed)
    words = [_word(draw) for _ in range(_VOCABULARY)]
    weights = [1 / (rank + 2.7) for rank in range(_VOCABULARY)]
    pool = draw.choices(words, weights, k=max(200_000, count * 4))
    for number in range(count):
        picked = [draw.choice(pool) for _ in range(draw.randint(12, 32))]
        picked.insert(draw.randrange(len(picked)), draw.choice(_NAMES))
        picked.append(str(number))
        yield " ".join(picked).capitalize() + ".", draw.choice(_CATEGORIES)


def queries(count: int, seed: int = 2) -> list[str]:
    """Queries of 3 to 12 words over the same vocabulary."""
    draw = random.Random(seed)
    return [
        " ".join(text.split()[: draw.randint(3, 12)]).strip(".") for text, _ in texts(count, seed)
    ]


def _word(draw: random.Random) -> str:
    return "".join(
        draw.choice("bcdfghklmnprstvw") + draw.choice("aeiou") for _ in range(draw.randint(1, 4))
    )
