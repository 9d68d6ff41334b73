"""What can happen, as frozen values.

An event carries all that any view of it needs; a view looks nothing up. Who sees it, and in which role, is decided
by the audience it is sent to (`fibsd.world.audience`).
"""

import enum

import attrs

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import BySide, Side
from fibsd.rating import RatingChange
from fibsd.world.account import Account, Settings, Toggle
from fibsd.world.changes import Message
from fibsd.world.errors import Refusal
from fibsd.world.record import GameRecord
from fibsd.world.snapshot import Snapshot


class Farewell(enum.Enum):
    """How a user's session ended."""

    LOGOUT = "logout"
    DROP = "drop"
    TIMEOUT = "timeout"
    NETWORK_ERROR = "network error"
    CLOSED_OLD = "closed old connection"
    ADMIN = "closed by an administrator"


class Arrival(enum.Enum):
    """How a user's session began."""

    LOGIN = "logs in"
    AGAIN = "logs in again"
    REGISTERED = "just registered"


class Forced(enum.Enum):
    """Why the server moved in a player's place."""

    ONLY_MOVE = "automove"
    BEAR_OFF = "greedy"


class NoticeKind(enum.Enum):
    """Matters that FIBS has no line for."""

    RESIGNATION_WITHDRAWN = "a resignation was withdrawn when the match was interrupted"
    VOIDED = "a match was voided by the other player"
    YOU_VOIDED = "a match was voided by oneself"
    CORRUPT = "a saved match cannot be read"


class Speech(enum.Enum):
    """Ways of talking that go to several users."""

    SHOUT = "shout"
    KIBITZ = "kibitz"
    WHISPER = "whisper"


@attrs.frozen
class Text:
    """Lines that are the same for everybody who gets them."""

    lines: tuple[str, ...]


@attrs.frozen
class RoomLine:
    """A line for everybody who wants news of others (`notify`)."""

    text: str


@attrs.frozen
class Motd:
    """The message of the day."""

    lines: tuple[str, ...]


@attrs.frozen
class Declined:
    """A refusal, for the one who typed the command."""

    refusal: Refusal
    fields: dict[str, object]


@attrs.frozen(kw_only=True)
class WhoRow:
    """One user on-line as the lists show him.

    Attributes:
        number: Counts the logins since the server started.
        idle_s: Seconds since his last input.
        login: Unix seconds.
    """

    number: int
    name: str
    opponent: str | None
    watching: str | None
    ready: bool
    away: bool
    rating: float
    experience: int
    idle_s: int
    login: int
    host: str
    client: str | None
    email: str | None


# --- logging in and out ----------------------------------------------------------------------------------------


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


@attrs.frozen
class UserList:
    """The `5` lines of a CLIP session, and the `6` that ends them."""

    rows: tuple[WhoRow, ...]


@attrs.frozen
class UsersChanged:
    """A pair `5`, `6` for each user whose state has changed; text sessions are told nothing."""

    rows: tuple[WhoRow, ...]


@attrs.frozen
class MessagesWaiting:
    """Messages that were left for the user."""

    messages: tuple[Message, ...]


# --- invitations -----------------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class InvitationSent:
    """To the inviter; `length` None is unlimited, `resume` is for a saved match.

    Attributes:
        saved: Lengths of saved matches between the two that the new one would pass over.
        away: The invitee's text while he is away.
    """

    name: str
    length: int | None
    resume: bool
    saved: tuple[int | None, ...] = ()
    away: str | None = None


@attrs.frozen(kw_only=True)
class InvitationGot:
    """To the invitee; fields as in `InvitationSent`."""

    inviter: str
    length: int | None
    resume: bool
    saved: tuple[int | None, ...] = ()


@attrs.frozen(kw_only=True)
class MatchJoined:
    """To a player: a new match begins; `invited` says whether he had sent the invitation."""

    opponent: str
    length: int | None
    invited: bool


