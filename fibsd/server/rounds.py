"""What is looked after every few seconds: whether the store hangs, and who has been idle too long."""

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
from fibsd.world.lobby import SessionKind

log = structlog.get_logger()

STORE_PATIENCE_S = 5.0
"""Seconds after which those who wait for the store are told so."""
SLICE = 500
"""Sessions that are looked at before others get their turn."""


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
        """End sessions that were idle too long, or never logged in."""
        sessions = list(self.engine.sessions.values())
        for start in range(0, len(sessions), SLICE):
            now = self.engine.now()
            for session in sessions[start : start + SLICE]:
                if session.id in self.engine.sessions:
                    self._look_at(session, now, idle_s, login_s)
            self.engine.flush()
            await trio.lowlevel.checkpoint()

    def _look_at(self, session: Session, now: float, idle_s: float, login_s: float) -> None:
        presence = self.engine.readers.presence(session)
        if presence is None:
            if session.user is None and session.ending is None and now - session.started > login_s:
                log.info("never logged in", session=session.id)
                session.write("\r\n" if session.dialog is not None else "")
                self._time_out(session)
        elif now - presence.last_input > idle_s and not (self._store_waits and session.output.held):
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
