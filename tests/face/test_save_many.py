"""Saving many in one commit: all of them or none."""

from pathlib import Path
from typing import Any

import pytest

import muniment
from muniment import Conflict, Invalid, Muniment, MunimentError
from muniment.commands.mark_used import MarkUsed

FACT = "The Quillmark feed sits on Drive North."


class TestAll:
    def test_each_is_judged_after_those_before_it(self, m: Muniment) -> None:
        saved = m.save_many(
            [
                {"content": FACT, "tags": ["a"]},
                {"content": FACT, "tags": ["b"]},
                {"content": "The Quillmark feed sits on Drive North in rack 12."},
                {"content": "The Quillmark feed sits on Drive South."},
            ]
        )
        assert [one.outcome for one in saved] == ["created", "reinforced", "extended", "created"]
        assert len({one.id for one in saved[:3]}) == 1
        assert saved[3].conflicts_with == (saved[0].id,)
        assert m.get(saved[0].id).tags == ("a", "b")

    def test_they_are_one_commit_under_one_correlation_with_a_command_each(
        self, m: Muniment
    ) -> None:
        m.save_many([{"content": f"Shelf {n} is empty."} for n in range(5)])
        entries = list(m.log())
        assert [entry.position for entry in entries] == [1, 2, 3, 4, 5]
        assert len({entry.correlation_id for entry in entries}) == 1
        assert entries[0].correlation_id is not None
        assert len({entry.command_id for entry in entries}) == 5

    def test_every_argument_of_save_may_be_in_an_item(self, m: Muniment) -> None:
        item = {
            "content": FACT,
            "category": " a//b ",
            "tags": ("t",),
            "importance": 0.7,
            "metadata": {"k": "v"},
            "store": "procedural",
            "source": "user",
            "trust": 1,
            "expected_version": 0,
            "idempotency_key": "k-1",
        }
        (saved,) = m.save_many([item])
        memory = saved.memory
        assert (memory.category, memory.tags, memory.importance) == ("a/b", ("t",), 0.7)
        assert (memory.metadata, memory.store, memory.trust) == ({"k": "v"}, "procedural", 1)
        assert len(saved.warnings) == 1

    def test_a_retry_of_all_under_one_key_adds_nothing(self, m: Muniment) -> None:
        items = [{"content": f"Shelf {n} is empty.", "category": "a//b"} for n in range(5)]
        items.append(items[0])
        first = m.save_many(items, idempotency_key="k-1")
        again = m.save_many(items, idempotency_key="k-1")
        assert [(one.position, one.outcome) for one in again] == [
            (one.position, one.outcome) for one in first
        ]
        assert len(first[0].warnings) == 1
        assert m.stats().head == 6

    def test_other_items_under_the_key_are_a_conflict(self, m: Muniment) -> None:
        items = [{"content": f"Shelf {n} is empty."} for n in range(5)]
        m.save_many(items, idempotency_key="k-1")
        for other in (items[:4], items[::-1], [*items, {"content": FACT}]):
            with pytest.raises(Conflict) as caught:
                m.save_many(other, idempotency_key="k-1")
            assert caught.value.code == "idempotency_key_reused"
        assert m.stats().head == 5

    @pytest.mark.parametrize("key", ["a b", "", 5])
    def test_a_key_for_all_is_plain_and_the_only_one(self, m: Muniment, key: Any) -> None:
        with pytest.raises(Invalid) as caught:
            m.save_many([{"content": FACT}], idempotency_key=key)
        assert caught.value.code == "idempotency_key_invalid"
        with pytest.raises(Invalid) as caught:
            m.save_many([{"content": FACT, "idempotency_key": "k-2"}], idempotency_key="k-1")
        assert caught.value.field == "items.0.idempotency_key"

    def test_a_retry_with_keys_adds_nothing(self, m: Muniment) -> None:
        items = [{"content": f"Shelf {n} is empty.", "idempotency_key": f"k-{n}"} for n in range(5)]
        first = m.save_many(items)
        assert m.save_many(items) == first
        assert m.stats().head == 5

    def test_nothing_is_nothing(self, m: Muniment) -> None:
        assert m.save_many([]) == []
        assert m.stats().head == 0

    def test_any_sequence_and_any_mapping_will_do(self, m: Muniment) -> None:
        assert len(m.save_many(({"content": FACT},))) == 1

    def test_what_was_saved_is_found_at_once(self, m: Muniment) -> None:
        m.save_many([{"content": f"Shelf {n} of the annex is empty."} for n in range(300)])
        assert len(m.search("annex", limit=200).hits) == 200
        assert m.search("shelf 217").hits[0].memory.content == "Shelf 217 of the annex is empty."
        assert m.rebuild().agrees


