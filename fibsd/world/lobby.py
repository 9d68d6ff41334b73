"""Who is on-line, and what each of them is doing."""

import enum
from array import array
from collections import deque
from collections.abc import Callable
from typing import Any

import attrs

from fibsd.values import frozen
from fibsd.world.account import Account, Settings, Toggle
from fibsd.world.audience import ToSession
from fibsd.world.changes import Message
from fibsd.world.events import Sheet, WhoCard
from fibsd.world.ids import MatchId, SessionId, UserName
from fibsd.world.record import GameRecord
from fibsd.world.terms import NO_TERMS, AddedTerms


class SessionKind(enum.Enum):
    """How a session logged in: numbered messages, plain text without prompts, or plain text with them."""

    CLIP = "clip"
    CONNECT = "connect"
    TELNET = "telnet"


@frozen(kw_only=True)
class Connection:
    """What the world knows of a session.

    Attributes:
        id: Its number.
        kind: How it logged in.
        host: The address as others see it, one word.
        client: What a CLIP client calls itself, else None.
        peer: The address as it is, for administrators.
        alerts: Whether a CLIP client knows message 20 (version 1009).
    """

    id: SessionId
    kind: SessionKind
    host: str
    client: str | None = None
    peer: str = ""
    alerts: bool = False

    @property
    def address(self) -> ToSession:
        """Where to send what is for this session alone."""
        return ToSession(self.id)


@frozen(kw_only=True)
class Invitation:
    """An open invitation.

    Attributes:
        length: None is unlimited.
        added: Terms that FIBS does not have.
        match: The saved match that is to be resumed, if it is one.
    """

    inviter: UserName
    invitee: UserName
    length: int | None = None
    added: AddedTerms = NO_TERMS
    match: MatchId | None = None


@frozen(kw_only=True)
class Seek:
    """An open invitation, for whoever takes it first.

    Attributes:
        length: None is unlimited.
        added: Terms that FIBS does not have.
        most: The highest rating that fits, as it is shown, or None.
        least: The lowest one, or None.
        since: Unix seconds.
    """

    length: int | None
    added: AddedTerms = NO_TERMS
    most: float | None = None
    least: float | None = None
    since: float

    @property
    def words(self) -> str:
        """What to type behind `seek` for such a one."""
        words = ["unlimited" if self.length is None else str(self.length)]
        if self.added:
            words.append(self.added.words)
        words += [f"{key} {limit:g}" for key, limit in (("max", self.most), ("min", self.least)) if limit is not None]
        return " ".join(words)


@frozen(kw_only=True)
class Played:
    """A match that was played to its end, as far as another one like it needs to know.

    Attributes:
        opponent: The other player.
        login: Which login of his it was (`Presence.number`).
        length: Points.
        added: Terms that FIBS does not have.
    """

    opponent: UserName
    login: int
    length: int
    added: AddedTerms = NO_TERMS


MINUTE_S = 60.0


class Habit(enum.Enum):
    """What a user may do only so often in a minute."""

    SHOUT = "shout"
    MESSAGE = "leave messages"
    INVITATION = "invite"
    SEAT = "change what holds for a game"


@frozen(kw_only=True)
class GammonAsked:
    """A player was asked whether he gives up a gammon: in which match, after how many games of it, at which second."""

    match: MatchId
    games: int
    at: float


class Question(enum.Enum):
    """What a user was asked; his next line is the answer and no command."""

    ERASE_PASSWORD = "his password, before his account is erased"  # noqa: S105 - no password
    ERASE_SURE = "whether he is sure"


_ON_THE_CARD = frozenset({"connection", "account", "away", "table", "watching"})
_set = object.__setattr__


