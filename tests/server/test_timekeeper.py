"""Clocks at work in a server: when they run, when they stand, and what happens when the time is up.

Each exchange with the server takes `STEP_S` of the clock that runs.
"""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import pytest

from fibsd.backgammon.side import Side
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Job
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.changes import EntryAdded
from fibsd.world.ids import UserName
from tests.support.client import STEP_S, Client, Server, restarted, serving
from tests.support.faltering import Faltering

READY = Settings(toggles=DEFAULT_TOGGLES - {Toggle.AUTOBOARD, Toggle.MOREBOARDS} | {Toggle.READY}, extras=True)
SOME_OFF = "0" + ":7" + 22 * ":0" + ":-7:0"
"""A position in which each side has borne off half of its checkers."""


@attrs.define
class Match:
    """A match of alice, who has O and has rolled 3 and 1 to begin with, and bob."""

    server: Server
    alice: Client
    bob: Client

    def left(self, name: str) -> float:
        """Seconds left to a player, to the step."""
        table = self.server.table_of(name)
        assert table.clock is not None
        return round(table.clock.left(table.side_of(UserName(name)), self.server.engine.ticks()), 3)

    @property
    def running(self) -> str | None:
        """Whose clock runs."""
        table = self.server.table_of("alice")
        return None if table.clock is None or table.clock.running is None else table.names.of(table.clock.running)

    async def thinks(self, seconds: float, who: Client, *lines: str) -> list[str]:
        """The player whose clock runs types something so many seconds after he was told."""
        await self.server.passes(seconds - STEP_S)
        return await self.server.ask(who, *lines)

    def entries(self) -> list[str]:
        """The journal of the match."""
        journal = self.server.store._journal[self.server.table_of("alice").id]
        return [journal[seq].entry for seq in sorted(journal)]


@asynccontextmanager
async def playing(
    terms: str = "blitz", store: MemoryStore | None = None, length: str = "5", faults: tuple[str, ...] = ()
) -> AsyncIterator[Match]:
    """A match that has just begun: alice has `STEP_S` less than her bank."""
    async with serving(store, faults=faults) as server:
        for name in ("alice", "bob", "carol"):
            await server.user(name, settings=READY, rights=frozenset({"admin"}))
        alice, bob = await server.login("alice"), await server.login("bob")
        server.chance.script("3-1")
        await server.ask(alice, f"invite bob {length} {terms}")
        await server.ask(bob, "join alice")
        alice.take()
        bob.take()
        yield Match(server, alice, bob)


@pytest.mark.parametrize(
    ("terms", "first_s", "then", "second_s", "at_last"),
    [
        ("blitz", 15, 15, 5, 20),
        ("standard", 30, 90, 5, 105),
        ("clock 100 7", 8, 92, 7, 92),
        ("clock 60 0", 1, 59, 3, 56),
    ],
)
async def test_worked_examples(autojump_clock, terms, first_s, then, second_s, at_last):
    async with playing(terms) as match:
        server = match.server
        await match.thinks(first_s, match.alice, "move 8-5 6-5")
        assert match.left("alice") == then
        server.chance.script("6-3 5-1")
        await match.thinks(1, match.bob, "roll", "move 1-7 12-15")
        assert match.running == "alice"
        # Rolling and moving are one turn.
        await match.thinks(2, match.alice, "roll")
        await match.thinks(second_s - 2, match.alice, "move 24-23 13-8")
        assert match.left("alice") == at_last


async def test_a_match_without_a_clock_needs_no_timekeeper(autojump_clock):
    async with playing("") as match:
        await match.server.ask(match.alice, "move 8-5 6-5")
        keeper = match.server.engine.timekeeper
        assert (keeper.waiting, keeper._due, keeper._planned) == ({}, {}, math.inf)
        assert match.entries() == ["o 3 1", "O m 8-5 6-5"]
        assert await match.server.ask(match.alice, "show clock") == ["** This match has no clock."]


async def test_time_up_loses_the_game_and_the_match_goes_on(autojump_clock):
    async with playing() as match:
        server = match.server
        await server.passes(30 - 2 * STEP_S)
        assert server.table_of("alice").match.game.result is None
        await server.settle()
        told = "** alice's time is up: bob wins 3 points."
        assert [line for line in match.alice.lines() if "time is up" in line] == [told]
        assert [line for line in match.bob.lines() if "time is up" in line] == [told]
        assert match.entries()[-2:] == ["O F 3", "c 0/30000/w 30000/0"]
        assert await server.ask(match.alice, "move 8-5 6-5") == ["** It's not your turn to move."]
        server.chance.script("1-2")
        await server.ask(match.alice, "join")
        await server.ask(match.bob, "join")
        assert sorted([match.left("alice"), match.left("bob")]) == [30 - STEP_S, 30], "a new game, new banks"


