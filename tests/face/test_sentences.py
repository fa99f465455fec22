"""What callers are told of a bad input is said in the terms of the input, never in Python's."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from inspect import isabstract
from typing import Any

import pytest

from muniment import Invalid, Muniment
from muniment.domain.inputs import Input
from muniment.domain.moments import parse
from muniment.interfaces.http.routes import ROUTES

FACT = "The Quillmark feed sits on Drive North."
INTERNAL = re.compile(
    r"Input should|Value|valid (?:string|integer|number)|instance|dictionary|tuple|timedelta"
    r"|datetime|\bitems\b|integer|\bstr\b|NoneType|object at|<class|Extra|not permitted|\.\.$"
)
"""Words of pydantic's and Python's messages."""

WRONG: tuple[object, ...] = (
    *(5, -1, 1.5, float("nan"), 10**400, -(10**400), 10**5_000, True, None),
    *("", "x", "x" * 100_000, "a\nb", b"x", object(), timedelta.max),
    *(
        [],
        [5],
        ["x"] * 70_000,
        ("x",),
        {},
        {"a": 5},
        {5: "a"},
        {"type": 5},
        {"type": "web", "x": 1},
    ),
)


def inputs() -> Iterator[type[Input]]:
    """Every command and query that there is."""

    def below(kind: type[Input]) -> Iterator[type[Input]]:
        for one in kind.__subclasses__():
            if one.__module__.startswith("muniment.") and not isabstract(one):
                yield one
            yield from below(one)

    yield from {route.model for route in ROUTES}
    yield from below(Input)


def sentences(kind: type[Input]) -> Iterator[str]:
    """What is said of each field of a model that is given something wrong, but for its name."""
    wrong: list[dict[str, object]] = [{}, {"nothing_is_called_so": 1}]
    wrong += [{field: value} for field in kind.model_fields for value in WRONG]
    for given in wrong:
        try:
            kind.of(**given)
        except Invalid as error:
            yield error.message.removeprefix(f"{error.field}: ")


def _name(kind: type[Input]) -> str:
    return kind.__qualname__


KINDS: list[type[Input]] = sorted(set(inputs()), key=_name)


@pytest.mark.parametrize("kind", KINDS)
def test_no_model_speaks_as_python_does(kind: type[Input]) -> None:
    told = list(sentences(kind))
    assert [sentence for sentence in told if INTERNAL.search(sentence)] == []
    assert all(0 < len(sentence) < 2_000 for sentence in told)


TOLD: tuple[tuple[Callable[[Any, str], object], str], ...] = (
    (
        lambda m, of: m.archive(of, "x" * 2_001),
        "reason: give a text of at most 2,000 characters.",
    ),
    (lambda m, of: m.archive(of, ""), "reason: it is empty: say something."),
    (lambda m, of: m.archive(of, 5), "reason: give a text."),
    (lambda m, of: m.get_many(["x" * 12] * 1_001), "ids: give at most 1,000 of them."),
    (lambda m, of: m.rescore(of, 2), "importance: give at most 1.0."),
    (lambda m, of: m.rescore(of, "high"), "importance: give a number."),
    (lambda m, of: m.search("x", limit="5"), "limit: give a whole number."),
    (lambda m, of: m.search("x", explain=1), "explain: say true or false."),
    (
        lambda m, of: m.save("x", store="soft"),
        "store: say 'semantic', 'episodic' or 'procedural'.",
    ),
    (lambda m, of: m.save("x", source=5), "source: give values by name."),
    (lambda m, of: m.save("x", metadata=5), "metadata: give values by name."),
)


@pytest.mark.parametrize(("call", "said"), TOLD)
def test_it_is_said_what_to_give(
    m: Muniment, call: Callable[[Any, str], object], said: str
) -> None:
    with pytest.raises(Invalid) as caught:
        call(m, m.save(FACT).id)
    assert caught.value.message == said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-11-30T08:14:00+99:00", "a zone is at most 23:59 from UTC"),
        ("2026-11-30T08:14:00+05:75", "a zone is at most 23:59 from UTC"),
        ("2026-13-30T08:14:00Z", "there is no month 13"),
        ("2026-02-30T08:14:00Z", "the month 2026-02 has no day 30"),
        ("0000-02-01T08:14:00Z", "there is no year 0000"),
        ("2026-02-01T24:00:00Z", "hours go to 23, minutes and seconds to 59"),
        ("2026-02-01T00:00:61Z", "hours go to 23, minutes and seconds to 59"),
        ("2026-06-30T23:59:60Z", "leap seconds are not kept"),
    ],
)
def test_a_moment_that_there_is_not_is_told_by_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse(text, "as_of")
    assert caught.value.message == f"as_of names no moment: {reason}."
