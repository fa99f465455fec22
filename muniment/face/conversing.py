"""Conversations, what a turn is told, and what is said of how it went."""

from collections.abc import Iterable, Mapping
from typing import Any

from muniment import telemetry
from muniment.commands.give_feedback import Feedback, GiveFeedback
from muniment.domain.conversation.turns import Speaker, ToolReport, Turn
from muniment.queries.context import Context, GetContext
from muniment.queries.conversation import (
    ConversationResult,
    GetTurns,
    SearchConversation,
)
from muniment.working import AppendTurn, ReportToolCall, context

from .base import Face, listed


class Conversation(Face):
    """What was said, by session: ``m.conversation``."""

    def append(
        self,
        session: str,
        role: Speaker,
        content: str,
        *,
        idempotency_key: str | None = None,
    ) -> Turn:
        """Keep what the user or the assistant said. Dreaming learns from it.

        Under an idempotency key the same turn is kept once, as long as it is kept.

        Raises:
            Invalid: ``session_invalid``, ``role_invalid``, ``content_too_large`` over 1 MiB …
            Conflict: ``idempotency_key_reused`` where another turn came under the key.
        """
        self._authorise(AppendTurn)
        command = AppendTurn.of(
            session=session, role=role, content=content, idempotency_key=idempotency_key
        )
        with telemetry.operation(AppendTurn, self._identity):
            return command.run(self._engine, self._identity)

    def turns(self, session: str) -> list[Turn]:
        """The latest turns of a session, which are replayed to the model, oldest first.

        None of a session that was idle for longer than the setting: it begins anew.
        """
        self._authorise(GetTurns)
        query = GetTurns.of(session=session)
        with telemetry.operation(GetTurns, self._identity):
            return query.answer(self._engine.work_reading(self._identity))

    def search(
        self, query: str | None = None, *, session: str | None = None, limit: int = 20
    ) -> ConversationResult:
        """Find what was said, turns that are replayed no more included."""
        self._authorise(SearchConversation)
        asked = SearchConversation.of(query=query, session=session, limit=limit)
        with telemetry.operation(SearchConversation, self._identity) as span:
            return span.answered(asked.answer(self._engine.work_reading(self._identity)))


class Conversing(Face):
    """What a turn is told, and what is said of how it went."""

    _namespace: str | None

    def context(self, session: str, message: str) -> Context:
        """What a turn of a session is told, from its message: ask once a turn.

        Memories that the session has in sight already are left out, as long as their text is the
        same, and count as shown from then on.

        Raises:
            Invalid: ``session_invalid`` or ``message_invalid``.
            StorageFailed: ``read_only``: what was shown has to be kept.
        """
        self._authorise(GetContext)
        asked = GetContext.of(session=session, message=message)
        with telemetry.operation(GetContext, self._identity):
            return context(self._engine, self._identity, self._namespace, asked)

    def feedback(
        self,
        kind: str,
        text: str,
        *,
        session: str | None = None,
        memory_ids: Iterable[str] = (),
        idempotency_key: str | None = None,
    ) -> Feedback:
        """Say how an agent did: a correction, complaint, suggestion, praise, or irritated words.

        Raises:
            Invalid: ``kind_invalid`` …
            NotFound: There is no memory of one of the ids.
        """
        self._authorise(GiveFeedback)
        return self._engine.run(
            GiveFeedback.of(
                kind=kind,
                text=text,
                session=session,
                memory_ids=tuple(listed(memory_ids, "memory_ids")),
                idempotency_key=idempotency_key,
            ),
            self._identity,
        )

    def report_tool_call(
        self,
        session: str,
        tool: str,
        arguments: Mapping[str, Any],
        ok: bool,
        error: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> ToolReport:
        """Say how a call of a tool went, for dreaming to learn from; it is kept for 7 days.

        Args:
            session: Where it was called.
            tool: Its name.
            arguments: What it was called with: anything that JSON has, up to 64 KiB.
            ok: Whether it succeeded.
            error: What it said where it did not.
            idempotency_key: Under which the same report is kept once.

        Raises:
            Conflict: ``idempotency_key_reused`` where another report came under the key.
        """
        self._authorise(ReportToolCall)
        command = ReportToolCall.of(
            session=session,
            tool=tool,
            arguments=arguments,
            ok=ok,
            error=error,
            idempotency_key=idempotency_key,
        )
        with telemetry.operation(ReportToolCall, self._identity):
            return command.run(self._engine, self._identity)
