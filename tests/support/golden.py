"""Golden files: stored events of every name and schema that were ever written, kept for good.

A file holds the bytes as a release stored them (facts, words, and the payload that the words were
sealed to under a key that stands beside), the envelope, the leaf, the event that they are, and the
memory after it as callers see it. What was written once must be read for ever, so files are only
ever added, and no test writes one. To add those of a new event, give it two examples below (one
that got a field: a third, with it; an example never changes), then run

    .venv/bin/python tests/support/golden.py

It writes what is missing, lists it in ``MANIFEST.json``, and changes nothing that is there.
"""

import dataclasses
import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import independent
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from muniment.domain import access_token, audit, consolidation, evaluation, recall, rollback
from muniment.domain.clock import Skewed
from muniment.domain.denial import Denied
from muniment.domain.erasure import events as erasure
from muniment.domain.feedback import Given
from muniment.domain.importance import Decay
from muniment.domain.memory import events as e
from muniment.domain.memory.state import State, evolve
from muniment.domain.memory.view import view
from muniment.domain.process import Started
from muniment.domain.proposal import events as p
from muniment.domain.recorded import Recorded
from muniment.domain.signing_key import Rotated
from muniment.log import codec

DIRECTORY = Path(__file__).parent.parent / "log" / "golden"
MANIFEST = "MANIFEST.json"
STREAM = "01976a5b-7c00-7a11-8b22-0123456789ab"
AT = datetime(2026, 3, 3, 12, 0, 0, 250_000, tzinfo=UTC)

_SEEN: Mapping[str, Any] = {"importance": 0.5, "trust": 3, "source_type": "owner"}
_TOLD: Mapping[str, Any] = {
    "importance": 0.8125,
    "trust": 1,
    "source_type": "tool",
    "source_model": "small-1",
    "source_ref": "https://example.org/wiki?page=7",
    "source_session": "session-9",
    "similarity": 0.75,
    "measure": "lexical",
}
_OTHERS = ("01976a5b-0000-7000-8000-000000000001", "01976a5b-0000-7000-8000-000000000002")
_TEXT = 'Grüße aus "Köln" \\ \u2028 今日は 🎉\nsecond line\ttab'

_VERIFIERS = (
    f"muniment/{STREAM}+0a1b2c3d+AQ{'A' * 41}=",
    f"muniment/{STREAM}+4e5f6071+AQ{'B' * 41}=",
)
_STATEMENT = f"muniment/{STREAM}\nsigning key {_VERIFIERS[1]}\n\n— muniment/{STREAM} {'A' * 91}=\n"

_ENTITY: dict[str, Any] = {
    "format": "mcp-memory",
    "external_id": "entity:Köln",
    "content": _TEXT,
    "category": "places",
    "tags": ("a", "b"),
    "metadata": {"k": ""},
    "store": "procedural",
    "created_at": AT - timedelta(days=400),
    "last_seen_at": AT - timedelta(days=399),
    "updated_at": AT - timedelta(days=400),
    "scored_at": AT - timedelta(days=399),
    "reinforcement_count": 1,
    "access_count": 1,
    "last_accessed_at": AT - timedelta(days=399),
    "pinned": True,
    "archived_at": AT - timedelta(days=10),
    "archive_reason": "no longer there",
    "archive_importance": 0.125,
    **_TOLD,
}

_AUDITED: dict[str, Any] = {
    "snapshot_id": STREAM,
    "taken_at": AT,
    "position": 34,
    "live": 10,
    "archived": 3,
    "superseded": 1,
    "quarantined": 0,
    "malformed_files": 0,
    "empty_category_dirs": 2,
    "created_since_last": 4,
    "archived_since_last": 2,
    "restored_since_last": 1,
    "hard_deleted_since_last": 3,
    "purged_since_last": 2,
    "erased_since_last": 1,
    "hard_deleted_outside_purge": 0,
    "max_chain_depth": 3,
    "deep_limit": 2,
    "near_dup_pairs": 1,
    "near_dup_entries": 2,
    "reinforced_without_merge_since_last": 5,
    "rejected_merge_sources_since_last": 2,
    "rejected_merges_since_last": 1,
    "rejected_merge_clusters_repeated": 0,
    "dream_passes_run_since_last": 0,
    "restarts_since_last": 1,
    "purge": audit.PurgeOutlook(due_within_days=7.0, count=2, high_value_count=1),
    "vocabulary_stoplist_size": 321,
}

