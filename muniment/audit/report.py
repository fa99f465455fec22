"""The report of an audit in Markdown, and where copies of it are kept."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeAlias

import structlog

from muniment.domain.errors import StorageFailed
from muniment.domain.evaluation import Evaluated, Judgement
from muniment.domain.moments import minute

from .glossary import GLOSSARY

Row: TypeAlias = Mapping[str, Any]

LATEST: Final = "latest.md"
TREND_RUNS: Final = 30
TREND_WINDOW: Final = timedelta(days=60)

_UNMEASURED: Final = "—"
_DATED: Final = re.compile(r"memory-audit-(\d{4}-\d{2}-\d{2})\.md")
_MOVED: Final = "## Categories that moved"
_MOVED_SECTION: Final = re.compile(rf"(?ms)^{_MOVED}\n.*?(?=^## |\Z)")
_REMOVED: Final = f"{_MOVED}\n\nTheir names were taken out when words were purged.\n\n"
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")

_log = structlog.get_logger(__name__)

_CHANGES: Final = (
    ("createdSinceLast", "saved"),
    ("reinforcedWithoutMergeSinceLast", "said again"),
    ("archivedSinceLast", "archived"),
    ("restoredSinceLast", "restored"),
    ("purgedSinceLast", "purged"),
    ("erasedSinceLast", "erased"),
    ("hardDeletedOutsidePurge", "gone without a purge"),
    ("rejectedMergesSinceLast", "merges refused"),
    ("dreamPassesRunSinceLast", "dream passes"),
    ("restartsSinceLast", "restarts"),
    ("netGrowthPerDay", "live memories more a day"),
)
_SHAPE: Final = (
    ("live", "live"),
    ("archived", "archived"),
    ("superseded", "superseded"),
    ("quarantined", "quarantined"),
    ("nearDupPairs", "pairs of near-duplicates"),
    ("nearDupEntries", "memories with a near-duplicate"),
    ("embeddingDupClusters", "clusters of the same meaning"),
    ("maxChainDepth", "deepest chain of merges"),
    ("emptyCategoryDirs", "categories left empty"),
    ("malformedFiles", "events that cannot be read"),
)
_TREND: Final = (
    ("live", "live"),
    ("archived", "archived"),
    ("createdSinceLast", "new"),
    ("purgedSinceLast", "purged"),
    ("netGrowthPerDay", "a day"),
    ("nearDupPairs", "near-dup. pairs"),
    ("maxChainDepth", "depth"),
    ("status", "status"),
)


def report(
    row: Row,
    trend: Sequence[Row],
    evaluated: Evaluated | None = None,
    *,
    with_words: bool = False,
) -> str:
    """The report of a run.

    Args:
        row: The run.
        trend: The runs up to it, oldest first.
        evaluated: The last evaluation of samples, which may be younger than the run.
        with_words: Whether a judge's words are in it, and what these quote: for somebody who asks,
            and never for a file, which no purge of words would reach.
    """
    samples = _evaluated(evaluated, datetime.fromisoformat(row["takenAt"]), with_words=with_words)
    return "\n".join([*_lines(row, trend), *samples]) + "\n"


def _lines(row: Row, trend: Sequence[Row]) -> Iterator[str]:
    taken = datetime.fromisoformat(row["takenAt"])
    yield f"# Memory audit, {minute(taken)} UTC"
    yield ""
    yield f"**Status: {row['status']}.** {_summary(row)}"
    yield ""
    yield "## What changed"
    yield ""
    if "previousTakenAt" in row:
        since = datetime.fromisoformat(row["previousTakenAt"])
        yield f"Since the audit of {minute(since)} UTC:"
        yield ""
        yield from _table(row, _CHANGES)
    else:
        yield "This is the first audit: there is nothing to compare with."
    yield ""
    yield "## Current shape"
    yield ""
    yield from _table(row, _SHAPE)
    yield ""
    yield f"Said so often: {_counts(row['reinforcement'])}."
    yield f"Merges of merges, by depth: {_counts(row['mergeChainDepth'])}."
    yield _outlook(row["purge"])
    yield ""
    yield _MOVED
    yield ""
    yield from _moved(row["topCategoriesByGrowth"])
    yield ""
    yield "## Needs attention"
    yield ""
    yield from _attention(row["invariants"])
    yield ""
    yield "## Trend"
    yield ""
    yield from _trend(row, trend)
    yield ""
    yield "## Sample evaluation"
    yield ""


def _evaluated(evaluated: Evaluated | None, taken: datetime, *, with_words: bool) -> Iterator[str]:
    if evaluated is None:
        yield "No samples have been evaluated."
        return
    said, at = evaluated.summary, evaluated.evaluated_at
    age = (
        f"{(taken - at).days} days before this audit"
        if at <= taken
        else "after this audit was made"
    )
    yield (
        f"Evaluated on {minute(at)} UTC, {age}: {said.judged:,} decisions judged,"
        f" {said.sound:,} sound, {said.unsound:,} not; {said.carried:,} carried over unchanged."
    )
    if evaluated.failed:
        yield f"Not evaluated, because the judge could not be asked: {', '.join(evaluated.failed)}."
    for one in evaluated.judgements:
        if not one.verdict.sound:
            yield _disagreed(one, with_words=with_words)


def _disagreed(judgement: Judgement, *, with_words: bool) -> str:
    verdict, grounds = judgement.verdict, judgement.grounds
    line = f"- **{verdict.family}**: {', '.join(verdict.ids)}"
    if verdict.context_ids:
        line += f"; held against {', '.join(verdict.context_ids)}"
    if with_words and grounds.reason:
        line += f". {_plain(grounds.reason)}"
    if with_words and grounds.evidence:
        line += f" (“{_plain(grounds.evidence)}”)"
    return line


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _summary(row: Row) -> str:
    failed = [one["message"] for one in row["invariants"]]
    return f"{'. '.join(failed)}." if failed else "Nothing needs attention."


def _table(row: Row, named: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield "| | |"
    yield "|---|---:|"
    for name, label in named:
        yield f"| {label} | {_figure(row.get(name))} |"


def _figure(value: object) -> str:
    if value is None:
        return _UNMEASURED
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{band}: {count:,}" for band, count in counts.items()) or "none"


def _outlook(purge: Mapping[str, Any]) -> str:
    days = purge["dueWithinDays"]
    return (
        f"Due for the purge within {days:g} days: {purge['count']:,}, of which"
        f" {purge['highValueCount']:,} are kept for their value."
    )


def _moved(categories: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not categories:
        yield "None."
        return
    yield "| category | new | archived | net |"
    yield "|---|---:|---:|---:|"
    for one in categories:
        name = _plain(one["category"])
        yield f"| {name} | {one['created']:,} | {one['archived']:,} | {one['net']:+,} |"


def _attention(failed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not failed:
        yield "Nothing."
    for one in failed:
        entry = GLOSSARY[one["name"]]
        yield f"- **{entry.title}** ({one['name']}, {entry.severity}). {one['message']}."
        yield f"  {entry.meaning} *What to do:* {entry.advice}"
        if one["ids"]:
            yield f"  Memories: {', '.join(one['ids'])}."


def _trend(row: Row, trend: Sequence[Row]) -> Iterator[str]:
    earliest = datetime.fromisoformat(row["takenAt"]) - TREND_WINDOW
    shown = [one for one in trend if datetime.fromisoformat(one["takenAt"]) >= earliest]
    yield "| taken | " + " | ".join(label for _, label in _TREND) + " |"
    yield "|---|" + "---:|" * len(_TREND)
    for one in shown[-TREND_RUNS:]:
        figures = " | ".join(_figure(one.get(name)) for name, _ in _TREND)
        yield f"| {minute(datetime.fromisoformat(one['takenAt']))} | {figures} |"


class Reports:
    """The reports of a space: ``latest.md``, dated copies, and one elsewhere if asked for.

    Args:
        directory: Where they are kept, made with mode 0700; None: nowhere.
        shared: Another directory that gets a dated copy of each; made anew when it is gone.
        retention: How long dated copies are kept.
    """

    def __init__(self, directory: Path | None, shared: Path | None, retention: timedelta) -> None:
        self._directory = directory
        self._shared = shared
        self._retention = retention

    def keep(self, text: str, day: date) -> None:
        """Writes the report of a day, and prunes copies that are older than the retention.

        Raises:
            StorageFailed: ``report_not_written``.
        """
        name = f"memory-audit-{day.isoformat()}.md"
        if self._directory is not None:
            self._write(self._directory / LATEST, text)
            self._write(self._directory / name, text)
            self._prune(day)
        if self._shared is not None:
            self._write(self._shared / name, text)

    def latest(self) -> str | None:
        """The last report as it was written; None where there is none."""
        path = None if self._directory is None else self._directory / LATEST
        return path.read_text(encoding="utf-8") if path is not None and path.exists() else None

    def redact(self) -> None:
        """Takes the names of categories out of every report: words were purged.

        Copies in the shared directory are out of reach.
        """
        for path in self._paths():
            text = path.read_text(encoding="utf-8")
            redacted = _MOVED_SECTION.sub(_REMOVED, text)
            if redacted != text:
                self._write(path, redacted)

    def _paths(self) -> list[Path]:
        if self._directory is None or not self._directory.is_dir():
            return []
        return sorted(self._directory.glob("*.md"))

    def _prune(self, day: date) -> None:
        for path in self._paths():
            dated = _DATED.fullmatch(path.name)
            if dated and day - date.fromisoformat(dated[1]) > self._retention:
                path.unlink(missing_ok=True)

    def _write(self, path: Path, text: str) -> None:
        draft = path.with_name(path.name + ".new")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.touch(mode=0o600)
            draft.write_bytes(text.encode(errors="replace"))
            draft.replace(path)
        except OSError as error:
            raise StorageFailed(
                f"The report {path} cannot be written ({error.strerror}): check the directory.",
                code="report_not_written",
            ) from error
