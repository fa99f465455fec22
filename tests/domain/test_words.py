"""What a text is found by, and what a query looks for."""

import json
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.words import Terms, query_terms, words


class TestWords:
    def test_words_keep_their_order_and_their_repetitions(self) -> None:
        assert words("the cat and the dogs") == Terms(("the", "cat", "and", "the", "dog"), ())

    def test_inflected_words_share_a_stem(self) -> None:
        assert words("running runs").sequence == ("run", "run")

    def test_case_and_width_fall_away(self) -> None:
        assert words("\uff21\uff23\uff2d\uff25 Straße") == words("acme STRASSE")

    @pytest.mark.parametrize(
        ("accented", "plain"),
        [("Café", "cafe"), ("x̂y", "xy"), ("İstanbul", "istanbul"), ("Ἀθῆναι", "αθηναι")],
    )
    def test_latin_and_greek_letters_lose_their_accents(self, accented: str, plain: str) -> None:
        assert words(accented) == words(plain)

    @pytest.mark.parametrize(
        ("one", "other"), [("が", "か"), ("йод", "иод"), ("กิน", "กน"), ("हिन्दी", "हनद")]
    )
    def test_other_scripts_keep_their_marks(self, one: str, other: str) -> None:
        assert words(one) != words(other)

    def test_a_word_with_vowel_signs_is_one_word(self) -> None:
        assert words("हिन्दी भाषा").sequence == ("हिन्दी", "भाषा")

    def test_no_letter_but_latin_and_greek_is_folded_and_of_those_every_one(self) -> None:
        letter = regex.compile(r"[\p{Latin}\p{Greek}]")
        for code in range(0xA0, 0x30000):
            composed = unicodedata.normalize("NFKC", chr(code)).casefold()
            text = unicodedata.normalize("NFKC", composed)
            if len(text) != 1 or not text.isalpha() or code in range(0xD800, 0xE000):
                continue
            base, *marks = list(unicodedata.normalize("NFD", text))
            expected = base if marks and letter.match(base) else text
            assert words(text).sequence == words(expected).sequence, hex(code)
            if marks and letter.match(base):
                assert words(text).sequence == (base,), hex(code)

    def test_an_ascii_text_reads_the_same_beside_other_letters(self) -> None:
        text = "The user-preferences of C++, 24/7 & a_b.c (#1) aren't 5% **bold**!"
        alone, beside = words(text), words(text + " я")
        assert beside.sequence == (*alone.sequence, "я")
        assert beside.wholes == alone.wholes

    @given(st.text(alphabet=st.characters(codec="ascii")))
    def test_every_ascii_text_reads_the_same_beside_other_letters(self, text: str) -> None:
        alone, beside = words(text), words(text + " я")
        assert beside == (((*alone.sequence, "я")), alone.wholes)


class TestScriptsWithoutBlanks:
    def test_a_run_is_indexed_by_its_pairs_of_characters(self) -> None:
        assert words("成語しりとり").sequence == ("成語", "語し", "しり", "りと", "とり")

    def test_a_single_character_stands_alone(self) -> None:
        assert words("设 a 备").sequence == ("设", "a", "备")

    @pytest.mark.parametrize(
        "text",
        [
            "今日は成語しりとりをした",
            "오늘 끝말잇기",
            "ภาษาไทย",
            "ພາສາລາວ",
            "ភាសាខ្មែរ",
            "မြန်မာဘာသာ",
            "スーパー",
        ],
    )
    def test_any_two_neighbouring_characters_are_among_the_terms(self, text: str) -> None:
        text = text.replace(" ", "")
        for at in range(len(text) - 1):
            assert words(text[at : at + 2]).sequence[0] in words(text).sequence

    def test_other_letters_in_the_run_are_words_of_their_own(self) -> None:
        assert words("新iPhone手机").sequence == ("新", "iphon", "手机")


class TestCompounds:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("user-preferences", ("user", "prefer")),
            ("relay-ctl", ("relay", "ctl")),
            ("C++", ("c",)),
            ("C#", ("c",)),
            ("ADR-0005", ("adr", "0005")),
            ("GB/s", ("gb", "s")),
            ("uteke-cloud-dev", ("utek", "cloud", "dev")),
            ("a_b.c", ("a", "b", "c")),
            ("t:x", ("t", "x")),
            ("設備-3", ("設備", "3")),
        ],
    )
    def test_it_counts_whole_and_by_its_parts(self, text: str, parts: tuple[str, ...]) -> None:
        terms = words(f"see {text}, then")
        assert terms.sequence == ("see", *parts, "then")
        assert terms.wholes[0] == text.casefold()

    def test_it_counts_as_often_as_it_occurs(self) -> None:
        assert words("C++ or C++").wholes[:2] == ("c++", "c++")

    def test_a_hyphen_of_any_kind_joins_alike(self) -> None:
        assert words("relay\u2010ctl").wholes == words("relay-ctl").wholes

    def test_a_full_stop_at_the_end_is_no_part_of_it(self) -> None:
        assert words("It is a_b.c.").wholes[0] == "a_b.c"


