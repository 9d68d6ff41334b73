"""Structured logs: one event a line, for people or as JSON.

Network addresses stand under the key `peer` and nowhere else, so that they can be left out.
"""

import logging
import sys
from contextvars import ContextVar
from typing import Protocol

import structlog
from structlog.typing import EventDict, Processor


class Speaker(Protocol):
    """A session, as lines of the log name it."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def known_as(self) -> str | None:
        """Who has logged in on it."""


_SPEAKER: ContextVar[Speaker | None] = ContextVar("speaker", default=None)

speak_for = _SPEAKER.set
"""All that is logged from now on, in this task and in those that it starts, belongs to this session, or to none."""

speak_as_before = _SPEAKER.reset
"""It belongs again to whom it did before; takes what `speak_for` gave."""


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
            with_speaker,
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


def with_speaker(_: object, method: str, event: EventDict) -> EventDict:
    """Name the session and its user, unless the line names others."""
    speaker = _SPEAKER.get()
    if speaker is not None:
        event.setdefault("session", speaker.id)
        if speaker.known_as is not None:
            event.setdefault("user", speaker.known_as)
    return event
