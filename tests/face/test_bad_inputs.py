"""Bad inputs: each is told by name, leaves nothing behind, and the next good request works.

The ids are those of the table of bad inputs that the project keeps.
"""

import resource
import sys
import tracemalloc
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bdd import START, Clock

import muniment
from muniment import Conflict, Invalid, Muniment, MunimentError, NotFound, Refused, Source

FACT = "The Quillmark feed sits on Drive North."
HUGE = "x" * 10_000_000
UNKNOWN = "00000000-0000-7000-8000-000000000000"

THE_ID = "the id of the known memory"


class Call(NamedTuple):
    """A call on a handle; its types are wrong on purpose."""

    verb: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    actor: str = "manual"

    def on(self, m: Muniment, known: str) -> None:
        arguments = [known if one is THE_ID else one for one in self.arguments]
        answer = getattr(m.acting_as(self.actor), self.verb)(*arguments, **self.named)
        if self.verb == "log":
            list(answer)


class Bad(NamedTuple):
    """A bad input: its id, the error that names it, and the call."""

    id: str
    family: type[MunimentError]
    code: str
    field: str | None
    call: Call


def does(verb: str, *arguments: object, **named: object) -> Call:
    return Call(verb, arguments, named)


def saving(**named: object) -> Call:
    """A save of a good text with some bad argument."""
    return does("save", **{"content": "Rack 12 is full.", **named})


def searching(query: object = "feed", **named: object) -> Call:
    return does("search", query, **named)


def subject(**metadata: str) -> Call:
    return saving(metadata=metadata)


def bad(
    id: str,
    code: str,
    field: str | None,
    *calls: Call,
    family: type[MunimentError] = Invalid,
) -> list[Bad]:
    """Inputs that are told alike."""
    return [Bad(id, family, code, field, call) for call in calls]


EMPTY = ["", " ", "  \n\t", "\u200b", "\u3164", "\ufeff", "\u200b \u3164\n\ufeff", "\u2063\u00ad"]
NUMBERS: list[object] = [
    *(float("nan"), float("inf"), -float("inf"), -0.1, 1.0000001, 2, 10**400),
    *("0.5", True, False, None, [], b"1"),
]
LIMITS: list[object] = [0, -1, 201, 10**9, 2**63, 1.5, "5", True, None, float("nan")]
CATEGORIES = [
    *("../x", "a/../../b", ".", "..", "a/./b", "a\\b", "C:x", "x" * 300, "/".join(["x"] * 50)),
    *("a\u202eb", "a*", "a?b", "<a>", "a\nb", "~", "$HOME", "a|b", "%2e%2e"),
]
OUT_OF_RANGE: list[object] = [
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
    datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-1))),
]
NO_TIMES: list[object] = [
    *("2026-06-30T23:59:60Z", "24:00:00", "2026-03-03T24:00:00Z", "2026-W53-7", "20260101"),
    *("2026-02-30T00:00:00Z", "2026-03-03", "yesterday", "", "1772539200"),
]
LONE = "\ud800"
NAIVE = datetime(2026, 3, 3)  # noqa: DTZ001 (that is what is wrong with it)
TAGS: list[object] = [
    *("abc", {"a": "b"}, [5], [""], ["\u200b"], ["a\nb"], ["a\u2028b"], ["a\x85b"], ["x" * 65]),
    *([str(n) for n in range(33)], 5, None, b"ab", [["a"]]),
]
METADATA: list[object] = [
    *([("a", "b")], {"a": 5}, {5: "a"}, {"a": None}, {str(n): "" for n in range(65)}),
    *({"k": "x" * 16_384}, 5, "a=b", [{}]),
]
SUBJECTS = ["23:59:60Z", "24:00:00", "2026-W53-7", "20260101", "2026-02-30", "2019-06-14T12:00:00"]
PATTERNS = {
    "[": "regex_invalid",
    "(?=x)": "regex_unsupported",
    "(?<!x)y": "regex_unsupported",
    r"(a)\1": "regex_unsupported",
    "a{1001}": "regex_invalid",
    "(((a{100}){100}){100})": "regex_invalid",
    "*": "regex_invalid",
    "(?P<n>a": "regex_invalid",
    "x" * 513: "regex_too_long",
    "x" * 600: "regex_too_long",
    "(" * 2_000 + ")" * 2_000: "regex_too_long",
    "(" * 5_000 + ")" * 5_000: "query_too_long",
}

