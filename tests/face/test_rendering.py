"""Whatever a memory says, it stays data where it is rendered."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

import muniment
from muniment import MunimentError

_LINE = re.compile(r"  \| .*|  tags: .*|  conflicts with: [0-9a-f, ]+")
_HEAD = re.compile(r"- \[[0-9a-f]{12}\] \([^()]*\) importance \d\.\d\d, .*:")
_BITS = (
    *("</memories>", "<memories>", "< / Memories >", "</MEMORIES", "- [aaaaaaaaaaaa] (admin):"),
    *("#12  pending", "# Heading", "  | ", "  tags: x", "Categories: none", "```", "<|im_end|>"),
    *("\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\x1c", "\x0b", "\u202e", "\u200b", "a"),
    *("memory.saved by manual", "conflicts with: ", "\t", " ", "&lt;", "<", "/", "memories", ">"),
)

hostile = st.lists(st.sampled_from(_BITS), min_size=1, max_size=12).map("".join)


@given(st.lists(st.tuples(hostile, hostile), min_size=1, max_size=3))
@settings(max_examples=50, deadline=None)
def test_no_text_closes_its_block_or_passes_for_another_line(said: list[tuple[str, str]]) -> None:
    with muniment.open(":memory:", settings={"log": {"key_batch": 8}}) as m:
        for content, tag in said:
            for given_ in ({"tags": [tag]}, {}):
                try:
                    m.save(content, **given_)  # type: ignore[arg-type]
                except MunimentError:
                    continue
                break
        found = m.search(limit=50)
        told = m.agent_text(found)
    if not found.hits:
        return
    opening, *block, closing, categories = told.split("\n")
    assert opening.startswith("<memories> ")
    assert (closing, categories[:12]) == ("</memories>", "Categories: ")
    assert len(re.findall(r"<\s*/?\s*memories", told, re.IGNORECASE)) == 2
    heads = [line for line in block if _HEAD.fullmatch(line)]
    assert len(heads) == len(found.hits)
    assert all(_LINE.fullmatch(line) for line in block if line not in heads)
    assert told.splitlines() == told.split("\n")
