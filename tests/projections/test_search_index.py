"""What keyword search finds, and what comes first."""

import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.memory import events as e
from muniment.domain.recorded import Recorded
from muniment.projections.search_index import SearchIndex

AT = datetime(2028, 3, 1, tzinfo=UTC)


def saved(content: str, *, tags: tuple[str, ...] = (), category: str | None = None) -> e.Saved:
    return e.Saved(
        content=content, tags=tags, category=category, importance=0.5, trust=3,
        source_type="user", store="semantic", chars=len(content),
    )  # fmt: skip


def extended(addition: str) -> e.Extended:
    return e.Extended(addition=addition, importance=0.5, trust=3, source_type="user", chars=1)


ARCHIVED = e.Archived(cause="request", importance=0.5)


class Space:
    """An index and the log that it follows."""

    def __init__(self, *contents: str) -> None:
        self.index = SearchIndex()
        for number, content in enumerate(contents):
            self.then(f"m{number}", saved(content))

    def then(self, id_: str, event: Any, *, fault: Any = None) -> "Space":
        self.index.apply(
            Recorded(
                position=self.index.position + 1, stream=id_, version=1, name="memory.x", schema=1,
                recorded_at=AT, actor="a", space="s", command_id="c", correlation_id=None,
                causation_id=None, event=event, fault=fault,
            )
        )  # fmt: skip
        return self

    def finds(self, query: str, *, include_archived: bool = False) -> list[str]:
        found = self.index.matches(query, limit=200, include_archived=include_archived)
        ranked = zip(
            (~found.exact).tolist(), (-found.scores).tolist(), found.rows.tolist(), strict=True
        )
        return [self.index.ids[row] for _, _, row in sorted(ranked)]


class TestWhatIsSearched:
    def test_the_content_the_tags_and_the_category(self) -> None:
        space = Space().then(
            "m", saved("Deploys happen", tags=("ops",), category="user-preferences/food")
        )
        for query in ("deploy", "ops", "user", "preferences", "food"):
            assert space.finds(query) == ["m"], query

    def test_not_what_an_addition_replaced_nothing_of(self) -> None:
        space = Space("first words").then("m0", extended("second thoughts"))
        assert space.finds("first") == space.finds("thoughts") == ["m0"]

    def test_a_revised_text_replaces_all_statements(self) -> None:
        space = Space("first words").then("m0", extended("second"))
        space.then("m0", e.Revised(content="third", chars=5))
        assert space.finds("first second") == []
        assert space.finds("third") == ["m0"]

    def test_other_tags_and_another_category_leave_the_text(self) -> None:
        space = Space().then("m", saved("text", tags=("old",), category="here"))
        space.then("m", e.Retagged(tags=("new",))).then("m", e.Recategorized(category="there"))
        assert space.finds("old here") == []
        assert [space.finds(word) for word in ("text", "new", "there")] == [["m"]] * 3

    def test_tags_that_a_counted_observation_added(self) -> None:
        space = Space("text")
        for tag, counted in (("yes", True), ("nope", False)):
            event = e.Reinforced(
                importance=0.5, trust=3, source_type="user", counted=counted, tags_added=(tag,)
            )
            space.then("m0", event)
        assert space.finds("yes") == ["m0"]
        assert space.finds("nope") == []


class TestArchived:
    def test_it_is_hidden_and_shown_on_demand(self) -> None:
        space = Space("pizza", "pizza pizza").then("m1", ARCHIVED)
        assert space.finds("pizza") == ["m0"]
        assert space.finds("pizza", include_archived=True) == ["m1", "m0"]

    def test_it_is_back_when_it_was_restored(self) -> None:
        space = Space("pizza").then("m0", ARCHIVED).then("m0", e.Restored())
        assert space.finds("pizza") == ["m0"]

    def test_an_edit_does_not_bring_it_back(self) -> None:
        space = Space("pizza").then("m0", ARCHIVED).then("m0", e.Retagged(tags=("food",)))
        assert space.finds("food") == []
        assert space.finds("food", include_archived=True) == ["m0"]

    def test_archived_twice_counts_once(self) -> None:
        space = Space("pizza", "pizza").then("m0", ARCHIVED).then("m0", ARCHIVED)
        (part,) = space.index.explain(1, "pizza")
        assert part.df == 1