async def test_a_match_can_end_by_time(autojump_clock):
    async with playing(length="1") as match:
        await match.server.passes(30)
        assert "bob wins the 1 point match 3-0 ." in match.alice.lines()
        assert not match.server.world.tables
        assert match.server.world.users[UserName("bob")].account.experience == 1


async def test_a_loss_is_no_larger_than_what_can_still_happen(autojump_clock):
    """Alice has borne off a checker: it can be no gammon. The cube counts."""
    async with playing() as match:
        server = match.server
        server.put("alice", SOME_OFF, cube=2, owner="alice")
        await server.passes(30)
        assert "** alice's time is up: bob wins 2 points." in match.bob.lines()


async def test_a_move_before_the_bell_counts(autojump_clock):
    async with playing() as match:
        await match.thinks(29.999, match.alice, "move 8-5 6-5")
        assert match.left("alice") == 0.001
        assert match.running == "bob"


@pytest.mark.parametrize("extras", [True, False])
async def test_ten_seconds_are_told_once_in_a_form_that_the_session_knows(autojump_clock, extras):
    async with playing() as match:
        alice = match.server.world.users[UserName("alice")]
        alice.account = attrs.evolve(alice.account, settings=attrs.evolve(alice.settings, extras=extras))
        await match.server.passes(20 - STEP_S)
        warning = "** You have 10 seconds left." if extras else "12 fibsd You have 10 seconds left."
        assert match.alice.lines() == [warning]
        await match.server.passes(5)
        assert match.alice.lines() == []
        assert match.bob.lines() == []


async def test_setting_the_time_of_day_gives_and_takes_nothing(autojump_clock):
    async with playing() as match:
        match.server.clock.at -= 86_400
        await match.thinks(12, match.alice, "move 8-5 6-5")
        assert match.left("alice") == 18
        match.server.clock.at += 2 * 86_400
        await match.server.settle()
        assert match.left("bob") == 30 - 2 * STEP_S


async def test_what_is_played_by_itself_uses_no_time(autojump_clock):
    """Bob rolls by himself (`toggle double` is off) and dances: alice is on turn again at once."""
    async with playing() as match:
        server = match.server
        await server.ask(match.bob, "toggle double")
        closed = [0] * 26
        side = server.table_of("bob").side_of(UserName("bob"))
        assert side is Side.X
        closed[0] = -1
        for point in range(1, 7):
            closed[point] = 2
        closed[8], closed[24] = 3, -2
        server.put("alice", closed, dice="2-1")
        server.chance.script("6-6")
        await match.thinks(12, match.alice, "move 8-6 8-7")
        assert match.left("bob") == 30
        assert match.running == "alice"
        assert match.left("alice") == 30 - 12 - 2 * STEP_S


async def test_a_second_login_takes_the_clock_over_as_it_runs(autojump_clock):
    async with playing() as match:
        await match.server.passes(5)
        before = match.left("alice")
        again = await match.server.login("alice")
        assert match.left("alice") == before - 2 * STEP_S + STEP_S
        assert match.running == "alice"
        await match.server.passes(30)
        assert "** alice's time is up: bob wins 3 points." in again.lines()


@pytest.mark.parametrize("way", ["leave", "hang up", "admin", "shutdown", "kill"])
async def test_what_is_left_survives_the_end_of_a_session_or_a_server(autojump_clock, way):
    """A server that is killed knows what was left when a wait ended last; nobody has less than he had."""
    async with playing() as match:
        server = match.server
        await match.thinks(12, match.alice, "move 8-5 6-5")
        await server.passes(7 - STEP_S)
        store: MemoryStore = server.store
        if way == "leave":
            await server.ask(match.alice, "leave")
        elif way == "hang up":
            await match.bob.hang_up()
            await server.settle()
        elif way == "admin":
            await server.engine.administer("close bob")
        if way != "shutdown":
            store = restarted(store)
    if way == "shutdown":
        store = restarted(store)
    async with serving(store) as server:
        alice, bob = await server.login("alice"), await server.login("bob")
        await server.passes(1000)
        await server.ask(alice, "invite bob")
        await server.ask(bob, "join alice")
        resumed = Match(server, alice, bob)
        assert (resumed.left("alice"), resumed.running) == (18, "bob")
        assert resumed.left("bob") == (30 if way == "kill" else 23) - STEP_S


async def test_the_bell_of_a_match_that_is_gone_does_not_ring(autojump_clock):
    async with playing() as match:
        await match.server.ask(match.bob, "void")
        match.alice.take()
        await match.server.passes(100)
        assert match.alice.lines() == []
        assert match.server.engine.timekeeper._due == {}


