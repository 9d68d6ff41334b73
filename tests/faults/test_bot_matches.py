"""Bots play matches of all lengths, on all terms, and lose their connections at random.

Everything is real but the time of day, which runs faster, so that nobody waits long for a ghost. `FIBSD_BOT_MATCHES`
is how many matches are played; 60 take a minute, 200 are what a change of terms, clocks, ghosts or bots deserves.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import attrs
import pytest
import trio

from fibsd.backgammon.variants import BACKGAMMON
from fibsd.bots.mind import Mind
from fibsd.bots.player import CLIENT, CLIP_VERSION, TICK_S, Lost, Wire
from fibsd.config import Config, Play, Points
from fibsd.storage.sql import open_store
from fibsd.world.changes import MatchRow
from fibsd.world.errors import Refused
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import BANK
from fibsd.world.table import Table
from fibsd.world.terms import AddedTerms, parse_terms
from tests.support.client import PASSWORD, RAISED, Clock
from tests.support.ring import Ring, running

MATCHES = int(os.environ.get("FIBSD_BOT_MATCHES", "60"))
SEED = 20_260_103
"""Any will do; it only must not change."""
PAIRS = 4
FASTER = 20.0
"""So many seconds of the day pass in one."""
LOOK_S = 0.02
INVITE_S = 1.0
"""So often an invitation is tried again that came too early."""
LONGEST_S = 60.0
"""No match lasts so long, be its players away as often as they are here."""
TERMS = (
    *("blitz", "standard", "clock 10 0", "clock 60 5", "ghost", "ghost", "nocube", "jacoby"),
    *("nackgammon", "hypergammon", "trictrac", "stake 10", "stake 25"),
)
NO_PLAY = re.compile(r"\*\* (You can't move|You have to (play|remove)|You must give|Please don't give)")
"""What only somebody is told who does not know the rules of his match."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + 3 * MATCHES)]


@attrs.define(eq=False)
class FastClock(Clock):
    """The time of day."""

    def now(self) -> float:
        """Unix seconds."""
        return self.at + FASTER * trio.current_time()


@attrs.frozen
class Plan:
    """A match: what is typed behind `invite <name>`, and what it means."""

    length: int | None
    words: str
    added: AddedTerms

    @classmethod
    def draw(cls, rng: random.Random) -> Plan:
        """Any length, and terms that go together."""
        while True:
            length = rng.choice((1, 1, 2, 3, None))
            words = rng.sample(TERMS, rng.choice((0, 1, 1, 2, 2, 3)))
            with suppress(Refused):
                added = parse_terms(" ".join(words).split(), unlimited=length is None)
                return cls(length, " ".join([str(length or "unlimited"), *words]), added)

    @property
    def rated(self) -> bool:
        """Whether its end changes ratings."""
        return self.length is not None and self.added.variant is BACKGAMMON


@attrs.define(eq=False)
class Seat:
    """A bot that is on-line, except when its connection was just lost.

    Attributes:
        name: Its own.
        awake: While it is not set, the bot hears nothing.
        wrong: Lines that it should never be sent.
    """

    name: str
    address: tuple[str, int]
    random: random.Random
    awake: trio.Event
    wrong: list[str] = attrs.Factory(list)
    _wire: Wire | None = None
    _cut: trio.CancelScope = attrs.Factory(trio.CancelScope)
    _one_at_a_time: trio.Lock = attrs.Factory(trio.Lock)

    async def live(self) -> None:
        """Log in, play until the connection is lost, and again after a while."""
        while True:
            self._cut = trio.CancelScope()
            with suppress(Lost, trio.BrokenResourceError), self._cut:
                async with await trio.open_tcp_stream(*self.address) as stream:
                    await self._play(Wire(stream))
            self._wire = None
            await trio.sleep(self.random.choice((0.0, 0.2, 0.2, 1.0, 1.5, 8.0)))

    async def _play(self, wire: Wire) -> None:
        await wire.until("login: ")
        await wire.send(f"login {CLIENT} {CLIP_VERSION} {self.name} {PASSWORD}")
        await wire.until("\n1 ")
        self._wire, mind = wire, Mind(self.name)
        while True:
            line = None
            with trio.move_on_after(TICK_S):
                line = await wire.line()
            await self.awake.wait()
            if line is not None and NO_PLAY.match(line):
                self.wrong.append(line)
            now = trio.current_time()
            for answer in mind.wait(now) if line is None else mind.hear(line, now):
                await self.type(answer)

    async def type(self, line: str) -> None:
        """Say something, if it is on-line."""
        wire = self._wire
        async with self._one_at_a_time:
            if wire is not None:
                with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                    await wire.send(line)

    def drop(self) -> None:
        """Lose the connection."""
        self._cut.cancel()


