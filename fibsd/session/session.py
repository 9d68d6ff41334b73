"""One connection: bytes in, lines handled, bytes out."""

import contextlib
import enum
from collections.abc import Awaitable, Callable
from typing import Protocol

import attrs
import structlog
import trio

from fibsd.protocol.lines import LineSplitter, TooLong, decode_text, encode_text
from fibsd.protocol.messages import own
from fibsd.protocol.pager import Pages
from fibsd.protocol.telnet import TelnetFilter
from fibsd.protocol.viewer import View
from fibsd.session.limits import Bucket
from fibsd.session.outbox import PIECE, Chunk, Outbox
from fibsd.session.transport import GONE, Transport
from fibsd.world.events import Farewell
from fibsd.world.ids import SessionId, UserName
from fibsd.world.lobby import SessionKind

log = structlog.get_logger()

LINES_IN_A_ROW = 32
"""Lines of one session that are handled before others get their turn."""
TURN_S = 0.001
"""Seconds after which others get their turn, if so many lines take longer."""
TELNET_BURST = 1_000
"""Telnet commands that a peer may send at once; a client sends a few, and some more when its window changes."""
TELNET_PER_S = 20.0
"""Telnet commands in a second that it may send for long."""
TELNET_PIECE = 1_024
"""Bytes that are searched for telnet commands before they are counted."""
ENDLESS_LINE = 1_048_576
"""Bytes of one line after which a session is taken for broken."""
TLS_HELLO = b"\x16\x03"
"""How a TLS client begins; what it says has no line end, and on a clear port there is no answer to it."""
GOODBYE_S = 5.0
"""Seconds in which the last words must have been taken."""


class End(enum.Enum):
    """How a session is ended by the server."""

    AFTER_OUTPUT = "what is in the outbox is sent first"
    AT_ONCE = "nothing more is sent"


class Host(Protocol):
    """What a session needs of the server around it."""

    @property
    def durable(self) -> int:
        """Number of the newest job that is stored, all before it included."""

    async def line(self, session: "Session", text: str) -> None:
        """Handle a line of a logged-in user."""

    def flush(self) -> None:
        """Send what waits in the outboxes that were touched."""

    def delivered(self, receipts: tuple[int, ...]) -> None:
        """Messages were sent to their receiver."""

    def gone(self, session: "Session", how: Farewell) -> None:
        """The session has ended; whoever is still logged in on it leaves."""

    def spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the sessions."""


class Dialog(Protocol):
    """What a session says before somebody is logged in."""

    def greet(self) -> None:
        """Say the first words."""

    async def line(self, text: str) -> None:
        """Handle a line."""

    def line_too_long(self) -> None:
        """Answer a line that was too long."""


@attrs.define(eq=False)
class Turnstile:
    """Lets those who have much to be handled go on one at a time, however many they are.

    Nobody waits in it whose lines are handled in one turn.
    """

    _lock: trio.Lock = attrs.Factory(trio.Lock)

    async def turn(self) -> None:
        """Let others have their turn, and wait for one's own."""
        async with self._lock:
            await trio.lowlevel.checkpoint()


