from collections.abc import Iterator

import pytest
from served import Served, served


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    """A server; tests keep apart by spaces."""
    with served() as running:
        yield running
