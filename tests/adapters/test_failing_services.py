import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import loopback
import pytest
from asking import QUICK, asking, refusal
from loopback import Behaviour, Loopback

from muniment.adapters.endpoints import endpoint
from muniment.adapters.json_client import Patience
from muniment.adapters.openai_embedder import OpenAIEmbedder
from muniment.domain.embedding import REFUSED

KEY = "sk-this-is-a-secret"


def threads() -> set[threading.Thread]:
    """All but those that serve a request."""
    return {each for each in threading.enumerate() if "process_request" not in each.name}


class TestAFailingService:
    @pytest.mark.parametrize(
        "behaviour",
        [
            loopback.fails(500),
            loopback.fails(503),
            loopback.fails(429),
            loopback.cuts,
            loopback.cuts_midway,
            loopback.fails(408),
        ],
    )
    def test_is_asked_again_and_then_answers(self, behaviour: Behaviour) -> None:
        with Loopback(behaviour, behaviour) as server, asking(server) as embedder:
            assert len(embedder.embed(["x"])) == 1
            assert len(server.requests) == 3
            assert embedder.health().state == "closed"

    def test_is_asked_three_times_at_most(self) -> None:
        with Loopback(always=loopback.fails(500)) as server, asking(server) as embedder:
            error = refusal(lambda: embedder.embed(["x"]))
            assert error.code == "unavailable"
            assert "500" in error.message
            assert len(server.requests) == 3

    @pytest.mark.parametrize(
        ("status", "code"), [(401, "unauthorized"), (403, "unauthorized"), (404, "not_there")]
    )
    def test_that_will_not_change_its_mind_is_asked_once(self, status: int, code: str) -> None:
        with Loopback(always=loopback.fails(status)) as server, asking(server) as embedder:
            assert refusal(lambda: embedder.embed(["x"])).code == code
            assert len(server.requests) == 1

    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_that_turns_texts_down_is_not_failing(self, status: int) -> None:
        with Loopback(always=loopback.fails(status)) as server, asking(server) as embedder:
            for _ in range(QUICK.failures + 1):
                assert refusal(lambda: embedder.embed(["x"])).code == REFUSED
            assert embedder.health().state == "closed"

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_that_redirects_is_not_followed(self, status: int) -> None:
        with Loopback() as other:
            redirect = loopback.fails(status, {"Location": other.url() + "/v1/embeddings"})
            with Loopback(always=redirect) as server, asking(server, api_key=KEY) as embedder:
                assert refusal(lambda: embedder.embed(["x"])).code == "redirected"
                assert len(server.requests) == 1
            assert other.requests == []

    def test_is_left_alone_for_a_while_and_then_tried_once(self) -> None:
        with Loopback(always=loopback.fails(500)) as server, asking(server) as embedder:
            for _ in range(2):
                assert refusal(lambda: embedder.embed(["x"])).code == "unavailable"
            assert len(server.requests) == QUICK.failures  # the second call had two tries left
            assert embedder.health().state == "open"
            error = refusal(lambda: embedder.embed(["x"]))
            assert error.code == "resting"
            time.sleep(QUICK.rest + 0.05)
            assert embedder.health().state == "half_open"
            refusal(lambda: embedder.embed(["x"]))
            assert len(server.requests) == QUICK.failures + 1
            server.always = loopback.embeddings
            time.sleep(QUICK.rest + 0.05)
            assert len(embedder.embed(["x"])) == 1
            assert embedder.health().state == "closed"

    def test_that_is_not_there_is_unavailable(self) -> None:
        with Loopback() as server:
            gone = server.url()
        embedder = OpenAIEmbedder(
            endpoint(gone, field="f", written_by_operator=True), "toy", patience=QUICK
        )
        assert refusal(lambda: embedder.embed(["x"])).code == "unavailable"
        embedder.close()


