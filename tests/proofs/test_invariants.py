"""Each invariant against a log that breaks it and nothing else."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from handwritten import NOBODY, A, B, C, D, E, Handwritten, archived, reinforced, removal
from making import START, extended, saved

from muniment.domain.erasure import events as erasure
from muniment.domain.memory import events as e
from muniment.domain.proposal import events as p
from muniment.proofs.invariants import ALL
from muniment.proofs.proof import prove

DAY = timedelta(days=1)


@pytest.fixture
def log() -> Iterator[Handwritten]:
    made = Handwritten()
    yield made
    made.close()


def merged(log: Handwritten) -> None:
    """A and B, merged into C at positions 3 to 5."""
    log.save(A, B)
    log.merge(C, A, B)
    log.absorb(C, A, B)


def folded(log: Handwritten) -> None:
    """B, folded into A at positions 3 and 4."""
    log.save(A, B)
    log.fold(A, B)
    log.absorb(A, B, cause="fold")


def purged(log: Handwritten) -> None:
    """A, archived and purged at positions 2 to 4."""
    log.save(A)
    log.say(A, archived())
    log.request(A)
    log.purge(A)


Breaking = Callable[[Handwritten], int]
BROKEN: dict[str, list[Breaking]] = {name: [] for name in ALL}


def breaks(name: str) -> Callable[[Breaking], Breaking]:
    def add(breaking: Breaking) -> Breaking:
        BROKEN[name].append(breaking)
        return breaking

    return add


@breaks("recorded-times-never-fall")
def a_time_before_the_last(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, e.Used(), at=START)


@breaks("one-space-per-memory")
def an_event_in_another_space(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, e.Used(), space="other")


@breaks("memory-begins-once")
def a_memory_that_was_never_saved(log: Handwritten) -> int:
    return log.say(A, e.Used())


@breaks("memory-begins-once")
def a_memory_that_is_saved_again(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, saved())


@breaks("no-memory-event-by-subagent")
def a_subagent_that_saves(log: Handwritten) -> int:
    return log.say(A, saved(), actor="subagent:scout")


@breaks("nothing-after-purge")
def a_purged_memory_that_is_used(log: Handwritten) -> int:
    purged(log)
    return log.say(A, e.Pinned(), at=log.at(0) + 99 * DAY)


@breaks("nothing-after-purge")
def a_memory_that_is_reinforced_between_the_request_and_the_purge(log: Handwritten) -> int:
    log.save(A)
    log.say(A, archived())
    log.request(A)
    return log.say(A, e.Rescored(importance=0.1), at=log.at(0) + 99 * DAY)


@breaks("nothing-after-purge")
def a_memory_that_came_purged_and_is_restored(log: Handwritten) -> int:
    log.imported(A, condition="purged")
    return log.say(A, e.Restored())


@breaks("merge-sources-archived")
def a_merge_whose_second_source_is_not_archived(log: Handwritten) -> int:
    log.save(A, B)
    log.merge(C, A, B)
    log.absorb(C, A)
    return log.say(C, e.Used())


@breaks("merge-sources-archived")
def a_merge_whose_sources_are_archived_by_another_command(log: Handwritten) -> int:
    log.save(A, B)
    log.merge(C, A, B)
    first = log.say(A, archived("merge", C), "another")
    log.say(B, archived("merge", C), "another")
    return first


@breaks("merge-sources-archived")
def a_log_that_ends_within_a_fold(log: Handwritten) -> int:
    log.save(A, B)
    return log.fold(A, B)


@breaks("merge-sources-archived")
def an_archive_into_what_never_took_it_in(log: Handwritten) -> int:
    log.save(A, B)
    return log.say(A, archived("merge", B))


@breaks("no-hard-delete-outside-purge")
def a_memory_that_resembles_one_that_is_gone(log: Handwritten) -> int:
    return log.say(A, saved(resembles=(NOBODY,)))


@breaks("episodes-final")
def an_episode_that_is_revised(log: Handwritten) -> int:
    log.save(A, store="episodic")
    return log.say(A, e.Revised(content="not so", chars=6))


@breaks("episodes-final")
def an_episode_that_is_extended(log: Handwritten) -> int:
    log.save(A, store="episodic")
    return log.say(A, extended("and more"))


@breaks("archive-fields-present")
def an_archive_without_a_cause(log: Handwritten) -> int:
    log.save(A)
    cause: Any = None
    return log.say(A, archived(cause))


@breaks("archive-fields-present")
def an_archive_without_a_reason(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, archived(reason=""))


@breaks("archive-fields-present")
def a_merged_one_that_does_not_say_into_what(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, archived("merge"))


@breaks("archive-fields-present")
def one_that_names_what_took_it_in_and_was_not_merged(log: Handwritten) -> int:
    log.save(A, B)
    return log.say(A, archived("request", B))


@breaks("archive-fields-present")
def one_that_came_archived_without_a_time(log: Handwritten) -> int:
    return log.imported(A, condition="archived")


@breaks("pinned-kept-from-policies")
def a_policy_that_archives_a_pinned_memory(log: Handwritten) -> int:
    log.save(A)
    log.say(A, e.Pinned())
    return log.say(A, archived("prune"), actor="system:dream")


@breaks("pinned-kept-from-policies")
def a_policy_that_archives_what_was_pinned_on_somebodys_words(log: Handwritten) -> int:
    log.save(A)
    log.say(A, e.PinnedWhenTold(trigger="never forget this"))
    return log.say(A, archived("prune"), actor="system:dream")


@breaks("pinned-kept-from-policies")
def a_policy_that_purges_what_came_pinned(log: Handwritten) -> int:
    log.imported(A, pinned=True, archived_at=log.at(1))
    return log.request(A, actor="system:retention")


@breaks("held-never-purged")
def a_held_memory_whose_purge_is_requested(log: Handwritten) -> int:
    log.save(A)
    log.say(A, e.Held())
    log.say(A, archived())
    return log.request(A)


@breaks("purge-requested-first")
def a_purge_without_a_request(log: Handwritten) -> int:
    log.save(A)
    log.say(A, archived())
    return log.say(A, removal(e.Purged))


@breaks("purge-requested-first")
def a_purge_with_other_evidence_than_its_request(log: Handwritten) -> int:
    log.save(A)
    log.say(A, archived())
    log.request(A)
    return log.purge(A, policy="another")


@breaks("purged-once")
def a_second_purge(log: Handwritten) -> int:
    purged(log)
    again = removal(e.Purged, archived_at=log.at(2), retention_days=90.0)
    return log.say(A, again, at=log.at(0) + 99 * DAY)


@breaks("purged-once")
def a_second_request(log: Handwritten) -> int:
    log.save(A)
    log.erase(E, A)
    log.erased(A)
    again = log.erase(D, A)
    log.erased(A)
    return again + 1


@breaks("retention-held")
def a_purge_that_comes_a_second_early(log: Handwritten) -> int:
    log.save(A)
    log.say(A, archived())
    return log.request(A, late=-1 / 86_400)


@breaks("retention-held")
def a_purge_of_a_live_memory(log: Handwritten) -> int:
    log.save(A)
    return log.request(A)


@breaks("retention-held")
def a_purge_that_backdates_the_archive(log: Handwritten) -> int:
    log.save(A)
    log.say(A, archived())
    return log.request(A, archived_at=log.at(1))


@breaks("retention-held")
def a_purge_on_no_known_basis(log: Handwritten) -> int:
    log.save(A)
    log.say(A, archived())
    return log.request(A, basis="whim")


@breaks("merged-from-resolves")
def a_merge_of_what_is_not_there(log: Handwritten) -> int:
    log.save(A)
    at = log.merge(C, A, NOBODY)
    log.absorb(C, A)
    return at


@breaks("merged-from-resolves")
def a_fold_that_counts_a_copy_twice(log: Handwritten) -> int:
    log.save(A, B)
    at = log.fold(A, B, B, last_seen_at=log.at(2))
    log.absorb(A, B, cause="fold")
    return at


@breaks("merge-sources-live")
def a_merge_of_an_archived_memory(log: Handwritten) -> int:
    log.save(A, B)
    log.say(B, archived())
    at = log.merge(C, A, B, source_versions=(1, 2))
    log.absorb(C, A, B)
    return at


@breaks("merge-source-versions")
def a_merge_of_an_older_version(log: Handwritten) -> int:
    log.save(A, B)
    log.say(B, e.Retagged(tags=("x",)))
    at = log.merge(C, A, B)
    log.absorb(C, A, B)
    return at


def _merge_saying(**wrong: Any) -> Breaking:
    def breaking(log: Handwritten) -> int:
        log.save(A, B)
        at = log.merge(C, A, B, **wrong)
        log.absorb(C, A, B)
        return at

    return breaking


def _fold_saying(**wrong: Any) -> Breaking:
    def breaking(log: Handwritten) -> int:
        log.save(A, B)
        at = log.fold(A, B, **wrong)
        log.absorb(A, B, cause="fold")
        return at

    return breaking


BROKEN["merge-figures-follow"] = [
    _merge_saying(reinforcement_count=3),
    _merge_saying(trust=2),
    _merge_saying(created_at=START),
    _merge_saying(last_seen_at=START + DAY),
]
BROKEN["fold-figures-follow"] = [
    _fold_saying(counts=(2,)),
    _fold_saying(trust=2),
    _fold_saying(created_at=START),
    _fold_saying(last_seen_at=START + DAY),
]


@breaks("merge-chain-unbroken")
def a_memory_archived_into_what_is_not_there(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, archived("merge", NOBODY))


@breaks("live-not-merge-source")
def a_merged_memory_that_is_used(log: Handwritten) -> int:
    merged(log)
    return log.say(A, e.Used())


@breaks("live-not-merge-source")
def a_folded_memory_that_is_released(log: Handwritten) -> int:
    folded(log)
    return log.say(B, e.Released())


@breaks("seen-never-falls")
def a_sighting_before_the_last(log: Handwritten) -> int:
    log.imported(A, last_seen_at=START + DAY)
    return log.say(A, reinforced())


@breaks("lost-reinforcement")
def a_purge_that_misstates_the_count(log: Handwritten) -> int:
    log.save(A)
    log.say(A, archived())
    return log.request(A, reinforcement_count=2)


@breaks("lost-reinforcement")
def a_retraction_of_more_than_was_counted(log: Handwritten) -> int:
    merged(log)
    log.say(A, e.Restored(), "restoring")
    return log.say(C, e.MergeRetracted(restored=A, count=2), "restoring")


@breaks("lost-reinforcement")
def an_import_that_was_never_seen(log: Handwritten) -> int:
    return log.imported(A, reinforcement_count=0)


@breaks("retraction-follows-restore")
def a_retraction_by_another_command_than_the_restore(log: Handwritten) -> int:
    merged(log)
    log.say(A, e.Restored())
    return log.say(C, e.MergeRetracted(restored=A, count=1))


@breaks("retraction-follows-restore")
def a_retraction_from_what_had_not_absorbed_it(log: Handwritten) -> int:
    merged(log)
    log.save(D)
    log.say(A, e.Restored(), "restoring")
    return log.say(D, e.MergeRetracted(restored=A, count=1), "restoring")


@breaks("retraction-follows-restore")
def a_retraction_that_is_said_twice(log: Handwritten) -> int:
    merged(log)
    log.say(A, e.Restored(), "restoring")
    log.say(C, e.MergeRetracted(restored=A, count=1), "restoring")
    return log.say(C, e.MergeRetracted(restored=A, count=1), "restoring")


@breaks("superseded-by-another")
def a_memory_superseded_by_itself(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, e.Superseded(by=A, importance=0.5))


@breaks("superseded-by-another")
def a_memory_superseded_by_one_of_another_space(log: Handwritten) -> int:
    log.save(A)
    log.say(B, saved(), space="other")
    return log.say(A, e.Superseded(by=B, importance=0.5))


@breaks("rejection-names-sources")
def a_refused_merge_of_what_is_not_there(log: Handwritten) -> int:
    log.save(A)
    sources = (A, NOBODY)
    rejected = e.MergeRejected(cluster="c", sources=sources, text_version=1, missing_count=1)
    return log.say(A, rejected)


ALTERED: dict[str, dict[str, Any]] = {
    "streams-contiguous": {"version": 3},
    "facts-readable": {"facts": b'{"importance":0.5'},
    "facts-readable, without a time": {"recorded_at": "yesterday"},
    "facts-readable, without a fact": {"facts": b'{"trust":3}'},
    "facts-readable, no object": {"facts": b"[]"},
    "facts-readable, of another type": {"facts": b'{"counted":1,"trust":3}'},
}
"""Rows that no store would take, and what each breaks."""


@breaks("proposal-begins-once")
def a_decision_on_what_nobody_proposed(log: Handwritten) -> int:
    return log.say(A, p.Rejected(cause="request", reason="no"))


@breaks("proposal-begins-once")
def a_proposal_that_is_made_again(log: Handwritten) -> int:
    log.propose(A, 1)
    return log.propose(A, 2)


@breaks("proposal-begins-once")
def a_proposal_out_of_number(log: Handwritten) -> int:
    log.propose(A, 1)
    return log.propose(B, 3)


@breaks("proposal-decided-by-another")
def a_proposal_decided_by_its_proposer(log: Handwritten) -> int:
    log.propose(A, 1)
    return log.say(A, p.Rejected(cause="request", reason="no"), actor="subagent:scout")


@breaks("proposal-decided-by-another")
def a_proposal_deferred_after_it_was_rejected(log: Handwritten) -> int:
    log.propose(A, 1)
    log.say(A, p.Rejected(cause="request", reason="no"))
    return log.say(A, p.Deferred(reason="or not"))


@breaks("proposal-commits-one-memory")
def a_commit_that_no_memory_came_of(log: Handwritten) -> int:
    log.save(B)
    log.propose(A, 1)
    return log.commit(A, B)


@breaks("proposal-commits-one-memory")
def a_commit_that_names_another_memory(log: Handwritten) -> int:
    log.save(C)
    log.propose(A, 1)
    log.come_of(A, B)
    return log.commit(A, C)


@breaks("proposal-commits-one-memory")
def a_second_memory_of_a_proposal(log: Handwritten) -> int:
    log.propose(A, 1)
    log.come_of(A, B)
    return log.come_of(A, C)


@breaks("proposal-commits-one-memory")
def a_memory_of_a_rejected_proposal(log: Handwritten) -> int:
    log.propose(A, 1)
    log.say(A, p.Rejected(cause="request", reason="no"))
    return log.come_of(A, B)


@breaks("proposal-commits-one-memory")
def a_memory_of_a_proposal_by_another_actor(log: Handwritten) -> int:
    log.propose(A, 1)
    return log.come_of(A, B, actor="bot:main")


@pytest.mark.parametrize("name", ALTERED)
def test_a_row_that_no_store_would_take_is_found(log: Handwritten, name: str) -> None:
    log.save(A)
    log.say(A, reinforced())
    proof = log.proof(2, **ALTERED[name])
    invariant = name.partition(",")[0]
    assert [(one.invariant, one.position) for one in proof.violations] == [(invariant, 2)]


def test_a_proposal_that_is_committed_as_it_should_be_breaks_nothing(log: Handwritten) -> None:
    log.propose(A, 1)
    log.propose(B, 2)
    log.say(A, p.Contradicted(by=B))
    log.say(A, p.Deferred(reason="ask"))
    log.come_of(A, C)
    log.commit(A, C)
    log.propose(D, 1, space="other")
    assert log.proof().violations == ()


# erasures stand below, for they take several events each


@breaks("erasure-whole")
def a_purge_on_the_basis_of_an_erasure_that_nobody_asked_for(log: Handwritten) -> int:
    log.save(A)
    return log.say(A, removal(e.PurgeRequested, basis="erasure"))


@breaks("erasure-whole")
def an_erasure_that_is_asked_for_by_another_command(log: Handwritten) -> int:
    log.save(A)
    log.erase(E, A)
    return log.say(A, removal(e.PurgeRequested, basis="erasure"), "another")


@breaks("erasure-whole")
def an_erasure_that_leaves_out_one_that_it_names(log: Handwritten) -> int:
    log.save(A, B)
    log.erase(E, A, B)
    log.erased(A)
    return log.say(B, e.Used())


@breaks("erasure-whole")
def an_erasure_that_takes_one_that_it_does_not_name(log: Handwritten) -> int:
    log.save(A, B)
    log.erase(E, A)
    log.erased(A)
    return log.say(B, removal(e.PurgeRequested, basis="erasure"), "erasing")


@breaks("erasure-whole")
def a_log_that_ends_within_an_erasure(log: Handwritten) -> int:
    log.save(A)
    return log.erase(E, A)


def _erased(log: Handwritten, *ids: str, **how: Any) -> int:
    log.save(A, B)
    position = log.erase(E, *ids, **how)
    log.erased(*dict.fromkeys(ids))
    return position


@breaks("erasure-fields")
def an_erasure_whose_basis_is_a_sentence(log: Handwritten) -> int:
    return _erased(log, A, basis="Anna asked for it")


@breaks("erasure-fields")
def an_erasure_of_a_policy_that_nobody_knows(log: Handwritten) -> int:
    return _erased(log, A, policy="perhaps")


@breaks("erasure-fields")
def an_erasure_of_nothing(log: Handwritten) -> int:
    return _erased(log)


@breaks("erasure-fields")
def an_erasure_of_one_memory_twice(log: Handwritten) -> int:
    return _erased(log, A, A)


@breaks("erasure-fields")
def an_erasure_that_restores_what_it_erases(log: Handwritten) -> int:
    return _erased(log, A, restored=(A,))


@breaks("erasure-fields")
def an_erasure_that_keeps_although_it_cascades(log: Handwritten) -> int:
    return _erased(log, A, kept=(B,))


@breaks("erasure-fields")
def an_erasure_that_leaves_what_is_not_there(log: Handwritten) -> int:
    return _erased(log, A, left=(NOBODY,))


@breaks("erasure-fields")
def an_erasure_that_does_not_begin_its_stream(log: Handwritten) -> int:
    _erased(log, A)
    position = log.erase(E, B)
    log.erased(B)
    return position


@breaks("erasure-done-last")
def an_erasure_that_ends_before_its_purges(log: Handwritten) -> int:
    _erased(log, A, B)
    log.end(B)
    return log.say(E, erasure.Completed())


@breaks("erasure-done-last")
def an_erasure_that_ends_twice(log: Handwritten) -> int:
    _erased(log, A)
    log.end(A)
    log.say(E, erasure.Completed())
    return log.say(E, erasure.Completed())


@breaks("erasure-done-last")
def an_end_of_an_erasure_that_nobody_asked_for(log: Handwritten) -> int:
    return log.say(E, erasure.Completed())


# streams of an erasure that are no memories'


def _words_erased(log: Handwritten, *ids: str) -> int:
    """A proposal B of an erasure E, asked for at positions 2 and 3."""
    log.propose(B, 1)
    position = log.erase(E, named=(), proposals=ids or (B,))
    log.words_erased(E, *dict.fromkeys(ids or (B,)))
    return position


@breaks("erasure-whole")
def a_purge_of_words_that_no_erasure_asked_for(log: Handwritten) -> int:
    log.propose(B, 1)
    return log.say(B, erasure.WordsPurgeRequested(erasure=E))


@breaks("erasure-whole")
def a_purge_of_words_for_another_erasure(log: Handwritten) -> int:
    log.propose(B, 1)
    log.erase(E, named=(), proposals=(B,))
    return log.say(B, erasure.WordsPurgeRequested(erasure=A), "erasing")


@breaks("erasure-whole")
def an_erasure_that_leaves_out_a_proposal_that_it_names(log: Handwritten) -> int:
    log.propose(B, 1)
    log.erase(E, named=(), proposals=(B,))
    return log.say(A, saved())


@breaks("erasure-fields")
def an_erasure_of_one_proposal_twice(log: Handwritten) -> int:
    return _words_erased(log, B, B)


@breaks("erasure-fields")
def an_erasure_of_recalls_that_are_not_there(log: Handwritten) -> int:
    return log.erase(E, named=(), recalls=(NOBODY,))


@breaks("erasure-done-last")
def an_erasure_that_ends_before_its_words_are_purged(log: Handwritten) -> int:
    _words_erased(log)
    return log.say(E, erasure.Completed())


@breaks("purge-requested-first")
def a_purge_of_words_that_says_another_erasure(log: Handwritten) -> int:
    _words_erased(log)
    return log.say(B, erasure.WordsPurged(erasure=A))


@breaks("purged-once")
def words_that_are_purged_twice(log: Handwritten) -> int:
    _words_erased(log)
    log.say(B, erasure.WordsPurged(erasure=E))
    return log.say(B, erasure.WordsPurged(erasure=E))


@breaks("nothing-after-purge")
def a_proposal_that_is_deferred_after_its_words_went(log: Handwritten) -> int:
    _words_erased(log)
    return log.say(B, p.Deferred(), actor="bot:main")


CASES = [
    pytest.param(name, breaking, id=f"{name}: {breaking.__name__} {number}")
    for name, several in BROKEN.items()
    for number, breaking in enumerate(several, 1)
]


@pytest.mark.parametrize(("name", "breaking"), CASES)
def test_a_log_that_breaks_one_invariant_is_found_where_it_does(
    log: Handwritten, name: str, breaking: Breaking
) -> None:
    position = breaking(log)
    proof = log.proof()
    found = [(one.invariant, one.position) for one in proof.violations]
    assert found == [(name, position)], proof.violations
    (violation,) = proof.violations
    row = log.rows()[position - 1]
    assert (violation.name, violation.stream) == (row.name, row.stream)
    assert violation.message.endswith(".")
    assert not proof.holds


def test_an_erasure_of_words_beside_the_memories_holds(log: Handwritten) -> None:
    _words_erased(log)
    log.say(B, erasure.WordsPurged(erasure=E))
    log.say(E, erasure.Completed())
    log.erase(A, named=(), turns=1)
    log.say(A, erasure.Completed())
    assert log.proof().violations == ()


def test_every_invariant_has_a_log_that_breaks_it() -> None:
    broken = {name for name, several in BROKEN.items() if several}
    assert broken | {name.partition(",")[0] for name in ALTERED} == set(ALL)


def test_an_invariant_that_breaks_again_is_counted_and_stays_at_its_first_position(
    log: Handwritten,
) -> None:
    for id_ in (A, B, C):
        log.say(id_, saved(), actor="subagent:scout")
    (violation,) = log.proof().violations
    assert (violation.position, violation.stream, violation.count) == (1, A, 3)


def test_violations_stand_in_the_order_of_their_positions(log: Handwritten) -> None:
    log.say(A, saved(resembles=(NOBODY,)))
    log.say(B, e.Used())
    log.say(A, saved(), actor="subagent:scout")
    found = [(one.position, one.invariant) for one in log.proof().violations]
    assert found == [
        (1, "no-hard-delete-outside-purge"),
        (2, "memory-begins-once"),
        (3, "no-memory-event-by-subagent"),
    ]


class TestNoFalseAlarm:
    def test_an_empty_log_holds(self) -> None:
        assert prove([]).holds
        assert prove([]).positions == 0

    @pytest.mark.parametrize("write", [merged, folded, purged], ids=lambda write: write.__name__)
    def test_what_decisions_write_holds(
        self, log: Handwritten, write: Callable[[Handwritten], None]
    ) -> None:
        write(log)
        proof = log.proof()
        assert (proof.positions, proof.violations) == (len(log.rows()), ())

    def test_a_restored_source_may_be_used_and_merged_again(self, log: Handwritten) -> None:
        merged(log)
        log.say(A, e.Restored(), "restoring")
        log.say(C, e.MergeRetracted(restored=A, count=1), "restoring")
        log.say(A, e.Used())
        log.merge(
            D,
            *(C, A),
            source_versions=(2, 4),
            last_seen_at=log.at(2),
            reinforcement_count=2,
        )
        log.absorb(D, C, A)
        assert log.proof().violations == ()

    def test_a_count_is_taken_out_of_the_whole_chain(self, log: Handwritten) -> None:
        merged(log)
        log.save(D)
        log.merge(
            E,
            *(C, D),
            created_at=log.at(1),
            last_seen_at=log.at(6),
            reinforcement_count=3,
        )
        log.absorb(E, C, D)
        log.say(A, e.Restored(), "restoring")
        log.say(C, e.MergeRetracted(restored=A, count=1), "restoring")
        log.say(E, e.MergeRetracted(restored=A, count=1), "restoring")
        assert log.proof().violations == ()

    def test_a_count_never_falls_under_one(self, log: Handwritten) -> None:
        merged(log)
        for source in (A, B):
            log.say(source, e.Restored(), source)
            log.say(C, e.MergeRetracted(restored=source, count=1), source)
        log.say(C, archived())
        log.request(C, reinforcement_count=1)
        assert log.proof().violations == ()

    def test_an_erasure_needs_no_archive_and_no_unpinning(self, log: Handwritten) -> None:
        log.save(A, B)
        log.say(A, e.Pinned())
        log.erase(E, A, B, scope="subject")
        log.erased(A, B, actor="system:office")
        log.end(A, B)
        log.say(E, erasure.Completed())
        assert log.proof().violations == ()

    def test_an_erasure_that_is_under_way_is_no_alarm(self, log: Handwritten) -> None:
        log.save(A, B)
        log.erase(E, A, B)
        log.erased(A, B)
        log.end(B)
        assert log.proof().violations == ()

    def test_what_was_merged_with_something_erased_may_come_back(self, log: Handwritten) -> None:
        merged(log)
        log.erase(E, A, C, restored=(B,), policy="rewrite")
        log.erased(A)
        log.say(C, removal(e.PurgeRequested, basis="erasure", reinforcement_count=2), "erasing")
        log.say(B, e.Restored(), "erasing")
        log.say(B, e.Used())
        assert log.proof().violations == ()

    def test_imports_may_name_memories_that_are_not_here(self, log: Handwritten) -> None:
        log.imported(A, merged_from=(NOBODY, D), resembles=(NOBODY,), conflicts_with=(NOBODY,))
        log.imported(B, archived_at=START, merged_into=NOBODY, reinforcement_count=7)
        log.imported(C, archived_at=START, condition="superseded", superseded_by=NOBODY)
        log.say(B, e.Restored())
        log.say(C, e.Restored())
        log.merge(
            D,
            *(A, B, C),
            source_versions=(1, 2, 2),
            created_at=START,
            last_seen_at=START,
            reinforcement_count=9,
        )
        log.absorb(D, A, B, C)
        assert log.proof().violations == ()

    def test_what_a_newer_release_wrote_is_claimed_nothing_of(self, log: Handwritten) -> None:
        log.save(A, B)
        log.say(B, e.Used())
        log.merge(C, A, B, source_versions=(1, 2), reinforcement_count=9)
        log.absorb(C, A, B)
        assert [one.invariant for one in log.proof().violations] == ["merge-figures-follow"]
        assert log.proof(3, name="memory.observed_elsewhere").violations == ()
        assert log.proof(3, schema=2).violations == ()

    def test_streams_of_other_things_are_held_to_what_any_event_is(self, log: Handwritten) -> None:
        log.save(A)
        log.say(B, e.Pinned())
        assert log.proof(2, name="session.recalled", actor="subagent:scout").violations == ()
        found = log.proof(2, name="session.recalled", version=2).violations
        assert [one.invariant for one in found] == ["streams-contiguous"]
