"""Users coming, going and listed."""

from typing import TypeAlias

import attrs

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


@attrs.frozen(kw_only=True)
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


@attrs.frozen
class Arrived:
    """Somebody came on-line."""

    name: str
    how: Arrival


@attrs.frozen
class Awaited:
    """To one who waits for somebody: he has come."""

    name: str


@attrs.frozen
class AwaitedBy:
    """To the one who was waited for."""

    waiter: str


@attrs.frozen
class Departed:
    """Somebody went; `admin` closed the connection if the farewell says so."""

    name: str
    how: Farewell
    admin: str | None = None


@attrs.frozen
class SaidGoodbye:
    """The last words to a session that logs out."""


@attrs.frozen
class TimedOut:
    """The last word to a session that was idle too long."""


@attrs.define(eq=False)
class Sheet:
    """The cards of some users who stand one after the other in a list, as long as all of them stay the same.

    As with a card, what is made of it can be kept with it.

    Attributes:
        cards: One for each user.
        lines: The `5` lines with a `%d` in the place of each idle time, once they were made.
    """

    cards: tuple[WhoCard, ...]
    lines: str | None = None


@attrs.frozen
class UserList:
    """The `5` lines of a CLIP session, and the `6` that ends them.

    Cards and times stand apart, not in a row for each user: nine thousand rows would be as many new objects, which the
    collector would look at three times before the list is sent.

    Attributes:
        sheets: All users, a few on each.
        idle_s: For each sheet, seconds since each of its users has typed something.
        ends: Whether the `6` follows; it does not if this is only a part of the list.
    """

    sheets: tuple[Sheet, ...] = ()
    idle_s: tuple[tuple[int, ...], ...] = ()
    ends: bool = True


@attrs.frozen
class UsersChanged:
    """A pair `5`, `6` for each user whose state has changed; text sessions are told nothing."""

    rows: tuple[WhoRow, ...]


@attrs.frozen
class MessagesWaiting:
    """Messages that were left for the user."""

    messages: tuple[Message, ...]


@attrs.frozen
class Who:
    """Answer to `who` and `rawwho`; `unknown` is the name that matched nobody."""

    rows: tuple[WhoRow, ...]
    raw: bool
    timezone: str
    now: float
    unknown: str | None = None


@attrs.frozen
class ToggleFlipped:
    """A switch was turned."""

    toggle: Toggle
    on: bool


@attrs.frozen
class NowWatching:
    """To a watcher; `playing` says whether there is a game to see."""

    watched: str
    playing: bool


@attrs.frozen
class StoppedWatching:
    """To a watcher who stopped."""

    watched: str


@attrs.frozen
class BannedFromWatching:
    """To a watcher: a player has blinded him."""

    name: str


@attrs.frozen
class WatcherCame:
    """To the players: somebody watches; `you` if it is the one who is told."""

    watcher: str
    watched: str
    you: bool


@attrs.frozen
class WatcherWent:
    """To the players: somebody stopped watching; `you` if it is the one who is told."""

    watcher: str
    watched: str
    you: bool
