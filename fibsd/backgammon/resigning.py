"""What a player who gives up should offer."""

from fibsd.backgammon.board import Board
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import BACKGAMMON, Variant

GAMMON_PIPS = 60
"""So many pips behind, with nothing borne off, a gammon is taken to be lost."""


def giveup_size(board: Board, side: Side, variant: Variant = BACKGAMMON) -> int:
    """The size of a resignation that the position asks for: 2, a gammon, or 1, a single game.

    It is a rule of thumb of this server. A player can always offer less or more by himself.

    Args:
        board: The position.
        side: The side that gives up.
        variant: What is played.
    """
    behind = board.pips(side) - board.pips(side.other)
    return 2 if behind >= GAMMON_PIPS and not variant.some_off(board, side) else 1
