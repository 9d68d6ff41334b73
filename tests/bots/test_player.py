"""Bots on real sockets: they log in, play matches with the cube, and come back."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import attrs
import pytest
import trio

from fibsd.bots.mind import Mind
from fibsd.bots.player import NotRegistered, Player, Wire, WrongPassword, converse
from fibsd.server.listeners import open_listeners
from fibsd.storage.memory import MemoryStore
from fibsd.world.ids import UserName
from tests.support.bot import Bot, Character
from tests.support.client import PASSWORD, restarted
from tests.support.ring import Ring, running

PATIENCE_S = 30.0


def player(ring: Ring, name: str, *, password: str = PASSWORD, register: bool = False) -> Player:
    host, port = ring.address
    return Player(host=host, port=port, name=name, password=password, register=register, tell=lambda _: None)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that has no event."""
    with trio.fail_after(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - see above
            await trio.sleep(0.005)


@asynccontextmanager
async def beside(*tasks: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Run bots while the test goes on."""
    async with trio.open_nursery() as nursery:
        for task in tasks:
            nursery.start_soon(task)
        yield
        nursery.cancel_scope.cancel()


async def invites(ring: Ring, name: str, words: str) -> None:
    """A bot that invites, and then plays like any other."""
    async with await trio.open_tcp_stream(*ring.address) as stream:
        wire = Wire(stream)
        await wire.until("login: ")
        await wire.send(f"login test 1008 {name} {PASSWORD}")
        await wire.until("\n4\r\n")
        mind = Mind(name)
        for line in mind.hear("6", trio.current_time()):
            await wire.send(line)
        await wire.send(f"invite {words}")
        await converse(wire, mind)


async def journal(ring: Ring, name: str) -> tuple[str, ...]:
    row = await ring.app.engine.store.last_match(UserName(name))
    assert row is not None
    return row.entries


@pytest.mark.timeout(120)
async def test_bots_finish_matches_with_the_cube() -> None:
    """Three-point matches between two bots: each comes to its end, nothing is refused for long, the cube is turned."""
    async with running() as ring:
        for name in ("ann", "bob"):
            await ring.account(name)
        store, turned = ring.app.engine.store, 0
        async with beside(player(ring, "bob").play):
            await until(lambda: ring.on_line() == {"bob"})
            for nth in range(1, 4):
                async with beside(partial(invites, ring, "ann", "bob 3")):
                    with trio.fail_after(PATIENCE_S):
                        while (await store.counts()).finished_matches < nth:  # noqa: ASYNC110 - it has no event
                            await trio.sleep(0.01)
                turned += any(entry.endswith(" d") for entry in await journal(ring, "bob"))
        assert turned > 0


async def test_an_unlimited_match_goes_on_and_on() -> None:
    async with running() as ring:
        for name in ("ann", "bob"):
            await ring.account(name)
        async with beside(player(ring, "bob").play):
            await until(lambda: ring.on_line() == {"bob"})
            async with beside(partial(invites, ring, "ann", "bob unlimited")):
                await until(lambda: any(table.match.games >= 2 for table in ring.app.engine.world.tables.values()))


@pytest.mark.timeout(120)
async def test_a_bot_holds_out_against_a_capricious_player() -> None:
    """The other one doubles, drops, resigns and refuses resignations at random."""
    async with running() as ring:
        for name in ("ann", "bob"):
            await ring.account(name)
        other = Bot("ann", "bob", True, Character(resigns=0.05, doubles=0.5), random.Random(7), wanted=3)
        async with beside(player(ring, "bob").play):
            await until(lambda: ring.on_line() == {"bob"})
            await other.connect(ring.address)
            with trio.fail_after(2 * PATIENCE_S):
                await other.play()
            await other.close()
        assert other.finished == 3
        assert other.surprises == []


async def test_a_saved_match_is_resumed() -> None:
    async with running() as ring:
        for name in ("ann", "bob"):
            await ring.account(name)
        world = ring.app.engine.world
        async with beside(player(ring, "bob").play):
            await until(lambda: ring.on_line() == {"bob"})
            async with beside(partial(invites, ring, "ann", "bob unlimited")):
                await until(lambda: any(table.match.games >= 1 for table in world.tables.values()))
            await until(lambda: ring.on_line() == {"bob"} and not world.tables)
            async with beside(partial(invites, ring, "ann", "bob")):
                await until(lambda: any(table.match.games >= 2 for table in world.tables.values()))


async def test_the_account_is_made_if_wanted() -> None:
    async with running() as ring:
        async with beside(player(ring, "New_Bot", register=True).play):
            await until(lambda: ring.on_line() == {"New_Bot"})
        assert await ring.app.engine.store.account("New_Bot") is not None


async def test_a_wrong_password_ends_it() -> None:
    async with running() as ring:
        await ring.account("bob")
        with pytest.raises(WrongPassword):
            await player(ring, "bob", password="wrong").play()
        with pytest.raises(NotRegistered, match="already used"):
            await player(ring, "bob", password="wrong", register=True).play()
        with pytest.raises(NotRegistered, match="only contain letters"):
            await player(ring, "bob7", register=True).play()
        with pytest.raises(NotRegistered):
            await player(ring, "short", password="abc", register=True).play()


async def test_it_comes_back_when_the_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """It connects again after a pause, as long as it takes, and leaves with a goodbye when it is told to end."""
    monkeypatch.setattr("fibsd.bots.player.BACKOFF_S", 0.01)
    async with running() as ring:
        await ring.account("bob")
        async with beside(player(ring, "bob").play):
            for _ in range(3):
                await until(lambda: ring.on_line() == {"bob"})
                (session,) = ring.app.engine.sessions.values()
                session.cut_off()
                await until(lambda: not ring.on_line())
        await until(lambda: not ring.on_line())


async def test_it_survives_a_restart_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """While nobody listens it goes on trying; then it is on-line again and plays."""
    monkeypatch.setattr("fibsd.bots.player.BACKOFF_S", 0.01)
    store = MemoryStore()
    async with trio.open_nursery() as nursery:
        async with running(store=store) as ring:
            for name in ("ann", "bob"):
                await ring.account(name)
            host, port = ring.address
            told: list[str] = []
            bob = attrs.evolve(player(ring, "bob"), tell=told.append)
            nursery.start_soon(bob.play)
            await until(lambda: ring.on_line() == {"bob"})
        await until(lambda: told.count("logged in") == 1 and len(told) > 2)
        listeners = open_listeners((f"{host}:{port}",))
        async with running(store=restarted(store), listeners=listeners) as again:
            await until(lambda: again.on_line() == {"bob"})
            async with beside(partial(invites, again, "ann", "bob 1")):
                with trio.fail_after(PATIENCE_S):
                    while not (await again.app.engine.store.counts()).finished_matches:  # noqa: ASYNC110 - no event
                        await trio.sleep(0.01)
        nursery.cancel_scope.cancel()


async def test_it_answers_who_speaks_to_it() -> None:
    async with running() as ring:
        await ring.account("bob")
        ann = await ring.user("ann")
        async with beside(player(ring, "bob").play):
            await until(lambda: ring.on_line() == {"ann", "bob"})
            await ann.send("tell bob hello")
            assert "I am a program" in await ann.until(r"^12 bob .*\r\n")