@attrs.define(kw_only=True)
class Presence:
    """One user on-line.

    Attributes:
        neighbours: Among whom the list of everybody shows him.
        seat: His place among them.
        number: Counts the logins since the server started.
        connection: His session.
        account: As stored, or about to be.
        login_at: Unix seconds.
        last_input: Unix seconds of the last line he typed.
        away: His text while he is away.
        table: The match he plays, if any.
        watching: Whom he watches.
        watchers: Who watches him, in order of their coming.
        invitation: The invitation he has sent.
        seek: The open invitation that he has made.
        played: The last match that he has finished.
        confirmed: Gagged and blinded users that were named again in this session (see `fibsd.commands.chat`).
        waits_for: Users whose login he wants to be told of.
        partner: The last opponent, for `say`.
        last_record: The last game he finished, for `oldmoves`.
        messages: Those that he found at his login.
        waved: Whether he has waved goodbye.
        last_command: For `!!`.
        asked: The question that his next line answers.
        gammon_asked: The question that `giveup`, typed again, answers.
        habits: When he did what he may not do too often: Unix seconds within the last minute.
        points: His play points, without those that are set aside; None while that is not known.
        excess: How often he was told in a row that he does something too often.
        card: What the lists show of him, if it was made since something on it changed.
        reader: Who reads what he is told, and how; kept by whoever tells it until he, or what he has set, changes.
    """

    # First, since setting any other looks at it.
    neighbours: "Neighbours | None" = None
    seat: int = 0
    number: int
    connection: Connection
    account: Account
    login_at: float
    last_input: float
    away: str | None = None
    table: MatchId | None = None
    watching: UserName | None = None
    watchers: dict[UserName, None] = attrs.Factory(dict)
    invitation: Invitation | None = None
    seek: Seek | None = None
    played: Played | None = None
    confirmed: frozenset[tuple[str, UserName]] = frozenset()
    waits_for: frozenset[UserName] = frozenset()
    partner: UserName | None = None
    last_record: GameRecord | None = None
    messages: tuple[Message, ...] = ()
    waved: bool = False
    last_command: str | None = None
    asked: Question | None = None
    gammon_asked: GammonAsked | None = None
    habits: dict[Habit, deque[float]] = attrs.Factory(dict)
    excess: int = 0
    points: int | None = None
    card: WhoCard | None = None
    reader: Any = None

    # Written by hand: with `on_setattr` every attribute that is on no card, as `last_input`, raises an error inside.
    def __setattr__(self, name: str, value: object) -> None:
        """What the lists show of a user is made anew when something on it has changed."""
        _set(self, name, value)
        if name in _ON_THE_CARD:
            _set(self, "card", None)
            _set(self, "reader", None)
            if self.neighbours is not None:
                self.neighbours.sheet = None
        elif name == "last_input" and self.neighbours is not None:
            self.neighbours.heard[self.seat] = value  # type: ignore[call-overload] # seconds

    @property
    def name(self) -> UserName:
        """Name of the account."""
        return self.account.name

    def idle_s(self, now: float) -> int:
        """For how many seconds he has typed nothing, by the clock: what he typed at 10.9 s is a second old at 11.0.

        Args:
            now: Unix seconds; if the clock was set back behind his last line, he is not idle at all.
        """
        return max(0, int(now) - int(self.last_input))

    @property
    def settings(self) -> Settings:
        """What the user has set."""
        return self.account.settings

    def on(self, toggle: Toggle) -> bool:
        """Whether a switch that does not belong to a single game is on."""
        return toggle in self.account.settings.toggles

    @property
    def boardstyle(self) -> int:
        """The style in which boards are drawn: 3 by default for a CLIP session, else 2."""
        return self.settings.boardstyle or (3 if self.connection.kind is SessionKind.CLIP else 2)

    @property
    def extras(self) -> bool:
        """Whether the session gets what FIBS does not have: by default only people at a terminal, no programs."""
        if self.settings.extras is None:
            return self.connection.kind is SessionKind.TELNET
        return self.settings.extras

    def hears(self, name: UserName) -> bool:
        """Whether he listens to that user."""
        return name not in self.settings.gagged

    def shows_to(self, name: UserName) -> bool:
        """Whether that user may watch him, look at his game and invite him."""
        return name not in self.settings.blinded

    def spend(self, habit: Habit, most: int, now: float) -> bool:
        """Count one deed; whether it is among the `most` of a minute."""
        deeds = self.habits.setdefault(habit, deque())
        while deeds and now - deeds[0] >= MINUTE_S:
            deeds.popleft()
        if len(deeds) >= most:
            self.excess += 1
            return False
        self.excess = 0
        deeds.append(now)
        return True

    def rename_other(self, old: UserName, new: UserName) -> None:
        """Somebody else has another name now."""
        settings = self.settings
        if old in settings.gagged | settings.blinded:
            renamed = attrs.evolve(
                settings, gagged=_renamed(settings.gagged, old, new), blinded=_renamed(settings.blinded, old, new)
            )
            self.account = attrs.evolve(self.account, settings=renamed)
        if self.partner == old:
            self.partner = new
        if self.played is not None and self.played.opponent == old:
            self.played = attrs.evolve(self.played, opponent=new)
        if old in self.waits_for:
            self.waits_for = (self.waits_for - {old}) | {new}

    def forget_other(self, name: UserName) -> None:
        """Somebody else's account is gone."""
        settings = self.settings
        if name in settings.gagged | settings.blinded:
            kept = attrs.evolve(settings, gagged=settings.gagged - {name}, blinded=settings.blinded - {name})
            self.account = attrs.evolve(self.account, settings=kept)
        if self.partner == name:
            self.partner = None
        self.waits_for -= {name}

    def make_card(self, opponent: UserName | None) -> WhoCard:
        """What the lists show of him; it is kept until something on it changes."""
        account = self.account
        self.card = WhoCard(
            number=self.number,
            name=account.name,
            opponent=opponent,
            # Clients know no player who watches: the game counts (reference 2.2).
            watching=None if opponent else self.watching,
            ready=self.on(Toggle.READY),
            away=self.away is not None,
            rating=account.rating,
            experience=account.experience,
            login=int(self.login_at),
            host=self.connection.host,
            client=self.connection.client,
            email=account.settings.email,
        )
        return self.card


