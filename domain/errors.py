"""The errors that callers meet: six families under one root.

Every error has a stable ``code`` in snake_case, the ``field`` that it is about where there is one,
and a sentence that says what to do. Surfaces map families to statuses, never messages.
"""

from collections.abc import Sequence
from typing import ClassVar


class MunimentError(Exception):
    """The root: nothing else leaves the package.

    Args:
        message: One sentence for people, saying what to do.
        code: Stable and snake_case; the family's own where it is left out.
        field: The name of the input that is at fault.
    """

    default_code: ClassVar[str] = "failed"
    exit_status: ClassVar[int] = 1

    def __init__(self, message: str, *, code: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.field = field
        self.number: int | None = None
        """Which of several commands, decided together, it is of: counted from 0."""

    def within(self, place: str) -> None:
        """Says that it is of a part of the input, such as ``items.3``."""
        self.message = f"{place}: {self.message}"
        self.args = (self.message,)
        self.field = f"{place}.{self.field}" if self.field else place


class Invalid(MunimentError):  # noqa: N818 (families are named for what is the case)
    """The input breaks a rule; ``field`` names which input."""

    default_code = "invalid"
    exit_status = 2


class NotFound(MunimentError):  # noqa: N818
    """Nothing of that name is here, or it was purged."""

    default_code = "not_found"
    exit_status = 3


class Refused(MunimentError):  # noqa: N818
    """A rule or a role says no; trying again will not help."""

    default_code = "refused"
    exit_status = 4


class MergeRejected(Refused):
    """A merge would have lost something; its sources are untouched but for a stamp.

    ``missing`` names what, as it is spelt in the sources.
    """

    default_code = "merge_rejected"

    def __init__(self, missing: Sequence[str]) -> None:
        lost = ", ".join(missing) or "specifics of its sources"
        super().__init__(
            f"The merged text loses {lost}: say them, or leave the sources apart.", field="content"
        )
        self.missing = tuple(missing)


class Conflict(MunimentError):  # noqa: N818
    """Something moved meanwhile: read again, decide again."""

    default_code = "conflict"
    exit_status = 5


class StorageFailed(MunimentError):  # noqa: N818
    """The storage is full, read-only, locked, corrupt or not ours.

    Args:
        message: As for the root.
        code: As for the root.
        field: As for the root.
        retry_after: Seconds after which trying again makes sense; None where it does not.
    """

    default_code = "storage_failed"
    exit_status = 6

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        field: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, code=code, field=field)
        self.retry_after = retry_after


class Unavailable(MunimentError):  # noqa: N818
    """An outside service did not answer."""

    default_code = "unavailable"
    exit_status = 7
