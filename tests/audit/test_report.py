"""The report for people, its copies, and the picture of the trend."""

import builtins
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from audited import DAY, Bench
from bdd import Clock
from handwritten import A, B, Handwritten, archived
from making import START

import muniment
from muniment import Invalid, Muniment, StorageFailed, Unavailable
from muniment.audit import plot as plotting
from muniment.audit.report import Reports, report
from muniment.audit.row import Growth, as_row

RETENTION = timedelta(days=400)


@pytest.fixture
def rows(log: Handwritten, bench: Bench) -> list[dict[str, Any]]:
    log.save(A, B)
    first = as_row(bench.run(START), [])
    log.say(A, archived())
    second = as_row(bench.run(START + 2 * DAY), [Growth("people/anna|*x*", 1, 3)])
    return [first, second]


class TestTheText:
    def test_it_has_every_part_in_its_order(self, rows: list[dict[str, Any]]) -> None:
        text = report(rows[1], rows)
        assert re.findall(r"(?m)^#+ (.*)$", text) == [
            "Memory audit, 2026-03-05 12:00 UTC",
            "What changed",
            "Current shape",
            "Categories that moved",
            "Needs attention",
            "Trend",
            "Sample evaluation",
        ]
        assert "**Status: alert.**" in text
        assert "| archived | 1 |" in text

    def test_what_cannot_be_measured_is_a_dash(self, rows: list[dict[str, Any]]) -> None:
        assert "there is nothing to compare with" in report(rows[0], rows[:1])
        first = "| 2026-03-03 12:00 | 2 | 0 | 0 | 0 | — | 0 | 0 | healthy |"
        assert first in report(rows[1], rows).replace("| 1 | 0 | healthy", "| 0 | 0 | healthy")

    def test_a_finding_is_told_with_what_to_do(self, rows: list[dict[str, Any]]) -> None:
        text = report(rows[1], rows)
        assert "**Much of the memory left recall at once** (loss-percent-threshold, alert)" in text
        assert "*What to do:*" in text
        assert A in text

    def test_a_category_is_text_and_no_markup(self, rows: list[dict[str, Any]]) -> None:
        assert r"| people/anna\|\*x\* | 1 | 3 | -2 |" in report(rows[1], rows)

    def test_the_trend_is_of_30_runs_within_60_days(self, rows: list[dict[str, Any]]) -> None:
        row = rows[1]
        old = row | {"takenAt": "2026-01-03T12:00:00.000000Z"}
        text = report(row, [old, *[row] * 40])
        assert text.count("| 2026-03-05 12:00 |") == 30
        assert report(row, [old, row]).count("| 2026-01-03") == 0

    def test_an_evaluation_says_how_old_it_was(self, rows: list[dict[str, Any]]) -> None:
        samples = {
            "evaluatedAt": "2026-03-01T05:00:00.000000Z",
            "judged": 40,
            "sound": 37,
            "unsound": 3,
            "carried": 12,
        }
        text = report(rows[1] | {"eval": samples}, rows)
        assert "4 days before this audit: 40 decisions judged, 37 sound, 3 not; 12 carried" in text
        assert "No samples have been evaluated." in report(rows[1], rows)


