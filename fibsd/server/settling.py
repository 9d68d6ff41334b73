"""Saved matches that nobody has touched for too long: they are found in the store and settled, few at a time."""

from __future__ import annotations

from functools import partial

import structlog
import trio

from fibsd.server.engine import Engine
from fibsd.server.tasks import guarded
from fibsd.world.account import Account
from fibsd.world.audience import Result
from fibsd.world.changes import MatchRow
from fibsd.world.ids import MatchId, UserName
from fibsd.world.settling import DAY_S, adjudicate, over_at
from fibsd.world.table import CorruptMatch, Table

log = structlog.get_logger()

ROUND_S = 3600.0
"""Seconds between two rounds."""

FIRST_S = 30.0
"""Seconds after the start before the first one: those who were cut off by it come back first."""

SLICE = 20
"""Matches that are read at once."""

REST_S = 0.1
"""Seconds after each match in which others are served."""


async def settle_abandoned(engine: Engine) -> None:
    """Make one round after the other, for ever; in each of them the rules of the house count as they are then."""
    await trio.sleep(FIRST_S)
    while True:
        await guarded(partial(_round, engine))
        await trio.sleep(ROUND_S)


async def _round(engine: Engine) -> None:
    days = engine.world.house.adjudicate_after
    if not days:
        return
    since, last = engine.now() - days * DAY_S, 0
    while rows := await engine.store.untouched(since, last, SLICE):
        for row in rows:
            await guarded(partial(_settle, engine, row.id))
            await trio.sleep(REST_S)
        last = rows[-1].id


async def _settle(engine: Engine, match_id: MatchId) -> None:
    """Settle one match, unless something has happened to it since it was found."""
    found = await _look_up(engine, match_id)
    if found is None:
        return
    row, accounts = found
    world, names = engine.world, (row.names.o, row.names.x)
    # Who is just coming in has perhaps been given the match as it was.
    if row.finished is not None or match_id in world.tables or any(engine.gate.entering[name] for name in names):
        return
    try:
        # What is in memory is as new as the store or newer.
        table = world.saved.get(match_id) or Table.restore(row)
    except CorruptMatch as fault:
        log.error("stored match cannot be replayed", fault=str(fault))
        return
    now, end = engine.now(), over_at(world, table)
    if end is None or now < end:
        return
    out = Result(now=now)
    adjudicate(world, table, accounts, out)
    engine.deliver(out, None)
    engine.flush()


async def _look_up(engine: Engine, match_id: MatchId) -> tuple[MatchRow, dict[UserName, Account]] | None:
    """A match and its players' accounts as they are when all about them has been stored; None if it is gone."""
    while True:
        row = await engine.store.match(match_id)
        if row is None:
            return None
        names = (row.names.o, row.names.x)
        stored = [await engine.store.account(name) for name in names]
        number = max(engine.commits.newest((match_id,)), *map(engine.commits.newest_about, names))
        if not number:
            break
        await engine.commits.wait(number)
    accounts = {account.name: account for account in stored if account is not None}
    for name in names:
        if name in engine.world.users:
            accounts[name] = engine.world.users[name].account
    return (row, accounts) if len(accounts) == len(names) else None
