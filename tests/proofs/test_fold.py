"""The fold of the proof: the same as the state that decisions go by, and never at a loss."""

from functools import cache
from typing import Any

import pytest
from commotion import commotion
from hypothesis import given, settings
from hypothesis import strategies as st
from projection_answers import store_of
from pydantic_core import from_json, to_json

from muniment.domain.memory.state import State
from muniment.log.rows import Row
from muniment.proofs.facts import read
from muniment.proofs.fold import Log, Subject
from muniment.proofs.proof import prove


def folded(rows: list[Row]) -> Log:
    log = Log()
    for row in rows:
        event, malformed = read(row, log.recorded_at)
        assert malformed is None
        log.apply(event)
    return log


def of_state(state: State) -> tuple[object, ...]:
    return (
        *(state.space, state.version, state.condition, state.store == "episodic", state.trust),
        *(state.reinforcement_count, state.created_at, state.last_seen_at, state.archived_at),
        *(state.merged_into, state.pinned, state.held),
    )


def of_subject(subject: Subject) -> tuple[object, ...]:
    return (
        *(subject.space, subject.version, subject.condition, subject.is_episodic, subject.trust),
        *(subject.count, subject.created_at, subject.last_seen_at, subject.archived_at),
        *(subject.merged_into, subject.pinned, subject.held),
    )


@pytest.mark.parametrize("seed", range(8))
def test_two_folds_that_share_no_code_come_to_the_same(seed: int) -> None:
    made = commotion(seed)
    with made.m:
        made.happen(100)
        store = store_of(made.m)
        log = folded(list(store.rows.rows()))
        known = {id_: subject for id_, subject in log.subjects.items() if subject.is_memory}
        states = store.memories(known)
    assert {id_: of_subject(subject) for id_, subject in known.items()} == {
        id_: of_state(state) for id_, state in states.items()
    }


@cache
def some_rows() -> list[Row]:
    made = commotion(1)
    with made.m:
        made.happen(150)
        return list(store_of(made.m).rows.rows())


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@settings(deadline=None)
@given(st.data())
def test_whatever_is_stored_an_answer_comes(data: st.DataObject) -> None:
    """Facts of other events, facts changed by a member, bytes that are nothing; any envelope."""
    rows = list(some_rows())
    for _ in range(data.draw(st.integers(1, 12))):
        at = data.draw(st.integers(0, len(rows) - 1))
        other = rows[data.draw(st.integers(0, len(rows) - 1))]
        change: dict[str, Any] = data.draw(
            st.sampled_from(
                [
                    {"facts": other.facts},
                    {"name": other.name},
                    {"stream": other.stream},
                    {"recorded_at": other.recorded_at},
                    {"command_id": other.command_id},
                    {"space": other.space, "actor": "subagent:x"},
                    {"schema": 2},
                    {},
                ]
            )
        )
        rows[at] = rows[at]._replace(
            **(change or {"facts": data.draw(_facts(some_rows()[at].facts))})
        )
    assert prove(rows).positions == len(rows)


def _facts(facts: bytes) -> st.SearchStrategy[bytes]:
    known: dict[str, Any] = from_json(facts)

    def changed(name: str, value: object) -> bytes:
        return to_json(known | {name: value})

    names = st.sampled_from(sorted(known) or ["x"])
    return (
        st.binary(max_size=20)
        | _values.map(to_json)
        | st.builds(changed, name=names, value=_values)
    )
