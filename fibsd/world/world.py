"""The server's whole state in memory: users on-line, running matches, saved matches of users on-line."""

import ipaddress
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import attrs

from fibsd.backgammon.dice import Dice, DiceSource
from fibsd.values import frozen
from fibsd.world.absence import Absence
from fibsd.world.account import GAME_TOGGLES, Settings, Toggle, shared
from fibsd.world.audience import Announcement, Result, ToUser, Watchers
from fibsd.world.changes import Ban, SettingsChanged
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import Event, UserList, UsersChanged, WhoCard, WhoRow
from fibsd.world.ids import MatchId, UserName
from fibsd.world.lobby import Habit, Neighbours, Presence
from fibsd.world.table import Table


class Chance(DiceSource, Protocol):
    """Dice, and the draw of colours for a match's first game."""

    def coin(self) -> bool:
        """True or False with equal chances."""


@frozen(kw_only=True)
class HouseRules:
    """What the operator may decide about play.

    Attributes:
        long_match: Longest match, in points, that needs no experience.
        long_match_experience: Experience needed for a longer one.
        max_saved: From so many saved matches that he left on, a player may only resume.
        max_messages: Messages that may wait for one user.
        shouts_per_minute: For each user, as the next two.
        messages_per_minute: Messages that he may leave.
        invitations_per_minute: Invitations that he may send.
        play_points: Whether there are play points, which can be staked.
        start_points: With how many each account begins.
        fee_percent: How much of the stakes of a match the house keeps, rounded down.
        adjudicate_after: Days after which a saved match that nobody has touched is settled; 0 for never.
    """

    long_match: int = 9
    long_match_experience: int = 50
    max_saved: int = 8
    max_messages: int = 20
    shouts_per_minute: int = 20
    messages_per_minute: int = 20
    invitations_per_minute: int = 60
    play_points: bool = False
    start_points: int = 1000
    fee_percent: int = 0
    adjudicate_after: int = 0


@frozen(kw_only=True)
class ServerFacts:
    """What may be told of the server.

    Attributes:
        version: Of the program.
        started: Unix seconds.
        max_users: How many may be on-line.
        operator: Who runs it, and his address.
        help: The pages of the on-line help by topic.
        countries: Lines of the list of country codes.
    """

    version: str
    started: float = 0.0
    max_users: int = 10_000
    operator: str = ""
    help: Mapping[str, tuple[str, ...]] = attrs.Factory(dict)
    countries: tuple[str, ...] = ()


SHEET = 64
"""Logins in a row whose users stand on one sheet of the list of everybody: if one changes, so many are written anew."""

SHEETS = 16
"""So many of them are made anew in one step: two milliseconds if something has changed on each of their cards."""

SEAT_CHANGES_PER_MINUTE = 60
"""Each is an entry of the match's journal, which is read at every login of its players: nobody may swell it at will."""

SAMPLES = 144
"""How many counts of the users on-line are kept: a day, at one count in ten minutes."""


@frozen(kw_only=True)
class Shutdown:
    """An announced stop: at which Unix second, why, by whom."""

    at: float
    reason: str
    by: str


