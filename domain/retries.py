"""Requests that may be sent again: under the same key the same request is done once."""

from .errors import Conflict


def key_reused() -> Conflict:
    """What is said of a key that came with another request before."""
    return Conflict(
        "This idempotency key was used for another request: take a fresh one.",
        code="idempotency_key_reused",
        field="idempotency_key",
    )
