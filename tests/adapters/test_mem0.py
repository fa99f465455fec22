"""Exports of mem0: their forms, their fields, and what is wrong with some of them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import muniment
from muniment.adapters import mem0
from muniment.adapters.foreign import Item, Skipped
from muniment.domain.errors import Invalid

WHOLE: dict[str, Any] = {
    "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
    "memory": "User is a vegetarian",
    "hash": "1a2b3c4d5e6f708192a3b4c5d6e7f809",
    "metadata": {"source": "chat", "turns": 3, "nested": {"a": [1]}, "none": None},
    "categories": ["food_preferences", "health", "personal details"],
    "created_at": "2025-01-05T08:30:00.123456-08:00",
    "updated_at": "2025-04-05T08:30:00-07:00",
    "user_id": "alex",
    "agent_id": None,
    "run_id": "trip-1",
    "score": 0.8,
}


def read(tmp_path: Path, written: object) -> list[Item | Skipped]:
    path = tmp_path / "mem0.json"
    path.write_bytes(
        written if isinstance(written, bytes) else json.dumps(written, ensure_ascii=False).encode()
    )
    return list(mem0.read(path))


def only(tmp_path: Path, entry: dict[str, Any]) -> Item:
    (one,) = read(tmp_path, [entry])
    assert isinstance(one, Item)
    return one


def test_a_memory_with_everything(tmp_path: Path) -> None:
    one = only(tmp_path, WHOLE)
    assert (one.where, one.external_id, one.notes) == ("memory 1", WHOLE["id"], ())
    assert one.fields == {
        "content": "User is a vegetarian",
        "category": "food_preferences",
        "tags": ("health", "personal details"),
        "metadata": {
            "user_id": "alex",
            "run_id": "trip-1",
            "source": "chat",
            "turns": "3",
            "nested": '{"a": [1]}',
        },
        "created_at": datetime(2025, 1, 5, 16, 30, 0, 123456, tzinfo=UTC),
        "last_seen_at": datetime(2025, 4, 5, 15, 30, tzinfo=UTC),
        "updated_at": datetime(2025, 4, 5, 15, 30, tzinfo=UTC),
    }


def test_no_fingerprint_of_the_text_is_kept(tmp_path: Path) -> None:
    assert WHOLE["hash"] not in str(only(tmp_path, WHOLE))


@pytest.mark.parametrize("around", ["results", "memories", "data", "items"])
def test_the_list_may_lie_in_an_object(tmp_path: Path, around: str) -> None:
    (one,) = read(tmp_path, {around: [WHOLE], "relations": []})
    assert isinstance(one, Item)


@pytest.mark.parametrize("name", ["memory", "text", "data", "content"])
def test_the_text_has_one_of_several_names(tmp_path: Path, name: str) -> None:
    one = only(tmp_path, {"id": "1", name: "Anna works in Lisbon"})
    assert one.fields["content"] == "Anna works in Lisbon"
    assert one.fields["created_at"] is None


@pytest.mark.parametrize(
    ("fields", "category", "tags"),
    [
        ({"categories": None}, None, ()),
        ({"categories": []}, None, ()),
        ({"categories": "food"}, "food", ()),
        ({"categories": ["a & b/c", " ", "x\ny"]}, "a b/c", ("x y",)),
        ({"categories": None, "metadata": {"category": "movies"}}, "movies", ()),
    ],
)
def test_categories_in_all_their_forms(
    tmp_path: Path, fields: dict[str, Any], category: str | None, tags: tuple[str, ...]
) -> None:
    one = only(tmp_path, WHOLE | fields)
    assert (one.fields["category"], one.fields["tags"]) == (category, tags)


def test_times_without_a_zone_are_utc_and_the_notes_say_so(tmp_path: Path) -> None:
    one = only(tmp_path, WHOLE | {"created_at": "2025-01-05T08:30:00", "updated_at": None})
    assert one.fields["created_at"] == one.fields["last_seen_at"]
    assert one.fields["created_at"] == datetime(2025, 1, 5, 8, 30, tzinfo=UTC)
    assert one.notes == ("memory 1: created_at has no time zone and was read as UTC",)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (7, "no JSON object"),
        (None, "no JSON object"),
        ({}, "no text"),
        ({"memory": None}, "no text"),
        ({"memory": " \u200b"}, "no text"),
        ({"memory": 7}, "no text"),
        ({"memory": "a", "metadata": [1]}, "metadata"),
        ({"memory": "a", "created_at": "soon"}, "created_at"),
        ({"memory": "a", "created_at": 10**400}, "created_at"),
    ],
)
def test_what_is_malformed_is_told_and_the_others_are_read(
    tmp_path: Path, entry: Any, reason: str
) -> None:
    first, second, third = read(tmp_path, [WHOLE, entry, WHOLE])
    assert isinstance(first, Item)
    assert isinstance(third, Item)
    assert isinstance(second, Skipped)
    assert second.where == "memory 2"
    assert reason in second.reason


@pytest.mark.parametrize(
    "written", [b"", b"no", b"[" * 100_000, b"7", b'{"results": {}}', b"{}", b'"text"']
)
def test_what_is_no_list_of_memories_is_refused(tmp_path: Path, written: bytes) -> None:
    with pytest.raises(Invalid) as caught:
        read(tmp_path, written)
    assert caught.value.code == "path_invalid"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(Invalid) as caught:
            mem0.read(path)
        assert caught.value.code == "path_invalid"


def test_an_import_may_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps([WHOLE, {"memory": "Anna works in Lisbon"}, {"memory": "\ud800"}]))
    with muniment.open(":memory:") as m:
        report = m.import_from("mem0", path)
        assert (report.imported, len(report.skipped)) == (2, 1)
        again = m.import_from("mem0", path)
        assert (again.imported, again.already_here) == (0, 2)
        (hit,) = m.search("vegetarian").hits
        assert hit.memory.metadata["user_id"] == "alex"
