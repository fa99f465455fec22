"""What a store knows by meaning: vectors made in the background, kept in a cache, and compared.

Nothing here is in the way of a save. A vector that arrives is compared with those of older
memories, and a repetition that the words did not show is folded by the duplicate check's own proof.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .adapters.vector_cache import Kept, VectorCache
from .commands.fold_twins import FoldTwins
from .domain.embedding import Embedder, Vectors, document, least_similarity
from .domain.identity import identity
from .domain.memory.merging import is_repetition
from .domain.memory.state import State
from .embedding import BackgroundEmbedding, Key, Passage, Status
from .log.keys import Keys
from .log.read_models import ReadModels
from .projections.passages import Passages

DEDUPE = "system:dedupe"

VECTORS = Path("cache", "vectors.db")
"""Where vectors are kept, below the data directory."""

_COMPARED = 16
_QUERIES_REMEMBERED = 256

Fold = Callable[[FoldTwins, str], object]
"""Runs a fold in a space."""


def vector_cache(directory: Path | None, keys: Keys) -> VectorCache:
    """The cache beside a log, under a key of the vault; in memory where there is no directory."""
    if directory is None:
        return VectorCache(None, secrets.token_bytes(32))
    path = directory / VECTORS
    folder = path.parent
    folder.mkdir(mode=0o700, exist_ok=True)
    name = folder / "vectors.key"  # the id of the key, not the key
    known = keys.get(int(name.read_text())) if name.is_file() else None
    if known is None:
        key_id, known = keys.take()
        draft = name.with_name(f"{name.name}.{secrets.token_hex(8)}")
        draft.write_text(str(key_id))
        draft.replace(name)
    return VectorCache(path, known)


class Meaning:
    """The vectors of a store's memories, by space.

    Args:
        model: Makes vectors.
        cache: Keeps them.
        models: The read models of the store.
        memories: Reads memories by whole ids.
        fold: Folds a repetition.
        min_similarity: The least cosine of a hit; None: what is known of the model.
        repetition_from: The cosine from which memories are compared for repetition; None: never.
        query_deadline: Seconds that a search waits for the vector of its query.
    """

    def __init__(
        self,
        model: Embedder,
        cache: VectorCache,
        models: ReadModels,
        memories: Callable[[Iterable[str]], Mapping[str, State]],
        fold: Fold,
        *,
        min_similarity: float | None,
        repetition_from: float | None,
        query_deadline: float,
    ) -> None:
        self.min_similarity = (
            least_similarity(model.model) if min_similarity is None else min_similarity
        )
        self._model = model
        self._cache = cache
        self._models = models
        self._memories = memories
        self._fold = fold
        self._repetition_from = repetition_from
        self._query_deadline = query_deadline
        self._spaces: dict[str, Passages] = {}
        self._woken: dict[str, tuple[Passages, int]] = {}
        self._illegible: set[Key] = set()
        self._background = BackgroundEmbedding(model, self)
        self._remembered = lru_cache(_QUERIES_REMEMBERED)(self._asked)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model.model

    def of(self, space: str) -> "SpaceMeaning":
        """What one space knows by meaning."""
        return SpaceMeaning(self, space)

    def vector(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a query; the latest are remembered.

        Raises:
            Unavailable: The service does not answer within the time of a search.
        """
        return self._remembered(text)

    def _asked(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._model.embed([text], within=self._query_deadline)[0]
        return vector

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of texts that are no memories; none is kept.

        Raises:
            Unavailable: The service does not answer within the time of a search.
        """
        return self._model.embed(texts, within=self._query_deadline)

    def passages(self, space: str) -> Passages:
        """The vectors of a space, those of the cache among them. Hold the read models' lock."""
        self._models.catch_up()
        passages = self._models.passages(space)
        if self._spaces.get(space) is not passages:
            # first use, or made anew after a purge
            unknown: list[str] = []
            for kept in self._cache.kept(self._model.model):
                if passages.row(kept.memory_id) is None:
                    continue
                if not passages.take(kept.memory_id, kept.text_version, kept.vector):
                    unknown.append(kept.memory_id)
            self._spaces[space] = passages
        return passages

    def wake(self, space: str) -> None:
        """Something of a space may want a vector, if anything happened since the last time."""
        with self._models.lock:
            passages = self.passages(space)
            seen = passages, passages.position
            if self._woken.get(space) == seen:
                return
            self._woken[space] = seen
        self._background.wake()

    def status(self) -> Status:
        """How the embedding goes."""
        return self._background.status()

    def drain(self, timeout: float) -> bool:
        """Waits until every text has its vector; whether that was so within the time."""
        return self._background.drain(timeout)

    def forget(self, ids: Collection[str]) -> None:
        """Drops the vectors of memories whose words were removed."""
        self._remembered.cache_clear()
        self._cache.forget(ids)

    def close(self) -> None:
        """Ends the background work and the cache."""
        self._background.close()
        self._cache.close()

    # what the background asks

    def waiting(self) -> int:
        """How many texts have no vector."""
        with self._models.lock:
            return sum(len(passages.missing()) for passages in self._spaces.values())

    def next(self, limit: int, besides: Collection[Key]) -> Sequence[Passage]:
        """Up to ``limit`` texts without a vector; what the cache has of another memory is taken."""
        while True:
            wanted = self._wanted(limit, besides)
            if not wanted:
                return []
            cached = self._cache.get_many(self._model.model, [passage.text for passage in wanted])
            known = [
                (passage, vector)
                for passage, vector in zip(wanted, cached, strict=True)
                if vector is not None
            ]
            if not known:
                return wanted
            self.arrived([passage for passage, _ in known], np.stack([v for _, v in known]))

    def _wanted(self, limit: int, besides: Collection[Key]) -> list[Passage]:
        wanted: list[Passage] = []
        for space in list(self._spaces):
            with self._models.lock:
                missing = [
                    key
                    for key in self.passages(space).missing()
                    if key not in besides and key not in self._illegible
                ][: limit - len(wanted)]
            states = self._memories(id_ for id_, _ in missing)
            for id_, version in missing:
                state = states.get(id_)
                if state is None or state.fault is not None:
                    self._illegible.add((id_, version))
                else:
                    # of a newer text than is wanted, it is not taken when it arrives
                    text = document(state.content, state.category, state.tags)
                    wanted.append(Passage(space, id_, version, text))
            if len(wanted) >= limit:
                break
        return wanted

    def arrived(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Takes in vectors, keeps them, and folds what turns out to repeat an older memory."""
        taken: list[tuple[Passage, NDArray[np.float32]]] = []
        with self._models.lock:
            for passage, vector in zip(passages, vectors, strict=True):
                if self.passages(passage.space).take(
                    passage.memory_id, passage.text_version, vector
                ):
                    taken.append((passage, vector))
        self._cache.put_many(
            self._model.model,
            [
                (Kept(passage.memory_id, passage.text_version, vector), passage.text)
                for passage, vector in taken
            ],
        )
        if self._repetition_from is not None:
            for passage, vector in taken:
                self._fold_repetition(passage, vector, self._repetition_from)

    def _fold_repetition(
        self, passage: Passage, vector: NDArray[np.float32], at_least: float
    ) -> None:
        with self._models.lock:
            known = self.passages(passage.space)
            catalog = self._models.catalog(passage.space)
            row = known.row(passage.memory_id)
            near = known.compared(vector).nearest(
                limit=_COMPARED,
                at_least=at_least,
                keep=lambda rows: catalog.in_condition(rows, "live"),
            )
            older: list[str] = [
                known.ids[other] for other in near.rows.tolist() if row and other < row
            ]
        if not older:
            return
        states = self._memories([passage.memory_id, *older])
        mine = states.get(passage.memory_id)
        for id_ in older:
            other = states.get(id_)
            if mine is not None and other is not None and is_repetition(other, mine):
                self._fold(FoldTwins.of(ids=(id_, passage.memory_id)), passage.space)
                return


class SpaceMeaning:
    """What one space knows by meaning, as its queries ask it."""

    def __init__(self, meaning: Meaning, space: str) -> None:
        self._meaning = meaning
        self._space = space
        self.min_similarity = meaning.min_similarity
        self.model = meaning.model

    def vector(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a query."""
        return self._meaning.vector(text)

    def passages(self) -> Passages:
        """The vectors of the space. Hold the read models' lock."""
        return self._meaning.passages(self._space)


def folder(run: Callable[..., object]) -> Fold:
    """Folds through the engine's own ``run``, as the system's duplicate check."""

    def fold(command: FoldTwins, space: str) -> object:
        return run(command, identity(space, DEDUPE))

    return fold
