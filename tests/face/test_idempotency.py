"""Retries: the same key and request happen once, and are answered alike."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock

import muniment
from muniment import Conflict, Invalid, Muniment

FACT = "The Quillmark feed sits on Drive North."

EDITS: dict[str, Callable[[Muniment, str, str], Any]] = {
    "revise": lambda m, of, key: m.revise(of, "Rack 12 is full.", idempotency_key=key),
    "rescore": lambda m, of, key: m.rescore(of, 0.9, idempotency_key=key),
    "recategorize": lambda m, of, key: m.recategorize(of, "infra", idempotency_key=key),
    "retag": lambda m, of, key: m.retag(of, ["x"], idempotency_key=key),
    "describe": lambda m, of, key: m.describe(of, {"k": "v"}, idempotency_key=key),
    "pin": lambda m, of, key: m.pin(of, idempotency_key=key),
    "mark_used": lambda m, of, key: m.mark_used(of, idempotency_key=key),
    "archive": lambda m, of, key: m.archive(of, "stale", idempotency_key=key),
}


class TestSave:
    def test_the_same_request_is_done_once_and_answered_alike(self, m: Muniment) -> None:
        first = m.save(FACT, category="a//b", idempotency_key="k-1")
        again = m.save(FACT, category="a//b", idempotency_key="k-1")
        assert again == first
        assert m.stats().head == 1

    def test_a_repetition_is_answered_as_it_was_though_it_would_count_again(
        self, m: Muniment
    ) -> None:
        m.save(FACT)
        first = m.save(FACT, idempotency_key="k-1")
        again = m.save(FACT, idempotency_key="k-1")
        assert (again.outcome, again.position, again.counted) == (
            "reinforced",
            first.position,
            True,
        )
        assert m.get(first.id).reinforcement_count == 2

    def test_another_request_under_the_key_is_a_conflict(self, m: Muniment) -> None:
        m.save(FACT, idempotency_key="k-1")
        others: list[dict[str, Any]] = [
            {"content": "Rack 12 is full."},
            {"content": FACT, "importance": 0.6},
            {"content": FACT, "tags": ["x"]},
        ]
        for other in others:
            with pytest.raises(Conflict) as caught:
                m.save(**other, idempotency_key="k-1")
            assert (caught.value.code, caught.value.field) == (
                "idempotency_key_reused",
                "idempotency_key",
            )
        assert m.stats().head == 1

    def test_what_is_normalised_to_the_same_is_the_same_request(self, m: Muniment) -> None:
        first = m.save(FACT, category="a/b", tags=["x"], idempotency_key="k-1")
        again = m.save(f" {FACT} ", category=" a // b/", tags=["x", "X"], idempotency_key="k-1")
        assert (again.id, m.stats().head) == (first.id, 1)

    def test_keys_are_of_a_space_and_an_actor(self, m: Muniment) -> None:
        handles = [
            m,
            m.acting_as("bot:main"),
            m.acting_as("manual", space="other"),
            m.acting_as("bot:main", space="other"),
        ]
        for n, handle in enumerate(handles):
            handle.save(f"Shelf {n} is empty.", idempotency_key="k-1")
        assert m.acting_as("manual", space="other").stats().memories["live"] == 2
        assert m.stats().memories["live"] == 2

    def test_a_refused_request_leaves_its_key_free(self, m: Muniment) -> None:
        with pytest.raises(Conflict):
            m.save(FACT, expected_version=7, idempotency_key="k-1")
        assert m.save(FACT, idempotency_key="k-1").outcome == "created"

    def test_the_answer_outlives_the_process(self, tmp_path: Path, clock: Clock) -> None:
        with muniment.open(tmp_path, clock=clock) as m:
            first = m.save(FACT, idempotency_key="k-1")
        with muniment.open(tmp_path, clock=clock) as m:
            assert m.save(FACT, idempotency_key="k-1") == first
            with pytest.raises(Conflict):
                m.save("Rack 12 is full.", idempotency_key="k-1")

    def test_eight_at_once_make_one(self, m: Muniment) -> None:
        def save(_: int) -> int:
            return m.save(FACT, idempotency_key="k-1").position

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(save, range(8))) == {1}

    @pytest.mark.parametrize("key", ["A-z0.9_:", "x" * 128])
    def test_a_key_is_plain(self, m: Muniment, key: str) -> None:
        assert m.save(FACT, idempotency_key=key).outcome == "created"

    @pytest.mark.parametrize("key", ["", " ", "a b", "x" * 129, "é", "a\n", "a/b", 5])
    def test_any_other_is_refused(self, m: Muniment, key: Any) -> None:
        with pytest.raises(Invalid) as caught:
            m.save(FACT, idempotency_key=key)
        assert caught.value.code == "idempotency_key_invalid"


class TestEdits:
    @pytest.mark.parametrize("verb", sorted(EDITS))
    def test_the_same_edit_is_done_once(self, m: Muniment, verb: str) -> None:
        saved = m.save(FACT)
        first = EDITS[verb](m, saved.id, "k-1")
        head = m.stats().head
        assert (EDITS[verb](m, saved.id, "k-1"), m.stats().head) == (first, head)

    def test_a_use_is_counted_once_a_key(self, m: Muniment) -> None:
        saved = m.save(FACT)
        for key in ("k-1", "k-1", "k-2"):
            m.mark_used(saved.id, idempotency_key=key)
        assert m.get(saved.id).access_count == 3

    def test_a_retry_does_not_undo_what_came_after_it(self, m: Muniment) -> None:
        saved = m.save(FACT)
        m.rescore(saved.id, 0.9, idempotency_key="k-1")
        m.rescore(saved.id, 0.2)
        m.rescore(saved.id, 0.9, idempotency_key="k-1")
        assert m.get(saved.id).importance == 0.2

    def test_a_key_of_a_save_is_taken_for_an_edit_too(self, m: Muniment) -> None:
        saved = m.save(FACT, idempotency_key="k-1")
        with pytest.raises(Conflict):
            m.archive(saved.id, "stale", idempotency_key="k-1")

    def test_the_same_edit_of_another_memory_is_another_request(self, m: Muniment) -> None:
        one, two = m.save(FACT), m.save("Rack 12 is full.")
        m.pin(one.id, idempotency_key="k-1")
        with pytest.raises(Conflict):
            m.pin(two.id, idempotency_key="k-1")

    def test_two_verbs_with_the_same_arguments_are_two_requests(self, m: Muniment) -> None:
        saved = m.save(FACT)
        m.pin(saved.id, idempotency_key="k-1")
        with pytest.raises(Conflict):
            m.unpin(saved.id, idempotency_key="k-1")

    def test_restoring_is_done_once(self, m: Muniment) -> None:
        saved = m.save(FACT)
        m.archive(saved.id, "stale")
        first = m.restore(saved.id, idempotency_key="k-1")
        assert m.restore(saved.id, idempotency_key="k-1") == first
