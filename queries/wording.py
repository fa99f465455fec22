"""Parts of sentences about events: ids, counts, and texts cut to a line."""

import regex


def counted(ids: tuple[str, ...]) -> str:
    """How many memories they are, in words."""
    return f"{len(ids):,} {'memory' if len(ids) == 1 else 'memories'}"


def tails(ids: tuple[str, ...]) -> str:
    """The ends of ids, which stand for them everywhere."""
    return ", ".join(id_[-12:] for id_ in ids)


def shortened(text: str, length: int = 100) -> str:
    """The text on one line, cut after ``length`` characters at a grapheme's border."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    return _graphemes(line, length - 1) + "…"


def _graphemes(text: str, length: int) -> str:
    cut = ""
    for cluster in regex.findall(r"\X", text[: length + 64]):
        if len(cut) + len(cluster) > length:
            break
        cut += cluster
    return cut