class TestReplay:
    def test_an_event_that_can_not_be_read_moves_the_position_only(self) -> None:
        space = Space("pizza").then("m0", None, fault="newer_release")
        assert space.index.position == 2
        assert space.finds("pizza") == ["m0"]

    def test_words_whose_key_is_gone_are_blank(self) -> None:
        space = Space().then("m", saved(""), fault="key_missing").then("n", saved("pizza"))
        assert space.finds("pizza") == ["n"]
        assert space.index.rows == {"m": 0, "n": 1}

    def test_what_is_not_a_memory_has_no_row(self) -> None:
        space = Space().then("x", object()).then("y", ARCHIVED).then("m", saved("pizza"))
        assert space.index.ids == ["m"]

    def test_a_memory_begins_once(self) -> None:
        space = Space("pizza").then("m0", saved("pasta"))
        assert space.finds("pasta") == []


class TestDigest:
    @pytest.mark.parametrize(
        "change",
        [
            e.Revised(content="pasta", chars=5),
            extended("pizza"),
            ARCHIVED,
            e.Retagged(tags=("x",)),
            e.Recategorized(category="x"),
            e.Used(),
        ],
    )
    def test_it_differs_exactly_where_something_else_is_held(self, change: Any) -> None:
        before = Space("pizza", "pasta").index.digest()
        after = Space("pizza", "pasta").then("m0", change).index.digest()
        assert (before != after) == (not isinstance(change, e.Used))

    def test_a_tag_is_not_a_category(self) -> None:
        one = Space().then("m", saved("a", tags=("x",)))
        assert one.index.digest() != Space().then("m", saved("a", category="x")).index.digest()


class TestScripts:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("しりとり", "m0"), ("끝말잇기", "m1"), ("成语接龙", "m2"), ("设备", "m3"),
            ("ไทย", "m4"), ("กา", "m5"), ("게임", "m1"), ("语接", "m2"), ("ほん", "m6"),
        ],
    )  # fmt: skip
    def test_two_characters_of_a_text_find_it_first(self, query: str, expected: str) -> None:
        space = Space(
            "今日は成語しりとりをした", "오늘 끝말잇기 게임을 했다", "今天玩成语接龙游戏",
            "这台设备需要重启", "ฉันพูดภาษาไทย", "แมวกินปลากับกา", "ほんを読む", "今日は天気がいい",
            "오늘 날씨가 좋다", "今天天气很好",
        )  # fmt: skip
        assert space.finds(query)[0] == expected

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("今", {"m0", "m2", "m7", "m9"}), ("语", {"m2"}), ("戏", {"m2"}), ("游", {"m2"}),
            ("끝", {"m1"}), ("임", {"m1"}), ("น", {"m4", "m5"}), ("本", set[str]()), ("ほ", {"m6"}),
            ("the 语", {"m2"}), ("语?", {"m2"}), ("京", {"m10"}),
        ],
    )  # fmt: skip
    def test_one_character_finds_every_text_that_has_it(
        self, query: str, expected: set[str]
    ) -> None:
        space = Space(
            "今日は成語しりとりをした", "오늘 끝말잇기 게임을 했다", "今天玩成语接龙游戏",
            "这台设备需要重启", "ฉันพูดภาษาไทย", "แมวกินปลากับกา", "ほんを読む", "今日は天気がいい",
            "오늘 날씨가 좋다", "今天天气很好", "京 is a capital", "plain English",
        )  # fmt: skip
        assert set(space.finds(query)) == expected

    def test_one_character_is_found_in_what_was_revised_and_not_in_what_it_replaced(self) -> None:
        space = Space("今天玩游戏", "设备").then("m0", e.Revised(content="设备清单", chars=4))
        assert (space.finds("游"), set(space.finds("设"))) == ([], {"m0", "m1"})

    @given(st.lists(st.text("今天玩游a ", max_size=9), max_size=6), st.sampled_from("今天玩游"))
    def test_what_it_finds_and_what_it_says_of_it_is_what_has_it(
        self, contents: list[str], character: str
    ) -> None:
        index = Space(*contents).index
        found = index.matches(character, limit=100)
        ids = [f"m{number}" for number, text in enumerate(contents) if character in text]
        rows: list[int] = found.rows.tolist()
        assert sorted(index.ids[row] for row in rows) == ids
        for row, score in zip(rows, found.scores.tolist(), strict=True):
            parts = index.explain(row, character)
            assert all(character in part.term for part in parts)
            assert sum(part.score for part in parts) == pytest.approx(score)

    def test_beside_other_words_it_counts_as_it_stands(self) -> None:
        space = Space("东京都", "京 都", "capital")
        assert set(space.finds("京 capital")) == {"m1", "m2"}

    def test_emoji_alone_are_a_query(self) -> None:
        assert Space("party 🎉", "party").finds("🎉🎉") == ["m0"]


