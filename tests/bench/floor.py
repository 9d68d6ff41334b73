"""The floors: the least that a trio server can cost, to be measured in the same minutes as the server itself.

`python -m tests.bench.floor t1` answers each line, `t1-stored` answers it when it is safely on a disk, `t0` sends it to
everybody; they speak just enough of a login for the load generator. Each prints its port.
"""

from __future__ import annotations

import os
import queue
import socket
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import trio

LINE = 162
"""Bytes of an answer: about a line of FIBS."""
ANSWER = b"x" * (LINE - 2) + b"\r\n"
LOGIN = b"\r\n1 somebody 1\r\n2 somebody\r\n6\r\n"
BANNER = b"login: "
ANSWERS = {b"login": LOGIN, b"set": ANSWER, b"time": ANSWER}
CHUNK = 65_536


RECORD = b"x" * 200
"""What is stored of a line: about what a move is in a journal."""


class Disk:
    """Stores records by one thread: all that wait are written in one piece."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[int, trio.Event]] = queue.SimpleQueue()
        self._token = trio.lowlevel.current_trio_token()
        threading.Thread(target=self._write, daemon=True).start()

    async def store(self, count: int) -> None:
        """Store so many records."""
        stored = trio.Event()
        self._waiting.put((count, stored))
        await stored.wait()

    def _write(self) -> None:
        with tempfile.TemporaryFile(dir=".", buffering=0) as file:
            while True:
                batch = [self._waiting.get()]
                with suppress(queue.Empty):
                    while True:
                        batch.append(self._waiting.get_nowait())
                file.write(RECORD * sum(count for count, _ in batch))
                os.fdatasync(file.fileno())
                self._token.run_sync_soon(self._tell, batch)

    @staticmethod
    def _tell(batch: list[tuple[int, trio.Event]]) -> None:
        for _, stored in batch:
            stored.set()


async def answer(stream: trio.SocketStream, disk: Disk | None = None) -> None:
    """T1: receive through trio, cut into lines, look each up, send all answers of a chunk in one piece."""
    rest = b""
    await stream.send_all(BANNER)
    while data := await stream.receive_some(CHUNK):
        *lines, rest = (rest + data).split(b"\n")
        answers = [ANSWERS[words[0]] for line in lines if (words := line.split())]
        if disk is not None:
            await disk.store(len(answers))
        await stream.send_all(b"".join(answers))


async def spread(stream: trio.SocketStream, everybody: set[socket.socket]) -> None:
    """T0: wait, receive and send plainly; a line that is no login goes to everybody."""
    # The plain socket below trio's: what is measured is a server that awaits nothing in order to write.
    sock = socket.socket(fileno=stream.socket.detach())
    sock.setblocking(False)
    rest = b""
    with sock:
        sock.send(BANNER)
        while True:
            await trio.lowlevel.wait_readable(sock)
            data = sock.recv(CHUNK)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                word, _, text = line.strip().partition(b" ")
                if word == b"shout":
                    told = (b"13 somebody " + text).ljust(LINE - 2) + b"\r\n"
                    for other in everybody:
                        other.send(told)
                else:
                    sock.send(ANSWERS[word])
                    everybody.add(sock)
        everybody.discard(sock)


async def serve(kind: str) -> None:
    """Serve for ever on a free port, which is printed."""
    handler: Callable[[trio.SocketStream], Awaitable[None]]
    match kind:
        case "t1":
            handler = answer
        case "t1-stored":
            handler = partial(answer, disk=Disk())
        case _:
            handler = partial(spread, everybody=set())

    async def handle(stream: trio.SocketStream) -> None:
        # The load generator hangs up without a word at its end.
        with suppress(OSError, trio.BrokenResourceError):
            await handler(stream)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    print(listeners[0].socket.getsockname()[1], flush=True)
    await trio.serve_listeners(handle, listeners)


if __name__ == "__main__":
    trio.run(serve, sys.argv[1])
