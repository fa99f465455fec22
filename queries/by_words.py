"""Ranking for a query of words: BM25 alone, or together with meaning, times importance."""

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from muniment.domain.fusion import Scored
from muniment.projections.catalog import Catalog
from muniment.projections.search_index import Matches, SearchIndex

from .hybrid import TOP, Keep, Ranked, query_vector, ranked
from .reading import Reading

Mode: TypeAlias = Literal["hybrid", "keyword", "semantic", "regex"]
Found: TypeAlias = list[tuple[str, float, dict[str, Any]]]

_NOTHING = Scored(np.zeros(0, np.int32), np.zeros(0))


class Asked(NamedTuple):
    """What is looked for: the first ``wanted`` for a query of words, in a mode."""

    query: str
    mode: Mode
    wanted: int
    include_archived: bool
    explain: bool


def by_words(reading: Reading, asked: Asked, keep: Keep) -> tuple[Found, str | None]:
    """Ids with scores, best first, and why less was done than was asked for.

    The score is BM25, or the mean of BM25 and cosine, each scaled to [0, 1], times
    ``0.5 + 0.5 · importance``. What contains the whole query as an identifier comes first; ties go
    to the latest said, then by id.
    """
    vector, degraded = None, None
    if asked.mode in ("hybrid", "semantic"):
        vector, degraded = query_vector(reading, asked.query)
    with reading.lock:
        catalog, index = reading.catalog(), reading.search_index()
        # scaled over ten hits the tenth would count for nothing
        limit = asked.wanted if vector is None else max(asked.wanted, TOP)
        words = index.matches(
            asked.query, limit=limit, keep=keep, include_archived=asked.include_archived
        )
        together: Ranked | None = None
        rows, scores = words.rows, words.scores
        if vector is not None:
            told = _NOTHING if asked.mode == "semantic" else Scored(rows, scores)
            together = ranked(reading, told, vector, wanted=asked.wanted, keep=keep)
            rows, scores = together.rows, together.scores
        exact = words.exact if together is None else np.isin(rows, words.rows[words.exact])
        importance = catalog.importance(rows, reading.now, reading.rules.decay)
        scores = scores * (0.5 + 0.5 * importance)
        order = np.lexsort((rows, -catalog.last_seen(rows), -scores, ~exact))[: asked.wanted]
        found: Found = []
        for at in order.tolist():
            row = int(rows[at])
            why: dict[str, Any] = {}
            if asked.explain:
                why = {
                    "importance": float(importance[at]),
                    "identifier": bool(exact[at]),
                    **_why(index, asked, row, words, together, at),
                }
            found.append((catalog.ids[row], float(scores[at]), why))
    return found, degraded


def _why(  # noqa: PLR0917
    index: SearchIndex,
    asked: Asked,
    row: int,
    words: Matches,
    together: Ranked | None,
    at: int,
) -> dict[str, Any]:
    bm25 = words.scores[words.rows == row]
    why: dict[str, Any] = {
        "bm25": float(bm25[0]) if len(bm25) else 0.0,
        "terms": [
            {"term": part.term, "df": part.df, "tf": part.tf, "score": part.score}
            for part in index.explain(row, asked.query, include_archived=asked.include_archived)
        ],
    }
    if together is not None:
        why["words"], why["meaning"] = float(together.words[at]), float(together.meaning[at])
    return why


def in_order(catalog: Catalog, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Rows for a browse: the latest said first, then by id."""
    return rows[np.lexsort((rows, -catalog.last_seen(rows)))]
