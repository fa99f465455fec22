"""Clocks that run backward or ahead: recorded times never fall, and a skew is said."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from projection_answers import store_of

import muniment
from muniment import Invalid, StorageFailed
from muniment.log import datastore

START = datetime(2026, 3, 3, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


class Hands:
    """A clock whose hands are moved by the test."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Hands:
    return Hands()


def times(m: muniment.Muniment) -> list[datetime]:
    return [entry.recorded_at for entry in m.log()]


def skews(m: muniment.Muniment) -> list[float]:
    return [
        entry.data["behind_seconds"] for entry in m.log(space="*") if entry.name == "clock.skewed"
    ]


def test_recorded_times_never_fall(tmp_path: Path, clock: Hands) -> None:
    with muniment.open(tmp_path, clock=clock) as m:
        for number, moved in enumerate([0 * DAY, -1 * MINUTE, 1 * MINUTE, -4 * MINUTE, 1 * DAY]):
            clock.now = START + moved
            m.save(f"Server number {number} is in rack {number * 7}")
        assert times(m) == [START, START, START + MINUTE, START + MINUTE, START + DAY]
        assert m.verify().intact


def test_a_decision_goes_by_the_clock_even_where_the_record_is_later(
    tmp_path: Path, clock: Hands
) -> None:
    with muniment.open(tmp_path, clock=clock) as m:
        known = m.save("The build runs on Fridays", importance=0.8)
        clock.now = START + 75 * DAY
        other = m.save("Anna works in Lisbon")
        assert m.get(known.id).importance == pytest.approx(0.4)
        clock.now = START + DAY
        archived = m.archive(known.id, "at a time when it was worth 0.8")
        assert archived.importance == pytest.approx(0.8)
        assert archived.archived_at == START + 75 * DAY
        assert m.get(other.id).importance == 0.5


def test_a_small_skew_is_not_recorded(tmp_path: Path, clock: Hands) -> None:
    with muniment.open(tmp_path, clock=clock) as m:
        m.save("The build runs on Fridays")
        clock.now = START - 5 * MINUTE
        m.save("Anna works in Lisbon")
        assert skews(m) == []


def test_a_skew_is_recorded_once_an_hour_and_process(tmp_path: Path, clock: Hands) -> None:
    with muniment.open(tmp_path, clock=clock) as m:
        m.save("The build runs on Fridays")
        clock.now = START - 10 * HOUR
        for number in range(5):
            m.save(f"Server number {number} is in rack {number * 7}")
            clock.now += 25 * MINUTE
        assert skews(m) == [36_000.0, 36_000.0 - 4_500.0]
        assert m.verify().intact
    with muniment.open(tmp_path, clock=clock) as m:
        m.save("Anna works in Lisbon")
        assert len(skews(m)) == 3


def test_a_skew_whose_commit_failed_is_recorded_by_the_next(
    tmp_path: Path, clock: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise StorageFailed("The disk is full.", code="full")

    with muniment.open(tmp_path, clock=clock) as m:
        m.save("The build runs on Fridays")
        clock.now = START - DAY
        with monkeypatch.context() as patched:
            patched.setattr(datastore, "_commit", fail)
            for _ in range(2):
                with pytest.raises(StorageFailed):
                    m.save("Anna works in Lisbon")
        assert len(store_of(m).rows.select_events("none")) == 0
        m.save("Anna works in Lisbon")
        clock.now += 2 * HOUR
        m.save("Ben works in Porto")
        assert skews(m) == [86_400.0, 79_200.0]
        assert m.verify().intact


def test_a_clock_without_a_zone_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(Invalid) as refused:
        muniment.open(tmp_path / "log", clock=lambda: START.replace(tzinfo=None))
    assert (refused.value.code, refused.value.field) == ("timezone_required", "clock")
    assert not (tmp_path / "log").exists()


def test_a_clock_that_loses_its_zone_stops_its_command_and_no_later_one(
    tmp_path: Path, clock: Hands
) -> None:
    with muniment.open(tmp_path, clock=clock) as m:
        clock.now = START.replace(tzinfo=None)
        with pytest.raises(Invalid):
            m.save("The build runs on Fridays")
        clock.now = START
        assert m.save("The build runs on Fridays").position == 1


def test_a_clock_of_another_zone_is_recorded_in_utc(tmp_path: Path) -> None:
    eastward = datetime.fromisoformat("2026-03-03T14:00:00+02:00")
    with muniment.open(tmp_path, clock=lambda: eastward) as m:
        m.save("The build runs on Fridays")
        assert times(m) == [START]
