"""What carries a session's bytes. Sending never waits for the peer, unless a task was made for it."""

import socket
from typing import Protocol

import trio

RECEIVE_BYTES = 65_536

GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError)
"""What a transport raises when the peer is gone."""


class Transport(Protocol):
    """A connection."""

    async def receive(self) -> bytes:
        """The next bytes; empty when the peer will send no more."""

    def try_send(self, data: bytes) -> int:
        """Send what can be sent at once; how many bytes that was."""

    async def send_all(self, data: bytes) -> None:
        """Send everything, however long it takes."""

    async def aclose(self) -> None:
        """Close; harmless when closed."""


class SocketTransport:
    """A connected TCP socket, read and written without going through the scheduler more than needed."""

    __slots__ = ("_sock",)

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock

    async def receive(self) -> bytes:
        """The next bytes; empty when the peer will send no more."""
        while True:
            await trio.lowlevel.wait_readable(self._sock)
            try:
                return self._sock.recv(RECEIVE_BYTES)
            except (BlockingIOError, InterruptedError):
                continue

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
        if self._sock.fileno() != -1:
            trio.lowlevel.notify_closing(self._sock)
            self._sock.close()
        await trio.lowlevel.checkpoint()


class StreamTransport:
    """Any trio stream: TLS, or the memory streams of tests. All sending is left to the drain task."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

    async def receive(self) -> bytes:
        """The next bytes; empty when the peer will send no more."""
        return bytes(await self._stream.receive_some(RECEIVE_BYTES))

    def try_send(self, data: bytes) -> int:
        """A stream cannot be written without waiting."""
        return 0

    async def send_all(self, data: bytes) -> None:
        """Send everything."""
        await self._stream.send_all(data)

    async def aclose(self) -> None:
        """Close."""
        await self._stream.aclose()
