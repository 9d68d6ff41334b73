"""What a connection goes through before its session begins."""

import contextlib
import ipaddress
import socket
import ssl
from collections import Counter
from collections.abc import Callable
from functools import partial

import attrs
import structlog
import trio

from fibsd.protocol import proxy
from fibsd.server.guard import Guard, counted_as
from fibsd.session.sockets import Sockets
from fibsd.session.transport import SocketTransport, StreamTransport, Transport

log = structlog.get_logger()

ARRIVAL_S = 10.0
"""Seconds in which a peer must have told who it is, and shaken hands."""


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class _Unwelcome(Exception):
    """The peer does not do what is wanted of it.

    Attributes:
        what: What is missing, one of a few words.
    """

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what


@attrs.define(eq=False, kw_only=True)
class Entrance:
    """Turns accepted sockets into transports.

    Attributes:
        tasks: Where peers are waited for; cancelled when no more may come.
        sockets: Where plain sockets are read.
        begin: Begins a session, with the network address of its peer.
        refused: Counts a refusal, by one of a few words.
        guard: Limits of addresses.
        proxies: Where connections come from that begin with a PROXY header.
        tls: How TLS is spoken, if it is.
        waiting: Peers that are waited for, by what their addresses count as; they count as connections, too.
    """

    tasks: trio.Nursery
    sockets: Sockets
    begin: Callable[[Transport, str], None]
    refused: Callable[[str], None]
    guard: Guard
    proxies: tuple[Network, ...] = ()
    tls: ssl.SSLContext | None = None
    waiting: Counter[str] = attrs.Factory(Counter)

    def arrive(self, sock: socket.socket, peer: str, *, encrypted: bool = False) -> None:
        """Take over a socket that was accepted."""
        if not encrypted and not self._is_proxy(peer):
            self.begin(SocketTransport(sock, self.sockets), peer)
        elif self._too_many(peer):
            log.warning("connection refused", peer=peer, reason="too many handshakes")
            self.refused("too many handshakes")
            sock.close()
        else:
            self.waiting[counted_as(peer)] += 1
            self.tasks.start_soon(partial(self._welcome, sock, peer, encrypted=encrypted))

    def _too_many(self, peer: str) -> bool:
        """Whether no more peers can be waited for, or no more from this address."""
        limits = self.guard.limits
        if self.waiting.total() + self.guard.total >= limits.max_connections:
            return True
        counted = counted_as(peer)
        from_there = self.waiting[counted] + self.guard.connections[counted]
        exempt = self._is_proxy(peer) or self.guard.trusts(peer)
        return from_there >= limits.connections_per_address and not exempt

    def _is_proxy(self, peer: str) -> bool:
        return bool(self.proxies) and any(ipaddress.ip_address(peer) in network for network in self.proxies)

    async def _welcome(self, sock: socket.socket, peer: str, *, encrypted: bool) -> None:
        """Do what waits for the peer; whatever becomes of it, the socket is closed or a session's."""
        sock.setblocking(False)
        transport: Transport | None = None
        origin = peer
        try:
            with trio.fail_after(ARRIVAL_S):
                if self._is_proxy(peer):
                    origin = await _origin(sock) or peer
                transport = await self._handshake(sock) if encrypted else SocketTransport(sock, self.sockets)
        except _Unwelcome as error:
            log.info("connection refused", peer=peer, reason=str(error))
            self.refused(error.what)
        except trio.TooSlowError:
            log.info("connection refused", peer=peer, reason="too slow")
            self.refused("too slow")
        except Exception:
            log.exception("arrival failed", peer=peer)
        finally:
            self._no_longer_waiting(peer)
            if transport is None:
                sock.close()
        if transport is not None:
            self.begin(transport, origin)

    def _no_longer_waiting(self, peer: str) -> None:
        counted = counted_as(peer)
        self.waiting[counted] -= 1
        if not self.waiting[counted]:
            del self.waiting[counted]

    async def _handshake(self, sock: socket.socket) -> Transport:
        if self.tls is None:
            raise _Unwelcome("no TLS handshake", "there is no certificate")
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(sock))
        encrypted = trio.SSLStream(stream, self.tls, server_side=True)
        try:
            await encrypted.do_handshake()
        except trio.BrokenResourceError as error:
            reason = getattr(error.__cause__, "reason", None) or "the peer has gone"
            raise _Unwelcome("no TLS handshake", reason.lower().replace("_", " ")) from error
        return StreamTransport(encrypted)


async def _origin(sock: socket.socket) -> str | None:
    """Read a PROXY header and nothing behind it; the address that it tells, if it tells one."""
    data = b""
    try:
        while wanted := proxy.missing(data):
            await trio.lowlevel.wait_readable(sock)
            with contextlib.suppress(BlockingIOError):
                more = sock.recv(wanted)
                if not more:
                    raise _Unwelcome("bad PROXY header", "the peer has gone")
                data += more
        return proxy.source(data)
    except proxy.MalformedHeader as error:
        raise _Unwelcome("bad PROXY header", str(error)) from error
    except OSError as error:
        raise _Unwelcome("bad PROXY header", "the peer has gone") from error
