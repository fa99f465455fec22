"""Whatever the face writes, every invariant holds at every position of it."""

from pathlib import Path

import pytest
from commotion import commotion, take_over
from log_backends import SOAK

from muniment.proofs.facts import NAMES


@pytest.mark.parametrize("seed", range(50 * SOAK))
def test_all_invariants_hold_whatever_happens(seed: int, tmp_path: Path) -> None:
    made, other = commotion(seed), commotion(seed + 10**6)
    with made.m, other.m:
        made.happen(60)
        assert made.m.prove_invariants().violations == ()
        take_over(made, other, tmp_path)
        other.happen(40)
        assert other.m.prove_invariants().violations == ()


def test_commotion_makes_every_event_that_there_is(tmp_path: Path) -> None:
    seen: set[str] = set()
    for seed in range(100):
        made, other = commotion(seed), commotion(seed + 10**6)
        with made.m, other.m:
            made.happen(60)
            take_over(made, other, tmp_path)
            seen |= {entry.name for handle in (made.m, other.m) for entry in handle.log(space="*")}
        if seen >= NAMES:
            return
    assert sorted(NAMES - seen) == []
