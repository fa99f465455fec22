"""Messages to a webhook: signed, tried again under the same id, and told again when they failed."""

import base64
import hmac
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from bdd import Clock
from loopback import Loopback, cuts, fails, replies

import muniment
from muniment import Invalid, Muniment, Unavailable
from muniment.adapters.webhook import Webhook, secret_of, signature

AT = datetime(2026, 3, 3, 12, tzinfo=UTC)
SECRET = "whsec_" + base64.b64encode(b"a secret of 24 bytes ...").decode()
WAIT = 0.005


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(always=replies({})) as made:
        yield made


def verified(request: Any, secret: bytes) -> bool:
    """As a receiver checks it by the standard's words."""
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode()
    digest = hmac.new(secret, signed + request.raw, "sha256").digest()
    return bool(request.headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode())


def test_the_signature_is_the_one_of_the_standards_example() -> None:
    body = b'{"test": 2432232314}'
    secret = secret_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    said = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert said == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_message_is_posted_as_it_is_and_signed(server: Loopback) -> None:
    hook = Webhook(server.url() + "/hooks/1", SECRET)
    hook.post("id 1", AT, b'{"a": 1}')
    hook.close()
    (request,) = server.requests
    assert (request.path, request.raw) == ("/hooks/1", b'{"a": 1}')
    assert request.headers["webhook-timestamp"] == str(int(AT.timestamp()))
    assert verified(request, b"a secret of 24 bytes ...")
    assert not verified(request, b"another")


def test_without_a_secret_it_goes_unsigned(server: Loopback) -> None:
    hook = Webhook(server.url(), None)
    hook.post("id 1", AT, b"{}")
    hook.close()
    assert "webhook-signature" not in server.requests[0].headers


@pytest.mark.parametrize("passing", [fails(500), fails(429), cuts])
def test_what_may_pass_is_tried_again_under_the_same_id(server: Loopback, passing: Any) -> None:
    server.script.extend([passing, passing])
    hook = Webhook(server.url(), SECRET, retry_wait=WAIT)
    hook.post("id 1", AT, b"{}")
    hook.close()
    assert len(server.requests) == 3
    assert len({one.headers["webhook-signature"] for one in server.requests}) == 1


@pytest.mark.parametrize(("status", "tries"), [(400, 1), (410, 1), (302, 1), (503, 4)])
def test_what_is_refused_is_an_error_that_hides_the_address(
    server: Loopback, status: int, tries: int
) -> None:
    server.always = fails(status)
    hook = Webhook(server.url() + "/secret-path", SECRET, retry_wait=WAIT)
    with pytest.raises(Unavailable) as failed:
        hook.post("id 1", AT, b"{}")
    hook.close()
    assert (failed.value.code, len(server.requests)) == ("webhook_failed", tries)
    assert str(status) in failed.value.message
    assert "secret-path" not in failed.value.message
    assert failed.value.__cause__ is None


@pytest.mark.parametrize("url", ["ftp://example.org", "http://169.254.169.254/x", "nonsense"])
def test_an_address_that_may_not_be_asked_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        Webhook(url, None)


def test_a_secret_that_is_no_base64_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        Webhook("https://example.org", "whsec_!")
    assert refused.value.code == "webhook_secret_invalid"


class TestAnAuditThatTells:
    @pytest.fixture
    def m(self, server: Loopback, clock: Clock) -> Iterator[Muniment]:
        settings = {"audit": {"webhook_url": server.url() + "/w", "webhook_secret": SECRET}}
        with muniment.open(":memory:", clock=clock, settings=settings) as handle:
            handle.audit.run()
            yield handle

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    def _grow(self, m: Muniment, clock: Clock, count: int = 20) -> dict[str, Any]:
        m.save_many(
            [
                {"content": f"Crane {number} is in use", "store": "episodic"}
                for number in range(count)
            ]
        )
        clock.advance(days=1)
        return m.audit.run()

    def test_a_finding_is_posted_with_what_it_means(
        self, m: Muniment, clock: Clock, server: Loopback
    ) -> None:
        row = self._grow(m, clock)
        (request,) = server.requests
        assert verified(request, b"a secret of 24 bytes ...")
        assert request.headers["webhook-id"] == row["snapshotId"]
        assert request.body["type"] == "audit.alert"
        told = request.body["data"]
        assert (told["status"], told["occasion"]) == ("warning", "changed")
        assert (told["new"], told["cleared"]) == (["net-growth-threshold"], [])
        assert told["findings"][0]["whatToDo"]
        assert b"Crane" not in request.raw

    def test_a_healthy_run_posts_nothing_and_the_same_warning_once(
        self, m: Muniment, clock: Clock, server: Loopback
    ) -> None:
        assert server.requests == []
        self._grow(m, clock)
        self._grow(m, clock)
        assert len(server.requests) == 1
        clock.advance(days=1)
        assert m.audit.run()["status"] == "healthy"
        self._grow(m, clock)
        assert len(server.requests) == 2

    def test_a_post_that_failed_records_nothing_and_is_made_at_the_next_run(
        self, m: Muniment, clock: Clock, server: Loopback
    ) -> None:
        server.always = fails(400)
        self._grow(m, clock)
        assert m.audit.latest()["status"] == "warning"  # type: ignore[index]
        server.always = replies({})
        self._grow(m, clock)
        assert [one.body["data"]["occasion"] for one in server.requests] == ["changed", "changed"]
        self._grow(m, clock)
        assert len(server.requests) == 2
        assert len(m.inbox()) == 1

    def test_a_digest_is_posted_with_the_report(self, m: Muniment, server: Loopback) -> None:
        m.audit.digest()
        (request,) = server.requests
        assert request.body["type"] == "audit.digest"
        assert request.body["data"]["report"].startswith("# Memory audit")

    def test_a_digest_that_failed_was_not_told(self, m: Muniment, server: Loopback) -> None:
        server.always = fails(400)
        with pytest.raises(Unavailable):
            m.audit.digest()
        assert m.inbox() == []
