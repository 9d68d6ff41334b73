"""The term `ghost`: a match goes on while the connection of one of its players is lost.

The world keeps who is away and what that means for the match. When the server plays in his place, and what, is
decided elsewhere; its decisions come as the ordinary actions of his side.
"""

import math

from fibsd.backgammon.actions import MakePlay
from fibsd.world.absence import GHOST_AFTER_S, RETURN_S, Absence
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import Message, MessageLeft
from fibsd.world.events import (
    ConnectionLost,
    Farewell,
    GhostPlays,
    GhostReport,
    OpponentGone,
    PlayerBack,
    WatchedGone,
)
from fibsd.world.ids import UserName
from fibsd.world.lobby import Presence
from fibsd.world.matches import adjourn, leave
from fibsd.world.record import GhostSeat
from fibsd.world.results import SERVER_NAME
from fibsd.world.table import Table
from fibsd.world.watching import start_watching
from fibsd.world.world import World

LEFT = frozenset({Farewell.LOGOUT, Farewell.DROP, Farewell.TIMEOUT})
"""Farewells after which a saved match counts as left on by the one who went."""


def goes_on(world: World, table: Table, name: UserName, how: Farewell) -> bool:
    """Whether a match goes on when this player's session ends so: he did not log out, and the other one is there."""
    return table.terms.added.ghost and how is not Farewell.LOGOUT and table.opponent_of(name) in world.users


def lose(world: World, table: Table, presence: Presence, how: Farewell, admin: str | None, out: Result) -> None:
    """A player's connection is lost; he keeps his seat, and his watchers go on with his opponent."""
    name, opponent = presence.name, table.opponent_of(presence.name)
    world.absent[name] = Absence(presence=presence, how=how, since=out.now, admin=admin)
    # Nobody's time runs while he cannot act; if the other one is awaited, his starts again.
    table.stop_clock(out)
    # The next game must not begin without him.
    table.joined -= {name}
    if table.paused:
        world.deadlines.setdefault(name, out.now + RETURN_S)
    wait_s = _left_s(world, name, out.now) if table.paused else math.ceil(GHOST_AFTER_S)
    out.tell(ToUser(opponent), ConnectionLost(name, wait_s, not table.paused), shows=(table.id,))
    watchers, presence.watchers = list(presence.watchers), {}
    for watcher in watchers:
        user = world.users[watcher]
        user.watching = None
        out.tell(ToUser(watcher), WatchedGone(name, how, admin))
        start_watching(world, user, world.users[opponent], out)


def begin(world: World, table: Table, name: UserName, out: Result) -> None:
    """The server takes an absent player's seat; from here to `end` no time of his may run."""
    table.enter(GhostSeat(table.side_of(name), True), out.now, out)
    out.tell(ToUser(table.opponent_of(name)), GhostPlays(name), shows=(table.id,))


def end(table: Table, out: Result) -> None:
    """The player himself plays the running game again, if somebody else did; from here on his time may run."""
    if table.ghost is not None and not table.paused:
        table.enter(GhostSeat(table.ghost, False), out.now, out)


def come_back(world: World, presence: Presence, out: Result) -> GhostReport | None:
    """Give a user who logs in the seat that he still has; what he is to be told, None if he has none."""
    name = presence.name
    absence = world.absent.pop(name, None)
    if absence is None or absence.presence.table is None:
        return None
    table = world.tables[absence.presence.table]
    side, result = table.side_of(name), table.match.game.result
    played = table.ghost is side
    presence.table, presence.partner = table.id, table.opponent_of(name)
    made = sum(isinstance(action, MakePlay) and action.side is side for action in table.actions[table.ghost_from :])
    report = GhostReport(
        plays=made if played and result is None else None,
        won=result.winner is side if played and result is not None else None,
        join_s=None if result is None else _left_s(world, name, out.now),
    )
    end(table, out)
    table.rouse(out)
    out.tell(ToUser(table.opponent_of(name)), PlayerBack(name), shows=(table.id,))
    return report


def break_off(world: World, name: UserName, out: Result) -> None:
    """The time to come back and join has passed: the match is saved."""
    seat = world.player(name).table
    if seat is None:
        raise ValueError("he has no seat")
    table = world.tables[seat]
    absence = world.absent.get(name)
    if absence is None:
        leave(world, table, world.users[name], out)
        return
    opponent = table.opponent_of(name)
    text = _summary(table, name, opponent)
    adjourn(world, table, left_by(absence), out)
    out.tell(ToUser(opponent), OpponentGone(name, absence.how, absence.admin), shows=(table.id,))
    world.announce_user(world.users[opponent], out)
    message = Message(id=world.next_message, to=name, sender=SERVER_NAME, at=out.now, text=text)
    world.next_message += 1
    out.store(MessageLeft(message=message))


def left_by(absence: Absence) -> UserName | None:
    """Who counts as having left a saved match on."""
    return absence.presence.name if absence.how in LEFT else None


def _left_s(world: World, name: UserName, now: float) -> int:
    """Whole seconds until the match is saved without this player, at least 0."""
    return max(0, math.ceil(world.deadlines.get(name, now) - now))


def _summary(table: Table, name: UserName, opponent: UserName) -> str:
    """For a player who did not come back in time: how his game ended."""
    result = table.match.game.result
    if table.ghost is None or result is None:
        return f"Your match with {opponent} was saved."
    how = "won a game for you, which does not count" if result.winner is table.side_of(name) else "lost a game for you"
    return f"The ghost {how}. Your match with {opponent} was saved."
