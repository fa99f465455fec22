"""What an erasure reaches besides memories, as callers meet it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from bdd import Clock
from projection_answers import store_of

import muniment
from muniment import Conflict, ErasurePreview, Muniment, StorageFailed
from muniment.domain.erasure.besides import Besides
from muniment.domain.recorded import Recorded, words_of
from muniment.log.keys import Keys
from muniment.queries.told import summary
from muniment.queries.wording import tails

ANNA = "Anna Karenina lives in Chicago since 2019."
BERT = "Bert keeps the Quillmark feed on Drive North."
ALL = Besides(recalls=1, proposals=1, feedback=1, entries=1, turns=1, reports=1)


def fill(m: Muniment, text: str) -> None:
    """One of each kind of what holds words, about whomever a text is about."""
    m.recall(f"what of this: {text}", session="standup")
    m.acting_as("subagent:scout").propose(text)
    m.feedback("correction", text)
    m.working.save("session/abc/note", text, ttl=9_999)
    m.conversation.append("abc", "user", text)
    m.report_tool_call("abc", "phone.dial", {"about": text}, ok=True)


def queries(m: Muniment) -> list[object]:
    return [entry.data["queries"] for entry in m.log(name="session.recalled")]


def texts(m: Muniment) -> list[str]:
    return [entry.data["text"] for entry in m.log(name="feedback.given")]


NAMING: tuple[Callable[[Muniment], object], ...] = (
    lambda m: m.recall("rota", session="call Anna"),
    lambda m: m.acting_as("subagent:scout").propose(BERT, trigger="Anna's letter"),
    lambda m: m.acting_as("subagent:scout").propose(BERT, tags=["anna"]),
    lambda m: m.feedback("praise", "well done", session="to_anna_7"),
)


class TestByPerson:
    def test_it_takes_what_names_them_and_leaves_what_names_others(self, m: Muniment) -> None:
        fill(m, ANNA)
        m.acting_as("subagent:scout").propose(BERT)
        m.feedback("praise", BERT)
        m.recall("Bert", session="other")
        m.conversation.append("abc", "user", BERT)
        id_ = m.save(ANNA, metadata={"subject": "Anna Karenina"}).id
        certificate = m.erase_subject("anna  KARENINA", basis="gdpr-17")
        assert (certificate.erased, certificate.besides) == ((id_,), ALL)
        assert m.erasures() == [certificate]
        assert [one.content for one in m.proposals()] == ["", BERT]
        assert texts(m) == ["", BERT]
        assert queries(m) == [(), ("Bert",)]
        assert m.working.search().hits == ()
        assert [turn.content for turn in m.conversation.turns("abc")] == [BERT]
        assert m.verify().intact
        assert m.prove_invariants().violations == ()

    def test_nothing_in_memory_is_no_reason_to_leave_the_rest(self, m: Muniment) -> None:
        fill(m, ANNA)
        certificate = m.erase_subject("Anna Karenina", basis="gdpr-17")
        assert (certificate.erased, certificate.besides) == ((), ALL)
        assert certificate.completed_at is not None
        assert m.prove_invariants().violations == ()
        head = m.stats().head
        assert m.erase_subject("Anna Karenina", basis="gdpr-17").id is None
        assert m.stats().head == head

    @pytest.mark.parametrize("said", NAMING)
    def test_a_name_is_found_wherever_it_stands(
        self, m: Muniment, said: Callable[[Muniment], object]
    ) -> None:
        said(m)
        found = m.erase_subject("Anna", basis="gdpr-17").besides
        assert found.recalls + found.proposals + found.feedback == 1

    def test_a_reason_that_names_them_goes_and_the_verdict_stays(self, m: Muniment) -> None:
        m.acting_as("subagent:scout").propose(BERT)
        m.decide(1, "reject", reason="Anna says it is wrong")
        m.erase_subject("Anna", basis="gdpr-17")
        (one,) = m.proposals()
        assert (one.state, one.reason, one.content) == ("rejected", None, "")

    def test_a_name_within_another_word_is_not_theirs(self, m: Muniment) -> None:
        m.acting_as("subagent:scout").propose("The annual rota of Johannanna is on Drive North.")
        m.recall("annual rota", session="s")
        m.feedback("praise", "annually good")
        m.conversation.append("planning", "user", "what of the channel?")
        assert m.erase_subject("Ann", basis="gdpr-17").id is None


class TestByMemory:
    def test_the_proposal_that_became_it_and_the_feedback_about_it_go(self, m: Muniment) -> None:
        scout = m.acting_as("subagent:scout")
        scout.propose("Anna lives in Chicago.")
        committed = m.decide(1, "commit", content=ANNA)
        assert committed.memory is not None
        scout.propose(BERT)
        m.feedback("correction", "no, in Porto", memory_ids=[committed.memory])
        m.feedback("praise", "good")
        m.recall("Anna", session="s")
        certificate = m.erase(committed.memory, basis="gdpr-17")
        assert certificate.besides == Besides(proposals=1, feedback=1)
        assert [one.content for one in m.proposals()] == ["", BERT]
        assert texts(m) == ["", "good"]
        assert queries(m) == [("Anna",)]
        assert m.prove_invariants().violations == ()

    def test_a_proposal_that_says_the_same_goes_though_nobody_committed_it(
        self, m: Muniment
    ) -> None:
        id_ = m.save(ANNA).id
        m.acting_as("subagent:scout").propose("anna karenina lives in chicago since 2019")
        m.acting_as("subagent:scout").propose("Anna Karenina lives in Porto since 2021.")
        assert m.erase(id_, basis="gdpr-17").besides == Besides(proposals=1)
        assert [one.state for one in m.proposals()] == ["erased", "pending"]

    def test_what_mentions_its_id_beside_the_log_goes(self, m: Muniment) -> None:
        id_ = m.save(ANNA).id
        m.conversation.append("abc", "user", f"see {id_}")
        m.conversation.append("abc", "user", "see nothing")
        assert m.erase(id_, basis="gdpr-17").besides == Besides(turns=1)
        assert [turn.content for turn in m.conversation.turns("abc")] == ["see nothing"]

    def test_the_retention_purge_reaches_no_further_than_memories(
        self, m: Muniment, clock: Clock
    ) -> None:
        id_ = m.save(ANNA).id
        m.conversation.append("abc", "user", f"see {id_}")
        m.feedback("praise", "good", memory_ids=[id_])
        m.rescore(id_, 0.1)
        m.archive(id_, "stale")
        clock.advance(days=4_000)
        m.conversation.append("abc", "user", f"see {id_}")
        assert m.purge().purged == [id_]
        assert texts(m) == ["good"]
        assert m.conversation.search(id_).hits != ()


class TestBySpace:
    def test_everything_of_it_goes_and_other_spaces_keep_theirs(self, m: Muniment) -> None:
        other = m.acting_as("manual", "tenant-b")
        fill(m, ANNA)
        fill(other, BERT)
        certificate = m.erase_space("tenant-b", basis="contract.ended")
        assert (certificate.erased, certificate.besides) == ((), ALL)
        assert [one.state for one in other.proposals()] == ["erased"]
        assert (texts(other), queries(other)) == ([""], [()])
        assert (len(other.working.search()), len(other.conversation.search())) == (0, 0)
        assert [one.content for one in m.proposals()] == [ANNA]
        assert (texts(m), len(m.working.search()), len(m.conversation.search())) == ([ANNA], 1, 1)
        assert m.prove_invariants().violations == ()
        assert m.erase_space("tenant-b", basis="again").id is None


class TestAfterwards:
    def test_an_erased_proposal_cannot_be_decided_on(self, m: Muniment) -> None:
        m.acting_as("subagent:scout").propose(ANNA)
        m.erase_subject("Anna Karenina", basis="gdpr-17")
        (one,) = m.proposals("erased")
        assert (one.number, one.content, one.category, one.tags) == (1, "", None, ())
        for verdict in ("commit", "defer"):
            with pytest.raises(Conflict) as caught:
                m.decide(1, verdict)
            assert (caught.value.code, caught.value.field) == ("proposal_erased", "proposal_id")
        m.acting_as("subagent:scout").propose(ANNA)
        assert [one.state for one in m.proposals()] == ["erased", "pending"]

    def test_what_an_erased_proposal_contradicted_waits_alone(self, m: Muniment) -> None:
        scout = m.acting_as("subagent:scout")
        scout.propose("Server alpha stands in Lisbon")
        scout.propose("Server alpha stands in Porto")
        assert [one.state for one in m.proposals()] == ["conflict", "conflict"]
        m.erase_subject("Porto", basis="gdpr-17")
        assert [one.state for one in m.proposals()] == ["pending", "erased"]
        assert m.decide(1, "commit").state == "committed"

    def test_from_the_request_on_no_fold_reads_the_words(
        self, m: Muniment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise StorageFailed("The disk is full.", code="full")

        given = m.feedback("praise", ANNA).id
        monkeypatch.setattr(Keys, "destroy", fail)
        with pytest.raises(StorageFailed):
            m.erase_subject("Anna Karenina", basis="gdpr-17")

        def said(texts: tuple[str, ...] | None, recorded: Recorded) -> tuple[str, ...]:
            return (*(texts or ()), *words_of(recorded.event))

        assert store_of(m).folded([given], said)[given] == ("",)
        assert texts(m) == [""]

    def test_the_same_session_goes_on_under_another_key(self, m: Muniment, clock: Clock) -> None:
        id_ = m.save(BERT).id
        m.recall("Anna and Bert", session="standup")
        m.erase_subject("Anna", basis="gdpr-17")
        (known,) = m.knew("manual", clock()).known
        assert (known.memory, known.session) == (id_, None)
        m.recall("Bert", session="standup")
        assert len(m.knew("manual", clock()).known) == 2
        assert queries(m) == [(), ("Bert",)]
        first, second = (entry.stream for entry in m.log(name="session.recalled"))
        assert first != second
        assert m.rebuild().agrees

    def test_retention_asks_for_nothing_that_an_erasure_took(
        self, m: Muniment, clock: Clock
    ) -> None:
        m.recall("Anna", session="standup")
        m.erase_subject("Anna", basis="gdpr-17")
        clock.advance(days=4_000)
        assert m.purge().recalls == []

    def test_an_erasure_takes_nothing_that_retention_took(self, m: Muniment, clock: Clock) -> None:
        m.recall("Anna", session="standup")
        m.knew("manual", clock())
        clock.advance(days=4_000)
        assert len(m.purge().recalls) == 1
        assert m.erase_space(m.space, basis="gdpr-17").id is None

    def test_the_log_says_of_each_stream_which_erasure_it_was(self, m: Muniment) -> None:
        m.feedback("praise", ANNA)
        id_ = m.erase_subject("Anna Karenina", basis="gdpr-17").id
        assert id_ is not None
        told = [entry for entry in m.log() if entry.name.startswith("words.")]
        assert [entry.data for entry in told] == [{"erasure": id_}] * 2
        recorded = [one for one in store_of(m).recorded() if one.name.startswith("words.")]
        assert [summary(one) for one in recorded] == [
            f"purge of its words requested by the erasure {tails((id_,))}",
            f"its words were purged by the erasure {tails((id_,))}",
        ]

    def test_their_keys_are_destroyed(self, m: Muniment) -> None:
        fill(m, ANNA)
        m.erase_subject("Anna Karenina", basis="gdpr-17")
        store = store_of(m)
        for entry in list(m.log()):
            if entry.name in ("session.recalled", "proposal.made", "feedback.given"):
                assert store.keys.get(store.rows.key_of(entry.stream) or 0) is None


def test_a_dry_run_counts_what_it_would_reach_and_does_nothing(m: Muniment) -> None:
    fill(m, ANNA)
    list(m.log())
    answer = m.erase_subject("Anna Karenina", basis="gdpr-17", dry_run=True)
    assert isinstance(answer, ErasurePreview)
    assert answer.besides == ALL
    assert [one.content for one in m.proposals()] == [ANNA]
    assert len(m.conversation.search()) == 1
    assert m.erasures() == []


def test_nothing_is_made_beside_a_log_that_nothing_was_kept_beside(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    directory = tmp_path_factory.mktemp("bare")
    with muniment.open(directory) as m:
        m.erase(m.save(ANNA).id, basis="gdpr-17")
    assert not (directory / "work.db").exists()


def test_a_recall_of_before_is_reached_though_it_was_not_recorded_yet(
    m: Muniment, clock: Clock
) -> None:
    m.recall("Anna", session="standup")
    clock.now += timedelta(seconds=1)
    assert m.erase_subject("Anna", basis="gdpr-17").besides == Besides(recalls=1)
    assert queries(m) == [()]
