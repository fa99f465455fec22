"""What each session has seen: the memories that it was shown, and the turns that it replays."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from muniment.domain.conversation.injection import Version, begins_anew, is_out_of_sight
from muniment.queries.context import Standing

from . import turns
from .database import Database
from .sealing import Seals
from .sessions import SESSION, forget, is_idle, known, newest_turn, touch


class Sessions:
    """What each session has seen.

    One in which nothing happened for ``idle`` begins anew, and so does one that no turns are
    appended to, once those that went with its first context would be replayed no more.
    """

    def __init__(self, database: Database, seals: Seals, *, idle: timedelta, window: int) -> None:
        self._database = database
        self._seals = seals
        self._idle = idle
        self._window = window

    def standing(self, space: str, session: str, now: datetime) -> Standing:
        """Where a session stands; nothing is changed by asking."""
        with self._database.reading() as connection:
            seal = self._seals.of(connection, space)
            if seal is None:
                return Standing()
            name = seal.name(SESSION, session)
            row = known(connection, space, name)
            if row is None or is_idle(row[1], now, self._idle):
                return Standing()
            replayed = turns.window(connection, seal, space, session, self._window)
            if begins_anew(row[2], len(replayed), self._window):
                return Standing()
            shown = connection.execute(
                "SELECT memory_id, text_version, asks_first,"
                " (SELECT count(*) FROM turns WHERE turns.space = shown.space"
                " AND turns.session = shown.session AND turns.number > shown.after)"
                " FROM shown WHERE space = ? AND session = ?",
                (space, name),
            )
            return Standing(
                is_first=row[2] == 0,
                shown={
                    id_: Version(text, bool(asks_first))
                    for id_, text, asks_first, since in shown
                    if not is_out_of_sight(since, self._window)
                },
                turns=replayed,
            )

    def given(
        self,
        space: str,
        session: str,
        shown: Mapping[str, Version],
        now: datetime,
        *,
        is_first: bool,
    ) -> None:
        """A session was given a context, which showed these versions of memories.

        ``is_first``: it was told as one that begins, so nothing else is in its sight.
        """
        with self._database.writing() as connection:
            seal = self._seals.made(connection, space)
            name = seal.name(SESSION, session)
            touch(connection, space, name, now=now, idle=self._idle)
            if is_first:
                forget(connection, space, name)
            connection.execute(
                "UPDATE sessions SET contexts = contexts + 1 WHERE space = ? AND session = ?",
                (space, name),
            )
            after = newest_turn(connection, space, name)
            connection.executemany(
                "INSERT OR REPLACE INTO shown VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (space, name, id_, version.text, version.asks_first, after)
                    for id_, version in shown.items()
                ],
            )
