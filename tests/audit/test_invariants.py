"""Each invariant fires on what it is about, and on nothing else; each is explained."""
# pyright: reportPrivateUsage=false

import ast
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from audited import DAY, Bench, violation
from commotion import commotion, take_over
from handwritten import NOBODY, A, B, C, D, E, Handwritten, archived, stream
from log_backends import SOAK
from making import START, saved

from muniment.audit import glossary, invariants
from muniment.audit.evidence import Shown
from muniment.audit.glossary import GLOSSARY, message
from muniment.audit.invariants import INVARIANTS, PAUSING
from muniment.domain.audit import Completed, Violation
from muniment.domain.memory import events as e
from muniment.log.findings import Finding


def only(run: Completed, name: str) -> Violation:
    """The one violation of a run."""
    assert run.failing == (name,)
    assert run.status == GLOSSARY[name].severity
    return run.invariants[0]


def rejection(*sources: str) -> e.MergeRejected:
    return e.MergeRejected(
        cluster="".join(one[-2:] for one in sources),
        sources=sources,
        text_version=1,
        missing_count=1,
    )


class TestNoHardDeleteOutsidePurge:
    def test_an_id_that_is_gone_from_the_log_is_named(self, log: Handwritten, bench: Bench) -> None:
        log.save(*map(stream, range(1, 20)))
        bench.run()
        del bench.fold.known[A]
        found = only(bench.run(START + timedelta(minutes=7)), "no-hard-delete-outside-purge")
        assert (found.count, found.ids) == (1, (A,))

    def test_it_is_told_once(self, log: Handwritten, bench: Bench) -> None:
        log.save(*map(stream, range(1, 20)))
        bench.run()
        del bench.fold.known[A]
        assert bench.run().hard_deleted_outside_purge == 1
        assert bench.run().status == "healthy"

    def test_a_stream_without_its_beginning_is_found_on_a_first_run(
        self, log: Handwritten, bench: Bench
    ) -> None:
        log.save(A, B)
        log.say(A, e.Pinned())
        for row in log.rows()[1:]:
            bench.fold.take(row)
        run = bench.run()
        assert (run.live, run.hard_deleted_since_last) == (1, 0)
        assert only(run, "no-hard-delete-outside-purge").ids == (A,)

    def test_so_many_as_the_limit_are_fine(self, log: Handwritten) -> None:
        bench = Bench(log, max_hard_deletes_outside_purge=1)
        log.save(*map(stream, range(1, 20)))
        bench.run()
        del bench.fold.known[A]
        assert bench.run().status == "healthy"
        del bench.fold.known[B], bench.fold.known[C]
        assert bench.run().status == "alert"


