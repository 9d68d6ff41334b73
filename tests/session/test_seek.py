"""Open invitations beside clients that know nothing of them, and a newcomer who finds a bot by one."""

import re

import attrs
import trio

from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.ids import UserName
from tests.support.client import Client, Server, serving
from tests.support.newcomer import Newcomer, bot_of_the_house

LIKES = Settings(toggles=DEFAULT_TOGGLES | {Toggle.READY}, extras=True)
QUIET = ("seek 3 nocube", "seeks", "show seeks", "seeks ann", "unseek", "seek 1", "rematch", "seek 5 max", "unseek")


async def test_a_clip_client_without_extras_is_sent_nothing_of_it(autojump_clock: trio.abc.Clock) -> None:
    """Not one byte, whoever seeks, looks and withdraws; and of a match that begins so what FIBS sends of any match."""
    async with serving() as server:
        old, new = await _watchers(server)
        ann = await server.login("ann", "telnet")
        eve = await server.login("eve", "telnet")
        for client in (old, new):
            client.take()
        for line in QUIET:
            assert await server.ask(ann, line) != []
            assert await server.ask(eve, line) != []
        assert (old.take(), new.take()) == (b"", b"")
        await server.ask(ann, "seek 1")
        await server.ask(eve, "join ann")
        by_seek = old.take()
        await server.ask(ann, "leave")
        await server.ask(eve, "void ann")
        old.take()
        await server.ask(ann, "invite eve 1")
        await server.ask(eve, "join ann")
        assert old.take() == by_seek
        assert b"start a 1 point match" in by_seek


async def _watchers(server: Server) -> tuple[Client, Client]:
    """A CLIP client that has set nothing, and one that has said no."""
    for name in ("ann", "eve"):
        await server.user(name, settings=LIKES)
    await server.user("old")
    await server.user("new", settings=attrs.evolve(LIKES, extras=False))
    return await server.login("old"), await server.login("new")


async def test_a_newcomer_who_seeks_is_found_by_a_bot_and_plays_to_the_end(autojump_clock: trio.abc.Clock) -> None:
    async with serving() as server, bot_of_the_house(server, "Rita_Bot"):
        newcomer = await Newcomer.comes(server, "alice")
        assert "'seek 1'" in await newcomer.types("help beginner")
        newcomer.screen = ""
        await newcomer.types("seek 1")
        await newcomer.waits_for_opponent()
        await newcomer.plays()
        assert "** Player Rita_Bot has joined you for a 1 point match." in newcomer.screen
        assert re.search(r"(You win|Rita_Bot wins) the 1 point match +[1-3]-0 \.", newcomer.screen)
        newcomer.screen = ""
        await newcomer.types("rematch")
        assert "** Player Rita_Bot has joined you for a 1 point match." in newcomer.screen


async def test_two_who_join_in_one_moment_make_one_match(autojump_clock: trio.abc.Clock) -> None:
    async with serving() as server:
        ann, bob, carol = await server.online("ann", "bob", "carol")
        for _ in range(20):
            server.clock.at += 5
            await server.ask(ann, "seek 5")
            bob.take()
            carol.take()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(bob.send, "join ann")
                nursery.start_soon(carol.send, "join ann")
            await server.settle()
            (table,) = server.world.tables.values()
            winner = table.opponent_of(UserName("ann"))
            loser = carol if winner == "bob" else bob
            assert [line for line in loser.lines() if line.startswith("** ")] == [
                "** Error: ann is already playing with someone else."
            ]
            await server.ask(ann, "leave", f"void {winner}")
        assert server.world.saved == {}
