"""Events to rows and back: names from a closed list, words sealed under the stream's own key."""

import hmac
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent
from pydantic_core import to_json

from muniment.domain.errors import StorageFailed
from muniment.domain.moments import rfc3339, told_time
from muniment.domain.recorded import Fault, Recorded

from . import codec
from .keys import NONCE_BYTES, Keys
from .rows import Pending, Row, StoredRow

_REMEMBERED = 100_000
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


class SealingMapper(Mapper[str]):
    """The library's mapper with our stored form.

    Args:
        keys: Where keys come from.
        key_of: The id of the key that a stored stream is under.
    """

    def __init__(self, keys: Keys, key_of: Callable[[str], int | None]) -> None:
        super().__init__(JSONTranscoder())
        self._keys = keys
        self._key_of = key_of
        self._stream_keys: dict[str, int] = {}

    def to_stored_event(self, domain_event: Any) -> StoredRow:
        """The row of a pending event, without its position.

        Words are sealed with AES-256-GCM under a random nonce; the associated data bind them to
        their space, stream, version, name and schema.
        """
        pending: Pending = domain_event
        name, schema = codec.stored_name(pending.event)
        facts, words = codec.encode(pending.event)
        key_id, key, payload = None, b"", None
        if words is not None or pending.request is not None:
            key_id, key = self._key_for(pending)
            if pending.request is not None:
                facts = _with_request(facts, request_mark(key, pending.request))
        if words is not None:
            nonce = secrets.token_bytes(NONCE_BYTES)
            bound = _bound(
                pending.space, pending.originator_id, pending.originator_version, name, schema
            )
            payload = nonce + AESGCM(key).encrypt(nonce, words, bound)
        return StoredRow.of(
            Row(
                0,
                pending.originator_id,
                pending.originator_version,
                name,
                schema,
                rfc3339(pending.recorded_at),
                pending.actor,
                pending.space,
                pending.command_id,
                pending.correlation_id,
                pending.causation_id,
                key_id,
                facts,
                payload,
            )
        )

    def _key_for(self, pending: Pending) -> tuple[int, bytes]:
        stream = pending.originator_id
        key_id = self._stream_keys.get(stream)
        if key_id is None and pending.originator_version > 1:
            key_id = self._key_of(stream)
        if key_id is None:
            key_id, key = self._keys.take()
        else:
            known = self._keys.get(key_id)
            if known is None:
                raise StorageFailed(
                    f"The key of {stream} is missing: restore the key vault from a backup.",
                    code="key_missing",
                )
            key = known
        self._remember(stream, key_id)
        return key_id, key

    def _remember(self, stream: str, key_id: int) -> None:
        if len(self._stream_keys) >= _REMEMBERED:
            self._stream_keys.clear()
        self._stream_keys[stream] = key_id

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        """The recorded event of a row; what cannot be read is said by its fault."""
        assert isinstance(stored_event, StoredRow)  # noqa: S101 (our recorder makes nothing else)
        return self.recorded(stored_event.row)

    def recorded(self, row: Row, *, is_doomed: bool = False) -> Recorded:
        """The recorded event of a row; what cannot be read is said by its fault.

        ``is_doomed`` says that the key is about to be destroyed: it counts as gone.
        """
        (
            position,
            stream,
            version,
            name,
            schema,
            told,
            actor,
            space,
            command_id,
            correlation_id,
            causation_id,
            key_id,
            facts,
            payload,
        ) = row
        words: bytes | None = None
        event: Any = None
        fault: Fault | None = None
        form = codec.form(name, schema)
        if form is None:
            fault = "newer_release"
        else:
            if form.words:
                bound = _bound(space, stream, version, name, schema)
                words, fault = (
                    (None, "key_missing") if is_doomed else self._unseal(key_id, payload, bound)
                )
            try:
                event = form.read(facts, words)
            except codec.UnreadableEvent:
                fault = "unreadable"
        recorded_at = told_time(told)
        if recorded_at is None:
            event, fault, recorded_at = None, "unreadable", _NO_TIME
        return Recorded(
            position,
            stream,
            version,
            name,
            schema,
            recorded_at,
            actor,
            space,
            command_id,
            correlation_id,
            causation_id,
            event,
            fault,
        )

    def _unseal(
        self, key_id: int | None, payload: bytes | None, bound: bytes
    ) -> tuple[bytes | None, Fault | None]:
        if key_id is None or payload is None:
            return None, "unreadable"
        key = self._keys.get(key_id)
        if key is None:
            return None, "key_missing"
        try:
            return AESGCM(key).decrypt(payload[:NONCE_BYTES], payload[NONCE_BYTES:], bound), None
        except (InvalidTag, ValueError):
            return None, "unreadable"

    def asked_the_same(self, row: Row, request: bytes) -> bool:
        """Whether a stored event came of this very request; True where its key is gone."""
        key = self._keys.get(row.key_id) if row.key_id is not None else None
        return key is None or request_mark(key, request).encode() in row.facts


def _bound(space: str, stream: str, version: int, name: str, schema: int) -> bytes:
    return f"{space}\0{stream}\0{version}\0{name}\0{schema}".encode()


def request_mark(key: bytes, request: bytes) -> str:
    """What a keyed command leaves in the facts: an HMAC-SHA-256 of it under the stream's key."""
    return hmac.digest(key, b"request\0" + request, "sha256").hex()


def _with_request(facts: bytes, mark: str) -> bytes:
    member = b'"request":' + to_json(mark)
    return b"{" + member + b"}" if facts == codec.EMPTY else facts[:-1] + b"," + member + b"}"
