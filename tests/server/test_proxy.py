"""Connections that a proxy passes on: whose address counts, and what is closed."""

import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import attrs
import pytest
import trio

from fibsd.cli_db import health
from fibsd.config import Config, Listen
from fibsd.protocol.proxy import LOCAL_HEADER
from fibsd.server import entrance as entrance_module
from fibsd.server.listeners import open_listeners
from fibsd.server.settings import proxies
from tests.protocol.test_proxy import header, proxied
from tests.support.authority import HOST, Authority
from tests.support.client import RAISED
from tests.support.ring import Client, Ring, running

FROM_HERE = Config(limits=RAISED, listen=Listen(proxy_from=("192.0.2.0/24", "127.0.0.0/8")))
FROM_ELSEWHERE = Config(limits=RAISED, listen=Listen(proxy_from=("192.0.2.0/24",)))
HEADER = proxied("198.51.100.7", "192.0.2.1", b"\x04\x00\x01x")


def connections(ring: Ring) -> list[str]:
    """The addresses of all sessions so far."""
    return [entry["peer"] for entry in ring.logs if entry["event"] == "connection"]


def refusals(ring: Ring) -> list[str]:
    """Why connections were refused so far."""
    return [entry["reason"] for entry in ring.logs if entry["event"] == "connection refused"]


async def test_address_in_the_header_counts() -> None:
    """For bans and for what others see; the first line may come in the same packet."""
    async with running(FROM_HERE) as ring:
        await ring.account("ann")
        client = await ring.connect()
        await client.send_bytes(HEADER + b"login c 1008 ann secret\r\n")
        await client.until(r"^5 ann .* 198\.51\.100\.x c -")
        assert connections(ring) == ["198.51.100.7"]
        await ring.app.engine.administer("ban 198.51.100.0/24 ever")
        await client.rest()


async def test_header_in_small_pieces() -> None:
    async with running(FROM_HERE) as ring:
        client = await ring.connect()
        for byte in HEADER:
            await client.send_bytes(bytes([byte]))
            await trio.lowlevel.checkpoint()
        await client.until("login: $")
        assert connections(ring) == ["198.51.100.7"]


@pytest.mark.parametrize("data", [LOCAL_HEADER, header(1, 0, b"")])
async def test_proxy_that_speaks_for_itself(data: bytes) -> None:
    """As when it checks that the server is well."""
    async with running(FROM_HERE) as ring:
        client = await ring.connect()
        await client.send_bytes(data)
        await client.until("login: $")
        assert connections(ring) == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"login c 1008 ann secret\r\n", "bad PROXY header: not of version 2"),
        (b"PROXY TCP4 198.51.100.7 192.0.2.1 1 2\r\n", "bad PROXY header: not of version 2"),
        (header(1, 0x11, b"", length=9999), "bad PROXY header: 10015 bytes long"),
        (header(1, 0x11, b"short"), "bad PROXY header: without its addresses"),
    ],
)
async def test_without_a_good_header_it_is_closed(data: bytes, reason: str) -> None:
    async with running(FROM_HERE) as ring:
        client = await ring.connect()
        await client.send_bytes(data)
        assert await client.rest() == ""
        assert refusals(ring) == [reason]
        await ring.sessions_become(0)


async def test_proxies_that_go_or_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance_module, "ARRIVAL_S", 0.05)
    async with running(FROM_HERE) as ring:
        client = await ring.connect()
        await client.send_bytes(HEADER[:9])
        await client.stream.send_eof()
        assert await client.rest() == ""
        client = await ring.connect()
        await client.send_bytes(HEADER[:20])
        assert await client.rest() == ""
        assert refusals(ring) == ["bad PROXY header: the peer has gone", "too slow"]


async def test_from_elsewhere_a_header_is_only_a_bad_login() -> None:
    """Nobody can pretend to be another one."""
    async with running(FROM_ELSEWHERE) as ring:
        client = await ring.connect()
        await client.until("login: $")
        await client.send_bytes(HEADER)
        await client.until("login: ")
        assert connections(ring) == ["127.0.0.1"]


async def test_networks_are_read_again() -> None:
    """A proxy that is added counts from the next connection on."""
    async with running(FROM_ELSEWHERE) as ring:
        await (await ring.connect()).until("login: $")
        ring.app.read_again = lambda: FROM_HERE
        await ring.app.reload()
        client = await ring.connect()
        await client.send_bytes(HEADER)
        await client.until("login: $")
        assert connections(ring) == ["127.0.0.1", "198.51.100.7"]


def test_networks_of_both_versions() -> None:
    config = Config(listen=Listen(proxy_from=("192.0.2.7", "2001:db8::/32")))
    assert [str(network) for network in proxies(config)] == ["192.0.2.7/32", "2001:db8::/32"]


# --- in front of TLS -------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def encrypted(tmp_path: Path) -> AsyncIterator[tuple[Ring, tuple[str, int], ssl.SSLContext]]:
    """A server that speaks TLS behind a proxy."""
    authority = Authority(tmp_path)
    (listener,) = open_listeners(("127.0.0.1:0",))
    address = listener.getsockname()
    async with running(attrs.evolve(FROM_HERE, tls=authority.section), tls=[listener]) as ring:
        yield ring, address, authority.client()


async def test_header_and_then_tls(tmp_path: Path) -> None:
    """The header comes in the clear; TLS's first bytes may be right behind it."""
    async with encrypted(tmp_path) as (ring, address, context):
        tcp = await trio.open_tcp_stream(*address)
        async with tcp:
            await tcp.send_all(HEADER)
            client = Client(trio.SSLStream(tcp, context, server_hostname=HOST))
            await client.until("login: $")
            assert connections(ring) == ["198.51.100.7"]


async def test_tls_without_the_header(tmp_path: Path) -> None:
    async with encrypted(tmp_path) as (ring, address, context):
        tcp = await trio.open_tcp_stream(*address)
        async with tcp:
            stream = trio.SSLStream(tcp, context, server_hostname=HOST)
            with pytest.raises(trio.BrokenResourceError):
                await stream.do_handshake()
            assert refusals(ring) == ["bad PROXY header: not of version 2"]


# --- health ----------------------------------------------------------------------------------------------------


async def test_health_is_asked_for_as_by_a_proxy() -> None:
    """Where the asking machine counts as one, the server would not greet otherwise."""
    async with running(FROM_HERE) as ring:
        listen = Listen(clear=(f"127.0.0.1:{ring.address[1]}",), proxy_from=FROM_HERE.listen.proxy_from)
        with trio.fail_after(5):
            assert (await trio.to_thread.run_sync(health, listen, 2.0)).endswith("ready for logins")
        assert connections(ring) == ["127.0.0.1"]