TABLE = [
    *bad("B01", "content_empty", "content", *(saving(content=text) for text in EMPTY)),
    *bad("B01", "content_empty", "content", *(does("revise", THE_ID, text) for text in EMPTY)),
    *bad(
        "B02",
        "control_character",
        "content",
        *(saving(content=f"ab{c}c") for c in "\x00\x01\x08\x0b\x0c\x1b\x1f\x7f"),
    ),
    *bad("B02", "control_character", "tags", saving(tags=["a\x00b"])),
    *bad(
        "B02",
        "control_character",
        "category",
        saving(category="a\x00b"),
        searching(category="a\x00b"),
    ),
    *bad("B02", "control_character", "metadata", saving(metadata={"a\x00b": "c"})),
    *bad("B02", "control_character", "metadata.k", saving(metadata={"k": "a\x00b"})),
    *bad(
        "B02",
        "control_character",
        "source.ref",
        saving(source={"type": "web", "ref": "a\x00b"}),
        saving(source=Source(ref="a\x1bb")),
    ),
    *bad("B02", "control_character", "query", searching("a\x00b"), searching("\x1b", mode="regex")),
    *bad("B02", "control_character", "reason", does("archive", THE_ID, "a\x00b")),
    *bad("B02", "control_character", "id", does("get", "a\x00b")),
    *bad("B03", "invalid_unicode", "content", saving(content=LONE), does("revise", THE_ID, LONE)),
    *bad("B03", "invalid_unicode", "tags", saving(tags=[LONE]), does("retag", THE_ID, [LONE])),
    *bad("B03", "invalid_unicode", "category", saving(category=LONE), searching(category=LONE)),
    *bad("B03", "invalid_unicode", "metadata", saving(metadata={LONE: "v"})),
    *bad("B03", "invalid_unicode", "metadata.k", saving(metadata={"k": "\udfff"})),
    *bad(
        "B03",
        "invalid_unicode",
        "source.ref",
        saving(source={"type": "web", "ref": LONE}),
        saving(source=Source(ref=LONE)),
    ),
    *bad("B03", "invalid_unicode", "idempotency_key", saving(idempotency_key=LONE)),
    *bad("B03", "invalid_unicode", "query", searching(LONE), searching(LONE, mode="regex")),
    *bad("B03", "invalid_unicode", "cursor", searching(cursor=LONE)),
    *bad("B03", "invalid_unicode", "reason", does("archive", THE_ID, LONE)),
    *bad("B03", "invalid_unicode", "id", does("get", LONE)),
    *bad(
        "B04",
        "content_too_large",
        "content",
        saving(content="x" * 65_537),
        saving(content="é" * 32_769),
    ),
    *bad("B08", "category_invalid", "category", *(saving(category=c) for c in CATEGORIES[:5])),
    *bad("B10", "category_invalid", "category", *(saving(category=c) for c in CATEGORIES[5:])),
    *bad("B10", "category_invalid", "category", *(searching(category=c) for c in CATEGORIES)),
    *bad(
        "B10",
        "category_invalid",
        "category",
        *(does("recategorize", THE_ID, c) for c in CATEGORIES),
    ),
    *bad("B10", "category_invalid", "category", saving(category=5), saving(category=b"a")),
    *bad("B11", "importance_invalid", "importance", *(saving(importance=n) for n in NUMBERS)),
    *bad("B11", "importance_invalid", "importance", *(does("rescore", THE_ID, n) for n in NUMBERS)),
    *bad(
        "B13",
        "timestamp_out_of_range",
        "created_after",
        *(searching(created_after=when) for when in OUT_OF_RANGE),
    ),
    *bad("B13", "timestamp_out_of_range", "subject_to", searching(subject_to=OUT_OF_RANGE[0])),
    *bad("B13", "timestamp_out_of_range", "until", does("log", until=OUT_OF_RANGE[3])),
    *bad(
        "B13",
        "subject_time_invalid",
        "metadata.subjectTime",
        subject(subjectTime="0001-01-01T00:00:00+01:00"),
    ),
    *bad(
        "B14",
        "timezone_required",
        "created_before",
        searching(created_before=NAIVE),
        searching(created_before="2026-03-03T12:00:00"),
    ),
    *bad("B14", "timezone_required", "since", does("log", since=NAIVE)),
    *bad(
        "B16",
        "timestamp_invalid",
        "created_after",
        *(searching(created_after=when) for when in NO_TIMES),
    ),
    *bad(
        "B16",
        "subject_time_invalid",
        "metadata.subjectTime",
        *(subject(subjectTime=when) for when in SUBJECTS),
        *(does("describe", THE_ID, {"subjectTime": when}) for when in SUBJECTS),
    ),
    *bad(
        "B16",
        "subject_time_invalid",
        "metadata.subjectTimeEnd",
        subject(subjectTimeStart="2019", subjectTimeEnd="2018"),
    ),
    *bad(
        "B16",
        "created_after_invalid",
        "created_after",
        searching(created_after=5),
        searching(created_after=date(2026, 3, 3)),
    ),
    *bad("B17", "limit_invalid", "limit", *(searching(limit=limit) for limit in LIMITS)),
    *bad(
        "B17",
        "limit_invalid",
        "limit",
        *(does("log", limit=limit) for limit in (0, -1, 2**63, 1.5, "5", True)),
    ),
    *(
        row
        for pattern, code in PATTERNS.items()
        for row in bad("B20", code, "query", searching(pattern, mode="regex"))
    ),
    *bad(
        "B21",
        "query_too_long",
        "query",
        searching("x" * 4_097),
        searching("🙂" * 100_000),
        searching(" " * 5_000),
    ),
    *bad("B21", "query_invalid", "query", searching(5), searching(b"feed"), searching(["feed"])),
    *bad(
        "types",
        "content_invalid",
        "content",
        saving(content=None),
        saving(content=b"x"),
        does("revise", THE_ID, None),
    ),
    *bad(
        "types",
        "tags_invalid",
        "tags",
        *(saving(tags=tags) for tags in TAGS),
        *(does("retag", THE_ID, tags) for tags in TAGS),
        searching(tags="abc"),
    ),
    *bad(
        "types",
        "metadata_invalid",
        "metadata",
        *(saving(metadata=one) for one in METADATA),
        *(does("describe", THE_ID, one) for one in METADATA),
    ),
    *bad("types", "store_invalid", "store", saving(store="attic"), searching(store="attic")),
    *bad("types", "trust_invalid", "trust", *(saving(trust=t) for t in (4, -1, True, "3", 1.0))),
    *bad("types", "trust_invalid", "trust", saving(source="web", trust=1)),
    *bad(
        "types",
        "source_invalid",
        "source.type",
        saving(source="rumour"),
        saving(source=Source(type="rumour")),  # type: ignore[arg-type]
        saving(source={"ref": "x"}),
    ),
    *bad("types", "source_invalid", "source.url", saving(source={"type": "web", "url": "x"})),
    *bad(
        "types",
        "source_invalid",
        "source.ref",
        saving(source={"type": "web", "ref": 5}),
        saving(source={"type": "web", "ref": "x" * 2_049}),
    ),
    *bad("types", "source_invalid", "source", saving(source=5), saving(source=["web"])),
    *bad(
        "types",
        "expected_version_invalid",
        "expected_version",
        *(saving(expected_version=version) for version in ("1", -1, True, 1.0)),
        *(does("pin", THE_ID, expected_version=version) for version in ("1", -1, True, 1.0)),
    ),
    *bad(
        "types",
        "version_conflict",
        "expected_version",
        saving(expected_version=10**30),
        does("pin", THE_ID, expected_version=10**30),
        family=Conflict,
    ),
    *bad("types", "mode_invalid", "mode", searching(mode="psychic"), searching(mode=None)),
    *bad("types", "include_archived_invalid", "include_archived", searching(include_archived=1)),
    *bad("types", "explain_invalid", "explain", searching(explain="yes")),
    *bad("types", "explicit_invalid", "explicit", searching(explicit=1)),
    *bad(
        "types", "min_trust_invalid", "min_trust", searching(min_trust=4), searching(min_trust=True)
    ),
    *bad(
        "types",
        "cursor_invalid",
        "cursor",
        *(searching(cursor=one) for one in ("", "8", "-1.00000000", "8.", ".", "x" * 65, 8)),
    ),
    *bad(
        "types",
        "reason_invalid",
        "reason",
        *(does("archive", THE_ID, one) for one in ("", "x" * 2_001, None, 5)),
    ),
    *bad("types", "unknown_field", "whim", does("pin", THE_ID, whim=1)),
    *bad(
        "types",
        "id_invalid",
        "id",
        *(does("get", one) for one in (5, None, "", "abc", "../../etc")),
    ),
    *bad("types", "ids_invalid", "ids.0", does("get_many", [None])),
    *bad("types", "content_empty", "items.0.content", does("save_many", [{"content": ""}])),
    *bad("types", "items_invalid", "items.0", does("save_many", [5])),
    *bad("types", "after_invalid", "after", does("log", after=-1), does("log", after=2**63)),
    *bad("types", "space_invalid", "space", does("log", space=5)),
    *bad("types", "actor_invalid", "actor", does("acting_as", "nobody")),
    *bad("types", "space_invalid", "space", does("acting_as", "manual", space="a b")),
    *bad("types", "format_unknown", "format", does("import_from", "floppy", "x")),
    *bad(
        "types",
        "path_invalid",
        "path",
        does("import_from", "rockbot", "/no/such/place"),
        does("import_from", "rockbot", "a\x00b"),
        does("import_from", "mcp-memory", "/"),
    ),
    *bad("ids", "not_found", "id", does("get", UNKNOWN), does("pin", UNKNOWN), family=NotFound),
    *bad(
        "roles",
        "role_refused",
        None,
        saving()._replace(actor="subagent:x"),
        does("pin", THE_ID)._replace(actor="subagent:x"),
        family=Refused,
    ),
]