@attrs.define(eq=False)
class Pair:
    """Two bots, and what happens to their matches."""

    ring: Ring
    seats: tuple[Seat, Seat]
    random: random.Random
    happened: Counter[str]
    finished: dict[MatchId, Plan] = attrs.Factory(dict)

    async def play(self, plans: Iterator[Plan]) -> None:
        """One match after the other, each to its end."""
        for plan in plans:
            with trio.move_on_after(LONGEST_S) as scope:
                number = await self._begin(plan)
                await self._see_it_through(number, plan)
                self.finished[number] = plan
            assert not scope.cancelled_caught, f"{plan.words} never ended: {self._actions()}"

    def _table(self) -> Table | None:
        names = {seat.name for seat in self.seats}
        tables = self.ring.app.engine.world.tables.values()
        return next((table for table in tables if {table.names.o, table.names.x} == names), None)

    def _actions(self) -> object:
        """What is going on, for a match that does not end."""
        table = self._table()
        return None if table is None else (table.id, table.terms, table.match.game.phase, table.actions[-5:])

    async def _begin(self, plan: Plan) -> MatchId:
        while (begun := self._table() or await self._missed()) is None:
            await self._invite(plan.words)
        assert begun.terms.added == plan.added
        return begun.id

    async def _missed(self) -> MatchRow | None:
        """A match that began and ended between two looks: one point of hypergammon takes less than `LOOK_S`."""
        engine = self.ring.app.engine
        await engine.commits.wait(engine.commits.last)
        row = await engine.store.last_match(UserName(self.seats[0].name))
        return None if row is None or row.id in self.finished else row

    async def _invite(self, words: str = "") -> None:
        """Bring the two together, if both are on-line; else try again later."""
        one, other = self.random.sample(self.seats, 2)
        await one.type(f"invite {other.name} {words}".rstrip())
        with trio.move_on_after(INVITE_S):
            while self._table() is None:  # noqa: ASYNC110 - it has no event
                await trio.sleep(LOOK_S)

    async def _see_it_through(self, number: MatchId, plan: Plan) -> None:
        """Drop connections, resume what was saved, and leave what has no end."""
        drops = self.random.choice((0, 1, 1, 2, 3))
        haunted = False
        naps = plan.added.clock is not None and plan.added.clock.bank_s == 10
        while True:
            table = self._table()
            if table is None:
                engine = self.ring.app.engine
                # A match may be left before its beginning is stored.
                await engine.commits.wait(engine.commits.last)
                row = await engine.store.match(number)
                assert row is not None
                if row.finished is not None:
                    return self._count(haunted)
                # It may just have ended, or both may be away.
                if number in self.ring.app.engine.world.saved:
                    await self._invite()
                    self.happened["resumed"] += self._table() is not None
            elif plan.length is None and table.match.games:
                self.happened["left"] += 1
                await self.random.choice(self.seats).type("leave")
                await self._until_gone()
                if self._table() is None:
                    return self._count(haunted)
            elif naps and not table.paused:
                naps = False
                await self._let_time_run_out(table)
            elif drops and table.ghost is None and self.random.random() < 0.5:
                drops -= 1
                self._drop()
            await trio.sleep(self.random.uniform(0.0, 5 * LOOK_S))
            haunted = haunted or (table is not None and table.ghost is not None)

    def _count(self, haunted: bool) -> None:
        """A match has ended; whether a ghost ever played in it."""
        self.happened["ghosts"] += haunted

    def _drop(self) -> None:
        for seat in self.random.choice((self.seats[:1], self.seats[1:], self.seats[:1], self.seats[1:], self.seats)):
            self.happened["dropped"] += 1
            seat.drop()

    async def _until_gone(self) -> None:
        with trio.move_on_after(INVITE_S):
            while self._table() is not None:  # noqa: ASYNC110 - it has no event
                await trio.sleep(LOOK_S)

    async def _let_time_run_out(self, table: Table) -> None:
        """One of them thinks for too long."""
        seat, games = self.random.choice(self.seats), table.match.games
        seat.awake = trio.Event()
        while self._table() is table and table.match.games == games:  # noqa: ASYNC110 - it has no event
            await trio.sleep(LOOK_S)
        seat.awake.set()
        self.happened["times out"] += 1