@attrs.frozen(kw_only=True)
class MatchResumed:
    """To a player: a saved match goes on, or a running one goes on in his new session.

    Attributes:
        opponent: The other player.
        invited: Whether this player had sent the invitation.
        first: Whose points are told first.
        snapshot: How the match stands.
        turn: Who has to act, None in the pause between games.
    """

    opponent: str
    invited: bool
    first: Side
    snapshot: Snapshot
    turn: Side | None


@attrs.frozen
class ReportStart:
    """For the room: a match begins."""

    first: str
    second: str
    length: int | None


@attrs.frozen
class ReportResume:
    """For the room: a saved match goes on."""

    first: str
    second: str
    length: int | None


@attrs.frozen
class ReportLeft:
    """For the room and the watchers: a player left the game."""

    name: str
    opponent: str


@attrs.frozen
class ReportWon:
    """For the room: a match was won."""

    winner: str
    loser: str
    length: int
    points: tuple[int, int]


# --- at a table ------------------------------------------------------------------------------------------------


@attrs.frozen
class GameStarted:
    """A new game begins."""

    names: BySide[str]


@attrs.frozen
class OpeningRolled:
    """Each player rolled one die."""

    names: BySide[str]
    dice: BySide[int]


@attrs.frozen
class CubeRaised:
    """A tied opening doubled the cube."""

    value: int


@attrs.frozen
class OpeningWon:
    """The higher die moves first, with both dice."""

    names: BySide[str]
    side: Side
    snapshot: Snapshot


@attrs.frozen
class AskedToRoll:
    """A player may roll or double; `again` when he was asked before."""

    side: Side
    again: bool = False


@attrs.frozen
class AskedToMove:
    """A player must move so many checkers."""

    side: Side
    checkers: int


@attrs.frozen
class AskedToAnswer:
    """A double waits (told again when a match is resumed)."""

    names: BySide[str]
    by: Side
    redouble: bool


@attrs.frozen
class Rolled:
    """A player rolled; the snapshot shows the dice before anything is moved."""

    names: BySide[str]
    side: Side
    dice: Dice
    snapshot: Snapshot


@attrs.frozen
class CannotMove:
    """A roll that cannot be played."""

    names: BySide[str]
    side: Side


@attrs.frozen
class Moved:
    """A play was made; `forced` says that the server made it."""

    names: BySide[str]
    side: Side
    play: Play
    snapshot: Snapshot
    forced: Forced | None


@attrs.frozen
class Doubled:
    """The cube was offered; `redouble` for a beaver and what follows it."""

    names: BySide[str]
    side: Side
    redouble: bool


@attrs.frozen
class DoubleTaken:
    """The cube was taken and shows `cube` now."""

    names: BySide[str]
    side: Side
    cube: int


@attrs.frozen
class DoubleDropped:
    """`side` gave up instead of taking the cube; the other side wins `points`."""

    names: BySide[str]
    side: Side
    points: int


@attrs.frozen
class ResignOffered:
    """`side` offers `points` to end the game."""

    names: BySide[str]
    side: Side
    points: int


@attrs.frozen
class ResignAccepted:
    """`side` accepted the other's resignation."""

    names: BySide[str]
    side: Side
    points: int


@attrs.frozen
class ResignRejected:
    """`side` wants to play on."""

    names: BySide[str]
    side: Side


@attrs.frozen
class GameWon:
    """The last checker was borne off."""

    names: BySide[str]
    side: Side
    points: int


@attrs.frozen
class MoveList:
    """The record of a game; `asked` by `oldmoves`, else for those with the `moves` toggle on."""

    record: GameRecord
    asked: bool


@attrs.frozen
class WaitsForJoin:
    """To a player who wants to go on: the other one has not said so yet."""

    opponent: str


@attrs.frozen
class ScoreShown:
    """A game is over, the match goes on."""

    names: BySide[str]
    length: int | None
    score: BySide[int]


