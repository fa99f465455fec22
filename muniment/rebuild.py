"""Are the read models what the log says? They are made anew and compared."""

from dataclasses import dataclass
from typing import ClassVar

from .domain.access import Operation
from .engine import Engine
from .projections.catalog import Catalog
from .projections.facets import Facets
from .projections.past_index import PastIndex
from .projections.provenance import Provenance
from .projections.recall_log import RecallLog
from .projections.search_index import SearchIndex
from .projections.similarity import Similarity


class Rebuild(Operation):
    """Make the read models anew and compare them."""

    VERB: ClassVar[str] = "rebuild"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The position compared at, and the names of projections that differed from the log."""

    position: int
    differing: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether all were what the log says."""
        return not self.differing


def rebuild(engine: Engine, space: str) -> Rebuilt:
    """Rebuilds the projections of a space; those made anew are the ones in use from here on.

    Those of the past are where somebody has asked about it.
    """
    models = engine.models
    past = [kind for kind in (Facets, PastIndex) if models.holds(space, kind)]
    differing = [
        kind.__name__
        for kind in (Catalog, SearchIndex, Similarity, RecallLog, Provenance, *past)
        if models.replace(space, kind)
    ]
    return Rebuilt(models.position, tuple(differing))
