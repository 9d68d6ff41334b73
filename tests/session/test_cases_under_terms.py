"""Faults that other servers had, tried again on each of the added terms: none of them brings one back.

Resignations, awarded games, beavers and automatic doubles come out as in a match on FIBS's own terms, except for what
the term itself is about.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest

from fibsd.backgammon.cube import Cube
from fibsd.backgammon.side import Side
from fibsd.config import Config, Points
from fibsd.storage.memory import MemoryStore
from fibsd.world.account import DEFAULT_TOGGLES, UNLIMITED_REDOUBLES, Settings, Toggle
from fibsd.world.ids import UserName
from fibsd.world.points import pot
from fibsd.world.table import Table
from tests.support.client import RAISED, Client, Server, restarted, serving

CONFIG = Config(limits=RAISED, points=Points(enabled=True))
READY = Settings(
    toggles=DEFAULT_TOGGLES - {Toggle.AUTOBOARD, Toggle.MOREBOARDS} | {Toggle.READY},
    redoubles=UNLIMITED_REDOUBLES,
    extras=True,
)
PLAYOUT = "playout"
"""Stands among the terms for two players who let the server play on; it is a setting and no term."""
ANY = ("", "blitz", "standard", "clock 60 5", "ghost", "nocube", "nackgammon", "hypergammon", "trictrac", PLAYOUT)
LIMITED = (*ANY, "stake 50", "stake 50 blitz ghost nocube")
UNLIMITED = (*ANY, "jacoby", "hypergammon jacoby blitz ghost")
NO_CUBE = frozenset({"nocube", "trictrac"})


@attrs.define
class Match:
    """A match of alice, who has O and is to play 3 and 1 to begin with, and bob."""

    server: Server
    alice: Client
    bob: Client

    @property
    def table(self) -> Table:
        """Where they play."""
        return self.server.table_of("alice")

    def side(self, name: str) -> Side:
        """Which colour a player has."""
        return self.table.side_of(UserName(name))

    def state(self) -> tuple[Any, ...]:
        """All that a refusal must leave alone."""
        return self.table.match, self.table.actions, self.entries()

    def entries(self) -> list[str]:
        """What is stored of the only match that there is."""
        (journal,) = self.server.store._journal.values()
        return [journal[seq].entry for seq in sorted(journal)]

    async def opens(self) -> None:
        """Alice plays 3 and 1, in a way that every variant allows; bob is to roll."""
        hypergammon = self.table.match.variant.name == "hypergammon"
        await self.server.ask(self.alice, "move 24-23 22-19" if hypergammon else "move 8-7 13-10")
        assert self.table.match.game.turn is self.side("bob")


@asynccontextmanager
async def playing(
    length: str, terms: str, dice: str = "3-1", settings: Settings = READY, others: Settings | None = None
) -> AsyncIterator[Match]:
    """A match that has just begun; what both are told of it is taken."""
    if terms == PLAYOUT:
        terms, settings = "", attrs.evolve(settings, playout=True)
    async with serving(config=CONFIG) as server:
        await server.user("alice", settings=settings)
        await server.user("bob", settings=settings if others is None else others)
        alice, bob = await server.login("alice"), await server.login("bob")
        server.chance.script(dice)
        await server.ask(alice, f"invite bob {length} {terms}".strip())
        await server.ask(bob, "join alice")
        assert server.table_of("alice") is server.table_of("bob")
        assert sorted(server.table_of("alice").terms.added.words.split()) == sorted(terms.split())
        alice.take()
        bob.take()
        yield Match(server, alice, bob)


@asynccontextmanager
async def resumed(store: MemoryStore) -> AsyncIterator[Match]:
    """The same match after the server was killed and started again, taken up by both."""
    async with serving(restarted(store), config=CONFIG) as server:
        alice, bob = await server.login("alice"), await server.login("bob")
        await server.ask(alice, "invite bob")
        await server.ask(bob, "join alice")
        alice.take()
        bob.take()
        yield Match(server, alice, bob)


def has_cube(terms: str) -> bool:
    """Whether anybody can double."""
    return not NO_CUBE & set(terms.split())


# --- resignations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("length", "terms"), [*(("7", terms) for terms in LIMITED), *(("unlimited", terms) for terms in UNLIMITED)]
)
async def test_a_resigned_backgammon_counts_triple_and_what_is_no_size_is_refused(
    autojump_clock, length, terms, turned
):
    cube = 2 if turned and has_cube(terms) else 1
    # Without a turned cube the Jacoby rule makes a single game even of a backgammon.
    worth = cube if "jacoby" in terms and cube == 1 else 3 * cube
    async with playing(length, terms) as match:
        server = match.server
        server.put("alice", match.table.match.game.board.points, cube=cube, owner="alice" if cube > 1 else None)
        before = match.state()
        for line in ("resign", "resign x"):
            answer = await server.ask(match.alice, line)
            assert answer == ["** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign."]
        assert match.state() == before
        points = f"{worth} point" + "s" * (worth > 1)
        assert await server.ask(match.alice, "resign b") == [f"You want to resign. bob will win {points}."]
        match.bob.take()
        assert (await server.ask(match.bob, "accept"))[0] == f"You accept and win {points}."
        assert match.table.match.score.of(match.side("bob")) == worth
        await server.ask(match.alice, "leave")
        match.alice.take()
        assert await server.ask(match.alice, "resign n") == ["** You're not playing."]


@pytest.mark.parametrize(
    ("length", "terms"), [*(("5", terms) for terms in LIMITED), *(("unlimited", terms) for terms in UNLIMITED)]
)
async def test_a_resignation_sent_several_times_is_booked_once(autojump_clock, length, terms):
    async with playing(length, terms) as match:
        server = match.server
        told = await server.ask(match.alice, *["resign n"] * 3)
        assert told == ["You want to resign. bob will win 1 point.", *["** You already did that."] * 2]
        match.bob.take()
        told = await server.ask(match.bob, *["accept"] * 3)
        assert told[0] == "You accept and win 1 point."
        assert told[-2:] == ["** alice didn't double or resign."] * 2
        assert match.table.match.score.of(match.side("bob")) == 1
        assert [entry.split()[1] for entry in match.entries() if entry.split()[1] in "RA"] == ["R", "A"]


@pytest.mark.parametrize("terms", LIMITED)
async def test_a_match_that_is_resigned_is_rated_and_paid_once(autojump_clock, terms):
    async with playing("1", terms) as match:
        server, table = match.server, match.table
        await server.ask(match.alice, *["resign n"] * 3)
        match.bob.take()
        told = await server.ask(match.bob, *["accept"] * 3)
        assert told.count("You win the 1 point match 1-0 .") == 1
        assert told[-2:] == ["** You're not playing."] * 2
        for name, won in (("alice", False), ("bob", True)):
            account = server.world.player(UserName(name)).account
            assert account.experience == int(table.terms.rated)
            assert account.rating == pytest.approx(1500 + (9.98 if won else -9.98) * table.terms.rated)
            stake = table.terms.added.stake
            assert await server.store.balance(name) == 1000 + (stake if won else -stake)
        assert await server.store.balance(pot(table.id)) in (None, 0)


# --- games that the server ends --------------------------------------------------------------------------------

PAST = {
    "": "0:2:2:2:2:2:2:0:0:0:0:0:0:0:0:0:0:0:-3:-4:-4:-4:0:0:0:0",
    "hypergammon": "0:1:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-1:-1:-1:0:0:0:0:0",
}
"""Nobody can hit any more; alice has borne off, and bob is past her home board with all of his checkers."""


@pytest.mark.parametrize("clock", ["blitz", "standard", "clock 10 0"])
@pytest.mark.parametrize(
    "terms", ["", "ghost", "nocube", "jacoby", "nackgammon", "hypergammon", "trictrac", "stake 50"]
)
@pytest.mark.parametrize(("loser", "size"), [("bob", 2), ("alice", 1)])
async def test_time_that_is_up_claims_no_more_than_can_still_be_lost(autojump_clock, clock, terms, loser, size):
    cube = 2 if has_cube(terms) else 1
    winner = "alice" if loser == "bob" else "bob"
    length = "unlimited" if terms == "jacoby" else "9"
    async with playing(length, f"{clock} {terms}".strip()) as match:
        server = match.server
        if loser == "bob":
            await match.opens()
        server.put(loser, PAST.get(terms, PAST[""]), dice="2-1", cube=cube, owner=winner if cube > 1 else None)
        match.alice.take()
        await server.passes(120)
        assert f"** {loser}'s time is up: {winner} wins {size * cube} point{'s' * (size * cube > 1)}." in (
            match.alice.lines()
        )
        assert match.table.match.score.of(match.side(winner)) == size * cube
        assert match.table.match.score.of(match.side(loser)) == 0


# --- beavers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("terms", UNLIMITED)
@pytest.mark.parametrize("answer", ["accept", "reject"])
async def test_a_beaver_outlasts_the_server_and_its_refusal_loses_the_value_before_it(autojump_clock, terms, answer):
    """Bob doubles, alice beavers, the server is killed, and bob answers in the match that was taken up again."""
    async with playing("unlimited", terms) as match:
        await match.opens()
        before = match.state()
        if not has_cube(terms):
            match.bob.take()
            match.alice.take()
            assert await match.server.ask(match.bob, "double") == ["** It's not your turn to double."]
            assert await match.server.ask(match.alice, "beaver") == ["** You are not allowed to redouble."]
            assert match.state() == before
            return
        await match.server.ask(match.bob, "double")
        await match.server.ask(match.alice, "beaver")
        store = match.server.store
    async with resumed(store) as match:
        server = match.server
        if answer == "reject":
            assert (await server.ask(match.bob, "reject"))[0] == "You give up. alice wins 2 points."
            assert match.table.match.score.of(match.side("alice")) == 2
            return
        server.chance.script("3-1 2-1")
        await server.ask(match.bob, "accept")
        game = match.table.match.game
        assert game.cube == Cube(value=4, owner=match.side("alice"))
        assert (game.turn, game.dice is not None) == (match.side("bob"), True)
        hypergammon = match.table.match.variant.name == "hypergammon"
        await server.ask(match.bob, "move 1-2 3-6" if hypergammon else "move 17-18 12-15")
        await server.ask(match.alice, "roll", "move 23-22 23-21" if hypergammon else "move 6-5 6-4")
        assert match.table.match.game.turn is match.side("bob")
        before = match.state()
        match.bob.take()
        assert game.rules.cube
        assert await server.ask(match.bob, "double") == ["** You can only double before you roll the dice."], (
            "the cube is not his, so he was not asked before he rolled"
        )
        assert match.state() == before


@pytest.mark.parametrize("terms", LIMITED)
async def test_there_is_no_beaver_in_a_match_with_a_length(autojump_clock, terms):
    async with playing("5", terms) as match:
        await match.opens()
        await match.server.ask(match.bob, "double")
        match.alice.take()
        before = match.state()
        for word in ("beaver", "raccoon", "otter", "redouble"):
            assert await match.server.ask(match.alice, word) == ["** You are not allowed to redouble."]
        assert match.state() == before


# --- automatic doubles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize(
    ("length", "terms"), [*(("5", terms) for terms in LIMITED), *(("unlimited", terms) for terms in UNLIMITED)]
)
async def test_one_tied_opening_doubles_the_cube_of_an_unlimited_match(autojump_clock, length, terms, both):
    wanted = attrs.evolve(READY, toggles=READY.toggles | {Toggle.AUTODOUBLE}, playout=terms == PLAYOUT)
    others = wanted if both else attrs.evolve(wanted, toggles=READY.toggles)
    value = 2 if both and length == "unlimited" and has_cube(terms) else 1
    async with playing(length, terms, "4-4 2-2 5-3", wanted, others) as match:
        assert match.table.match.game.cube == Cube(value=value)
        # A cube that nobody offered was not turned by agreement.
        assert match.table.match.game.worth(2) == (value if "jacoby" in terms else 2 * value)
        store = match.server.store
    async with resumed(store) as match:
        assert match.table.match.game.cube == Cube(value=value)


# --- what was agreed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "terms"), [*(("5", terms) for terms in LIMITED), *(("unlimited", terms) for terms in UNLIMITED)]
)
async def test_terms_stay_what_they_were_whatever_is_switched_saved_or_started_again(autojump_clock, length, terms):
    async with playing(length, terms) as match:
        agreed = match.table.terms
        for client in (match.alice, match.bob):
            await match.server.ask(client, "toggle crawford", "toggle autodouble", "set redoubles none")
            await match.server.ask(client, "set playout yes", "set extras no", "set extras yes")
        assert match.table.terms == agreed
        await match.server.ask(match.alice, "leave")
        await match.server.ask(match.alice, "invite bob")
        await match.server.ask(match.bob, "join alice")
        assert match.table.terms == agreed
        store = match.server.store
    async with resumed(store) as match:
        assert match.table.terms == agreed
