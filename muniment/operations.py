"""Every operation there is: what the surfaces render, and what the table of roles covers."""

from typing import TypeAlias

from .commands.archive import Archive
from .commands.command import Command
from .commands.describe import Describe
from .commands.fold_twins import FoldTwins
from .commands.hold import Hold, ReleaseHold
from .commands.import_memory import ImportMemory
from .commands.mark_used import MarkUsed
from .commands.merge import Merge
from .commands.pin import Pin, Unpin
from .commands.purge import RequestPurge
from .commands.quarantine import Quarantine, Release
from .commands.recategorize import Recategorize
from .commands.rescore import Rescore
from .commands.restore import Restore
from .commands.retag import Retag
from .commands.revise import Revise
from .commands.save_memory import SaveMemory
from .commands.supersede import Supersede
from .queries.diff import Diff
from .queries.get_memory import Get, GetMany
from .queries.history import History
from .queries.log import Log
from .queries.search import Search
from .queries.stats import GetStats

Query: TypeAlias = Diff | Get | GetMany | GetStats | History | Log | Search

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
    ImportMemory,
)
QUERIES: tuple[type[Query], ...] = (Search, Get, GetMany, History, Log, Diff, GetStats)
