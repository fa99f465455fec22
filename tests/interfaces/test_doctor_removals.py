"""The doctor tells words that were removed on record from those that are lost."""

from collections.abc import Callable
from pathlib import Path

import loopback
import pytest
from bdd import Clock
from loopback import Loopback
from projection_answers import store_of
from terminal import Terminal

import muniment
from muniment import removals
from muniment.interfaces.cli import doctor


def erased_of_a_memory(m: muniment.Muniment, id_: str) -> None:
    m.erase(id_, basis="gdpr-17")


def erased_with_what_was_merged(m: muniment.Muniment, id_: str) -> None:
    m.merge([id_, m.save("Zoe works in Porto.").id], "Zoe works in Lisbon. Zoe works in Porto.")
    m.erase_subject("zoe", basis="gdpr-17")


def erased_with_the_merge_rewritten(m: muniment.Muniment, id_: str) -> None:
    m.merge([id_, m.save("Anna is in Porto.").id], "Zoe works in Lisbon. Anna is in Porto.")
    m.erase_subject("zoe", basis="gdpr-17", cascade="rewrite")


def erased_with_the_merge_kept(m: muniment.Muniment, id_: str) -> None:
    m.merge([id_, m.save("Anna is in Porto.").id], "Zoe works in Lisbon. Anna is in Porto.")
    m.erase_subject("zoe", basis="gdpr-17", cascade=("keep", "it names nobody"))


def erased_space(m: muniment.Muniment, _: str) -> None:
    m.recall("Lisbon", session="one")
    m.acting_as("subagent:scout").propose("Zoe likes tea.", trigger="a letter")
    m.feedback("correction", "Zoe is right", session="one")
    m.erase_space("default", basis="gdpr-17")


def purged(m: muniment.Muniment, id_: str) -> None:
    m.revise(id_, "Zoe works in Faro.")
    m.archive(id_, "it is old")


def recalled_long_ago(m: muniment.Muniment, _: str) -> None:
    m.recall("Lisbon", session="one")


MONTH = {"recall": {"retention_days": 30.0}}
REMOVALS: dict[Callable[[muniment.Muniment, str], None], int] = {
    erased_of_a_memory: 1,
    erased_with_what_was_merged: 3,  # what was merged besides is purged, as long archived
    erased_with_the_merge_rewritten: 2,
    erased_with_the_merge_kept: 2,
    erased_space: 4,
    purged: 1,
    recalled_long_ago: 1,
}


@pytest.mark.parametrize("remove", REMOVALS)
@pytest.mark.parametrize("lost", [False, True], ids=["whole", "a key lost"])
def test_what_was_removed_on_record_is_fine_and_what_is_missing_without_is_broken(
    tmp_path: Path, remove: Callable[[muniment.Muniment, str], None], *, lost: bool
) -> None:
    clock = Clock()
    with muniment.open(tmp_path / "store", clock=clock, settings=MONTH) as store:
        id_ = store.save("Zoe works in Lisbon.", metadata={"subject": "zoe"}).id
        remove(store, id_)
    clock.advance(days=91)
    with muniment.open(tmp_path / "store", clock=clock, settings=MONTH) as store:
        store.purge()
        kept = store.save("Bert works in Faro.")
        key_id = store_of(store).rows.key_of(kept.id)
        if lost:
            assert store_of(store).keys.destroy([key_id or 0]) == 1
    diagnosis = doctor.diagnose(tmp_path / "store", "default", clock())
    found = {check.name: check for check in diagnosis.checks}
    assert diagnosis.healthy is not lost
    assert found["removed"].standing == "fine"
    assert found["removed"].found.startswith(f"The words of {REMOVALS[remove]} were removed")
    assert found["memories"].found == (
        "1 cannot be read in full (key_missing)." if lost else "Every memory can be read."
    )


def test_a_removal_that_is_half_done_is_one_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    with muniment.open(tmp_path / "store", clock=clock) as store:
        store.archive(store.save("Zoe works in Lisbon.").id, "it is old")
        clock.advance(days=400)
        with monkeypatch.context() as patch:
            patch.setattr(removals, "_forget", out_of_space)
            with pytest.raises(muniment.StorageFailed):
                store.purge()
        assert [entry.name for entry in store.log()][-1] == "memory.purge_requested"
    diagnosis = doctor.diagnose(tmp_path / "store", "default", clock())
    found = {check.name: check.found for check in diagnosis.checks}
    assert diagnosis.healthy
    assert found["removed"].startswith("The words of 1 were removed")


def out_of_space(*_: object) -> None:
    raise muniment.StorageFailed("The disk is full.", code="full")


def test_an_evaluation_goes_with_the_words_that_went_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_AUDIT__HIGH_REINFORCEMENT_FLOOR", "2")
    with Loopback(always=loopback.all_are(sound=False, evidence="in chicago")) as server:
        monkeypatch.setenv("MUNIMENT_MODEL__ENDPOINT", server.url())
        monkeypatch.setenv("MUNIMENT_MODEL__NAME", "judge")
        with muniment.open(tmp_path / "store") as store:
            id_ = store.save("User is in Chicago").id
            assert store.save("User is in Chicago").outcome == "reinforced"
            store.audit.evaluate()
            store.erase(id_, basis="gdpr-17")
            now = store.now
    diagnosis = doctor.diagnose(tmp_path / "store", "default", now)
    found = {check.name: check.found for check in diagnosis.checks}
    assert diagnosis.healthy
    assert found["removed"].startswith("The words of 2 were removed")


def test_after_an_erasure_the_program_ends_well(muniment: Terminal) -> None:
    muniment.save("Zoe works in Lisbon.", "--metadata", "subject=zoe")
    assert muniment("erase", "--subject", "zoe", "--basis", "x", "--yes").status == 0
    run = muniment("doctor")
    assert (run.status, run.err) == (0, "")
    assert "The words of 1 were removed, as the log says" in run.out
    assert "broken" not in run.out
