"""Playing on without asking, once no contact is left."""

from fibsd.backgammon.board import Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import BACKGAMMON, Variant

_HOME = 6


def playout_play(view: View, dice: Dice, variant: Variant = BACKGAMMON) -> Play:
    """The play of a side that only wants to be home and off soon.

    It bears off as many checkers as possible. Among equals it leaves the fewest pips that checkers outside still
    have to go to the home board: pips beyond its edge are wasted while others are outside. Then it leaves the
    fewest pips in all, and the most points held. What is then still equal is decided by the order of moves, so
    that the same position and roll always give the same play.

    Args:
        view: The position as `Board.seen_by` the side to move.
        dice: The roll.
        variant: What is played.

    Raises:
        ValueError: Contact is left, or the roll cannot be played.
    """
    board = Board.from_view(view, Side.O)
    if board.contact:
        raise ValueError("contact is left, so the player has something to decide")
    plays = variant.rules.legal_plays(view, dice)
    if not plays:
        raise ValueError("the roll cannot be played")
    return max(plays, key=lambda play: (*_merit(board.after(Side.O, play)), play))


def _merit(board: Board) -> tuple[int, int, int, int]:
    """How good a position is, the more important number first."""
    own = [(point, count) for point, count in enumerate(board.points) if count > 0]
    to_home = sum((point - _HOME) * count for point, count in own if point > _HOME)
    return board.off(Side.O), -to_home, -board.pips(Side.O), len(own)
