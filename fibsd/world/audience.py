"""To whom an event goes, and what a command leaves behind."""

from collections.abc import Collection

import attrs

from fibsd.backgammon.side import BySide
from fibsd.values import frozen
from fibsd.world.changes import Change
from fibsd.world.events import Asked, Event
from fibsd.world.ids import MatchId, SessionId, UserName

Subject = MatchId | UserName
"""Something whose newest change may not be stored yet: a match or a user."""


@frozen
class ToSession:
    """One connection."""

    id: SessionId


@frozen
class ToUser:
    """The session of a user, if he is on-line."""

    name: UserName


@frozen
class AtTable:
    """The two players of a match and everybody who watches one of them.

    The names are part of the address, so that the end of a match still finds its people.
    """

    id: MatchId
    players: BySide[UserName]


@frozen
class Watchers:
    """Everybody who watches one of these players."""

    players: BySide[UserName]


@frozen
class Everybody:
    """All users on-line but these.

    Attributes:
        speaker: Who says it; users who do not want to hear him are left out, too.
    """

    besides: frozenset[UserName] = frozenset()
    speaker: UserName | None = None


Audience = ToSession | ToUser | AtTable | Watchers | Everybody


@frozen
class Envelope:
    """Events and the address they go to, in order.

    Attributes:
        shows: What the events let the reader see of stored things: the chunk waits until their newest change is
            durable. Empty for talk.
    """

    audience: Audience
    events: tuple[Event, ...]
    shows: Collection[Subject] = ()


@frozen(kw_only=True)
class Announcement:
    """News for the whole room, sent at the next tick after the change it reports is durable.

    Attributes:
        users: Whose `5`/`6` pair every CLIP session gets, in this order.
        lines: Lines that go with the pairs.
        pairs_first: Whether the pairs stand before the lines (the reference's order differs by the news).
        besides: Users who have been told already.
    """

    users: tuple[UserName, ...]
    lines: tuple[Event, ...] = ()
    pairs_first: bool = True
    besides: frozenset[UserName] = frozenset()


@attrs.define
class Result:
    """The whole effect of a command besides the changed world.

    Attributes:
        envelopes: What to tell whom, in order.
        changes: What to store, in one job.
        announcements: News for the room.
        closes: Sessions that end after what they are told.
        drops: Sessions that end at once; what they have not been told yet goes with them.
        receipts: Messages that are delivered once the user's outbox has been sent.
        now: Unix seconds at which all this happens.
        ticks: The same moment in seconds of a clock that is never set back, by which players' time is counted.
        clocked: The match in which the time of the players changed hands, or may begin to run.
        asks: Whether the one who typed the command was asked a question, which takes the place of the prompt.
        hides: Whether his answer must not be seen on the screen.
    """

    envelopes: list[Envelope] = attrs.Factory(list)
    changes: list[Change] = attrs.Factory(list)
    announcements: list[Announcement] = attrs.Factory(list)
    closes: list[SessionId] = attrs.Factory(list)
    drops: list[SessionId] = attrs.Factory(list)
    receipts: list[tuple[UserName, int]] = attrs.Factory(list)
    now: float = 0.0
    ticks: float = 0.0
    clocked: MatchId | None = None
    asks: bool = False
    hides: bool = False

    def tell(self, audience: Audience, *events: Event, shows: Collection[Subject] = ()) -> None:
        """Send events to an address."""
        self.envelopes.append(Envelope(audience, events, shows))

    def ask(self, audience: Audience, question: Asked) -> None:
        """Ask the one who typed the command; his next line is the answer."""
        self.tell(audience, question)
        self.asks, self.hides = True, question.hidden

    def store(self, change: Change) -> None:
        """Store a change, together with all others of this result."""
        self.changes.append(change)

    def announce(self, announcement: Announcement) -> None:
        """Tell the room at the next tick."""
        self.announcements.append(announcement)
