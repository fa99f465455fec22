import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import loopback
import numpy as np
import pytest
from loopback import Behaviour, Loopback

from muniment.adapters.endpoints import endpoint
from muniment.adapters.json_client import Patience
from muniment.adapters.openai_embedder import MAX_BATCH, OpenAIEmbedder
from muniment.domain.embedding import REFUSED
from muniment.domain.errors import Invalid, Unavailable

QUICK = Patience(connect=1.0, deadline=2.0, retry_wait=0.01, rest=0.2)
KEY = "sk-this-is-a-secret"


@contextmanager
def asking(
    server: Loopback,
    *,
    patience: Patience = QUICK,
    path: str = "",
    api_key: str | None = None,
    dimension: int | None = None,
    max_input_chars: int = 30_000,
) -> Generator[OpenAIEmbedder, None, None]:
    embedder = OpenAIEmbedder(
        endpoint(server.url() + path, field="embedding.endpoint", written_by_operator=True),
        "toy",
        patience=patience,
        api_key=api_key,
        dimension=dimension,
        max_input_chars=max_input_chars,
    )
    try:
        yield embedder
    finally:
        embedder.close()


def refusal(call: Callable[[], object]) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        call()
    return caught.value


def threads() -> set[threading.Thread]:
    """All but those that serve a request."""
    return {each for each in threading.enumerate() if "process_request" not in each.name}


