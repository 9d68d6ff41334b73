"""Starts the players' clocks when they have been told that they are awaited, and rings when their time is up.

One task looks after all clocks; it sleeps until the next moment at which something is due, and for ever while no clock
runs. Clocks are stopped by what players do, in the world.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from fibsd.world.clock import Clock
from fibsd.world.events import AwardReason
from fibsd.world.ids import MatchId
from fibsd.world.results import award, warn
from fibsd.world.table import Table

if TYPE_CHECKING:
    from fibsd.server.engine import Engine

log = structlog.get_logger()


@attrs.define(eq=False)
class Timekeeper:
    """The clocks of one server.

    Attributes:
        engine: Its middle.
        waiting: Matches whose clock starts when a job is stored, with the job's number.
    """

    engine: Engine
    waiting: dict[MatchId, int] = attrs.Factory(dict)
    # When something is due at each clock that runs. A clock that was stopped may still stand here for a while.
    _due: dict[MatchId, float] = attrs.Factory(dict)
    _planned: float = math.inf
    _sooner: trio.Event = attrs.Factory(trio.Event)

    def expect(self, match_id: MatchId, number: int) -> None:
        """Start a match's clock when this job is stored and told of; 0: it is told of now."""
        self._due.pop(match_id, None)
        if number > self.engine.commits.durable:
            self.waiting[match_id] = number
        else:
            self.waiting.pop(match_id, None)
            self._start(match_id)

    def told(self) -> None:
        """What is stored has been sent: the clocks that waited for it start."""
        durable = self.engine.commits.durable
        for match_id in [match_id for match_id, number in self.waiting.items() if number <= durable]:
            del self.waiting[match_id]
            self._start(match_id)

    def hold_all(self, hung_s: float) -> None:
        """The store has been hanging for so many seconds: all clocks stand, and that time is nobody's."""
        for match_id in list(self._due):
            table = self.engine.world.tables.get(match_id)
            if table is not None and table.clock is not None and table.clock.running is not None:
                self._hold(table, table.clock, hung_s)

    async def run(self) -> None:
        """Ring at each moment at which something is due, for ever."""
        while True:
            self._sooner = trio.Event()
            self._planned = min(self._due.values(), default=math.inf)
            with trio.move_on_at(self._planned):
                await self._sooner.wait()
            self._ring()

    def _start(self, match_id: MatchId) -> None:
        table = self.engine.world.tables.get(match_id)
        if table is None or table.clock is None or table.awaited is None:
            return
        if table.names.of(table.awaited) in self.engine.world.absent:
            # The ghost needs no time, and the ten seconds before it are nobody's.
            return
        table.clock = table.clock.start(table.awaited, self.engine.ticks())
        self._watch(match_id, table.clock)

    def _watch(self, match_id: MatchId, clock: Clock) -> None:
        due = min(at for at in (clock.warns_at, clock.expires_at, math.inf) if at is not None)
        self._due[match_id] = due
        if due < self._planned:
            self._planned = due
            self._sooner.set()

    def _ring(self) -> None:
        now = self.engine.ticks()
        for match_id in [match_id for match_id, due in self._due.items() if due <= now]:
            del self._due[match_id]
            table = self.engine.world.tables.get(match_id)
            if table is not None and table.clock is not None and table.clock.running is not None:
                self._look_at(table, table.clock, now)
        self.engine.flush()

    def _look_at(self, table: Table, clock: Clock, now: float) -> None:
        """Warn a player, or end the game against him, if it is time."""
        hung_s = self.engine.store.waiting_s()
        if hung_s > 0 and self._hold(table, clock, hung_s):
            return
        loser = clock.expired(now)
        if loser is not None:
            log.info("time is up", match=table.id, user=table.names.of(loser))
            self.engine.at_table(table, lambda world, out: award(world, table, loser, AwardReason.TIME, out))
            return
        if clock.warns_at is not None and clock.warns_at <= now:
            self.engine.at_table(table, lambda _, out: warn(table, clock, out))
        if table.clock is not None:
            self._watch(table.id, table.clock)

    def _hold(self, table: Table, clock: Clock, hung_s: float) -> bool:
        """Let a clock stand until the store has caught up; False if nothing waits for the store."""
        commits = self.engine.commits
        if commits.last <= commits.durable:
            return False
        table.clock = clock.stop(self.engine.ticks() - hung_s, turn_ended=False)
        self.expect(table.id, commits.last)
        return True
