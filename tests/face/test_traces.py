"""Where a memory comes from, and whom it reached."""

from typing import Any

import pytest
from bdd import Clock
from poisoned import PAGE, WRONG, poisoned

import muniment
from muniment import BlastRadius, Invalid, Muniment, NotFound, Source, Trace


def crossings(graph: Trace | BlastRadius) -> set[tuple[str, str, str, bool]]:
    return {(edge.source, edge.target, edge.kind, edge.possible) for edge in graph.edges}


def ids(graph: Trace | BlastRadius, *, possible: bool | None = None) -> set[str]:
    return {
        node.id
        for node in graph.nodes
        if node.kind == "memory" and (possible is None or node.possible == possible)
    }


class TestTrace:
    def test_three_levels_of_merges_lead_back_to_every_source(
        self, m: Muniment, clock: Clock
    ) -> None:
        story = poisoned(m, clock)
        trace = m.trace(story.merges[2])
        assert ids(trace) == {story.wrong, *story.clean, *story.merges}
        first, second, third = story.merges
        assert crossings(trace) == {
            (story.wrong, first, "merged", False),
            (story.clean[0], first, "merged", False),
            (first, second, "merged", False),
            (story.clean[1], second, "merged", False),
            (second, third, "merged", False),
            (story.clean[2], third, "merged", False),
        }
        assert (trace.roots, trace.truncated) == ((third,), False)

    def test_a_source_says_who_wrote_it_when_and_from_where(
        self, m: Muniment, clock: Clock
    ) -> None:
        began = clock()
        story = poisoned(m, clock)
        (node,) = [node for node in m.trace(story.merges[2]).nodes if node.id == story.wrong]
        assert (node.actor, node.at, node.content, node.state) == (
            "bot:main",
            began,
            WRONG,
            "archived",
        )
        assert node.source == Source(type="web", ref=PAGE, session="reading")
        assert (node.version, node.depth) == (1, 3)

    def test_an_addition_is_an_observation_with_its_own_source(self, m: Muniment) -> None:
        text = "The Quillmark feed sits on Drive North"
        id_ = m.save(text, source="web").id
        more = m.save(f"{text} in rack 12", source=Source(type="web", ref=PAGE))
        assert more.id == id_
        m.save(text)
        m.revise(id_, "It is quiet at dock 7")
        trace = m.trace(id_)
        seen = [(n.version, n.content) for n in trace.nodes if n.kind == "observation"]
        assert seen[0] == (2, f"{text} in rack 12")
        assert seen[1:] == [(3, None), (4, "It is quiet at dock 7")]
        assert {edge.kind for edge in trace.edges} == {"extended", "reinforced", "revised"}
        (page,) = [n.source for n in trace.nodes if n.id == f"{id_}@2"]
        assert page == Source(type="web", ref=PAGE)

    def test_what_was_recalled_before_it_in_its_session_is_possible(
        self, m: Muniment, clock: Clock
    ) -> None:
        wrong = m.save(WRONG).id
        m.recall("pump", session="plan", agent="bot:main")
        clock.advance(minutes=1)
        order = m.save("Nora orders valves", source=Source(type="agent", session="plan")).id
        clock.advance(minutes=1)
        later = m.save("The harbour is closed on Sundays").id
        m.recall("harbour", session="plan", agent="bot:main")
        other = m.save("Olga has the key", source=Source(type="agent", session="elsewhere")).id
        trace = m.trace(order)
        assert crossings(trace) == {(wrong, order, "recalled", True)}
        assert ids(trace, possible=True) == {wrong}
        assert later not in ids(trace)
        assert crossings(m.trace(other)) == set()

    def test_a_recall_is_traced_by_its_position(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        m.recall("pump", session="s")
        m.knew("manual", 1)
        position = next(e.position for e in m.log() if e.name == "session.recalled")
        trace = m.trace(position)
        assert story.merges[2] in trace.roots
        assert story.wrong in ids(trace)

    def test_a_position_is_the_memory_as_of_then(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        first = m.trace(1)
        assert first.roots == (story.wrong,)
        assert [(node.version, node.content) for node in first.nodes] == [(1, WRONG)]
        merged = next(e.position for e in m.log() if e.stream == story.merges[0])
        assert m.trace(str(merged)).roots == (story.merges[0],)

    def test_what_was_said_after_the_position_is_not_in_it(self, m: Muniment) -> None:
        id_ = m.save(WRONG).id
        m.save(WRONG)
        m.revise(id_, "The pump runs at 3 bar")
        assert [node.kind for node in m.trace(1).nodes] == ["memory"]
        assert [node.version for node in m.trace(2).nodes] == [2, 2]
        assert len(m.trace(id_).edges) == 2

    def test_what_flowed_into_a_merge_is_the_text_of_then(self, m: Muniment) -> None:
        one, other = m.save(WRONG).id, m.save("Olga has the key").id
        merged = m.merge([one, other], f"{WRONG}. Olga has the key").id
        m.restore(one)
        m.revise(one, "The pump runs at 3 bar")
        (node,) = [node for node in m.trace(merged).nodes if node.id == one]
        assert node.content == WRONG

    def test_a_ring_ends(self, m: Muniment, clock: Clock) -> None:
        one = m.save("The relay listens on port 4100.").id
        other = m.save("The relay listens on port 9999.").id
        m.supersede(one, other)
        clock.advance(minutes=1)
        m.restore(one)
        m.supersede(other, one)
        assert ids(m.trace(one)) == {one, other}
        assert set(m.blast_radius(memory=one).memories) == {one, other}

    def test_it_goes_no_further_than_asked_and_says_so(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        near = m.trace(story.merges[2], depth=1)
        assert ids(near) == {story.merges[2], story.merges[1], story.clean[2]}
        assert near.truncated
        few = m.trace(story.merges[2], limit=2)
        assert (len(ids(few)), few.truncated) == (2, True)

    def test_a_purged_source_shows_no_words(self, clock: Clock) -> None:
        settings = {"dream": {"memory_archive_retention_days": 1}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            story = poisoned(m, clock)
            clock.advance(days=2)
            m.purge()
            (node,) = [node for node in m.trace(story.merges[2]).nodes if node.id == story.wrong]
            assert (node.state, node.content) == ("purged", None)
            assert node.source == Source(type="web")
            assert "pumps.example" not in repr(m.trace(story.merges[2]))

    def test_words_in_quarantine_are_for_people(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        m.rollback(source=PAGE, reason="wrong", dry_run=False)
        bot = m.acting_as("bot:main")
        (node,) = [n for n in bot.blast_radius(source=PAGE).nodes if n.id == story.merges[2]]
        assert (node.state, node.content) == ("quarantined", None)
        (node,) = [n for n in m.blast_radius(source=PAGE).nodes if n.id == story.merges[2]]
        assert node.content is not None

    def test_an_import_names_what_is_not_there(self, m: Muniment, tmp_path: Any) -> None:
        clock = Clock()
        with muniment.open(":memory:", clock=clock) as other:
            story = poisoned(other, clock)
            other.export(tmp_path / "whole")
        m.import_from("native", tmp_path / "whole")
        trace = m.trace(story.merges[2])
        assert story.wrong in ids(trace)
        assert {edge.kind for edge in trace.edges} == {"imported"}

    def test_another_space_shows_nothing(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        other = m.acting_as("manual", space="other")
        for of in (story.wrong, 1):
            with pytest.raises(NotFound):
                other.trace(of)
        assert other.blast_radius(source="web").memories == ()

    @pytest.mark.parametrize("of", [0, -1, 999, "nonsense", None, 1.5, True])
    def test_what_is_no_memory_and_no_position_is_refused(self, m: Muniment, of: Any) -> None:
        m.save(WRONG)
        with pytest.raises((Invalid, NotFound)) as caught:
            m.trace(of)
        assert caught.value.field == "id"

    def test_an_event_of_neither_is_none_to_trace(self, m: Muniment) -> None:
        m.save(WRONG, source="web")
        m.rollback(source="web", reason="wrong", dry_run=False)
        with pytest.raises(Invalid) as caught:
            m.trace(2)
        assert caught.value.code == "not_traceable"


class TestBlastRadius:
    def test_it_reaches_every_descendant_of_three_levels(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        radius = m.blast_radius(source="https://pumps.example/*")
        assert radius.origins == (story.wrong,)
        assert set(radius.memories) == {story.wrong, *story.merges}
        assert ids(radius, possible=True) == set()

    def test_it_names_sessions_and_agents_that_were_told(self, m: Muniment, clock: Clock) -> None:
        poisoned(m, clock)
        told = clock.advance(minutes=1)
        m.recall("pump", session="plan", agent="bot:a")
        m.recall("boathouse", session="other", agent="bot:b", mode="regex")
        m.recall("zebra", session="third", agent="bot:c")
        (one, other) = m.blast_radius(source="web").sessions
        assert (one.session, one.agent, one.first_at) == ("plan", "bot:a", told)
        assert m.blast_radius(source="web").agents == ("bot:a", "bot:b")
        assert other.agent == "bot:b"

    def test_who_was_told_before_it_was_wrong_is_not_among_them(
        self, m: Muniment, clock: Clock
    ) -> None:
        text = "The Quillmark feed sits on Drive North"
        id_ = m.acting_as("bot:main").save(text).id
        m.recall("feed", session="early", agent="bot:a")
        clock.advance(minutes=1)
        m.acting_as("bot:x").save(f"{text} in rack 12")
        assert m.blast_radius(actor="bot:x").sessions == ()
        m.recall("feed", session="late", agent="bot:a")
        assert [one.session for one in m.blast_radius(actor="bot:x").sessions] == ["late"]
        assert m.blast_radius(actor="bot:x").memories == (id_,)

    def test_what_was_written_after_a_recall_is_possible_and_what_that_reached(
        self, m: Muniment, clock: Clock
    ) -> None:
        wrong = m.save(WRONG, source="web").id
        m.recall("pump", session="plan", agent="bot:main")
        clock.advance(minutes=1)
        order = m.save("Nora orders valves", source=Source(type="agent", session="plan")).id
        key = m.save("Olga has the key").id
        merged = m.merge([order, key], "Nora orders valves. Olga has the key").id
        radius = m.blast_radius(source="web")
        assert ids(radius, possible=False) == {wrong}
        assert ids(radius, possible=True) == {order, merged}
        assert (wrong, order, "recalled", True) in crossings(radius)

    def test_a_merge_from_before_is_not_reached(self, m: Muniment, clock: Clock) -> None:
        one, other = m.save(WRONG).id, m.save("Olga has the key").id
        merged = m.merge([one, other], f"{WRONG}. Olga has the key").id
        clock.advance(minutes=1)
        m.restore(one)
        m.acting_as("bot:x").revise(one, "The pump runs at 12 bar")
        assert merged not in m.blast_radius(actor="bot:x").memories

    def test_what_is_given_together_holds_together(self, m: Muniment, clock: Clock) -> None:
        story = poisoned(m, clock)
        assert m.blast_radius(source="web", actor="manual").memories == ()
        assert story.wrong in m.blast_radius(session="reading", actor="bot:main").memories
        assert m.blast_radius(memory=story.clean[0][-12:]).origins == (story.clean[0],)

    def test_after_the_purge_of_a_session_the_agent_is_known_all_the_same(
        self, clock: Clock
    ) -> None:
        settings = {"recall": {"retention_days": 1}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            m.save(WRONG, source="web")
            m.recall("pump", session="plan", agent="bot:a")
            m.knew("bot:a", 1)
            clock.advance(days=2)
            m.purge()
            (told,) = m.blast_radius(source="web").sessions
            assert (told.session, told.agent) == (None, "bot:a")
