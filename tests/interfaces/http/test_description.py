"""The server against its own description: whatever may be sent, the answer is one that is told.

Two of schemathesis's checks are off. ``unsupported_method`` asks with TRACE and the
like, which ``test_errors`` does by name. ``positive_data_acceptance`` wants that what fits the
schema is taken; rules such as "a text is not blank" or "a memory of that name exists" stand in no
schema. ``negative_data_rejection`` stays on for what a schema forbids.
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


@pytest.fixture(scope="module")
def page(asked: Served) -> Any:
    return asked.bearing(None).get("/openapi.json").json()


def test_every_address_says_that_it_asks_for_a_token(page: Any) -> None:
    assert page["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    asked_for: list[dict[str, list[str]]] = [{"bearer": []}]
    of_health = {"/healthz", "/readyz"}
    for path, methods in page["paths"].items():
        assert all(
            one.get("security") == (None if path in of_health else asked_for)
            for one in methods.values()
        ), path


def test_an_open_server_says_that_it_asks_for_none() -> None:
    with served(is_open=True) as running:
        page = running.bearing(None).get("/openapi.json").json()
    assert "securitySchemes" not in page["components"]


def test_what_is_confirmed_answers_with_a_digest(page: Any) -> None:
    for route in ROUTES:
        if route.kind != "confirmed":
            continue
        answer = page["paths"][f"/v1{route.path}"]["post"]["responses"]["200"]
        told = answer["content"]["application/json"]["schema"]
        for one in told.get("anyOf", [told]):
            named = page["components"]["schemas"][one["$ref"].rpartition("/")[2]]
            assert "confirm" in named["required"], route.path


def test_the_stream_says_what_it_takes_and_how_it_fails(page: Any) -> None:
    stream = page["paths"]["/v1/log/stream"]["get"]
    taken = {(one["name"], one["in"]) for one in stream["parameters"]}
    assert taken == {("Last-Event-ID", "header"), ("after", "query")}
    assert "text/event-stream" in stream["responses"]["200"]["content"]
    for status in ("401", "403", "422", "429"):
        assert list(stream["responses"][status]["content"]) == ["application/json"]


def test_a_search_says_that_it_takes_a_session(page: Any) -> None:
    search = page["paths"]["/v1/search"]["post"]
    assert "X-Session" in [one["name"] for one in search["parameters"]]


def test_every_schema_has_a_name_of_its_own(page: Any) -> None:
    assert not [name for name in page["components"]["schemas"] if "_" in name or "[" in name]


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
