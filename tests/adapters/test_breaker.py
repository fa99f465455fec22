import pytest

from muniment.adapters.breaker import CircuitBreaker
from muniment.domain.embedding import Health


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def breaker(time: Time) -> CircuitBreaker:
    return CircuitBreaker(failures=3, rest=10.0, clock=time)


def fail(breaker: CircuitBreaker, times: int) -> None:
    for _ in range(times):
        assert breaker.admit()
        breaker.failed()


def test_it_opens_after_as_many_failures_in_a_row_as_it_is_told(breaker: CircuitBreaker) -> None:
    fail(breaker, 2)
    breaker.succeeded()
    fail(breaker, 2)
    assert breaker.health() == Health("closed", 0.0)
    fail(breaker, 1)
    assert breaker.health() == Health("open", 10.0)
    assert not breaker.admit()


def test_it_lets_one_call_through_after_a_rest(breaker: CircuitBreaker, time: Time) -> None:
    fail(breaker, 3)
    time.now = 9.9
    assert not breaker.admit()
    time.now = 10.0
    assert breaker.health() == Health("half_open", 0.0)
    assert [breaker.admit(), breaker.admit()] == [True, False]


def test_it_closes_when_that_call_succeeds(breaker: CircuitBreaker, time: Time) -> None:
    fail(breaker, 3)
    time.now = 10.0
    assert breaker.admit()
    breaker.succeeded()
    assert breaker.health().state == "closed"
    fail(breaker, 2)
    assert breaker.health().state == "closed"


def test_it_rests_again_when_that_call_fails(breaker: CircuitBreaker, time: Time) -> None:
    fail(breaker, 3)
    time.now = 10.0
    fail(breaker, 1)
    assert breaker.health() == Health("open", 10.0)


def test_it_lets_another_through_when_that_call_is_given_up(
    breaker: CircuitBreaker, time: Time
) -> None:
    fail(breaker, 3)
    time.now = 10.0
    assert breaker.admit()
    breaker.released()
    assert breaker.admit()


def test_it_rests_at_once_for_as_long_as_the_service_asks(
    breaker: CircuitBreaker, time: Time
) -> None:
    assert breaker.admit()
    breaker.failed(rest=60.0)
    assert breaker.health() == Health("open", 60.0)
    breaker.failed()  # a call from before
    assert breaker.health().retry_in == 60.0
