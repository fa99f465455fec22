"""What a model is told of the server as a whole, and what people paste into an agent's prompt."""

from typing import Final

INSTRUCTIONS: Final = """\
Long-term memory that outlives the session. Search it before you say that you do not know.
Save what will matter later as single statements; what is known already is reinforced by itself.
Deleting archives: nothing is lost, and every change is on record.
Questions about the memory's own health go to get_memory_audit, not to search_memory."""
