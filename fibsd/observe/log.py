"""Structured logs: one event a line, for people or as JSON.

Network addresses stand under the key `peer` and nowhere else, so that they can be left out.
"""

import logging
import sys

import structlog
from structlog.typing import EventDict, Processor


def configure(level: str, form: str, *, addresses: bool = True) -> None:
    """Send logs to standard error; may be called again.

    Args:
        level: The least important lines that are sent.
        form: `console` or `json`.
        addresses: Whether network addresses are told.
    """
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        # Other ways to show a traceback may show the values of variables, passwords among them.
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *([] if addresses else [_without_address]),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        # Loggers that were used before must follow when the log is configured anew.
        cache_logger_on_first_use=False,
    )


def _without_address(_: object, method: str, event: EventDict) -> EventDict:
    event.pop("peer", None)
    return event


def begin_session(number: int) -> None:
    """All that the present task logs from now on belongs to this session."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(session=number)


def name_user(name: str) -> None:
    """All that the present task logs from now on belongs to this user, too."""
    structlog.contextvars.bind_contextvars(user=name)


def begin_task() -> None:
    """What the present task logs belongs to nobody, whoever has started it."""
    structlog.contextvars.clear_contextvars()
