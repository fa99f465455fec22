"""The tools: what a model may call, and which operation each renders.

A description tells a model when to use the tool; the recall family's begin with what sets its
members apart. No answer has the name of the tool that gave it: models copy such text into calls.
"""

from typing import Final

from muniment.audit.answers import AuditReport
from muniment.commands.archive import Archive
from muniment.commands.give_feedback import Feedback, GiveFeedback
from muniment.commands.propose import Propose
from muniment.commands.rescore import Rescore
from muniment.commands.save_memory import Saved, SaveMemory
from muniment.domain.consolidation import Consolidation
from muniment.domain.memory.view import Memory
from muniment.domain.proposal.state import Proposal
from muniment.domain.working.entries import WorkingEntry
from muniment.log.verify import Verification
from muniment.queries import recall_family
from muniment.queries.conversation import ConversationResult
from muniment.queries.history import History
from muniment.queries.search import Search, SearchResult
from muniment.queries.working import GetEntry, SearchWorking, WorkingResult
from muniment.working import SaveEntry

from . import calls
from .guides import GUIDES
from .inputs import Days, GuideName, NoArguments, Note, Resumption, Said
from .outputs import Events, Guide, Kept, Trend, Verdicts
from .tool import Tool

TOOLS: Final[tuple[Tool, ...]] = (
    Tool(
        "save_memory",
        "Keep a fact for later sessions: one statement, in the third person, with names and dates"
        " spelled out. What is known already is reinforced instead of repeated.",
        "adds",
        SaveMemory,
        ("content", "category", "tags"),
        calls.save,
        Saved,
        SaveMemory.VERB,
    ),
    Tool(
        "search_memory",
        recall_family.LONG_TERM.description
        + " Without a query it lists the latest and the categories.",
        "reads",
        Search,
        ("query", "category", "mode"),
        calls.search,
        SearchResult,
        Search.VERB,
    ),
    Tool(
        "delete_memory",
        f"Take a memory out of recall, such as one that is no longer true. {calls.RECOVERABLE}",
        "hides",
        Archive,
        ("id",),
        calls.delete,
        Memory,
        Archive.VERB,
    ),
    Tool(
        "update_memory_importance",
        "Say how much a memory matters, 0 to 1; it fades from there while it is not seen again.",
        "changes",
        Rescore,
        ("id", "importance"),
        calls.rescore,
        Memory,
        Rescore.VERB,
    ),
    Tool(
        "get_memory_history",
        "Everything that ever happened to one memory: who said it, when, and what was changed.",
        "reads",
        History,
        ("id",),
        calls.history,
        Events,
        History.VERB,
    ),
    Tool(
        "propose_memory",
        "Put a fact forward to be remembered where you may not save it yourself; somebody who may"
        " commits or rejects it.",
        "adds",
        Propose,
        ("content", "confidence", "category", "tags", "trigger"),
        calls.propose,
        Proposal,
        Propose.VERB,
    ),
    Tool(
        "save_to_working_memory",
        "Keep what a tool returned, or a state of work, under a key for a while (five minutes"
        " unless you say otherwise). What must outlive the work goes into long-term memory.",
        "changes",
        Note,
        ("key", "data", "ttl_minutes", "category", "tags"),
        calls.note,
        Kept,
        SaveEntry.VERB,
    ),
    Tool(
        "get_from_working_memory",
        "Read the whole text under a key of working memory.",
        "reads",
        GetEntry,
        ("key",),
        calls.noted,
        WorkingEntry,
        GetEntry.VERB,
    ),
    Tool(
        "search_working_memory",
        recall_family.WORKING.description + " Without a query it lists what there is.",
        "reads",
        SearchWorking,
        ("query", "category", "tags", "namespace"),
        calls.search_notes,
        WorkingResult,
        SearchWorking.VERB,
    ),
    Tool(
        "search_conversation_history",
        recall_family.CONVERSATION.description,
        "reads",
        Said,
        ("query", "session", "limit"),
        calls.search_said,
        ConversationResult,
        Said.VERB,
    ),
    Tool(
        "get_memory_audit",
        "How the memory itself is doing: what was kept, lost, merged or repeated, and what needs a"
        " person. Read the guide memory-audit before you explain it.",
        "reads",
        NoArguments,
        (),
        calls.audit,
        AuditReport,
        "audit",
    ),
    Tool(
        "get_memory_audit_trend",
        "The figures of the memory's audits over the last days, oldest first.",
        "reads",
        Days,
        ("days",),
        calls.trend,
        Trend,
        "audit",
    ),
    Tool(
        "get_memory_audit_eval",
        "What a language model said of samples of merges, near-duplicates and dropped memories.",
        "reads",
        NoArguments,
        (),
        calls.evaluation,
        Verdicts,
        "audit",
    ),
    Tool(
        "resume_memory_consolidation",
        "Let consolidation go on after an audit paused it. Only when the user has looked at the"
        " cause and says so.",
        "changes",
        Resumption,
        ("reason",),
        calls.resume,
        Consolidation,
        "resume_consolidation",
    ),
    Tool(
        "verify_memory_log",
        "Prove that the log behind the memory is whole and unaltered.",
        "reads",
        NoArguments,
        (),
        calls.verify,
        Verification,
        "verify",
    ),
    Tool(
        "give_feedback",
        "Keep what the user says of how you did: a correction, complaint, suggestion, praise, or"
        " irritated words.",
        "adds",
        GiveFeedback,
        ("kind", "text"),
        calls.feedback,
        Feedback,
        GiveFeedback.VERB,
    ),
    Tool(
        "get_tool_guide",
        f"How to use the tools, and how to explain their answers: {', '.join(GUIDES)}.",
        "reads",
        GuideName,
        ("name",),
        calls.guide,
        Guide,
        None,
    ),
)
