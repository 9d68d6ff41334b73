"""A whole server on real sockets, and plain clients for it."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import attrs
import trio
import trio.testing

from fibsd.config import Config
from fibsd.server.app import App
from fibsd.server.listeners import open_listeners
from fibsd.server.measure import Monitor
from fibsd.session.transport import StreamTransport
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Store
from fibsd.world.account import Account
from fibsd.world.changes import AccountCreated
from fibsd.world.ids import UserName
from tests.support.client import RAISED

from .client import PASSWORD, Clock, PlainPasswords, ScriptedChance, captured_logs

PATIENCE_S = 2.0
"""How long a test waits for what should come at once."""


class Closed(Exception):
    """The server has closed the connection; the text is what had come before and was not read yet."""


@attrs.define(eq=False)
class Client:
    """One connection to the server."""

    stream: trio.SocketStream | trio.SSLStream[trio.SocketStream]
    pending: bytes = b""

    async def send(self, *lines: str) -> None:
        """Send lines in one piece."""
        await self.stream.send_all("".join(f"{line}\r\n" for line in lines).encode())

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        await self.stream.send_all(data)

    async def until(self, wanted: str, timeout_s: float = PATIENCE_S) -> str:
        """All that comes up to the first match of a regular expression.

        Raises:
            Closed: The connection ended before.
            AssertionError: It did not come in time.
        """
        pattern = re.compile(wanted.encode("latin-1"), re.MULTILINE)
        found = None
        with trio.move_on_after(timeout_s):
            while (found := pattern.search(self.pending)) is None:
                await self._more()
        assert found is not None, f"no {wanted!r} in {self.pending[-2000:]!r}"
        text, self.pending = self.pending[: found.end()], self.pending[found.end() :]
        return text.decode("latin-1")

    async def rest(self, timeout_s: float = PATIENCE_S) -> str:
        """All that comes until the server closes the connection."""
        with trio.fail_after(timeout_s), contextlib.suppress(Closed):
            while True:
                await self._more()
        text, self.pending = self.pending, b""
        return text.decode("latin-1")

    async def _more(self) -> None:
        try:
            data = await self.stream.receive_some(65536)
        except trio.BrokenResourceError:
            data = b""
        if not data:
            raise Closed(self.pending.decode("latin-1"))
        self.pending += bytes(data)

    async def login(self, name: str) -> Client:
        """Log in by CLIP and read the whole answer."""
        await self.until("login: $")
        await self.send(f"login test 1008 {name} {PASSWORD}")
        await self.until(r"^6\r\n")
        return self

    async def answers(self) -> None:
        """See that the server still answers this session."""
        await self.send("version")
        await self.until(r"^\*\* Version .*\r\n")

    def reset(self) -> None:
        """Hang up rudely: the server sees a reset instead of an end."""
        stream = self.stream.transport_stream if isinstance(self.stream, trio.SSLStream) else self.stream
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stream.socket.close()


@attrs.define(eq=False)
class Ring:
    """A running server.

    Attributes:
        app: The server.
        address: Where it listens.
        logs: What it has logged; an error in it fails the test.
        own_tasks: How many tasks it has without any session.
    """

    app: App
    address: tuple[str, int]
    logs: list[MutableMapping[str, Any]]
    own_tasks: int
    _clients: contextlib.AsyncExitStack

    async def connect(self, *, receive_buffer: int | None = None) -> Client:
        """A new connection, closed at the end of the test.

        Args:
            receive_buffer: Size of the client's buffer in the kernel, for one that reads slowly.
        """
        sock = trio.socket.socket()
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.connect(self.address)
        stream = trio.SocketStream(sock)
        await self._clients.enter_async_context(stream)
        return Client(stream)

    async def account(self, name: str) -> None:
        """Make an account with the password of all test users."""
        account = Account(name=UserName(name), password_hash=f"plain:{PASSWORD}")
        assert await self.app.engine.store_now(AccountCreated(account=account))

    async def user(self, name: str) -> Client:
        """A client that is logged in as a new user."""
        await self.account(name)
        return await (await self.connect()).login(name)

    def on_line(self) -> set[str]:
        """Who is logged in."""
        return set(self.app.engine.world.users)

    async def sessions_become(self, number: int, timeout_s: float = PATIENCE_S) -> None:
        """Wait until there are so many sessions, none of which has a task but a reading one if it is encrypted."""
        tasks = self.app._tasks
        assert tasks is not None
        sessions = self.app.engine.sessions
        with trio.fail_after(timeout_s):
            # Sockets and tasks that end have no event to wait for.
            while True:
                encrypted = sum(isinstance(session.transport, StreamTransport) for session in sessions.values())
                wanted = (number, number, self.own_tasks + encrypted)
                if (len(sessions), self.app.connections.open, len(tasks.child_tasks)) == wanted:
                    return
                await trio.sleep(0.005)


def config(**limits: float) -> Config:
    """Defaults with other limits."""
    return Config(limits=attrs.evolve(RAISED, **limits))  # type: ignore[arg-type]


@contextlib.asynccontextmanager
async def running(
    configuration: Config | None = None,
    *,
    store: Store | None = None,
    clock: Clock | None = None,
    listeners: list[socket.socket] | None = None,
    tls: list[socket.socket] | None = None,
    monitor: Monitor | None = None,
    may_fail: bool = False,
) -> AsyncIterator[Ring]:
    """A server on a free port of the loopback interface; at the end it stops as it would for a signal.

    Args:
        configuration: Defaults if none.
        store: One in memory if none.
        clock: Stands still unless the test moves it.
        listeners: The test's own listening sockets.
        tls: Listening sockets for TLS.
        monitor: Counts and shows figures.
        may_fail: Whether the store may be unable to store everything at the end.
    """
    app = App(
        config=configuration or Config(limits=RAISED),
        store=store or MemoryStore(),
        passwords=PlainPasswords(),
        chance=ScriptedChance(),
        now=(clock or Clock()).now,
        monitor=monitor,
    )
    listeners = listeners or open_listeners(("127.0.0.1:0",))
    address = listeners[0].getsockname()
    stored: list[bool] = []
    with captured_logs() as logs:
        async with trio.open_nursery() as nursery, contextlib.AsyncExitStack() as clients:

            async def serve(task_status: trio.TaskStatus[None]) -> None:
                stored.append(await app.run(listeners, tls=tls or (), task_status=task_status))

            await nursery.start(serve)
            assert app._tasks is not None
            await trio.testing.wait_all_tasks_blocked()
            try:
                yield Ring(app, address, logs, len(app._tasks.child_tasks), clients)
            finally:
                app._stop.set()
                for listener in (*listeners, *(tls or ())):
                    listener.close()
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []
    assert may_fail or stored == [True]
