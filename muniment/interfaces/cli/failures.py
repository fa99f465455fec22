"""What people and programs are told when something fails: one error, on the standard error."""

import os
import sys
import traceback

from muniment.domain.errors import MunimentError, StorageFailed
from muniment.interfaces.documents import document

USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141
UNEXPECTED = 70


def refused(error: MunimentError, *, as_json: bool) -> int:
    """Tells an error of the package; its family has the exit status."""
    _tell(error.code, error.message, error.field, as_json=as_json)
    return error.exit_status


def misused(message: str, field: str | None, command: str, *, as_json: bool) -> int:
    """Tells that the command line itself makes no sense."""
    _tell("usage", f"{message} See '{command} --help'.", field, as_json=as_json)
    return USAGE


def unwritable(error: OSError, *, as_json: bool) -> int:
    """Tells that the answer could not be written, such as to a full disk."""
    message = f"The answer cannot be written ({error.strerror}): see to where the output goes."
    _tell("output_failed", message, None, as_json=as_json)
    return StorageFailed.exit_status


def unexpected(error: Exception, *, as_json: bool) -> int:
    """Tells of a bug in a line; with ``MUNIMENT_DEBUG=1`` from where it comes."""
    if os.environ.get("MUNIMENT_DEBUG") == "1":
        traceback.print_exception(error)
    _tell(
        "unexpected",
        f"This should not happen ({type(error).__name__}: {error}). Please report it; with"
        " MUNIMENT_DEBUG=1 the error is shown in full.",
        None,
        as_json=as_json,
    )
    return UNEXPECTED


def _tell(code: str, message: str, field: str | None, *, as_json: bool) -> None:
    if as_json:
        told = {"error": {"code": code, "message": message, "field": field}}
        sys.stderr.write(document(told) + "\n")
    else:
        from .console import line, put

        put([line(("Error: ", "bold red"), message, (f" [{code}]", "dim"))], sys.stderr)
