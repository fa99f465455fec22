"""What happened besides to memories, in a sentence: one function an event."""

from functools import singledispatch

from muniment.domain import access_token, audit, consolidation, evaluation, recall, rollback
from muniment.domain.clock import Skewed
from muniment.domain.denial import Denied
from muniment.domain.erasure import events as erasure
from muniment.domain.feedback import Given
from muniment.domain.moments import day
from muniment.domain.process import Started
from muniment.domain.proposal import events as proposals
from muniment.domain.signing_key import Rotated

from .wording import counted, shortened, tails


@singledispatch
def told_besides(event: object, actor: str) -> str:
    """The sentence for an event that ``actor`` did.

    Raises:
        TypeError: No sentence was written for its class.
    """
    raise TypeError(f"{type(event).__name__} by {actor} has no sentence")


@told_besides.register
def _skewed(event: Skewed, _: str) -> str:
    return f"the clock was {event.behind_seconds:.0f} s behind the log"


@told_besides.register
def _rotated(_: Rotated, __: str) -> str:
    return "another key signs the checkpoints from here on"


@told_besides.register
def _denied(event: Denied, actor: str) -> str:
    return f"denied to {actor} as {event.role}, {event.count}×: {event.operation}"


@told_besides.register
def _issued(event: access_token.Issued, _: str) -> str:
    return f"token issued to {event.actor} as {event.role}, until {day(event.expires_at)}"


@told_besides.register
def _revoked(_: access_token.Revoked, __: str) -> str:
    return "token revoked"


@told_besides.register
def _erasure_requested(event: erasure.Requested, _: str) -> str:
    return f"erasure of {counted(event.erased)} requested on the basis {event.basis}"


@told_besides.register
def _erasure_completed(_: erasure.Completed, __: str) -> str:
    return "erasure done: its keys are destroyed"


@told_besides.register
def _words_purge_requested(event: erasure.WordsPurgeRequested, _: str) -> str:
    return f"purge of its words requested by the erasure {tails((event.erasure,))}"


@told_besides.register
def _words_purged(event: erasure.WordsPurged, _: str) -> str:
    return f"its words were purged by the erasure {tails((event.erasure,))}"


@told_besides.register
def _proposed(event: proposals.Made, _: str) -> str:
    said = f"proposed as #{event.number}, confidence {event.confidence}"
    return f"{said}: {shortened(event.content)}"


@told_besides.register
def _contradicted(event: proposals.Contradicted, _: str) -> str:
    return f"contradicted by the proposal {tails((event.by,))}"


@told_besides.register
def _committed(event: proposals.Committed, _: str) -> str:
    return f"committed to the memory {tails((event.memory,))}"


@told_besides.register
def _rejected(event: proposals.Rejected, _: str) -> str:
    return f"rejected for {tails((event.by,))}" if event.by else f"rejected: {event.reason}"


@told_besides.register
def _deferred(event: proposals.Deferred, _: str) -> str:
    return f"deferred: {event.reason}" if event.reason else "deferred"


@told_besides.register
def _recalled(event: recall.Recalled, actor: str) -> str:
    found = sum(len(one.memories) for one in event.recalls)
    return (
        f"recalled for {event.agent or actor} in session {event.session}:"
        f" recalls {len(event.recalls):,}, memories {found:,}"
    )


@told_besides.register
def _recalls_purge_requested(event: recall.PurgeRequested, _: str) -> str:
    return f"purge of its recalls requested: {_newest(event)}"


@told_besides.register
def _recalls_purged(event: recall.Purged, _: str) -> str:
    return f"its recalls were purged: {_newest(event)}"


def _newest(event: recall.PurgeRequested | recall.Purged) -> str:
    return f"the newest of {day(event.newest_at)}, kept for {event.retention_days:g} days"


@told_besides.register
def _rolled_back(event: rollback.Applied, _: str) -> str:
    return (
        f"rolled back: {event.hidden:,} hidden, {event.restored:,} brought back,"
        f" {event.withdrawn:,} withdrawn: {event.reason}"
    )


@told_besides.register
def _undone(event: rollback.Undone, _: str) -> str:
    return f"the rollback was undone, {event.left:,} left: {event.reason}"


@told_besides.register
def _feedback(event: Given, _: str) -> str:
    about = f" about {tails(event.memory_ids)}" if event.memory_ids else ""
    return f"feedback given, {event.kind}{about}: {shortened(event.text)}"


@told_besides.register
def _audited(event: audit.Completed, _: str) -> str:
    failing = ", ".join(event.failing) or "nothing failed"
    return f"audited up to {event.position:,}: {event.status} ({failing})"


@told_besides.register
def _digested(event: audit.Digested, _: str) -> str:
    return f"the report of the audit {event.snapshot_id[-12:]} was told"


@told_besides.register
def _paused(event: consolidation.Paused, _: str) -> str:
    return f"consolidation paused: {', '.join(event.because)}"


@told_besides.register
def _resumed(event: consolidation.Resumed, _: str) -> str:
    return f"consolidation resumed: {event.reason}"


@told_besides.register
def _evaluated(event: evaluation.Evaluated, _: str) -> str:
    said = event.summary
    return f"{event.model} judged {said.judged} samples: {said.unsound} unsound"


@told_besides.register
def _started(event: Started, _: str) -> str:
    return f"{event.kind} was started, release {event.release}"
