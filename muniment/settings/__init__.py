"""What an operator may set: in ``settings.toml`` of the directory, the environment, or a call.

``MUNIMENT_<SECTION>__<NAME>`` in the environment wins over the file, an argument over both.
"""

from .contexts import ConversationSettings, RecallMode, RecallSettings, WorkingSettings
from .listing import Setting, described
from .log import LogSettings
from .memories import DreamSettings, MemorySettings, SearchSettings
from .root import Settings
from .server import AccessSettings, LimitSettings, ServerSettings
from .services import EmbeddingSettings, ModelSettings, TierSettings
from .sources import load

__all__ = [
    "AccessSettings",
    "ConversationSettings",
    "DreamSettings",
    "EmbeddingSettings",
    "LimitSettings",
    "LogSettings",
    "MemorySettings",
    "ModelSettings",
    "RecallMode",
    "RecallSettings",
    "SearchSettings",
    "ServerSettings",
    "Setting",
    "Settings",
    "TierSettings",
    "WorkingSettings",
    "described",
    "load",
]
