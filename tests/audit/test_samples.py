"""Clusters of near-duplicates: which there are, and which pair of each is the most alike."""

import numpy as np

from muniment.audit.samples import clusters
from muniment.audit.shingles import Shingles


def index(**texts: set[int]) -> Shingles:
    made = Shingles(0.3)
    made.add({id_: np.array(sorted(some), np.uint64) for id_, some in texts.items()})
    return made


COMMON = set(range(100))


def test_a_cluster_is_what_hangs_together_and_the_most_alike_of_it_come_first() -> None:
    """c1–c2 and c3–c4 are alike, c2–c3 the most (38 of 40), c1–c4 not at all."""
    shared = set(range(39))
    found = clusters(
        index(
            x=set(range(1_000, 1_008)),
            y=set(range(1_002, 1_010)),
            c1=set(range(20)) | {500},
            c2=shared,
            c3=shared | {600, 601},
            c4=set(range(19, 39)) | {600, 700},
        )
    )
    assert [sorted(cluster.ids) for cluster in found] == [["c1", "c2", "c3", "c4"], ["x", "y"]]
    score, pair = found[0].pairs[0]
    assert pair == ("c2", "c3")
    assert round(score, 2) == 0.95
    assert ("c1", "c4") not in [pair for _, pair in found[0].pairs]
    assert found[1].pairs == ((0.6, ("x", "y")),)


def test_a_cluster_of_very_many_keeps_the_most_alike_pairs_alone() -> None:
    texts = {f"m{n:03}": COMMON | {1_000 + n} for n in range(60)}
    (cluster,) = clusters(index(**texts, twin=COMMON | {1_000}))
    assert len(cluster.ids) == 61
    assert len(cluster.pairs) == 256
    assert cluster.pairs[0] == (1.0, ("m000", "twin"))


def test_without_near_duplicates_there_is_no_cluster() -> None:
    assert clusters(index(a={1, 2}, b={3, 4})) == []
