"""Erasure on request, as callers meet it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from projection_answers import store_of

import muniment
from muniment import (
    ErasureCertificate,
    ErasurePreview,
    Invalid,
    Muniment,
    NotFound,
    Refused,
    keep,
)

ANNA = "Anna Karenina lives in Chicago since 2019."
BERT = "Bert keeps the Quillmark feed on Drive North."
BOTH = f"{ANNA} {BERT}"
ABOUT = {"subject": "Anna Karenina"}


def merged(m: Muniment) -> tuple[str, str, str]:
    """A memory about Anna and one about Bert, and what they were merged into."""
    anna = m.save(ANNA, metadata=ABOUT).id
    bert = m.save(BERT).id
    return anna, bert, m.merge([anna, bert], BOTH).id


def found(m: Muniment, query: str, **how: Any) -> set[str]:
    return {hit.memory.id for hit in m.search(query, **how).hits}


def states(m: Muniment, *ids: str) -> list[str]:
    return [memory.state for memory in m.get_many(ids)]


BEFORE: tuple[Callable[[Muniment, str], object], ...] = (
    lambda m, of: m.get(of),
    lambda m, of: m.pin(of),
    lambda m, of: m.archive(of, "stale"),
    lambda m, of: m.quarantine(of, "doubtful"),
    lambda m, of: m.supersede(of, m.save(BERT).id),
)


class TestErase:
    @pytest.mark.parametrize("before", BEFORE)
    def test_it_takes_a_memory_in_whatever_state(
        self, m: Muniment, clock: Clock, before: Callable[[Muniment, str], Any]
    ) -> None:
        id_ = m.save(ANNA, category="people", tags=["x"], metadata=ABOUT).id
        before(m, id_)
        clock.advance(days=1)
        certificate = m.erase(id_[-12:], basis="gdpr-17")
        assert certificate == ErasureCertificate(
            id=certificate.id,
            space="default",
            scope="memory",
            basis="gdpr-17",
            basis_text="",
            subject=None,
            cascade="cascade",
            reason="",
            requested_by="manual",
            requested_at=clock.now,
            completed_at=clock.now,
            named=(id_,),
            erased=(id_,),
            already=(),
            kept=(),
            restored=(),
            left=(),
            key_backups_until=certificate.key_backups_until,
        )
        memory = m.get(id_)
        assert (memory.state, memory.content, memory.category) == ("purged", None, None)
        assert (memory.tags, memory.metadata, memory.archive_reason) == ((), {}, None)
        assert m.erasures() == [certificate]
        assert m.history(id_)[-1].summary == "purged: erasure"
        with pytest.raises(NotFound) as caught:
            m.restore(id_)
        assert caught.value.code == "purged"

    def test_several_at_once_and_what_was_erased_before_is_named_as_such(self, m: Muniment) -> None:
        anna, bert = m.save(ANNA).id, m.save(BERT).id
        first = m.erase(anna, basis="gdpr-17")
        both = m.erase([anna, bert, bert], basis="gdpr-17")
        assert (both.named, both.already, both.erased) == ((anna, bert), (anna,), (bert,))
        head = m.stats().head
        again = m.erase([anna, bert], basis="gdpr-17")
        assert (again.id, again.erased, again.already) == (None, (), (anna, bert))
        assert m.stats().head == head
        assert m.erasures() == [first, both]

    def test_one_that_nobody_knows_stops_all(self, m: Muniment) -> None:
        id_ = m.save(ANNA).id
        with pytest.raises(NotFound):
            m.erase([id_, "01980000-0000-7000-8000-000000000000"], basis="gdpr-17")
        assert m.get(id_).content == ANNA
        with pytest.raises(NotFound):
            m.acting_as("manual", "other").erase(id_, basis="gdpr-17")

    def test_what_was_purged_by_retention_is_named_as_such(self, m: Muniment, clock: Clock) -> None:
        id_ = m.save(ANNA).id
        m.archive(id_, "stale")
        clock.advance(days=91)
        m.purge()
        assert m.erase(id_, basis="gdpr-17").already == (id_,)

    def test_the_same_may_be_said_anew(self, m: Muniment) -> None:
        m.erase(m.save(ANNA).id, basis="gdpr-17")
        assert m.save(ANNA).outcome == "created"

    def test_a_dry_run_does_nothing(self, m: Muniment) -> None:
        anna, bert, whole = merged(m)
        head = m.stats().head
        would = m.erase(anna, basis="gdpr-17", cascade="rewrite", dry_run=True)
        assert would == ErasurePreview(
            space="default",
            named=(anna,),
            erased=(anna, whole),
            already=(),
            kept=(),
            restored=(bert,),
            left=(),
            held=(),
        )
        assert m.stats().head == head
        done = m.erase(anna, basis="gdpr-17", cascade="rewrite")
        assert (done.erased, done.restored) == (would.erased, would.restored)

    def test_every_space_has_its_own(self, m: Muniment) -> None:
        m.erase(m.save(ANNA).id, basis="gdpr-17")
        assert m.acting_as("manual", "other").erasures() == []


class TestCascade:
    def test_merges_go_too_and_their_other_sources_stay_archived(self, m: Muniment) -> None:
        anna, bert, whole = merged(m)
        certificate = m.erase(anna, basis="gdpr-17")
        assert (certificate.erased, certificate.left) == ((anna, whole), (bert,))
        assert states(m, anna, bert, whole) == ["purged", "archived", "purged"]
        assert m.get(bert).content == BERT
        assert m.restore(bert).memory.reinforcement_count == 1
        assert m.prove_invariants().violations == ()

    def test_rewritten_the_other_sources_say_their_part_again(self, m: Muniment) -> None:
        anna, bert, whole = merged(m)
        certificate = m.erase(anna, basis="gdpr-17", cascade="rewrite")
        assert (certificate.restored, certificate.left) == ((bert,), ())
        assert states(m, anna, bert, whole) == ["purged", "live", "purged"]
        assert found(m, "Quillmark") == {bert}
        assert m.prove_invariants().violations == ()

    def test_kept_they_stay_for_a_reason_that_is_recorded(self, m: Muniment) -> None:
        anna, bert, whole = merged(m)
        certificate = m.erase(anna, basis="gdpr-17", cascade=keep("a court order of 3 March"))
        assert (certificate.erased, certificate.kept) == ((anna,), (whole,))
        assert (certificate.cascade, certificate.reason) == ("keep", "a court order of 3 March")
        assert states(m, anna, bert, whole) == ["purged", "archived", "live"]
        assert m.erasures() == [certificate]

    def test_what_a_merge_was_made_of_goes_with_it(self, m: Muniment) -> None:
        anna, bert, whole = merged(m)
        for policy in (keep("a reason"), "cascade"):
            would = m.erase(whole, basis="gdpr-17", cascade=policy, dry_run=True)
            assert set(would.erased) == {anna, bert, whole}

    def test_a_source_that_was_restored_since_is_in_the_merge_all_the_same(
        self, m: Muniment
    ) -> None:
        anna, bert, whole = merged(m)
        m.restore(anna)
        assert m.erase(anna, basis="gdpr-17").erased == (anna, whole)
        assert states(m, bert) == ["archived"]

    def test_folded_repetitions_go_together(self, m: Muniment) -> None:
        ids = [m.save(ANNA, category=name).id for name in ("people", "places")]
        m.recategorize(ids[1], "people")
        assert m.fold() == [ids[1]]
        assert set(m.erase(ids[1], basis="gdpr-17").erased) == set(ids)

    def test_a_refused_merge_leaves_no_word_of_one_source_with_another(self, m: Muniment) -> None:
        anna, bert = m.save(ANNA).id, m.save(BERT).id
        with pytest.raises(muniment.MergeRejected) as caught:
            m.merge([anna, bert], "Nothing of it.")
        assert {"Karenina", "Quillmark"} <= set(caught.value.missing)
        m.erase(anna, basis="gdpr-17")
        told = repr(m.history(bert)) + repr(list(m.log()))
        assert "Quillmark" in told
        assert "Karenina" not in told


class TestHold:
    def test_a_hold_on_anything_that_is_reached_blocks_it_whole(self, m: Muniment) -> None:
        anna, bert, whole = merged(m)
        m.hold(whole, "a suit")
        head = m.stats().head
        calls: list[Callable[[], object]] = [
            lambda: m.erase(anna, basis="gdpr-17"),
            lambda: m.erase_subject("Anna Karenina", basis="gdpr-17"),
            lambda: m.erase_space("default", basis="gdpr-17"),
        ]
        for call in calls:
            with pytest.raises(Refused) as caught:
                call()
            assert (caught.value.code, caught.value.field) == ("held", "id")
            assert whole in caught.value.message
        assert m.stats().head == head
        assert m.erase(anna, basis="gdpr-17", dry_run=True) == ErasurePreview(
            space="default",
            named=(anna,),
            erased=(anna, whole),
            already=(),
            kept=(),
            restored=(),
            left=(bert,),
            held=(whole,),
        )
        m.release_hold(whole)
        assert m.erase(anna, basis="gdpr-17").erased == (anna, whole)


class TestSubject:
    def test_it_takes_what_is_about_somebody_and_names_what_only_mentions_them(
        self, m: Muniment
    ) -> None:
        anna, bert, whole = merged(m)
        other = m.save("Clara met Anna Karenina in Rome.", metadata={"subject": "Clara"}).id
        m.save("Dora swims.", metadata={"subject": "Dora"})
        certificate = m.erase_subject(" anna KARENINA", basis="gdpr-17")
        assert certificate.erased == (anna, whole)
        assert certificate.mentions == (other,)
        assert (certificate.scope, certificate.subject) == ("subject", " anna KARENINA")
        assert states(m, bert, other) == ["archived", "live"]

    def test_what_a_person_confirmed_goes_with_it(self, m: Muniment) -> None:
        anna = m.save(ANNA, metadata=ABOUT).id
        said = m.save("She is allergic to peanuts.").id
        certificate = m.erase_subject("Anna Karenina", basis="gdpr-17", also=[said[-12:]])
        assert certificate.erased == (anna, said)

    def test_a_source_about_another_stays_though_the_merge_is_about_them(self, m: Muniment) -> None:
        anna = m.save(ANNA).id
        bert = m.save(BERT, metadata={"subject": "Bert"}).id
        whole = m.merge([anna, bert], BOTH).id
        m.describe(whole, ABOUT)
        certificate = m.erase_subject("Anna Karenina", basis="gdpr-17", cascade="rewrite")
        assert (set(certificate.erased), certificate.restored) == ({anna, whole}, (bert,))

    def test_nobody_of_that_name_leaves_no_trace(self, m: Muniment) -> None:
        id_ = m.save(ANNA).id
        head = m.stats().head
        certificate = m.erase_subject("Anna Karenina", basis="gdpr-17")
        assert (certificate.id, certificate.erased, certificate.mentions) == (None, (), (id_,))
        assert m.stats().head == head

    def test_the_name_and_the_words_of_the_basis_are_never_in_the_clear(
        self, tmp_path: Path
    ) -> None:
        basis = {"code": "gdpr-17", "text": "a letter of Anna Karenina, 3 March"}
        with muniment.open(tmp_path) as m:
            m.save(ANNA, metadata=ABOUT)
            certificate = m.erase_subject("Anna Karenina", basis=basis)
            assert certificate.basis_text == basis["text"]
            assert [warning.partition(":")[0] for warning in certificate.warnings] == [
                "certificate_names_subject"
            ]
            assert m.erasures()[0].subject == "Anna Karenina"
            rows = store_of(m).rows.rows()
            for row in rows:
                assert b"Anna" not in row.facts
                assert b"letter" not in row.facts
            # agents are to forget whom it was about
            told = list(m.acting_as("bot:main").log(name="erasure.requested"))
            assert [entry.data for entry in told] == [{}]
            owner = list(m.log(name="erasure.requested"))
            assert owner[0].data["subject"] == "Anna Karenina"

    @pytest.mark.parametrize("basis", ["anna-karenina", {"code": "x.annakarenina", "text": "y"}])
    def test_a_code_may_not_name_them(self, m: Muniment, basis: Any) -> None:
        m.save(ANNA, metadata=ABOUT)
        with pytest.raises(Invalid) as caught:
            m.erase_subject("Anna Karenina", basis=basis)
        assert (caught.value.code, caught.value.field) == ("basis_names_subject", "basis")
        assert m.stats().head == 1

    def test_an_export_says_what_is_held(self, m: Muniment, tmp_path: Path) -> None:
        anna, bert, whole = merged(m)
        answer = m.export(tmp_path / "held", subject="Anna Karenina")
        assert answer.memories == 2
        header, *memories, _ = [
            json.loads(line) for line in (tmp_path / "held").read_text("utf-8").splitlines()
        ]
        assert header["subject"] == "Anna Karenina"
        assert [memory["id"] for memory in memories] == [anna, whole]
        assert m.get(bert).state == "archived"
        with muniment.open(":memory:") as other:
            assert other.import_from("native", tmp_path / "held").imported == 2


class TestSpace:
    def test_it_reads_empty_but_for_tombstones(self, m: Muniment) -> None:
        here = m.save(ANNA).id
        other = m.acting_as("manual", "tenant-b")
        anna, bert, whole = merged(other)
        other.archive(other.save("Rack 12 is full.").id, "stale")
        certificate = m.erase_space("tenant-b", basis="contract.ended")
        assert (certificate.scope, certificate.space) == ("space", "tenant-b")
        assert len(certificate.erased) == 4
        assert states(other, anna, bert, whole) == ["purged"] * 3
        assert other.search(limit=200, include_archived=True).hits == ()
        assert other.stats().memories["purged"] == 4
        assert sum(other.stats().memories.values()) == 4
        assert other.erasures() == [certificate]
        assert (m.get(here).content, m.erasures()) == (ANNA, [])
        assert m.erase_space("tenant-b", basis="again").id is None

    def test_a_space_that_never_was_is_empty_already(self, m: Muniment) -> None:
        assert m.erase_space("nobody", basis="gdpr-17").erased == ()
        assert m.stats().head == 0


WRONG: tuple[tuple[Callable[[Any], object], str], ...] = (
    (lambda m: m.erase("?", basis="x"), "id_invalid"),
    (lambda m: m.erase(7, basis="x"), "id_invalid"),
    (lambda m: m.erase([7], basis="x"), "ids_invalid"),
    (lambda m: m.erase_subject("", basis="x"), "subject_invalid"),
    (lambda m: m.erase_subject(" \u200b", basis="x"), "subject_invalid"),
    (lambda m: m.erase_subject("x" * 257, basis="x"), "subject_invalid"),
    (lambda m: m.erase_subject(None, basis="x"), "subject_invalid"),
    (lambda m: m.erase_subject("Anna", basis="x", also=7), "also_invalid"),
    (lambda m: m.erase_subject("Anna", basis="x", dry_run="no"), "dry_run_invalid"),
    (lambda m: m.erase_space("a b", basis="x"), "space_invalid"),
    (lambda m: m.export("x", subject=""), "subject_invalid"),
)


class TestInput:
    @pytest.mark.parametrize(
        ("basis", "code", "text"),
        [
            ("gdpr-17", "gdpr-17", ""),
            ("Their letter of 3 March", "request", "Their letter of 3 March"),
            ({"code": "gdpr-17", "text": " a letter "}, "gdpr-17", "a letter"),
            ({"text": "a letter"}, "request", "a letter"),
        ],
    )
    def test_a_basis_is_a_code_a_text_or_both(
        self, m: Muniment, basis: Any, code: str, text: str
    ) -> None:
        certificate = m.erase(m.save(ANNA).id, basis=basis)
        assert (certificate.basis, certificate.basis_text) == (code, text)

    @pytest.mark.parametrize(
        "basis",
        [
            *("", "  ", None, 17, "x" * 2_001, {}, {"code": "GDPR 17"}, {"code": "x", "why": "y"}),
            *({"code": 17}, {"code": "x", "text": None}, {"text": " "}, {"code": "x" * 65}, []),
        ],
    )
    def test_any_other_is_refused(self, m: Muniment, basis: Any) -> None:
        id_ = m.save(ANNA).id
        with pytest.raises(Invalid) as caught:
            m.erase(id_, basis=basis)
        assert (caught.value.code, caught.value.field) == ("basis_invalid", "basis")
        assert m.stats().head == 1

    @pytest.mark.parametrize(
        "cascade",
        [
            *("all", None, "keep", ("keep", ""), ("keep", " "), ("cascade", "why"), (), 1),
            *(["keep", "r"], ("cascade", ""), ("keep", "r", ""), ["cascade"], {"keep": "r"}),
        ],
    )
    def test_a_policy_is_one_of_three_and_keeping_has_a_reason(
        self, m: Muniment, cascade: Any
    ) -> None:
        id_ = m.save(ANNA).id
        with pytest.raises(Invalid) as caught:
            m.erase(id_, basis="gdpr-17", cascade=cascade)
        assert (caught.value.code, caught.value.field) == ("cascade_invalid", "cascade")
        assert m.stats().head == 1

    @pytest.mark.parametrize(("call", "code"), WRONG)
    def test_what_breaks_a_rule_names_its_field(
        self, m: Muniment, call: Callable[[Any], object], code: str
    ) -> None:
        with pytest.raises(Invalid) as caught:
            call(m)
        assert caught.value.code == code
        assert caught.value.field is not None


class TestRoles:
    @pytest.mark.parametrize("actor", ["bot:main", "system:dream", "subagent:scout"])
    def test_agents_and_policies_erase_nothing(self, m: Muniment, actor: str) -> None:
        id_ = m.save(ANNA, metadata=ABOUT).id
        agent = m.acting_as(actor)
        calls: list[Callable[[], object]] = [
            lambda: agent.erase(id_, basis=""),
            lambda: agent.erase_subject("", basis=""),
            lambda: agent.erase_space("", basis=""),
            agent.erasures,
        ]
        for call in calls:
            with pytest.raises(Refused) as caught:
                call()
            assert caught.value.code == "role_refused"
        assert m.get(id_).content == ANNA

    def test_an_admin_erases_even_what_is_pinned(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path) as m:
            id_ = m.save(ANNA).id
            m.pin(id_)
        with muniment.open(tmp_path, actor="system:office", role="admin") as admin:
            assert admin.erase(id_, basis="gdpr-17").requested_by == "system:office"
        with muniment.open(tmp_path) as m:
            assert m.prove_invariants().violations == ()
