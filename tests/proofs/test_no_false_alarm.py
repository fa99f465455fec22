"""Whatever the face writes, every invariant holds at every position of it."""

from pathlib import Path

import pytest
from commotion import commotion, take_over
from log_backends import SOAK

from muniment.proofs.facts import FORMS


@pytest.mark.parametrize("seed", range(50 * SOAK))
def test_all_invariants_hold_whatever_happens(seed: int, tmp_path: Path) -> None:
    made, other = commotion(seed), commotion(seed + 10**6)
    with made.m, other.m:
        made.happen(60)
        assert made.m.prove_invariants().violations == ()
        take_over(made, other, tmp_path)
        other.happen(40)
        assert other.m.prove_invariants().violations == ()
        assert other.m.audit.run()["malformedFiles"] == 0


def test_commotion_makes_every_event_in_every_schema(tmp_path: Path) -> None:
    seen: set[tuple[str, int]] = set()
    for seed in range(100):
        made, other = commotion(seed), commotion(seed + 10**6)
        with made.m, other.m:
            made.happen(60)
            take_over(made, other, tmp_path)
            for handle in (made.m, other.m):
                seen |= {(entry.name, entry.schema) for entry in handle.log(space="*")}
        if seen >= FORMS:
            return
    assert sorted(FORMS - seen) == []
