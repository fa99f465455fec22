"""Reads Markdown: headings are categories, list items and paragraphs are memories.

One file or a directory of them. Folders, then the headings above, make the category; ``category``
in front matter stands for the folders. A list item is one memory with all that is indented under
it. ``tags`` and dates in front matter hold for the whole file; a last line ``<!-- tags: a, b -->``
of a memory has its own tags. Breaks and comments are passed over, all other marks are kept.

What ``opening``, ``heading`` and ``item`` write is read back as it was.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from muniment.domain.errors import Invalid
from muniment.domain.moments import rfc3339

from . import foreign
from .foreign import Foreign, Item, Skipped

SUFFIXES: Final = frozenset([".md", ".markdown"])

_MAX_BYTES = 64 << 20
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t\r]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|(-+))[ \t\r]*")
_INDENT = re.compile(r" {0,3}(?! )")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t])[ \t]{1,4}")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TAGS = re.compile(r"[ \t]*<!-- tags:(?: (.*))? -->[ \t\r]*")
_PLAIN_TAG = re.compile(r"\w(?:[\w .:/+]|-(?!-))*")
_PAIR = re.compile(r"([A-Za-z_-]+)[ \t]*:[ \t]*(.*)")
_CREATED = ("created", "created_at", "date")
_UPDATED = ("updated", "updated_at", "modified", "last_modified")


# writing


def opening(space: str, now: datetime) -> str:
    """How a file begins."""
    return f"---\nspace: {space}\nexported_at: {rfc3339(now)}\n---\n"


def heading(category: str) -> str:
    """What stands above the memories of a category; nothing where they have none."""
    return f"\n# {category}\n" if category else ""


def item(content: str, tags: Sequence[str]) -> str:
    """A memory as a list item."""
    lines = content.split("\n")
    if tags or _TAGS.fullmatch(lines[-1]):
        lines.append(f"<!-- tags:{_written(tags)} -->")
    first, *others = lines
    return "".join([f"\n- {first}\n", *(f"  {line}\n" if line else "\n" for line in others)])


def _written(tags: Sequence[str]) -> str:
    if not tags:
        return ""
    if all(_PLAIN_TAG.fullmatch(tag) for tag in tags):
        return " " + ", ".join(tags)
    return " " + json.dumps(list(tags), ensure_ascii=False).replace(">", "\\u003e")


# reading


@dataclass(slots=True)
class _Matter:
    """What the front matter of a file says."""

    tags: tuple[str, ...] = ()
    category: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    notes: list[str] = field(default_factory=list[str])


def read(path: Path) -> Iterator[Foreign]:
    """Every memory of a file, or of all Markdown files under a directory in the order of paths.

    Raises:
        Invalid: ``path_invalid`` where there is neither.
    """
    if path.is_dir():
        files = [
            file
            for file in sorted(path.rglob("*"))
            if file.suffix.lower() in SUFFIXES
            and not any(part.startswith(".") for part in file.relative_to(path).parts)
        ]
        return _read(path, files)
    if path.is_file():
        return _read(path.parent, [path])
    raise Invalid(
        f"path: {str(path)!r} is no file: name a Markdown file, or a directory of them.",
        code="path_invalid",
        field="path",
    )


def _read(root: Path, files: Sequence[Path]) -> Iterator[Foreign]:
    seen: Counter[str] = Counter()
    for file in files:
        where = os.fsencode(file.relative_to(root)).decode(errors="backslashreplace")
        if len(files) > 1 and file.is_symlink():
            yield Skipped(where, "it is a link, and links are not followed")
            continue
        try:
            with file.open("rb") as opened:
                written = opened.read(_MAX_BYTES + 1)
        except OSError as error:
            yield Skipped(where, error.strerror or type(error).__name__)
            continue
        if len(written) > _MAX_BYTES:
            yield Skipped(where, f"it is over {_MAX_BYTES:,} bytes")
            continue
        # bytes that are no UTF-8 become what the import refuses, so that they are reported
        text = written.decode("utf-8-sig", errors="surrogateescape")
        yield from _memories(text, where, file.relative_to(root).parent.parts, seen)


def _memories(
    text: str, where: str, folders: Sequence[str], seen: Counter[str]
) -> Iterator[Foreign]:
    if text.count("\n") == text.count("\r\n"):
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    matter, start = _front_matter(lines, where)
    notes = tuple(matter.notes)
    above = folders if matter.category is None else [matter.category]
    for number, headings, block in _blocks(lines, start):
        content, tags = _tagged(block)
        if not content:
            continue
        category = foreign.category_of([*above, *headings])
        known = f"{category or ''}\n{content}"
        seen[known] += 1
        yield Item(
            f"{where}, line {number + 1}",
            f"{known}\n{seen[known]}",
            {
                "content": content,
                "category": category,
                "tags": (*matter.tags, *tags),
                "created_at": matter.created_at,
                "last_seen_at": matter.updated_at,
                "updated_at": matter.updated_at,
            },
            notes,
        )
        notes = ()


def _blocks(lines: Sequence[str], at: int) -> Iterator[tuple[int, list[str], list[str]]]:
    """Each block that is a memory: its line, the headings above it, its lines."""
    headings: list[tuple[int, str]] = []
    while at < len(lines):
        start, line = at, lines[at]
        at += 1
        if _is_blank(line) or _is_break(line):
            continue
        if found := _HEADING.match(line):
            _enter(headings, len(found[1]), _heading(line[found.end() :]))
            continue
        if line.lstrip().startswith("<!--") and not _TAGS.fullmatch(line):
            while "-->" not in lines[at - 1] and at < len(lines):
                at += 1
            continue
        if found := _ITEM.match(line):
            block, at = _item(lines, at, found.end())
            block.insert(0, line[found.end() :])
        elif found := _FENCE.match(line):
            at = next(
                (n + 1 for n in range(at, len(lines)) if _closes(lines[n], found[1])), len(lines)
            )
            block = list(lines[start:at])
        else:
            at = next((n for n in range(at, len(lines)) if _ends_paragraph(lines[n])), len(lines))
            block = list(lines[start:at])
            under = _UNDERLINE.fullmatch(lines[at]) if at < len(lines) else None
            if under and len(block) == 1:
                _enter(headings, 1 if under[1] else 2, block[0])
                at += 1
                continue
        yield start, [name for _, name in headings], block


def _item(lines: Sequence[str], at: int, offset: int) -> tuple[list[str], int]:
    """The lines of a list item after its first, without their indentation."""
    block: list[str] = []
    while at < len(lines):
        line = lines[at]
        if _is_blank(line):
            following = next((n for n in range(at, len(lines)) if not _is_blank(lines[n])), None)
            if following is None or not lines[following].startswith(("  ", "\t")):
                break
            block += [blank[offset:] for blank in lines[at:following]]
            at = following
            continue
        if line.startswith(" " * offset):
            block.append(line[offset:])
        elif line.startswith(("  ", "\t")):
            block.append(line.lstrip(" \t"))
        elif _ends_paragraph(line):
            break
        else:
            block.append(line)
        at += 1
    return block, at


def _tagged(block: list[str]) -> tuple[str, list[str]]:
    """The text of a block, and the tags that its last line may have."""
    found = _TAGS.fullmatch(block[-1]) if len(block) > 1 else None
    if found is None:
        return "\n".join(block).strip(), []
    return "\n".join(block[:-1]).strip(), _listed(found[1] or "")


def _is_blank(line: str) -> bool:
    return not line.strip(" \t")


def _is_break(line: str) -> bool:
    """Whether it is a rule; one of dashes has no blanks in it, as that is an item of dashes."""
    marks = line.strip(" \t\r")
    if len(marks) < 3 or not _INDENT.match(line):
        return False
    return not marks.strip("-") or any(not marks.strip(f"{mark} \t") for mark in "*_")


def _heading(text: str) -> str:
    """The text of a heading without the marks that may close it."""
    text = text.strip(" \t\r")
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text


def _ends_paragraph(line: str) -> bool:
    return (
        _is_blank(line)
        or _is_break(line)
        or bool(_UNDERLINE.fullmatch(line))
        or any(one.match(line) for one in (_HEADING, _ITEM, _FENCE))
    )


def _closes(line: str, fence: str) -> bool:
    text = line.strip()
    return len(text) >= len(fence) and not text.strip(fence[0])


def _enter(headings: list[tuple[int, str]], level: int, name: str) -> None:
    while headings and headings[-1][0] >= level:
        headings.pop()
    headings.append((level, name))


def _front_matter(lines: Sequence[str], where: str) -> tuple[_Matter, int]:
    """What the lines between two rules at the very beginning say, and where the text begins."""
    matter = _Matter()
    if not lines or lines[0].rstrip() != "---":
        return matter, 0
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return matter, 0
    said: dict[str, list[str]] = {}
    name = ""
    for line in lines[1:end]:
        if found := _PAIR.fullmatch(line.rstrip()):
            name = found[1].lower()
            said[name] = _listed(found[2])
        elif line.strip().startswith("- ") and name:
            said[name] += _listed(line.strip()[2:])
    matter.tags = tuple(tag.removeprefix("#") for tag in said.get("tags", said.get("tag", [])))
    matter.category = "/".join(said.get("category", [])) or None
    matter.created_at = _date(said, _CREATED, where, matter.notes)
    matter.updated_at = _date(said, _UPDATED, where, matter.notes)
    if matter.created_at and matter.updated_at and matter.updated_at < matter.created_at:
        matter.notes.append(f"{where}: it was changed before it was made: the change is left out")
        matter.updated_at = None
    return matter, end + 1


def _date(
    said: dict[str, list[str]], names: Sequence[str], where: str, notes: list[str]
) -> datetime | None:
    for name in names:
        for text in said.get(name, [])[:1]:
            try:
                return foreign.moment(text, name, where, notes)
            except Invalid as error:
                notes.append(f"{where}: {error.message}")
    return None


def _listed(text: str) -> list[str]:
    """The values of a list as JSON or YAML writes it on one line, or with commas alone."""
    text = text.strip()
    if text.startswith("["):
        try:
            return [str(one) for one in cast("list[Any]", json.loads(text))]
        except ValueError:
            text = text.strip("[]")
    return [part for one in text.split(",") if (part := one.strip().strip("\"'").strip())]
