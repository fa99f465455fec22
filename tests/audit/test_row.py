"""What a run measures: the cases that the figures are agreed by."""

from datetime import timedelta

from audited import DAY, Bench, violation
from handwritten import A, B, C, D, E, Handwritten, archived, reinforced, removal, stream
from making import START, saved

from muniment.audit.row import Growth, as_row
from muniment.domain.audit import PurgeOutlook
from muniment.domain.memory import events as e


def test_a_first_run_has_no_deltas_no_rate_and_is_healthy(log: Handwritten, bench: Bench) -> None:
    log.save(*map(stream, range(1, 8)))
    run = bench.run()
    assert (run.live, run.created_since_last, run.net_growth_per_day) == (7, 0, None)
    assert (run.status, run.invariants, run.previous_taken_at) == ("healthy", (), None)


def test_ten_new_ones_over_two_days_are_five_a_day(log: Handwritten, bench: Bench) -> None:
    log.save(A)
    bench.run(START)
    log.save(*map(stream, range(10, 20)))
    run = bench.run(START + 2 * DAY)
    assert (run.created_since_last, run.net_growth_per_day) == (10, 5.0)
    assert run.status == "healthy"


def test_six_new_ones_in_seven_minutes_give_no_rate(log: Handwritten, bench: Bench) -> None:
    log.save(A)
    bench.run(START)
    log.save(*map(stream, range(10, 16)))
    run = bench.run(START + timedelta(minutes=7))
    assert (run.created_since_last, run.net_growth_per_day, run.status) == (6, None, "healthy")


def test_what_is_created_and_archived_between_two_runs_is_new_and_not_archived(
    log: Handwritten, bench: Bench
) -> None:
    log.save(A, B)
    bench.run()
    log.save(C)
    log.say(C, archived())
    log.say(A, archived())
    run = bench.run()
    assert (run.created_since_last, run.archived_since_last, run.archived) == (1, 1, 2)
    log.say(A, e.Restored())
    assert bench.run().restored_since_last == 1


def test_depth_follows_rewriting_merges_alone(log: Handwritten, bench: Bench) -> None:
    raw = [stream(number) for number in range(1, 8)]
    log.save(*raw)
    chain = [stream(100 + number) for number in range(3)]
    source = raw[0]
    for number, into in enumerate(chain):
        log.merge(into, source, raw[number + 1])
        log.absorb(into, source, raw[number + 1])
        source = into
    log.merge(stream(200), raw[4], raw[5])
    log.absorb(stream(200), raw[4], raw[5])
    log.fold(chain[-1], raw[6])
    log.absorb(chain[-1], raw[6], cause="fold")
    run = bench.run()
    assert (run.merge_chain_depth, run.max_chain_depth) == ({"1": 1, "3": 1}, 3)


def test_a_chain_ends_at_a_purged_source_and_where_it_comes_back_to_itself(
    log: Handwritten, bench: Bench
) -> None:
    log.save(A, B)
    log.merge(C, A, B)
    log.absorb(C, A, B)
    log.merge(D, C, D)
    log.say(C, archived())
    assert bench.run().max_chain_depth == 2
    log.request(C)
    assert bench.run().max_chain_depth == 1


def test_reinforcement_is_a_histogram_over_what_is_live(log: Handwritten, bench: Bench) -> None:
    for number, count in enumerate((1, 4, 5, 9, 10, 19, 20, 300)):
        log.imported(stream(number + 1), reinforcement_count=count)
    log.imported(stream(50), reinforcement_count=7, condition="archived", archived_at=START)
    assert bench.run().reinforcement == {"1": 1, "2-4": 1, "5-9": 2, "10-19": 2, "20+": 2}


def test_only_observations_that_count_reinforce(log: Handwritten, bench: Bench) -> None:
    log.save(A, B, C)
    bench.run()
    log.say(A, reinforced())
    log.say(A, reinforced())
    log.say(B, reinforced(counted=False))
    log.fold(A, C)
    log.absorb(A, C, cause="fold")
    assert bench.run().reinforced_without_merge_since_last == 1
    assert bench.run().reinforced_without_merge_since_last == 0


