"""Where the figures for the operator's monitoring come from. Nothing of this runs unless they are wanted."""

from __future__ import annotations

import socket
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs
import trio

from fibsd.observe.metrics import CONTENT_TYPE, Figures, Metrics
from fibsd.server.web import Page, serve_pages
from fibsd.storage.store import Job, Outcome, Store
from fibsd.world.changes import RollsCounted

if TYPE_CHECKING:
    from fibsd.server.engine import Engine

LAG_EVERY_S = 0.5


@attrs.define(eq=False)
class Monitor:
    """Keeps the figures of one server, and shows them.

    Attributes:
        listeners: Where they may be asked for; closed at the end.
        metrics: What is counted.
    """

    listeners: Sequence[socket.socket]
    metrics: Metrics = attrs.Factory(Metrics)

    async def run(self, engine: Engine, trouble: Callable[[], Awaitable[str | None]]) -> None:
        """Measure and answer, for ever; `trouble` tells why the server does not do its work, or None."""

        async def show_metrics() -> Page:
            await trio.lowlevel.checkpoint()
            return Page(body=self.metrics.text(figures(engine)), content_type=CONTENT_TYPE)

        async def show_health() -> Page:
            word = await trouble()
            return Page(body=b"ok\n") if word is None else Page(status=503, body=f"{word}\n".encode())

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watch_loop, self.metrics)
                for listener in self.listeners:
                    nursery.start_soon(serve_pages, listener, {"/metrics": show_metrics, "/healthz": show_health})
        finally:
            for listener in self.listeners:
                listener.close()

    def store(self, store: Store) -> Store:
        """The same store, with a watch on what is written to it."""
        return cast("Store", _Watched(store, self.metrics))


def figures(engine: Engine) -> Figures:
    """How things stand."""
    sessions = engine.sessions.values()
    return Figures(
        sessions=Counter("login" if session.kind is None else session.kind.value for session in sessions),
        users=len(engine.world.users),
        matches=len(engine.world.tables),
        outbox_bytes=engine.backlog.size,
        held_sessions=sum(session.output.held for session in sessions),
        jobs=engine.commits.last - engine.commits.durable,
    )


async def watch_loop(metrics: Metrics) -> None:
    """Measure how late a sleeping task is woken, for ever."""
    while True:
        due = trio.current_time() + LAG_EVERY_S
        await trio.sleep_until(due)
        metrics.lagged(max(0.0, trio.current_time() - due))


class _Watched:
    """Passes everything on to a store, and takes the time from each job to its outcome."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._begun: deque[float] = deque()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all that a store has
        return getattr(self._store, name)

    def start(self, on_outcomes: Callable[[Sequence[Outcome]], None]) -> None:
        """See `Store.start`."""

        def settle(outcomes: Sequence[Outcome]) -> None:
            now = time.perf_counter()
            for _ in outcomes:
                self._metrics.committed(now - self._begun.popleft())
            on_outcomes(outcomes)

        self._store.start(settle)

    def submit(self, job: Job) -> None:
        """See `Store.submit`."""
        self._begun.append(time.perf_counter())
        for change in job.changes:
            if isinstance(change, RollsCounted):
                self._metrics.rolled(sum(count for _, _, count in change.counts))
        self._store.submit(job)
