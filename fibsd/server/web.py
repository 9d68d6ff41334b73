"""Two small pages for the operator's monitoring: `/metrics` and `/healthz`."""

import socket
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

import h11
import structlog
import trio

from fibsd.server.listeners import take_in
from fibsd.values import frozen

log = structlog.get_logger()

REQUEST_BYTES = 8192
"""Longest head of a request."""
PATIENCE_S = 5.0
"""Seconds for everything from a connection to its end."""
MOST = 16
"""Connections at once."""


@frozen(kw_only=True)
class Page:
    """An answer."""

    status: int = 200
    body: bytes
    content_type: str = "text/plain; charset=utf-8"


Pages = Mapping[str, Callable[[], Awaitable[Page]]]
"""What makes each page, by path."""


async def serve_pages(listener: socket.socket, pages: Pages) -> None:
    """Answer one request for each connection, for ever."""
    async with trio.open_nursery() as nursery:
        open_now = 0

        async def answer(sock: socket.socket) -> None:
            nonlocal open_now
            try:
                await _answer(sock, pages)
            finally:
                open_now -= 1
                sock.close()

        def arrive(sock: socket.socket, peer: str) -> None:
            nonlocal open_now
            if open_now >= MOST:
                sock.close()
                return
            open_now += 1
            nursery.start_soon(answer, sock)

        await take_in(listener, arrive)


async def _answer(sock: socket.socket, pages: Pages) -> None:
    """Read a request and answer it; a fault of ours is logged, and the peer hung up on."""
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(sock))
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=REQUEST_BYTES)
    try:
        with trio.move_on_after(PATIENCE_S):
            try:
                request = await _request(stream, connection)
            except h11.RemoteProtocolError as error:
                page = Page(status=error.error_status_hint, body=b"This is no request.\n")
                await stream.send_all(_response(connection, page))
                return
            if request is not None:
                page = await _page(request, pages)
                await stream.send_all(_response(connection, page, with_body=request.method != b"HEAD"))
    except trio.BrokenResourceError:
        pass
    except Exception:
        log.exception("page failed")


async def _request(stream: trio.SocketStream, connection: h11.Connection) -> h11.Request | None:
    """The head of the request; None if the peer has gone. A body is not read."""
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Request):
            return event
        if event is not h11.NEED_DATA:
            return None
        connection.receive_data(await stream.receive_some(REQUEST_BYTES))


async def _page(request: h11.Request, pages: Pages) -> Page:
    make = pages.get(request.target.decode("ascii", "replace").partition("?")[0])
    if make is None:
        return Page(status=404, body=b"There is no such page.\n")
    if request.method not in (b"GET", b"HEAD"):
        return Page(status=405, body=b"Only GET and HEAD are understood here.\n")
    return await make()


def _response(connection: h11.Connection, page: Page, *, with_body: bool = True) -> bytes:
    """The bytes of an answer, after which the connection is closed."""
    headers = [
        ("Content-Type", page.content_type),
        ("Content-Length", str(len(page.body))),
        ("Cache-Control", "no-store"),
        ("Connection", "close"),
    ]
    response = h11.Response(status_code=page.status, headers=headers, reason=HTTPStatus(page.status).phrase.encode())
    events: list[h11.Event] = [response, *([h11.Data(data=page.body)] if with_body else []), h11.EndOfMessage()]
    return b"".join(connection.send(event) or b"" for event in events)
