"""The server against its own description: whatever may be sent, the answer is one that is told.

Two of schemathesis's checks are off. ``unsupported_method`` asks with TRACE and the like, which
``test_errors`` does by name. ``positive_data_acceptance`` wants that what fits the schema is taken;
rules such as "a text is not blank" or "a memory of that name exists" stand in no schema.
``negative_data_rejection`` stays on for what a schema forbids.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import CHECKS  # pyright: ignore[reportUnknownVariableType]
from served import Served, served

from muniment.interfaces.http.routes import ROUTES

EXAMPLES = 12
"""Requests an address, with data that fits its schema and with data that does not."""

_OFF = frozenset(["unsupported_method", "positive_data_acceptance"])
_ADDRESSES = sorted(
    [(route.method, f"/v1{route.path.replace(':path', '')}") for route in ROUTES]
    + [("GET", path) for path in ("/healthz", "/readyz", "/metrics")]
)


@pytest.fixture(scope="module")
def asked() -> Iterator[Served]:
    unlimited = {"limits": {"writes_per_minute": 0, "reads_per_minute": 0}}
    with served(settings=unlimited) as running:
        yield running


@pytest.fixture(scope="module")
def described(asked: Served) -> Any:
    return schemathesis.openapi.from_url(f"{asked.base}/openapi.json")


@pytest.fixture(scope="module")
def token(asked: Served) -> str:
    space = asked.fresh_space()
    asked.store.acting_as("manual", space).save("The Quillmark feed sits on Drive North.")
    return asked.token(space=space)


@pytest.mark.parametrize(("method", "path"), _ADDRESSES)
def test_every_answer_is_one_that_is_described(
    described: Any, token: str, method: str, path: str
) -> None:
    cases = _strategies(described[path][method])

    @seed(20_260_303)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        database=None,
    )
    @given(case=cases)
    def ask(case: Any) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, excluded_checks=_off())

    ask()


def _off() -> list[Any]:
    checks: Any = CHECKS  # pyright: ignore[reportUnknownVariableType]
    return [check for check in checks.get_all() if check.__name__ in _OFF]


def _strategies(operation: Any) -> Any:
    """What fits the schema, and what does not."""
    modes = schemathesis.GenerationMode
    return operation.as_strategy(generation_mode=modes.POSITIVE) | operation.as_strategy(
        generation_mode=modes.NEGATIVE
    )
