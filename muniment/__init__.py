"""Long-term memory for fleets of AI agents, built so that every change can be put in evidence.

import muniment

with muniment.open("memory/") as m:
    saved = m.save("User is in Chicago (America/Chicago)", category="user-preferences/timezone")
    m.search("where is the user?")
    m.history(saved.id)
    m.verify().intact
"""

from ._release import __version__
from .audit.messages import Message
from .auditing import AuditReport
from .backups import BackedUp, RestoredBackup, restore_backup
from .commands.merge import Merged
from .commands.restore import Restored
from .commands.save_memory import Saved
from .domain.consolidation import Consolidation
from .domain.errors import (
    Conflict,
    Invalid,
    MunimentError,
    NotFound,
    Refused,
    StorageFailed,
    Unavailable,
)
from .domain.memory.events import Source
from .domain.memory.merging import RejectedMerge as MergeRejected
from .domain.memory.view import Memory
from .exporting import Exported
from .handle import Muniment, open  # noqa: A004 (muniment.open is the name)
from .importing import ImportReport
from .key_backups import KeysBackedUp, RestoredKeys, restore_keys
from .keychain import KeysRotated, SigningKeyRotated
from .log.bundles import Bundle
from .log.findings import Finding
from .log.notes import Checkpoint
from .log.verify import Verification
from .proofs.proof import Proof, Violation
from .purging import PurgeReport
from .queries.history import HistoryEntry
from .queries.log import LogEntry
from .queries.search import Hit, SearchResult
from .queries.stats import Stats
from .settings import Settings

__all__ = [
    "AuditReport",
    "BackedUp",
    "Bundle",
    "Checkpoint",
    "Conflict",
    "Consolidation",
    "Exported",
    "Finding",
    "HistoryEntry",
    "Hit",
    "ImportReport",
    "Invalid",
    "KeysBackedUp",
    "KeysRotated",
    "LogEntry",
    "Memory",
    "MergeRejected",
    "Merged",
    "Message",
    "Muniment",
    "MunimentError",
    "NotFound",
    "Proof",
    "PurgeReport",
    "Refused",
    "Restored",
    "RestoredBackup",
    "RestoredKeys",
    "Saved",
    "SearchResult",
    "Settings",
    "SigningKeyRotated",
    "Source",
    "Stats",
    "StorageFailed",
    "Unavailable",
    "Verification",
    "Violation",
    "__version__",
    "open",
    "restore_backup",
    "restore_keys",
]