class TestSigns:
    @pytest.mark.parametrize("text", ["🎉", "👍🏽", "🇩🇪", "→", "©", "¿", "\U0001faff"])
    def test_a_sign_is_indexed(self, text: str) -> None:
        assert len(words(f"so {text} it").wholes) == 1

    def test_a_sign_counts_once_a_text(self) -> None:
        assert words("🎉🎉 no! yes!") == Terms(("no", "yes"), ("!", "🎉"))

    def test_skin_tones_and_variation_selectors_make_no_difference(self) -> None:
        assert words("👍🏽 ❤\ufe0f") == words("👍 ❤")

    def test_a_flag_is_one_sign(self) -> None:
        assert words("🇩🇪").wholes != words("🇪🇩").wholes


class TestQueries:
    def test_stop_words_are_left_out(self) -> None:
        assert query_terms("what is the status of relays").terms == ("status", "relay")

    @pytest.mark.parametrize("text", ["to be or not to be", "AND", "a AND"])
    def test_stop_words_are_kept_where_there_is_nothing_else(self, text: str) -> None:
        assert query_terms(text).terms == words(text).sequence

    def test_a_repeated_word_counts_twice(self) -> None:
        assert query_terms("ping ping").terms == ("ping", "ping")

    def test_words_that_stand_side_by_side_are_pairs(self) -> None:
        assert query_terms("blue heron of dock hall").pairs == (
            ("blue", "heron"),
            ("dock", "hall"),
        )

    def test_a_pair_counts_once(self) -> None:
        assert query_terms("new new new").pairs == (("new", "new"),)

    @pytest.mark.parametrize(
        "text", ["user-preferences", "C++", "`relay-ctl`", '"ADR-0005"', "GB/s"]
    )
    def test_one_compound_is_an_identifier(self, text: str) -> None:
        identifier = query_terms(text).identifier
        assert identifier is not None
        assert identifier in words(f"see {text}").wholes

    @pytest.mark.parametrize("text", ["relay", "C++ and C", "a b", "", "🎉", "-x"])
    def test_anything_else_is_none(self, text: str) -> None:
        assert query_terms(text).identifier is None

    @pytest.mark.parametrize("text", ["🎉", "*", '"', "§ ?", "😀😀"])
    def test_signs_alone_are_looked_for(self, text: str) -> None:
        assert query_terms(text).terms == words(text).wholes

    @pytest.mark.parametrize("text", ['"unbalanced', "NEAR(", "'; drop", "-drop", "drop *"])
    def test_beside_words_signs_are_left_out(self, text: str) -> None:
        assert query_terms(text).terms == words(text).sequence

    def test_beside_words_emoji_are_looked_for(self) -> None:
        assert query_terms("party 🎉!").terms == ("parti", "🎉")

    @pytest.mark.parametrize("text", ["", "  \n", "\u200b", "\ud800"])
    def test_nothing_is_looked_for_where_nothing_is_said(self, text: str) -> None:
        assert query_terms(text).terms == ()

    @given(st.text())
    def test_any_query_finds_a_text_that_is_the_query(self, text: str) -> None:
        query, terms = query_terms(text), words(text)
        assert set(query.terms) <= {*terms.sequence, *terms.wholes}
        assert bool(query.terms) == bool(terms.sequence or terms.wholes)


class TestHostileTexts:
    @pytest.mark.parametrize(
        "unit",
        ["a", "a-", "a+", "-", "+#", "1,", "😀", "🇩", "é", "e\u0301", "\u0301", "-\u0301"],
    )
    def test_64_kib_take_time_in_proportion(self, unit: str) -> None:
        text = unit * (65_536 // len(unit.encode()))
        started = time.process_time()
        words(text)
        query_terms(text)
        assert time.process_time() - started < 2.0

    @pytest.mark.parametrize("unit", ["設", "a-設", "क्", "\u200d", "ﷺ"])
    def test_other_scripts_too(self, unit: str) -> None:
        self.test_64_kib_take_time_in_proportion(unit)

    def test_a_word_of_64_kib_is_a_word(self) -> None:
        assert words("a" * 65_536).sequence == ("a" * 65_536,)

    def test_many_threads_read_the_same(self) -> None:
        texts = [json.dumps({"walking": n, "tested": f"running{n}"}) for n in range(2_000)]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(words, texts)) == [words(text) for text in texts]
