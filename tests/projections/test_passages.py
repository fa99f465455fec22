"""Which texts want a vector."""

from hypothesis import given, settings
from log_backends import SOAK
from random_logs import logs

from muniment.domain.clock import Skewed
from muniment.domain.embedding import document
from muniment.domain.memory.events import PurgeRequested
from muniment.domain.memory.state import State, evolve
from muniment.domain.recorded import Recorded
from muniment.projections.passages import Passages


def read(state: State | None) -> str | None:
    return None if state is None else document(state.content, state.category, state.tags)


@settings(max_examples=60 * SOAK, deadline=None)
@given(logs())
def test_whatever_changes_what_a_model_reads_wants_another_vector(log: list[Recorded]) -> None:
    passages = Passages()
    states: dict[str, State | None] = {}
    removed: set[str] = set()
    for recorded in log:
        before = states.get(recorded.stream)
        wanted = dict(passages.missing()).get(recorded.stream, 0)
        passages.apply(recorded)
        if isinstance(recorded.event, Skewed):
            continue
        state = states[recorded.stream] = evolve(before, recorded)
        if state is not None and isinstance(recorded.event, PurgeRequested):
            removed.add(recorded.stream)
        if recorded.stream not in removed and read(state) != read(before):
            assert dict(passages.missing())[recorded.stream] > wanted
    live = {id_ for id_, state in states.items() if state is not None} - removed
    assert live <= set(dict(passages.missing()))