class TestTheCopies:
    def test_there_is_a_latest_and_one_a_day(self, tmp_path: Path) -> None:
        kept = Reports(tmp_path / "audit", None, RETENTION)
        kept.keep("one", date(2026, 3, 3))
        kept.keep("two", date(2026, 3, 4))
        found = {path.name: path.read_text() for path in (tmp_path / "audit").iterdir()}
        assert found == {
            "latest.md": "two",
            "memory-audit-2026-03-03.md": "one",
            "memory-audit-2026-03-04.md": "two",
        }
        assert (tmp_path / "audit" / "latest.md").stat().st_mode & 0o777 == 0o600

    def test_those_past_the_retention_are_pruned_and_nothing_else(self, tmp_path: Path) -> None:
        kept = Reports(tmp_path, None, timedelta(days=2))
        (tmp_path / "notes.md").write_text("mine")
        for day in (3, 4, 5, 6):
            kept.keep("x", date(2026, 3, day))
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            "latest.md",
            "memory-audit-2026-03-04.md",
            "memory-audit-2026-03-05.md",
            "memory-audit-2026-03-06.md",
            "notes.md",
        ]

    def test_the_shared_directory_is_made_anew_each_time(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        shared = tmp_path / "shared" / "exports"
        settings = {"audit": {"shared_report_directory": str(shared)}}
        with muniment.open(tmp_path / "store", clock=clock, settings=settings) as m:
            for _ in range(2):
                m.audit.run()
                (copy,) = shared.iterdir()
                assert copy.name == "memory-audit-2026-03-03.md"
                copy.unlink()
                shared.rmdir()

    def test_none_is_copied_where_that_is_off(self, tmp_path: Path, clock: Clock) -> None:
        settings = {
            "audit": {
                "shared_report_directory": str(tmp_path / "shared"),
                "copy_report_to_shared": False,
            }
        }
        with muniment.open(tmp_path / "store", clock=clock, settings=settings) as m:
            m.audit.run()
        assert not (tmp_path / "shared").exists()

    def test_the_day_is_that_of_the_operators_zone(self, tmp_path: Path, clock: Clock) -> None:
        settings = {"audit": {"time_zone": "Pacific/Auckland"}}
        with muniment.open(tmp_path / "store", clock=clock, settings=settings) as m:
            m.audit.run()
        assert (tmp_path / "store" / "audit" / "memory-audit-2026-03-04.md").exists()

    def test_a_directory_that_cannot_be_written_undoes_no_run(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(StorageFailed) as failed:
            Reports(tmp_path / "file", None, RETENTION).keep("x", date(2026, 3, 3))
        assert failed.value.code == "report_not_written"
        settings = {"audit": {"shared_report_directory": str(tmp_path / "file")}}
        with muniment.open(tmp_path / "store", clock=clock, settings=settings) as m:
            assert m.audit.run() == m.audit.latest()

    def test_of_other_spaces_they_lie_apart(self, tmp_path: Path, clock: Clock) -> None:
        with muniment.open(tmp_path, clock=clock) as m:
            m.acting_as("manual", "..").audit.run()
        assert (tmp_path / "audit" / "space-.." / "latest.md").exists()


class TestThePicture:
    @pytest.mark.parametrize(("kind", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
    def test_it_is_drawn_by_its_ending(
        self, m: Muniment, clock: Clock, tmp_path: Path, kind: str, begins: bytes
    ) -> None:
        pytest.importorskip("matplotlib")
        for _ in range(3):
            m.save(f"It is {clock.now}", store="episodic")
            m.audit.run()
            clock.advance(days=1)
        path = m.audit.plot(tmp_path / f"trend.{kind}")
        assert path.read_bytes().startswith(begins)

    def test_rates_are_a_day_and_none_on_a_first_run(self, rows: list[dict[str, Any]]) -> None:
        rows[1]["createdSinceLast"] = 4
        taken = [START, START + 2 * DAY]
        first, second = plotting._a_day(rows, taken, "createdSinceLast")
        assert (first != first, second) == (True, 2.0)

    def test_another_ending_and_no_run_are_refused(self, m: Muniment, tmp_path: Path) -> None:
        for path, code in (
            (tmp_path / "a.jpeg", "plot_invalid"),
            (tmp_path / "a.png", "plot_empty"),
        ):
            with pytest.raises(Invalid) as refused:
                m.audit.plot(path)
            assert refused.value.code == code

    def test_without_the_library_it_says_what_to_install(
        self, m: Muniment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        m.audit.run()
        real = builtins.__import__

        def missing(name: str, *rest: Any) -> Any:
            if name.startswith("matplotlib"):
                raise ImportError(name)
            return real(name, *rest)

        monkeypatch.setattr(builtins, "__import__", missing)
        with pytest.raises(Unavailable) as refused:
            m.audit.plot(tmp_path / "a.png")
        assert refused.value.code == "plot_not_installed"
