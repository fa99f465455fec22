"""Stores in which everything happens, at random: every command of the face, by several actors."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from bdd import Clock

import muniment
from muniment import Muniment, MunimentError, Source, keep
from muniment.domain.proposal.decisions import Resolution, Verdict

SPACES = ("default", "default", "other")
ACTORS = ("manual", "manual", "manual", "bot:main", "system:dream", "subagent:scout")
TEXTS = tuple(
    f"Server {subject} stands in {place}{more}"
    for subject in ("alpha", "bravo")
    for place in ("Lisbon", "Porto")
    for more in ("", " since 2019", ". Nora has the key")
)
STORES = ("semantic", "semantic", "episodic", "procedural")
SOURCES = (
    *(None, "user", "agent", "tool", "web"),
    Source(type="web", ref="https://example.org/a"),
    Source(type="tool", ref="probe"),
)
RETENTION = {"dream": {"memory_archive_retention_days": 20}}


@dataclass
class Commotion:
    """A store, and who knows what happens in it."""

    random: Random
    clock: Clock
    m: Muniment
    ids: dict[str, list[str]] = field(default_factory=lambda: {space: [] for space in SPACES})

    def some(self, m: Muniment) -> str:
        """An id of a memory of a space, seldom of another; the latest most of all."""
        ids = self.ids[m.space if self.random.random() < 0.95 else self.random.choice(SPACES)]
        if not ids:
            return "01980000-0000-7000-8000-000000000000"
        return self.random.choice(ids[-self.random.choice([3, 8, len(ids)]) :])

    def happen(self, times: int) -> None:
        """Does things; what is refused is left undone."""
        for _ in range(times):
            m = self.m.acting_as(self.random.choice(ACTORS), self.random.choice(SPACES))
            happening = self.random.choices(_HAPPENINGS, _WEIGHTS)[0]
            with suppress(MunimentError):
                happening(self, m)

    def saved(self, m: Muniment) -> None:
        saved = m.save(**self._observation())
        if saved.outcome == "created":
            self.ids[m.space].append(saved.id)

    def saved_many(self, m: Muniment) -> None:
        some = m.save_many([self._observation() for _ in range(3)])
        self.ids[m.space] += [saved.id for saved in some]

    def _observation(self) -> dict[str, Any]:
        choice = self.random.choice
        return {
            "content": choice(TEXTS),
            "category": choice(["infra", "infra", "infra/eu", "people", "feedback"]),
            "tags": choice([(), ("a",), ("b", "c")]),
            "importance": choice([0.1, 0.5, 0.9]),
            "store": choice(STORES),
            "source": choice(SOURCES),
        }

    def edited(self, m: Muniment) -> None:
        id_ = self.some(m)
        state = m.get(id_).state if self.random.random() < 0.8 else "live"
        edits: tuple[tuple[str, tuple[Any, ...]], ...] = (
            ("archive", ("stale",)),
            ("archive", ("stale",)),
            ("quarantine", ("doubtful",)),
            ("hold", ("a suit",)),
            ("pin", ()),
            ("mark_used", ()),
            ("supersede", (self.some(m),)),
            ("revise", (self.random.choice(TEXTS),)),
            ("rescore", (self.random.random(),)),
            ("recategorize", (self.random.choice([None, "infra"]),)),
            ("retag", (("z",),)),
            ("describe", ({"k": "v"},)),
        )
        if state in ("archived", "superseded"):
            edits = (("restore", ()), ("hold", ("a suit",)), ("release_hold", ()), ("pin", ()))
        elif state == "quarantined":
            edits = (("release", ()), ("restore", ()), ("unpin", ()))
        name, given = self.random.choice((*edits, ("release_hold", ()), ("unpin", ())))
        if name in ("pin", "unpin"):
            getattr(m, name)(id_, trigger=self.random.choice([None, None, "Just as I say"]))
        else:
            getattr(m, name)(id_, *given)

    def merged(self, m: Muniment) -> None:
        ids = [self.some(m) for _ in range(self.random.randint(2, 4))]
        text = "\n\n".join(memory.content or "" for memory in m.get_many(ids))
        key = self.random.choice([None, f"key-{self.random.randint(1, 5)}"])
        self.ids[m.space].append(m.merge(ids, text, idempotency_key=key).id)

    def rejected(self, m: Muniment) -> None:
        m.merge([self.some(m), self.some(m)], "Servers stand somewhere")

    def twinned(self, m: Muniment) -> None:
        """What was archived is said again, and then restored: both are there."""
        twin = m.get(self.some(m))
        m.archive(twin.id, "stale")
        saved = m.save(twin.content or "", category=twin.category, store=twin.store)
        self.ids[m.space].append(saved.id)
        m.restore(twin.id)

    def folded(self, m: Muniment) -> None:
        m.fold()

    def purged(self, m: Muniment) -> None:
        m.purge()

    def proposed(self, m: Muniment) -> None:
        proposer = self.m.acting_as(self.random.choice(["subagent:scout", "bot:main"]), m.space)
        proposer.propose(
            self.random.choice(TEXTS),
            category=self.random.choice(["infra", "infra", "people"]),
            confidence=self.random.choice(["low", "high"]),
        )

    def decided(self, m: Muniment) -> None:
        waiting = [one for one in m.proposals() if one.state in ("pending", "conflict", "deferred")]
        proposal = self.random.choice(waiting[-4:] or m.proposals()[-1:] or [None])
        if proposal is None:
            return
        verdicts: tuple[Verdict, ...] = ("commit", "commit", "reject", "defer")
        resolutions: tuple[Resolution | None, ...] = (None, "this", "both")
        verdict = self.random.choice(verdicts)
        if verdict != "commit":
            m.decide(proposal.number, verdict, reason="so it is")
            return
        m.decide(proposal.number, "commit", resolution=self.random.choice(resolutions))

    def erased(self, m: Muniment) -> None:
        policy: Any = self.random.choice(["cascade", "rewrite", keep("an audit is under way")])
        m.erase(
            [self.some(m) for _ in range(self.random.choice([1, 1, 2]))],
            basis="gdpr-17",
            cascade=policy,
        )

    def erased_by_name(self, m: Muniment) -> None:
        m.erase_subject("Nora", basis="gdpr-17")

    def praised(self, m: Muniment) -> None:
        m.feedback("praise", self.random.choice(TEXTS), memory_ids=[self.some(m)])

    def recalled(self, m: Muniment) -> None:
        session = self.random.choice(["standup", "review"])
        m.recall(self.random.choice(["server", "Lisbon", "Nora"]), session=session)

    def rolled_back(self, m: Muniment) -> None:
        choice = self.random.choice
        given: dict[str, Any] = {"reason": "wrong", "dry_run": False}
        given |= choice([{"source": "web"}, {"source": "tool"}, {"actor": "bot:main"}])
        given |= {"hide": choice(["quarantine", "archive"])}
        done = m.rollback(since=self.clock.now - timedelta(days=choice([1, 9, 30])), **given)
        if done.id is not None and self.random.random() < 0.5:
            m.rollback(undo=done.id, reason="right", dry_run=False)

    def later(self, _: Muniment) -> None:
        self.clock.advance(days=self.random.choice([0.01, 1, 9, 30]))

    def earlier(self, _: Muniment) -> None:
        self.clock.advance(hours=-self.random.choice([1, 30]))


_OFTEN: dict[Callable[[Commotion, Muniment], None], int] = {
    Commotion.saved: 8,
    Commotion.saved_many: 1,
    Commotion.edited: 14,
    Commotion.merged: 5,
    Commotion.rejected: 1,
    Commotion.twinned: 3,
    Commotion.folded: 5,
    Commotion.purged: 2,
    Commotion.proposed: 6,
    Commotion.decided: 5,
    Commotion.erased: 1,
    Commotion.erased_by_name: 1,
    Commotion.praised: 1,
    Commotion.recalled: 2,
    Commotion.rolled_back: 2,
    Commotion.later: 4,
    Commotion.earlier: 1,
}
_HAPPENINGS, _WEIGHTS = list(_OFTEN), list(_OFTEN.values())


def commotion(seed: int, target: str | Path = ":memory:") -> Commotion:
    """An empty store whose memories are kept for 20 days once they are archived."""
    clock = Clock()
    handle = muniment.open(target, clock=clock, settings=RETENTION | {"log": {"key_batch": 16}})
    return Commotion(Random(seed), clock, handle)


def take_over(made: Commotion, other: Commotion, folder: Path) -> None:
    """Exports one space of a store and imports a part of it, so that some are named in vain."""
    made.m.export(folder / "whole")
    header, *memories, _ = (folder / "whole").read_bytes().splitlines(keepends=True)
    kept = [line for line in memories if other.random.random() < 0.7]
    top = json.loads(header) | {"memories": len(kept)}
    lines = [json.dumps(top).encode() + b"\n", *kept]
    trailer = {"memories": len(kept), "sha256": sha256(b"".join(lines)).hexdigest()}
    (folder / "part").write_bytes(b"".join([*lines, json.dumps(trailer).encode() + b"\n"]))
    # what came from a clock that is ahead of this one would be seen less lately when seen again
    other.clock.now = max(entry.recorded_at for entry in made.m.log(space="*"))
    report = other.m.import_from("native", folder / "part")
    assert report.imported == len(kept)
    other.ids["default"] += [json.loads(line)["id"] for line in kept]