def _within(peer: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(peer) in ipaddress.ip_network(network)
    except ValueError:
        return False


@attrs.define(kw_only=True)
class World:
    """Owner of all users on-line and all tables. Nothing in here waits, writes or sends.

    Attributes:
        house: The operator's rules.
        server: What may be told of the server.
        chance: Where dice and colours come from.
        users: Everybody on-line, in order of login.
        neighbours: The same, some together, for the list of everybody.
        waiters: Those among them who may wait for somebody's login, and nobody else who does.
        keys: The names of everybody on-line by the same in lower case.
        tables: Running matches.
        saved: Matches that can be resumed and of which at least one player is on-line.
        next_match: Number of the next match.
        next_message: Number of the next message.
        logins: Logins since the start.
        most_users: The most users that were on-line at once.
        rolls: Rolls since they were last handed to the store.
        motd: Lines of the message of the day.
        samples: How many users were on-line, counted from time to time: pairs of Unix seconds and number.
        bans: Who may not log in, and from where.
        shutdown: When the server is to stop, if that was announced.
        next_ban: Number of the next ban.
        absent: Players of running matches who have lost their connections (term `ghost`).
        deadlines: Until when (Unix seconds) such a player must have typed `join`, back on-line or not.
    """

    house: HouseRules
    chance: Chance
    server: ServerFacts
    next_match: int = 1
    next_message: int = 1
    users: dict[UserName, Presence] = attrs.Factory(dict)
    neighbours: list[Neighbours] = attrs.Factory(list)
    waiters: dict[UserName, Presence] = attrs.Factory(dict)
    keys: dict[str, UserName] = attrs.Factory(dict)
    tables: dict[MatchId, Table] = attrs.Factory(dict)
    saved: dict[MatchId, Table] = attrs.Factory(dict)
    logins: int = 0
    most_users: int = 0
    rolls: Counter[Dice] = attrs.Factory(Counter)
    motd: tuple[str, ...] = ()
    samples: deque[tuple[float, int]] = attrs.field(factory=lambda: deque(maxlen=SAMPLES))
    bans: dict[int, Ban] = attrs.Factory(dict)
    shutdown: Shutdown | None = None
    next_ban: int = 1
    absent: dict[UserName, Absence] = attrs.Factory(dict)
    deadlines: dict[UserName, float] = attrs.Factory(dict)

    def sample(self, now: float) -> None:
        """Note how many users are on-line (FIBS help: average)."""
        self.samples.append((now, len(self.users)))

    # --- users -------------------------------------------------------------------------------------------------

    def add(self, presence: Presence) -> None:
        """Put a user on-line."""
        self.users[presence.name] = presence
        if not self.neighbours or self.neighbours[-1].seats >= SHEET:
            self.neighbours.append(Neighbours())
        self.neighbours[-1].add(presence)
        self.keys[presence.name.lower()] = presence.name
        self.most_users = max(self.most_users, len(self.users))

    def remove(self, name: UserName) -> None:
        """Take a user off-line."""
        neighbours = self.users.pop(name).neighbours
        if neighbours is not None:
            neighbours.remove(name)
            if not neighbours.users:
                self.neighbours.remove(neighbours)
        self.waiters.pop(name, None)
        del self.keys[name.lower()]

    def silent(self, since: float) -> list[Presence]:
        """Users on-line who have typed nothing since a moment (Unix seconds)."""
        return [
            user
            for some in self.neighbours
            # Of thousands on-line hardly one has been silent for so long: of most sheets nobody is looked at.
            if min(some.heard) < since
            for user in some.users.values()
            if user.last_input < since
        ]

    def exact(self, text: str) -> Presence | None:
        """The user on-line of this name, in this letter case or else in any."""
        name = UserName(text) if UserName(text) in self.users else self.keys.get(text.lower())
        return None if name is None else self.users[name]

    def find(self, text: str, refusal: Refusal = Refusal.NO_ONE_CALLED) -> Presence:
        """The user on-line whose name this is, or begins with this (FIBS help: names).

        A unique prefix counts in its letter case first, then in any.

        Raises:
            Refused: Nobody fits, or several do.
        """
        found = self.exact(text)
        if found is not None:
            return found
        lower = text.lower()
        fits = [name for name in self.users if name.startswith(text)] if text else []
        fits = fits or ([name for name in self.users if name.lower().startswith(lower)] if text else [])
        if len(fits) == 1:
            return self.users[fits[0]]
        if fits:
            raise Refused(Refusal.AMBIGUOUS_NAME, names=tuple(sorted(fits)), name=text)
        raise Refused(refusal, name=text)

    def opponent_of(self, presence: Presence) -> UserName | None:
        """Whom the user plays with, if he plays."""
        if presence.table is None:
            return None
        return self.tables[presence.table].opponent_of(presence.name)

    def _card(self, presence: Presence) -> WhoCard:
        return presence.card or presence.make_card(self.opponent_of(presence))

    def row(self, presence: Presence, now: float) -> WhoRow:
        """How the lists show a user."""
        return self._card(presence), presence.idle_s(now)

    def rows(self, names: Iterable[UserName], now: float) -> tuple[WhoRow, ...]:
        """How the lists show these users, as far as they are on-line."""
        users = self.users
        return tuple([self.row(users[name], now) for name in names if name in users])

    def user_list(self, now: float) -> UserList:
        """The list of everybody on-line."""
        return UserList(tuple([some.sheet or some.listed(self._card) for some in self.neighbours]), now)

    def prepare_list(self) -> bool:
        """Do a part of what the list of everybody needs; whether what is left of it is little enough for one step.

        Where everybody plays, something has changed on each sheet since the last login.
        """
        changed = [some for some in self.neighbours if some.sheet is None]
        if len(changed) <= SHEETS:
            return True
        for some in changed[:SHEETS]:
            some.listed(self._card)
        return False

    def change_settings(self, presence: Presence, settings: Settings, out: Result) -> None:
        """Give a user other settings and have them stored."""
        presence.account = attrs.evolve(presence.account, settings=shared(settings))
        out.store(SettingsChanged(name=presence.name, settings=settings))

    def ban_on(self, name: str, peer: str, now: float) -> Ban | None:
        """The ban that keeps this user, or anybody at this address, out; None if there is none."""
        for ban in self.bans.values():
            if ban.until is not None and ban.until <= now:
                continue
            if ban.name is not None and ban.name.lower() == name.lower():
                return ban
            if ban.network is not None and _within(peer, ban.network):
                return ban
        return None

    def rename(self, old: UserName, new: UserName) -> None:
        """Another name for a user who is off-line, in all that others on-line hold of him."""
        for table in self.saved.values():
            table.rename(old, new)
        for user in self.users.values():
            user.rename_other(old, new)

    def forget(self, name: UserName) -> None:
        """An account is gone for ever: nobody's bans may hit whoever takes its name."""
        self.bans = {number: ban for number, ban in self.bans.items() if ban.name != name}
        for user in self.users.values():
            user.forget_other(name)

    def spend(self, presence: Presence, habit: Habit, now: float) -> None:
        """Count something that a user must not do too often.

        Raises:
            Refused: He does it too often.
        """
        house = self.house
        most = {
            Habit.SHOUT: house.shouts_per_minute,
            Habit.MESSAGE: house.messages_per_minute,
            Habit.INVITATION: house.invitations_per_minute,
            Habit.SEAT: SEAT_CHANGES_PER_MINUTE,
        }[habit]
        if not presence.spend(habit, most, now):
            raise Refused(Refusal.TOO_OFTEN)

    # --- tables ------------------------------------------------------------------------------------------------

    def table_of(self, presence: Presence, refusal: Refusal = Refusal.NOT_PLAYING) -> Table:
        """The match that a user plays.

        Raises:
            Refused: He does not play.
        """
        if presence.table is None:
            raise Refused(refusal)
        return self.tables[presence.table]

    def player(self, name: UserName) -> Presence:
        """A player of a running match: as he is on-line, or as he was when his connection was lost."""
        online = self.users.get(name)
        return self.absent[name].presence if online is None else online

    def absent_from(self, table: Table) -> Absence | None:
        """Whose connection is lost while this match goes on; never both players'."""
        return self.absent.get(table.names.o) or self.absent.get(table.names.x)

    def toggles_of(self, presence: Presence) -> frozenset[Toggle]:
        """The switches that are on for a user; those of a single game are the seat's while he plays."""
        toggles = presence.settings.toggles
        if presence.table is None:
            return toggles
        table = self.tables[presence.table]
        return (toggles - GAME_TOGGLES) | table.toggles.of(table.side_of(presence.name))

    def saved_of(self, name: UserName) -> Iterator[Table]:
        """The user's saved matches, newest first."""
        mine = [table for table in self.saved.values() if name in (table.names.o, table.names.x)]
        return iter(sorted(mine, key=lambda table: (table.touched, table.id), reverse=True))

    def saved_between(self, one: UserName, other: UserName) -> list[Table]:
        """Saved matches of these two, newest first."""
        return [table for table in self.saved_of(one) if table.opponent_of(one) == other]

    def watchers_of(self, players: Iterable[UserName]) -> list[UserName]:
        """Everybody who watches one of these users."""
        return [watcher for name in players if name in self.users for watcher in self.users[name].watchers]

    def withdraw_offers(self, match_id: MatchId) -> None:
        """Nobody may be invited to a match any more that is gone."""
        for user in self.users.values():
            if user.invitation is not None and user.invitation.match == match_id:
                user.invitation = None

    # --- news --------------------------------------------------------------------------------------------------

    def announce_players(
        self,
        table: Table,
        users: tuple[UserName, UserName],
        line: Event,
        out: Result,
        *,
        pairs_first: bool,
        watchers_get_line: bool,
    ) -> None:
        """News of a match: the players and their watchers are told at once, all others at the next tick."""
        pairs = UsersChanged(self.rows(users, out.now))
        watchers = self.watchers_of(users)
        if pairs_first:
            out.tell(table.audience, pairs)
        if watchers_get_line and watchers:
            out.tell(Watchers(table.names), line)
        if not pairs_first:
            out.tell(table.audience, pairs)
        told = frozenset({*users, *watchers})
        out.announce(Announcement(users=users, lines=(line,), pairs_first=pairs_first, besides=told))

    def announce_user(self, presence: Presence, out: Result) -> None:
        """A user's state has changed: he sees it at once, the others at the next tick."""
        out.tell(ToUser(presence.name), UsersChanged((self.row(presence, out.now),)), shows=(presence.name,))
        out.announce(Announcement(users=(presence.name,), besides=frozenset({presence.name})))
