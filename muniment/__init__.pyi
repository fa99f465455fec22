# The names of the face, each loaded when it is first asked for: __init__.py reads them here.

from ._release import __version__
from .audit.answers import AuditReport
from .audit.messages import Message
from .backups import BackedUp, RestoredBackup, restore_backup
from .commands.give_feedback import Feedback
from .commands.merge import Merged
from .commands.restore import Restored
from .commands.save_memory import Saved
from .domain.consolidation import Consolidation
from .domain.conversation.turns import ToolReport, Turn
from .domain.errors import (
    Conflict,
    Invalid,
    MergeRejected,
    MunimentError,
    NotFound,
    Refused,
    StorageFailed,
    Unavailable,
)
from .domain.memory.events import Source
from .domain.memory.view import Memory
from .domain.moments import Point
from .domain.rolling_back import Step
from .domain.working.entries import WorkingEntry
from .erasing import ErasureCertificate, ErasurePreview
from .exporting import Exported
from .face.removing import keep
from .handle import Muniment, open  # noqa: A004 (muniment.open is the name)
from .importing import ImportReport
from .investigating import RollbackReport
from .key_backups import KeysBackedUp, RestoredKeys, restore_keys
from .keychain import KeysRotated, SigningKeyRotated
from .log.bundles import Bundle
from .log.findings import Finding
from .log.notes import Checkpoint
from .log.verify import Verification
from .proofs.proof import Proof, Violation
from .purging import PurgeReport
from .queries.blast_radius import BlastRadius, Touched
from .queries.context import Context
from .queries.conversation import ConversationResult
from .queries.diff import Change, Difference, FieldChange
from .queries.drawing import draw
from .queries.history import HistoryEntry
from .queries.knew import KnewReport, Known
from .queries.lineage import Edge, Node
from .queries.log import LogEntry
from .queries.search import Hit, SearchResult
from .queries.stats import Stats
from .queries.trace import Trace
from .queries.working import WorkingHit, WorkingResult
from .rebuild import Rebuilt
from .reporting.report import Answer, Report
from .settings import Settings

__all__ = [
    "Answer",
    "AuditReport",
    "BackedUp",
    "BlastRadius",
    "Bundle",
    "Change",
    "Checkpoint",
    "Conflict",
    "Consolidation",
    "Context",
    "ConversationResult",
    "Difference",
    "Edge",
    "ErasureCertificate",
    "ErasurePreview",
    "Exported",
    "Feedback",
    "FieldChange",
    "Finding",
    "HistoryEntry",
    "Hit",
    "ImportReport",
    "Invalid",
    "KeysBackedUp",
    "KeysRotated",
    "KnewReport",
    "Known",
    "LogEntry",
    "Memory",
    "MergeRejected",
    "Merged",
    "Message",
    "Muniment",
    "MunimentError",
    "Node",
    "NotFound",
    "Point",
    "Proof",
    "PurgeReport",
    "Rebuilt",
    "Refused",
    "Report",
    "Restored",
    "RestoredBackup",
    "RestoredKeys",
    "RollbackReport",
    "Saved",
    "SearchResult",
    "Settings",
    "SigningKeyRotated",
    "Source",
    "Stats",
    "Step",
    "StorageFailed",
    "ToolReport",
    "Touched",
    "Trace",
    "Turn",
    "Unavailable",
    "Verification",
    "Violation",
    "WorkingEntry",
    "WorkingHit",
    "WorkingResult",
    "__version__",
    "draw",
    "keep",
    "open",
    "restore_backup",
    "restore_keys",
]
