"""What carries a session's bytes. Sending never waits for the peer, unless a task was made for it."""

import socket
from collections.abc import Awaitable, Callable
from typing import Protocol

import attrs
import trio

from fibsd.session.sockets import Sockets

RECEIVE_BYTES = 65_536

GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError)
"""What a transport raises when the peer is gone."""


class Reader(Protocol):
    """Whoever takes what a transport brings."""

    def received(self, data: bytes) -> None:
        """Take what the peer has sent; nothing if it will send no more."""

    def broken(self) -> None:
        """Take note that the peer is gone."""

    def flush_all(self) -> None:
        """Send what was said because of what was brought."""

    def spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task."""


class Transport(Protocol):
    """A connection."""

    def start(self, reader: Reader) -> None:
        """Begin to bring what the peer sends, until it ends; to be called once."""

    def hold(self) -> None:
        """Bring nothing until told to go on; harmless when nothing is brought."""

    def go_on(self) -> None:
        """Bring again what the peer sends."""

    def try_send(self, data: bytes) -> int:
        """Send what can be sent at once; how many bytes that was."""

    async def send_all(self, data: bytes) -> None:
        """Send everything, however long it takes."""

    async def aclose(self) -> None:
        """Close; harmless when closed."""


class SocketTransport:
    """A connected TCP socket, read by whoever looks at all of them, and written without waiting."""

    __slots__ = ("_reader", "_sock", "_sockets", "_watched")

    def __init__(self, sock: socket.socket, sockets: Sockets) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._sockets = sockets
        self._reader: Reader | None = None
        self._watched = False

    def start(self, reader: Reader) -> None:
        """Begin to bring what the peer sends."""
        self._reader = reader
        self.go_on()

    def hold(self) -> None:
        """Bring nothing until told to go on."""
        if self._watched:
            self._watched = False
            self._sockets.leave(self._sock)

    def go_on(self) -> None:
        """Bring again what the peer sends."""
        if not self._watched:
            self._watched = True
            self._sockets.watch(self._sock, self)

    def readable(self) -> None:
        """Bring what has come; called when something has."""
        if self._reader is None or not self._watched:
            return
        try:
            data = self._sock.recv(RECEIVE_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._reader.broken()
            return
        self._reader.received(data)

    def try_send(self, data: bytes) -> int:
        """Send what the kernel takes at once."""
        try:
            return self._sock.send(data)
        except (BlockingIOError, InterruptedError):
            return 0

    async def send_all(self, data: bytes) -> None:
        """Send everything, waiting for room."""
        view = memoryview(data)
        while view:
            await trio.lowlevel.wait_writable(self._sock)
            view = view[self.try_send(bytes(view[:RECEIVE_BYTES])) :]

    async def aclose(self) -> None:
        """Close; tasks that wait for the socket are woken."""
        self._reader = None
        if self._sock.fileno() != -1:
            self.hold()
            trio.lowlevel.notify_closing(self._sock)
            self._sock.close()
        await trio.lowlevel.checkpoint()


@attrs.define(eq=False)
class StreamTransport:
    """Any trio stream: TLS, or the memory streams of tests. It is read by a task, and sent to by the drain task."""

    _stream: trio.abc.Stream
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _held: bool = attrs.field(default=False, init=False)
    _released: trio.Event = attrs.field(factory=trio.Event, init=False)

    def start(self, reader: Reader) -> None:
        """Begin to bring what the peer sends."""

        async def bring() -> None:
            with self._scope:
                await self._bring(reader)

        reader.spawn(bring)

    async def _bring(self, reader: Reader) -> None:
        data = None
        while data != b"":
            try:
                data = bytes(await self._stream.receive_some(RECEIVE_BYTES))
            except GONE:
                reader.broken()
                return
            reader.received(data)
            reader.flush_all()
            while self._held:
                await self._released.wait()

    def hold(self) -> None:
        """Bring nothing until told to go on."""
        if not self._held:
            self._held = True
            self._released = trio.Event()

    def go_on(self) -> None:
        """Bring again what the peer sends."""
        self._held = False
        self._released.set()

    def try_send(self, data: bytes) -> int:
        """A stream cannot be written without waiting."""
        return 0

    async def send_all(self, data: bytes) -> None:
        """Send everything."""
        await self._stream.send_all(data)

    async def aclose(self) -> None:
        """Close."""
        self._scope.cancel()
        await self._stream.aclose()
