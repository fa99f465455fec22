"""The coverage check of merges: does every specific of the sources survive in the merged text?"""

from .vocabulary import BUILT_IN, Vocabulary, vocabulary

__all__ = ["BUILT_IN", "Vocabulary", "vocabulary"]