_FAILING: dict[str, Any] = {
    "previous_taken_at": AT - timedelta(days=2),
    "previous_position": 12,
    "net_growth_per_day": -0.5,
    "merge_chain_depth": {"0": 7, "1": 2, "3": 1},
    "embedding_dup_clusters": 0,
    "reinforcement": {"1": 7, "2-4": 3},
    "consolidation_last_run_at": AT - timedelta(hours=1),
    "invariants": (
        audit.Violation(name="chain-depth-threshold", count=1, ids=_OTHERS[:1], limit=2.0),
        audit.Violation(name="loss-percent-threshold", count=3, measured=23.1, limit=10.0),
    ),
    "status": "alert",
    "told": audit.Told(
        occasion="alert", new=("loss-percent-threshold",), cleared=("no-malformed-files",)
    ),
    "eval": audit.EvalSummary(
        evaluated_at=AT - timedelta(days=3), judged=40, sound=37, unsound=3, carried=12
    ),
}

EXAMPLES: Sequence[object] = (
    e.Saved(content="The build runs on Fridays", store="semantic", chars=25, **_SEEN),
    e.Saved(
        content=_TEXT,
        category="user-preferences/food",
        tags=("ops", "Größe"),
        metadata={"subjectTime": "2026-03", "_type_": "uuid_hex"},
        store="episodic",
        chars=len(_TEXT),
        resembles=_OTHERS,
        conflicts_with=_OTHERS[:1],
        **_TOLD,
    ),
    e.Imported(
        format="rockbot",
        content="The build runs on Fridays",
        store="semantic",
        chars=25,
        created_at=AT - timedelta(days=90),
        last_seen_at=AT - timedelta(days=9),
        updated_at=AT - timedelta(days=30),
        scored_at=AT - timedelta(days=9, microseconds=1),
        reinforcement_count=4,
        access_count=2,
        last_accessed_at=AT - timedelta(days=1),
        **_SEEN,
    ),
    e.Imported(chars=len(_TEXT), **_ENTITY),
    e.Imported(
        additions=("It has a port.", "今日は"),
        said_at=(AT - timedelta(days=401), AT - timedelta(days=400), AT - timedelta(days=399)),
        text_version=7,
        chars=len(_TEXT) + 21,
        condition="superseded",
        merged_into=_OTHERS[0],
        merged_from=_OTHERS,
        resembles=_OTHERS[1:],
        conflicts_with=_OTHERS[:1],
        superseded_by=_OTHERS[1],
        held=True,
        heard=(("tool", "https://example.org/wiki?page=7"), ("user", None)),
        **_ENTITY,
    ),
    e.Reinforced(counted=True, **_SEEN),
    e.Reinforced(counted=False, tags_added=("c",), metadata_added={"seen": "twice"}, **_TOLD),
    e.Extended(addition="and on Mondays", chars=41, **_SEEN),
    e.Extended(addition=_TEXT, chars=99, tags_added=("c", "d"), metadata_added={"a": "b"}, **_TOLD),
    e.Revised(content="The build runs on Mondays", chars=25),
    e.Revised(content=_TEXT, chars=len(_TEXT)),
    e.Recategorized(category="ci/linux"),
    e.Recategorized(),
    e.Retagged(tags=("x", "Straße")),
    e.Retagged(),
    e.Rescored(importance=0.1),
    e.Rescored(importance=1.0),
    e.Described(metadata={"subjectTimeStart": "2026", "z": "\u0001"}),
    e.Described(),
    e.Used(),
    e.Used(),
    e.Pinned(),
    e.Pinned(),
    e.Unpinned(),
    e.Unpinned(),
    e.PinnedWhenTold(trigger="Never forget “Köln”"),
    e.PinnedWhenTold(),
    e.UnpinnedWhenTold(trigger="that may go"),
    e.UnpinnedWhenTold(),
    e.Archived(cause="request", importance=0.30000000000000004, reason="out of date"),
    e.Archived(cause="merge", importance=0.0, merged_into=_OTHERS[0]),
    e.Restored(),
    e.Restored(),
    e.Merged(
        content="The build runs on Fridays and Mondays",
        store="semantic",
        chars=37,
        importance=0.75,
        trust=1,
        source_type="agent",
        merged_from=_OTHERS,
        source_versions=(1, 4),
        created_at=AT - timedelta(days=90),
        last_seen_at=AT - timedelta(days=9),
        reinforcement_count=5,
        access_count=3,
        last_accessed_at=AT - timedelta(days=1),
        specifics=2,
    ),
    e.Merged(
        content=_TEXT,
        category="places",
        tags=("a", "b"),
        metadata={"subjectTimeStart": "2025-12-31"},
        store="procedural",
        chars=len(_TEXT),
        importance=0.30000000000000004,
        trust=0,
        source_type="model",
        merged_from=(*_OTHERS, STREAM),
        source_versions=(1, 2, 300),
        created_at=AT - timedelta(days=400),
        last_seen_at=AT,
        reinforcement_count=243,
        access_count=9,
        last_accessed_at=AT,
        specifics=0,
    ),
    e.Folded(
        folded=_OTHERS[:1],
        counts=(1,),
        importance=0.5,
        trust=3,
        created_at=AT - timedelta(days=9),
        last_seen_at=AT,
    ),
    e.Folded(
        folded=_OTHERS,
        counts=(2, 40),
        importance=0.8125,
        trust=0,
        created_at=AT - timedelta(days=400),
        last_seen_at=AT - timedelta(days=3),
        tags_added=("c", "Größe"),
        metadata_added={"k": "v"},
    ),
    e.MergeRetracted(restored=_OTHERS[0], count=1),
    e.MergeRetracted(restored=_OTHERS[1], count=40),
    e.MergeRejected(cluster="0f" * 16, sources=_OTHERS, text_version=1, missing_count=0),
    e.MergeRejected(
        cluster="a1" * 16,
        sources=(*_OTHERS, STREAM),
        text_version=7,
        missing_count=2,
        missing=("Köln", "2027"),
    ),
    e.Superseded(by=_OTHERS[0], importance=0.5),
    e.Superseded(by=_OTHERS[1], importance=0.30000000000000004),
    e.Quarantined(cause="request"),
    e.Quarantined(cause="policy", reason="it reads like an instruction"),
    e.Quarantined(
        cause="policy",
        signs=("instruction_like", "burst"),
        reason="it reads like an instruction; its source said more",
    ),
    e.Released(),
    e.Released(),
    e.Held(),
    e.Held(reason="case 7/2026"),
    e.HoldReleased(),
    e.HoldReleased(),
    e.PurgeRequested(
        basis="retention",
        archived_at=AT - timedelta(days=91),
        retention_days=90.0,
        importance=0.5,
        reinforcement_count=1,
        policy="retention/1",
    ),
    e.PurgeRequested(basis="erasure", importance=1.0, reinforcement_count=243, policy="erasure/1"),
    e.Purged(
        basis="retention",
        archived_at=AT - timedelta(days=91),
        retention_days=0.5,
        importance=0.0,
        reinforcement_count=2,
        policy="retention/1",
    ),
    e.Purged(basis="erasure", importance=1.0, reinforcement_count=243, policy="erasure/1"),
    erasure.Requested(
        scope="memory",
        basis="gdpr-17",
        policy="cascade",
        named=_OTHERS[:1],
        erased=_OTHERS[:1],
    ),
    erasure.Requested(
        scope="subject",
        basis="request",
        policy="keep",
        named=_OTHERS,
        erased=_OTHERS,
        kept=(STREAM,),
        restored=_OTHERS[:1],
        left=_OTHERS[1:],
        basis_text="A letter of 3 March, in Köln",
        subject="Größe, Anna",
        reason="An index of it is under audit",
    ),
    erasure.Completed(),
    erasure.Completed(key_backups_until=AT + timedelta(days=30)),
    erasure.Requested(
        scope="subject",
        basis="gdpr-17",
        policy="cascade",
        named=(),
        erased=(),
        recalls=(STREAM,),
        proposals=(_OTHERS[0],),
        feedback=(_OTHERS[1],),
        entries=1,
        turns=20,
        reports=300,
        subject="Anna Köhler",
    ),
    erasure.WordsPurgeRequested(erasure=STREAM),
    erasure.WordsPurgeRequested(erasure=_OTHERS[0]),
    erasure.WordsPurged(erasure=STREAM),
    erasure.WordsPurged(erasure=_OTHERS[0]),
    Skewed(behind_seconds=301.5),
    Skewed(behind_seconds=86_400.000001),
    Started(kind="serve", release="0.1.0"),
    Started(kind="mcp", release="1.0.0rc1"),
    Rotated(old=_VERIFIERS[0], new=_VERIFIERS[1], statement=_STATEMENT),
    Rotated(old=_VERIFIERS[1], new=_VERIFIERS[0], statement=_STATEMENT + _STATEMENT[-60:]),
    Denied(operation="save", role="contributor", count=1),
    Denied(operation="keys rotate-signing", role="main", count=4_000),
    access_token.Issued(
        digest="0f" * 32, actor="bot:main", role="main", expires_at=AT + timedelta(days=30)
    ),
    access_token.Issued(
        digest="a1" * 32, actor="manual", role="auditor", expires_at=AT + timedelta(seconds=1)
    ),
    access_token.Revoked(),
    access_token.Revoked(),
    p.Made(
        number=1,
        content="The build runs on Fridays",
        store="semantic",
        confidence="medium",
        source_type="agent",
        chars=25,
        expires_at=AT + timedelta(days=7),
    ),
    p.Made(
        number=4_711,
        content=_TEXT,
        category="user-preferences/food",
        tags=("ops", "Größe"),
        trigger="the user said so",
        core_worthy=True,
        store="episodic",
        confidence="high",
        source_type="owner",
        chars=len(_TEXT),
        expires_at=AT + timedelta(seconds=1),
        contradicts=_OTHERS,
    ),
    p.Contradicted(by=_OTHERS[0]),
    p.Contradicted(by=_OTHERS[1]),
    p.Committed(memory=_OTHERS[0]),
    p.Committed(memory=_OTHERS[1]),
    p.Rejected(cause="request", reason="nobody needs it"),
    p.Rejected(cause="contradiction", by=_OTHERS[0]),
    p.Deferred(),
    p.Deferred(reason="ask the user"),
    recall.Recalled(recalls=(recall.Recall(at=AT),), session="s", queries=("pump",)),
    recall.Recalled(
        recalls=(
            recall.Recall(
                at=AT - timedelta(seconds=59, microseconds=1),
                memories=_OTHERS,
                versions=(1, 300),
                scores=(2.25, 0.30000000000000004),
            ),
            recall.Recall(at=AT, memories=(STREAM,), versions=(2,), scores=(0.0,)),
        ),
        agent="subagent:scout",
        session="Köln #7",
        queries=(_TEXT, None),
    ),
    recall.PurgeRequested(newest_at=AT - timedelta(days=401), retention_days=400.0),
    recall.PurgeRequested(newest_at=AT, retention_days=0.5),
    recall.Purged(newest_at=AT - timedelta(days=401), retention_days=400.0),
    recall.Purged(newest_at=AT, retention_days=0.5),
    rollback.Applied(hidden=1, restored=0, withdrawn=0, actor="bot:main", reason="wrong"),
    rollback.Applied(
        hidden=10_000,
        restored=2,
        withdrawn=1,
        memory=STREAM,
        source_type="web",
        since=AT - timedelta(days=2),
        until=AT,
        source_ref="https://example.org/wiki?page=7",
        session="session-9",
        reason=_TEXT,
    ),
    rollback.Undone(left=0),
    rollback.Undone(left=3, reason="it was right: Köln"),
    Given(kind="praise", text="That was quick"),
    Given(kind="correction", text=_TEXT, session="web:7", memory_ids=_OTHERS),
    audit.Completed(**_AUDITED),
    audit.Completed(**_AUDITED | _FAILING),
    audit.Digested(snapshot_id=STREAM),
    audit.Digested(snapshot_id=_OTHERS[0]),
    evaluation.Evaluated(
        number=1,
        evaluated_at=AT,
        position=34,
        model="small-1",
        tier="low",
        directive_sha256="0f" * 32,
    ),
    evaluation.Evaluated(
        number=7,
        evaluated_at=AT,
        position=35,
        model="qwen3:8b",
        tier="balanced",
        directive_sha256="a1" * 32,
        families=("near-duplicate", "reinforced", "ephemeral"),
        failed=("merge",),
        verdicts=(
            evaluation.Verdict(
                family="near-duplicate",
                ids=_OTHERS,
                sound=True,
                judged_at=AT - timedelta(days=7),
                carried=True,
            ),
            evaluation.Verdict(
                family="ephemeral",
                ids=_OTHERS[:1],
                context_ids=(STREAM, _OTHERS[1]),
                sound=False,
                judged_at=AT,
            ),
        ),
        derived_from=(*_OTHERS, STREAM),
        settled="b2" * 32,
        grounds=(
            evaluation.Grounds("c3" * 32, "two ports of two relays"),
            evaluation.Grounds("d4" * 32, "the Grüße went to Köln, and nothing says so", _TEXT),
        ),
        answers=(
            evaluation.Answer(
                "ephemeral", '{"verdicts":[{"index":0,"sound":false,"reason":"今日は"}]}'
            ),
        ),
    ),
    consolidation.Paused(because=("loss-percent-threshold",), snapshot_id=STREAM),
    consolidation.Paused(
        because=("no-hard-delete-outside-purge", "loss-percent-threshold"), snapshot_id=_OTHERS[0]
    ),
    consolidation.Resumed(),
    consolidation.Resumed(reason="the rows were put back from the backup: Köln, 3 March"),
)
"""Two or more of each event: one that says the least, one that says everything."""

