"""A local Unix socket on which the operator types what administrators type in-band."""

import errno
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import structlog
import trio

log = structlog.get_logger()

LINE_LIMIT = 4096
PATIENCE_S = 30.0
UMASK = 0o177
"""Only the user that runs the server may connect."""


def open_operator_socket(path: str) -> socket.socket:
    """A listening socket in the file system; a socket that a killed server left behind is replaced.

    Raises:
        OSError: The place cannot be used.
    """
    place = Path(path)
    if place.is_socket():
        if _answers(path):
            raise OSError(errno.EADDRINUSE, "another server answers there")
        place.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old = os.umask(UMASK)
    try:
        listener.bind(str(place))
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(old)
    listener.listen(8)
    return listener


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        try:
            sock.connect(path)
        except OSError:
            return False
        return True


async def serve_operator(listener: socket.socket, administer: Callable[[str], Awaitable[list[str]]]) -> None:
    """Answer one line for each connection, for ever."""
    sock = trio.socket.from_stdlib_socket(listener)
    listening = trio.SocketListener(sock)

    async def answer(stream: trio.SocketStream) -> None:
        # Whoever does not wait for the answer has his line done all the same.
        async with stream:
            with suppress(trio.BrokenResourceError), trio.move_on_after(PATIENCE_S):
                line = await _line(stream)
                # Another server only tries whether somebody is here.
                if line is None:
                    return
                try:
                    lines = await administer(line)
                except Exception:
                    log.exception("operator's line failed")
                    lines = ["** That failed; the log tells why."]
                await stream.send_all("".join(text + "\n" for text in lines).encode())

    await trio.serve_listeners(answer, [listening])


async def _line(stream: trio.SocketStream) -> str | None:
    """What is asked; None from whoever hangs up without a word."""
    data = b""
    while b"\n" not in data and len(data) < LINE_LIMIT:
        more = await stream.receive_some(LINE_LIMIT)
        if not more:
            break
        data += more
    return data.partition(b"\n")[0].decode(errors="replace").strip() if data else None


def ask_operator_socket(path: str, line: str) -> str:
    """Send one line to a running server, from another process; its answer.

    Raises:
        OSError: No server answers there.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(PATIENCE_S)
        sock.connect(path)
        sock.sendall(line.encode() + b"\n")
        sock.shutdown(socket.SHUT_WR)
        answer = b""
        while more := sock.recv(65_536):
            answer += more
    return answer.decode(errors="replace")
