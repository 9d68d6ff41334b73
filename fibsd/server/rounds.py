"""What is looked after every few seconds: whether the store hangs, and who has been idle too long."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import attrs
import structlog
import trio

from fibsd.protocol.messages import own
from fibsd.protocol.viewer import View
from fibsd.protocol.views import render
from fibsd.server.engine import Engine
from fibsd.session.outbox import Chunk
from fibsd.session.session import End, Session
from fibsd.world.arrivals import depart
from fibsd.world.events import Farewell, TimedOut
from fibsd.world.lobby import Presence, SessionKind

log = structlog.get_logger()

T = TypeVar("T")

STORE_PATIENCE_S = 5.0
"""Seconds after which those who wait for the store are told so."""
SLICE = 500
"""Sessions that are ended before others get their turn."""


@attrs.define(eq=False)
class Rounds:
    """The rounds of one server.

    Attributes:
        engine: Its middle.
    """

    engine: Engine
    _store_waits: bool = False

    def watch_store(self) -> None:
        """Tell those who wait for the store that it hangs, and that it is back; the log tells why."""
        waits = self.engine.store.waiting_s() > STORE_PATIENCE_S
        if waits == self._store_waits:
            return
        self._store_waits = waits
        if waits:
            self.engine.timekeeper.hold_all(self.engine.store.waiting_s())
            log.error(
                "store unavailable", trouble=self.engine.store.trouble(), waiting_s=round(self.engine.store.waiting_s())
            )
        else:
            log.warning("store available again")
        notice = own.OWN_STORE_WAITS() if waits else own.OWN_STORE_BACK()
        for session in list(self.engine.sessions.values()):
            presence = self.engine.readers.presence(session)
            told = session.output.held if waits else session.store_waits
            if presence is not None and presence.extras and told:
                session.store_waits = waits
                line_break = "\r\n" if session.output.prompt else ""
                session.output.slip_in(f"{line_break}** {notice}\r\n".encode())
                session.flush()

    async def sweep(self, idle_s: float, login_s: float) -> None:
        """End sessions that were idle too long, or never logged in; nobody else is looked at."""
        now = self.engine.now()
        late = [session for session in self.engine.strangers.values() if now - session.started > login_s]
        await self._each(late, self._send_away)
        await self._each(self.engine.world.silent(now - idle_s), partial(self._log_out, now - idle_s))

    async def _each(self, items: Sequence[T], deed: Callable[[T], None]) -> None:
        for start in range(0, len(items), SLICE):
            for item in items[start : start + SLICE]:
                deed(item)
            self.engine.flush()
            await trio.lowlevel.checkpoint()

    def _send_away(self, session: Session) -> None:
        """End a session on which nobody has logged in, unless somebody just has."""
        if session.id in self.engine.strangers and session.ending is None:
            log.info("never logged in", session=session.id)
            session.write("\r\n" if session.dialog is not None else "")
            self._time_out(session)

    def _log_out(self, since: float, presence: Presence) -> None:
        """End the session of a user who has typed nothing since a moment, unless he has just gone, or waits for us."""
        session = self.engine.sessions.get(presence.connection.id)
        if session is None or presence.neighbours is None or presence.last_input >= since:
            return
        if not (self._store_waits and session.output.held):
            log.info("idle too long", session=session.id, user=presence.name)
            out = self.engine.result()
            depart(self.engine.world, presence, Farewell.TIMEOUT, out)
            session.user = None
            self.engine.deliver(out, None)
            self._time_out(session)

    @staticmethod
    def _time_out(session: Session) -> None:
        line_break = b"\r\n" if session.output.prompt else b""
        last_word = render(TimedOut(), View(kind=session.kind or SessionKind.TELNET))
        session.output.put(Chunk(line_break + last_word))
        session.flush()
        session.end(End.AFTER_OUTPUT)