@pytest.fixture(scope="module")
def known() -> Iterator[tuple[Muniment, str]]:
    """A store with one memory, that all bad inputs of the table are tried on."""
    with muniment.open(":memory:", clock=Clock()) as m:
        yield m, m.save(FACT, category="infra", tags=["feed"]).id


def _happened(m: Muniment) -> list[int]:
    """The positions of the log, but for those where it says who was denied what."""
    return [entry.position for entry in m.log() if entry.name != "access.denied"]


def _named(row: Bad) -> str:
    return f"{row.id}-{row.call.verb}-{row.code}"


@pytest.mark.parametrize("row", TABLE, ids=_named)
def test_it_is_told_by_name_and_leaves_nothing_behind(
    row: Bad, known: tuple[Muniment, str]
) -> None:
    m, id_ = known
    before = (_happened(m), m.get(id_))
    with pytest.raises(MunimentError) as caught:
        row.call.on(m, id_)
    error = caught.value
    assert (type(error), error.code, error.field) == (row.family, row.code, row.field)
    assert 0 < len(error.message) < 2_000
    assert error.message.isprintable()
    assert (_happened(m), m.get(id_)) == before
    assert [hit.memory.id for hit in m.search("quillmark").hits] == [id_]


def test_the_log_is_intact_after_all_of_them_and_the_next_good_request_works(
    known: tuple[Muniment, str],
) -> None:
    m, id_ = known
    assert m.verify().intact
    assert m.save(FACT, category="infra").id == id_


