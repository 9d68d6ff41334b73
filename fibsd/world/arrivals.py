"""Users coming and going: login, a second login, logout, a lost connection (reference 1.3 to 1.8, 7)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import attrs

from fibsd.backgammon.side import BySide
from fibsd.values import frozen
from fibsd.world import ghost
from fibsd.world.account import Account
from fibsd.world.audience import Announcement, Result, ToSession, ToUser
from fibsd.world.changes import LoggedIn, LoggedOut, MatchRow, Message
from fibsd.world.events import (
    Arrival,
    Arrived,
    AskedToAnswer,
    Awaited,
    AwaitedBy,
    Departed,
    Farewell,
    MessagesWaiting,
    Notice,
    NoticeKind,
    OpponentGone,
    ResignOffered,
    SettlementNear,
    WatchedGone,
    Welcomed,
    YourGameSaved,
)
from fibsd.world.ghost import LEFT
from fibsd.world.ids import MatchId, UserName
from fibsd.world.invitations import end_invitations
from fibsd.world.lobby import Connection, Presence, SessionKind
from fibsd.world.matches import adjourn, show_resumed
from fibsd.world.play import remind
from fibsd.world.results import close
from fibsd.world.settling import over_at, warned_at
from fibsd.world.stakes import open_points
from fibsd.world.table import CorruptMatch, Table
from fibsd.world.watching import stop_watching
from fibsd.world.world import World

NONE_REPLAYED: Mapping[MatchId, Table | CorruptMatch] = MappingProxyType({})


@frozen(kw_only=True)
class Newcomer:
    """A user whose password was right.

    Attributes:
        connection: His new session.
        account: As stored. An account that is on-line already stays as the world has it.
        registered: Whether he has just registered.
        points: His play points in the store; None if he has never had any.
        replayed: Those of his unfinished matches that were replayed already, and what is wrong with them.
    """

    connection: Connection
    account: Account
    registered: bool = False
    points: int | None = None
    replayed: Mapping[MatchId, Table | CorruptMatch] = NONE_REPLAYED


def enter(
    world: World, newcomer: Newcomer, saved: Sequence[MatchRow], messages: Sequence[Message], out: Result
) -> list[CorruptMatch]:
    """A user comes on-line; an older session of his gives way to the new one.

    Args:
        world: The world.
        newcomer: Who, and how.
        saved: His unfinished matches in the store.
        messages: Messages left for him.
        out: Collects the effect.

    Returns:
        Faults of stored matches that cannot be replayed; they are left alone in the store.
    """
    connection = newcomer.connection
    old = world.users.get(newcomer.account.name)
    if old is not None:
        presence = _take_over(world, old, connection, out)
    else:
        presence = _new_presence(world, newcomer, out)
    report = ghost.come_back(world, presence, out)
    faults = load_saved(world, saved, newcomer.replayed)
    presence.messages = tuple(messages)
    if world.house.play_points and presence.points is None:
        open_points(world, presence, newcomer.points, out)
    _greet(world, presence, newcomer, out, again=old is not None)
    if faults:
        out.tell(connection.address, Notice(NoticeKind.CORRUPT))
    if report is not None:
        out.tell(connection.address, report)
    _warn(world, presence, out)
    if presence.table is not None:
        _show_running(world.tables[presence.table], presence.name, out)
    if old is None:
        _tell_waiting(world, presence, out)
    how = Arrival.REGISTERED if newcomer.registered else Arrival.LOGIN
    _announce_arrival(world, presence, how, old is not None, out)
    presence.account = attrs.evolve(presence.account, last_login=out.now, last_host=connection.host)
    out.store(LoggedIn(name=presence.name, at=out.now, host=connection.host))
    return faults


def _new_presence(world: World, newcomer: Newcomer, out: Result) -> Presence:
    world.logins += 1
    presence = Presence(
        number=world.logins,
        connection=newcomer.connection,
        account=newcomer.account,
        login_at=out.now,
        last_input=out.now,
    )
    world.add(presence)
    return presence


def _greet(world: World, presence: Presence, newcomer: Newcomer, out: Result, *, again: bool) -> None:
    """The first lines of a session: welcome, messages, and for programs the list of users."""
    connection, settings = newcomer.connection, presence.settings
    if presence.table is not None:
        settings = attrs.evolve(settings, toggles=world.toggles_of(presence))
    welcome = Welcomed(
        account=presence.account,
        settings=settings,
        boardstyle=presence.boardstyle,
        away=presence.away is not None,
        host=connection.host,
        now=out.now,
        again=again,
        registered=newcomer.registered,
        motd=world.motd,
    )
    out.tell(connection.address, welcome)
    if presence.messages:
        out.tell(connection.address, MessagesWaiting(presence.messages))
        out.receipts.extend((presence.name, message.id) for message in presence.messages)
    if connection.kind is SessionKind.CLIP:
        out.tell(connection.address, world.user_list(out.now), shows=world.users.keys())


def _warn(world: World, presence: Presence, out: Result) -> None:
    """Tell a user which of his saved matches will be settled if nobody goes on with them."""
    for table in world.saved_of(presence.name):
        begin, end = warned_at(world, table), over_at(world, table)
        if begin is not None and end is not None and out.now >= begin:
            out.tell(presence.connection.address, SettlementNear(table.opponent_of(presence.name), end))


def depart(world: World, presence: Presence, how: Farewell, out: Result, *, admin: str | None = None) -> None:
    """A user goes off-line; his match is saved and everybody concerned is told."""
    name = presence.name
    touched: list[UserName] = []
    end_invitations(world, presence)
    if presence.watching is not None:
        stop_watching(world, presence, out)
    if presence.table is not None:
        table = world.tables[presence.table]
        if ghost.goes_on(world, table, name, how):
            ghost.lose(world, table, presence, how, admin, out)
        else:
            _save_match(world, table, presence, how, admin, out)
            touched.append(table.opponent_of(name))
    for watcher in presence.watchers:
        world.users[watcher].watching = None
        out.tell(ToUser(watcher), WatchedGone(name, how, admin))
        touched.append(watcher)
    world.remove(name)
    _forget_saved(world, name)
    out.store(LoggedOut(name=name, at=out.now))
    out.announce(Announcement(users=(), lines=(Departed(name, how, admin),), besides=frozenset({name})))
    for other in touched:
        if other in world.users:
            world.announce_user(world.users[other], out)


def _save_match(world: World, table: Table, presence: Presence, how: Farewell, admin: str | None, out: Result) -> None:
    """The match of somebody who goes off-line is saved."""
    name, opponent = presence.name, table.opponent_of(presence.name)
    absence = world.absent_from(table)
    left_by = name if how in LEFT else None
    if absence is not None and how is not Farewell.LOGOUT:
        # The other one's connection was lost first.
        left_by = ghost.left_by(absence)
    adjourn(world, table, left_by, out)
    if how is Farewell.LOGOUT:
        out.tell(ToSession(presence.connection.id), YourGameSaved(opponent))
    out.tell(ToUser(opponent), OpponentGone(name, how, admin), shows=(table.id,))


def _take_over(world: World, presence: Presence, connection: Connection, out: Result) -> Presence:
    """The newer session wins: it gets the user as he is, with a running match; the rest of the old one ends."""
    out.drops.append(presence.connection.id)
    end_invitations(world, presence)
    if presence.watching is not None:
        stop_watching(world, presence, out, quietly=True)
    presence.connection = connection
    presence.login_at = presence.last_input = out.now
    presence.away = None
    presence.waved = False
    # The new session was asked nothing: its first line must not be taken for an answer.
    presence.asked = presence.gammon_asked = None
    presence.confirmed = frozenset()
    presence.last_command = None
    return presence


def _announce_arrival(world: World, presence: Presence, how: Arrival, again: bool, out: Result) -> None:
    """Others learn of a login; of a second one too, but not those at the table that goes on (docs: design)."""
    name = presence.name
    if not again:
        told = frozenset({name})
        out.announce(Announcement(users=(name,), lines=(Arrived(name, how),), pairs_first=False, besides=told))
        return
    arrived = Arrived(name, Arrival.AGAIN)
    opponent = world.opponent_of(presence)
    table_mates = frozenset([opponent] if opponent else []) | frozenset(
        world.watchers_of([name, *([opponent] if opponent else [])])
    )
    for mate in sorted(table_mates):
        out.tell(ToUser(mate), arrived)
    closed = Departed(name, Farewell.CLOSED_OLD)
    besides = table_mates | {name}
    out.announce(Announcement(users=(name,), lines=(closed, arrived), pairs_first=False, besides=besides))


def _tell_waiting(world: World, presence: Presence, out: Result) -> None:
    """Those who wait for this login are told, once, and so is the user."""
    name = presence.name
    for other in sorted(world.waiters.values(), key=lambda other: other.number):
        if not other.waits_for:
            del world.waiters[other.name]
        elif name in other.waits_for:
            other.waits_for -= {presence.name}
            out.tell(ToUser(other.name), Awaited(presence.name))
            out.tell(presence.connection.address, AwaitedBy(other.name))


def load_saved(
    world: World, rows: Sequence[MatchRow], replayed: Mapping[MatchId, Table | CorruptMatch] = NONE_REPLAYED
) -> list[CorruptMatch]:
    """Hold the user's saved matches in memory. What is in memory already is newer than the store's answer.

    Args:
        world: The world.
        rows: The matches as stored.
        replayed: What has come of replaying some of them.

    Returns:
        Faults of those that cannot be replayed.
    """
    faults = []
    for row in rows:
        if held(world, row):
            continue
        try:
            table = replayed.get(row.id) or Table.restore(row)
        except CorruptMatch as fault:
            table = fault
        if isinstance(table, CorruptMatch):
            faults.append(table)
        else:
            world.saved[row.id] = table
    return faults


def held(world: World, row: MatchRow) -> bool:
    """Whether a match is in memory, because its other player is on-line."""
    return row.id in world.saved or row.id in world.tables


def take_back(
    world: World, match_id: MatchId, out: Result, names: BySide[UserName] | None = None
) -> tuple[UserName, ...]:
    """Forget a match whose newest change the store does not have, so that it can be loaded as it is stored.

    Args:
        world: The world.
        match_id: The match, running, saved, or just finished.
        out: Collects the effect.
        names: Its players, without whom one that is just finished is not found.

    Returns:
        The players on-line; they are told as if the connection had failed.
    """
    table = world.tables.get(match_id)
    if table is not None:
        close(world, table)
    else:
        table = world.saved.pop(match_id, None)
    if table is not None:
        names = table.names
    if names is None:
        return ()
    both = ((names.o, names.x), (names.x, names.o))
    for name, opponent in both:
        if name in world.users:
            out.tell(ToUser(name), OpponentGone(opponent, Farewell.NETWORK_ERROR))
            world.announce_user(world.users[name], out)
    return tuple(name for name, _ in both if name in world.users)


def _forget_saved(world: World, name: UserName) -> None:
    for table in list(world.saved_of(name)):
        if table.opponent_of(name) not in world.users:
            del world.saved[table.id]


def _show_running(table: Table, name: UserName, out: Result) -> None:
    """The match that a new session takes over: resume lines, one board, one prompt line."""
    show_resumed(table, name, out, invited=False)
    game = table.match.game
    side = table.side_of(name)
    if game.resignation is not None:
        offered = game.worth(game.resignation.size)
        out.tell(ToUser(name), ResignOffered(table.names, game.resignation.side, offered))
    elif game.offer is not None:
        out.tell(ToUser(name), AskedToAnswer(table.names, game.offer.by, redouble=game.offer.turns > 1))
    elif game.turn is side and not table.paused:
        remind(table, out)