def test_what_leaves_is_counted_by_its_basis(log: Handwritten, bench: Bench) -> None:
    log.save(A, B, C)
    for id_ in (A, B):
        log.say(id_, archived())
    bench.run()
    log.request(A)
    log.say(B, removal(e.PurgeRequested, basis="erasure"), at=log.at(100) + 100 * DAY)
    run = bench.run()
    assert (run.purged_since_last, run.erased_since_last) == (1, 1)
    assert (run.hard_deleted_since_last, run.hard_deleted_outside_purge) == (2, 0)
    assert violation(run, "no-hard-delete-outside-purge") is None
    assert bench.run().purged_since_last == 0


def test_the_purge_is_foreseen_and_what_it_will_keep(log: Handwritten, bench: Bench) -> None:
    log.save(A, B, C, D)
    for id_ in (A, B, C):
        log.say(id_, archived())
    log.say(B, e.Pinned())
    log.say(D, e.Archived(cause="request", importance=0.8, reason="stale"))
    assert bench.run(START + 82 * DAY).purge.count == 0
    assert bench.run(START + 84 * DAY).purge == PurgeOutlook(
        due_within_days=7.0, count=4, high_value_count=2
    )


def test_refused_merges_are_counted_by_source_and_by_merge(log: Handwritten, bench: Bench) -> None:
    log.save(A, B, C)
    bench.run()
    for command in ("first", "second"):
        for id_ in (A, B):
            log.say(id_, rejection(A, B), command)
    run = bench.run()
    assert (run.rejected_merge_sources_since_last, run.rejected_merges_since_last) == (2, 2)


def rejection(*sources: str) -> e.MergeRejected:
    return e.MergeRejected(
        cluster="".join(one[-2:] for one in sources),
        sources=sources,
        text_version=1,
        missing_count=1,
    )


def test_restarts_are_counted(log: Handwritten, bench: Bench) -> None:
    log.save(A)
    bench.run()
    (row,) = log.rows()
    bench.fold.take(row._replace(name="process.started", stream=E))
    assert bench.run().restarts_since_last == 1


def test_categories_are_left_empty_when_all_of_theirs_are_filed_elsewhere(
    log: Handwritten, bench: Bench
) -> None:
    log.save(A, B, category="infra")
    log.save(C, category="people")
    log.say(A, e.Recategorized(category="ops"))
    assert bench.run().empty_category_dirs == 0
    log.say(B, e.Recategorized(category="ops"))
    assert bench.run().empty_category_dirs == 1


def test_near_duplicates_are_found_among_what_is_live_through_every_change(
    log: Handwritten, bench: Bench
) -> None:
    text = "the harbour crane is inspected by two people every spring"
    for id_ in (A, B):
        log.say(id_, saved(text))
    assert (bench.run().near_dup_pairs, bench.run().near_dup_entries) == (1, 2)
    log.say(A, e.Revised(content="something else altogether, said in quite other words", chars=1))
    assert bench.run().near_dup_pairs == 0
    log.say(A, e.Revised(content=text, chars=1))
    assert bench.run().near_dup_pairs == 1
    log.say(B, archived())
    assert bench.run().near_dup_pairs == 0
    log.say(B, e.Restored())
    assert bench.run().near_dup_pairs == 1


def test_a_row_has_camel_case_names_and_nothing_that_cannot_be_measured(
    log: Handwritten, bench: Bench
) -> None:
    log.save(A)
    row = as_row(bench.run(), [Growth("infra", 3, 1)])
    assert row["domain"] == "memory"
    assert row["takenAt"] == "2026-03-03T12:00:00.000000Z"
    assert row["purge"] == {"dueWithinDays": 7.0, "count": 0, "highValueCount": 0}
    assert row["topCategoriesByGrowth"] == [
        {"category": "infra", "created": 3, "archived": 1, "net": 2}
    ]
    unmeasured = {"netGrowthPerDay", "embeddingDupClusters", "previousTakenAt", "eval"}
    assert not unmeasured & row.keys()
    assert all(name[0].islower() and "_" not in name for name in row)
    assert None not in row.values()
