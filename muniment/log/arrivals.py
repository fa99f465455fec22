"""What came in within the last minute, read from the log as decisions ask for it."""

from datetime import datetime, timedelta

from muniment.domain.trust.arrivals import WITHIN, Arrivals

from .store import Store


class RecentArrivals:
    """The arrivals of each space. For the holder of the log's lock.

    What the open transaction has appended counts; when some of it is undone, ``forget``.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._spaces: dict[str, tuple[Arrivals, int]] = {}

    def of(self, space: str, now: datetime) -> Arrivals:
        """The arrivals of a space, up to where the open transaction stands."""
        since = self._store.rows.position_at(now - WITHIN - timedelta.resolution)
        arrivals, position = self._spaces.get(space) or (Arrivals(), 0)
        for recorded in self._store.recorded(after=max(position, since), space=space):
            arrivals.note(recorded)
            position = recorded.position
        self._spaces[space] = arrivals, position
        return arrivals

    def forget(self) -> None:
        """Drops everything, to be read anew."""
        self._spaces.clear()
