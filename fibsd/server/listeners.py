"""Listening sockets: how they are opened, and how what waits at them is taken in."""

import errno
import itertools
import os
import socket
from collections.abc import Callable

import structlog
import trio

from fibsd.config import parse_address

log = structlog.get_logger()

BACKLOG = 1024
ACCEPT_PAUSE_S = 0.1
ACCEPTED_IN_A_ROW = 3
"""Connections that are taken in before others get their turn: each is greeted at once, which takes a third of a ms."""
_TRY_AGAIN = {errno.ECONNABORTED, errno.EPROTO, errno.EINTR, errno.EPERM, errno.ECONNRESET}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


def open_listeners(addresses: tuple[str, ...]) -> list[socket.socket]:
    """Listening sockets for `HOST:PORT` texts.

    Raises:
        OSError: An address cannot be used.
    """
    listeners: list[socket.socket] = []
    try:
        for text in addresses:
            host, port = parse_address(text)
            for family, kind, proto, _, address in socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            ):
                listener = socket.socket(family, kind, proto)
                listeners.append(listener)
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind(address)
                listener.listen(BACKLOG)
                listener.setblocking(False)
    except BaseException:
        for listener in listeners:
            listener.close()
        raise
    return listeners


def shown_address(listener: socket.socket) -> str:
    """`HOST:PORT` of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def take_in(listener: socket.socket, arrive: Callable[[socket.socket, str], None]) -> None:
    """Accept all that wait, a few at a time, then wait, for ever; survive what a busy or exhausted system answers.

    Args:
        listener: Where they wait.
        arrive: Takes over each connection, with the network address of its peer.
    """
    while True:
        await trio.lowlevel.wait_readable(listener)
        for number in itertools.count(1):
            try:
                sock, address = listener.accept()
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno in _TRY_AGAIN:
                    continue
                if error.errno not in _EXHAUSTED:
                    raise
                log.warning("cannot accept connections", error=os.strerror(error.errno or 0))
                await trio.sleep(ACCEPT_PAUSE_S)
                break
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            arrive(sock, str(address[0]))
            if number % ACCEPTED_IN_A_ROW == 0:
                await trio.lowlevel.checkpoint()