class TestRetryAfter:
    def test_is_waited_for(self) -> None:
        with (
            Loopback(loopback.fails(429, {"Retry-After": "1"})) as server,
            asking(server, patience=Patience(deadline=5, retry_wait=0.01)) as embedder,
        ):
            embedder.embed(["x"])
            first, second = server.requests
            assert 0.99 <= second.at - first.at < 2

    @pytest.mark.parametrize("asked", ["120", "Wed, 01 Jan 2997 00:00:00 GMT"])
    def test_beyond_the_deadline_is_not_but_the_service_is_left_alone(self, asked: str) -> None:
        always = loopback.fails(429, {"Retry-After": asked})
        with Loopback(always=always) as server, asking(server) as embedder:
            started = time.monotonic()
            assert refusal(lambda: embedder.embed(["x"])).code == "rate_limited"
            assert time.monotonic() - started < 1
            assert 58 < embedder.health().retry_in <= 60
            assert refusal(lambda: embedder.embed(["x"])).code == "resting"
            assert len(server.requests) == 1

    @pytest.mark.parametrize("asked", ["", "soon", "-5", "1e3", "Wed, 99 Jan 2997", "0"])
    def test_that_says_nothing_of_use_is_as_good_as_none(self, asked: str) -> None:
        behaviour = loopback.fails(503, {"Retry-After": asked})
        with Loopback(behaviour) as server, asking(server) as embedder:
            assert len(embedder.embed(["x"])) == 1


class TestASlowService:
    @pytest.mark.parametrize(
        "behaviour",
        [loopback.slow_body(0.05), loopback.slow_headers(0.05), loopback.hangs],
        ids=["a body a byte at a time", "headers without end", "silence"],
    )
    def test_is_cut_off_at_the_deadline_and_leaves_no_thread(self, behaviour: Behaviour) -> None:
        patience = Patience(deadline=0.4, retry_wait=0.01)
        with Loopback(always=behaviour) as server, asking(server, patience=patience) as embedder:
            before = threads()
            started = time.monotonic()
            assert refusal(lambda: embedder.embed(["x"])).code == "timeout"
            assert 0.35 < time.monotonic() - started < 0.8
            assert len(server.requests) == 1
            assert threads() <= before

    def test_is_not_asked_by_who_has_no_time(self) -> None:
        with Loopback() as server, asking(server) as embedder:
            assert refusal(lambda: embedder.embed(["x"], within=0.0)).code == "timeout"
            assert refusal(lambda: embedder.embed(["x"], within=-1.0)).code == "timeout"
            assert server.connections == 0

    def test_holds_up_no_caller_beyond_the_deadline_however_many_there_are(self) -> None:
        patience = Patience(deadline=0.5, tries=1)
        server = Loopback(always=loopback.hangs)
        with server, asking(server, patience=patience) as embedder, ThreadPoolExecutor(25) as pool:
            started = time.monotonic()
            calls = [pool.submit(refusal, partial(embedder.embed, ["x"])) for _ in range(25)]
            assert {call.result(5).code for call in calls} <= {"timeout", "resting"}
            assert time.monotonic() - started < 1.2

    def test_that_does_not_read_is_cut_off_too(self) -> None:
        patience = Patience(deadline=0.4)
        with Loopback() as server, asking(server, patience=patience) as embedder:
            server.is_deaf = True
            started = time.monotonic()
            assert refusal(lambda: embedder.embed(["x" * 30_000] * 64)).code == "timeout"
            assert 0.35 < time.monotonic() - started < 0.8

    def test_is_given_up_sooner_by_who_is_in_a_hurry_without_blame(self) -> None:
        patience = replace(QUICK, deadline=20)
        server = Loopback(always=loopback.hangs)
        with server, asking(server, patience=patience) as embedder:
            for _ in range(QUICK.failures + 1):
                started = time.monotonic()
                assert refusal(lambda: embedder.embed(["x"], within=0.05)).code == "timeout"
                assert time.monotonic() - started < patience.deadline / 2
            assert embedder.health().state == "closed"

    @pytest.mark.parametrize(
        "behaviour", [loopback.hangs, loopback.fails(429, {"Retry-After": "9"})]
    )
    def test_is_given_up_at_once_when_the_embedder_is_closed(self, behaviour: Behaviour) -> None:
        patience = Patience(deadline=20)
        with Loopback(always=behaviour) as server, asking(server, patience=patience) as embedder:
            codes: list[str] = []
            thread = threading.Thread(
                target=lambda: codes.append(refusal(lambda: embedder.embed(["x"])).code)
            )
            thread.start()
            while not server.requests:
                time.sleep(0.01)
            time.sleep(0.1)
            started = time.monotonic()
            embedder.close()
            thread.join(5)
            assert codes == ["closed"]
            assert time.monotonic() - started < 1
            assert refusal(lambda: embedder.embed(["x"])).code == "closed"
