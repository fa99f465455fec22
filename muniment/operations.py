"""Every operation there is: what the surfaces render, and what the table of roles covers."""

from typing import TypeAlias

from .commands.archive import Archive
from .commands.command import Command
from .commands.decide_proposal import DecideProposal
from .commands.describe import Describe
from .commands.erase import RequestErasure
from .commands.fold_twins import FoldTwins
from .commands.give_feedback import GiveFeedback
from .commands.hold import Hold, ReleaseHold
from .commands.import_memory import ImportMemory
from .commands.mark_used import MarkUsed
from .commands.merge import Merge
from .commands.pin import Pin, Unpin
from .commands.propose import Propose
from .commands.purge import RequestPurge
from .commands.quarantine import Quarantine, Release
from .commands.recategorize import Recategorize
from .commands.rescore import Rescore
from .commands.restore import Restore
from .commands.retag import Retag
from .commands.revise import Revise
from .commands.roll_back import RollBack
from .commands.save_memory import SaveMemory
from .commands.supersede import Supersede
from .queries.blast_radius import GetBlastRadius
from .queries.context import GetContext
from .queries.conversation import GetTurns, SearchConversation
from .queries.diff import Diff
from .queries.get_memory import Get, GetMany
from .queries.history import History
from .queries.knew import Knew
from .queries.log import Log
from .queries.proposals import Proposals
from .queries.recall import Recall
from .queries.search import Search
from .queries.stats import GetStats
from .queries.trace import TraceBack
from .queries.working import GetEntry, SearchWorking
from .working import AppendTurn, ReportToolCall, SaveEntry

Query: TypeAlias = (
    Diff
    | Get
    | GetMany
    | GetBlastRadius
    | GetStats
    | History
    | Knew
    | Log
    | Proposals
    | Recall
    | Search
    | TraceBack
)
Work: TypeAlias = (
    SaveEntry
    | GetEntry
    | SearchWorking
    | AppendTurn
    | GetTurns
    | SearchConversation
    | GetContext
    | ReportToolCall
)

COMMANDS: tuple[type[Command], ...] = (
    SaveMemory,
    Revise,
    Rescore,
    Recategorize,
    Retag,
    Describe,
    Pin,
    Unpin,
    MarkUsed,
    Archive,
    Restore,
    Supersede,
    Merge,
    FoldTwins,
    Quarantine,
    Release,
    Hold,
    ReleaseHold,
    RequestPurge,
    RequestErasure,
    RollBack,
    ImportMemory,
    Propose,
    DecideProposal,
    GiveFeedback,
)
QUERIES: tuple[type[Query], ...] = (
    Search,
    Recall,
    Get,
    GetMany,
    History,
    Log,
    Diff,
    GetStats,
    Knew,
    TraceBack,
    GetBlastRadius,
    Proposals,
)
WORK: tuple[type[Work], ...] = (
    SaveEntry,
    GetEntry,
    SearchWorking,
    AppendTurn,
    GetTurns,
    SearchConversation,
    GetContext,
    ReportToolCall,
)
"""What is asked of ``work.db`` and kept in it; a verb of two words is a part's and its own."""

KEEPING: frozenset[type[Work]] = frozenset([SaveEntry, AppendTurn, GetContext, ReportToolCall])
"""Those of them that keep something."""
