"""TLS beside the clear port: the same sessions, and peers that do not shake hands."""

import contextlib
import re
import socket
import ssl
from collections.abc import AsyncIterator

import attrs
import pytest
import trio

from fibsd.config import Config, Limits
from fibsd.server import entrance as entrance_module
from fibsd.server.listeners import open_listeners
from fibsd.session import session as session_module
from tests.support.authority import HOST, Authority
from tests.support.client import RAISED
from tests.support.ring import Client, Ring, running

GOODBYE = r" {29}Goodbye\.\r\n"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """One for all: making keys takes longer than the tests."""
    return Authority(tmp_path_factory.mktemp("tls"))


@attrs.define
class Encrypted:
    """A running server that speaks TLS too."""

    ring: Ring
    address: tuple[str, int]
    authority: Authority

    async def tcp(self, receive_buffer: int | None = None) -> trio.SocketStream:
        """A connection to the TLS port on which nothing was said yet."""
        sock = trio.socket.socket()
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.connect(self.address)
        return await self.ring._clients.enter_async_context(trio.SocketStream(sock))

    async def connect(self, receive_buffer: int | None = None) -> Client:
        """A client that has shaken hands."""
        tcp = await self.tcp(receive_buffer)
        stream = trio.SSLStream(tcp, self.authority.client(), server_hostname=HOST)
        await stream.do_handshake()
        return Client(stream)

    async def refusal(self) -> str:
        """Why the next connection was refused."""
        with trio.fail_after(2):
            while True:
                reasons = [entry for entry in self.ring.logs if entry["event"] == "connection refused"]
                if reasons:
                    assert [entry["peer"] for entry in reasons] == ["127.0.0.1"]
                    self.ring.logs.clear()
                    return reasons[0]["reason"]
                await trio.sleep(0.005)


@contextlib.asynccontextmanager
async def encrypted(
    authority: Authority, *, limits: Limits = RAISED, send_buffer: int | None = None
) -> AsyncIterator[Encrypted]:
    """A server with one clear and one TLS port."""
    (listener,) = open_listeners(("127.0.0.1:0",))
    if send_buffer is not None:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    address = listener.getsockname()
    async with running(Config(tls=authority.section, limits=limits), tls=[listener]) as ring:
        yield Encrypted(ring, address, authority)


async def test_the_same_session_as_in_the_clear(authority: Authority) -> None:
    """From the banner to the goodbye and TLS's own end, and together with those on the clear port."""
    async with encrypted(authority) as server:
        ann = await server.ring.user("ann")
        await server.ring.account("bob")
        client = await server.connect()
        assert client.stream.version() == "TLSv1.3"
        bob = await client.login("bob")
        await bob.send("tell ann hello")
        await ann.until(r"^12 bob hello\r\n")
        await ann.send(*["shout " + "x" * 4000] * 50)
        for _ in range(50):
            await bob.until(r"^13 ann x{4000}\r\n")
        await bob.send("bye")
        await bob.until(GOODBYE)
        # An end that was cut off would raise.
        assert await bob.stream.receive_some() == b""
        await server.ring.sessions_become(1)


async def test_plain_bytes_on_the_tls_port(authority: Authority) -> None:
    """Told to the operator only, and hung up on."""
    async with encrypted(authority) as server:
        for line, reason in ((b"login c 1008 ann secret\r\n", "wrong version number"), (b"GET / HTTP/1.1\r\n", "http")):
            stream = await server.tcp()
            await stream.send_all(line)
            assert reason in await server.refusal()
            await Client(stream).rest()
        await server.ring.sessions_become(0)


async def test_peer_that_goes_in_the_middle_of_the_handshake(authority: Authority) -> None:
    """By an end, and by a reset."""
    async with encrypted(authority) as server:
        stream = await server.tcp()
        await stream.aclose()
        assert (await server.refusal()).startswith("no TLS handshake: ")
        client = Client(await server.tcp())
        await client.send_bytes(b"\x16\x03\x01\x00")
        client.reset()
        assert (await server.refusal()).startswith("no TLS handshake: ")
        await server.ring.sessions_become(0)


