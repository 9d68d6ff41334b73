"""The configuration is read again while the server runs: what changes at once, what stays, what is wrong."""

import re
import ssl
from pathlib import Path

import attrs
import pytest
import trio

from fibsd.config import Bot, Config, ConfigError, Database, Limits, Listen, Log, Play, Tls
from fibsd.config import Server as ServerSection
from fibsd.server.files import Files, read_files
from fibsd.server.listeners import open_listeners
from fibsd.server.settings import AT_START, needs_restart
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import StoreError
from tests.support.authority import HOST, Authority
from tests.support.client import RAISED, Server, serving
from tests.support.process import Process
from tests.support.ring import Client as SocketClient
from tests.support.ring import Ring, running

BASE = Config(limits=RAISED)


async def reload(server: Server | Ring, config: Config) -> None:
    """Let the server read this configuration as if it stood in the file now."""
    server.app.read_again = lambda: config
    await server.app.reload()


def said(server: Server | Ring, event: str) -> list[object]:
    """What the log says of an event: the only value of each of its lines."""
    return [
        value
        for entry in server.logs
        if entry["event"] == event
        for key, value in entry.items()
        if key not in ("event", "log_level")
    ]


# --- what changes at once --------------------------------------------------------------------------------------


async def test_limits_count_at_once_and_running_sessions_stay(autojump_clock: trio.abc.Clock) -> None:
    async with serving() as server:
        (ann,) = await server.online("ann")
        await reload(server, Config(limits=attrs.evolve(RAISED, max_users=2, login_attempts=1, idle_s=100)))
        stranger = server.connect()
        await server.settle()
        assert b"login: " in stranger.take()
        late = server.connect()
        await late.wait_closed()
        assert late.take() == b"** This server is full. Please try again later.\r\n"
        await stranger.send("login c 1008 ann wrong")
        await stranger.wait_closed()
        (line,) = await server.ask(ann, "show max")
        assert line == "max_logins is 2 (maximum: 1)"
        await server.later(101)
        assert ann.closed
        assert server.logs[-1]["event"] == "connection ended"


async def test_bounds_of_addresses_and_of_all_outboxes(autojump_clock: trio.abc.Clock) -> None:
    async with serving() as server:
        await server.online("ann")
        limits = Limits(connections_per_address=1, outbox_total_bytes=1_000_001, max_connections=77)
        await reload(server, Config(limits=limits))
        client = server.connect()
        await client.wait_closed()
        assert client.take().startswith(b"** There are too many connections from one address.")
        assert server.engine.backlog.limit == 1_000_001
        guard = server.engine.guard
        assert (guard.limits, guard.failures.free, guard.registrations.burst) == (limits, 3, 100)


async def test_rules_of_the_house_count_at_once(autojump_clock: trio.abc.Clock) -> None:
    async with serving() as server:
        ann, bob = await server.online("ann", "bob")
        await server.ask(bob, "toggle ready")
        assert "You invited bob" not in str(await server.ask(ann, "invite bob 10"))
        await reload(server, attrs.evolve(BASE, play=Play(long_match=10)))
        assert "** You invited bob to a 10 point match." in await server.ask(ann, "invite bob 10")


async def test_what_the_server_shows_changes_at_once(autojump_clock: trio.abc.Clock, tmp_path: Path) -> None:
    motd = tmp_path / "motd"
    motd.write_text("Read me.\n")
    async with serving() as server:
        (ann,) = await server.online("ann")
        section = ServerSection(operator="Eve", email="eve@fibs.example", show_hosts="full", motd=str(motd))
        await reload(server, attrs.evolve(BASE, server=section))
        client = server.connect()
        await server.settle()
        assert b"eve@fibs.example" in client.take()
        await server.user("bob")
        await client.send("login c 1008 bob secret")
        await server.settle()
        assert b"| Read me. " in client.take()
        assert server.world.users["bob"].connection.host == "192.0.2.7"
        assert server.world.users["ann"].connection.host == "192.0.2.x"
        motd.write_text("Read me again.\n")
        await server.app.reload()
        assert any("Read me again." in line for line in await server.ask(ann, "motd"))


async def test_message_of_the_day_that_was_set_stays(autojump_clock: trio.abc.Clock, tmp_path: Path) -> None:
    motd = tmp_path / "motd"
    motd.write_text("From the file.\n")
    async with serving() as server:
        await server.engine.administer("motd set From the operator.")
        await reload(server, attrs.evolve(BASE, server=ServerSection(motd=str(motd))))
        assert any("From the operator." in line for line in server.world.motd)


async def test_message_of_the_day_when_the_store_cannot_be_read(autojump_clock: trio.abc.Clock) -> None:
    """The rest counts all the same."""

    class Broken(MemoryStore):
        broken = False

        async def text(self, key: str) -> str | None:
            if self.broken:
                raise StoreError("no disk")
            return await super().text(key)

    store = Broken()
    async with serving(store) as server:
        store.broken = True
        await reload(server, attrs.evolve(BASE, play=Play(max_saved=3)))
        assert server.world.house.max_saved == 3
        assert said(server, "message of the day not reloaded") == ["no disk"]