class TestQueries:
    CONTENTS = (
        "the uteke cloud dev box", "uteke-cloud-dev is down, uteke cloud dev", "10 GB per s",
        "a link of 10 GB/s", "C and C and C", "C++ is fine", "ADR 0005 0005", "see ADR-0005 there",
        'he said "unbalanced', "a AND b", "2 * 3", "NEAR the x", "user preferences user",
        "my user-preferences are these", "a drop", "t:x and t x",
    )  # fmt: skip

    @pytest.mark.parametrize(
        ("query", "first"),
        [
            ("uteke-cloud-dev", 1), ("GB/s", 3), ("C++", 5), ("ADR-0005", 7), ('"unbalanced', 8),
            ("*", 10), ("NEAR(", 11), ("user-preferences", 13), ("'; drop", 14), ("-x", 15),
            ("t:x", 15), ('"', 8), ("`C++`", 5), ("AND", 4),
        ],
    )  # fmt: skip
    def test_any_query_is_literal_and_an_identifier_comes_first(
        self, query: str, first: int
    ) -> None:
        assert Space(*self.CONTENTS).finds(query)[0] == f"m{first}"

    @pytest.mark.parametrize("query", ["", " ", "%", "()", "\ud800", "NOT", "a AND", "😀" * 999])
    def test_no_query_is_an_error(self, query: str) -> None:
        assert isinstance(Space(*self.CONTENTS).finds(query), list)

    def test_an_identifier_of_an_archived_memory_is_not_exact_for_the_rest(self) -> None:
        space = Space("relay-ctl", "relay", "relay ctl").then("m0", ARCHIVED)
        found = space.index.matches("relay-ctl", limit=10)
        assert not found.exact.any()

    def test_an_identifier_that_no_text_holds_makes_nothing_exact(self) -> None:
        found = Space("relay", "ctl").index.matches("relay-ctl", limit=10)
        assert len(found.rows) == 2
        assert not found.exact.any()

    def test_many_exact_ones_leave_no_room_for_others(self) -> None:
        space = Space(*["relay-ctl"] * 5, "relay relay relay")
        found = space.index.matches("relay-ctl", limit=3)
        assert found.exact.all()
        assert len(found.rows) == 5

    def test_an_empty_space_finds_nothing(self) -> None:
        assert Space().finds("pizza") == []

    def test_a_single_memory_is_found_by_a_word_that_all_hold(self) -> None:
        assert Space("pizza").finds("pizza") == ["m0"]

    def test_words_side_by_side_as_in_the_query_come_first(self) -> None:
        space = Space("york is new and old", "in new york it is old")
        assert space.finds("new york") == ["m1", "m0"]

    def test_words_of_two_texts_are_not_side_by_side(self) -> None:
        space = Space("york new").then("m1", saved("new")).then("m1", extended("york"))
        one, other = space.index.matches("new york", limit=2).scores
        assert one == pytest.approx(other)

    def test_hostile_texts_and_queries_are_answered_in_time(self) -> None:
        contents = ["a-" * 32_768, "😀" * 16_384, "設" * 21_845, "x " * 32_768]
        space = Space(*contents)
        started = time.process_time()
        for query in contents:
            assert space.finds(query)
        assert time.process_time() - started < 5

    @pytest.mark.parametrize(("k1", "b"), [(-0.1, 0.4), (0.9, 1.1), (0.9, -1), (float("nan"), 0)])
    def test_constants_out_of_bounds_are_refused(self, k1: float, b: float) -> None:
        with pytest.raises(ValueError, match="k1"):
            SearchIndex(k1=k1, b=b)


