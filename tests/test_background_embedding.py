import threading
import time
from collections.abc import Collection, Iterator, Sequence

import loopback
import numpy as np
import pytest
from loopback import Loopback

from muniment.adapters.endpoints import endpoint
from muniment.adapters.json_client import Patience
from muniment.adapters.openai_embedder import OpenAIEmbedder
from muniment.domain.embedding import Health, Vectors
from muniment.domain.errors import StorageFailed
from muniment.embedding import MAX_BATCH, BackgroundEmbedding, Key, Passage

QUICK = Patience(connect=1.0, deadline=2.0, retry_wait=0.005, rest=0.1)


class Texts:
    """A backlog in memory."""

    def __init__(self, *texts: str) -> None:
        self.lock = threading.Lock()
        self.texts: dict[Key, str] = {}
        self.vectors: dict[Key, Vectors] = {}
        self.faults: list[Exception] = []
        for text in texts:
            self.save(text)

    def save(self, text: str) -> Key:
        with self.lock:
            key = f"{len(self.texts):06}", 1
            self.texts[key] = text
            return key

    def waiting(self) -> int:
        with self.lock:
            return len(self.texts) - len(self.vectors)

    def next(self, limit: int, besides: Collection[Key]) -> Sequence[Passage]:
        with self.lock:
            if self.faults:
                raise self.faults.pop()
            wanted = [key for key in self.texts if key not in self.vectors and key not in besides]
            return [Passage("default", *key, self.texts[key]) for key in wanted[:limit]]

    def arrived(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        with self.lock:
            for passage, vector in zip(passages, vectors, strict=True):
                assert passage.key not in self.vectors
                self.vectors[passage.key] = vector


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as server:
        yield server


def embedding(
    server: Loopback,
    texts: Texts,
    *,
    patience: Patience = QUICK,
    gather: float = 0.0,
    pause: float = 0.01,
    longest_pause: float = 30.0,
) -> BackgroundEmbedding:
    given = endpoint(server.url(), field="embedding.endpoint", written_by_operator=True)
    return BackgroundEmbedding(
        OpenAIEmbedder(given, "toy", patience=patience, api_key="sk-secret"),
        texts,
        gather=gather,
        pause=pause,
        longest_pause=longest_pause,
    )


def eventually(said: object) -> None:
    assert callable(said)
    until = time.monotonic() + 5
    while not said():
        assert time.monotonic() < until
        time.sleep(0.005)


class TestEverythingThatIsPending:
    def test_gets_the_vector_of_its_text_in_batches(self, server: Loopback) -> None:
        texts = Texts(*(f"text {n}" for n in range(2 * MAX_BATCH + 1)))
        background = embedding(server, texts)
        assert background.drain(10)
        assert [len(request.body["input"]) for request in server.requests] == [64, 64, 1]
        assert np.allclose(
            list(texts.vectors.values()),
            loopback.toy_vectors(list(texts.texts.values())),
            atol=1e-6,
        )
        status = background.status()
        assert (status.pending, status.done, status.failed) == (0, 129, 0)
        assert (status.breaker, status.last_error) == ("closed", None)
        background.close()

    def test_is_taken_up_again_whenever_it_is_woken(self, server: Loopback) -> None:
        texts = Texts()
        background = embedding(server, texts)
        assert background.drain(5)
        for number in range(5):
            texts.save(f"text {number}")
            background.wake()
        eventually(lambda: texts.waiting() == 0)
        background.close()

    def test_of_many_saves_in_a_row_is_gathered_into_one_batch(self, server: Loopback) -> None:
        texts = Texts()
        background = embedding(server, texts, gather=0.5)
        assert background.drain(5)
        for number in range(20):
            texts.save(f"text {number}")
            background.wake()
        eventually(lambda: texts.waiting() == 0)
        assert [len(request.body["input"]) for request in server.requests] == [20]
        background.close()

    def test_is_not_gathered_while_somebody_waits_for_it(self, server: Loopback) -> None:
        texts = Texts()
        background = embedding(server, texts, gather=3_600.0)
        for number in range(3):
            texts.save(f"text {number}")
            assert background.drain(5)
        background.close()

    def test_is_not_touched_before_it_is_woken(self, server: Loopback) -> None:
        before = threading.active_count()
        background = embedding(server, Texts("x"))
        assert background.status().pending == 1
        assert threading.active_count() == before
        background.close()
        assert server.requests == []


class TestAFailingModel:
    def test_loses_nothing_and_is_asked_again_until_it_works(self, server: Loopback) -> None:
        server.always = loopback.fails(500)
        texts = Texts("one", "two")
        background = embedding(server, texts)
        assert not background.drain(0.3)
        status = background.status()
        assert status.pending == 2
        assert status.failed >= 1
        assert status.refused == 0
        assert status.last_error is not None
        assert "sk-secret" not in repr(status)
        server.always = loopback.embeddings
        assert background.drain(5)
        assert background.status().last_error is None
        background.close()

    def test_is_left_alone_while_its_breaker_is_open(self, server: Loopback) -> None:
        server.always = loopback.fails(500)
        background = embedding(server, Texts("one"), patience=Patience(rest=60, retry_wait=0.005))
        background.wake()
        eventually(lambda: background.status().breaker == "open")
        asked = len(server.requests)
        for _ in range(20):
            background.wake()
            time.sleep(0.005)
        assert len(server.requests) == asked == Patience().failures
        assert background.status().failed == 2
        background.close()

    def test_never_holds_up_who_wakes_it(self, server: Loopback) -> None:
        server.always = loopback.hangs
        background = embedding(server, Texts("one"))
        taken: list[float] = []
        for _ in range(300):
            started = time.perf_counter()
            background.wake()
            taken.append(time.perf_counter() - started)
        assert sorted(taken)[int(0.99 * len(taken))] < 0.05
        background.close()

    @pytest.mark.parametrize(
        "reply", [loopback.vectors_are([1.0], ["x"]), loopback.vectors_are([float("nan")])]
    )
    def test_that_gives_rubbish_leaves_every_text_pending(
        self, server: Loopback, reply: loopback.Behaviour
    ) -> None:
        server.always = reply
        texts = Texts("one", "two", "three")
        background = embedding(server, texts)
        background.wake()
        eventually(lambda: background.status().refused == 3)
        assert background.status().pending == 3
        assert texts.vectors == {}
        background.close()


class TestATextThatTheModelTurnsDown:
    @pytest.mark.parametrize("bad", [[0], [63], [17, 18, 40], [0, 99], list(range(0, 100, 9))])
    def test_is_set_aside_and_holds_up_no_other(self, server: Loopback, bad: list[int]) -> None:
        server.always = loopback.refuses_texts_with("poison")
        texts = Texts(*(f"poison {n}" if n in bad else f"text {n}" for n in range(100)))
        background = embedding(server, texts)
        assert background.drain(10)
        status = background.status()
        assert (status.pending, status.refused, status.done) == (len(bad), len(bad), 100 - len(bad))
        asked = len(server.requests)
        background.wake()
        assert background.drain(5)
        assert len(server.requests) == asked
        background.close()

    def test_is_found_without_longer_and_longer_pauses(self, server: Loopback) -> None:
        server.always = loopback.refuses_texts_with("poison")
        texts = Texts("poison", *(f"text {n}" for n in range(63)))
        background = embedding(server, texts, pause=0.1)
        assert background.drain(4)
        assert background.status().failed == 7
        background.close()

    def test_is_found_even_if_its_vector_opens_the_breaker(self, server: Loopback) -> None:
        def nan_for_poison(exchange: loopback.Exchange) -> None:
            if "poison" in exchange.body["input"]:
                count = len(exchange.body["input"])
                loopback.vectors_are(*[[float("nan")]] * count)(exchange)
            else:
                loopback.embeddings(exchange)

        server.always = nan_for_poison
        texts = Texts("poison", *(f"text {n}" for n in range(70)))
        background = embedding(server, texts)
        assert background.drain(10)
        assert background.status().refused == 1
        assert texts.waiting() == 1
        background.close()

    def test_is_tried_again_after_a_while(self, server: Loopback) -> None:
        server.script.extend([loopback.fails(400)] * 2)
        texts = Texts("one")
        background = embedding(server, texts, longest_pause=0.05)
        assert background.drain(5)
        assert texts.waiting() == 1
        eventually(lambda: texts.waiting() == 0)
        first, second, third = (request.at for request in server.requests)
        assert second - first > 0.05
        assert third - second > 0.1
        background.close()


class TestAFailingStore:
    @pytest.mark.parametrize("fault", [StorageFailed("the disk is full"), RuntimeError("a bug")])
    def test_does_not_end_the_embedding(self, server: Loopback, fault: Exception) -> None:
        texts = Texts("one")
        texts.faults.append(fault)
        background = embedding(server, texts)
        assert background.drain(5)
        assert background.status().failed == 1
        assert texts.waiting() == 0
        background.close()


class TestClosing:
    @pytest.mark.parametrize(
        "always",
        [
            loopback.embeddings,
            loopback.hangs,
            loopback.slow_body(0.02),
            loopback.fails(500),
            loopback.fails(429, {"Retry-After": "30"}),
        ],
    )
    def test_takes_less_than_a_second_whatever_the_model_does(
        self, server: Loopback, always: loopback.Behaviour
    ) -> None:
        server.always = always
        before = {each for each in threading.enumerate() if "process_request" not in each.name}
        background = embedding(server, Texts("one"), patience=Patience(deadline=30))
        background.wake()
        eventually(lambda: server.requests)
        started = time.monotonic()
        background.close()
        assert time.monotonic() - started < 1
        after = {each for each in threading.enumerate() if "process_request" not in each.name}
        assert after <= before

    def test_twice_or_before_anything_began_is_fine_and_nothing_starts_after_it(
        self, server: Loopback
    ) -> None:
        background = embedding(server, Texts("one"))
        background.close()
        background.close()
        background.wake()
        assert not background.drain(0.05)
        assert server.requests == []

    def test_wakes_who_waits_for_the_rest(self, server: Loopback) -> None:
        server.always = loopback.hangs
        background = embedding(server, Texts("one"))
        drained: list[bool] = []
        waiting = threading.Thread(target=lambda: drained.append(background.drain(20)))
        waiting.start()
        eventually(lambda: server.requests)
        background.close()
        waiting.join(2)
        assert drained == [False]


class Uninterruptible:
    """A model of the machine's own that is slow and cannot be stopped."""

    model = "slow"
    dimension = 2

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.may_answer = threading.Event()

    def embed(self, texts: Sequence[str], *, within: float | None = None) -> Vectors:
        self.asked.set()
        self.may_answer.wait(10)
        return np.ones((len(texts), 2), np.float32)

    def health(self) -> Health:
        return Health()

    def close(self) -> None:
        """It goes on."""


def test_vectors_that_come_after_the_end_go_nowhere() -> None:
    texts, model = Texts("one"), Uninterruptible()
    background = BackgroundEmbedding(model, texts)
    background.wake()
    model.asked.wait(5)
    started = time.monotonic()
    background.close(timeout=0.1)
    assert time.monotonic() - started < 1
    model.may_answer.set()
    time.sleep(0.05)
    assert texts.vectors == {}