class TestLarge:
    """B04."""

    @pytest.mark.parametrize(
        "call",
        [
            saving(content=HUGE),
            saving(tags=[HUGE]),
            saving(category=HUGE),
            saving(metadata={"k": HUGE}),
            saving(source={"type": "web", "ref": HUGE}),
            saving(idempotency_key=HUGE),
            searching(HUGE),
            searching(HUGE, mode="regex"),
            searching(cursor=HUGE),
            does("get", HUGE),
            does("archive", UNKNOWN, HUGE),
        ],
    )
    def test_ten_megabytes_are_refused_without_being_copied_about(
        self, m: Muniment, call: Call
    ) -> None:
        tracemalloc.start()
        try:
            with pytest.raises(Invalid) as caught:
                call.on(m, UNKNOWN)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(caught.value.message) < 2_000
        assert peak < 20_000_000
        assert m.save(FACT).outcome == "created"

    def test_the_largest_content_is_kept_found_and_revised(self, m: Muniment) -> None:
        text = "🙂 relay " * 5_957
        assert len(text.encode()) in range(65_520, 65_537)
        saved = m.save(text)
        assert m.get(saved.id).content == text.strip()
        assert m.save(text).outcome == "reinforced"
        assert len(m.search("relay").hits) == 1
        assert m.verify().intact

    def test_the_process_has_not_grown_out_of_bounds(self, m: Muniment) -> None:
        scale = 1 if sys.platform == "darwin" else 1_024
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
        for _ in range(5):
            with pytest.raises(Invalid):
                m.save("x" * 1_000_000)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale - before < 50_000_000