class TestLossPercent:
    @pytest.mark.parametrize(("lost", "fires"), [(10, False), (11, True)])
    def test_a_fall_beyond_the_limit_fires(
        self, log: Handwritten, bench: Bench, lost: int, fires: bool
    ) -> None:
        ids = [stream(number) for number in range(1, 101)]
        log.save(*ids)
        bench.run()
        for id_ in ids[:lost]:
            log.say(id_, archived())
        found = violation(bench.run(), "loss-percent-threshold")
        assert (found is not None) is fires
        if found:
            assert (found.count, found.measured, found.limit) == (11, 11.0, 10.0)
            assert len(found.ids) == 11

    def test_new_ones_make_up_for_it(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        bench.run()
        log.say(A, archived())
        log.save(C)
        assert bench.run().status == "healthy"


class TestMergeChainUnbroken:
    def test_what_was_merged_into_nothing_is_named(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        log.say(A, archived("merge", NOBODY))
        assert only(bench.run(), "merge-chain-unbroken").ids == (A,)

    def test_the_chain_is_followed_to_its_end(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B, C)
        log.say(A, archived("merge", B))
        log.say(B, archived("merge", C))
        assert bench.run().status == "healthy"
        del bench.fold.known[C]
        assert violation(bench.run(), "merge-chain-unbroken").ids == (A, B)  # type: ignore[union-attr]

    def test_a_purge_of_the_end_explains_it_and_so_does_a_ring(
        self, log: Handwritten, bench: Bench
    ) -> None:
        log.save(A, B, C, D)
        log.say(A, archived("merge", B))
        log.say(B, archived())
        log.request(B)
        log.say(C, archived("merge", D))
        log.say(D, archived("merge", C))
        assert bench.run().status == "healthy"

    def test_an_import_may_name_what_never_was_here(self, log: Handwritten, bench: Bench) -> None:
        log.imported(A, condition="archived", archived_at=START, merged_into=NOBODY)
        assert bench.run().status == "healthy"


def test_what_verify_finds_is_an_alert(log: Handwritten, bench: Bench) -> None:
    log.save(A)
    run = bench.run(faults=[Finding("leaf", 1, "…"), Finding("chain", 1, "…")])
    assert only(run, "log-intact").count == 2


def test_a_log_that_is_not_the_one_that_was_is_an_alert(log: Handwritten, bench: Bench) -> None:
    log.save(A)
    assert only(bench.run(is_other_log=True), "log-intact").count == 1


class TestReadModelAgrees:
    def test_what_is_shown_as_it_is_agrees(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        log.say(B, archived())
        assert bench.run(shown=Shown({A: "live", B: "archived"}, 1)).status == "healthy"

    @pytest.mark.parametrize(
        ("shown", "count"),
        [
            (Shown({A: "live", B: "live"}, 1), 1),
            (Shown({A: "live", B: "archived", C: "live"}, 1), 1),
            (Shown({A: "live", B: "archived"}, 3), 2),
        ],
    )
    def test_another_condition_another_memory_and_another_size_do_not(
        self, log: Handwritten, bench: Bench, shown: Shown, count: int
    ) -> None:
        log.save(A, B)
        log.say(B, archived())
        assert only(bench.run(shown=shown), "read-model-agrees").count == count

    def test_a_memory_that_the_catalog_lost_is_gone_too(
        self, log: Handwritten, bench: Bench
    ) -> None:
        log.save(A, B)
        run = bench.run(shown=Shown({A: "live"}, 2))
        assert run.failing == ("no-hard-delete-outside-purge", "read-model-agrees")

    def test_what_cannot_be_read_does_not_agree(self, log: Handwritten, bench: Bench) -> None:
        log.save(A)
        assert only(bench.run(is_unsearchable=True), "read-model-agrees").count == 1


class TestMergedFromResolves:
    def test_a_source_that_is_nowhere_is_found(self, log: Handwritten, bench: Bench) -> None:
        log.save(A)
        log.merge(C, A, NOBODY)
        log.absorb(C, A)
        assert violation(bench.run(), "merged-from-resolves").ids == (C,)  # type: ignore[union-attr]

    def test_so_is_a_copy(self, log: Handwritten, bench: Bench) -> None:
        log.save(A)
        log.fold(A, NOBODY)
        assert violation(bench.run(), "merged-from-resolves").ids == (A,)  # type: ignore[union-attr]

    def test_a_purged_source_is_explained_and_an_import_believed(
        self, log: Handwritten, bench: Bench
    ) -> None:
        log.save(A, B)
        log.merge(C, A, B)
        log.absorb(C, A, B)
        log.request(B)
        log.imported(D, merged_from=(NOBODY, E))
        assert bench.run().status == "healthy"


class TestArchiveFields:
    @pytest.mark.parametrize("event", [archived(reason=""), archived("request", B)])
    def test_an_archive_that_says_too_little_is_found_until_it_is_restored(
        self, log: Handwritten, bench: Bench, event: e.Archived
    ) -> None:
        log.save(A, B)
        log.say(A, event)
        assert only(bench.run(), "archive-fields-present").ids == (A,)
        log.say(A, e.Restored())
        assert bench.run().status == "healthy"

    def test_so_is_an_import_as_archived_without_a_time(
        self, log: Handwritten, bench: Bench
    ) -> None:
        log.imported(A, condition="archived")
        assert only(bench.run(), "archive-fields-present").ids == (A,)


class TestLiveNotMergeSource:
    def test_a_source_that_stays_live_is_found(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        log.merge(C, A, B)
        log.absorb(C, A)
        log.save(D)
        assert only(bench.run(), "live-not-merge-source").ids == (B,)

    def test_one_that_was_restored_is_not(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        log.merge(C, A, B)
        log.absorb(C, A, B)
        log.say(B, e.Restored())
        assert bench.run().status == "healthy"

    def test_nor_one_whose_archive_is_the_next_event(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        log.merge(C, A, B)
        log.absorb(C, A)
        assert bench.run().status == "healthy"


class TestNoRepeatedRejection:
    @pytest.fixture
    def bench(self, log: Handwritten) -> Bench:
        """Audits that do not mind how many are refused."""
        return Bench(log, max_rejected_merges_per_week=1_000)

    def test_a_set_refused_in_three_runs_in_a_row_is_found(
        self, log: Handwritten, bench: Bench
    ) -> None:
        log.save(A, B)
        bench.run()
        for expected in (0, 0, 1, 1):
            log.say(A, rejection(A, B))
            run = bench.run()
            assert run.rejected_merge_clusters_repeated == expected
        assert only(run, "no-repeated-rejection").ids == (A, B)

    def test_a_run_without_it_forgets(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        bench.run()
        for refused in (True, True, False, True, True):
            if refused:
                log.say(A, rejection(A, B))
            assert bench.run().status == "healthy"

    def test_two_sets_are_counted_apart(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B, C)
        bench.run()
        for sources in ((A, B), (A, C), (A, B)):
            log.say(A, rejection(*sources))
            assert bench.run().rejected_merge_clusters_repeated == 0


@pytest.mark.parametrize(("new", "fires"), [(10, False), (11, True)])
def test_growth_above_the_limit_fires(
    log: Handwritten, bench: Bench, new: int, fires: bool
) -> None:
    bench.run(START)
    log.save(*map(stream, range(1, new + 1)))
    run = bench.run(START + 2 * DAY)
    assert (violation(run, "net-growth-threshold") is not None) is fires


class TestChainDepth:
    @pytest.fixture
    def three_deep(self, log: Handwritten, bench: Bench) -> Bench:
        """Three live memories that are merges of merges of merges."""
        numbers = iter(range(1, 100))
        for _ in range(3):
            source, *others = ids = [stream(next(numbers)) for _ in range(4)]
            log.save(*ids)
            for count, other in enumerate(others, 2):
                into = stream(1000 + next(numbers))
                log.merge(into, source, other, reinforcement_count=count)
                log.absorb(into, source, other)
                source = into
        return bench

    @pytest.mark.parametrize(("before", "fires"), [(0, True), (2, True), (3, False), (5, False)])
    def test_it_fires_where_there_are_more_than_there_were(
        self, three_deep: Bench, before: int, fires: bool
    ) -> None:
        first = three_deep.run()
        assert first.merge_chain_depth == {"3": 3}
        assert first.status == "healthy"
        assert three_deep.before is not None
        three_deep.before = replace(
            three_deep.before, said=replace(first, merge_chain_depth={"0": 9, "3": before})
        )
        found = violation(three_deep.run(), "chain-depth-threshold")
        assert (found is not None) is fires
        if found:
            assert (found.count, found.measured, found.limit) == (3, 3 - before, 2)

    def test_it_is_quiet_when_the_limit_changed(self, three_deep: Bench) -> None:
        first = three_deep.run()
        assert three_deep.before is not None
        said = replace(first, merge_chain_depth={}, deep_limit=1)
        three_deep.before = replace(three_deep.before, said=said)
        assert three_deep.run().status == "healthy"

    def test_the_deepest_come_first(self, log: Handwritten, three_deep: Bench) -> None:
        first = three_deep.run()
        assert three_deep.before is not None
        three_deep.before = replace(three_deep.before, said=replace(first, merge_chain_depth={}))
        deep = [
            id_ for id_, condition in three_deep.fold.conditions().items() if condition == "live"
        ]
        log.save(A[:-1] + "f")
        log.merge(NOBODY, deep[1], A[:-1] + "f")
        log.absorb(NOBODY, deep[1], A[:-1] + "f")
        found = violation(three_deep.run(), "chain-depth-threshold")
        assert found is not None
        assert found.ids[0] == NOBODY


class TestRejectedMerges:
    @pytest.mark.parametrize(("days", "fires"), [(7, True), (14, False)])
    def test_more_sources_a_week_than_the_limit_are_found(
        self, log: Handwritten, bench: Bench, days: int, fires: bool
    ) -> None:
        ids = [stream(number) for number in range(1, 7)]
        log.save(*ids)
        bench.run(START)
        for id_ in ids:
            log.say(id_, rejection(*ids), "one command")
        found = violation(bench.run(START + days * DAY), "rejected-merges-threshold")
        assert (found is not None) is fires
        if found:
            assert (found.count, found.measured, found.ids) == (1, 6.0, tuple(reversed(ids)))

    def test_over_a_short_window_there_is_no_rate(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        bench.run(START)
        for id_ in (A, B):
            log.say(id_, rejection(A, B))
        assert bench.run(START + timedelta(hours=11)).status == "healthy"


class TestNoMalformed:
    def test_facts_that_cannot_be_read_are_found(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        first, second = log.rows()
        bench.fold.take(first._replace(facts=b"{"))
        bench.corpus.take(first)
        bench.fold.take(second)
        bench.corpus.take(second)
        run = bench.run()
        assert only(run, "no-malformed-files").ids == (A,)
        assert (run.live, run.quarantined) == (1, 1)

    def test_words_whose_key_is_gone_are_found_unless_they_were_purged(
        self, log: Handwritten, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log.save(A, B)
        log.say(B, archived())
        log.request(B)
        monkeypatch.setattr(bench.corpus._reader, "_key_of", dict[int, bytes]().get)
        run = bench.run()
        assert (run.malformed_files, only(run, "no-malformed-files").ids) == (1, (A,))

    def test_altered_words_are_found(self, log: Handwritten, bench: Bench) -> None:
        log.save(A)
        (row,) = log.rows()
        bench.fold.take(row)
        words = row.payload or b""
        bench.corpus.take(row._replace(payload=words[:-1] + bytes([words[-1] ^ 1])))
        assert bench.run().malformed_files == 1


class TestLostReinforcement:
    def test_a_merge_that_counts_wrongly_is_found(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        log.merge(C, A, B, reinforcement_count=1)
        log.absorb(C, A, B)
        assert only(bench.run(), "lost-reinforcement").ids == (C,)

    def test_so_is_a_fold(self, log: Handwritten, bench: Bench) -> None:
        log.save(A, B)
        log.fold(A, B, counts=(0,))
        log.absorb(A, B, cause="fold")
        assert only(bench.run(), "lost-reinforcement").ids == (A,)

    def test_so_is_a_purge(self, log: Handwritten, bench: Bench) -> None:
        log.save(A)
        log.say(A, archived())
        log.request(A, reinforcement_count=4)
        assert only(bench.run(), "lost-reinforcement").ids == (A,)


def test_ids_are_twenty_at_most_and_the_count_is_the_true_one(
    log: Handwritten, bench: Bench
) -> None:
    ids = [stream(number) for number in range(1, 31)]
    log.save(*ids)
    for id_ in ids:
        log.say(id_, archived(reason=""))
    found = only(bench.run(), "archive-fields-present")
    assert (found.count, found.ids) == (30, tuple(ids[:20]))
    assert message(found).endswith(": 30")


@pytest.mark.parametrize("seed", range(25 * SOAK))
def test_whatever_the_face_writes_breaks_nothing_that_it_should_not(
    seed: int, tmp_path: Path
) -> None:
    made, other = commotion(seed), commotion(seed + 10**6)
    quiet = GLOSSARY.keys() - _OF_RATES
    with made.m, other.m:
        for part in range(3):
            made.happen(25)
            row = made.m.audit.run()
            assert not quiet & {one["name"] for one in row["invariants"]}, (part, row)
        take_over(made, other, tmp_path)
        other.happen(20)
        row = other.m.audit.run()
        assert not quiet & {one["name"] for one in row["invariants"]}
        assert made.m.prove_invariants().holds


_OF_RATES = {
    "loss-percent-threshold",
    "net-growth-threshold",
    "rejected-merges-threshold",
    "chain-depth-threshold",
    "no-repeated-rejection",
}


class TestTheGlossary:
    def test_every_invariant_has_an_entry_and_no_entry_is_of_none(self) -> None:
        assert list(GLOSSARY) == list(INVARIANTS)

    @pytest.mark.parametrize("name", INVARIANTS)
    def test_an_entry_says_what_it_means_and_what_to_do(self, name: str) -> None:
        entry = GLOSSARY[name]
        assert entry.title
        assert not entry.title.endswith(".")
        assert entry.meaning.endswith(".")
        assert entry.advice.endswith(".")
        assert entry.severity in ("warning", "alert")
        found = message(Violation(name=name, count=3, measured=1.5, limit=1.0))
        assert "3" in found or "1.5" in found
        assert not found.endswith(".")

    def test_the_severities_are_those_that_were_agreed(self) -> None:
        alerts = {name for name, entry in GLOSSARY.items() if entry.severity == "alert"}
        assert alerts == {
            "no-hard-delete-outside-purge",
            "loss-percent-threshold",
            "merge-chain-unbroken",
            "log-intact",
            "read-model-agrees",
        }
        assert alerts > PAUSING


def test_nothing_of_the_write_side_is_used_but_the_names_of_events() -> None:
    ours = {
        "muniment.domain",
        "muniment.domain.audit",
        "muniment.domain.errors",
        "muniment.domain.evaluation",  # the report tells of it
        "muniment.domain.language_model",  # the names of tiers
        "muniment.domain.memory",
        "muniment.domain.moments",
        "muniment.domain.ports",
        "muniment.domain.rules",
        "muniment.log.lock",
        "muniment.log.rows",
        "muniment.proofs",
        "muniment.proofs.checks",
        "muniment.proofs.facts",
        "muniment.proofs.fold",
    }
    # the judge is shown the verdict of the write side's own check, which it is to judge
    judging = {"judging.py", "rubric.py", "samples.py", "verdicts.py"}
    for path in Path(invariants.__file__).parent.rglob("*.py"):
        if path.name in judging:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                module = node.module or ""
                assert not module.startswith("muniment") or module in ours, (path, module)
                if module == "muniment.domain.memory":
                    assert [alias.name for alias in node.names] == ["events"], path
    assert glossary.GLOSSARY
    assert saved("x").NAME == "memory.saved"
