"""Everything that can happen in a game: one small value for each kind of action."""

from typing import TypeAlias

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import BySide, Side
from fibsd.values import frozen


@frozen(kw_only=True)
class OpeningRoll:
    """Each side throws one die; a tie is thrown again."""

    dice: BySide[int]


@frozen
class Roll:
    """The side on turn rolls."""

    side: Side
    dice: Dice


@frozen
class MakePlay:
    """The side on turn moves its checkers, in the order given."""

    side: Side
    play: Play


@frozen(kw_only=True)
class Double:
    """The side on turn offers the cube before it rolls."""

    side: Side


@frozen(kw_only=True)
class Redouble:
    """The side that was offered the cube turns it at once: beaver, raccoon, otter and so on."""

    side: Side


@frozen(kw_only=True)
class Take:
    """The offered cube is accepted."""

    side: Side


@frozen(kw_only=True)
class Pass:
    """The offered cube is refused and the game given up."""

    side: Side


@frozen(kw_only=True)
class Resign:
    """A side offers to lose a single game (1), a gammon (2) or a backgammon (3)."""

    side: Side
    size: int


@frozen(kw_only=True)
class AcceptResignation:
    """The other side takes the points."""

    side: Side


@frozen(kw_only=True)
class RejectResignation:
    """The other side wants to play on."""

    side: Side


@frozen(kw_only=True)
class WithdrawResignation:
    """The resignation is taken back, as when its player has lost the connection."""

    side: Side


@frozen(kw_only=True)
class Forfeit:
    """A side loses without being asked, by the server's decision: its time is up, or somebody judged so.

    It loses a single game (1), a gammon (2) or a backgammon (3); what can still happen is told by
    `reach.reachable_loss`.
    """

    side: Side
    size: int


SideAction: TypeAlias = (
    Roll
    | MakePlay
    | Double
    | Redouble
    | Take
    | Pass
    | Resign
    | AcceptResignation
    | RejectResignation
    | WithdrawResignation
    | Forfeit
)
Action: TypeAlias = OpeningRoll | SideAction
