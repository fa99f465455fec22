"""The public face against a plain model of what it promises, step by step, in any order."""

import shutil
import tempfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from log_backends import SOAK
from projection_answers import differing

import muniment
from muniment import Conflict, Invalid, MergeRejected, Muniment, NotFound, Refused, Saved

EXAMPLES = 60 * SOAK
ON_DISK = 10 * SOAK
STEPS = 25 if SOAK == 1 else 60

SUBJECTS = ("alpha", "bravo", "zebra")
SPACES = ("default", "other")
TEXTS = tuple(
    text
    for subject in SUBJECTS
    for text in (
        f"Server {subject} stands in Lisbon",
        f"Server {subject} stands in Lisbon since 2019",
        f"Server {subject} stands in Porto",
    )
)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

spaces = st.sampled_from(SPACES)
texts = st.sampled_from(TEXTS)
categories = st.sampled_from([None, "ci", "ci/linux", "people"])
tags = st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True).map(tuple)
worth = st.sampled_from([0.0, 0.05, 0.3, 0.5, 1.0])
metadata = st.dictionaries(st.sampled_from(["k", "l"]), st.sampled_from(["1", "2"]), max_size=2)
picks = st.integers(0, 50)


@dataclass
class Known:
    """A memory as the model has it."""

    id: str
    space: str
    statements: list[str]
    category: str | None
    tags: tuple[str, ...]
    metadata: dict[str, str]
    base: float
    created_at: datetime
    last_seen_at: datetime
    scored_at: datetime
    updated_at: datetime
    version: int = 1
    count: int = 1
    used: int = 1
    pinned: bool = False
    held: bool = False
    state: str = "live"
    archived_at: datetime | None = None
    archived_worth: float | None = None
    archive_reason: str | None = None
    merged_into: str | None = None
    merged_from: tuple[str, ...] = ()
    superseded_by: str | None = None

    @property
    def is_live(self) -> bool:
        return self.state == "live"

    @property
    def may_be_found(self) -> bool:
        return self.state in ("live", "archived", "superseded")

    @property
    def text(self) -> tuple[str, str]:
        """What exact repetitions have in common."""
        return (self.category or "").casefold(), " ".join(self.content.split())

    def hide(self, state: str, at: datetime, worth: float, reason: str | None = None) -> None:
        """Out of recall, in a way that a restore undoes."""
        self.state, self.archived_at, self.archived_worth = state, at, worth
        self.archive_reason = reason

    @property
    def content(self) -> str:
        return "\n\n".join(self.statements)

    @property
    def top(self) -> str:
        return (self.category or "").partition("/")[0]

    def worth(self, now: datetime) -> float:
        """Grace of 30 days, halved every 45, down to 0.1."""
        if self.archived_worth is not None:
            return self.archived_worth
        days = (now - max(self.last_seen_at + 30 * DAY, self.scored_at)) / DAY
        if self.pinned or self.base <= 0.1 or days <= 0:
            return self.base
        faded: float = self.base * 0.5 ** (days / 45)
        return max(0.1, faded)


@dataclass
class Model:
    """Everything that the store should say."""

    memories: dict[str, Known] = field(default_factory=dict[str, Known])
    events: list[str] = field(default_factory=list[str])
    newest: datetime | None = None


