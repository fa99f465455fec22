"""Keys of working memory: which namespace they lie in, and who may write there."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muniment.domain.errors import Invalid, Refused
from muniment.domain.identity import identity
from muniment.domain.working import keys

SEGMENTS = st.text("abzÅ0_.-:@+=~#%", min_size=1, max_size=6).filter(lambda s: s.strip("."))
PLAIN = st.lists(SEGMENTS, min_size=1, max_size=2).map("/".join)
FULL = st.lists(SEGMENTS, min_size=3, max_size=5).map("/".join)
NAMESPACES = st.lists(SEGMENTS, min_size=2, max_size=2).map("/".join)
NAMES = st.text("ab._:@/+-", min_size=1, max_size=8)

NO_KEYS: list[Any] = [
    *("", "/", "a//b", "/a", "a/", "../x", "a/../b", ".", "a b", "a\nb", "a\x00", "\ud800"),
    *("a\u202eb", "a\u200bb", "a]b", "a,b", "<a>", "x" * 513, 5, None, b"a", ["a"]),
]


@given(PLAIN, NAMESPACES)
def test_a_plain_key_lies_in_the_namespace_of_who_uses_it(key: str, namespace: str) -> None:
    full = keys.to_write(key, namespace)
    assert full == f"{namespace}/{key}" == keys.to_read(key, namespace)
    assert keys.namespace_of(full) == namespace


@given(FULL, NAMESPACES)
def test_a_full_key_is_written_by_its_own_namespace_alone_and_read_by_all(
    key: str, namespace: str
) -> None:
    assert keys.to_read(key, namespace) == keys.to_read(key, None) == key
    assert keys.to_write(key, None) == key
    assert keys.to_write(key, keys.namespace_of(key)) == key
    if namespace != keys.namespace_of(key):
        with pytest.raises(Refused) as caught:
            keys.to_write(key, namespace)
        assert (caught.value.code, caught.value.field) == ("namespace_refused", "key")


@given(PLAIN)
def test_without_a_namespace_a_plain_key_is_none(key: str) -> None:
    for use in (keys.to_read, keys.to_write):
        with pytest.raises(Invalid) as caught:
            use(key, None)
        assert caught.value.code == "key_invalid"


@pytest.mark.parametrize("key", NO_KEYS)
def test_what_is_no_key_is_refused_by_its_name(key: Any) -> None:
    for namespace in (None, "session/abc"):
        with pytest.raises(Invalid) as caught:
            keys.to_write(key, namespace)
        assert (caught.value.code, caught.value.field) == ("key_invalid", "key")


def test_a_key_is_bounded_with_its_namespace() -> None:
    assert len(keys.to_write("k" * 500, "session/abc")) == 512
    with pytest.raises(Invalid):
        keys.to_write("k" * 501, "session/abc")


@pytest.mark.parametrize(
    ("key", "prefix", "lies"),
    [
        ("session/abc/x", "session/abc", True),
        ("session/abc/x", "session", True),
        ("session/abc/x", "session/abc/x", True),
        ("session/abc/x", "session/ab", False),
        ("session/ab/x", "session/abc", False),
        ("patrol/a/x", "session", False),
    ],
)
def test_a_prefix_ends_at_the_border_of_a_segment(key: str, prefix: str, lies: bool) -> None:
    assert keys.within(key, prefix) is lies


class TestOwnNamespace:
    @settings(max_examples=200)
    @given(NAMES, NAMES)
    @example("a/b", "a:b")
    @example("/", ":")
    @example(".", "..")
    def test_each_sub_agent_has_one_of_its_own(self, one: str, other: str) -> None:
        mine, theirs = (
            keys.own_namespace(identity("default", f"subagent:{name}"), None)
            for name in (one, other)
        )
        assert mine is not None
        assert (mine == theirs) is (one == other)
        assert keys.namespace_of(keys.to_write("notes", mine)) == mine
        assert mine.startswith("subagent/")

    def test_a_sub_agent_has_no_other(self) -> None:
        scout = identity("default", "subagent:scout")
        assert keys.own_namespace(scout, "subagent/scout") == "subagent/scout"
        with pytest.raises(Refused) as caught:
            keys.own_namespace(scout, "session/abc")
        assert (caught.value.code, caught.value.field) == ("namespace_refused", "namespace")

    def test_others_have_what_they_ask_for_or_none(self) -> None:
        main = identity("default", "bot:main")
        assert keys.own_namespace(main, None) is None
        assert keys.own_namespace(main, "patrol/heartbeat") == "patrol/heartbeat"

    @pytest.mark.parametrize("given", ["session", "a/b/c", "", "a//b", "a/..", 5, "a/b c"])
    def test_a_namespace_is_two_segments(self, given: Any) -> None:
        with pytest.raises(Invalid) as caught:
            keys.own_namespace(identity("default", "bot:main"), given)
        assert (caught.value.code, caught.value.field) == ("namespace_invalid", "namespace")


@pytest.mark.parametrize("session", ["", "a/b", "a b", "..", "\n", "x" * 513, 5, None])
def test_what_is_no_session_is_refused(session: Any) -> None:
    with pytest.raises(Invalid) as caught:
        keys.session_name(session)
    assert (caught.value.code, caught.value.field) == ("session_invalid", "session")