async def test_peer_that_says_nothing(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person at a plain telnet on the wrong port waits as the server does, so the server ends it."""
    monkeypatch.setattr(entrance_module, "ARRIVAL_S", 0.05)
    async with encrypted(authority) as server:
        silent = Client(await server.tcp())
        assert await silent.rest() == ""
        assert await server.refusal() == "too slow"


@pytest.mark.parametrize("limit", ["max_connections", "connections_per_address"])
async def test_too_many_handshakes(authority: Authority, limit: str) -> None:
    """So many as there may be connections, in all and from one address."""
    async with encrypted(authority, limits=attrs.evolve(RAISED, **{limit: 2})) as server:
        waiting = [Client(await server.tcp()) for _ in range(2)]
        await trio.sleep(0.02)
        assert await Client(await server.tcp()).rest() == ""
        assert await server.refusal() == "too many handshakes"
        for client in waiting:
            client.reset()
        await trio.sleep(0.02)
        await (await server.connect()).until("login: $")
        # Those who have shaken hands count, too.
        waiting = [Client(await server.tcp())]
        await trio.sleep(0.02)
        server.ring.logs.clear()
        assert await Client(await server.tcp()).rest() == ""
        assert await server.refusal() == "too many handshakes"


async def test_half_closed_peer_gets_all_answers(authority: Authority) -> None:
    """TLS's own half close, since an end of TCP alone could come from anybody."""
    async with encrypted(authority) as server:
        await server.ring.account("ann")
        client = await server.connect()
        await client.send("login c 1008 ann secret", "who", "shout hello", "bye")
        stream = client.stream
        assert isinstance(stream, trio.SSLStream)
        with contextlib.suppress(ssl.SSLWantReadError):
            stream._ssl_object.unwrap()
        await stream.transport_stream.send_all(stream._outgoing.read())
        text = await client.rest()
        assert re.search(rf"^17 hello\r\n.*{GOODBYE}", text, re.M | re.S)
        await server.ring.sessions_become(0)


async def test_peers_reset_during_a_storm(authority: Authority) -> None:
    """Only their sessions end."""
    async with encrypted(authority) as server:
        ann = await server.ring.user("ann")
        clients = []
        for number in range(5):
            await server.ring.account(name := "u" + "abcde"[number])
            clients.append(await (await server.connect()).login(name))
        for number in range(50):
            await ann.send(f"shout storm {number}")
            if number < 5:
                clients[number].reset()
        await ann.until(r"^17 storm 49\r\n")
        await server.ring.sessions_become(1)


async def test_slow_reader_is_cut_off(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on the clear port, and he is removed though he never takes TLS's goodbye."""
    monkeypatch.setattr(session_module, "GOODBYE_S", 0.2)
    limits = attrs.evolve(RAISED, outbox_bytes=65_536)
    async with encrypted(authority, limits=limits, send_buffer=4096) as server:
        ann = await server.ring.user("ann")
        await server.ring.account("slow")
        await (await server.connect(receive_buffer=4096)).login("slow")
        for number in range(100):
            await ann.send(f"shout {number} {'x' * 4000}")
            await ann.until(rf"^17 {number} x+\r\n")
        await server.ring.sessions_become(1)
    (reason,) = [entry for entry in server.ring.logs if entry["event"] == "slow reader cut off"]
    assert reason["user"] == "slow"


async def test_peer_that_never_reads_its_goodbye_is_removed(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last words have a time limit here too."""
    monkeypatch.setattr(session_module, "GOODBYE_S", 0.2)
    async with encrypted(authority, send_buffer=4096) as server:
        client = await server.connect(receive_buffer=4096)
        await client.until("login: $")
        await server.ring.account("ann")
        await client.send("login c 1008 ann secret", *["help"] * 10, *[f"tell ann {'x' * 4000}"] * 20, "bye")
        await server.ring.sessions_become(0)


async def test_stopping_tells_everybody_and_leaves_no_handshake_behind(authority: Authority) -> None:
    """The goodbye comes encrypted; who has not shaken hands is hung up on."""
    async with encrypted(authority) as server:
        await server.ring.account("ann")
        ann = await (await server.connect()).login("ann")
        halfway = Client(await server.tcp())
        await trio.sleep(0.02)
        server.ring.app._stop.set()
        assert re.search(r"^\*\* System adm.*\r\n\*\* All.*\r\n\*\* It.*\r\n$", await ann.rest(), re.M)
        assert await halfway.rest() == ""