class TestNone:
    @pytest.mark.parametrize(
        ("item", "code", "field"),
        [
            ({"content": ""}, "content_empty", "items.2.content"),
            ({"content": "x", "importance": 2}, "importance_invalid", "items.2.importance"),
            ({"content": "x", "category": ".."}, "category_invalid", "items.2.category"),
            ({"content": "x", "tags": "abc"}, "tags_invalid", "items.2.tags"),
            (
                {"content": "x", "metadata": {"subjectTime": "soon"}},
                "subject_time_invalid",
                "items.2.metadata.subjectTime",
            ),
            ({"content": "x", "colour": "red"}, "unknown_field", "items.2.colour"),
            ({}, "content_required", "items.2.content"),
            (5, "items_invalid", "items.2"),
            (None, "items_invalid", "items.2"),
            ("content", "items_invalid", "items.2"),
            ([("content", "x")], "items_invalid", "items.2"),
            ({5: "x"}, "items_invalid", "items.2"),
            ({"content": "x", "cls": "y"}, "unknown_field", "items.2.cls"),
        ],
    )
    def test_one_bad_item_is_named_and_nothing_is_saved(
        self, m: Muniment, item: Any, code: str, field: str
    ) -> None:
        good = [{"content": "Rack 12 is full."}, {"content": "The lobby is blue."}]
        with pytest.raises(Invalid) as caught:
            m.save_many([*good, item])
        assert (caught.value.code, caught.value.field) == (code, field)
        assert m.stats().head == 0
        assert len(m.save_many(good)) == 2

    def test_one_that_is_refused_when_decided_takes_all_with_it(self, m: Muniment) -> None:
        with pytest.raises(Conflict):
            m.save_many([{"content": "Rack 12 is full."}, {"content": FACT, "expected_version": 3}])
        assert m.stats().head == 0
        assert m.search("rack").hits == ()
        assert m.save("Rack 12 is full.").outcome == "created"
        assert m.verify().intact
        assert m.rebuild().agrees

    def test_more_than_50000_are_refused_before_any_is_looked_at(self, m: Muniment) -> None:
        with pytest.raises(Invalid) as caught:
            m.save_many([{"content": ""}] * 50_001)
        assert (caught.value.code, caught.value.field) == ("too_many_items", "items")


class TestRefusedWhileTheyAreDecided:
    """The item is named, whatever speaks against it and whenever that is found."""

    @pytest.mark.parametrize(
        ("item", "code", "field"),
        [
            ({"expected_version": 9}, "version_conflict", "expected_version"),
            ({"source": "web", "trust": 2}, "trust_invalid", "trust"),
            ({"idempotency_key": "used"}, "idempotency_key_reused", "idempotency_key"),
        ],
    )
    @pytest.mark.parametrize("before", [0, 2])
    def test_the_item_is_named(
        self, m: Muniment, item: dict[str, Any], code: str, field: str, before: int
    ) -> None:
        m.save("The dock is red.", idempotency_key="used")
        items = [{"content": f"Shelf {n} is empty."} for n in range(before)]
        with pytest.raises(MunimentError) as caught:
            m.save_many([*items, {"content": FACT} | item])
        assert (caught.value.code, caught.value.field) == (code, f"items.{before}.{field}")
        assert str(caught.value).startswith(f"items.{before}: ")
        assert m.stats().head == 1

    def test_a_secret_names_its_item(self, tmp_path: Path) -> None:
        rejecting = {"memory": {"secrets": "reject"}}
        secret = "ghp_" + "a1B2" * 9
        with muniment.open(tmp_path, settings=rejecting) as m:
            with pytest.raises(Invalid) as caught:
                m.save_many([{"content": FACT}, {"content": secret}])
            assert (caught.value.code, caught.value.field) == ("secret_found", "items.1.content")

    def test_the_key_of_all_of_them_is_no_items(self, m: Muniment) -> None:
        m.save_many([{"content": FACT}], idempotency_key="k")
        with pytest.raises(Conflict) as caught:
            m.save_many([{"content": "Other."}], idempotency_key="k")
        assert caught.value.field == "idempotency_key"

    def test_an_edit_among_them_is_named(self, m: Muniment) -> None:
        id_ = m.save(FACT).id
        edits = [MarkUsed.of(id=id_), MarkUsed.of(id=id_, expected_version=9)]
        with pytest.raises(Conflict) as caught:
            m.write_all(edits)
        assert caught.value.field == "items.1.expected_version"

    def test_one_that_comes_alone_is_no_item(self, m: Muniment) -> None:
        with pytest.raises(Conflict) as caught:
            m.save(FACT, expected_version=9)
        assert caught.value.field == "expected_version"
