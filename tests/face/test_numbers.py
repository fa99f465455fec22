"""Numbers that nothing can hold: too large for a float, a column or a text, or no number at all."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

import muniment
from muniment import Invalid, Muniment, MunimentError

FACT = "The Quillmark feed sits on Drive North."
NUMBERS = (10**400, -(10**400), 10**5_000, 10**30, float("inf"), float("nan"), 1e308)

TAKEN: dict[str, Callable[[Any, str, Any], object]] = {
    "ttl": lambda m, of, x: m.working.save("session/s/k", "v", ttl=x),
    "importance of a save": lambda m, of, x: m.save("Other.", importance=x),
    "importance": lambda m, of, x: m.rescore(of, x),
    "importance of a merge": lambda m, of, x: m.merge([of, of], "x", importance=x),
    "limit": lambda m, of, x: m.search("x", limit=x),
    "limit of entries": lambda m, of, x: m.working.search("x", limit=x),
    "limit of turns": lambda m, of, x: m.conversation.search("x", limit=x),
    "min_trust": lambda m, of, x: m.search("x", min_trust=x),
    "trust": lambda m, of, x: m.save("Other.", trust=x),
    "expected_version": lambda m, of, x: m.pin(of, expected_version=x),
    "as_of": lambda m, of, x: m.as_of(x),
    "diff": lambda m, of, x: m.diff(1, x),
    "knew": lambda m, of, x: m.knew("manual", x),
    "trace": lambda m, of, x: m.trace(x),
    "depth": lambda m, of, x: m.trace(of, depth=x),
    "after": lambda m, of, x: list(m.log(after=x)),
    "limit of the log": lambda m, of, x: list(m.log(limit=x)),
    "days": lambda m, of, x: m.audit.trend(x),
    "when": lambda m, of, x: m.audit.at(x),
    "finding": lambda m, of, x: m.audit.explain(x),
    "proposal": lambda m, of, x: m.decide(x, "commit"),
    "importance of a proposal": lambda m, of, x: m.decide(1, "commit", importance=x),
    "against": lambda m, of, x: m.verify(against=x),
}


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize(
    "number", NUMBERS, ids=["e400", "-e400", "e5000", "e30", "inf", "nan", "f"]
)
def test_a_number_that_nothing_holds_is_a_documented_error(
    m: Muniment, name: str, number: object
) -> None:
    of = m.save(FACT).id
    with pytest.raises(MunimentError) as caught:
        TAKEN[name](m, of, number)
    assert caught.value.field is not None
    assert len(caught.value.message) < 500


def test_a_token_for_longer_than_time_lasts_is_refused() -> None:
    with muniment.open(":memory:", role="admin") as m:
        for life in (timedelta.max, 10**400, 1e400):
            with pytest.raises(Invalid) as caught:
                m.tokens.issue(actor="bot:main", expires_in=life)  # type: ignore[arg-type]
            assert caught.value.code == "expires_in_invalid"
        assert m.tokens.list() == []
