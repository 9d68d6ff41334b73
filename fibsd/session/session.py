"""One connection: bytes in, lines handled, bytes out."""

import contextlib
import enum
from collections.abc import Sequence
from functools import partial

import attrs
import structlog
import trio

from fibsd.observe.log import speak_as_before, speak_for
from fibsd.protocol.lines import Item, LineSplitter, TooLong, decode_text, encode_text
from fibsd.protocol.messages import own
from fibsd.protocol.pager import Pages
from fibsd.protocol.telnet import TelnetFilter
from fibsd.session.host import Dialog, Door, Host, Turnstile, Waiting
from fibsd.session.limits import Bucket
from fibsd.session.outbox import Chunk
from fibsd.session.output import Output
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


@attrs.define(eq=False, kw_only=True)
class Session:
    """A connection and its state.

    It has no task of its own: what comes is handled at once, by whoever brings it. A task is made for a line that
    must wait for something, for a peer that is slow to read, and for the end. Until such a line is done nothing more
    is read.

    Attributes:
        id: Number of the session.
        transport: What carries its bytes.
        host: The server.
        door: By which it leaves.
        peer: The network address of the peer.
        output: What is to be sent.
        splitter: Cuts the input into lines.
        pace: How fast lines are taken.
        turnstile: Where those wait who have sent much at once; one for all sessions.
        flood_lines: Lines that may lie unread while they are taken slowly.
        started: Unix seconds.
        dialog: The login dialog, until somebody is logged in.
        kind: How the user logged in.
        user: Who is logged in.
        known_as: Who has ever logged in on it: whom the log tells of.
        pages: What remains of a long answer that is read page by page.
        store_waits: Whether he was told that the store hangs.
        hidden: Whether the peer was asked not to show what is typed.
        last_job: Number of the last job that came from what was typed here.
        ending: Set when the server ends the session.
    """

    id: SessionId
    transport: Transport
    host: Host
    door: Door
    peer: str
    output: Output
    splitter: LineSplitter
    pace: Bucket
    turnstile: Turnstile
    flood_lines: int
    started: float
    dialog: Dialog | None = None
    kind: SessionKind | None = None
    user: UserName | None = None
    known_as: UserName | None = None
    pages: Pages | None = None
    store_waits: bool = False
    hidden: bool = False
    last_job: int = 0
    ending: End | None = None
    telnet: TelnetFilter = attrs.Factory(TelnetFilter)
    _telnet_pace: Bucket | None = None
    _unread: Sequence[Item] = ()
    _scope: trio.CancelScope | None = None
    _how: Farewell = Farewell.DROP
    _over: bool = False
    _departed: bool = False

    def __attrs_post_init__(self) -> None:
        self.output.session = self

    # --- life --------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Say the first words, and begin to listen."""
        try:
            if self.dialog is not None:
                self.dialog.greet()
                self.flush()
            self.transport.start(self)
        except Exception:
            self.fail()

    def welcome(self, kind: SessionKind, user: UserName) -> None:
        """Somebody has logged in."""
        self.kind, self.user, self.known_as = kind, user, user
        self.dialog = None
        self.output.prompt = "> " if kind is SessionKind.TELNET else ""

    def received(self, data: bytes) -> None:
        """Handle what the peer has sent; nothing if it will send no more. What is said to it goes at the next flush."""
        if self._over:
            return
        speak_for(self)
        try:
            if data:
                self._input(data)
            else:
                self._finish()
        except Exception:
            self.fail()
        finally:
            speak_for(None)

    def broken(self) -> None:
        """Handle that the peer is gone: end the session without a word."""
        self.output.break_off()
        self._finish()

    def flush_all(self) -> None:
        """Send what was said, here and to others."""
        self.host.flush()

    def spawn(self, task: Waiting) -> None:
        """Run a task beside the sessions."""
        self.host.spawn(task)

    def _input(self, data: bytes) -> None:
        if self.user is None and data.startswith(TLS_HELLO):
            log.info("wrong protocol")
            self.end(End.AT_ONCE)
            return
        self._unread = self.splitter.feed(data if self.telnet.passes(data) else self._without_telnet(data))
        waiting = self._handle_lines()
        if waiting is None:
            self._input_handled()
        elif not self._over:
            self.transport.hold()
            self._scope = trio.CancelScope()
            self.spawn(partial(self._go_on, self._scope, waiting))

    def _handle_lines(self) -> Waiting | None:
        """Handle the lines that were read, up to the first that must wait for something; what is left of that one."""
        lines = self._unread
        began = now = trio.current_time()
        for count, item in enumerate(lines, 1):
            if self._over:
                break
            if self.output.unwritten is not None:
                self._unread = lines[count - 1 :]
                return self._list_written
            if not self.pace.take(now):
                self._unread = lines[count - 1 :]
                return self._slow_down
            waiting = self._handle(item, now)
            if waiting is None and count < len(lines):
                now = trio.current_time()
                if count == LINES_IN_A_ROW or now - began > TURN_S:
                    waiting = self._let_others
            if waiting is not None:
                self._unread = lines[count:]
                return waiting
        self._unread = ()
        return None

    def _handle(self, item: Item, now: float) -> Waiting | None:
        if isinstance(item, TooLong):
            self._too_long()
        elif self.user is not None:
            return self.host.line(self, decode_text(item), now)
        elif self.dialog is not None:
            return partial(self.dialog.line, decode_text(item))
        return None

    async def _go_on(self, scope: trio.CancelScope, waiting: Waiting | None) -> None:
        """Wait for what a line waits for, and handle what came with it."""
        speak_for(self)
        try:
            with scope:
                while waiting is not None:
                    await waiting()
                    waiting = self._handle_lines()
        except Exception:
            self.fail()
        finally:
            self._scope = None
            if self._over:
                self.door.leaves(self)
        if not self._over:
            self._input_handled()
            self.host.flush()
        if not self._over:
            self.transport.go_on()

    def _input_handled(self) -> None:
        if self.splitter.dropped > ENDLESS_LINE:
            log.info("endless line")
            self.end(End.AFTER_OUTPUT)
        if self.output.size:
            self.host.touch(self.output)

    def _without_telnet(self, data: bytes) -> bytes:
        """The application's bytes; a peer that sends telnet commands without measure is hung up on."""
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
            self.output.put(Chunk(replies))
        return text

    def _takes_telnet(self, commands: int) -> bool:
        """Whether so many telnet commands are not too many; most peers never send one."""
        now = trio.current_time()
        if self._telnet_pace is None:
            self._telnet_pace = Bucket.full(TELNET_PER_S, TELNET_BURST, now)
        return self._telnet_pace.take(now, commands)

    async def _let_others(self) -> None:
        """Let others have their turn before so many lines go on."""
        self.host.flush()
        await self.turnstile.turn()

    async def _list_written(self) -> None:
        """Wait until the peer has read so much of a long list that it is written to its end.

        What a list is still to be written from is counted by no limit: of all that is typed before it is read, there is
        only one.
        """
        self.host.flush()
        if self.output.unwritten is not None:
            await self.output.unwritten.wait()
        # Many lists may have ended just now, and each of these sessions may ask for the next one.
        await self.turnstile.turn()

    async def _slow_down(self) -> None:
        """Take lines no faster than they may come; nobody waits for that but this session."""
        if len(self._unread) - 1 > self.flood_lines:
            log.warning("flood cut off", unread_lines=len(self._unread) - 1)
            self.write("\r\n" + own.OWN_TOO_FAST() + "\r\n")
            self.end(End.AFTER_OUTPUT)
            return
        self.flush()
        self.host.flush()
        await trio.sleep(self.pace.wait_s(trio.current_time()))

    def _too_long(self) -> None:
        if self.dialog is not None and self.user is None:
            self.dialog.line_too_long()
            return
        self.write(own.OWN_LINE_TOO_LONG(n=self.splitter.limit) + "\r\n" + self.output.prompt)

    # --- the end -----------------------------------------------------------------------------------------------

    def end(self, how: End) -> None:
        """End the session from outside, or after the present line."""
        if self.ending is None:
            self.ending = how
            self.output.ending = True
        if how is End.AT_ONCE:
            self.output.clear()
        self._finish()

    def fail(self) -> None:
        """A fault of ours ends nobody's session but this one."""
        # It may have shown when somebody else's line was told.
        log.exception("session failed", session=self.id, user=self.known_as)
        # He has not left.
        self._how = Farewell.NETWORK_ERROR
        self._finish()

    def _finish(self) -> None:
        """Handle no more, and leave; not at once, since others may just be told something, or leave as well."""
        if self._over:
            return
        self._over = True
        self.transport.hold()
        if self._scope is None:
            self.door.leaves(self)
        else:
            # What waits for this session leaves when it has stopped.
            self._scope.cancel()

    @property
    def leaving(self) -> bool:
        """Whether the session departs as soon as it is its turn."""
        return self._over and self._scope is None

    def depart(self) -> None:
        """Go off-line, and have somebody say goodbye; nothing, if that was done before its turn."""
        if self._departed:
            return
        self._departed = True
        before = speak_for(self)
        try:
            self.host.gone(self, self._how)
        except Exception:
            self.fail()
        finally:
            speak_as_before(before)
            self.spawn(self._say_goodbye)

    async def _say_goodbye(self) -> None:
        speak_for(self)
        try:
            with trio.move_on_after(GOODBYE_S, shield=True):
                await self._last_words()
            self.output.break_off()
            with trio.move_on_after(GOODBYE_S, shield=True), contextlib.suppress(*GONE):
                await self.transport.aclose()
        finally:
            self.door.closed(self)
            # Whoever never logged in still has his dialog, which refers to him, too.
            self.dialog = None
            self.output.let_go()

    async def _last_words(self) -> None:
        """Send what may still be sent, as soon as it may."""
        output = self.output
        while (output or output.draining) and not output.broken and self.ending is not End.AT_ONCE:
            if not output.draining:
                await output.drain()
            if output or output.draining:
                await trio.sleep(0.01)

    # --- output ------------------------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Queue a text that depends on nothing stored; sent at the next flush."""
        self.output.put(Chunk(encode_text(text, utf8=False)))

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
        self.output.put(Chunk(data))

    def flush(self) -> None:
        """Send at once what may be sent."""
        self.output.flush()

    def cut_off(self) -> None:
        """Hang up on a peer that does not read."""
        # Somebody else's line may have brought this about, so whose session it is must be told.
        log.warning("slow reader cut off", session=self.id, user=self.user, waiting_bytes=self.output.size)
        self._how = Farewell.NETWORK_ERROR
        self.output.clear()
        self.write("\r\n" + own.OWN_TOO_SLOW() + "\r\n")
        self.end(End.AFTER_OUTPUT)
