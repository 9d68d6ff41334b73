"""Connections of those who mean harm: they send what they like, and do not mind what becomes of it."""

from __future__ import annotations

import itertools
import random
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import attrs
import trio

GONE = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)
PASSWORD = "secret"


def attacker(number: int) -> str:
    """Name of an account that an attacker has."""
    return "evil_" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")


@attrs.define(eq=False)
class Site:
    """Where an attack comes from, and where it goes.

    Attributes:
        address: Of the server.
        rng: What attackers choose with.
        peers: Those who are logged in when the attack begins.
        tasks: What reads for attackers who do not care for the answers.
    """

    address: tuple[str, int]
    rng: random.Random
    tasks: trio.Nursery
    peers: list[Peer] = attrs.Factory(list)
    _open: list[trio.SocketStream] = attrs.Factory(list)
    _turns: itertools.count[int] = attrs.Factory(itertools.count)

    async def connect(self, source: int | None = None, receive_buffer: int | None = None) -> Peer:
        """Connect from one of 200 addresses of the loopback; if none is given, from the next of the second half.

        Users have the first half: else they would have to wait for the guesses of strangers from their address.
        """
        number = 100 + next(self._turns) % 100 if source is None else source
        sock = trio.socket.socket()
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.bind((f"127.0.0.{2 + number % 200}", 0))
        await sock.connect(self.address)
        stream = trio.SocketStream(sock)
        self._open.append(stream)
        return Peer(self, stream)

    async def log_in(self, number: int, receive_buffer: int | None = None) -> Peer:
        """Connect, and log in with an account of an attacker."""
        peer = await self.connect(number, receive_buffer)
        await peer.send(f"login evil 1008 {attacker(number)} {PASSWORD}\r\n".encode())
        await peer.until(b"\r\n6\r\n")
        peer.account = number
        return peer

    def close(self) -> None:
        """Close all connections."""
        streams, self._open = self._open, []
        for stream in streams:
            stream.socket.close()


@attrs.define(eq=False)
class Peer:
    """One connection."""

    site: Site
    stream: trio.SocketStream
    account: int | None = None

    async def send(self, data: bytes) -> bool:
        """Send; whether the server still took it."""
        try:
            await self.stream.send_all(data)
        except GONE:
            return False
        return True

    async def until(self, wanted: bytes) -> bytes:
        """Read until this is in what was read, or until the end."""
        heard = b""
        with suppress(*GONE):
            while wanted not in heard and (data := await self.stream.receive_some(65536)):
                heard += data
        return heard

    def swallow(self) -> None:
        """Read without listening from now on."""

        async def read() -> None:
            with suppress(*GONE):
                while await self.stream.receive_some(65536):
                    pass

        self.site.tasks.start_soon(read)

    async def close(self) -> None:
        """Hang up."""
        with suppress(*GONE):
            await self.stream.aclose()

    def reset(self) -> None:
        """Be gone without a goodbye."""
        with suppress(*GONE):
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.stream.socket.close()


async def pace(per_s: float) -> AsyncIterator[int]:
    """Count, so many times a second; what was missed is not made up for."""
    for number in itertools.count():
        yield number
        await trio.sleep(1 / per_s)


async def each(site: Site, act: Callable[[Site, Peer], Awaitable[None]]) -> None:
    """Let everybody who is logged in act for ever; who is cut off logs in again."""

    async def persist(peer: Peer) -> None:
        while True:
            await act(site, peer)
            assert peer.account is not None
            peer = await site.log_in(peer.account)

    async with trio.open_nursery() as nursery:
        for peer in site.peers:
            nursery.start_soon(persist, peer)
