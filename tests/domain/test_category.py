"""Categories: one spelling, borders at segments, and what is refused."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain import category
from muniment.domain.errors import Invalid

segments = st.text(
    st.characters(categories=("L", "N"), include_characters=" _-."), min_size=1, max_size=20
)


class TestCanonical:
    @pytest.mark.parametrize(
        ("given_", "kept"),
        [
            ("a//b", "a/b"),
            ("/a", "a"),
            ("a/", "a"),
            (" a / b ", "a/b"),
            ("///a////b///", "a/b"),
            ("user-preferences/timezone", "user-preferences/timezone"),
            ("claim/capability/s/t", "claim/capability/s/t"),
            ("Projekt Größe/v1.2", "Projekt Größe/v1.2"),
            ("日本/東京", "日本/東京"),
            ("a/ /b", "a/b"),
            ("...", "..."),
        ],
    )
    def test_blanks_and_needless_slashes_fall(self, given_: str, kept: str) -> None:
        assert category.canonical(given_) == kept

    @pytest.mark.parametrize("nothing", ["", " ", "/", " / // "])
    def test_nothing_but_slashes_and_blanks_is_no_category(self, nothing: str) -> None:
        assert category.canonical(nothing) is None

    def test_decomposed_letters_are_composed(self) -> None:
        decomposed = unicodedata.normalize("NFD", "Café")
        assert category.canonical(decomposed) == unicodedata.normalize("NFC", "Café")

    @pytest.mark.parametrize(
        "bad",
        [
            "../x",
            "a/../../b",
            ".",
            "..",
            "a/./b",
            "a\\b",
            "C:x",
            "a*b",
            "a\nb",
            "a\x00b",
            "a\u200bb",
            "a\u202eb",
            "x" * 300,
            "x" * 65,
            "/".join(["x"] * 50),
            "/".join(["x"] * 9),
            "/".join(["y" * 64] * 4),
            "🙂",
        ],
    )
    def test_what_breaks_a_rule_is_refused_by_name(self, bad: str) -> None:
        with pytest.raises(Invalid) as caught:
            category.canonical(bad)
        assert (caught.value.code, caught.value.field) == ("category_invalid", "category")

    @pytest.mark.parametrize(
        "edge", ["x" * 64, "/".join(["x"] * 8), "/".join(["y" * 63] * 4), "a." + "b" * 62]
    )
    def test_the_bounds_themselves_are_allowed(self, edge: str) -> None:
        assert category.canonical(edge) == edge

    @given(st.lists(segments, min_size=1, max_size=8))
    def test_canonical_is_its_own_canonical_form(self, parts: list[str]) -> None:
        try:
            once = category.canonical("/".join(parts))
        except Invalid:
            return
        assert once is None or category.canonical(once) == once


class TestWithin:
    @pytest.mark.parametrize("inside", ["work", "work/y", "work/y/z", "WORK/Y", "Work"])
    def test_a_category_holds_itself_and_what_lies_under_it_in_any_case(self, inside: str) -> None:
        assert category.within(inside, "work")
        assert category.within(inside, "WoRk")

    @pytest.mark.parametrize("outside", ["workshop", "workshop/x", "wor", "home/work", None])
    def test_it_never_holds_what_only_begins_alike(self, outside: str | None) -> None:
        assert not category.within(outside, "work")

    def test_general_also_holds_what_has_no_category(self) -> None:
        assert category.within(None, "general")
        assert category.within("general", "general")
        assert not category.within(None, "generals")

    def test_case_falls_as_unicode_folds_it(self) -> None:
        assert category.within("Straße/x", "STRASSE")


class TestTop:
    @pytest.mark.parametrize(
        ("whole", "first"),
        [("Prefs/a", "prefs"), ("prefs", "prefs"), ("prefs/a/b", "prefs"), (None, "")],
    )
    def test_it_is_the_first_segment_folded(self, whole: str | None, first: str) -> None:
        assert category.top(whole) == first

    def test_no_category_is_a_level_of_its_own(self) -> None:
        assert category.top(None) != category.top("general")


class TestNeverMatched:
    @pytest.mark.parametrize(
        "alone",
        ["feedback", "feedback/from-agent/x", "Feedback/x", "claim/capability/s/t"],
    )
    def test_some_categories_are_left_to_others(self, alone: str) -> None:
        assert category.never_matched(alone)

    @pytest.mark.parametrize("matched", [None, "feedbacks", "claim", "claim/capabilitys", "a/b"])
    def test_all_others_are_matched(self, matched: str | None) -> None:
        assert not category.never_matched(matched)
