"""Somebody who has never been on a server: he registers by telnet, seeks an opponent, plays a match."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import trio
import trio.testing

from fibsd.backgammon.movegen import legal_plays
from fibsd.bots.mind import Mind
from fibsd.bots.player import Wire, converse
from fibsd.bots.policy import ranked_plays
from fibsd.bots.reading import move_words
from fibsd.session.transport import StreamTransport
from fibsd.world.ids import UserName
from tests.support.client import PASSWORD, PATIENCE_S, PEER, Client, Server

MOST_TURNS = 200
_NOT_SHOWN = re.compile(rb"\xff[\xfb-\xfe].|\x07", re.DOTALL)


@attrs.define(eq=False)
class Newcomer:
    """A person at a terminal of the server in memory.

    Attributes:
        name: The one he registers.
        screen: All that he has seen and typed, passwords left out.
    """

    server: Server
    name: str
    client: Client
    screen: str = ""

    @classmethod
    async def comes(cls, server: Server, name: str) -> Newcomer:
        """He registers."""
        newcomer = cls(server, name, server.connect())
        await newcomer.sees()
        await newcomer.types("guest")
        await newcomer.types(f"name {name}")
        for _ in range(2):
            await newcomer.types(PASSWORD, hidden=True)
        return newcomer

    async def sees(self) -> str:
        """Let happen what happens, and look at it."""
        await self.server.settle()
        new = _NOT_SHOWN.sub(b"", self.client.take()).decode("latin-1").replace("\r\n", "\n").replace("\r", "")
        self.screen += new
        return new

    async def types(self, line: str, *, hidden: bool = False) -> str:
        """Type a line, and look at what comes."""
        self.screen += "\n" if hidden else f"{line}\n"
        await self.client.send(line)
        return await self.sees()

    async def waits_for_opponent(self) -> None:
        """Until somebody has taken his open invitation."""
        with trio.fail_after(3 * PATIENCE_S):
            while self.server.world.users[UserName(self.name)].table is None:  # noqa: ASYNC110 - others decide
                await trio.sleep(1.0)
        await self.sees()

    async def plays(self) -> None:
        """To the end of the match, by his own choice, with plays that the board allows."""
        me = self.server.world.users[UserName(self.name)]
        for _ in range(MOST_TURNS):
            if me.table is None:
                return
            game = self.server.world.tables[me.table].match.game
            side = self.server.world.tables[me.table].side_of(me.name)
            if game.turn is side and game.dice is not None:
                view = game.board.seen_by(side)
                await self.types(f"move {move_words(ranked_plays(view, legal_plays(view, game.dice))[0], side)}")
            else:
                await self.sees()
        raise AssertionError(f"no end of the match: {self.screen[-1000:]}")


@asynccontextmanager
async def bot_of_the_house(server: Server, name: str) -> AsyncIterator[None]:
    """A bot that plays on the server in memory, as it would over a socket."""
    await server.user(name)
    ours, theirs = trio.testing.memory_stream_pair()
    server.app.serve(StreamTransport(theirs), PEER)
    wire = Wire(ours)
    await wire.until("login: ")
    await wire.send(f"login test 1008 {name} {PASSWORD}")
    await wire.until("\n1 ")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(converse, wire, Mind(name))
        await server.settle()
        yield
        nursery.cancel_scope.cancel()
