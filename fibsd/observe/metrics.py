"""Figures about the running server, in the text format of Prometheus."""

from collections.abc import Mapping

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from fibsd.values import frozen

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
QUICK_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5)
"""Bounds of the classes in which times are counted."""


@frozen(kw_only=True)
class Figures:
    """How things stand at the moment when somebody asks.

    Attributes:
        sessions: Open sessions by kind.
        users: Users on-line.
        matches: Matches that are played.
        outbox_bytes: What waits to be sent, in all sessions together.
        held_sessions: Sessions in which something waits until it is stored.
        jobs: Jobs that the store has not done yet.
    """

    sessions: Mapping[str, int]
    users: int
    matches: int
    outbox_bytes: int
    held_sessions: int
    jobs: int


class Metrics:
    """Counts what happens; a registry of its own, so that two servers in one process do not mix.

    No label is made of what users type, or there would be no bound to their number.
    """

    def __init__(self) -> None:
        # For every counter the library would also tell when it was made: twice the lines, of no use here.
        disable_created_metrics()  # type: ignore[no-untyped-call] # the library's
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._accepted = Counter("fibsd_connections", "Connections accepted.", registry=registry)
        self._refused = Counter("fibsd_connections_refused", "Connections refused.", ["reason"], registry=registry)
        self._logins = Counter("fibsd_logins_refused", "Logins refused.", ["reason"], registry=registry)
        self._commands = Histogram(
            "fibsd_command_seconds",
            "Time from a line to its queued answer, waiting for the store included.",
            ["command"],
            registry=registry,
            buckets=QUICK_S,
        )
        self._commits = Histogram(
            "fibsd_commit_seconds", "Time from a job to its outcome.", registry=registry, buckets=QUICK_S
        )
        self._lag = Histogram(
            "fibsd_loop_lag_seconds", "How late a task is woken that sleeps.", registry=registry, buckets=QUICK_S
        )
        self._rolls = Counter("fibsd_rolls", "Rolls of two dice, counted every few seconds.", registry=registry)
        self._sessions = Gauge("fibsd_sessions", "Open sessions.", ["kind"], registry=registry)
        self._users = Gauge("fibsd_users", "Users on-line.", registry=registry)
        self._matches = Gauge("fibsd_matches", "Matches that are played.", registry=registry)
        self._outbox = Gauge("fibsd_outbox_bytes", "Bytes that wait to be sent.", registry=registry)
        self._held = Gauge("fibsd_held_sessions", "Sessions whose output waits for the store.", registry=registry)
        self._jobs = Gauge("fibsd_jobs_waiting", "Jobs that the store has not done yet.", registry=registry)

    def accepted(self) -> None:
        """A connection has come."""
        self._accepted.inc()

    def refused(self, reason: str) -> None:
        """A connection was hung up on; the reason is one of a few words of ours."""
        self._refused.labels(reason).inc()

    def login_refused(self, reason: str) -> None:
        """A login failed; the reason is one of a few words of ours."""
        self._logins.labels(reason).inc()

    def command(self, name: str, seconds: float) -> None:
        """A command of our table, by its full name, was done in this time."""
        self._commands.labels(name).observe(seconds)

    def committed(self, seconds: float) -> None:
        """A job has its outcome after this time."""
        self._commits.observe(seconds)

    def lagged(self, seconds: float) -> None:
        """A task was woken so much too late."""
        self._lag.observe(seconds)

    def rolled(self, count: int) -> None:
        """So many rolls were made."""
        self._rolls.inc(count)

    def text(self, figures: Figures) -> bytes:
        """Everything counted so far, and how things stand now."""
        self._sessions.clear()
        for kind, count in figures.sessions.items():
            self._sessions.labels(kind).set(count)
        self._users.set(figures.users)
        self._matches.set(figures.matches)
        self._outbox.set(figures.outbox_bytes)
        self._held.set(figures.held_sessions)
        self._jobs.set(figures.jobs)
        return generate_latest(self._registry)
