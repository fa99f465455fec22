"""The nearest vectors by brute force, at the dimension of small sentence models."""

from functools import partial

import numpy as np

from muniment.domain.embedding import unit
from muniment.projections.vector_index import Nearest, Vector, VectorIndex

from .measuring import Report, at_most, median, quantile, timed

DIMENSION = 384
QUESTIONS = 60


def run(memories: int) -> Report:
    """Compares questions with random unit vectors."""
    report = Report(f"Vectors, {memories:,} of {DIMENSION} components")
    draw = np.random.default_rng(7)
    index = VectorIndex(DIMENSION)
    vectors = unit(draw.standard_normal((memories, DIMENSION)))
    adding = timed(lambda: [index.upsert(row, 1, vector) for row, vector in enumerate(vectors)])
    asked = unit(draw.standard_normal((QUESTIONS, DIMENSION)))
    taken = [timed(partial(_nearest, index, vector)) for vector in asked]
    product = [timed(partial(np.matmul, vectors, vector)) for vector in asked]
    wall = median(one.wall for one in taken)
    scale = memories / 100_000
    report.add(
        "the 64 nearest, clock p50",
        wall / 1_000,
        "ms",
        at_most(5 * scale),
        "the target is in proportion" if scale != 1 else "",
    )
    report.beside(
        "numpy's product alone", median(p.wall for p in product) / 1_000, wall / 1_000, "ms"
    )
    report.add("the 64 nearest, clock p99", quantile((o.wall for o in taken), 0.99) / 1_000, "ms")
    report.add("a vector taken in, processor", adding.cpu / memories, "µs")
    return report


def _nearest(index: VectorIndex, vector: Vector) -> Nearest:
    return index.compared(vector).nearest(limit=64)