BEFORE: Sequence[object] = (
    e.Saved(content="What was known before", tags=("a",), store="semantic", chars=21, **_SEEN),
    e.Archived(cause="request", importance=0.5, reason="for a while"),
)
"""What the memory went through before an event that cannot be its first."""


def plain(value: Any) -> Any:
    """A value as JSON has it; fields by name."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, State):
        return {name: plain(getattr(value, name)) for name in value._fields}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        named = cast("Mapping[str, Any]", value)
        return {name: plain(part) for name, part in named.items()}
    if isinstance(value, frozenset):
        return sorted(map(plain, cast("Sequence[Any]", value)), key=repr)
    if isinstance(value, tuple | list):
        return [plain(part) for part in cast("Sequence[Any]", value)]
    return value


def bound(envelope: Sequence[Any]) -> bytes:
    """What a payload is bound to: space, stream, version, name and schema."""
    _, stream, version, name, schema, _, _, space, *_ = envelope
    return f"{space}\0{stream}\0{version}\0{name}\0{schema}".encode()


def recorded(envelope: Sequence[Any], event: Any) -> Recorded:
    """The event in the envelope of a file."""
    position, stream, version, name, schema, at, actor, space, command, corr, cause, _ = envelope
    moment = datetime.fromisoformat(at)
    return Recorded(
        position, stream, version, name, schema, moment, actor, space, command, corr, cause, event
    )


def folded(file: Mapping[str, Any], event: Any) -> State | None:
    """The memory after what a file says came before, and the event."""
    state: State | None = None
    for number, before in enumerate(file["before"], 1):
        words = None if before["words"] is None else before["words"].encode()
        decoded = codec.decode(before["name"], before["schema"], before["facts"].encode(), words)
        envelope = [number, *file["envelope"][1:]]
        envelope[2] = number
        envelope[5] = before["recorded_at"]
        state = evolve(state, recorded(envelope, decoded))
    if not file["envelope"][3].startswith("memory."):
        return state
    return evolve(state, recorded(file["envelope"], event))


def memory_after(file: Mapping[str, Any], event: Any) -> dict[str, Any] | None:
    """What callers see of the memory after it, but for what is computed by a curve of the day."""
    state = folded(file, event)
    if state is None:
        return None
    seen: dict[str, Any] = plain(view(state, AT, Decay()))
    return {name: seen[name] for name in seen if name not in _COMPUTED}


_NO_MEMORY = (Skewed.NAME, Rotated.NAME, erasure.Requested.NAME, erasure.Completed.NAME)

_COMPUTED = frozenset(["importance", "relevance", "band"])


def _made(event: Any) -> dict[str, Any]:
    name, schema = codec.stored_name(event)
    facts, words = codec.encode(event)
    is_first = isinstance(event, e.Beginning) or not name.startswith("memory.")
    before: list[dict[str, Any]] = []
    for number, earlier in enumerate(() if is_first else BEFORE, 1):
        earlier_facts, earlier_words = codec.encode(earlier)
        before.append(
            {
                "name": codec.stored_name(earlier)[0],
                "schema": codec.stored_name(earlier)[1],
                "recorded_at": f"2026-02-0{number}T08:00:00.000000Z",
                "facts": earlier_facts.decode(),
                "words": None if earlier_words is None else earlier_words.decode(),
            }
        )
    key = nonce = payload = None
    envelope: list[Any] = [
        len(before) + 1,
        STREAM,
        len(before) + 1,
        name,
        schema,
        "2026-03-03T12:00:00.250000Z",
        "bot:main",
        "team.one",
        "01976a5b-7c00-7a11-8b22-ffffffffffff",
        None,
        "01976a5b-7c00-7a11-8b22-eeeeeeeeeeee" if words else None,
        None if words is None else 2**62 + 12_345,
    ]
    if words is not None:
        key, nonce = secrets.token_bytes(32), secrets.token_bytes(12)
        payload = nonce + AESGCM(key).encrypt(nonce, words, bound(envelope))
    file: dict[str, Any] = {
        "event": {"class": type(event).__name__, "fields": plain(event)},
        "facts": facts.decode(),
        "words": None if words is None else words.decode(),
        "envelope": envelope,
        "key": None if key is None else key.hex(),
        "payload": None if payload is None else payload.hex(),
        "leaf": independent.leaf(envelope, facts, payload).hex(),
        "before": before,
    }
    file["memory"] = memory_after(file, event)
    return file


def add() -> list[str]:
    """Writes the files that examples have none of, and lists them; returns their names."""
    DIRECTORY.mkdir(exist_ok=True)
    numbers: dict[tuple[str, int], int] = {}
    added: list[str] = []
    for event in EXAMPLES:
        name, schema = codec.stored_name(event)
        number = numbers[name, schema] = numbers.get((name, schema), 0) + 1
        path = DIRECTORY / f"{name}.{schema}.{number}.json"
        if not path.exists():
            text = json.dumps(_made(event), indent=1, ensure_ascii=True, sort_keys=True)
            path.write_text(text + "\n", encoding="utf-8")
            added.append(path.name)
    listed = manifest() | {
        name: independent.digest((DIRECTORY / name).read_bytes()).hex() for name in added
    }
    text = json.dumps(listed, indent=1, sort_keys=True)
    (DIRECTORY / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return added


def manifest() -> dict[str, str]:
    """SHA-256 of each golden file, by name."""
    path = DIRECTORY / MANIFEST
    listed: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return listed


def files() -> dict[str, dict[str, Any]]:
    """Every golden file by name."""
    return {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(DIRECTORY.glob("*.json"))
        if path.name != MANIFEST
    }


if __name__ == "__main__":
    sys.stdout.write("".join(f"added {name}\n" for name in add()))