class FaceMachine(RuleBasedStateMachine):
    """In memory; the machine below adds what needs a disk."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.model = Model()
        self.folder = Path(tempfile.mkdtemp()) if self.on_disk else None
        self.m = self.opened()
        self.seen = 0
        self.keys = 0

    on_disk = False

    def opened(self) -> Muniment:
        target = ":memory:" if self.folder is None else self.folder / "log"
        return muniment.open(target, clock=lambda: self.now, settings={"log": {"key_batch": 16}})

    def teardown(self) -> None:
        self.m.close()
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def of(self, space: str) -> Muniment:
        return self.m.acting_as("manual", space)

    def at(self) -> datetime:
        """The time that is recorded now, which never falls."""
        self.model.newest = max(self.now, self.model.newest or self.now)
        return self.model.newest

    def pick(self, number: int, *, live: bool | None = None) -> Known | None:
        among = [one for one in self.model.memories.values() if live is None or one.is_live == live]
        return among[number % len(among)] if among else None

    # saving

    def took(self, space: str, given: dict[str, Any], saved: Saved) -> None:
        """Brings the model to what a save answered, if that is one of what it may have done."""
        at = self.at()
        same = [
            one
            for one in self.model.memories.values()
            if one.space == space
            and one.is_live
            and one.top == (given["category"] or "").partition("/")[0]
            and given["content"] in one.statements
        ]
        if same:
            assert (saved.outcome, saved.id) == ("reinforced", same[0].id)
        known = self.model.memories.get(saved.id)
        if saved.outcome == "created":
            assert known is None
            self.model.events.append("memory.saved")
            self.model.memories[saved.id] = Known(
                saved.id,
                space,
                [given["content"]],
                given["category"],
                given["tags"],
                given["metadata"],
                given["importance"],
                created_at=at,
                last_seen_at=at,
                scored_at=at,
                updated_at=at,
            )
            return
        assert known is not None
        assert (known.space, known.is_live) == (space, True)
        assert "Porto" not in given["content"] or "Porto" in known.content
        self.model.events.append(f"memory.{saved.outcome}")
        known.base = max(known.worth(self.now), given["importance"])
        known.scored_at = known.last_seen_at = at
        known.version += 1
        known.count += 1
        known.tags += tuple(tag for tag in given["tags"] if tag not in known.tags)
        known.metadata = given["metadata"] | known.metadata
        if saved.outcome == "extended":
            known.statements.append(given["content"])
            known.updated_at = at

    @rule(space=spaces, content=texts, category=categories, tags=tags, worth=worth, said=metadata)
    def save(
        self,
        space: str,
        content: str,
        category: str | None,
        tags: tuple[str, ...],
        worth: float,
        said: dict[str, str],
    ) -> None:
        given: dict[str, Any] = {
            "content": content,
            "category": category,
            "tags": tags,
            "importance": worth,
            "metadata": said,
        }
        self.took(space, given, self.of(space).save(**given))

    @precondition(lambda self: self.model.memories)
    @rule(number=picks, worth=worth)
    def save_the_same_again(self, number: int, worth: float) -> None:
        known = self.pick(number, live=True)
        if known is not None:
            self.save(known.space, known.statements[-1], known.category, (), worth, {})

    @rule(space=spaces, contents=st.lists(texts, min_size=1, max_size=4), worth=worth)
    def save_many(self, space: str, contents: list[str], worth: float) -> None:
        items: list[dict[str, Any]] = [
            {"content": one, "category": "ci", "tags": (), "importance": worth, "metadata": {}}
            for one in contents
        ]
        for given, saved in zip(items, self.of(space).save_many(items), strict=True):
            self.took(space, given, saved)

    @rule(space=spaces, content=texts)
    def save_with_a_key_and_retry(self, space: str, content: str) -> None:
        self.keys += 1
        given: dict[str, Any] = {
            "content": content,
            "category": None,
            "tags": (),
            "importance": 0.5,
            "metadata": {},
        }
        m, key = self.of(space), f"key-{self.keys}"
        saved = m.save(**given, idempotency_key=key)
        self.took(space, given, saved)
        again = m.save(**given, idempotency_key=key)
        assert (again.id, again.outcome, again.position) == (
            saved.id,
            saved.outcome,
            saved.position,
        )
        with pytest.raises(Conflict, match="idempotency"):
            m.save("Something else altogether", idempotency_key=key)

    # editing

    def edit(
        self,
        number: int,
        command: Callable[[Muniment, str], Any],
        change: Callable[[Known], str | None],
        *,
        of_archived: bool = False,
    ) -> None:
        """Does to the store what ``change`` does to the model, and says which event it is."""
        known = self.pick(number)
        if known is None:
            return
        m = self.of(known.space)
        if known.state == "purged":
            with pytest.raises(NotFound) as gone:
                command(m, known.id)
            assert gone.value.code == "purged"
            return
        if not known.is_live and not of_archived:
            with pytest.raises(Refused) as refused:
                command(m, known.id)
            assert refused.value.code == "not_live"
            return
        command(m, known.id if number % 2 else known.id[-12:].upper())
        before = deepcopy(known)
        event = change(known)
        if event is None:
            assert known == before
        else:
            known.version += 1
            self.model.events.append(f"memory.{event}")
            self.at()

    @rule(number=picks, content=texts)
    def revise(self, number: int, content: str) -> None:
        def change(known: Known) -> str | None:
            if known.content == content:
                return None
            known.statements, known.updated_at = [content], self.at()
            return "revised"

        self.edit(number, lambda m, name: m.revise(name, content), change)

    @rule(number=picks, worth=worth)
    def rescore(self, number: int, worth: float) -> None:
        def change(known: Known) -> str | None:
            if known.worth(self.now) == worth:
                return None
            known.base, known.scored_at = worth, self.at()
            return "rescored"

        self.edit(number, lambda m, name: m.rescore(name, worth), change)

    @rule(number=picks, tags=tags)
    def retag(self, number: int, tags: tuple[str, ...]) -> None:
        def change(known: Known) -> str | None:
            before, known.tags = known.tags, tags
            return None if before == tags else "retagged"

        self.edit(number, lambda m, name: m.retag(name, tags), change)

    @rule(number=picks, category=categories)
    def recategorize(self, number: int, category: str | None) -> None:
        def change(known: Known) -> str | None:
            before, known.category = known.category, category
            return None if before == category else "recategorized"

        self.edit(number, lambda m, name: m.recategorize(name, category), change)

    @rule(number=picks, said=metadata)
    def describe(self, number: int, said: dict[str, str]) -> None:
        def change(known: Known) -> str | None:
            before, known.metadata = known.metadata, said
            return None if before == said else "described"

        self.edit(number, lambda m, name: m.describe(name, said), change)

    @rule(number=picks, pinned=st.booleans())
    def pin_or_unpin(self, number: int, pinned: bool) -> None:
        def change(known: Known) -> str | None:
            before, known.pinned = known.pinned, pinned
            return None if before == pinned else "pinned" if pinned else "unpinned"

        self.edit(
            number,
            lambda m, name: m.pin(name) if pinned else m.unpin(name),
            change,
            of_archived=True,
        )

    @rule(number=picks)
    def mark_used(self, number: int) -> None:
        def change(known: Known) -> str | None:
            known.used += 1
            return "used"

        self.edit(number, lambda m, name: m.mark_used(name), change)

    @rule(number=picks, reason=st.sampled_from(["old", "wrong"]))
    def archive(self, number: int, reason: str) -> None:
        def change(known: Known) -> str | None:
            if not known.is_live:
                return None
            known.hide("archived", self.at(), known.worth(self.now), reason)
            return "archived"

        self.edit(number, lambda m, name: m.archive(name, reason), change, of_archived=True)

    @rule(number=picks)
    def restore(self, number: int) -> None:
        known = self.pick(number)
        if known is not None and known.state == "quarantined":
            with pytest.raises(Refused) as refused:
                self.of(known.space).restore(known.id)
            assert refused.value.code == "quarantined"
            return
        absorbed: list[Known] = []
        into = known.merged_into if known is not None else None
        while into is not None:
            absorbed.append(self.model.memories[into])
            into = absorbed[-1].merged_into

        def change(known: Known) -> str | None:
            if known.is_live:
                return None
            known.state = "live"
            known.archived_at = known.archived_worth = known.archive_reason = None
            known.merged_into = known.superseded_by = None
            return "restored"

        was_live = known is not None and known.is_live
        self.edit(number, lambda m, name: m.restore(name), change, of_archived=True)
        if known is None or was_live or known.state == "purged":
            return
        for result in absorbed:
            if result.state != "purged":
                result.count = max(1, result.count - known.count)
                result.version += 1
                self.model.events.append("memory.merge_retracted")

    # merging and retiring

    def some(self, number: int, size: int) -> list[Known]:
        """Different live memories of one space, as many as there are up to ``size``."""
        first = self.pick(number, live=True)
        if first is None:
            return []
        others = [
            one
            for one in self.model.memories.values()
            if one.is_live and one.space == first.space and one is not first
        ]
        start = number % (len(others) or 1)
        return [first, *(others[start:] + others[:start])[: size - 1]]

    @rule(number=picks, size=st.integers(2, 4), twice=st.booleans(), keyed=st.booleans())
    def merge(self, number: int, size: int, twice: bool, keyed: bool) -> None:
        sources = self.some(number, size)
        if not sources:
            return
        m = self.of(sources[0].space)
        ids = [one.id for one in sources] + [sources[0].id] * twice
        text = "\n\n".join(one.content for one in sources)
        if len(sources) < 2:
            with pytest.raises(Invalid) as refused:
                m.merge(ids, text)
            assert refused.value.code == "merge_needs_two"
            return
        self.keys += 1
        key = f"key-{self.keys}" if keyed else None
        merged = m.merge(ids, text, idempotency_key=key)
        assert merged.sources == tuple(one.id for one in sources)
        if keyed:
            assert m.merge(ids, text, idempotency_key=key) == merged
        at, worths = self.at(), [one.worth(self.now) for one in sources]
        filed = {(one.category or "").casefold() for one in sources}
        self.model.memories[merged.id] = Known(
            merged.id,
            sources[0].space,
            [text],
            sources[0].category if len(filed) == 1 else None,
            tuple(dict.fromkeys(tag for one in sources for tag in one.tags)),
            {},
            max(worths),
            created_at=min(one.created_at for one in sources),
            last_seen_at=max(one.last_seen_at for one in sources),
            scored_at=at,
            updated_at=at,
            count=sum(one.count for one in sources),
            used=sum(one.used for one in sources),
            merged_from=merged.sources,
        )
        self.model.events.append("memory.merged")
        for one, worth in zip(sources, worths, strict=True):
            self.absorbed(one, merged.id, worth, "merged")

    def absorbed(self, known: Known, into: str, worth: float, how: str) -> None:
        known.hide("archived", self.at(), worth, f"{how} into {into}")
        known.merged_into = into
        known.version += 1
        self.model.events.append("memory.archived")

    @rule(number=picks, size=st.integers(2, 4))
    def merge_without_what_they_say(self, number: int, size: int) -> None:
        sources = self.some(number, size)
        if len(sources) < 2:
            return
        with pytest.raises(MergeRejected) as refused:
            self.of(sources[0].space).merge([one.id for one in sources], "there is nothing to say")
        assert refused.value.missing
        self.at()
        for one in sources:
            one.version += 1
            self.model.events.append("memory.merge_rejected")

    @rule(number=picks)
    def merge_with_what_is_not_live(self, number: int) -> None:
        gone = self.pick(number, live=False)
        if gone is None:
            return
        others = [
            one.id
            for one in self.model.memories.values()
            if one.is_live and one.space == gone.space
        ]
        if others:
            with pytest.raises((Conflict, NotFound)) as refused:
                self.of(gone.space).merge([others[0], gone.id], "Whatever")
            assert refused.value.code == ("purged" if gone.state == "purged" else "source_not_live")

    @rule(space=spaces)
    def fold(self, space: str) -> None:
        groups: dict[tuple[str, str], list[Known]] = {}
        for one in self.model.memories.values():
            if one.space == space and one.is_live and not one.held:
                groups.setdefault(one.text, []).append(one)
        away = self.of(space).fold()
        expected: set[str] = set()
        for group in groups.values():
            survivor, *others = sorted(
                group, key=lambda one: (not one.pinned, one.created_at, one.id)
            )
            copies = [one for one in others if not one.pinned]
            if not copies:
                continue
            expected |= {one.id for one in copies}
            everyone = [survivor, *copies]
            worths = {one.id: one.worth(self.now) for one in everyone}
            survivor.base, survivor.scored_at = max(worths.values()), self.at()
            survivor.created_at = min(one.created_at for one in everyone)
            survivor.last_seen_at = max(one.last_seen_at for one in everyone)
            survivor.count = sum(one.count for one in everyone)
            survivor.version += 1
            self.model.events.append("memory.folded")
            for copy in copies:
                survivor.tags += tuple(tag for tag in copy.tags if tag not in survivor.tags)
                survivor.metadata = copy.metadata | survivor.metadata
                self.absorbed(copy, survivor.id, worths[copy.id], "folded")
        assert len(away) == len(expected)
        assert set(away) == expected

    @rule(number=picks)
    def supersede(self, number: int) -> None:
        pair = self.some(number, 2)
        if len(pair) < 2:
            return
        (loser, winner), m = pair, self.of(pair[0].space)
        if loser.pinned:
            with pytest.raises(Refused) as refused:
                m.supersede(loser.id, winner.id)
            assert refused.value.code == "pinned"
            return
        m.supersede(loser.id, winner.id)
        m.supersede(loser.id, winner.id)
        loser.hide("superseded", self.at(), loser.worth(self.now))
        loser.superseded_by = winner.id
        loser.version += 1
        self.model.events.append("memory.superseded")

    @rule(number=picks, reason=st.sampled_from(["doubtful", "unseen"]))
    def quarantine(self, number: int, reason: str) -> None:
        def change(known: Known) -> str | None:
            if known.state == "quarantined":
                return None
            known.state = "quarantined"
            return "quarantined"

        known = self.pick(number)
        is_there = known is not None and known.state == "quarantined"
        self.edit(number, lambda m, name: m.quarantine(name, reason), change, of_archived=is_there)

    @rule(number=picks)
    def release(self, number: int) -> None:
        def change(known: Known) -> str | None:
            was, known.state = known.state, "live"
            return "released" if was == "quarantined" else None

        known = self.pick(number)
        if known is not None and known.state in ("archived", "superseded"):
            with pytest.raises(Refused) as refused:
                self.of(known.space).release(known.id)
            assert refused.value.code == "not_quarantined"
            return
        self.edit(number, lambda m, name: m.release(name), change, of_archived=True)

    @rule(number=picks, held=st.booleans())
    def hold_or_release(self, number: int, held: bool) -> None:
        def change(known: Known) -> str | None:
            before, known.held = known.held, held
            return None if before == held else "held" if held else "hold_released"

        self.edit(
            number,
            lambda m, name: m.hold(name, "a suit") if held else m.release_hold(name),
            change,
            of_archived=True,
        )

    @rule(space=spaces, days=st.sampled_from([0, 60, 91]))
    def purge(self, space: str, days: int) -> None:
        self.now += days * DAY
        due = {
            one.id: one
            for one in self.model.memories.values()
            if one.space == space
            and one.state in ("archived", "superseded")
            and one.archived_at is not None
            and self.now - one.archived_at > 90 * DAY
        }
        kept = {
            one.id
            for one in due.values()
            if one.pinned or one.held or (one.archived_worth or 0) >= 0.8 or one.count >= 5
        }
        would = self.of(space).purge(dry_run=True)
        report = self.of(space).purge()
        assert (would.purged, report.due) == ([], [])
        assert set(would.due) == set(due) - kept
        assert set(report.kept) == set(would.kept) == kept
        assert set(report.purged) == set(due) - kept
        for id_ in report.purged:
            due[id_].state = "purged"
            due[id_].version += 2
        if report.purged:
            self.at()
        for name in ("purge_requested", "purged"):
            self.model.events += [f"memory.{name}"] * len(report.purged)

    # what is refused

    @rule(number=picks)
    def decide_on_another_version(self, number: int) -> None:
        known = self.pick(number)
        if known is not None:
            with pytest.raises(Conflict) as refused:
                self.of(known.space).pin(known.id, expected_version=known.version + 1)
            assert refused.value.code == "version_conflict"

    @rule(number=picks)
    def reach_into_another_space(self, number: int) -> None:
        known = self.pick(number)
        if known is not None:
            elsewhere = self.of(SPACES[1 - SPACES.index(known.space)])
            for use in (elsewhere.get, elsewhere.pin, elsewhere.history):
                with pytest.raises(NotFound):
                    use(known.id)

    @rule(content=st.sampled_from(["", " \n", "\x00", "\ud800", "x" * 70_000]))
    def save_what_is_no_content(self, content: str) -> None:
        with pytest.raises(Invalid):
            self.m.save(content)
        with pytest.raises(Invalid):
            self.m.save_many([{"content": TEXTS[0]}, {"content": content}])

    @rule(space=spaces, contents=st.lists(texts, min_size=1, max_size=3))
    def save_many_of_which_the_last_is_refused(self, space: str, contents: list[str]) -> None:
        items: list[dict[str, Any]] = [{"content": content} for content in contents]
        with pytest.raises(Conflict) as refused:
            self.of(space).save_many([*items, {"content": "Never said", "expected_version": 9}])
        assert refused.value.code == "version_conflict"

    @rule(number=picks)
    def act_without_the_right_to(self, number: int) -> None:
        known = self.pick(number)
        name = known.id if known else "01980000-0000-7000-8000-000000000000"
        contributor = self.m.acting_as("subagent:one", known.space if known else None)
        for use in (
            lambda: contributor.save(TEXTS[0]),
            lambda: contributor.pin(name),
            lambda: contributor.archive(name, "because"),
        ):
            with pytest.raises(Refused) as refused:
                use()
            assert refused.value.code == "role_refused"

    # time, and looking at it otherwise

    @rule(days=st.integers(0, 80), seconds=st.integers(1, 86_400))
    def clock_forward(self, days: int, seconds: int) -> None:
        self.now += days * DAY + timedelta(seconds=seconds)

    @rule(back=st.sampled_from([timedelta(seconds=30), HOUR, 3 * DAY]))
    def clock_back(self, back: timedelta) -> None:
        self.now -= back

    @rule(space=spaces)
    def rebuild(self, space: str) -> None:
        assert self.of(space).rebuild().agrees
        assert differing(self.of(space), TEXTS) == []

    # what holds after every step

    @invariant()
    def memories_are_what_the_model_says(self) -> None:
        for space in SPACES:
            m = self.of(space)
            known = [one for one in self.model.memories.values() if one.space == space]
            live = [one for one in known if one.is_live]
            browsed = m.search(limit=200).hits
            order = sorted(live, key=lambda one: one.last_seen_at, reverse=True)
            assert [hit.memory.id for hit in browsed] == [one.id for one in order]
            for memory, one in [
                *((hit.memory, self.model.memories[hit.memory.id]) for hit in browsed),
                *((m.get(one.id), one) for one in known if not one.is_live),
            ]:
                assert memory.id == one.id
                assert (memory.state, memory.version) == (one.state, one.version)
                assert (memory.reinforcement_count, memory.held) == (one.count, one.held)
                if one.state == "purged":
                    assert (memory.content, memory.category, memory.tags) == (None, None, ())
                    continue
                assert memory.content == one.content
                assert (memory.category, memory.tags) == (one.category, one.tags)
                assert memory.metadata == one.metadata
                assert memory.archive_reason == one.archive_reason
                assert memory.archived_at == one.archived_at
                assert (memory.merged_into, memory.merged_from) == (
                    one.merged_into,
                    one.merged_from,
                )
                assert memory.superseded_by == one.superseded_by
                assert (memory.pinned, memory.access_count) == (one.pinned, one.used)
                assert memory.base_importance == one.base
                assert memory.importance == pytest.approx(one.worth(self.now), abs=1e-12)
                assert memory.created_at == one.created_at
                assert memory.last_seen_at == one.last_seen_at
                assert memory.updated_at == one.updated_at

    @invariant()
    def search_finds_what_is_live_and_says_the_word(self) -> None:
        for space in SPACES:
            m = self.of(space)
            known = [one for one in self.model.memories.values() if one.space == space]
            for word in SUBJECTS:
                saying = {one.id for one in known if one.may_be_found and word in one.content}
                live = {one.id for one in known if one.is_live}
                found = m.search(word, limit=200).hits
                assert {hit.memory.id for hit in found} == saying & live
                assert len(found) == len(saying & live)
                assert [hit.score for hit in found] == sorted(
                    (hit.score for hit in found), reverse=True
                )
            everything = m.search("^Server", mode="regex", include_archived=True, limit=200).hits
            assert {hit.memory.id: hit.score for hit in everything} == pytest.approx(
                {one.id: one.worth(self.now) for one in known if one.may_be_found}, abs=1e-12
            )
            asked = {hit.memory.id for hit in m.search(category="ci", limit=200).hits}
            assert asked == {one.id for one in known if one.is_live and one.top == "ci"}

    @invariant()
    def the_log_is_whole_and_holds_one_event_a_change(self) -> None:
        entries = list(self.m.log(space="*"))
        assert [entry.position for entry in entries] == list(range(1, len(entries) + 1))
        assert len(entries) >= self.seen
        self.seen = len(entries)
        names = [entry.name for entry in entries if entry.name != "clock.skewed"]
        assert names == self.model.events
        for name in ("memory.purge_requested", "memory.purged"):
            streams = [entry.stream for entry in entries if entry.name == name]
            assert sorted(streams) == sorted(
                one.id for one in self.model.memories.values() if one.state == "purged"
            )
        times = [entry.recorded_at for entry in entries]
        assert times == sorted(times)
        assert self.m.verify().intact


class DiskMachine(FaceMachine):
    """The same on a disk: closed and opened again, and asked through other handles."""

    on_disk = True

    @rule()
    def reopen(self) -> None:
        self.m.close()
        self.m = self.opened()

    @rule()
    def go_on_with_a_second_handle(self) -> None:
        first, self.m = self.m, self.opened()
        self.memories_are_what_the_model_says()
        first.close()

    @rule(space=spaces, content=texts)
    def save_by_a_second_handle(self, space: str, content: str) -> None:
        first, self.m = self.m, self.opened()
        try:
            self.save(space, content, None, (), 0.5, {})
        finally:
            self.m.close()
            self.m = first

    @rule()
    def copy_the_directory_and_open_the_copy_for_reading(self) -> None:
        assert self.folder is not None
        self.m.close()
        shutil.copytree(self.folder / "log", self.folder / "copy")
        with muniment.open(self.folder / "copy", clock=lambda: self.now, read_only=True) as self.m:
            self.memories_are_what_the_model_says()
        shutil.rmtree(self.folder / "copy")
        self.m = self.opened()


_HOW = {
    "stateful_step_count": STEPS,
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": list(HealthCheck),
}
TestInMemory = FaceMachine.TestCase
TestInMemory.settings = settings(max_examples=EXAMPLES - ON_DISK, **_HOW)  # type: ignore[arg-type]
TestOnDisk = DiskMachine.TestCase
TestOnDisk.settings = settings(max_examples=ON_DISK, **_HOW)  # type: ignore[arg-type]
