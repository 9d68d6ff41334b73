"""The server on real sockets: what peers and the system do to it that memory streams cannot."""

import errno
import gc
import os
import re
import socket
import struct
import weakref
from collections import Counter, deque

import attrs
import pytest
import trio

from fibsd.server import app as app_module
from fibsd.server import listeners as listeners_module
from fibsd.server.listeners import open_listeners
from fibsd.session import session as session_module
from tests.support.client import Clock
from tests.support.ring import Client, Closed, config, running

GOODBYE = r" {29}Goodbye\.\r\n"
HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(range(60))
"""The beginning of what a TLS client says first."""


async def test_telnet_session() -> None:
    """From the banner to the goodbye."""
    async with running() as ring:
        await ring.account("ann")
        client = await ring.connect()
        await client.until("login: $")
        await client.send("ann")
        await client.until("password: $")
        await client.send("secret")
        await client.until(r"\*\* User ann authenticated\.\r\n\*\* Last login: .*\r\n")
        await client.until(r"^> ")
        await client.send("who", "bye")
        assert " ann " in await client.until(GOODBYE)
        await client.rest()
        await ring.sessions_become(0)


async def test_nothing_of_a_session_must_be_looked_for() -> None:
    """What refers to each other lets go when it ends: a server may run for hours before it looks for cycles."""
    async with running() as ring:
        known, unknown = await ring.user("ann"), await ring.connect()
        await unknown.until("login: $")
        left = [weakref.ref(session) for session in ring.app.engine.sessions.values()]
        gc.disable()
        try:
            await known.send("bye")
            await known.rest()
            unknown.reset()
            await ring.sessions_become(0)
            assert [session() for session in left] == [None, None]
        finally:
            gc.enable()