async def test_watchers_can_ask_and_others_cannot(autojump_clock):
    async with playing() as match:
        carol = await match.server.login("carol")
        assert await match.server.ask(carol, "show clock") == ["** You're not playing or watching."]
        await match.server.ask(carol, "watch alice")
        lines = await match.server.ask(carol, "show clock")
        assert lines == ["** Time left: alice 0:29, bob 0:30. The clock of alice runs."]


# --- the store -------------------------------------------------------------------------------------------------


async def test_time_that_the_store_takes_is_nobodys(autojump_clock):
    """Nobody is on the clock until the store has what was played; a player who was is held when it hangs."""
    store = Faltering()
    async with playing(store=store, faults=("store unavailable",)) as match:
        store.fall()
        await match.thinks(4, match.alice, "move 8-5 6-5")
        await match.server.passes(100)
        assert match.running is None
        store.rise()
        assert (match.left("alice"), match.left("bob"), match.running) == (30, 30, "bob")


async def test_a_clock_that_runs_when_the_store_begins_to_hang_is_held(autojump_clock):
    store = Faltering()
    async with playing(store=store, faults=("store unavailable",)) as match:
        server = match.server
        await server.passes(4)
        store.fall()
        left = match.left("alice")
        await server.login("carol")
        await server.passes(100)
        assert (match.left("alice"), match.running) == (left, None)
        store.rise()
        assert (match.left("alice"), match.running) == (left, "alice")


async def test_the_bell_waits_for_the_store_too(autojump_clock):
    """The time runs out within the seconds in which nobody has been told yet that the store hangs."""
    store = Faltering()
    async with playing(store=store, faults=("store unavailable",)) as match:
        server = match.server
        await server.passes(29)
        store.fall()
        await server.login("carol")
        await server.passes(100)
        assert server.table_of("alice").match.game.result is None
        store.rise()
        assert match.running == "alice"
        assert 0 < match.left("alice") < 1
        await server.passes(1)
        assert server.table_of("alice").match.game.result is not None


async def test_a_refused_job_gives_the_time_back_with_the_match(autojump_clock):
    def refuses(job: Job) -> bool:
        return any(isinstance(change, EntryAdded) and " r " in change.entry for change in job.changes)

    store = Faltering()
    async with playing(store=store, faults=("job refused by the store",)) as match:
        server = match.server
        await match.thinks(12, match.alice, "move 8-5 6-5")
        store.refuses = refuses
        await match.thinks(9, match.bob, "roll")
        assert not server.world.tables
        store.refuses = lambda _: False
        await server.passes(100)
        await server.ask(match.alice, "invite bob")
        await server.ask(match.bob, "join alice")
        assert (match.left("alice"), match.left("bob"), match.running) == (18, 30 - STEP_S, "bob")


async def test_a_fault_at_the_bell_gives_the_match_back_as_it_is_stored(autojump_clock, monkeypatch):
    """And the clocks of the others go on."""
    async with playing(faults=("match taken back as it is stored",)) as match:

        def broken(*args):
            raise ValueError("made by the test")

        with monkeypatch.context() as patch:
            patch.setattr("fibsd.server.timekeeper.award", broken)
            await match.server.passes(40)
        assert not match.server.world.tables
        await match.server.ask(match.alice, "invite bob")
        await match.server.ask(match.bob, "join alice")
        assert match.running == "alice"
        await match.server.passes(40)
        assert "** alice's time is up: bob wins 3 points." in match.bob.lines()


async def test_no_time_of_a_player_runs_while_his_connection_is_lost(autojump_clock):
    """Neither before the ghost plays for him nor while it does; that of his opponent runs as ever."""
    async with playing("clock 100 0 ghost") as match:
        await match.server.ask(match.alice, "m 8-5 6-5")
        await match.server.passes(20)
        left = match.left("bob")
        await match.bob.hang_up()
        await match.server.settle()
        assert match.running is None
        await match.server.passes(10)
        match.server.chance.script("6-5")
        await match.server.passes(1)
        await match.server.passes(2)
        assert match.running == "alice"
        before = match.left("alice")
        await match.server.passes(30)
        assert match.left("alice") == pytest.approx(before - 30, abs=0.01)
        assert match.left("bob") == pytest.approx(left, abs=1)
        match.server.chance.script("2-1")
        await match.server.ask(match.alice, "roll")
        await match.server.ask(match.alice, "m 13-11 6-5")
        assert match.running is None
        client = match.server.connect()
        await match.server.ask(client, "login tester 1008 bob secret")
        assert match.running == "bob"
        await match.server.passes(10)
        assert match.left("bob") == pytest.approx(left - 10, abs=1)
        match.server.chance.dice.clear()
