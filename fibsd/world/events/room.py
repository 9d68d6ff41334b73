"""Users coming, going and listed."""

from array import array
from typing import TypeAlias

import attrs

from fibsd.values import frozen
from fibsd.world.account import Account, Settings, Toggle
from fibsd.world.changes import Message
from fibsd.world.events.kinds import Arrival, Farewell


@attrs.define(kw_only=True, eq=False)
class WhoCard:
    """What the lists show of a user on-line and what stays while he does nothing.

    A card is made anew only when something on it changes, so what is made of it can be kept with it: a full server
    sends the same lines thousands of times. That is why this event alone is not frozen.

    Attributes:
        number: Counts the logins since the server started.
        login: Unix seconds.
        line: The `5` line before and behind the idle time, once it was made.
    """

    number: int
    name: str
    opponent: str | None
    watching: str | None
    ready: bool
    away: bool
    rating: float
    experience: int
    login: int
    host: str
    client: str | None
    email: str | None
    line: tuple[str, str] | None = None


WhoRow: TypeAlias = tuple[WhoCard, int]
"""One user on-line as the lists show him now: his card, and the seconds since his last input.

A plain tuple, of which a login on a full server needs thousands.
"""


@frozen(kw_only=True)
class Welcomed:
    """A login succeeded: all that the new session is told first, up to the motd."""

    account: Account
    settings: Settings
    boardstyle: int
    away: bool
    host: str
    now: float
    again: bool
    registered: bool
    motd: tuple[str, ...]


@frozen
class Arrived:
    """Somebody came on-line."""

    name: str
    how: Arrival


@frozen
class Awaited:
    """To one who waits for somebody: he has come."""

    name: str


@frozen
class AwaitedBy:
    """To the one who was waited for."""

    waiter: str


@frozen
class Departed:
    """Somebody went; `admin` closed the connection if the farewell says so."""

    name: str
    how: Farewell
    admin: str | None = None


@frozen
class SaidGoodbye:
    """The last words to a session that logs out."""


@frozen
class TimedOut:
    """The last word to a session that was idle too long."""


@attrs.define(eq=False)
class Sheet:
    """The cards of some users who stand one after the other in a list, as long as all of them stay the same.

    As with a card, what is made of it can be kept with it.

    Attributes:
        cards: One for each user.
        seats: Where `heard` tells of each of them.
        heard: When they have typed something, Unix seconds. It goes on while the sheet stays the same.
        pieces: The `5` lines, cut where the idle times stand, with a place between them for each; once they were made.
        lines: These lines with the idle times of one moment; empty until they were made.
        moment: That moment, Unix seconds.
    """

    cards: tuple[WhoCard, ...]
    seats: tuple[int, ...]
    heard: "array[float]"
    pieces: list[str] | None = None
    lines: str = ""
    moment: float = 0.0

    def last_heard(self) -> "array[float]":
        """For each user when he has typed something, Unix seconds."""
        seats = self.seats
        first, last = seats[0], seats[-1]
        if last - first < len(seats):
            return self.heard[first : last + 1]
        # Somebody between them has left.
        return array("d", [self.heard[seat] for seat in seats])


@frozen
class UserList:
    """The `5` lines of a CLIP session, and the `6` that ends them.

    Who stands on it, and with what, is that of one moment: it must be stored before it is told, and news from then on
    are told behind the list. Only idle times, which are never stored and no news, are taken when a part is written:
    for nine thousand users they would be a millisecond and more at a stretch.

    Attributes:
        sheets: All users, a few on each.
        now: Unix seconds; until when idle times are counted.
        ends: Whether the `6` follows; it does not if this is only a part of the list.
    """

    sheets: tuple[Sheet, ...] = ()
    now: float = 0.0
    ends: bool = True


@frozen
class UsersChanged:
    """A pair `5`, `6` for each user whose state has changed; text sessions are told nothing."""

    rows: tuple[WhoRow, ...]


@frozen
class MessagesWaiting:
    """Messages that were left for the user."""

    messages: tuple[Message, ...]


@frozen
class Who:
    """Answer to `who` and `rawwho`.

    Attributes:
        rows: Who was asked for.
        raw: Whether it was `rawwho`.
        timezone: Of the reader.
        now: Unix seconds.
        unknown: The name that matched nobody.
        begins: Whether the heading stands above it; it does not if this is only a part of the list.
        ends: Whether its end follows, as the `6` in a CLIP session; the same holds for that.
    """

    rows: tuple[WhoRow, ...]
    raw: bool
    timezone: str
    now: float
    unknown: str | None = None
    begins: bool = True
    ends: bool = True


@frozen
class ToggleFlipped:
    """A switch was turned."""

    toggle: Toggle
    on: bool


@frozen
class NowWatching:
    """To a watcher; `playing` says whether there is a game to see."""

    watched: str
    playing: bool


@frozen
class StoppedWatching:
    """To a watcher who stopped."""

    watched: str


@frozen
class BannedFromWatching:
    """To a watcher: a player has blinded him."""

    name: str


@frozen
class WatcherCame:
    """To the players: somebody watches; `you` if it is the one who is told."""

    watcher: str
    watched: str
    you: bool


@frozen
class WatcherWent:
    """To the players: somebody stopped watching; `you` if it is the one who is told."""

    watcher: str
    watched: str
    you: bool
