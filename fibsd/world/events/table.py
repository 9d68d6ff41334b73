"""What happens in a game."""

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import BySide, Side
from fibsd.rating import RatingChange
from fibsd.values import frozen
from fibsd.world.events.kinds import AwardReason, Farewell, Forced, NoticeKind
from fibsd.world.record import GameRecord
from fibsd.world.snapshot import Snapshot


@frozen
class GameStarted:
    """A new game begins."""

    names: BySide[str]


@frozen
class OpeningRolled:
    """Each player rolled one die."""

    names: BySide[str]
    dice: BySide[int]


@frozen
class CubeRaised:
    """A tied opening doubled the cube."""

    value: int


@frozen
class OpeningWon:
    """The higher die moves first, with both dice."""

    names: BySide[str]
    side: Side
    snapshot: Snapshot


@frozen
class TimeShort:
    """To a player: so many seconds are left to him."""

    seconds: int


@frozen
class TimeLeftShown:
    """What both players have left.

    Attributes:
        names: The players.
        seconds: What each has, rounded up.
        running: Whose clock runs, None if both stand.
    """

    names: BySide[str]
    seconds: BySide[int]
    running: Side | None


@frozen
class AskedToRoll:
    """A player may roll or double; `again` when he was asked before."""

    side: Side
    again: bool = False


@frozen
class AskedToMove:
    """A player must move so many checkers."""

    side: Side
    checkers: int


@frozen
class AskedToAnswer:
    """A double waits (told again when a match is resumed)."""

    names: BySide[str]
    by: Side
    redouble: bool


@frozen
class Rolled:
    """A player rolled; the snapshot shows the dice before anything is moved."""

    names: BySide[str]
    side: Side
    dice: Dice
    snapshot: Snapshot


@frozen
class CannotMove:
    """A roll that cannot be played."""

    names: BySide[str]
    side: Side


@frozen
class Moved:
    """A play was made; `forced` says that the server made it."""

    names: BySide[str]
    side: Side
    play: Play
    snapshot: Snapshot
    forced: Forced | None


@frozen
class PlaysOn:
    """The server plays the turns of `side` once no contact is left; `typed` if that was asked for just now."""

    names: BySide[str]
    side: Side
    typed: bool


@frozen
class Doubled:
    """The cube was offered; `redouble` for a beaver and what follows it."""

    names: BySide[str]
    side: Side
    redouble: bool


@frozen
class DoubleTaken:
    """The cube was taken and shows `cube` now."""

    names: BySide[str]
    side: Side
    cube: int


@frozen
class DoubleDropped:
    """`side` gave up instead of taking the cube; the other side wins `points`."""

    names: BySide[str]
    side: Side
    points: int


@frozen
class ResignOffered:
    """`side` offers `points` to end the game."""

    names: BySide[str]
    side: Side
    points: int


@frozen
class ResignAccepted:
    """`side` accepted the other's resignation."""

    names: BySide[str]
    side: Side
    points: int


@frozen
class ResignRejected:
    """`side` wants to play on."""

    names: BySide[str]
    side: Side


@frozen
class GameWon:
    """The last checker was borne off."""

    names: BySide[str]
    side: Side
    points: int


@frozen
class Awarded:
    """The server has ended the game: `loser` loses `points`."""

    names: BySide[str]
    loser: Side
    points: int
    why: AwardReason


@frozen
class MoveList:
    """The record of a game: to a player with `moves` on at its end, or to one who asks for it."""

    record: GameRecord


@frozen
class WaitsForJoin:
    """To a player who wants to go on: the other one has not said so yet."""

    opponent: str


@frozen
class AskedToJoin:
    """To a player whose match is resumed in the pause between games."""


@frozen
class ScoreShown:
    """A game is over, the match goes on."""

    names: BySide[str]
    length: int | None
    score: BySide[int]


@frozen
class RatingShown:
    """How the ratings changed, for those with the `ratings` toggle on."""

    change: RatingChange


@frozen
class MatchWon:
    """A match was won."""

    names: BySide[str]
    side: Side
    length: int
    score: BySide[int]


@frozen
class YouLeft:
    """To a player who typed `leave`."""


@frozen
class YourGameSaved:
    """To a player who logs out in the middle of a match."""

    opponent: str


@frozen
class OpponentLeft:
    """To the player who stays: the other typed `leave`.

    Attributes:
        name: The other.
        voided: The match is void; only programs, which know no such thing, are told that the game is over.
    """

    name: str
    voided: bool = False


@frozen
class OpponentGone:
    """To the player who stays: the other's session ended."""

    name: str
    how: Farewell
    admin: str | None = None


@frozen
class WatchedGone:
    """To a watcher: the watched user's session ended."""

    name: str
    how: Farewell
    admin: str | None = None


@frozen
class BoardShown:
    """A board that was asked for; `own` if the viewer plays at this table."""

    snapshot: Snapshot
    side: Side
    own: bool
    always: bool = True
    """False: only for those with `autoboard` on."""


@frozen
class PipCounts:
    """Pips of both players, the caller's side first."""

    first: str
    first_pips: int
    second: str
    second_pips: int


@frozen
class Notice:
    """A word of the server itself, for matters that FIBS has no line for; `name` is the other user concerned."""

    kind: NoticeKind
    name: str = ""
