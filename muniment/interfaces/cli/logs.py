"""What is logged goes to the standard error, a JSON line each: the output is the answer's."""

import logging
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import structlog
from structlog.typing import Processor

_BOTH: Final[tuple[Processor, ...]] = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)


def prepare(least: int = logging.WARNING) -> None:
    """Ours, from here on; of a level under ``least`` nothing is written.

    What went as it should is the answer's to tell, unless nobody is there to be answered.
    """
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(least),
        processors=[*_BOTH, structlog.processors.JSONRenderer()],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


@contextmanager
def of_libraries() -> Generator[None]:
    """Those of the libraries that serve, which log by the standard library, while it lasts."""
    handler = _ToStandardError()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *_BOTH],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _ToStandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(self.format(record) + "\n")
