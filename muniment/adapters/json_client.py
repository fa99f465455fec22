"""Asking a JSON service by HTTP: in bounded time, with few tries, and not while it is failing."""

import json
import math
import re
import ssl
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, TypeVar

import httpx
import stamina
import structlog

from muniment import telemetry
from muniment.domain.embedding import Health
from muniment.domain.errors import Invalid, Unavailable

from .breaker import CircuitBreaker
from .endpoints import Endpoint, Resolve, resolved
from .transport import Transport

T = TypeVar("T")

_log = structlog.get_logger(__name__)

REQUEST_REFUSED: Final = "request_refused"
"""The code where the service understood and turned down what it was sent."""

REPLY_REFUSED: Final = "reply_refused"
"""The code where the service answered, and what it answered is of no use."""

TIMEOUT: Final = "timeout"
"""The code where the service did not answer in time."""

LONGEST_RETRY_AFTER: Final = 60.0
"""Seconds that a service may ask to be left alone for."""

_KEY = re.compile(r"[\x21-\x7e]{1,4096}")
_FAULTS = {
    400: (REQUEST_REFUSED, "it refused the request; is the model's name right?"),
    401: ("unauthorized", "it wants another API key."),
    403: ("unauthorized", "the API key may not do this."),
    404: ("not_there", "there is no such path or model: check the endpoint and the model's name."),
    413: (REQUEST_REFUSED, "it finds the request too large."),
    422: (REQUEST_REFUSED, "it refused the request; is the model's name right?"),
}
_TRY_AGAIN = frozenset({408, 425, 429})


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a service is waited for, and how often it is asked; times in seconds.

    ``deadline`` is for a whole call, all tries and the waits between them included; ``retry_wait``
    is the first of these waits, to which up to as much is added by chance and which then doubles.
    ``max_reply`` is in bytes.
    """

    connect: float = 3.0
    deadline: float = 30.0
    tries: int = 3
    retry_wait: float = 0.25
    failures: int = 5
    rest: float = 30.0
    max_reply: int = 16 * 1024 * 1024


class _Passing(Unavailable):
    """A failure that may pass; ``retry_after``: seconds that the service asks to be left alone."""

    def __init__(self, message: str, *, code: str, retry_after: float | None = None) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after


class JsonClient:
    """Asks one endpoint; safe to use from several threads.

    Neither errors nor logs show the key, what was sent, or what was answered.

    Args:
        endpoint: Whom to ask. One that is asked in plain http beyond this machine is warned of.
        api_key: Sent as a bearer token; visible ASCII.
        patience: How long and how often to try.
        resolve: Host and port → IP addresses.
        tls: What certificates are checked with; None: against the authorities that httpx knows.

    Raises:
        Invalid: ``api_key_invalid``.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        api_key: str | None = None,
        patience: Patience | None = None,
        resolve: Resolve = resolved,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if api_key:
            if not _KEY.fullmatch(api_key):
                raise Invalid(
                    "api_key: it holds blanks or characters that no key has: copy it again.",
                    code="api_key_invalid",
                    field="api_key",
                )
            headers["Authorization"] = f"Bearer {api_key}"
        self._patience = patience = patience or Patience()
        self._endpoint = endpoint
        self._breaker = CircuitBreaker(failures=patience.failures, rest=patience.rest)
        self._transport = Transport(
            endpoint, connect_timeout=patience.connect, resolve=resolve, tls=tls
        )
        self._client = httpx.Client(
            transport=self._transport,
            headers=headers,
            timeout=None,  # noqa: S113 (the transport's deadline cuts every wait)
            follow_redirects=False,
            trust_env=False,
        )
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._under_way = 0
        if endpoint.is_plain:
            _log.warning("endpoint_in_plain_http", host=endpoint.host)

    def health(self) -> Health:
        """Whether calls are let through."""
        return self._breaker.health()

    def post(
        self, path: str, body: object, read: Callable[[object], T], *, within: float | None = None
    ) -> T:
        """What ``read`` makes of the service's answer.

        Args:
            path: What follows the endpoint's base, from a slash.
            body: What to send, as JSON.
            read: Takes the answer, parsed, of any shape; raises Unavailable to refuse it.
            within: Seconds to give up after, where that is sooner than the deadline.

        Raises:
            Unavailable: ``request_refused``, ``reply_refused`` or what ``read`` raised where an
                answer came; ``unauthorized``, ``not_there``, ``redirected``; ``timeout``,
                ``unavailable`` and ``rate_limited`` where tries ran out; ``resting`` while the
                breaker is open; ``closed``.
        """
        seconds = min(self._patience.deadline, math.inf if within is None else within)
        until = time.monotonic() + seconds
        is_hurried = seconds < self._patience.deadline
        content = json.dumps(body, allow_nan=False).encode()
        is_asked_to_wait = False

        def is_worth_another(error: Exception) -> bool:
            nonlocal is_asked_to_wait
            if not isinstance(error, _Passing) or self._stopped.is_set():
                return False
            is_asked_to_wait = error.retry_after is not None
            retry_in = self._breaker.health().retry_in
            if retry_in and not is_asked_to_wait:
                return False
            return time.monotonic() + retry_in < until

        host, port = self._endpoint.host, self._endpoint.port
        with telemetry.call(path, host, port), self._call(until):
            for attempt in stamina.retry_context(
                on=is_worth_another,
                attempts=self._patience.tries,
                timeout=None,
                wait_initial=self._patience.retry_wait,
                wait_jitter=self._patience.retry_wait,
                wait_max=4 * self._patience.retry_wait,
            ):
                with attempt:
                    if is_asked_to_wait:
                        self._await_breaker(until)
                    return self._try(path, content, read, is_hurried=is_hurried)
        raise AssertionError  # the last try returns or raises

    def close(self) -> None:
        """Gives up every call under way, from whichever thread; later ones are refused."""
        with self._lock:
            self._stopped.set()
            is_idle = not self._under_way
        self._transport.stop()
        if is_idle:
            self._client.close()

    @contextmanager
    def _call(self, until: float) -> Generator[None, None, None]:
        with self._lock:
            if self._stopped.is_set():
                raise self._closed()
            self._under_way += 1
        try:
            with self._transport.until(until):
                yield
        finally:
            with self._lock:
                self._under_way -= 1
                is_last = self._stopped.is_set() and not self._under_way
            if is_last:
                self._client.close()

    def _await_breaker(self, until: float) -> None:
        while time.monotonic() < until and (left := self._breaker.health().retry_in) > 0:
            if self._stopped.wait(min(left, until - time.monotonic())):
                return

    def _try(
        self, path: str, content: bytes, read: Callable[[object], T], *, is_hurried: bool
    ) -> T:
        if self._stopped.is_set():
            raise self._closed()
        if not self._breaker.admit():
            seconds = math.ceil(self._breaker.health().retry_in)
            raise self._unavailable("resting", f"it failed and is left alone for {seconds} s.")
        try:
            answer = read(self._exchanged(path, content))
        except Unavailable as error:
            if self._stopped.is_set() or (is_hurried and error.code == TIMEOUT):
                self._breaker.released()  # that says nothing of the service
            elif error.code == REQUEST_REFUSED:
                self._breaker.succeeded()  # it works, and says no
            else:
                self._breaker.failed(
                    rest=error.retry_after if isinstance(error, _Passing) else None
                )
            raise
        except BaseException:
            self._breaker.released()
            raise
        self._breaker.succeeded()
        return answer

    def _exchanged(self, path: str, content: bytes) -> object:
        fault: tuple[str, str]
        try:
            with self._client.stream(
                "POST",
                self._endpoint.base + path,
                content=content,
                headers={"Content-Type": "application/json"},
            ) as response:
                self._check_status(response)
                payload = self._body(response)
        except httpx.TimeoutException as error:
            fault = TIMEOUT, f"{error}."
        except httpx.HTTPError as error:
            fault = "unavailable", f"{error}."
        else:
            return self._parsed(payload)
        # out here, so that the exception that knows the request with its key is not chained
        if self._stopped.is_set():
            raise self._closed()
        raise _Passing(self._sentence(fault[1]), code=fault[0])

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == 200:
            return
        if status in _TRY_AGAIN or status >= 500:
            raise _Passing(
                self._sentence(f"it answered with status {status}."),
                code="rate_limited" if status == 429 else "unavailable",
                retry_after=_retry_after(response.headers.get("Retry-After")),
            )
        if response.has_redirect_location:
            raise self._unavailable("redirected", "it redirects elsewhere, which is not followed.")
        code, hint = _FAULTS.get(status, ("unavailable", "that means nothing here."))
        raise self._unavailable(code, f"it answered with status {status}: {hint}")

    def _body(self, response: httpx.Response) -> bytes:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise self._unavailable(REPLY_REFUSED, "its reply is compressed, which was not asked.")
        most = self._patience.max_reply
        payload = bytearray()
        for piece in response.iter_raw():
            payload += piece
            if len(payload) > most:
                raise self._unavailable(REPLY_REFUSED, f"its reply is over {most:,} bytes.")
        return bytes(payload)

    def _parsed(self, payload: bytes) -> object:
        try:
            parsed: object = json.loads(payload)
        except (ValueError, RecursionError):
            parsed = None
        if parsed is None:
            raise self._unavailable(REPLY_REFUSED, "its reply is no JSON.")
        return parsed

    def _unavailable(self, code: str, fault: str) -> Unavailable:
        return Unavailable(self._sentence(fault), code=code)

    def _sentence(self, fault: str) -> str:
        return f"The service at {self._endpoint.base} was asked in vain: {fault}"

    def _closed(self) -> Unavailable:
        return self._unavailable("closed", "the store is being closed.")


def _retry_after(text: str | None) -> float | None:
    """Seconds, within 0 and ``LONGEST_RETRY_AFTER``, of a number or a date."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text):
        seconds = float(text)
    else:
        try:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER)