class TestMerges:
    def test_what_came_before_one_and_after_it_is_found(self) -> None:
        space = Space()
        index = space.index = SearchIndex(merge_at=1)
        space.then("a", saved("pizza one")).then("b", saved("pizza two"))
        space.then("c", saved("pizza three"))
        space.finds("pizza")
        assert index._packed == 3  # pyright: ignore[reportPrivateUsage] - that there was one
        space.then("d", saved("pizza four")).then("a", e.Revised(content="pasta", chars=5))
        assert sorted(space.finds("pizza")) == ["b", "c", "d"]
        assert space.finds("pasta") == ["a"]

    def test_a_write_packs_what_no_search_has(self) -> None:
        space = Space()
        index = space.index = SearchIndex(merge_at=1)
        for number in range(4):
            space.then(f"m{number}", saved(f"pizza {number}"))
        assert index._packed == 4  # pyright: ignore[reportPrivateUsage] - that there was one
        assert sorted(space.finds("pizza")) == ["m0", "m1", "m2", "m3"]

    def test_rewritten_memories_leave_no_ever_growing_trace(self) -> None:
        space = Space()
        index = space.index = SearchIndex(merge_at=8)
        space.then("m", saved("pizza"))
        for number in range(500):
            space.then("m", e.Revised(content=f"pasta {number % 3}", chars=7))
        assert len(index._documents) < 100  # pyright: ignore[reportPrivateUsage] - what memory it takes
        assert space.finds("pasta") == ["m"]


class TestAlso:
    """Rows whose scores are asked for, wherever they stand."""

    @pytest.mark.parametrize("include_archived", [False, True])
    def test_those_that_match_come_with_the_score_that_they_have(
        self, *, include_archived: bool
    ) -> None:
        space = Space("lone ship", *(["ship " * 9] * 70), "a ship among many other words", "sea")
        space.then("m3", ARCHIVED).then("m5", e.Revised(content="a ship", chars=6))
        matches = partial(space.index.matches, "lone ship", include_archived=include_archived)
        every = matches(limit=1_000)
        known = dict(zip(every.rows.tolist(), every.scores.tolist(), strict=True))
        asked = np.array([72, 71, 5, 3, 0], np.int32)
        assert matches(limit=1).rows.tolist() == [0]
        found = matches(limit=1, also=asked)
        assert dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True)) == {
            row: known[row] for row in asked.tolist() if row in known
        }
        assert len(found.rows) == 3 + include_archived

    def test_what_is_not_kept_stays_out(self) -> None:
        space = Space("ship", "ship", "ship")
        found = space.index.matches(
            "ship", limit=1, keep=lambda rows: rows != 1, also=np.array([1, 2], np.int32)
        )
        assert found.rows.tolist() == [0, 2]
