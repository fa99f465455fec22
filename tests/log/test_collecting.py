"""The rest from looking for cyclic garbage."""

import gc
from collections.abc import Iterator

import pytest

from muniment.log.collecting import not_collecting


@pytest.fixture(autouse=True)
def _collector_as_it_was() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    if was_on:
        gc.enable()
    else:
        gc.disable()


def test_nothing_is_collected_until_the_last_who_rests_is_done() -> None:
    gc.enable()
    first, second = not_collecting(), not_collecting()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with not_collecting():
        pass
    assert not gc.isenabled()


def test_an_error_ends_the_rest() -> None:
    gc.enable()
    with pytest.raises(ValueError, match="no"), not_collecting():
        raise ValueError("no")
    assert gc.isenabled()