@attrs.frozen
class RatingShown:
    """How the ratings changed, for those with the `ratings` toggle on."""

    change: RatingChange


@attrs.frozen
class MatchWon:
    """A match was won."""

    names: BySide[str]
    side: Side
    length: int
    score: BySide[int]


@attrs.frozen
class YouLeft:
    """To a player who typed `leave`."""


@attrs.frozen
class YourGameSaved:
    """To a player who logs out in the middle of a match."""

    opponent: str


@attrs.frozen
class OpponentLeft:
    """To the player who stays: the other typed `leave`."""

    name: str


@attrs.frozen
class OpponentGone:
    """To the player who stays: the other's session ended."""

    name: str
    how: Farewell
    admin: str | None = None


@attrs.frozen
class WatchedGone:
    """To a watcher: the watched user's session ended."""

    name: str
    how: Farewell
    admin: str | None = None


@attrs.frozen
class BoardShown:
    """A board that was asked for; `own` if the viewer plays at this table."""

    snapshot: Snapshot
    side: Side
    own: bool
    always: bool = True
    """False: only for those with `autoboard` on."""


@attrs.frozen
class PipCounts:
    """Pips of both players, the caller's side first."""

    first: str
    first_pips: int
    second: str
    second_pips: int


@attrs.frozen
class Notice:
    """A word of the server itself, for matters that FIBS has no line for; `name` is the other user concerned."""

    kind: NoticeKind
    name: str = ""


# --- watching --------------------------------------------------------------------------------------------------


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


# --- talking ---------------------------------------------------------------------------------------------------


@attrs.frozen
class Told:
    """`tell` or `say`, for the one who is told."""

    sender: str
    text: str


@attrs.frozen
class YouTold:
    """`tell` or `say`, for the one who told; `away` is the other's text if he is away."""

    name: str
    text: str
    away: str | None


@attrs.frozen
class Spoke:
    """A shout, kibitz or whisper, for those who hear it."""

    sender: str
    kind: Speech
    text: str


@attrs.frozen
class YouSpoke:
    """A shout, kibitz or whisper, for the one who spoke; `heard_by` counts listeners (None for a shout)."""

    kind: Speech
    text: str
    heard_by: int | None


@attrs.frozen
class MessageSent:
    """A message was delivered at once, or saved."""

    name: str
    text: str
    saved: bool


@attrs.frozen
class MessageGot:
    """A message from somebody, while on-line."""

    message: Message


# --- lists -----------------------------------------------------------------------------------------------------


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


Event = (
    Text
    | RoomLine
    | Motd
    | Declined
    | Welcomed
    | Arrived
    | Awaited
    | AwaitedBy
    | Departed
    | SaidGoodbye
    | TimedOut
    | UserList
    | UsersChanged
    | MessagesWaiting
    | InvitationSent
    | InvitationGot
    | MatchJoined
    | MatchResumed
    | ReportStart
    | ReportResume
    | ReportLeft
    | ReportWon
    | GameStarted
    | OpeningRolled
    | CubeRaised
    | OpeningWon
    | AskedToRoll
    | AskedToMove
    | AskedToAnswer
    | Rolled
    | CannotMove
    | Moved
    | Doubled
    | DoubleTaken
    | DoubleDropped
    | ResignOffered
    | ResignAccepted
    | ResignRejected
    | GameWon
    | MoveList
    | WaitsForJoin
    | ScoreShown
    | RatingShown
    | MatchWon
    | YouLeft
    | YourGameSaved
    | OpponentLeft
    | OpponentGone
    | WatchedGone
    | BoardShown
    | PipCounts
    | Notice
    | NowWatching
    | StoppedWatching
    | BannedFromWatching
    | WatcherCame
    | WatcherWent
    | Told
    | YouTold
    | Spoke
    | YouSpoke
    | MessageSent
    | MessageGot
    | Who
    | ToggleFlipped
)
