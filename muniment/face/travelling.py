"""What is asked of the past, and of the difference between two moments of it."""

from typing import Self

import muniment
from muniment.domain.moments import Point, When
from muniment.queries.standpoint import AsOf

from .base import Face


class Travelling(Face):
    """Questions to a moment, or about two."""

    @property
    def point(self) -> Point | None:
        """Where in the log this handle stands; None: at the head, wherever that is."""
        return self._engine.point

    def as_of(self, when: When) -> Self:
        """The store as it was: every question is answered as it would have been answered then.

        ``when`` is an aware datetime or an RFC 3339 text, and what was recorded by then is known;
        or a position of the log, and it is the time at which that was recorded. Before the first
        event the store is empty. After the last one it is as it is now, with the importance that
        it has at that time if nothing else happens. Settings are those of today. Of a memory whose
        words were removed since, there are the facts of then: ``content`` is None, and words do
        not find it. What is quarantined now is kept from agents there too.

        Every command is refused (``read_only``). The handle needs no closing; ``as_of`` of it goes
        back further, never forward.

        Raises:
            Invalid: ``when_invalid``, ``timestamp_invalid``, ``timezone_required``, or
                ``position_unknown``: the log has no such position.
        """
        from muniment.past import PastEngine

        self._authorise(AsOf)
        at = self._engine.ask(AsOf.of(when=when), self._identity)
        return type(self)(PastEngine(self._engine, at), self._identity)

    def diff(
        self, one: When, other: When, *, limit: int = 1_000, cursor: int | None = None
    ) -> "muniment.Difference":
        """What became of the memories of this space between two moments, named as for ``as_of``.

        Whichever is named first, the earlier one is ``since``. At most ``limit`` memories
        (1 to 10,000) are told at a time; ``cursor`` of the answer asks for the next.
        """
        from muniment.queries.diff import Diff

        self._authorise(Diff)
        return self._engine.ask(
            Diff.of(one=one, other=other, limit=limit, cursor=cursor), self._identity
        )
