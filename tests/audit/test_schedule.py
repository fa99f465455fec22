"""Passes run when they are due: over clock changes, restarts, busy slots and failures."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from bdd import START, Clock

import muniment
from muniment import Invalid, StorageFailed
from muniment.audit.schedule import Cron, CronInvalid, Pass, Scheduler, Slot

BERLIN = ZoneInfo("Europe/Berlin")
TEN_MINUTES = timedelta(minutes=10)


class Daily:
    """A pass that remembers when it ran."""

    def __init__(self, clock: Clock, cron: str = "0 4 * * *") -> None:
        self.clock = clock
        self.ran: list[datetime] = []
        self.fails = 0
        self.one = Pass("daily", Cron(cron), self._run, self._done_at)

    def _run(self) -> None:
        if self.fails:
            self.fails -= 1
            raise StorageFailed("The disk is full.", code="full")
        self.ran.append(self.clock.now)

    def _done_at(self) -> datetime | None:
        return self.ran[-1] if self.ran else None


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2026, 3, 1, 12, tzinfo=UTC))


@pytest.fixture
def slot(tmp_path: Path) -> Iterator[Slot]:
    made = Slot(tmp_path / "state" / "passes.lock")
    yield made
    made.close()


def scheduler(daily: Daily, slot: Slot, zone: ZoneInfo | None = None) -> Scheduler:
    return Scheduler(
        lambda: [daily.one],
        clock=daily.clock,
        zone=zone or ZoneInfo("UTC"),
        slot=slot,
        initial_delay=TEN_MINUTES,
    )


def live_through(made: Scheduler, clock: Clock, days: float, step: float = 10) -> None:
    """Ticks every so many minutes for some days."""
    until = clock.now + timedelta(days=days)
    while clock.now < until:
        made.tick()
        clock.advance(minutes=step)


def times(ran: list[datetime]) -> list[str]:
    return [f"{at:%m-%d %H:%M}" for at in ran]


class TestClockChanges:
    def test_a_time_in_the_hour_that_is_left_out_runs_right_after_it(
        self, clock: Clock, slot: Slot
    ) -> None:
        clock.now = datetime(2026, 3, 27, 12, tzinfo=UTC)
        daily = Daily(clock, "30 2 * * *")
        live_through(scheduler(daily, slot, BERLIN), clock, 4)
        local = [at.astimezone(BERLIN) for at in daily.ran]
        assert times(local) == ["03-28 02:30", "03-29 03:00", "03-30 02:30", "03-31 02:30"]

    def test_a_time_in_the_hour_that_comes_twice_runs_once(self, clock: Clock, slot: Slot) -> None:
        clock.now = datetime(2026, 10, 23, 12, tzinfo=UTC)
        daily = Daily(clock, "30 2 * * *")
        live_through(scheduler(daily, slot, BERLIN), clock, 4)
        local = [at.astimezone(BERLIN) for at in daily.ran]
        assert times(local) == ["10-24 02:30", "10-25 02:30", "10-26 02:30", "10-27 02:30"]
        assert len({at.date() for at in local}) == 4

    def test_a_year_of_days_has_a_run_each(self, clock: Clock, slot: Slot) -> None:
        daily = Daily(clock, "30 2 * * *")
        live_through(scheduler(daily, slot, BERLIN), clock, 366, step=90)
        days = {at.astimezone(BERLIN).date() for at in daily.ran}
        assert len(daily.ran) == len(days) == 366


class TestRestarts:
    def test_nothing_runs_before_the_delay_is_over(self, clock: Clock, slot: Slot) -> None:
        clock.now = datetime(2026, 3, 2, 3, 55, tzinfo=UTC)
        daily = Daily(clock)
        made = scheduler(daily, slot)
        live_through(made, clock, 1, step=1)
        assert times(daily.ran) == ["03-02 04:05"]

    def test_a_storm_of_restarts_adds_no_run(self, clock: Clock, slot: Slot) -> None:
        daily = Daily(clock)
        live_through(scheduler(daily, slot), clock, 1)
        assert len(daily.ran) == 1
        for _ in range(60):
            live_through(scheduler(daily, slot), clock, 0.01)
        live_through(scheduler(daily, slot), clock, 0.2)
        assert len(daily.ran) == 2

    def test_restarts_within_the_delay_never_run(self, clock: Clock, slot: Slot) -> None:
        daily = Daily(clock, "* * * * *")
        for _ in range(20):
            live_through(scheduler(daily, slot), clock, 9 / 1440, step=1)
        assert daily.ran == []

    def test_what_was_missed_while_nothing_ran_is_caught_up_once(
        self, clock: Clock, slot: Slot
    ) -> None:
        daily = Daily(clock)
        daily.ran.append(clock.now)
        clock.advance(days=9)
        live_through(scheduler(daily, slot), clock, 0.5)
        assert times(daily.ran[1:]) == ["03-10 12:10"]


class TestABusySlot:
    def test_what_found_it_busy_is_tried_again(self, clock: Clock, slot: Slot) -> None:
        daily = Daily(clock)
        made = scheduler(daily, slot)
        clock.now = datetime(2026, 3, 2, 4, tzinfo=UTC)
        with Slot(None).taken() as is_free:
            assert is_free
        with slot.taken():
            due = made.tick()
        assert (daily.ran, due) == ([], clock.now + timedelta(minutes=1))
        assert made.tick() == due
        clock.advance(minutes=1)
        made.tick()
        assert times(daily.ran) == ["03-02 04:01"]

    def test_it_is_one_for_all_processes(self, clock: Clock, slot: Slot, tmp_path: Path) -> None:
        daily = Daily(clock)
        other = Slot(tmp_path / "state" / "passes.lock")
        made = scheduler(daily, slot)
        clock.now = datetime(2026, 3, 2, 4, tzinfo=UTC)
        with other.taken():
            made.tick()
        assert daily.ran == []
        other.close()

    def test_whose_file_cannot_be_had_is_an_error_that_names_it(self, tmp_path: Path) -> None:
        (tmp_path / "store" / "state" / "passes.lock").mkdir(parents=True)
        with (
            muniment.open(tmp_path / "store") as m,
            pytest.raises(StorageFailed, match=r"passes\.lock") as caught,
        ):
            m.audit.scheduler()
        assert caught.value.code == "io_error"

    def test_two_that_find_it_due_run_it_once(self, clock: Clock, slot: Slot) -> None:
        daily = Daily(clock)
        one, other = scheduler(daily, slot), scheduler(daily, slot)
        clock.now = datetime(2026, 3, 2, 4, tzinfo=UTC)
        one.tick()
        other.tick()
        assert len(daily.ran) == 1


def test_a_pass_that_fails_stays_due(clock: Clock, slot: Slot) -> None:
    daily = Daily(clock)
    daily.fails = 2
    clock.now = datetime(2026, 3, 2, 3, 30, tzinfo=UTC)
    live_through(scheduler(daily, slot), clock, 0.1, step=1)
    assert times(daily.ran) == ["03-02 04:02"]


def test_a_pass_that_found_nothing_to_record_is_not_due_at_once(clock: Clock, slot: Slot) -> None:
    ran: list[datetime] = []
    one = Pass("quiet", Cron("0 4 * * *"), lambda: ran.append(clock.now), lambda: None)
    made = Scheduler(lambda: [one], clock=clock, zone=UTC, slot=slot, initial_delay=TEN_MINUTES)
    live_through(made, clock, 3)
    assert len(ran) == 3


def test_on_its_thread_it_runs_until_it_is_stopped(clock: Clock, slot: Slot) -> None:
    ran = threading.Event()
    clock.now = datetime(2026, 3, 2, 3, 30, tzinfo=UTC)
    one = Pass("once", Cron("0 4 * * *"), ran.set, lambda: clock.now if ran.is_set() else None)
    made = Scheduler(lambda: [one], clock=clock, zone=UTC, slot=slot, initial_delay=timedelta())
    clock.now = datetime(2026, 3, 2, 4, tzinfo=UTC)
    made.start()
    assert ran.wait(10)
    made.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "muniment-schedule"]


@pytest.mark.parametrize("text", ["", "x", "* * * *", "* * * * * *", "61 * * * *", "0 0 31 2 *"])
def test_what_is_no_cron_expression_is_refused(text: str) -> None:
    with pytest.raises(CronInvalid):
        Cron(text)
    with pytest.raises(Invalid) as refused:
        muniment.open(":memory:", settings={"audit": {"cron_schedule": text}})
    assert refused.value.field == "settings.audit.cron_schedule"


def test_a_time_zone_that_there_is_not_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        muniment.open(":memory:", settings={"audit": {"time_zone": "Mars/Olympus"}})
    assert refused.value.field == "settings.audit.time_zone"


class TestOfAStore:
    SETTINGS = {"audit": {"digest_cron_schedule": "0 6 * * 1"}}  # noqa: RUF012

    def test_every_space_is_audited_at_its_time_by_the_system(self, tmp_path: Path) -> None:
        clock = Clock(START)
        with muniment.open(tmp_path, clock=clock, settings=self.SETTINGS) as m:
            m.save("User is in Chicago")
            made = m.audit.scheduler()
            live_through(made, clock, 3, step=60)
            m.acting_as("manual", "late").save("User is in Oslo")
            live_through(made, clock, 5, step=60)
            entries = list(m.log(name="audit.completed"))
            assert {entry.actor for entry in entries} == {"system:audit"}
            assert [f"{entry.recorded_at:%d %H}" for entry in entries] == [
                f"{day:02} 04" for day in range(4, 12)
            ]
            assert len(m.acting_as("manual", "late").audit.trend(30)) == 5
            assert [one.kind for one in m.inbox()] == ["audit.digest"]
            made.stop()

    def test_none_is_where_audits_are_off(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path, settings={"audit": {"enabled": False}}) as m:
            m.save("User is in Chicago")
            made = m.audit.scheduler()
            assert (made.due(), made.tick()) == ({}, None)
            made.stop()
