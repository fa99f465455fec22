"""Reads the store of the MCP memory server: a JSONL file of entities and relations.

Each observation of an entity becomes a memory, filed under its type and tagged with its name; so
does each relation. Records that ran together on one line are read apart; a torn one is reported.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import regex

from muniment.domain import texts
from muniment.domain.errors import Invalid

from .foreign import Foreign, Item, Skipped

_NOT_IN_SEGMENT = regex.compile(r"[^\p{L}\p{M}\p{N} _.\-]+")
_MAX_LINE = 4 << 20
_DECODER = json.JSONDecoder()


def read(path: Path) -> Iterator[Foreign]:
    """Every observation and relation of a file, in its order.

    Raises:
        Invalid: ``path_invalid`` where it is no file.
    """
    if not path.is_file():
        raise Invalid(
            f"path: {str(path)!r} is no file: name the server's memory file (JSONL).",
            code="path_invalid",
            field="path",
        )
    try:
        # bytes that are no UTF-8 become what the import refuses, so that they are reported
        file = path.open(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise Invalid(
            f"path: {str(path)!r} cannot be read ({error.strerror}).",
            code="path_invalid",
            field="path",
        ) from error
    return _read(file)


def _read(file: TextIO) -> Iterator[Foreign]:
    with file as lines:
        for number, line in enumerate(lines, 1):
            if len(line) > _MAX_LINE:
                yield Skipped(f"line {number}", f"it is over {_MAX_LINE:,} characters")
            elif line.strip():
                yield from _records(line.strip(), f"line {number}")


def _records(line: str, where: str) -> Iterator[Foreign]:
    at = 0
    while at < len(line):
        try:
            record, at = _DECODER.raw_decode(line, at)
        except (ValueError, RecursionError) as error:
            yield Skipped(where, f"it is no JSON from character {at} on ({error})")
            return
        while at < len(line) and line[at].isspace():
            at += 1
        yield from _memories(record, where)


def _memories(record: Any, where: str) -> Iterator[Foreign]:
    match record:
        case {"type": "entity", "name": str(name), "observations": [*observations]}:
            if not observations:
                yield Skipped(where, f"nothing is observed of {name!r}")
            kind = str(record.get("entityType") or "entity")
            for observation in observations:
                if isinstance(observation, str) and not texts.is_blank(observation):
                    yield _item(
                        where, f"{name}\n{observation}", _about(name, observation), kind, name
                    )
                else:
                    yield Skipped(where, f"an observation of {name!r} is no text, or blank")
        case {
            "type": "relation",
            "from": str(source),
            "to": str(target),
            "relationType": str(relation),
        }:
            content = f"{source} {relation} {target}"
            yield _item(where, content, content, "relation", source, target)
        case _:
            yield Skipped(where, "it is neither an entity nor a relation")


def _about(name: str, observation: str) -> str:
    spoken = name.replace("_", " ")
    if name.casefold() in observation.casefold() or spoken.casefold() in observation.casefold():
        return observation
    return f"{spoken}: {observation}"


def _item(where: str, external_id: str, content: str, kind: str, *tags: str) -> Item:
    segment = _NOT_IN_SEGMENT.sub(" ", kind).strip()[:64]
    return Item(
        where,
        external_id,
        {
            "content": content,
            "category": f"graph/{segment}" if segment.strip(".") else "graph",
            "tags": tuple(tag[:64] for tag in tags),
        },
    )
