"""What must be looked at before it is done: a dry run gives a digest, and doing it asks for that.

The digest is of what was asked and what would become of it. It guards against a call that was made
by mistake or on a view that is out of date; who may call at all is for the roles to say.
"""

import hmac
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from muniment.domain.errors import Conflict, Invalid
from muniment.interfaces.documents import document

VALID_FOR = timedelta(minutes=10)


def digest(asked: object, plan: object, at: datetime) -> str:
    """The digest of a dry run that was made at a moment."""
    seconds = int(at.timestamp())
    said = document([asked, plan, seconds], indent=None)
    return f"{seconds}-{sha256(said.encode()).hexdigest()}"


def require(given: object, asked: object, plan: object, now: datetime) -> None:
    """Refuses what nobody has looked at.

    Args:
        given: What the caller says that a dry run gave.
        asked: What is to be done.
        plan: What would become of it now.
        now: The moment.

    Raises:
        Invalid: ``confirm_required`` or ``confirm_invalid``.
        Conflict: ``confirm_expired``, or ``confirm_differs`` where something moved meanwhile.
    """
    if given is None:
        raise Invalid(
            'confirm: make a dry run first ({"dry_run": true}), and give its digest.',
            code="confirm_required",
            field="confirm",
        )
    if not isinstance(given, str) or not given.partition("-")[0].isdecimal() or len(given) > 100:
        raise Invalid(
            "confirm: that is no digest of a dry run.", code="confirm_invalid", field="confirm"
        )
    at = datetime.fromtimestamp(min(int(given.partition("-")[0]), 2**33), UTC)
    if not timedelta(seconds=-1) <= now - at <= VALID_FOR:
        told = "older than 10 minutes" if at < now else "of a moment that is yet to come"
        raise Conflict(
            f"confirm: the dry run is {told}: make another.",
            code="confirm_expired",
            field="confirm",
        )
    if not hmac.compare_digest(given.encode(), digest(asked, plan, at).encode()):
        raise Conflict(
            "confirm: the dry run was of something else, or things moved since: make another.",
            code="confirm_differs",
            field="confirm",
        )
