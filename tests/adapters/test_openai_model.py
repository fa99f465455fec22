"""A language model over a real wire: a server on the loopback, well behaved or not."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager

import loopback
import pytest
from asking import refusal
from loopback import Behaviour, Loopback
from pydantic import BaseModel

from muniment.adapters.endpoints import endpoint
from muniment.adapters.json_client import Patience
from muniment.adapters.openai_model import MAX_REPLY, OpenAIModel

KEY = "sk-this-is-a-secret"
QUICK = Patience(connect=1.0, deadline=2.0, retry_wait=0.01, rest=0.2, max_reply=MAX_REPLY)


class Sum(BaseModel):
    total: int


@contextmanager
def asking(
    server: Loopback, *, patience: Patience = QUICK, api_key: str | None = None
) -> Generator[OpenAIModel, None, None]:
    model = OpenAIModel(
        endpoint(server.url(), field="model.endpoint", written_by_operator=True),
        {"low": "tiny", "balanced": "middling", "high": "grand"},
        patience=patience,
        api_key=api_key,
    )
    try:
        yield model
    finally:
        model.close()


def add(model: OpenAIModel) -> Sum:
    return model.complete("Add.", "1 and 2", Sum)


class TestAModelThatAnswers:
    def test_is_given_the_directive_with_the_form_and_the_input_apart(self) -> None:
        with Loopback(loopback.says('{"total": 3}')) as server, asking(server) as model:
            assert add(model) == Sum(total=3)
            (request,) = server.requests
        assert request.path == "/v1/chat/completions"
        system, user = request.body["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        assert system["content"].startswith("Add.\n")
        assert json.dumps(Sum.model_json_schema()) in system["content"]
        assert user["content"] == "1 and 2"
        assert "Authorization" not in request.headers

    def test_is_the_one_of_its_tier(self) -> None:
        with Loopback(always=loopback.says('{"total": 3}')) as server, asking(server) as model:
            for tier in ("low", "balanced", "high"):
                model.complete("Add.", "", Sum, tier=tier)
            names = [request.body["model"] for request in server.requests]
        assert names == ["tiny", "middling", "grand"]

    def test_gets_the_key_as_a_bearer_token(self) -> None:
        server = Loopback(loopback.says('{"total": 3}'))
        with server, asking(server, api_key=KEY) as model:
            add(model)
            assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"

    @pytest.mark.parametrize(
        "content",
        [
            '```json\n{"total": 3}\n```',
            '<think>{"total": 4}</think>{"total": 3}',
            'The total follows.\n{"total": 3, "unit": "apples"}',
        ],
    )
    def test_is_understood_through_fences_thinking_and_preamble(self, content: str) -> None:
        with Loopback(loopback.says(content)) as server, asking(server) as model:
            assert add(model) == Sum(total=3)


class TestAnAnswerThatIsOfNoUse:
    @pytest.mark.parametrize(
        "behaviour",
        [
            loopback.says('{"total": 3}', finish_reason="length"),
            loopback.says('{"total": 3}', finish_reason="content_filter"),
            loopback.says('{"total": "three"}'),
            loopback.says('{"sum": 3}'),
            loopback.says('{"total": 3'),
            loopback.says("I would rather not."),
            loopback.says(None),
            loopback.says([{"type": "text", "text": '{"total": 3}'}]),
            loopback.replies({"choices": []}),
            loopback.replies({"error": "no"}),
            loopback.replies([]),
            loopback.sends(b"<html>"),
            loopback.says('{"total": 3}' + " " * MAX_REPLY),
        ],
    )
    def test_is_refused_whole_and_not_asked_for_again(self, behaviour: Behaviour) -> None:
        with Loopback(behaviour) as server, asking(server) as model:
            assert refusal(lambda: add(model)).code == "reply_refused"
            assert len(server.requests) == 1

    def test_is_not_repeated_in_the_error(self) -> None:
        behaviour = loopback.says('{"total": "hunter2"}')
        with Loopback(behaviour) as server, asking(server, api_key=KEY) as model:
            said = refusal(lambda: add(model))
        assert "hunter2" not in str(said)
        assert KEY not in str(said)
        assert "total" in said.message


class TestAServiceThatFails:
    @pytest.mark.parametrize(
        "behaviour",
        [loopback.fails(500), loopback.fails(503), loopback.cuts, loopback.cuts_midway],
    )
    def test_is_asked_again(self, behaviour: Behaviour) -> None:
        server = Loopback(behaviour, behaviour, always=loopback.says('{"total": 3}'))
        with server, asking(server) as model:
            assert add(model) == Sum(total=3)
            assert len(server.requests) == 3

    def test_is_given_up_after_three_tries(self) -> None:
        with Loopback(always=loopback.fails(500)) as server, asking(server) as model:
            assert refusal(lambda: add(model)).code == "unavailable"
            assert len(server.requests) == 3

    def test_is_left_alone_for_as_long_as_it_asks(self) -> None:
        busy = loopback.fails(429, {"Retry-After": "1"})
        server = Loopback(busy, always=loopback.says('{"total": 3}'))
        with server, asking(server) as model:
            assert add(model) == Sum(total=3)
            first, second = server.requests
        assert second.at - first.at >= 0.95

    @pytest.mark.parametrize("slow", [loopback.hangs, loopback.slow_body(0.05)])
    def test_is_not_waited_for_longer_than_the_deadline(self, slow: Behaviour) -> None:
        patience = Patience(connect=0.5, deadline=0.5, retry_wait=0.01)
        with Loopback(always=slow) as server, asking(server, patience=patience) as model:
            began = time.monotonic()
            assert refusal(lambda: add(model)).code == "timeout"
            assert time.monotonic() - began < 1.5

    def test_is_not_followed_elsewhere(self) -> None:
        with Loopback(always=loopback.says('{"total": 3}')) as other:
            away = loopback.fails(307, {"Location": other.url() + "/v1/chat/completions"})
            with Loopback(away) as server, asking(server, api_key=KEY) as model:
                assert refusal(lambda: add(model)).code == "redirected"
            assert other.requests == []

    def test_rests_after_it_failed_five_times_in_a_row(self) -> None:
        patience = Patience(deadline=2.0, tries=1, rest=30.0)
        server = Loopback(always=loopback.fails(500))
        with server, asking(server, patience=patience) as model:
            for _ in range(5):
                refusal(lambda: add(model))
            assert model.health().state == "open"
            assert refusal(lambda: add(model)).code == "resting"
            assert len(server.requests) == 5

    def test_that_knows_no_such_model_says_so(self) -> None:
        with Loopback(loopback.fails(404)) as server, asking(server) as model:
            assert refusal(lambda: add(model)).code == "not_there"