def nothing_is_left(ring: Ring) -> None:
    """In the server, when everybody has gone."""
    engine = ring.app.engine
    world, timekeeper = engine.world, engine.timekeeper
    assert (world.tables, world.users, world.absent, world.deadlines) == ({}, {}, {}, {})
    assert (engine.sessions, timekeeper.waiting) == ({}, {})
    # A clock that was stopped is forgotten when it would have rung.
    assert [due for due in timekeeper._due.values() if due > engine.ticks() + 120] == []


def check(path: Path, finished: dict[MatchId, Plan]) -> None:
    """What the database says of ratings and play points."""
    with closing(sqlite3.connect(path)) as db:
        won = dict(db.execute("SELECT id, winner FROM matches WHERE finished IS NOT NULL"))
        booked = db.execute(
            "SELECT match_id, name, rating_before, rating_after, history.experience FROM rating_history AS history"
            " JOIN matches ON matches.id = match_id ORDER BY finished, match_id"
        ).fetchall()
        accounts = db.execute("SELECT name, rating, experience FROM accounts").fetchall()
        balances = db.execute("SELECT account, sum(amount) FROM ledger GROUP BY account").fetchall()
    assert set(won) == {number for number, plan in finished.items() if plan.length is not None}
    assert None not in won.values()
    rated = {number: plan.length for number, plan in finished.items() if plan.rated}
    assert Counter(number for number, *_ in booked) == dict.fromkeys(rated, 2)
    for name, rating, experience in accounts:
        mine = [row for row in booked if row[1] == name]
        chain = [1500.0, *(after for *_, after, _ in mine)]
        assert [before for _, _, before, _, _ in mine] == chain[:-1]
        assert (rating, experience) == (chain[-1], sum(rated[number] or 0 for number, *_ in mine))
    assert sum(points for _, points in balances) == 0
    assert {account for account, points in balances if points < 0} <= {BANK}
    assert [account for account, points in balances if account.startswith("match:") and points] == []


async def test_every_match_ends_and_leaves_nothing_behind(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    plans = iter([Plan.draw(rng) for _ in range(MATCHES)])
    store = open_store(f"sqlite:///{tmp_path / 'fibsd.db'}")
    happened: Counter[str] = Counter()
    finished: dict[MatchId, Plan] = {}
    wrong: list[str] = []
    configuration = Config(
        limits=RAISED, points=Points(enabled=True, fee_percent=10), play=Play(max_saved=max(8, MATCHES))
    )
    async with running(configuration, store=store, clock=FastClock()) as ring:
        async with trio.open_nursery() as lives:
            async with trio.open_nursery() as matches:
                for letter in "abcd"[:PAIRS]:
                    seats = []
                    for name in (f"ann_{letter}", f"bob_{letter}"):
                        await ring.account(UserName(name))
                        awake = trio.Event()
                        awake.set()
                        seats.append(Seat(name, ring.address, random.Random(rng.random()), awake, wrong))
                        lives.start_soon(seats[-1].live)
                    pair = Pair(ring, (seats[0], seats[1]), random.Random(rng.random()), happened, finished)
                    matches.start_soon(pair.play, plans)
            lives.cancel_scope.cancel()
        await ring.sessions_become(0)
        nothing_is_left(ring)
    print(f"{len(finished)} matches: {dict(happened)}")
    assert wrong == []
    assert len(finished) == MATCHES
    check(tmp_path / "fibsd.db", finished)
    if MATCHES >= 60:
        assert set(happened) == {"dropped", "resumed", "ghosts", "left", "times out"}
