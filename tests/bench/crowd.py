"""Clients of our own: a crowd that only listens, and single ones that are made to do something at a given moment.

`python -m tests.bench.crowd PORT COUNT PREFIX LIMIT` logs in by CLIP, prints how many are in, at the latest after so
many seconds, and drains until its standard input ends.
"""

from __future__ import annotations

import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import attrs

from tests.bench.machine import settle_in
from tests.bench.servers import PASSWORD, names
from tests.support.process import ROOT, environment

WINDOW = 32
"""Logins on their way at the same time."""
ANSWER_S = 20.0
_CHUNK = 1 << 18


def _login(name: str) -> bytes:
    return f"login bench 1008 {name} {PASSWORD}\r\n".encode()


class Client:
    """One logged-in CLIP client that waits for what it is sent."""

    def __init__(self, port: int, name: str) -> None:
        self._sock = socket.create_connection(("127.0.0.1", port), ANSWER_S)
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""
        self.until(b"login: ")
        self._sock.sendall(_login(name))
        self.until(b"\n6\r\n")

    def send(self, line: str) -> None:
        """Type a line."""
        self._sock.sendall(line.encode() + b"\r\n")

    def until(self, text: bytes) -> None:
        """Read until this was sent; what follows it is kept for the next time.

        Raises:
            TimeoutError: It does not come.
            EOFError: The server hung up.
        """
        while text not in self._received:
            data = self._sock.recv(_CHUNK)
            if not data:
                raise EOFError(f"no {text!r} before the end")
            self._received += data
        self._received = self._received.partition(text)[2]

    def drain(self) -> None:
        """Forget all that was sent so far."""
        self._received = b""
        self._sock.setblocking(False)
        try:
            while self._sock.recv(_CHUNK):
                pass
        except BlockingIOError:
            pass
        self._sock.settimeout(ANSWER_S)

    def close(self) -> None:
        """Hang up."""
        self._sock.close()


@contextmanager
def crowd(port: int, count: int, prefix: str, core: int, limit_s: float) -> Iterator[tuple[int, int]]:
    """So many idle CLIP users, for the time of the block.

    Gives:
        The process that holds them, and how many there are: fewer if the time was not enough.
    """
    popen = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.crowd", str(port), str(count), prefix, str(limit_s)],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(settle_in, {core}),
    )
    with popen:
        try:
            assert popen.stdout is not None
            inside = popen.stdout.readline()
            if not inside:
                raise OSError(f"{count} users could not log in")
            yield popen.pid, int(inside)
        finally:
            popen.kill()


@attrs.define(eq=False)
class _Newcomer:
    """A connection of the crowd.

    Attributes:
        name: Whose.
        tail: The last bytes received, enough to see what it waits for.
        asked: Whether name and password were sent.
        inside: Whether the list of users has ended.
    """

    name: str
    tail: bytes = b""
    asked: bool = False
    inside: bool = False


def hold(port: int, count: int, prefix: str, limit_s: float) -> None:
    """Log in and listen until standard input ends."""
    waiting = iter(names(prefix, "i", count))
    late = time.monotonic() + limit_s
    selector = selectors.DefaultSelector()
    selector.register(sys.stdin, selectors.EVENT_READ)
    logging_in = inside = 0
    told = False
    while True:
        while logging_in < WINDOW and time.monotonic() < late and (name := next(waiting, None)) is not None:
            sock = socket.create_connection(("127.0.0.1", port))
            sock.setblocking(False)
            selector.register(sock, selectors.EVENT_READ, _Newcomer(name))
            logging_in += 1
        if not logging_in and not told:
            told = True
            print(inside, flush=True)
        for key, _ in selector.select():
            if key.data is None:
                return
            if _receive(key.fileobj, key.data):  # type: ignore[arg-type] # ours are sockets
                logging_in -= 1
                inside += 1


def _receive(sock: socket.socket, who: _Newcomer) -> bool:
    """Take what was sent; whether this made the login complete."""
    data = sock.recv(_CHUNK)
    if not data:
        sys.exit(f"{who.name} was hung up on")
    if who.inside:
        return False
    who.tail = (who.tail + data)[-400:]
    if not who.asked and who.tail.endswith(b"login: "):
        who.asked = True
        sock.send(_login(who.name))
    elif who.asked and b"\n6\r\n" in who.tail:
        who.inside = True
        who.tail = b""
    return who.inside


if __name__ == "__main__":
    hold(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
