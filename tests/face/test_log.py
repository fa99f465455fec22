"""The log as callers read it: by position, filtered, of their space; and what is counted of it."""

from pathlib import Path

import pytest
from bdd import START, Clock, day

import muniment
from muniment import Invalid, Muniment, StorageFailed

FACT = "The Quillmark feed sits on Drive North."


@pytest.fixture
def story(m: Muniment, clock: Clock) -> Muniment:
    """Six events of three days, two actors and two spaces."""
    saved = m.save(FACT)
    m.acting_as("bot:main").save("Rack 12 is full.")
    clock.advance(days=1)
    m.rescore(saved.id, 0.9)
    m.acting_as("manual", space="other").save("Theirs alone.")
    clock.advance(days=1)
    m.acting_as("bot:main").archive(saved.id, "moved")
    m.save("The lobby is blue.")
    return m


class TestFilters:
    @pytest.mark.parametrize(
        ("asked", "positions"),
        [
            ({}, [1, 2, 3, 5, 6]),
            ({"space": "*"}, [1, 2, 3, 4, 5, 6]),
            ({"space": "other"}, [4]),
            ({"space": "nowhere"}, []),
            ({"after": 2}, [3, 5, 6]),
            ({"after": 6}, []),
            ({"after": 2**62}, []),
            ({"limit": 2}, [1, 2]),
            ({"after": 1, "limit": 1}, [2]),
            ({"name": "memory.saved"}, [1, 2, 6]),
            ({"name": "memory.saved", "limit": 2}, [1, 2]),
            ({"name": "memory.levitated"}, []),
            ({"actor": "bot:main"}, [2, 5]),
            ({"since": day(1)}, [3, 5, 6]),
            ({"since": "2026-03-04T21:00:00+09:00"}, [3, 5, 6]),
            ({"until": START}, [1, 2]),
            ({"since": day(1), "until": day(1), "space": "*"}, [3, 4]),
            ({"since": day(2), "until": day(1)}, []),
        ],
    )
    def test_entries_are_those_asked_for_in_order(
        self, story: Muniment, asked: dict[str, object], positions: list[int]
    ) -> None:
        entries = story.log(**asked)  # type: ignore[arg-type]
        assert [entry.position for entry in entries] == positions

    def test_an_entry_tells_the_whole_envelope(self, story: Muniment) -> None:
        entry = list(story.log())[-2]
        assert (entry.name, entry.schema, entry.version) == ("memory.archived", 1, 3)
        assert (entry.actor, entry.space, entry.recorded_at) == ("bot:main", "default", day(2))
        assert (entry.correlation_id, entry.causation_id) == (None, None)
        assert entry.command_id
        assert entry.data["reason"] == "moved"
        assert entry.stream == next(story.log(limit=1)).stream

    def test_its_arguments_are_checked_before_it_is_iterated_or_as_it_is(
        self, story: Muniment
    ) -> None:
        with pytest.raises(Invalid):
            next(story.log(limit=0))


class TestStats:
    def test_they_count_the_space_s_memories_and_name_the_head_of_the_whole_log(
        self, story: Muniment
    ) -> None:
        stats = story.stats()
        assert (stats.space, stats.head) == ("default", 6)
        assert stats.memories == {
            "live": 2,
            "archived": 1,
            "superseded": 0,
            "quarantined": 0,
            "purged": 0,
        }
        assert stats.categories == {"general": 2}
        assert stats.log_bytes > 0


class TestOnTheDisk:
    def test_everything_is_there_again_after_reopening(self, tmp_path: Path, clock: Clock) -> None:
        target = tmp_path / "deep" / "store"
        with muniment.open(target, clock=clock) as m:
            saved = m.save(FACT, category="infra", tags=["feed"])
            m.save(FACT, category="infra")
            m.pin(saved.id)
            before = (m.search(), m.search("quillmark"), m.history(saved.id), m.verify())
        with muniment.open(str(target), clock=clock) as m:
            assert (m.search(), m.search("quillmark"), m.history(saved.id), m.verify()) == before
            assert m.save(FACT, category="infra").memory.reinforcement_count == 3
        assert target.stat().st_mode & 0o777 == 0o700

    def test_a_read_only_handle_reads_and_writes_nothing(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        with muniment.open(tmp_path, clock=clock) as m:
            saved = m.save(FACT)
        with muniment.open(tmp_path, clock=clock, read_only=True) as m:
            assert m.search("quillmark").hits[0].memory.id == saved.id
            assert m.verify().intact
            with pytest.raises(StorageFailed) as caught:
                m.save("Rack 12 is full.")
            assert caught.value.code == "read_only"
            with pytest.raises(StorageFailed):
                m.pin(saved.id)

    def test_two_handles_see_each_other_s_writes_at_once(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        with (
            muniment.open(tmp_path, clock=clock) as one,
            muniment.open(tmp_path, clock=clock) as two,
        ):
            saved = one.save(FACT)
            assert two.get(saved.id) == one.get(saved.id)
            assert two.save(FACT).id == saved.id
            assert one.get(saved.id).reinforcement_count == 2
            assert len(one.search("quillmark").hits) == 1
