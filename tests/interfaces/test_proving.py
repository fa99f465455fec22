"""``prove-invariants``: for people, for programs, and by its exit status."""

from datetime import UTC, datetime

from handwritten import NOBODY
from making import pending, saved
from terminal import Terminal

from muniment.log.store import Store
from muniment.proofs.invariants import ALL


def test_a_sound_log_held_at_all_positions(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    run = muniment("prove-invariants")
    assert (run.status, run.out[:24]) == (0, "Held at all 1 positions:")
    assert f"{len(ALL)} invariants" in run.out


def test_what_broke_is_shown_with_what_to_do_and_ends_with_1(muniment: Terminal) -> None:
    muniment.save("User is in Chicago")
    store = Store(muniment.data, release="test")
    store.append([pending(saved("Nora", resembles=(NOBODY,)), at=datetime.now(UTC))])
    store.close()
    run = muniment("prove-invariants")
    assert run.status == 1
    assert "Not all invariants held." in run.out
    assert "no-hard-delete-outside-purge" in run.out
    assert "muniment verify" in run.out
    run = muniment("prove-invariants", "--json")
    assert run.status == 1
    assert run.json["positions"] == 2
    (violation,) = run.json["violations"]
    assert violation["position"] == 2
    assert violation["invariant"] == "no-hard-delete-outside-purge"
    assert run.json["invariants"] == list(ALL)
