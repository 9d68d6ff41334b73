"""Structured logs: one event a line, for people or as JSON."""

import logging
import sys

import structlog


def configure(level: str, form: str) -> None:
    """Send logs of at least this level to standard error, as `console` or `json` lines; may be called again."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        # Loggers that were used before must follow when the log is configured anew.
        cache_logger_on_first_use=False,
    )
