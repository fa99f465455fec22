"""The family of recall tools: what each is for, and what an empty answer says.

A model that searched the wrong place must not conclude that it was never told. So every empty
answer to a query says what was searched, that absence is no evidence, and where else to look.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Tool:
    """One member: its name, its headline, and what it searches."""

    name: str
    headline: str
    scope: str

    @property
    def description(self) -> str:
        """What a model reads of it: what it is for, and which of the others is for what else."""
        others = "; ".join(f"{tool.headline} with {tool.name}" for tool in FAMILY if tool != self)
        return f"{self.headline}: searches {self.scope}. Others: {others}."


LONG_TERM: Final = Tool(
    "search_memory",
    "RECALL WHAT YOU CONCLUDED",
    "long-term memory, what was kept across sessions",
)
WORKING: Final = Tool(
    "search_working_memory",
    "RECALL WHAT A TOOL RETURNED",
    "working memory, what tools returned in recent work",
)
CONVERSATION: Final = Tool(
    "search_conversation_history",
    "RECALL WHAT WAS SAID",
    "the conversation, what was said word by word",
)
FAMILY: Final = (LONG_TERM, WORKING, CONVERSATION)


def nothing_found(tool: Tool) -> str:
    """What an empty answer of ``tool`` says."""
    others = " or ".join(f"{other.name} ({other.scope})" for other in FAMILY if other is not tool)
    return (
        f"Nothing matched in {tool.scope}. That is not evidence that it was never said or never"
        f" known: try other words or, where the host offers them, {others}."
    )
