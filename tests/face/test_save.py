"""Saving: what is new, what is known already, and what only adds to it."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from zoneinfo import ZoneInfo

import pytest
from bdd import START, Clock, day

import muniment
from muniment import Conflict, Invalid, Muniment, Source

FACT = "The Quillmark feed sits on Drive North."
MORE = "The Quillmark feed sits on Drive North in rack 12."


def names(m: Muniment, id: str) -> list[str]:
    return [entry.name for entry in m.history(id)]


class TestSomethingNew:
    def test_it_is_created_with_everything_that_was_said(self, m: Muniment) -> None:
        saved = m.save(
            FACT,
            category="infra/feeds",
            tags=["feed", "Feed", "drive"],
            importance=0.7,
            metadata={"subjectTime": "2019-06"},
            store="procedural",
            source={"type": "tool", "ref": "inventory", "session": "s-1", "model": "m-1"},
        )
        assert (saved.outcome, saved.counted, saved.position) == ("created", True, 1)
        assert (saved.similarity, saved.measure, saved.resembles) == (None, None, ())
        memory = m.get(saved.id)
        assert memory == saved.memory
        assert (memory.content, memory.category, memory.tags) == (
            FACT,
            "infra/feeds",
            ("feed", "drive"),
        )
        assert (memory.importance, memory.base_importance, memory.trust) == (0.7, 0.7, 1)
        assert (memory.metadata, memory.store) == ({"subjectTime": "2019-06"}, "procedural")
        assert memory.source == Source(type="tool", ref="inventory", session="s-1", model="m-1")
        assert (memory.created_at, memory.last_seen_at, memory.updated_at) == (START,) * 3
        assert (memory.reinforcement_count, memory.access_count) == (1, 1)
        assert (memory.state, memory.version, memory.position) == ("live", 1, 1)

    def test_content_is_trimmed_and_otherwise_verbatim(self, m: Muniment) -> None:
        text = "  naïve  e\u0301 ﬁ\r\n\t“quoted”  "
        assert m.get(m.save(text).id).content == text.strip()

    def test_a_source_may_be_said_by_its_type_alone(self, m: Muniment) -> None:
        assert m.save(FACT, source="web").memory.trust == 0

    def test_trust_may_only_be_lowered(self, m: Muniment) -> None:
        assert m.save(FACT, source="user", trust=1).memory.trust == 1
        with pytest.raises(Invalid) as caught:
            m.save("Another fact.", source="web", trust=1)
        assert (caught.value.code, caught.value.field) == ("trust_invalid", "trust")

    @pytest.mark.parametrize(
        ("actor", "kind", "trust"), [("manual", "owner", 3), ("bot:main", "agent", 1)]
    )
    def test_who_acts_is_the_source_unless_another_is_named(
        self, m: Muniment, actor: str, kind: str, trust: int
    ) -> None:
        memory = m.acting_as(actor).save(FACT).memory
        assert (memory.source.type, memory.trust) == (kind, trust)

    def test_the_canonical_category_is_reported_where_it_differs(self, m: Muniment) -> None:
        saved = m.save(FACT, category=" infra //feeds/ ")
        assert saved.memory.category == "infra/feeds"
        (warning,) = saved.warnings
        assert "infra/feeds" in warning
        assert m.save("Another fact.", category="infra/feeds").warnings == ()


class TestSaidAgain:
    def test_the_same_again_is_one_live_entry_seen_twice(self, m: Muniment, clock: Clock) -> None:
        """Field case 5: adding the same again must never delete it."""
        first = m.save(FACT)
        clock.advance(days=2)
        again = m.save("the Quillmark feed sits on Drive North")
        assert (again.outcome, again.id, again.counted) == ("reinforced", first.id, True)
        assert (again.similarity, again.measure) == (1.0, "canonical")
        assert again.memory.content == FACT
        assert (again.memory.reinforcement_count, again.memory.last_seen_at) == (2, day(2))
        assert (again.memory.created_at, again.memory.updated_at) == (START, START)
        assert names(m, first.id) == ["memory.saved", "memory.reinforced"]
        assert m.stats().memories["live"] == 1

    def test_importance_tags_and_metadata_are_gathered(self, m: Muniment) -> None:
        m.save(FACT, importance=0.4, tags=["a"], metadata={"k": "old"})
        memory = m.save(
            FACT, importance=0.6, tags=["A", "b"], metadata={"k": "new", "l": "1"}
        ).memory
        assert (memory.importance, memory.tags) == (0.6, ("a", "b"))
        assert memory.metadata == {"k": "old", "l": "1"}

    def test_tags_that_were_gathered_are_found(self, m: Muniment) -> None:
        m.save(FACT, tags=["a"])
        m.save(FACT, tags=["shelf"])
        assert len(m.search("shelf").hits) == 1
        assert len(m.search(tags=["a", "shelf"]).hits) == 1

    @pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
    def test_composed_and_decomposed_letters_are_the_same_text(
        self, m: Muniment, form: str
    ) -> None:
        """B06: verbatim in the log, equal for the duplicate check."""
        text = unicodedata.normalize("NFC", "Café Ångström is at Škofja Loka 👩‍👩‍👧.")
        first = m.save(text)
        again = m.save(unicodedata.normalize(form, text))  # type: ignore[arg-type]
        assert (again.outcome, again.id) == ("reinforced", first.id)
        assert m.get(first.id).content == text

    def test_dates_in_two_notations_are_the_same_date(self, m: Muniment) -> None:
        """R26."""
        first = m.save("The Blue Heron concert is on 2027-10-07.")
        again = m.save("The Blue Heron concert is on October 7, 2027.")
        assert (again.outcome, again.id) == ("reinforced", first.id)

    def test_two_savers_at_once_make_one_entry(self, m: Muniment) -> None:
        """R24."""
        with ThreadPoolExecutor(8) as pool:
            outcomes = sorted(saved.outcome for saved in pool.map(m.save, [FACT] * 8))
        assert outcomes == ["created", *["reinforced"] * 7]
        (hit,) = m.search().hits
        assert hit.memory.reinforcement_count == 8

    def test_archived_twins_do_not_match(self, m: Muniment) -> None:
        """R25."""
        first = m.save(FACT)
        m.archive(first.id, "stale")
        again = m.save(FACT)
        assert (again.outcome, again.id != first.id) == ("created", True)
        assert m.get(first.id).reinforcement_count == 1

    def test_a_restored_memory_matches_again(self, m: Muniment) -> None:
        first = m.save(FACT)
        m.archive(first.id, "stale")
        m.restore(first.id)
        assert m.save(FACT).id == first.id

    def test_a_revised_memory_matches_by_its_new_text_alone(self, m: Muniment) -> None:
        first = m.save(FACT)
        m.revise(first.id, "Rack 12 is full.")
        assert m.save("Rack 12 is full.").id == first.id
        assert m.save(FACT).outcome == "created"

    def test_revising_a_memory_to_its_own_text_matches_nothing_but_itself(
        self, m: Muniment
    ) -> None:
        first = m.save(FACT)
        assert m.revise(first.id, FACT).version == 1

    def test_a_false_today_is_not_the_same_on_another_day(self, m: Muniment, clock: Clock) -> None:
        m.save("The review is today.")
        assert m.save("The review is today.").outcome == "reinforced"
        clock.advance(days=1)
        assert m.save("The review is today.").outcome == "created"

    def test_each_statement_of_an_extended_memory_can_be_repeated(self, m: Muniment) -> None:
        first = m.save(FACT)
        assert m.save(MORE).outcome == "extended"
        assert (m.save(FACT).outcome, m.save(MORE).outcome) == ("reinforced", "reinforced")
        assert m.get(first.id).reinforcement_count == 4

    def test_the_check_can_be_switched_off(self, clock: Clock) -> None:
        off = {"memory": {"dedupe_enabled": False}}
        with muniment.open(":memory:", clock=clock, settings=off) as m:
            assert [m.save(FACT).outcome for _ in range(3)] == ["created"] * 3


class TestWhereItIsLookedFor:
    @pytest.mark.parametrize(
        ("known", "said", "outcome"),
        [
            ("prefs/a", "infra/b", "created"),
            ("prefs/a", "prefs/b", "reinforced"),
            ("prefs", "PREFS/b", "reinforced"),
            (None, "prefs", "created"),
            ("prefs", None, "created"),
            (None, "general", "created"),
            (None, None, "reinforced"),
            ("feedback/from-agent/x", "feedback/from-agent/x", "created"),
            ("claim/capability/s/t", "claim/capability/s/t", "created"),
            ("claim/other", "claim/other", "reinforced"),
        ],
    )
    def test_under_the_same_top_level_category(
        self, m: Muniment, known: str | None, said: str | None, outcome: str
    ) -> None:
        """R19, R23."""
        m.save(FACT, category=known)
        assert m.save(FACT, category=said).outcome == outcome

    def test_a_repetition_stays_where_it_was_filed(self, m: Muniment) -> None:
        m.save(FACT, category="prefs/a")
        assert m.save(FACT, category="prefs/b").memory.category == "prefs/a"

    def test_a_recategorized_memory_is_looked_for_where_it_is(self, m: Muniment) -> None:
        first = m.save(FACT, category="prefs/a")
        m.recategorize(first.id, "infra")
        assert m.save(FACT, category="prefs").outcome == "created"
        assert m.save(FACT, category="infra/x").id == first.id

    def test_episodes_are_events_each(self, m: Muniment) -> None:
        outcomes = [m.save("The build broke.", store="episodic").outcome for _ in range(3)]
        assert outcomes == ["created"] * 3

    def test_another_space_knows_nothing_of_it(self, m: Muniment) -> None:
        m.save(FACT)
        other = m.acting_as("manual", space="other")
        assert other.save(FACT).outcome == "created"
        assert other.save(MORE.replace("12", "13")).outcome == "extended"


class TestSomethingMore:
    def test_a_pure_addition_extends(self, m: Muniment, clock: Clock) -> None:
        first = m.save(FACT)
        clock.advance(days=1)
        more = m.save(MORE, importance=0.8, tags=["rack"])
        assert (more.outcome, more.id, more.measure) == ("extended", first.id, "lexical")
        assert more.memory.content == f"{FACT}\n\n{MORE}"
        assert (more.memory.reinforcement_count, more.memory.updated_at) == (2, day(1))
        assert (more.memory.importance, more.memory.tags) == (0.8, ("rack",))
        assert names(m, first.id) == ["memory.saved", "memory.extended"]

    def test_what_was_added_is_found(self, m: Muniment) -> None:
        first = m.save(FACT)
        m.save(MORE)
        assert [hit.memory.id for hit in m.search("rack 12").hits] == [first.id]

    def test_past_2000_characters_a_memory_of_its_own_is_made(self, m: Muniment) -> None:
        """R22."""
        long = "The archive holds " + " ".join(f"box{n}" for n in range(165)) + "."
        assert 1_000 < len(long) < 2_000
        first = m.save(long)
        more = m.save(long[:-1] + " and crates.")
        assert (more.outcome, more.resembles) == ("created", (first.id,))
        assert m.stats().memories["live"] == 2

    def test_the_same_topic_said_otherwise_is_not_an_addition(self, m: Muniment) -> None:
        """R21: glued, they would contradict each other in one entry."""
        first = m.save(FACT)
        other = m.save("The Quillmark feed is hosted by Berg GmbH.")
        assert other.outcome == "created"
        assert m.get(first.id).content == FACT

    def test_saying_less_is_kept_beside_what_it_resembles(self, m: Muniment) -> None:
        """R18."""
        first = m.save("Priya prefers terse updates")
        less = m.save("Priya prefers terse")
        assert (less.outcome, less.resembles) == ("created", (first.id,))
        assert less.memory.resembles == (first.id,)


class TestSomethingElse:
    @pytest.mark.parametrize(
        ("was", "becomes"),
        [
            ("Deployment is allowed on Fridays.", "Deployment is not allowed on Fridays."),
            ("Alice manages Bob in Oslo.", "Bob manages Alice in Oslo."),
            ("The relay listens on port 4100.", "The relay listens on port 4200."),
        ],
    )
    def test_a_correction_is_kept_and_says_what_it_contradicts(
        self, m: Muniment, was: str, becomes: str
    ) -> None:
        old = m.save(was)
        new = m.save(becomes)
        assert (new.outcome, new.conflicts_with) == ("created", (old.id,))
        assert m.get(new.id).conflicts_with == (old.id,)
        assert m.get(old.id).content == was
        assert old.id[-12:] in m.agent_text(m.search(becomes))

    def test_a_conflict_is_told_in_recall_until_one_of_the_two_is_out_of_it(
        self, m: Muniment
    ) -> None:
        old = m.save("The relay listens on port 4100.")
        new = m.save("The relay listens on port 4200.")

        def told() -> tuple[str, ...]:
            (hit,) = (hit for hit in m.search("relay").hits if hit.memory.id == new.id)
            return hit.memory.conflicts_with

        assert told() == (old.id,)
        m.archive(old.id, "moved")
        assert told() == ()
        assert old.id[-12:] not in m.agent_text(m.search("relay"))
        assert m.get(new.id).conflicts_with == (old.id,)  # what it was found to contradict
        archived_too = m.search("4200", include_archived=True).hits
        assert archived_too[0].memory.conflicts_with == (old.id,)
        assert m.as_of(2).search("4200").hits[0].memory.conflicts_with == (old.id,)
        m.restore(old.id)
        assert told() == (old.id,)

    def test_96_records_of_one_boilerplate_are_96_entries(self, m: Muniment) -> None:
        """Field case 16: sequential numbers in the same words were merged, and five lost."""
        records = [
            {"content": f"Safety report SR-2023-{n:03}: torque check of the north valve passed."}
            for n in range(96)
        ]
        assert {saved.outcome for saved in m.save_many(records)} == {"created"}
        assert m.stats().memories["live"] == 96

    def test_love_and_hate_are_both_kept(self, m: Muniment) -> None:
        """Field case 6, as far as saving goes: the newest statement is there, so is the old."""
        m.save("I love Chinese food")
        m.save("I hate Chinese food")
        found = {hit.memory.content for hit in m.search("Chinese food").hits}
        assert found == {"I love Chinese food", "I hate Chinese food"}


class TestTrust:
    page = Source(type="web", ref="https://example.org/feeds")

    def test_a_page_repeating_the_owner_moves_nothing(self, m: Muniment, clock: Clock) -> None:
        first = m.save(FACT, importance=0.4, tags=["a"])
        clock.advance(days=3)
        said = m.save(FACT, importance=1.0, tags=["b"], metadata={"k": "v"}, source=self.page)
        assert (said.outcome, said.id, said.counted) == ("reinforced", first.id, False)
        before, after = first.memory, said.memory
        assert (after.importance, after.tags, after.metadata) == (0.4, ("a",), {})
        assert (after.reinforcement_count, after.last_seen_at) == (1, before.last_seen_at)
        assert (after.trust, after.source) == (3, before.source)

    def test_a_page_adding_to_the_owner_s_fact_stands_apart(self, m: Muniment) -> None:
        first = m.save(FACT)
        said = m.save(MORE, source=self.page)
        assert (said.outcome, said.resembles) == ("created", (first.id,))
        assert m.get(first.id).content == FACT

    def test_a_page_lifts_its_own_fact_never_however_often_it_is_read(self, m: Muniment) -> None:
        first = m.save(FACT, source=self.page, importance=0.3)
        again = [m.save(FACT, source=self.page, importance=0.3) for _ in range(100)]
        assert {saved.counted for saved in again} == {False}
        assert m.get(first.id).reinforcement_count == 1
        assert m.stats().memories["live"] == 1

    def test_another_page_lifts_it_once(self, m: Muniment) -> None:
        m.save(FACT, source=self.page)
        other = {"type": "web", "ref": "https://example.org/other"}
        assert [m.save(FACT, source=other).counted for _ in range(3)] == [True, False, False]

    def test_the_owner_s_word_lifts_the_trust(self, m: Muniment) -> None:
        m.save(FACT, source=self.page)
        assert m.save(FACT).memory.trust == 3
        assert m.search(min_trust=3).hits[0].memory.content == FACT

    def test_an_owner_adding_to_a_page_s_fact_does_not_vouch_for_the_page(
        self, m: Muniment
    ) -> None:
        m.save(FACT, source=self.page)
        said = m.save(MORE)
        assert (said.outcome, said.memory.trust) == ("extended", 0)

    def test_thirty_days_of_the_same_from_the_owner_are_one_entry(
        self, m: Muniment, clock: Clock
    ) -> None:
        """Field case 2, as far as saving goes."""
        for _ in range(30):
            m.save(FACT)
            clock.advance(days=1)
        (hit,) = m.search().hits
        assert hit.memory.reinforcement_count == 30


class TestImportanceOverTime:
    def test_it_fades_as_the_clock_says_and_nothing_is_written(
        self, m: Muniment, clock: Clock
    ) -> None:
        saved = m.save(FACT, importance=0.8)
        clock.advance(days=30)
        assert m.get(saved.id).importance == 0.8
        clock.advance(days=45)
        memory = m.get(saved.id)
        assert memory.importance == pytest.approx(0.4)
        assert (memory.base_importance, memory.version) == (0.8, 1)

    def test_what_is_known_of_figures_of_the_reference_comes_out(self) -> None:
        """R37, R38: ten days of half-life, thirty of grace."""
        clock = Clock()
        settings = {"memory": {"importance_decay_half_life_days": 10.0}}
        with muniment.open(":memory:", clock=clock, settings=settings) as m:
            idle, seen, low = (
                m.save(FACT, importance=0.8),
                m.save("Rack 12 is full.", importance=0.8),
                m.save("The lobby is blue.", importance=0.1),
            )
            clock.advance(days=30.5)
            assert m.get(idle.id).importance == pytest.approx(0.77275, abs=1e-5)
            clock.advance(days=26.5)
            m.rescore(seen.id, 0.8)
            m.save("Rack 12 is full.")
            clock.advance(days=3)
            assert m.get(seen.id).importance == 0.8
            head = m.stats().head
            assert m.get(low.id).importance == 0.1
            assert m.stats().head == head

    def test_a_faded_memory_that_is_said_again_restarts_from_what_it_is_worth(
        self, m: Muniment, clock: Clock
    ) -> None:
        m.save(FACT, importance=0.8)
        clock.advance(days=75)
        again = m.save(FACT, importance=0.1).memory
        assert again.importance == pytest.approx(0.4)
        assert again.base_importance == pytest.approx(0.4)


class TestExpectedVersion:
    def test_a_save_may_insist_on_being_new(self, m: Muniment) -> None:
        assert m.save(FACT, expected_version=0).outcome == "created"
        with pytest.raises(Conflict) as caught:
            m.save(FACT, expected_version=0)
        assert (caught.value.code, caught.value.field) == ("version_conflict", "expected_version")

    def test_a_save_may_insist_on_what_it_repeats(self, m: Muniment) -> None:
        m.save(FACT)
        assert m.save(FACT, expected_version=1).memory.version == 2
        with pytest.raises(Conflict):
            m.save(FACT, expected_version=1)


class TestClockBehind:
    def test_the_log_s_times_never_fall_and_its_order_is_by_position(
        self, m: Muniment, clock: Clock
    ) -> None:
        """B29."""
        first = m.save("Rack 12 is full.")
        clock.advance(hours=-1)
        second = m.save("The lobby is blue.")
        entries = list(m.log())
        assert [entry.name for entry in entries] == [
            "memory.saved",
            "clock.skewed",
            "memory.saved",
        ]
        assert [entry.position for entry in entries] == [1, 2, 3]
        assert {entry.recorded_at for entry in entries} == {START}
        assert entries[1].data == {"behind_seconds": 3600.0}
        assert m.get(second.id).created_at == START
        assert [m.get(saved.id).importance for saved in (first, second)] == [0.5, 0.5]
        assert m.verify().intact

    def test_it_is_said_once_an_hour(self, m: Muniment, clock: Clock) -> None:
        m.save("Rack 12 is full.")
        clock.advance(hours=-3)
        for n in range(5):
            m.save(f"Shelf {n} is empty.")
            clock.advance(minutes=20)
        said = [entry for entry in m.log() if entry.name == "clock.skewed"]
        assert len(said) == 2
        assert m.verify().intact

    def test_a_few_minutes_are_nobody_s_concern(self, m: Muniment, clock: Clock) -> None:
        m.save("Rack 12 is full.")
        clock.advance(minutes=-5)
        m.save("The lobby is blue.")
        assert [entry.name for entry in m.log()] == ["memory.saved"] * 2

    def test_importance_is_never_above_the_base(self, m: Muniment, clock: Clock) -> None:
        saved = m.save(FACT, importance=0.6)
        clock.advance(days=-400)
        assert m.get(saved.id).importance == 0.6
        assert m.save(FACT, importance=0.2).memory.importance == 0.6
        assert m.get(saved.id).last_seen_at == START

    def test_a_clock_that_tells_no_zone_is_refused(self) -> None:
        with pytest.raises(Invalid) as caught:
            muniment.open(":memory:", clock=lambda: START.replace(tzinfo=None))
        assert (caught.value.code, caught.value.field) == ("timezone_required", "clock")

    def test_a_clock_in_another_zone_tells_the_same_time(self) -> None:
        clock = Clock(START.astimezone(ZoneInfo("Asia/Tokyo")))
        with muniment.open(":memory:", clock=clock) as m:
            assert m.save(FACT).memory.created_at == START
