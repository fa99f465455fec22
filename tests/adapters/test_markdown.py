"""Markdown as people write it: what becomes a memory, under which category, with which tags."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from muniment.adapters import markdown
from muniment.adapters.foreign import Item, Skipped
from muniment.domain.errors import Invalid


def read(tmp_path: Path, text: str | bytes, name: str = "notes.md") -> list[dict[str, Any]]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = list(markdown.read(path))
    assert all(isinstance(one, Item) for one in found)
    return [dict(one.fields) for one in found if isinstance(one, Item)]


def told(tmp_path: Path, text: str) -> list[tuple[str | None, str]]:
    return [(one["category"], one["content"]) for one in read(tmp_path, text)]


CASES: dict[str, tuple[str, list[tuple[str | None, str]]]] = {
    "paragraphs": ("One\nline more\n\n\nTwo\n", [(None, "One\nline more"), (None, "Two")]),
    "headings are the category": (
        "# People\n\nAnna\n\n## At work\n\nBen\n\n# Places\n\nLisbon\n",
        [("People", "Anna"), ("People/At work", "Ben"), ("Places", "Lisbon")],
    ),
    "a heading that is a path": ("# infra/feeds\nx\n", [("infra/feeds", "x")]),
    "closed and empty headings": ("## A ##\na\n\n#\nb\n", [("A", "a"), (None, "b")]),
    "underlined headings": ("Top\n===\na\n\nBelow\n---\nb\n", [("Top", "a"), ("Top/Below", "b")]),
    "no heading without a blank": ("#tag is a word\n", [(None, "#tag is a word")]),
    "a heading of odd characters": ("# What's *new*?\na\n", [("What s new", "a")]),
    "a heading of no characters": ("# ???\na\n\n# ..\nb\n", [(None, "a"), (None, "b")]),
    "list items": ("- a\n* b\n+ c\n1. d\n2) e\n", [(None, one) for one in "abcde"]),
    "what is indented belongs to its item": (
        "- a\n  - b\n\n  more\n- c\n",
        [(None, "a\n- b\n\nmore"), (None, "c")],
    ),
    "a line that is not indented goes on": ("- a\nb\n\nc\n", [(None, "a\nb"), (None, "c")]),
    "deeper and shallower indents": ("10. a\n    b\n  c\n\td\n", [(None, "a\nb\nc\nd")]),
    "a paragraph right before a list": (
        "Some:\n- a\n- b\n",
        [(None, x) for x in ("Some:", "a", "b")],
    ),
    "code stays together": (
        "```py\n# no heading\n\n- no item\n```\nafter\n",
        [(None, "```py\n# no heading\n\n- no item\n```"), (None, "after")],
    ),
    "code without an end": ("~~~\na\n", [(None, "~~~\na")]),
    "rules and comments are nothing": (
        "a\n\n---\n\n* * *\n\n<!-- one\ntwo -->\n\nb\n",
        [(None, "a"), (None, "b")],
    ),
    "other ends of lines": ("# A\r\n\r\n- a\r\n  b\r\n", [("A", "a\nb")]),
    "nothing": ("\n \n\t\n", []),
    "a rule that never ends": ("---\ntags: a\n", [(None, "tags: a")]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_becomes_a_memory(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert told(tmp_path, text) == expected


def test_front_matter_holds_for_the_whole_file(tmp_path: Path) -> None:
    text = (
        "---\ntitle: Notes\ntags: [ops, '#Größe', \"a b\"]\ncategory: work/notes\n"
        "date: 2025-03-01\nupdated: 2025-04-01T10:00:00+02:00\n---\n# Feeds\n- a\n- b\n"
    )
    first, second = read(tmp_path, text)
    assert first["category"] == "work/notes/Feeds"
    assert first["tags"] == second["tags"] == ("ops", "Größe", "a b")
    assert first["created_at"] == datetime(2025, 3, 1, tzinfo=UTC)
    assert first["updated_at"] == first["last_seen_at"] == datetime(2025, 4, 1, 8, tzinfo=UTC)


def test_tags_may_be_a_list_of_lines_or_divided_by_commas(tmp_path: Path) -> None:
    (one,) = read(tmp_path, "---\ntags:\n  - a\n  - b c\nother:\n  - x\n---\ntext\n")
    assert one["tags"] == ("a", "b c")
    (one,) = read(tmp_path, "---\ntags: a, b\n...\ntext\n")
    assert one["tags"] == ("a", "b")


@pytest.mark.parametrize("date", ["soon", "2025-13-01", ""])
def test_a_date_that_is_none_is_told_and_left_out(tmp_path: Path, date: str) -> None:
    (tmp_path / "a.md").write_text(f"---\ncreated: {date}\n---\na\n\nb\n")
    found = list(markdown.read(tmp_path / "a.md"))
    notes = [one.notes for one in found if isinstance(one, Item)]
    assert len(notes) == 2
    assert [len(note) for note in notes] == ([1, 0] if date else [0, 0])


def test_a_change_before_the_making_is_told_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ncreated: 2025-02-01\nupdated: 2025-01-01\n---\na\n")
    (one,) = markdown.read(tmp_path / "a.md")
    assert isinstance(one, Item)
    assert one.fields["updated_at"] is None
    assert any("before it was made" in note for note in one.notes)


def test_a_memory_has_tags_of_its_own_in_its_last_line(tmp_path: Path) -> None:
    text = (
        '---\ntags: all\n---\n- a\n  <!-- tags: x, y -->\n- b\n  <!-- tags: ["p, q"] -->\n'
        "\nc\n<!-- tags: [broken -->\n\nd\n<!-- tags: -->\n"
    )
    assert [(one["content"], one["tags"]) for one in read(tmp_path, text)] == [
        ("a", ("all", "x", "y")),
        ("b", ("all", "p, q")),
        ("c", ("all", "broken")),
        ("d", ("all",)),
    ]


def test_folders_are_the_category_unless_the_front_matter_has_one(tmp_path: Path) -> None:
    for name, text in {
        "people/team/anna.md": "# Work\nLisbon\n",
        "people/ben.markdown": "---\ncategory: staff\n---\nPorto\n",
        "top.MD": "Faro\n",
        "people/notes.txt": "no Markdown\n",
        ".obsidian/x.md": "hidden\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = [one for one in markdown.read(tmp_path) if isinstance(one, Item)]
    assert [(one.where, one.fields["category"], one.fields["content"]) for one in found] == [
        ("people/ben.markdown, line 4", "staff", "Porto"),
        ("people/team/anna.md, line 2", "people/team/Work", "Lisbon"),
        ("top.MD, line 1", None, "Faro"),
    ]


def test_what_cannot_be_read_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a\n")
    (tmp_path / "b.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "c.md").mkdir()
    (tmp_path / "d.md").symlink_to(tmp_path / "nowhere")
    found = list(markdown.read(tmp_path))
    assert [one.where for one in found if isinstance(one, Item)] == ["a.md, line 1"]
    skipped = [one.where for one in found if isinstance(one, Skipped)]
    assert skipped == ["b.md", "c.md", "d.md"]


def test_the_same_said_twice_is_two_memories_and_known_again(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# x\n- a\n- a\n\n# y\n- a\n")
    ids = [one.external_id for one in markdown.read(tmp_path / "a.md") if isinstance(one, Item)]
    assert len(set(ids)) == 3
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    again = [one.external_id for one in markdown.read(tmp_path / "b.md") if isinstance(one, Item)]
    assert again == ids


def test_too_deep_and_too_long_categories_are_cut(tmp_path: Path) -> None:
    deep = "/".join("abcdefghij")
    assert told(tmp_path, f"# {deep}\nx\n") == [("a/b/c/d/e/f/g/h", "x")]
    ((category, _),) = told(tmp_path, "# " + "/".join(["n" * 70] * 6) + "\nx\n")
    assert category == "/".join(["n" * 64] * 3)


def test_a_place_without_markdown_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid) as caught:
        markdown.read(tmp_path / "none")
    assert caught.value.code == "path_invalid"
    assert list(markdown.read(tmp_path)) == []


@pytest.mark.parametrize(
    "text",
    [
        "#" + " " * 1_000_000 + "x",
        "# " + "#" * 1_000_000 + "x",
        "* " * 500_000 + "x",
        "- a" + "\n" * 1_000_000 + "  b",
        "- a\n" + " " * 1_000_000 + "\nb",
        "<!-- tags: " + "--> " * 300_000 + "x",
        "# " + "/" * 1_000_000,
        "# " + "? " * 500_000,
        "```\n" * 300_000,
        "<!--\n" * 300_000,
    ],
    ids=range(10),
)
def test_hostile_files_take_no_longer_than_others(tmp_path: Path, text: str) -> None:
    """Each would take hours where a line, or what follows it, is read again for every character."""
    assert len(read(tmp_path, text)) <= 150_000