@attrs.define(eq=False)
class Neighbours:
    """Users who have logged in one after the other, as the list of everybody shows them.

    Each login by CLIP is sent that list. Who has done nothing but type is not looked at for it: of that look at a
    thousand users, none of them seen for a second, two thirds would be waiting for memory.

    Attributes:
        users: Who of them is on-line, in order of login.
        heard: When each of them has typed something, Unix seconds, by their seats; nobody gets another's seat.
        sheet: Their cards, if it was made since something on one of them changed.
    """

    users: dict[UserName, Presence] = attrs.Factory(dict)
    heard: "array[float]" = attrs.field(factory=lambda: array("d"))
    sheet: Sheet | None = None

    @property
    def seats(self) -> int:
        """How many have ever been here."""
        return len(self.heard)

    def add(self, presence: Presence) -> None:
        """Take in the next one."""
        presence.seat = len(self.heard)
        presence.neighbours = self
        self.heard.append(presence.last_input)
        self.users[presence.name] = presence
        self.sheet = None

    def remove(self, name: UserName) -> None:
        """Forget one who goes off-line."""
        gone = self.users.pop(name)
        gone.neighbours = gone.reader = None
        self.sheet = None

    def listed(self, card: Callable[[Presence], WhoCard]) -> Sheet:
        """Their part of the list of everybody; `card` gives what the lists show of a user."""
        if self.sheet is None:
            users = self.users.values()
            self.sheet = Sheet(tuple([card(user) for user in users]), tuple([user.seat for user in users]), self.heard)
        return self.sheet


def _renamed(names: frozenset[UserName], old: UserName, new: UserName) -> frozenset[UserName]:
    return (names - {old}) | {new} if old in names else names
