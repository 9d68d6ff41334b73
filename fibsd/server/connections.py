"""Sessions from the moment a peer has come until its connection is closed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from fibsd.config import Config
from fibsd.observe.log import speak_for
from fibsd.protocol.lines import LineSplitter
from fibsd.protocol.messages import own
from fibsd.server.engine import Engine
from fibsd.session.host import Turnstile
from fibsd.session.limits import Bucket
from fibsd.session.login import LoginDialog
from fibsd.session.output import Output
from fibsd.session.session import End, Session
from fibsd.session.sockets import Sockets
from fibsd.session.transport import Transport
from fibsd.world.ids import SessionId

if TYPE_CHECKING:
    from fibsd.observe.metrics import Metrics

log = structlog.get_logger()

TURN_S = 0.001
"""Seconds in which sessions depart before others get their turn."""


@attrs.define(eq=False, kw_only=True)
class Connections:
    """All connections of one server.

    Attributes:
        engine: Its middle.
        config: What the operator has set, as it was last read.
        metrics: Counts for the operator, if he wants them.
        sockets: Where the plain ones are read.
        open: How many there are, those included that are just saying goodbye.
    """

    engine: Engine
    config: Callable[[], Config]
    metrics: Metrics | None
    sockets: Sockets = attrs.field(init=False)
    open: int = 0
    _turnstile: Turnstile = attrs.Factory(Turnstile)
    _next: int = 1
    _leaving: deque[Session] = attrs.Factory(deque)
    _change: trio.Event = attrs.Factory(trio.Event)

    def __attrs_post_init__(self) -> None:
        self.sockets = Sockets(self.engine.flush_input)

    def begin(self, transport: Transport, peer: str) -> None:
        """Begin a session."""
        session = self._session(transport, peer)
        limits = self.config().limits
        self.engine.sessions[session.id] = self.engine.strangers[session.id] = session
        self.open += 1
        speak_for(session)
        log.info("connection", peer=peer)
        refusal = self.engine.guard.arrive(peer)
        if refusal is not None or len(self.engine.sessions) > limits.max_users:
            log.warning("connection refused", reason=refusal or "too many users")
            self.count_refused(refusal or "too many users")
            line = own.OWN_SERVER_FULL() if refusal is None else own.OWN_TOO_MANY(what=refusal)
            session.dialog = None
            session.write(line + "\r\n")
            session.end(End.AFTER_OUTPUT)
        else:
            if self.metrics is not None:
                self.metrics.accepted()
            session.begin()
        speak_for(None)

    def _session(self, transport: Transport, peer: str) -> Session:
        config, engine = self.config(), self.engine
        limits = config.limits
        session = Session(
            id=SessionId(self._next),
            transport=transport,
            host=engine,
            door=self,
            peer=peer,
            output=Output(limits.outbox_bytes, engine.backlog, transport=transport, host=engine),
            splitter=LineSplitter(limits.line_bytes),
            pace=Bucket.full(limits.commands_per_s, limits.commands_burst, trio.current_time()),
            turnstile=self._turnstile,
            flood_lines=limits.flood_lines,
            started=engine.now(),
        )
        self._next += 1
        session.dialog = LoginDialog(
            session=session,
            gate=engine.gate,
            operator=config.server.operator,
            email=config.server.email,
            attempts=limits.login_attempts,
        )
        return session

    # --- the end -----------------------------------------------------------------------------------------------

    def leaves(self, session: Session) -> None:
        """Let a session depart when it is its turn: a network that fails takes thousands with it."""
        self._leaving.append(session)
        self._changed()

    async def see_off(self) -> None:
        """Let sessions depart, for ever, some in each turn of the loop."""
        while True:
            await self._see_off_all()
            await self._change.wait()

    async def _see_off_all(self) -> None:
        began = time.perf_counter()
        while self._leaving:
            self._leaving.popleft().depart()
            if time.perf_counter() - began > TURN_S:
                await trio.lowlevel.checkpoint()
                began = time.perf_counter()

    def closed(self, session: Session) -> None:
        """Take note that nothing of a session is left."""
        self.engine.guard.leave(session.peer)
        self.open -= 1
        self._changed()
        log.info("connection ended")

    def _changed(self) -> None:
        self._change.set()
        self._change = trio.Event()

    async def all_closed(self) -> None:
        """Wait until no connection is open; sessions are seen off here, too, in case nobody does so any more."""
        while self.open:
            await self._see_off_all()
            if self.open:
                await self._change.wait()

    def count_refused(self, reason: str) -> None:
        """Count a connection that was not taken."""
        if self.metrics is not None:
            self.metrics.refused(reason)