async def test_peers_reset_during_a_storm_of_shouts() -> None:
    """Only their sessions end; the others hear everything, and no task stays behind."""
    async with running() as ring:
        stay = [await ring.user(name) for name in ("ann", "bob")]
        leave = [await ring.user("u" + "abcdefghij"[n // 10] + "abcdefghij"[n % 10]) for n in range(50)]
        await ring.sessions_become(52)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_shout, stay[0], 300)
            nursery.start_soon(_hear, stay[1], 300)
            for client in leave:
                await trio.sleep(0.001)
                client.reset()
        await ring.sessions_become(2)
        assert ring.on_line() == {"ann", "bob"}
        for client in stay:
            await client.answers()


async def _shout(client: Client, times: int) -> None:
    for number in range(times):
        await client.send(f"shout storm {number}")
        await client.until(rf"^17 storm {number}\r\n")


async def _hear(client: Client, times: int) -> None:
    for number in range(times):
        await client.until(rf"^13 ann storm {number}\r\n")


async def test_half_closed_peer_gets_all_answers() -> None:
    """As from `printf … | nc -N`: the goodbye comes, though nothing more can come from him."""
    async with running() as ring:
        await ring.account("ann")
        client = await ring.connect()
        await client.send("login c 1008 ann secret", "who", "whois ann", "shout hello", "bye")
        await client.stream.send_eof()
        text = await client.rest()
        assert re.search(r"^1 ann .*^6\r\n5 ann .*^6\r\nInformation about ann:.*^17 hello\r\n", text, re.M | re.S)
        assert re.search(GOODBYE, text, re.M)
        await ring.sessions_become(0)


async def test_half_closed_peer_that_never_reads_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last words have a time limit."""
    monkeypatch.setattr(session_module, "GOODBYE_S", 0.2)
    async with running(listeners=_narrow()) as ring:
        client = await ring.connect(receive_buffer=4096)
        await client.until("login: $")
        await ring.account("ann")
        await client.send("login c 1008 ann secret", *["help"] * 10, *[f"tell ann {'x' * 4000}"] * 20, "bye")
        await client.stream.send_eof()
        await ring.sessions_become(0)


async def test_slow_reader_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """At its bound and with a logged reason; nobody else is delayed."""
    monkeypatch.setattr(session_module, "GOODBYE_S", 0.2)
    async with running(config(outbox_bytes=65_536), listeners=_narrow()) as ring:
        ann, bob = await ring.user("ann"), await ring.user("bob")
        slow = await ring.connect(receive_buffer=4096)
        await ring.account("slow")
        await slow.login("slow")
        for number in range(50):
            with trio.fail_after(1):
                await ann.send(f"shout {number} {'x' * 4000}")
                await ann.until(rf"^17 {number} x+\r\n")
                await bob.until(rf"^13 ann {number} x+\r\n")
        await ring.sessions_become(2)
        assert ring.on_line() == {"ann", "bob"}
        await bob.until(r"^8 slow Network error with slow\.\r\n")
    (reason,) = [entry for entry in ring.logs if entry["event"] == "slow reader cut off"]
    assert reason["user"] == "slow"
    assert 65_536 < reason["waiting_bytes"] < 75_000


async def test_slow_reader_that_wakes_up_in_time_is_told_why() -> None:
    """On a line of its own, whatever he was being sent when he was cut off."""
    async with running(config(outbox_bytes=65_536), listeners=_narrow()) as ring:
        ann = await ring.user("ann")
        slow = await ring.connect(receive_buffer=4096)
        await ring.account("slow")
        await slow.login("slow")
        for number in range(50):
            await ann.send(f"shout {number} {'x' * 4000}")
            await ann.until(rf"^17 {number} x+\r\n")
        assert [entry["user"] for entry in ring.logs if entry["event"] == "slow reader cut off"] == ["slow"]
        with trio.fail_after(4):
            await slow.until(r"^\*\* You read too slowly\. Goodbye\.\r\n")
        await ring.sessions_become(1)


async def test_quick_reader_may_ask_for_much_at_once() -> None:
    """What the kernel takes at once does not count as unread, however much one packet asks for."""
    async with running(config(outbox_bytes=65_536)) as ring:
        client = await ring.user("ann")
        await client.send(*["help beginner"] * 31)
        for _ in range(31):
            await client.until(r"^SEE ALSO\r\n")
        await client.answers()


async def test_fullest_outbox_goes_when_all_together_are_too_much() -> None:
    """Each of two slow readers stays below his own bound, but not both below the common one."""
    async with running(config(outbox_total_bytes=1_000_000), listeners=_narrow()) as ring:
        ann = await ring.user("ann")
        for name in ("slow", "slower"):
            await ring.account(name)
            await (await ring.connect(receive_buffer=4096)).login(name)
        for number in range(200):
            await ann.send(f"shout {number} {'x' * 4000}")
            await ann.until(rf"^17 {number} x+\r\n")
        assert len(ring.on_line()) == 2
        assert [entry["event"] for entry in ring.logs if entry["log_level"] == "warning"] == ["slow reader cut off"]
        assert ring.app.engine.backlog.size < 1_000_000


def _narrow() -> list[socket.socket]:
    """A listening socket whose connections send through a small buffer, so that the outbox has to hold the rest."""
    listeners = open_listeners(("127.0.0.1:0",))
    for listener in listeners:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return listeners


# --- bytes that are no commands --------------------------------------------------------------------------------


async def test_endless_line_ends_the_session() -> None:
    """Memory is bounded: at a megabyte the line counts as broken."""
    async with running() as ring:
        client = await ring.user("ann")
        with pytest.raises((Closed, trio.BrokenResourceError)):
            await _send_for_ever(client)
        await ring.sessions_become(0)


async def _send_for_ever(client: Client) -> None:
    for _ in range(100):
        await client.send_bytes(b"x" * 65_536)
    await client.until("nothing")


async def test_endless_line_before_the_login() -> None:
    """Nobody has to wait for a megabyte of it."""
    async with running() as ring:
        client = await ring.connect()
        await client.send_bytes(b"x" * 5000)
        assert "** Your line is too long" in await client.rest()
        await ring.sessions_become(0)


async def test_command_after_a_line_that_is_too_long() -> None:
    """One refusal, and the next command works."""
    async with running() as ring:
        client = await ring.user("ann")
        await client.send(f"shout {'x' * 100_000}", "version")
        text = await client.until(r"^\*\* Version .*\r\n")
        assert re.fullmatch(r"\*\* Your line is too long: at most 4096 bytes\.\r\n\*\* Version .*\r\n", text)


async def test_web_browser() -> None:
    """It is told in its own language and hung up on."""
    async with running() as ring:
        client = await ring.connect()
        await client.send("GET / HTTP/1.1", "Host: x", "")
        assert re.search(r"login: HTTP/1\.0 400 .*\r\nConnection: close\r\n", await client.rest())
        await ring.sessions_become(0)


@pytest.mark.parametrize("size", [11, len(HELLO)])
async def test_tls_client_on_the_clear_port(size: int) -> None:
    """Nothing in it ends a line, so it would wait until the login times out: it is hung up on at once."""
    async with running() as ring:
        client = await ring.connect()
        await client.until("login: $")
        await client.send_bytes(HELLO[:size])
        await client.rest()
        await ring.sessions_become(0)


async def test_telnet_command_cut_in_two() -> None:
    """The half of it waits, and the line around it stays whole."""
    async with running() as ring:
        client = await ring.user("ann")
        await client.send_bytes(b"vers\xff")
        await trio.sleep(0.01)
        await client.send_bytes(b"\xfd\x56ion\r\n")
        assert re.fullmatch(r"\xff\xfc\x56\*\* Version .*\r\n", await client.until(r"Version .*\r\n"))


# --- limits ----------------------------------------------------------------------------------------------------


async def test_login_and_idle_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not log in, and who does nothing, is hung up on; who just did something stays."""
    monkeypatch.setattr(app_module, "SWEEP_S", 0.01)
    clock = Clock()
    async with running(config(login_s=60, idle_s=3600), clock=clock) as ring:
        ann, bob = await ring.user("ann"), await ring.user("bob")
        stranger = await ring.connect()
        await stranger.until("login: $")
        clock.at += 61
        assert "Connection timed out.\r\n" in await stranger.rest()
        clock.at += 3500
        await ann.answers()
        clock.at += 50
        assert "Connection timed out.\r\n" in await bob.rest()
        await ann.until(r"^8 bob Connection with bob timed out\.\r\n")
        await ring.sessions_become(1)


async def test_server_full() -> None:
    """One too many is told so; when somebody has gone there is room again."""
    async with running(config(max_users=2)) as ring:
        first, second = await ring.connect(), await ring.connect()
        await first.until("login: $")
        await second.until("login: $")
        assert await (await ring.connect()).rest() == "** This server is full. Please try again later.\r\n"
        first.reset()
        await ring.sessions_become(1)
        await (await ring.connect()).until("login: $")


@attrs.define(eq=False)
class Reluctant:
    """A listening socket that fails at first, as the system makes it fail."""

    sock: socket.socket
    errors: deque[int]

    def fileno(self) -> int:
        """Of the socket."""
        return self.sock.fileno()

    def getsockname(self) -> tuple[str, int]:
        """Of the socket."""
        host, port = self.sock.getsockname()
        return host, port

    def close(self) -> None:
        """Close the socket."""
        self.sock.close()

    def accept(self) -> tuple[socket.socket, object]:
        """Accept, when all errors are used up."""
        if self.errors:
            number = self.errors.popleft()
            raise OSError(number, os.strerror(number))
        return self.sock.accept()


async def test_accepting_survives_what_the_system_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more files to be had, and a peer that has gone before it was accepted."""
    monkeypatch.setattr(listeners_module, "ACCEPT_PAUSE_S", 0.01)
    (listener,) = open_listeners(("127.0.0.1:0",))
    reluctant = Reluctant(listener, deque([errno.ECONNABORTED, errno.EMFILE, errno.EMFILE, errno.ENFILE]))
    async with running(listeners=[reluctant]) as ring:  # type: ignore[list-item]
        client = await ring.connect()
        await client.until("login: $")
    assert [entry["log_level"] for entry in ring.logs if entry["event"] == "cannot accept connections"] == [
        "warning"
    ] * 3


async def test_others_have_their_turn_while_many_are_taken_in() -> None:
    """However many have connected at once, only some of them are taken in before other tasks go on."""
    (listener,) = open_listeners(("127.0.0.1:0",))
    many = 5 * listeners_module.ACCEPTED_IN_A_ROW
    peers = [socket.create_connection(listener.getsockname()) for _ in range(many)]
    turns, arrivals = 0, Counter[int]()

    def arrive(sock: socket.socket, _: str) -> None:
        arrivals[turns] += 1
        sock.close()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listeners_module.take_in, listener, arrive)
        with trio.fail_after(5):
            while arrivals.total() < many:
                await trio.lowlevel.checkpoint()
                turns += 1
        nursery.cancel_scope.cancel()
    assert max(arrivals.values()) <= 2 * listeners_module.ACCEPTED_IN_A_ROW
    for sock in (*peers, listener):
        sock.close()


async def test_peer_that_is_gone_before_it_is_accepted() -> None:
    """Its session ends by itself."""
    (listener,) = open_listeners(("127.0.0.1:0",))
    for _ in range(5):
        early = socket.create_connection(listener.getsockname())
        early.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        early.close()
    async with running(listeners=[listener]) as ring:
        await (await ring.connect()).until("login: $")
        await ring.sessions_become(1)


async def test_two_listeners() -> None:
    """Both lead to the same server."""
    listeners = open_listeners(("127.0.0.1:0", "127.0.0.1:0"))
    async with running(listeners=listeners) as ring:
        ann = await ring.user("ann")
        await ring.account("bob")
        with trio.fail_after(1):
            stream = await trio.open_tcp_stream(*listeners[1].getsockname())
        async with stream:
            bob = await Client(stream).login("bob")
            await bob.send("tell ann hello")
            await ann.until(r"^12 bob hello\r\n")


async def test_stopping_tells_everybody() -> None:
    """The three lines reach all who are logged in; then all are hung up on."""
    async with running() as ring:
        clients = [await ring.user("ann"), await ring.user("bob"), await ring.connect()]
        ring.app._stop.set()
        for client in clients[:2]:
            text = await client.rest()
            assert re.search(r"^\*\* System adm.*\r\n\*\* All.*\r\n\*\* It.*\r\n$", text, re.M)
        await clients[2].rest()