class TestAService:
    def test_that_works_gives_a_unit_vector_a_text_in_their_order(self) -> None:
        texts = ["the cat sat", "a dog ran", "the cat ran"]
        with Loopback() as server, asking(server) as embedder:
            assert embedder.dimension is None
            vectors = embedder.embed(texts)
            assert vectors.dtype == np.float32
            assert np.allclose(vectors, loopback.toy_vectors(texts), atol=1e-6)
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
            assert embedder.dimension == loopback.DIMENSION
            (request,) = server.requests
            assert request.path == "/v1/embeddings"
            assert request.body["model"] == "toy"
            assert "Authorization" not in request.headers

    @pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
    def test_is_found_with_and_without_v1_in_its_address(self, path: str) -> None:
        with Loopback() as server, asking(server, path=path) as embedder:
            embedder.embed(["x"])
            assert server.requests[0].path == "/v1/embeddings"

    def test_behind_a_path_is_found_there(self) -> None:
        with Loopback() as server, asking(server, path="/proxy/v1") as embedder:
            embedder.embed(["x"])
            assert server.requests[0].path == "/proxy/v1/embeddings"

    def test_is_asked_for_a_batch_at_a_time_over_one_connection(self) -> None:
        texts = [f"text {n}" for n in range(2 * MAX_BATCH + 5)]
        with Loopback() as server, asking(server) as embedder:
            vectors = embedder.embed(texts)
            assert np.allclose(vectors, loopback.toy_vectors(texts), atol=1e-6)
            assert [len(request.body["input"]) for request in server.requests] == [64, 64, 5]
            assert server.connections == 1

    def test_is_not_asked_for_nothing(self) -> None:
        with Loopback() as server, asking(server, dimension=7) as embedder:
            assert embedder.embed([]).shape == (0, 7)
            assert server.requests == []

    def test_is_sent_long_texts_cut(self) -> None:
        with Loopback() as server, asking(server, max_input_chars=10) as embedder:
            embedder.embed(["x" * 11, "y"])
            assert server.requests[0].body["input"] == ["x" * 10, "y"]

    def test_is_sent_the_key_as_a_bearer_token(self) -> None:
        with Loopback() as server, asking(server, api_key=KEY) as embedder:
            embedder.embed(["x"])
            assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"

    def test_that_gives_no_index_is_taken_at_its_order(self) -> None:
        reply = {"data": [{"embedding": [2.0, 0.0]}, {"embedding": [0.0, 3]}]}
        with Loopback(loopback.replies(reply)) as server, asking(server) as embedder:
            assert embedder.embed(["a", "b"]).tolist() == [[1.0, 0.0], [0.0, 1.0]]

    def test_is_asked_directly_whatever_proxies_the_environment_names(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        with Loopback() as server, asking(server) as embedder:
            embedder.embed(["x"])

    def test_that_closes_idle_connections_is_asked_over_a_new_one(self) -> None:
        patience = Patience(deadline=2.0, tries=1)
        server = Loopback(loopback.answers_and_cuts, loopback.answers_and_cuts)
        with server, asking(server, patience=patience) as embedder:
            for connections in (1, 2, 3):
                embedder.embed(["x"])
                assert server.connections == connections
                time.sleep(0.1)

    def test_is_asked_by_many_threads_at_once(self) -> None:
        texts = [[f"text {n}", f"other {n}"] for n in range(60)]
        with Loopback() as server, asking(server) as embedder, ThreadPoolExecutor(12) as pool:
            for some, vectors in zip(texts, pool.map(embedder.embed, texts), strict=True):
                assert np.allclose(vectors, loopback.toy_vectors(some), atol=1e-6)
            assert len(server.requests) == 60


BAD_REPLIES = {
    "too few vectors": loopback.vectors_are([1.0, 2.0]),
    "too many vectors": loopback.vectors_are([1.0], [1.0], [1.0]),
    "unequal dimensions": loopback.vectors_are([1.0, 2.0], [1.0]),
    "NaN": loopback.vectors_are([1.0, 2.0], [float("nan"), 1.0]),
    "infinity": loopback.vectors_are([1.0, float("inf")], [1.0, 1.0]),
    "a zero vector": loopback.vectors_are([1.0, 2.0], [0.0, 0.0]),
    "an empty vector": loopback.vectors_are([], []),
    "strings": loopback.vectors_are(["1", "2"], ["1", "2"]),
    "base64": loopback.vectors_are("AACAPwAAgD8=", "AACAPwAAgD8="),
    "null": loopback.vectors_are(None, None),
    "booleans": loopback.vectors_are([True, False], [True, True]),
    "nested lists": loopback.vectors_are([[1.0]], [[1.0]]),
    "one index twice": loopback.replies(
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}
    ),
    "an index that is no number": loopback.replies(
        {"data": [{"index": [], "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]}
    ),
    "entries that are none": loopback.replies({"data": [1, 2]}),
    "no data": loopback.replies({"object": "list"}),
    "a list": loopback.replies([[1.0], [1.0]]),
    "no JSON": loopback.sends(b"<html>"),
    "cut JSON": loopback.sends(b'{"data": [{"embedding": [0.1, '),
    "JSON null": loopback.sends(b"null"),
    "nothing": loopback.sends(b""),
    "no UTF-8": loopback.sends(b'{"data": "\xff\xfe"}'),
    "a deep nest": loopback.sends(b"[" * 200_000),
    "a number that is too large": loopback.sends(
        b'{"data": [{"embedding": [1' + b"0" * 400 + b']}, {"embedding": [1]}]}'
    ),
    "compression": loopback.sends(
        b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}', {"Content-Encoding": "gzip"}
    ),
}


class TestABadReply:
    @pytest.mark.parametrize("name", BAD_REPLIES)
    def test_is_refused_whole_and_not_asked_for_again(self, name: str) -> None:
        with Loopback(BAD_REPLIES[name]) as server, asking(server) as embedder:
            error = refusal(lambda: embedder.embed(["one", "two"]))
            assert error.code == REFUSED
            assert len(server.requests) == 1
            assert embedder.dimension is None
            assert embedder.embed(["one"]).shape == (1, loopback.DIMENSION)

    def test_of_another_dimension_than_before_is_refused(self) -> None:
        with Loopback() as server, asking(server) as embedder:
            embedder.embed(["x"])
            server.script.append(loopback.vectors_are([1.0, 2.0]))
            error = refusal(lambda: embedder.embed(["x"]))
            assert error.code == REFUSED
            assert "2 dimensions" in error.message
            assert "not 32" in error.message

    def test_over_the_limit_is_cut_off(self) -> None:
        patience = Patience(max_reply=10_000)
        endless = loopback.drips(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 5_000, 0.001)
        for behaviour in (loopback.sends(b" " * 10_001), endless):
            with Loopback(behaviour) as server, asking(server, patience=patience) as embedder:
                error = refusal(partial(embedder.embed, ["x"]))
                assert error.code == REFUSED
                assert "10,000 bytes" in error.message

    def test_in_a_row_opens_the_breaker(self) -> None:
        always = loopback.vectors_are([0.0])
        with Loopback(always=always) as server, asking(server) as embedder:
            for _ in range(QUICK.failures):
                refusal(lambda: embedder.embed(["x"]))
            assert embedder.health().state == "open"
            assert refusal(lambda: embedder.embed(["x"])).code == "resting"
            assert len(server.requests) == QUICK.failures


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
        with Loopback(always=loopback.hangs) as server, asking(server) as embedder:
            for _ in range(QUICK.failures + 1):
                started = time.monotonic()
                assert refusal(lambda: embedder.embed(["x"], within=0.05)).code == "timeout"
                assert time.monotonic() - started < 0.5
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


class TestTheKey:
    @pytest.mark.parametrize(
        "behaviour",
        [
            loopback.fails(401),
            loopback.fails(500),
            loopback.cuts,
            loopback.sends(KEY.encode()),
            loopback.fails(302, {"Location": f"http://127.0.0.1/{KEY}"}),
        ],
    )
    def test_is_in_no_error_repr_or_log(
        self,
        behaviour: Behaviour,
        capsys: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        with Loopback(always=behaviour) as server, asking(server, api_key=KEY) as embedder:
            error: BaseException | None = refusal(lambda: embedder.embed(["x"]))
            seen = [repr(embedder), *(f"{v!r}" for v in vars(embedder).values())]
            while error is not None:
                seen += [repr(error), str(error), repr(vars(error))]
                assert not hasattr(error, "request")
                error = error.__cause__ or error.__context__
            shown = capsys.readouterr()
            assert KEY not in "".join([*seen, shown.out, shown.err, caplog.text])

    @pytest.mark.parametrize("key", ["a b", "a\r\nX: y", "ключ", "a\0"])
    def test_that_no_header_can_hold_is_refused_without_being_shown(self, key: str) -> None:
        with pytest.raises(Invalid) as caught:
            OpenAIEmbedder(
                endpoint("http://127.0.0.1:9", field="f", written_by_operator=True),
                "toy",
                api_key=key,
            )
        assert caught.value.code == "api_key_invalid"
        assert key not in str(caught.value)
