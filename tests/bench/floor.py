"""The floors: the least that a trio server can cost, to be measured in the same minutes as the server itself.

`python -m tests.bench.floor t1` answers each line, `t0` sends each line to everybody; both speak just enough of a
login for the load generator. Each prints its port.
"""

from __future__ import annotations

import socket
import sys
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


async def answer(stream: trio.SocketStream) -> None:
    """T1: receive through trio, cut into lines, look each up, send all answers of a chunk in one piece."""
    rest = b""
    await stream.send_all(BANNER)
    while data := await stream.receive_some(CHUNK):
        *lines, rest = (rest + data).split(b"\n")
        answers = [ANSWERS[words[0]] for line in lines if (words := line.split())]
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
    handler = answer if kind == "t1" else partial(spread, everybody=set())

    async def handle(stream: trio.SocketStream) -> None:
        # The load generator hangs up without a word at its end.
        with suppress(OSError, trio.BrokenResourceError):
            await handler(stream)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    print(listeners[0].socket.getsockname()[1], flush=True)
    await trio.serve_listeners(handle, listeners)


if __name__ == "__main__":
    trio.run(serve, sys.argv[1])
