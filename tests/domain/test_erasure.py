"""Erasure: how far it reaches, what comes back, what blocks it."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from bdd import START, imported, recorded, saved
from hypothesis import given as for_all
from hypothesis import strategies as st

from muniment.domain import subjects
from muniment.domain.erasure import decisions
from muniment.domain.erasure.decisions import Basis, Cascade, Plan
from muniment.domain.erasure.events import Completed, Policy, Requested
from muniment.domain.erasure.lineage import Lineage, reach
from muniment.domain.erasure.state import erasure
from muniment.domain.errors import Refused
from muniment.domain.memory import events as e
from muniment.domain.memory.state import State, evolve
from muniment.domain.recorded import Recorded

Made = Mapping[str, tuple[str, ...]]


def lineage(merged: Made | None = None, folded: Made | None = None) -> Lineage:
    """Who was merged of whom, and who was folded into whom."""
    made = Lineage()
    for into, made_of in (merged or {}).items():
        made.sources[into].update(made_of)
        for source in made_of:
            made.results[source].add(into)
    for into, copies in (folded or {}).items():
        for copy in copies:
            made.alike[into].add(copy)
            made.alike[copy].add(into)
    return made


CHAIN = lineage({"M": ("a", "b"), "N": ("M", "c")})
"""a and b were merged into M, and M with c into N."""


class TestReach:
    @pytest.mark.parametrize(
        ("named", "erased"),
        [
            ("a", {"a", "M", "N"}),
            ("c", {"c", "N"}),
            ("M", {"M", "a", "b", "N"}),
            ("N", {"N", "M", "a", "b", "c"}),
            ("z", {"z"}),
        ],
    )
    def test_it_takes_what_the_words_came_from_and_what_was_made_of_them(
        self, named: str, erased: set[str]
    ) -> None:
        assert set(reach([named], CHAIN, "cascade").erased) == erased
        assert set(reach([named], CHAIN, "rewrite").erased) == erased

    @pytest.mark.parametrize(
        ("named", "erased", "kept"),
        [
            ("a", {"a"}, {"M", "N"}),
            ("M", {"M", "a", "b"}, {"N"}),
            ("N", {"N", "M", "a", "b", "c"}, set[str]()),
        ],
    )
    def test_what_is_derived_may_be_kept_and_sources_never(
        self, named: str, erased: set[str], kept: set[str]
    ) -> None:
        found = reach([named], CHAIN, "keep")
        assert (set(found.erased), set(found.kept)) == (erased, kept)

    @pytest.mark.parametrize("policy", ["cascade", "rewrite", "keep"])
    @pytest.mark.parametrize("named", ["f", "g", "h"])
    def test_repetitions_that_were_folded_go_together(self, named: str, policy: Policy) -> None:
        twins = lineage(folded={"f": ("g",), "h": ("f",)})
        assert set(reach([named], twins, policy).erased) == {"f", "g", "h"}

    def test_a_copy_of_what_is_derived_says_what_that_says(self) -> None:
        made = lineage({"M": ("a", "b")}, {"M": ("k",)})
        assert set(reach(["a"], made, "cascade").erased) == {"a", "M", "k"}

    def test_a_source_about_somebody_else_is_not_followed_into(self) -> None:
        found = reach(["M"], CHAIN, "cascade", frozenset("b"))
        assert set(found.erased) == {"M", "a", "N"}

    @for_all(
        st.dictionaries(
            st.sampled_from("MNOP"), st.lists(st.sampled_from("abcMNOP"), max_size=3).map(tuple)
        ),
        st.dictionaries(
            st.sampled_from("abM"), st.lists(st.sampled_from("abcN"), max_size=2).map(tuple)
        ),
        st.sampled_from("abcMNOP"),
    )
    def test_no_result_of_anything_erased_is_left_and_keeping_erases_no_more(
        self, merged: Made, folded: Made, named: str
    ) -> None:
        made = lineage(merged, folded)
        erased = set(reach([named], made, "cascade").erased)
        for id_ in erased:
            assert made.results[id_] | made.alike[id_] <= erased
        assert made.sources[named] <= erased
        kept = reach([named], made, "keep")
        assert set(kept.erased) | set(kept.kept) == erased
        assert not set(kept.erased) & set(kept.kept)


def event(stream: str, what: Any, version: int = 1, **envelope: Any) -> Recorded:
    return recorded(what, START, version, stream=stream, **envelope)


class TestLineage:
    def test_merges_folds_and_imports_tell_it(self) -> None:
        made = Lineage.of(
            [
                event("i", imported(merged_from=("x", "y"))),
                event("x", imported(merged_into="i")),
                event("z", imported(merged_into="x")),
                event("f", folded_into("g")),
                event("s", saved()),
                event("u", None),
            ]
        )
        assert dict(made.sources) == {"i": {"x", "y"}}
        assert dict(made.results) == {"x": {"i"}, "y": {"i"}}
        assert dict(made.alike) == {"x": {"z"}, "z": {"x"}, "f": {"g"}, "g": {"f"}}


def folded_into(*copies: str) -> e.Folded:
    return e.Folded(
        folded=copies,
        counts=(1,) * len(copies),
        importance=0.5,
        trust=3,
        created_at=START,
        last_seen_at=START,
    )


def of(stream: str, *events: e.Event) -> State:
    state: State | None = None
    for version, one in enumerate((saved(), *events), 1):
        state = evolve(state, recorded(one, START, version, stream=stream))
    assert state is not None
    return state


def gone_into(stream: str, cause: e.ArchiveCause = "merge") -> e.Archived:
    return e.Archived(cause=cause, importance=0.5, merged_into=stream)


STALE = e.Archived(cause="request", importance=0.5)


def planned(
    named: str, policy: Policy, *memories: State, made: Lineage = CHAIN, others: str = ""
) -> Plan:
    known = {memory.id: memory for memory in memories}

    def find(ids: Iterable[str]) -> dict[str, State]:
        return {id_: known[id_] for id_ in ids if id_ in known}

    return decisions.plan((named,), made, find, policy, frozenset(others))


PARTS = (of("a", gone_into("M")), of("b", gone_into("M")), of("c", gone_into("N")))


class TestPlan:
    def test_the_other_sources_come_back_where_the_result_was_in_recall(self) -> None:
        plan = planned("a", "rewrite", *PARTS, of("M", gone_into("N")), of("N"))
        assert [memory.id for memory in plan.erased] == ["a", "M", "N"]
        assert ([memory.id for memory in plan.restored], plan.left) == (["b", "c"], ())

    def test_they_stay_archived_in_a_cascade(self) -> None:
        plan = planned("a", "cascade", *PARTS, of("M", gone_into("N")), of("N"))
        assert (plan.restored, set(plan.left)) == ((), {"b", "c"})

    @pytest.mark.parametrize("out", [STALE, e.Quarantined(cause="request")])
    def test_what_was_out_of_recall_is_not_brought_back_in_parts(self, out: e.Event) -> None:
        plan = planned("a", "rewrite", *PARTS, of("M", gone_into("N")), of("N", out))
        assert (plan.restored, set(plan.left)) == ((), {"b", "c"})

    def test_what_cannot_be_written_to_is_not_brought_back(self) -> None:
        made = lineage({"M": ("a", "b")})
        broken = of("b", gone_into("M"))._replace(fault="newer_release")
        plan = planned("a", "rewrite", of("a", gone_into("M")), broken, of("M"), made=made)
        assert (plan.restored, plan.left) == ((), ("b",))

    def test_a_source_that_is_live_is_let_be(self) -> None:
        made = lineage({"M": ("a", "b")})
        plan = planned("a", "rewrite", of("a", gone_into("M")), of("b"), of("M"), made=made)
        assert (plan.restored, plan.left) == ((), ())

    def test_a_source_that_was_archived_for_another_reason_stays_so_and_is_named(self) -> None:
        made = lineage({"M": ("a", "b")})
        stale = of("b", STALE)
        plan = planned("a", "rewrite", of("a", gone_into("M")), stale, of("M"), made=made)
        assert (plan.restored, plan.left) == ((), ("b",))

    def test_what_is_purged_is_named_as_such_and_not_erased_again(self) -> None:
        purged = of("a", e.PurgeRequested(**_REMOVAL))
        plan = planned("a", "cascade", purged, of("M"))
        assert (plan.already, [memory.id for memory in plan.erased]) == (("a",), ["M"])

    def test_ids_that_an_import_named_in_vain_are_left_out(self) -> None:
        plan = planned("M", "cascade", of("M"), of("b"))
        assert {memory.id for memory in plan.erased} == {"M", "b"}

    def test_a_hold_on_anything_that_is_reached_blocks_it_whole(self) -> None:
        held = of("N", e.Held())
        plan = planned("a", "cascade", *PARTS, of("M", gone_into("N")), held)
        with pytest.raises(Refused) as caught:
            decisions.request(plan, "memory", Basis(code="x"), Cascade(), None)
        assert (caught.value.code, caught.value.field) == ("held", "id")
        assert "N" in caught.value.message
        spared = planned("a", "keep", *PARTS, of("M", gone_into("N")), held)
        assert decisions.request(spared, "memory", Basis(code="x"), Cascade(), None)

    def test_what_a_newer_release_wrote_to_is_not_erased(self) -> None:
        newer = of("z")._replace(fault="newer_release")
        with pytest.raises(Refused) as caught:
            decisions.require_erasable(planned("z", "cascade", newer))
        assert caught.value.code == "newer_release"
        for fault in ("key_missing", "unreadable"):
            broken = of("z")._replace(fault=fault)
            decisions.require_erasable(planned("z", "cascade", broken))


_REMOVAL: dict[str, Any] = {
    "basis": "erasure",
    "importance": 0.5,
    "reinforcement_count": 1,
    "policy": "erasure/1",
}


class TestEvents:
    def test_the_request_says_what_becomes_of_each(self) -> None:
        plan = planned("a", "keep", *PARTS, of("M"), made=lineage({"M": ("a", "b")}))
        asked = decisions.request(
            plan,
            "subject",
            Basis(code="gdpr-17", text="a letter"),
            Cascade(policy="keep", reason="an audit"),
            "Anna",
        )
        assert asked == [
            Requested(
                scope="subject",
                basis="gdpr-17",
                policy="keep",
                named=("a",),
                erased=("a",),
                kept=("M",),
                basis_text="a letter",
                subject="Anna",
                reason="an audit",
            )
        ]

    def test_where_no_words_are_left_nothing_is_asked_for(self) -> None:
        plan = planned("a", "cascade", of("a", e.PurgeRequested(**_REMOVAL)))
        assert decisions.request(plan, "memory", Basis(code="x"), Cascade(), None) == []

    def test_a_removal_has_the_evidence_of_the_memory(self) -> None:
        memory = of("a", e.Rescored(importance=0.9), e.Archived(cause="request", importance=0.2))
        evidence: dict[str, Any] = {**_REMOVAL, "importance": 0.2}
        assert decisions.removal(memory) == [e.PurgeRequested(**evidence)]

    def test_it_is_recorded_as_done_once(self) -> None:
        request = Requested(
            scope="memory", basis="x", policy="cascade", named=("a",), erased=("a",)
        )
        begun = [event("E", request, actor="system:office")]
        asked = erasure(begun)
        assert asked is not None
        assert (asked.requested_by, asked.request, asked.completed_at) == (
            "system:office",
            request,
            None,
        )
        until = START + timedelta(days=30)
        (done,) = decisions.complete(asked, key_backups_until=until)
        assert done == Completed(key_backups_until=until)
        ended = erasure([*begun, event("E", done, version=2)])
        assert ended is not None
        assert (ended.version, ended.completed_at, ended.key_backups_until) == (2, START, until)
        assert decisions.complete(ended, key_backups_until=None) == []

    def test_other_streams_are_no_erasures(self) -> None:
        assert erasure([event("a", saved())]) is None
        assert erasure([event("E", Completed())]) is None


class TestSubjects:
    @pytest.mark.parametrize("said", ["Anna Karenina", "anna  KARENINA ", "\uff21nna Karenina"])
    def test_names_are_compared_without_regard_to_case_width_and_blanks(self, said: str) -> None:
        memory = of("a")._replace(metadata={"subject": said})
        assert subjects.is_about(memory, "Anna Karenina")
        assert not subjects.is_about_another(memory, "Anna Karenina")
        assert subjects.is_about_another(memory, "Anna")

    def test_who_has_no_subject_is_about_nobody(self) -> None:
        assert not subjects.is_about(of("a"), "Anna")
        assert not subjects.is_about_another(of("a"), "Anna")

    @pytest.mark.parametrize(
        ("text", "is_there"),
        [
            ("Anna lives here", True),
            ("(anna)", True),
            ("an annal", False),
            ("Hanna", False),
            ("A.n.n.a", False),
        ],
    )
    def test_a_name_is_mentioned_as_a_word_of_its_own(self, text: str, *, is_there: bool) -> None:
        assert subjects.is_named_in(text, "Anna") == is_there
        for put in (
            of("a", e.Revised(content=text, chars=1)),
            of("a")._replace(tags=(text,)),
            of("a")._replace(metadata={"k": text}),
            of("a")._replace(category=text),
            of("a")._replace(archive_reason=text),
        ):
            assert subjects.is_mentioned(put, "Anna") == is_there

    def test_what_means_something_in_a_pattern_means_nothing_in_a_name(self) -> None:
        assert not subjects.is_named_in("Anna", "A.na")
        assert subjects.is_named_in("It is A.na (x)", "A.na (x")

    @pytest.mark.parametrize("code", ["anna", "gdpr-17.anna", "a-n-n-a"])
    def test_a_code_with_the_name_in_it_is_noticed(self, code: str) -> None:
        assert subjects.is_spelt_in(code, "Anna")
        assert not subjects.is_spelt_in("gdpr-17", "Anna")
        assert not subjects.is_spelt_in("gdpr-17", "!!")
