"""Which address does what: a line an operation, each with the model that says what it takes.

A token reaches its own space: no address takes the name of another.
"""

from collections.abc import Iterable
from typing import Any, Final

from muniment import operations
from muniment.commands.decide_proposal import DecideProposal
from muniment.commands.fold_twins import FoldTwins
from muniment.commands.give_feedback import GiveFeedback
from muniment.commands.merge import Merge
from muniment.commands.propose import Propose
from muniment.commands.save_memory import SaveMemory
from muniment.domain.access_token import Token
from muniment.erasing import ErasureCertificate, ErasurePreview
from muniment.handle import Muniment
from muniment.queries.blast_radius import GetBlastRadius
from muniment.queries.context import GetContext
from muniment.queries.conversation import GetTurns, SearchConversation
from muniment.queries.diff import Diff
from muniment.queries.get_memory import Get, GetMany
from muniment.queries.history import History
from muniment.queries.knew import Knew
from muniment.queries.log import Log
from muniment.queries.proposals import Proposals
from muniment.queries.recall import Recall
from muniment.queries.search import Search
from muniment.queries.stats import GetStats
from muniment.queries.trace import TraceBack
from muniment.queries.working import GetEntry, SearchWorking
from muniment.working import AppendTurn

from . import calls
from .inputs import (
    Against,
    AuditRow,
    Days,
    DryRun,
    ErasingMany,
    ErasingMemory,
    Finding,
    Items,
    LogPage,
    Moment,
    Named,
    NewToken,
    Nothing,
    Period,
    Proven,
    RollingBack,
    ToolCall,
    Why,
    WorkingText,
)
from .route import Route, made, plain

_BY_HAND: Final = frozenset(["erase", "purge"])
"""Commands about one memory that want a dry run first."""


def _edits() -> Iterable[Route]:
    """Every command about one memory has an address under it."""
    for command in operations.COMMANDS:
        is_of_one = "id" in command.model_fields and hasattr(Muniment, command.VERB)
        if is_of_one and command.VERB not in _BY_HAND:
            path = f"/memories/{{id}}/{command.VERB.replace('_', '-')}"
            yield plain(f"POST {path}", "write", command, command.VERB)


_ERASED: Final[Any] = ErasureCertificate | ErasurePreview

ROUTES: Final[tuple[Route, ...]] = (
    # memories
    plain("POST /memories", "write", SaveMemory, "save"),
    plain("POST /memories/batch", "write", Items, "save_many", operation="save"),
    plain("POST /memories/get", "past", GetMany, "get_many"),
    plain("GET /memories/{id}", "past", Get, "get"),
    plain("GET /memories/{id}/history", "past", History, "history"),
    *_edits(),
    made("POST /search", "past", Search, "search", calls.search),
    plain("POST /recall", "read", Recall, "recall"),
    plain("POST /merges", "write", Merge, "merge"),
    made(
        "POST /folds", "write", FoldTwins, "fold", calls.fold, left_out=["ids", "idempotency_key"]
    ),
    # what is removed
    made("POST /purges", "confirmed", DryRun, "purge", calls.purge),
    made(
        *("POST /memories/{id}/erase", "confirmed", ErasingMemory, "erase", calls.erase),
        answers=_ERASED,
    ),
    made(
        *("POST /erasures", "confirmed", ErasingMany, "erase_subject", calls.erase_many),
        answers=_ERASED,
        operation="erase",
    ),
    plain("GET /erasures", "read", Nothing, "erasures"),
    # what happened
    made(
        *("GET /log", "past", Log, "log", calls.log),
        answers=LogPage,
        left_out=["follow", "space"],
    ),
    plain("GET /stats", "past", GetStats, "stats"),
    plain("GET /diff", "read", Diff, "diff"),
    plain("GET /knew", "read", Knew, "knew"),
    plain("GET /trace/{id}", "read", TraceBack, "trace"),
    plain("POST /blast-radius", "read", GetBlastRadius, "blast_radius"),
    plain("POST /rollbacks", "confirmed", RollingBack, "rollback"),
    # what proves it
    made("GET /verify", "read", Nothing, "verify", calls.verify),
    made("POST /verify", "read", Against, "verify", calls.verify),
    plain("GET /invariants", "read", Nothing, "prove_invariants"),
    plain("GET /checkpoints/latest", "read", Nothing, "checkpoint"),
    made("POST /memories/{id}/proof", "read", Proven, "prove", calls.prove),
    # how the memory does
    plain("POST /audit/runs", "write", Nothing, "audit.run", answers=AuditRow, adds=True),
    made(
        "GET /audit/latest",
        "read",
        Nothing,
        "audit.latest",
        calls.audit_latest,
        answers=AuditRow,
        operation="audit",
    ),
    made(
        "GET /audit/report", "read", Nothing, "audit.report", calls.audit_report, operation="audit"
    ),
    plain(
        "GET /audit/trend", "read", Days, "audit.trend", answers=list[AuditRow], operation="audit"
    ),
    plain("GET /audit/at", "read", Moment, "audit.at", answers=AuditRow, operation="audit"),
    plain("GET /audit/findings/{name}", "read", Finding, "audit.explain", operation="audit"),
    plain(
        "POST /audit/evaluations",
        "write",
        Nothing,
        "audit.evaluate",
        answers=AuditRow | None,
        adds=True,
    ),
    plain(
        "GET /audit/evaluations/latest",
        "read",
        Nothing,
        "audit.evaluation",
        answers=AuditRow | None,
        operation="audit",
    ),
    plain("GET /report", "read", Period, "report"),
    made(
        "GET /audit/consolidation",
        "read",
        Nothing,
        "audit.consolidation",
        calls.consolidation,
        operation="audit",
    ),
    plain(
        "POST /audit/consolidation/resume",
        "write",
        Why,
        "audit.resume_consolidation",
        operation="resume_consolidation",
    ),
    plain("GET /inbox", "read", Nothing, "inbox", operation="audit"),
    # what a turn needs
    plain("POST /context", "read", GetContext, "context"),
    plain("POST /working", "write", WorkingText, "working.save"),
    plain("POST /working/search", "read", SearchWorking, "working.search"),
    plain("GET /working/{key:path}", "read", GetEntry, "working.get"),
    plain("GET /sessions/{session}/turns", "read", GetTurns, "conversation.turns"),
    plain("POST /sessions/{session}/turns", "write", AppendTurn, "conversation.append"),
    plain("POST /sessions/{session}/tool-calls", "write", ToolCall, "report_tool_call"),
    plain("POST /turns/search", "read", SearchConversation, "conversation.search"),
    plain("POST /feedback", "write", GiveFeedback, "feedback"),
    # who may
    plain("POST /proposals", "write", Propose, "propose"),
    plain("GET /proposals", "read", Proposals, "proposals"),
    plain("POST /proposals/{proposal_id}/decide", "write", DecideProposal, "decide"),
    made(
        "POST /tokens",
        "write",
        NewToken,
        "tokens.issue",
        calls.issue,
        operation="token issue",
        adds=True,
    ),
    made(
        "GET /tokens",
        "read",
        Nothing,
        "tokens.list",
        calls.tokens,
        answers=list[Token],
        operation="token list",
    ),
    plain("POST /tokens/{id}/revoke", "write", Named, "tokens.revoke", operation="token revoke"),
)