@attrs.define(eq=False, kw_only=True)
class Session:
    """A connection and its state. One task reads; sending needs none unless the peer is slow.

    Attributes:
        id: Number of the session.
        transport: What carries its bytes.
        host: The server.
        peer: The network address of the peer.
        outbox: What is to be sent.
        splitter: Cuts the input into lines.
        pace: How fast lines are taken.
        turnstile: Where those wait who have sent much at once; one for all sessions.
        flood_lines: Lines that may lie unread while they are taken slowly.
        started: Unix seconds.
        dialog: The login dialog, until somebody is logged in.
        kind: How the user logged in.
        user: Who is logged in.
        view: The present view, with what it was made of (kept by the server).
        pages: What remains of a long answer that is read page by page.
        store_waits: Whether he was told that the store hangs.
        hidden: Whether the peer was asked not to show what is typed.
        last_job: Number of the last job that came from what was typed here.
        ending: Set when the server ends the session.
    """

    id: SessionId
    transport: Transport
    host: Host
    peer: str
    outbox: Outbox
    splitter: LineSplitter
    pace: Bucket
    turnstile: Turnstile
    flood_lines: int
    started: float
    dialog: Dialog | None = None
    kind: SessionKind | None = None
    user: UserName | None = None
    view: tuple[object, object, object, object, View] | None = None
    pages: Pages | None = None
    store_waits: bool = False
    hidden: bool = False
    last_job: int = 0
    ending: End | None = None
    telnet: TelnetFilter = attrs.Factory(TelnetFilter)
    _telnet_pace: Bucket | None = None
    _scope: trio.CancelScope = attrs.Factory(trio.CancelScope)
    _how: Farewell = Farewell.DROP
    _draining: bool = False
    _broken: bool = False

    # --- life --------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Live: greet, read until the end, say goodbye, close."""
        try:
            with self._scope:
                await self._read()
        finally:
            self.host.gone(self, self._how)
            with trio.move_on_after(GOODBYE_S, shield=True):
                await self._last_words()
            # What nobody will be told no longer counts against the others.
            self.outbox.clear()
            with trio.move_on_after(GOODBYE_S, shield=True), contextlib.suppress(*GONE):
                await self.transport.aclose()

    async def _read(self) -> None:
        """Read and handle input until the peer or the server ends it."""
        if self.dialog is not None:
            self.dialog.greet()
            self.flush()
        while self.ending is None and not self._broken:
            try:
                data = await self.transport.receive()
            except GONE:
                self._break()
                return
            if not data:
                return
            await self._input(data)

    async def _input(self, data: bytes) -> None:
        if self.user is None and data.startswith(TLS_HELLO):
            log.info("wrong protocol")
            self.end(End.AT_ONCE)
            return
        lines = self.splitter.feed(self._without_telnet(data))
        began = now = trio.current_time()
        for count, item in enumerate(lines, 1):
            if not self.pace.take(now):
                await self._slow_down(len(lines) - count)
                began = trio.current_time()
            if self.ending is not None:
                break
            if isinstance(item, TooLong):
                self._too_long()
            elif self.user is not None:
                await self.host.line(self, decode_text(item))
            elif self.dialog is not None:
                await self.dialog.line(decode_text(item))
            now = trio.current_time()
            if count % LINES_IN_A_ROW == 0 or now - began > TURN_S:
                self.host.flush()
                await self.turnstile.turn()
                began = now = trio.current_time()
        if self.splitter.dropped > ENDLESS_LINE:
            log.info("endless line")
            self.end(End.AFTER_OUTPUT)
        self.host.flush()
        if self.outbox.size:
            self.flush()

    def _without_telnet(self, data: bytes) -> bytes:
        """The application's bytes; a peer that sends telnet commands without measure is hung up on."""
        if self.telnet.passes(data):
            return data
        text = b""
        for start in range(0, len(data), TELNET_PIECE):
            before = self.telnet.commands
            text += self.telnet.feed(data[start : start + TELNET_PIECE])
            commands = self.telnet.commands - before
            if commands and not self._takes_telnet(commands):
                log.warning("telnet storm cut off")
                self.write("\r\n" + own.OWN_TOO_FAST() + "\r\n")
                self.end(End.AFTER_OUTPUT)
                return b""
        if replies := self.telnet.replies():
            self.outbox.put(Chunk(replies))
        return text

    def _takes_telnet(self, commands: int) -> bool:
        """Whether so many telnet commands are not too many; most peers never send one."""
        now = trio.current_time()
        if self._telnet_pace is None:
            self._telnet_pace = Bucket.full(TELNET_PER_S, TELNET_BURST, now)
        return self._telnet_pace.take(now, commands)

    async def _slow_down(self, unread: int) -> None:
        """Take lines no faster than they may come; nobody waits for that but this session."""
        if unread > self.flood_lines:
            log.warning("flood cut off", unread_lines=unread)
            self.write("\r\n" + own.OWN_TOO_FAST() + "\r\n")
            self.end(End.AFTER_OUTPUT)
            return
        self.flush()
        self.host.flush()
        taken = False
        while not taken:
            await trio.sleep(self.pace.wait_s(trio.current_time()))
            taken = self.pace.take(trio.current_time())

    def _too_long(self) -> None:
        if self.dialog is not None and self.user is None:
            self.dialog.line_too_long()
            return
        self.write(own.OWN_LINE_TOO_LONG(n=self.splitter.limit) + "\r\n" + self.prompt)

    async def _last_words(self) -> None:
        """Send what may still be sent, as soon as it may."""
        while (self.outbox or self._draining) and not self._broken and self.ending is not End.AT_ONCE:
            if not self._draining:
                await self._drain()
            if self.outbox or self._draining:
                await trio.sleep(0.01)

    def end(self, how: End) -> None:
        """End the session from outside its task, or after the present line."""
        if self.ending is None:
            self.ending = how
        if how is End.AT_ONCE:
            self.outbox.clear()
        self._scope.cancel()

    # --- output ------------------------------------------------------------------------------------------------

    @property
    def prompt(self) -> str:
        """What ends the output for a person at a terminal; programs get none."""
        return "> " if self.kind is SessionKind.TELNET else ""

    def write(self, text: str) -> None:
        """Queue a text that depends on nothing stored; sent at the next flush."""
        self.outbox.put(Chunk(encode_text(text, utf8=False)))

    def hide(self) -> None:
        """Ask a terminal not to show what is typed next."""
        if self.kind is SessionKind.TELNET or self.kind is None:
            self.hidden = True
            self.write_bytes(self.telnet.echo_off())

    def unhide(self) -> None:
        """The line break that the hidden Enter did not make, and typing is shown again."""
        if self.hidden:
            self.hidden = False
            self.write("\r\n")
            self.write_bytes(self.telnet.echo_on())

    def write_bytes(self, data: bytes) -> None:
        """Queue bytes that depend on nothing stored."""
        self.outbox.put(Chunk(data))

    def flush(self) -> None:
        """Send at once what may be sent; a slow peer gets a task that waits for him."""
        if self._draining or self._broken:
            return
        chunk = self.outbox.take(self.host.durable)
        if chunk is not None:
            self._send(chunk.data, chunk.receipts)

    def send(self, data: bytes, after: int) -> bool:
        """Send a piece at once, if nothing stands in front of it: news for the whole room need no queue.

        Returns:
            False if it must wait its turn.
        """
        if self._draining or self.outbox or self.ending is not None or after > self.host.durable:
            return False
        if not self._broken:
            self._send(data, ())
        return True

    def _send(self, data: bytes, receipts: tuple[int, ...]) -> None:
        try:
            sent = self.transport.try_send(data)
        except GONE:
            self._break()
            return
        if sent == len(data):
            if receipts:
                self.host.delivered(receipts)
            return
        self.outbox.give_back(data[sent:], receipts)
        if self.outbox.overflowing:
            self.cut_off()
        elif self.ending is None:
            self._draining = True
            self.host.spawn(self._drain_slowly)

    def cut_off(self) -> None:
        """Hang up on a peer that does not read."""
        # Somebody else's line may have brought this about, so whose session it is must be told.
        log.warning("slow reader cut off", session=self.id, user=self.user, waiting_bytes=self.outbox.size)
        self._how = Farewell.NETWORK_ERROR
        self.outbox.clear()
        self.write("\r\n" + own.OWN_TOO_SLOW() + "\r\n")
        self.end(End.AFTER_OUTPUT)

    async def _drain_slowly(self) -> None:
        try:
            await self._drain()
        finally:
            self._draining = False

    async def _drain(self) -> None:
        """Send, waiting for the peer, until nothing is left that may be sent."""
        try:
            while chunk := self.outbox.take(self.host.durable, PIECE):
                await self.transport.send_all(chunk.data)
                if chunk.receipts:
                    self.host.delivered(chunk.receipts)
        except GONE:
            self._break()

    def _break(self) -> None:
        """The peer is gone: end the session without a word."""
        self._broken = True
        self.outbox.clear()
        self._scope.cancel()
