"""The save-time duplicate check: does a new text repeat, extend or contradict a remembered one?"""

from .alignment import Relation, Verdict, jaccard, relate
from .canonical import Form, form

__all__ = ["Form", "Relation", "Verdict", "form", "jaccard", "relate"]