class TestInvisible:
    """B05."""

    @pytest.mark.parametrize(
        "hidden", ["\u202e", "\u2066", "\U000e0041\U000e007f", "a\u200bb", "\ufeff", "\u2060"]
    )
    def test_it_is_stored_verbatim_and_flagged(self, m: Muniment, hidden: str) -> None:
        text = f"Pay the {hidden} invoice."
        saved = m.save(text, source="web")
        assert m.get(saved.id).content == text
        assert any(warning.startswith("invisible_text") for warning in saved.warnings)
        assert (
            not set(hidden)
            & set("\u202e\u2066\U000e0041\u200b\ufeff\u2060")
            & set(m.agent_text(m.search()))
        )

    @pytest.mark.parametrize("plain", ["👩‍👩‍👧 family", "می‌خواهم", "cafe\u0301"])
    def test_joiners_and_marks_that_text_needs_are_not(self, m: Muniment, plain: str) -> None:
        saved = m.save(plain)
        assert saved.warnings == ()
        assert plain in m.agent_text(m.search())


class TestNormalForms:
    """B06."""

    @pytest.mark.parametrize("text", ["Zażółć gęślą jaźń", "Ångström café", "한국어 문장", "の゙が"])
    def test_nfc_and_nfd_are_one_text_for_the_duplicate_check(self, m: Muniment, text: str) -> None:
        composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
        first, again = m.save(apart), m.save(composed)
        assert (again.outcome, again.id) == ("reinforced", first.id)
        assert m.get(first.id).content == apart
        for query in (composed, apart):
            assert len(m.search(query).hits) == 1


class TestCategories:
    """B08, B09."""

    @pytest.mark.parametrize(
        ("said", "kept"), [("a//b", "a/b"), ("/a", "a"), ("a/", "a"), (" a / b ", "a/b")]
    )
    def test_it_is_normalised_and_reported_and_searched_alike(
        self, m: Muniment, said: str, kept: str
    ) -> None:
        saved = m.save(FACT, category=said)
        assert saved.memory.category == kept
        assert any(repr(said) in warning and kept in warning for warning in saved.warnings)
        for category in (said, kept):
            assert len(m.search(category=category).hits) == 1
        assert m.search().taxonomy == {kept: 1}

    def test_no_category_ever_becomes_a_path(self, tmp_path: Path) -> None:
        inside = tmp_path / "store"
        with muniment.open(inside) as m:
            m.save(FACT, category="a/b...c/...")
            for category in CATEGORIES:
                with pytest.raises(Invalid):
                    m.save(FACT, category=category)
        assert [path.name for path in tmp_path.iterdir()] == ["store"]
        allowed = {"log.db", "log.db-wal", "log.db-shm", "log.lock", "keys", "cache"}
        assert {path.name for path in inside.iterdir()} <= allowed


class TestTimes:
    """B14, B15."""

    def test_instants_of_a_repeated_hour_are_distinct(self, m: Muniment, clock: Clock) -> None:
        first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
        for n, moment in enumerate((first, first + timedelta(hours=1))):
            clock.now = moment
            m.save(f"Shelf {n} is empty.")
        found = m.search(created_after="2026-10-25T02:30:00+01:00").hits
        assert [hit.memory.content for hit in found] == ["Shelf 1 is empty."]

    @pytest.mark.usefixtures("far_from_utc")
    def test_every_time_that_is_told_is_aware_and_in_utc(self, m: Muniment) -> None:
        memory = m.save(FACT).memory
        for moment in (memory.created_at, memory.last_seen_at, memory.updated_at):
            assert moment == START
            assert moment.tzinfo is UTC


class TestExpressions:
    """B19, B20."""

    def test_a_refused_pattern_carries_the_engine_s_words(self, m: Muniment) -> None:
        with pytest.raises(Invalid, match=r"missing \]"):
            m.search("[", mode="regex")
        with pytest.raises(Invalid, match=r"\(\?="):
            m.search("(?=x)", mode="regex")

    def test_deep_nesting_within_the_bound_is_taken(self, m: Muniment) -> None:
        m.save(FACT)
        assert len(m.search("(" * 255 + "Q" + ")" * 255, mode="regex").hits) == 1

    def test_the_longest_pattern_is_taken(self, m: Muniment) -> None:
        m.save(FACT)
        assert len(m.search("Q" + "u?" * 255, mode="regex").hits) == 1