async def test_the_log_is_made_anew(autojump_clock: trio.abc.Clock) -> None:
    async with serving() as server:
        made: list[Log] = []
        server.app.log_as = made.append
        await reload(server, attrs.evolve(BASE, log=Log(level="error", format="json")))
        assert made == [Log(level="error", format="json")]


# --- what stays ------------------------------------------------------------------------------------------------


async def test_what_needs_a_restart_is_named(autojump_clock: trio.abc.Clock) -> None:
    async with serving() as server:
        other = attrs.evolve(BASE, listen=Listen(clear=("127.0.0.1:1",)), database=Database(url="memory:"))
        await reload(server, other)
        await server.app.reload()
        assert said(server, "needs a restart") == [["listen.clear", "database.url"]] * 2
        await reload(server, BASE)
        assert len(said(server, "needs a restart")) == 2


def test_every_key_that_needs_a_restart_exists() -> None:
    assert needs_restart(Config(), Config()) == []
    for section, keys in AT_START.items():
        names = [field.name for field in attrs.fields(type(getattr(Config(), section)))]
        assert set(keys) <= set(names)


def test_bots_need_a_restart() -> None:
    assert needs_restart(Config(), attrs.evolve(Config(), bots=(Bot(),))) == ["bots"]


async def test_with_a_fault_everything_stays(autojump_clock: trio.abc.Clock, tmp_path: Path) -> None:
    """All faults are told, those of files too, and nothing of the new settings counts."""

    def refuse() -> Config:
        raise ConfigError(["config.toml.limits.idle_s: bad", "config.toml.typo: unknown"])

    async with serving() as server:
        server.app.read_again = refuse
        await server.app.reload()
        missing = tmp_path / "motd"
        await reload(server, Config(limits=RAISED, play=Play(long_match=3), server=ServerSection(motd=str(missing))))
        assert said(server, "configuration not reloaded") == [
            "config.toml.limits.idle_s: bad",
            "config.toml.typo: unknown",
            f"server.motd: {missing}: cannot be read: No such file or directory",
        ]
        assert server.world.house.long_match == 9
        assert server.app.config == BASE
        server.logs.clear()
        await server.online("ann")


# --- certificates ----------------------------------------------------------------------------------------------


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


async def _connect(ring: Ring, address: tuple[str, int], authority: Authority) -> tuple[SocketClient, int]:
    """An encrypted connection, and the number of the certificate that was shown."""
    stream = trio.SSLStream(await trio.open_tcp_stream(*address), authority.client(), server_hostname=HOST)
    await ring._clients.enter_async_context(stream)
    await stream.do_handshake()
    return SocketClient(stream), int(stream.getpeercert()["serialNumber"], 16)


async def test_new_certificate(authority: Authority) -> None:
    """New connections are shown it; old ones go on; a damaged one is not taken."""
    (listener,) = open_listeners(("127.0.0.1:0",))
    address = listener.getsockname()
    config = Config(limits=RAISED, tls=authority.section)
    async with running(config, tls=[listener]) as ring:
        await ring.account("ann")
        ann, first = await _connect(ring, address, authority)
        await ann.login("ann")
        authority.renew()
        await ring.app.reload()
        _, second = await _connect(ring, address, authority)
        authority.key.write_text("damaged")
        await ring.app.reload()
        assert said(ring, "configuration not reloaded") == [
            f"tls.key: {authority.key}: holds no private key in PEM form"
        ]
        _, third = await _connect(ring, address, authority)
        # Without a certificate in the file the port goes on with the one that it has.
        await reload(ring, Config(limits=RAISED))
        _, fourth = await _connect(ring, address, authority)
        ring.logs.clear()
        await ann.answers()
        assert first != second == third == fourth


def test_every_reading_makes_a_context_of_its_own(authority: Authority) -> None:
    """So that a handshake that has begun ends with the certificate that it began with."""
    one, other = (
        read_files(Config(tls=Tls(certificate=str(authority.certificate), key=str(authority.key)))) for _ in "12"
    )
    assert isinstance(one, Files)
    assert isinstance(one.tls, ssl.SSLContext)
    assert one.tls is not other.tls


# --- by a signal -----------------------------------------------------------------------------------------------


async def test_signal(tmp_path: Path) -> None:
    """HUP does it; a fault in the file does not end the server, and the log changes its form at once."""
    with Process.start(tmp_path, "--database", "memory:") as process:
        client = SocketClient(await trio.open_tcp_stream(*process.addresses[0]))
        async with client.stream:
            await client.until("login: $")
            file = tmp_path / "cheap.toml"
            good = file.read_text()
            file.write_text("[limits]\nidle_s = 0\n")
            process.reload()
            await process.logs(r"configuration not reloaded .*limits\.idle_s: must be at least 1, not 0")
            file.write_text(good + '[server]\noperator = "Somebody else"\n[log]\nformat = "json"\n')
            process.reload()
            await process.logs(r'^\{"event": "configuration reloaded", .*\}$')
            other = SocketClient(await trio.open_tcp_stream(*process.addresses[0]))
            async with other.stream:
                await other.until("Somebody else")
            await client.send("guest")
            await client.until("Please register before using this server:")
        assert not re.search("needs a restart|Traceback", process.log.read_text())
