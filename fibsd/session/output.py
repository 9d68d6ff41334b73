"""What goes out to one peer: at once what the kernel takes, the rest by a task that waits for him."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from fibsd.session.host import Host
from fibsd.session.outbox import PIECE, Outbox
from fibsd.session.transport import GONE, Transport

if TYPE_CHECKING:
    from fibsd.session.session import Session


@attrs.define(eq=False, weakref_slot=False, kw_only=True)
class Output(Outbox):
    """An outbox, and the connection behind it.

    All that a thousand watchers of a move need is in here and nothing else of their sessions is: none of it has been
    used since the last move, so that looking at it means waiting for memory. For the same reason it is an outbox
    rather than having one.

    Attributes:
        transport: What carries the bytes.
        host: The server.
        session: Whose output it is.
        prompt: What ends the output for a person at a terminal; programs get none.
        ending: Whether the server has ended the session.
        draining: Whether a task waits for the peer.
        broken: Whether the peer is gone.
    """

    transport: Transport
    host: Host
    session: Session = attrs.field(init=False)
    prompt: str = ""
    ending: bool = False
    draining: bool = attrs.field(default=False, init=False)
    broken: bool = attrs.field(default=False, init=False)

    def flush(self) -> None:
        """Send at once what may be sent; a slow peer gets a task that waits for him."""
        if self.draining or self.broken:
            return
        try:
            chunk = self.take(self.host.commits.durable)
        except Exception:
            self._spoiled()
            return
        if chunk is not None:
            self._send(chunk.data, chunk.receipts)
            if chunk.more is not None:
                self._send_slowly()

    def send(self, data: bytes, after: int) -> bool:
        """Send a piece past the queue: what a thousand are told together needs none where nothing stands in it.

        Returns:
            False if it must wait its turn, or for a person at a terminal, whose prompt belongs to it.
        """
        if self.size or self.draining or self.ending or self.prompt or after > self.host.commits.durable:
            return False
        if not self.broken:
            self._send(data, ())
        return True

    def _spoiled(self) -> None:
        """A list that is still being written cannot be: what is behind it is lost with the session."""
        self.clear()
        self.session.fail()

    def _send(self, data: bytes, receipts: tuple[int, ...]) -> None:
        try:
            sent = self.transport.try_send(data)
        except GONE:
            self.session.broken()
            return
        if sent == len(data):
            if receipts:
                self.host.delivered(receipts)
            return
        self.give_back(data[sent:], receipts)
        if self.overflowing:
            self.session.cut_off()
        else:
            self._send_slowly()

    def _send_slowly(self) -> None:
        """Leave the rest to a task that waits for the peer, and lets others run."""
        if not self.draining and not self.broken and not self.ending:
            self.draining = True
            self.host.spawn(self._drain_slowly)

    async def _drain_slowly(self) -> None:
        try:
            await self.drain()
        finally:
            self.draining = False

    async def drain(self) -> None:
        """Send, waiting for the peer, until nothing is left that may be sent."""
        while True:
            try:
                chunk = self.take(self.host.commits.durable, PIECE)
            except Exception:
                self._spoiled()
                return
            if chunk is None:
                return
            try:
                await self.transport.send_all(chunk.data)
            except GONE:
                if not self.broken:
                    self.session.broken()
                return
            if chunk.receipts:
                self.host.delivered(chunk.receipts)

    def break_off(self) -> None:
        """Nothing more can be sent; what waits no longer counts against the others."""
        self.broken = True
        self.clear()

    def let_go(self) -> None:
        """The session is over; without the way back to it both are freed at once, and need not be looked for."""
        del self.session
