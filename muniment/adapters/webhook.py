"""Messages posted to an address of the operator's, signed, and tried again where that may help.

Headers and signature are those of Standard Webhooks 1.0 (standardwebhooks.com): ``webhook-id``,
``webhook-timestamp`` and ``webhook-signature``, which is ``v1,`` and the base64 of an HMAC-SHA-256
over ``id.timestamp.body``.
"""

import base64
import binascii
import hmac
import time
from datetime import datetime
from typing import Final

import httpx
import stamina

from muniment.domain.errors import Invalid, Unavailable

from .endpoints import Resolve, endpoint, resolved
from .transport import Transport

TRIES: Final = 4

_CONNECT: Final = 3.0
_DEADLINE: Final = 20.0
_PREFIX: Final = "whsec_"
_TRY_AGAIN: Final = frozenset({408, 425, 429})


def signature(secret: bytes, id_: str, timestamp: int, body: bytes) -> str:
    """What ``webhook-signature`` says of a message."""
    digest = hmac.digest(secret, f"{id_}.{timestamp}.".encode() + body, "sha256")
    return "v1," + base64.b64encode(digest).decode()


def secret_of(text: str) -> bytes:
    """The key that a secret stands for: base64 after ``whsec_``, or the text itself.

    Raises:
        Invalid: ``webhook_secret_invalid``.
    """
    if not text.startswith(_PREFIX):
        return text.encode()
    try:
        return base64.b64decode(text.removeprefix(_PREFIX), validate=True)
    except binascii.Error as error:
        raise Invalid(
            "webhook_secret: what follows whsec_ is no base64: copy it again.",
            code="webhook_secret_invalid",
            field="settings.audit.webhook_secret",
        ) from error


class Webhook:
    """Posts JSON to one address; redirects are not followed.

    Args:
        url: https, or http to this machine or as the operator wrote it.
        secret: Signs messages; None: they go unsigned.
        retry_wait: Seconds before the second try; it doubles from there.
        resolve: Host and port → IP addresses.

    Raises:
        Invalid: ``endpoint_invalid``, ``endpoint_refused`` or ``webhook_secret_invalid``.
    """

    def __init__(
        self,
        url: str,
        secret: str | None,
        *,
        retry_wait: float = 0.5,
        resolve: Resolve = resolved,
    ) -> None:
        found = endpoint(url, field="settings.audit.webhook_url", written_by_operator=True)
        self._url, self._host = url, found.host
        self._secret = None if secret is None else secret_of(secret)
        self._retry_wait = retry_wait
        self._transport = Transport(found, connect_timeout=_CONNECT, resolve=resolve, tls=None)
        self._client = httpx.Client(
            transport=self._transport,
            timeout=None,  # noqa: S113 (the transport's deadline cuts every wait)
            follow_redirects=False,
            trust_env=False,
        )

    def post(self, id_: str, at: datetime, body: bytes) -> None:
        """Delivers a message, under the same id and time at every try.

        Raises:
            Unavailable: ``webhook_failed``: no try was answered with a status of 2xx.
        """
        timestamp = int(at.timestamp())
        headers = {
            "Content-Type": "application/json",
            "webhook-id": id_,
            "webhook-timestamp": str(timestamp),
        }
        if self._secret is not None:
            headers["webhook-signature"] = signature(self._secret, id_, timestamp, body)
        until = time.monotonic() + _DEADLINE
        try:
            with self._transport.until(until):
                for attempt in stamina.retry_context(
                    on=_is_passing,
                    attempts=TRIES,
                    timeout=_DEADLINE,
                    wait_initial=self._retry_wait,
                    wait_jitter=self._retry_wait / 2,
                    wait_max=8 * self._retry_wait,
                ):
                    with attempt:
                        self._client.post(
                            self._url, content=body, headers=headers
                        ).raise_for_status()
        except httpx.HTTPError as error:
            status = error.response.status_code if isinstance(error, httpx.HTTPStatusError) else 0
            raise Unavailable(
                f"The webhook at {self._host} took no message"
                f" ({f'status {status}' if status else type(error).__name__}): check"
                " audit.webhook_url; it is tried again at the next run.",
                code="webhook_failed",
            ) from None  # what is chained would show the address, which may hold a secret

    def close(self) -> None:
        """Gives up what is under way."""
        self._transport.stop()
        self._client.close()


def _is_passing(error: Exception) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return status in _TRY_AGAIN or status >= 500
    return isinstance(error, httpx.TransportError)
