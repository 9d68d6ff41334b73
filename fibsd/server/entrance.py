"""What a connection goes through before its session begins."""

import socket
import ssl
from collections.abc import Callable
from functools import partial

import attrs
import structlog
import trio

from fibsd.session.transport import SocketTransport, StreamTransport, Transport

log = structlog.get_logger()

ARRIVAL_S = 10.0
"""Seconds in which a peer must have shaken hands."""


class _Unwelcome(Exception):
    """The peer does not do what is wanted of it; the text is fit for a log line."""


@attrs.define(eq=False, kw_only=True)
class Entrance:
    """Turns accepted sockets into transports.

    Attributes:
        tasks: Where peers are waited for; cancelled when no more may come.
        begin: Begins a session, with the network address of its peer.
        most: Peers that may be waited for at once.
        tls: How TLS is spoken, if it is.
        waiting: Peers that are waited for.
    """

    tasks: trio.Nursery
    begin: Callable[[Transport, str], None]
    most: int
    tls: ssl.SSLContext | None = None
    waiting: int = 0

    def arrive(self, sock: socket.socket, peer: str, *, encrypted: bool = False) -> None:
        """Take over a socket that was accepted."""
        if not encrypted:
            self.begin(SocketTransport(sock), peer)
        elif self.waiting >= self.most:
            log.warning("connection refused", peer=peer, reason="too many handshakes")
            sock.close()
        else:
            self.waiting += 1
            self.tasks.start_soon(partial(self._welcome, sock, peer, encrypted=encrypted))

    async def _welcome(self, sock: socket.socket, peer: str, *, encrypted: bool) -> None:
        """Do what waits for the peer; whatever becomes of it, the socket is closed or a session's."""
        transport: Transport | None = None
        try:
            with trio.fail_after(ARRIVAL_S):
                transport = await self._handshake(sock)
        except (_Unwelcome, trio.TooSlowError) as error:
            log.info("connection refused", peer=peer, reason=str(error) or "too slow")
        except Exception:
            log.exception("arrival failed", peer=peer)
        finally:
            self.waiting -= 1
            if transport is None:
                sock.close()
        if transport is not None:
            self.begin(transport, peer)

    async def _handshake(self, sock: socket.socket) -> Transport:
        if self.tls is None:
            raise _Unwelcome("there is no certificate")
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(sock))
        encrypted = trio.SSLStream(stream, self.tls, server_side=True)
        try:
            await encrypted.do_handshake()
        except trio.BrokenResourceError as error:
            cause = error.__cause__
            reason = getattr(cause, "reason", None) or "the peer has gone"
            raise _Unwelcome(f"no TLS handshake: {reason.lower().replace('_', ' ')}") from error
        return StreamTransport(encrypted)
