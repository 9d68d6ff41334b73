"""The log of a whole server: whose lines they are, and what never stands in it."""

import contextlib
import io
import json
import re
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import attrs
import pytest
import structlog
import trio

from fibsd.commands import registry
from fibsd.commands.call import Call
from fibsd.config import Config, Limits
from fibsd.observe import log
from fibsd.server.app import App
from fibsd.server.listeners import open_listeners
from fibsd.storage.memory import MemoryStore
from fibsd.storage.sql import open_store
from fibsd.storage.store import StoreError
from fibsd.world.audience import Result
from fibsd.world.world import World
from tests.support.client import RAISED, Clock, PlainPasswords, ScriptedChance, serving
from tests.support.ring import Client

SECRETS = (
    "passw0rd",
    "mistaken",
    "changed9",
    "ann@mail.example",
    "whisp-word",
    "kibitz-word",
    "say-word",
    "shout-word",
)
SECRETS += ("tell-word", "message-word", "away-word", "secret-client-text", "127.0.0.1")


@contextlib.asynccontextmanager
async def logging_server(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, form: str, *, addresses: bool
) -> AsyncIterator[tuple[str, int]]:
    """A server that really logs, at the lowest level."""
    before = structlog.get_config()
    monkeypatch.setattr(sys, "stderr", stream)
    log.configure("debug", form, addresses=addresses)
    limits = attrs.evolve(RAISED, login_attempts=3)
    app = App(
        config=Config(limits=limits),
        store=MemoryStore(),
        passwords=PlainPasswords(),
        chance=ScriptedChance(),
        now=Clock().now,
    )
    listeners = open_listeners(("127.0.0.1:0",))
    try:
        async with trio.open_nursery() as nursery:

            async def serve(task_status: trio.TaskStatus[None]) -> None:
                await app.run(listeners, task_status=task_status)

            await nursery.start(serve)
            yield listeners[0].getsockname()
            app._stop.set()
    finally:
        structlog.configure(**before)


async def _connect(address: tuple[str, int]) -> Client:
    client = Client(await trio.open_tcp_stream(*address))
    await client.until("login: $")
    return client


async def _register(address: tuple[str, int], name: str) -> Client:
    client = await _connect(address)
    await client.send("guest", f"name {name}", "passw0rd", "passw0rd")
    await client.until(r"You are registered\.")
    await client.until(r"> $")
    return client


async def _talk(ann: Client, bob: Client) -> None:
    """Everything that users say and set."""
    await ann.send("address ann@mail.example", "password passw0rd:changed9:changed9", "password mistaken:x:x")
    await ann.send("shout shout-word", "tell bob tell-word", "message carol message-word", "away away-word", "back")
    await bob.until("tell-word")
    await bob.send("toggle ready")
    await bob.until("now ready")
    await ann.send("invite bob 1")
    await bob.until("join ann")
    await bob.send("join ann")
    await ann.until(r"starts|makes the first move|roll")
    await ann.send("say say-word", "kibitz kibitz-word", "whisper whisp-word", "tell-word and passw0rd as a command")
    await bob.until("kibitz-word")
    await bob.send("leave")
    await ann.until("Score|saved|left|leaves")


@pytest.mark.parametrize("form", ["console", "json"])
async def test_no_password_address_or_talk_is_logged(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even when a command fails for a fault of ours, with such words in its variables."""

    def fail(call: Call, world: World) -> Result:
        words = call.args
        if words:
            raise RuntimeError("a fault of ours")
        return call.result()

    monkeypatch.setitem(registry.COMMANDS, "waitfor", attrs.evolve(registry.COMMANDS["waitfor"], handler=fail))
    stream = io.StringIO()
    async with logging_server(stream, monkeypatch, form, addresses=False) as address:
        stranger = await _connect(address)
        await stranger.send(
            "login secret-client-text 1008 ann mistaken", "connect ann mistaken", "mistaken", "passw0rd"
        )
        await stranger.rest()
        web = await _connect(address)
        await web.send("GET /passw0rd HTTP/1.1")
        await web.rest()
        await stranger.stream.aclose()
        await web.stream.aclose()
        ann, bob, carol = [await _register(address, name) for name in ("ann", "bob", "carol")]
        await carol.send("bye")
        await carol.rest()
        await _talk(ann, bob)
        await ann.send("waitfor tell-word passw0rd")
        await ann.rest()
        again = await _connect(address)
        await again.send("login secret-client-text 1008 ann changed9")
        await again.until(r"^6\r\n")
        for client in (ann, bob, carol, again):
            await client.stream.aclose()
    text = stream.getvalue()
    assert "RuntimeError: a fault of ours" in text
    for event in ("login refused", "wrong protocol", "connection ended", "match started", "match saved"):
        assert event in text
    assert [secret for secret in SECRETS if secret in text] == []


async def test_lines_tell_session_user_and_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the beginning of a connection to its end."""
    stream = io.StringIO()
    async with logging_server(stream, monkeypatch, "json", addresses=True) as address:
        ann, bob = await _register(address, "ann"), await _register(address, "bob")
        await _talk(ann, bob)
        await ann.send("bye")
        await ann.rest()
        for client in (ann, bob):
            await client.stream.aclose()
    entries = [json.loads(line) for line in stream.getvalue().splitlines()]
    hers = [(one["event"], one.get("user")) for one in entries if one.get("session") == 1]
    assert hers[0] == ("connection", None)
    assert hers[-1] == ("connection ended", "ann")
    assert {user for _, user in hers[hers.index(("login", "ann")) :]} == {"ann"}
    assert {one["peer"] for one in entries if one["event"] == "connection"} == {"127.0.0.1"}
    (started,) = [one for one in entries if one["event"] == "match started"]
    assert (started["match"], sorted(started["players"]), started["length"]) == (1, ["ann", "bob"], 1)
    assert {one["match"] for one in entries if one["event"].startswith("match ")} == {1}


async def test_fault_of_the_store_does_not_tell_what_was_looked_for(tmp_path: Path) -> None:
    """Some type their password where their name is asked for."""
    store = open_store(f"sqlite:///{tmp_path / 'fibsd.db'}")
    database = sqlite3.connect(tmp_path / "fibsd.db")
    database.execute("ALTER TABLE accounts RENAME TO elsewhere")
    database.close()
    with pytest.raises(StoreError) as caught:
        await store.account("passw0rd")
    assert "no such table: accounts" in str(caught.value)
    assert "passw0rd" not in str(caught.value)
    await store.close(5)


async def test_slow_reader_is_named_rightly(autojump_clock: trio.abc.Clock) -> None:
    """His bound is met while somebody else's line is handled, whose name would be on it otherwise."""
    limits: Limits = attrs.evolve(RAISED, outbox_bytes=65_536)
    async with serving(config=Config(limits=limits)) as server:
        ann, slow = await server.online("ann", "slow")
        session = server.engine.sessions[server.world.users["slow"].connection.id]
        session.output.draining = True
        for _ in range(30):
            await server.ask(ann, "shout " + "x" * 4000)
        (line,) = [entry for entry in server.logs if entry["event"] == "slow reader cut off"]
        assert (line["user"], line["session"]) == ("slow", session.id)
        session.output.draining = False
        await slow.wait_closed()


def test_every_line_with_an_address_uses_the_one_key() -> None:
    """Or leaving addresses out would miss it."""
    from tests.docs import ROOT

    for file in (ROOT / "fibsd").rglob("*.py"):
        for call in re.findall(
            r"\blog\.(?:debug|info|warning|error|exception)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", file.read_text()
        ):
            assert not re.search(r"\b(address|host|ip|peer_address)=", call), (file, call)
