"""The pages for monitoring: answers, and peers that do not ask properly."""

import contextlib
import socket
from collections.abc import AsyncIterator

import attrs
import pytest
import trio

from fibsd.server import web as web_module
from fibsd.server.listeners import open_listeners
from fibsd.server.web import MOST, Page, Pages, serve_pages
from tests.support.client import captured_logs


async def _hello() -> Page:
    await trio.lowlevel.checkpoint()
    return Page(body=b"hello\n")


async def _sick() -> Page:
    await trio.lowlevel.checkpoint()
    return Page(status=503, body=b"ill\n")


async def _fail() -> Page:
    await trio.lowlevel.checkpoint()
    raise ValueError("a fault of ours")


async def _never() -> Page:
    await trio.sleep_forever()
    raise AssertionError


PAGES: Pages = {"/hello": _hello, "/sick": _sick, "/fail": _fail, "/never": _never}


@attrs.frozen
class Web:
    """Where the pages are."""

    address: tuple[str, int]

    async def connect(self) -> trio.SocketStream:
        """A connection on which nothing was said."""
        return await trio.open_tcp_stream(*self.address)

    async def ask(self, request: bytes) -> bytes:
        """Everything that comes for these bytes."""
        with trio.fail_after(2):
            async with await self.connect() as stream:
                with contextlib.suppress(trio.BrokenResourceError):
                    await stream.send_all(request)
                return await everything(stream)


async def everything(stream: trio.SocketStream) -> bytes:
    """All that comes until the end."""
    answer = b""
    with contextlib.suppress(trio.BrokenResourceError):
        async for data in stream:
            answer += data
    return answer


@pytest.fixture
async def web(nursery: trio.Nursery) -> AsyncIterator[Web]:
    (listener,) = open_listeners(("127.0.0.1:0",))
    nursery.start_soon(serve_pages, listener, PAGES)
    try:
        yield Web(listener.getsockname())
    finally:
        nursery.cancel_scope.cancel()
        listener.close()


async def test_page(web: Web) -> None:
    """With its length, and the connection ends after it."""
    answer = await web.ask(b"GET /hello?x=1 HTTP/1.1\r\nHost: x\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.splitlines() == [
        b"HTTP/1.1 200 OK",
        b"Content-Type: text/plain; charset=utf-8",
        b"Content-Length: 6",
        b"Cache-Control: no-store",
        b"Connection: close",
    ]
    assert body == b"hello\n"


async def test_head_of_a_page(web: Web) -> None:
    answer = await web.ask(b"HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.endswith(b"Connection: close\r\n\r\n")
    assert b"Content-Length: 6\r\n" in answer


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET /sick HTTP/1.0\r\n\r\n", b"503 Service Unavailable"),
        (b"GET /other HTTP/1.1\r\nHost: x\r\n\r\n", b"404 Not Found"),
        (b"POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde", b"405 Method Not Allowed"),
        (b"login c 1008 ann secret\r\n\r\n", b"400 Bad Request"),
        (b"GET /hello HTTP/1.1\r\n\r\n", b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\n" + b"X: " + b"x" * 9000, b"431 Request Header Fields Too Large"),
    ],
)
async def test_other_answers(web: Web, request_line: bytes, status: bytes) -> None:
    answer = await web.ask(request_line)
    assert answer.startswith(b"HTTP/1.1 " + status + b"\r\n")


async def test_request_in_small_pieces(web: Web) -> None:
    async with await web.connect() as stream:
        for byte in b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n":
            await stream.send_all(bytes([byte]))
        assert (await everything(stream)).endswith(b"\r\n\r\nhello\n")


async def test_peers_that_go_or_say_nothing_or_ask_for_what_never_comes(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_module, "PATIENCE_S", 0.05)
    async with await web.connect() as stream:
        await stream.send_eof()
        assert await everything(stream) == b""
    assert await web.ask(b"") == b""
    assert await web.ask(b"GET /never HTTP/1.0\r\n\r\n") == b""
    assert await web.ask(b"GET /hello HTTP/1.0\r\n\r\n") != b""


async def test_too_many_at_once(web: Web) -> None:
    """One more is hung up on; when one has gone there is room again."""
    async with contextlib.AsyncExitStack() as stack:
        waiting = [await stack.enter_async_context(await web.connect()) for _ in range(MOST)]
        await trio.sleep(0.02)
        assert await web.ask(b"GET /hello HTTP/1.0\r\n\r\n") == b""
        await waiting[0].aclose()
        await trio.sleep(0.02)
        assert await web.ask(b"GET /hello HTTP/1.0\r\n\r\n") != b""


async def test_fault_of_ours(web: Web) -> None:
    """It is logged, and the next request is answered."""
    with captured_logs() as logs:
        assert await web.ask(b"GET /fail HTTP/1.0\r\n\r\n") == b""
    assert [entry["event"] for entry in logs] == ["page failed"]
    assert await web.ask(b"GET /hello HTTP/1.0\r\n\r\n") != b""


async def test_peer_that_resets(web: Web) -> None:
    stream = await web.connect()
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    await stream.send_all(b"GET /hel")
    stream.socket.close()
    assert await web.ask(b"GET /hello HTTP/1.0\r\n\r\n") != b""
