"""The coverage check of merges: does every specific of the sources survive in the merged text?"""

from .check import Source, forget, missing, specifics
from .parts import Kind, Specific
from .wording import BUILT_IN, Vocabulary, vocabulary

__all__ = [
    "BUILT_IN",
    "Kind",
    "Source",
    "Specific",
    "Vocabulary",
    "forget",
    "missing",
    "specifics",
    "vocabulary",
]
