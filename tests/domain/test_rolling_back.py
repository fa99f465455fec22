"""What a rollback decides, on plain values."""

from typing import Any

from bdd import folded, saved
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.domain.memory.state import State
from muniment.domain.rolling_back import Part, Written, plan, tainted

A, B, C, D = (f"019500aa-0000-7000-8000-{number:012x}" for number in range(4))


_NONE: frozenset[tuple[str, str]] = frozenset()


def write(memory: str, position: int, part: Part = "whole", **how: Any) -> Written:
    given_: dict[str, Any] = {"version": 1, "is_selected": False, "actor": "bot:x", "sources": ()}
    return Written(memory=memory, position=position, part=part, **(given_ | how))


def bad(memory: str, position: int, part: Part = "whole", **how: Any) -> Written:
    return write(memory, position, part, is_selected=True, **how)


def state(id_: str, **changed: Any) -> State:
    made = folded(saved())
    assert made is not None
    return made._replace(id=id_, **changed)


def ids_of(*writes: Written) -> set[str]:
    return set(tainted(writes)[0])


class TestTaint:
    def test_what_is_written_is_tainted_and_no_other(self) -> None:
        assert ids_of(bad(A, 1), write(B, 2)) == {A}

    def test_a_merge_of_it_is_and_a_merge_of_that(self) -> None:
        assert ids_of(
            bad(A, 1),
            write(B, 2),
            write(C, 3, "merge", sources=(A, B)),
            write(D, 4, "merge", sources=(C,)),
        ) == {A, C, D}

    def test_a_merge_from_before_it_was_is_not(self) -> None:
        early = write(C, 2, "merge", sources=(A, B))
        assert ids_of(write(A, 1), early, bad(A, 3, "part")) == {A}

    def test_an_addition_taints_the_whole(self) -> None:
        assert ids_of(write(A, 1), bad(A, 2, "part"), write(A, 3, "part")) == {A}

    def test_a_repetition_does_not_and_is_to_be_looked_at(self) -> None:
        found, touched = tainted([write(A, 1), bad(A, 2, "repetition")])
        assert found == {}
        assert touched == {A: "only said again by bot:x: its text is another's"}

    def test_what_is_trusted_for_its_sake_is(self) -> None:
        assert ids_of(write(A, 1), bad(A, 2, "vouching")) == {A}

    def test_who_rewrites_it_clears_it_and_what_is_merged_of_it_then(self) -> None:
        found, touched = tainted(
            [bad(A, 1), write(A, 2, actor="manual"), write(C, 3, "merge", sources=(A,))]
        )
        assert found == {}
        assert touched == {A: "written by bot:x at position 1; rewritten by manual since"}

    def test_somebody_who_says_it_again_does_not_clear_it(self) -> None:
        assert ids_of(bad(A, 1), write(A, 2, "vouching")) == {A}

    def test_the_order_in_which_writes_are_given_is_none_of_its_business(self) -> None:
        writes = [bad(A, 1), write(C, 3, "merge", sources=(A,)), write(D, 4, "merge", sources=(C,))]
        assert ids_of(*reversed(writes)) == {A, C, D}

    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def test_every_descendant_in_a_graph_of_merges_is_tainted(self, data: st.DataObject) -> None:
        size = data.draw(st.integers(2, 20))
        parents: dict[str, tuple[str, ...]] = {}
        for number in range(size):
            known = sorted(parents)
            some = data.draw(st.lists(st.sampled_from(known), unique=True)) if known else []
            parents[f"{number:04}"] = tuple(some)
        roots = {id_ for id_, of in parents.items() if not of}
        chosen = set(data.draw(st.lists(st.sampled_from(sorted(roots)), min_size=1)))
        writes = [
            write(id_, number, "merge" if of else "whole", sources=of, is_selected=id_ in chosen)
            for number, (id_, of) in enumerate(parents.items(), 1)
        ]

        def descends(id_: str) -> bool:
            return id_ in chosen or any(descends(of) for of in parents[id_])

        assert ids_of(*writes) == {id_ for id_ in parents if descends(id_)}


def actions(
    found: dict[str, str], states: list[State], folds: set[tuple[str, str]] | None = None
) -> dict[str, str]:
    steps = plan(found, {}, {one.id: one for one in states}, folds or _NONE)
    return {step.id: step.action for step in steps}


class TestPlan:
    def test_what_is_live_is_hidden_pinned_and_held_ones_too_and_it_says_so(self) -> None:
        (step,) = plan({A: "why"}, {}, {A: state(A, pinned=True, held=True)}, _NONE)
        assert (step.action, step.why, step.pinned, step.held) == (
            "hide",
            "why; pinned; held",
            True,
            True,
        )

    def test_what_is_out_of_recall_is_left(self) -> None:
        for condition in ("archived", "superseded", "quarantined", "purged"):
            assert actions({A: ""}, [state(A, condition=condition)]) == {A: "leave"}

    def test_what_cannot_be_read_is_left(self) -> None:
        assert actions({A: ""}, [state(A, fault="key_missing")]) == {A: "leave"}

    def test_clean_sources_of_what_is_hidden_come_back(self) -> None:
        gone: dict[str, Any] = {"condition": "archived"}
        assert actions(
            {A: "", C: "", D: ""},
            [
                state(A, merged_into=C, **gone),
                state(B, merged_into=C, **gone),
                state(C, merged_into=D, **gone),
                state(D),
            ],
        ) == {D: "hide", B: "restore", A: "leave", C: "leave"}

    def test_they_stay_where_what_took_them_in_was_archived_by_somebody(self) -> None:
        gone = state(A, condition="archived")
        source = state(B, condition="archived", merged_into=A)
        assert actions({A: ""}, [gone, source]) == {A: "leave", B: "review"}

    def test_they_stay_where_the_end_of_the_chain_is_not_tainted(self) -> None:
        middle = state(A, condition="archived", merged_into=C)
        source = state(B, condition="archived", merged_into=A)
        assert actions({A: ""}, [middle, source, state(C)]) == {A: "leave", B: "review"}

    def test_what_it_superseded_comes_back(self) -> None:
        old = state(B, condition="superseded", superseded_by=A)
        assert actions({A: ""}, [state(A), old]) == {A: "hide", B: "restore"}

    def test_a_copy_is_withdrawn_from_what_said_the_same_before_it(self) -> None:
        copy = state(A, condition="archived", merged_into=B)
        assert actions({A: ""}, [copy, state(B)], {(A, B)}) == {A: "withdraw"}

    def test_a_ring_of_merges_ends(self) -> None:
        gone: dict[str, Any] = {"condition": "archived"}
        ring = [state(A, merged_into=B, **gone), state(B, merged_into=A, **gone)]
        assert actions({A: ""}, ring) == {A: "leave", B: "review"}
