import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import loopback
import numpy as np
import pytest
from asking import QUICK, asking, refusal
from loopback import Behaviour, Loopback

from muniment.adapters.endpoints import endpoint
from muniment.adapters.json_client import Patience
from muniment.adapters.openai_embedder import MAX_BATCH, OpenAIEmbedder
from muniment.domain.embedding import REFUSED
from muniment.domain.errors import Invalid

KEY = "sk-this-is-a-secret"


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
