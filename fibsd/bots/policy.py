"""The decisions of the built-in engine. Pure: the same position gives the same answer, always.

Positions are seen from the side that decides, so that both colours are treated alike.
"""

from collections.abc import Sequence
from functools import partial

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View
from fibsd.backgammon.play import OFF, Play
from fibsd.backgammon.variants import BACKGAMMON, Variant
from fibsd.bots.evaluation import outlook
from fibsd.bots.sketch import sketch

MOST_WEIGHED = 80
"""So many plays are weighed in full; of more, those that look best at first sight."""


def choose_play(view: View, dice: Dice, plays: Sequence[Play], variant: Variant = BACKGAMMON) -> Play:
    """The play that the engine makes.

    It looks at results only, so any rules may have made the list.

    Args:
        view: The position as `Board.seen_by` the side to move.
        dice: The roll.
        plays: All legal plays, at least one.
        variant: What is played.

    Raises:
        ValueError: There is no play.
    """
    if len(plays) == 1:
        return plays[0]
    return max(_weighed(view, plays), key=partial(_equity, variant))[0]


def ranked_plays(view: View, plays: Sequence[Play], variant: Variant = BACKGAMMON) -> list[Play]:
    """The same plays, best first; of very many only those that `choose_play` would weigh."""
    return [play for play, _ in sorted(_weighed(view, plays), key=partial(_equity, variant), reverse=True)]


def _weighed(view: View, plays: Sequence[Play]) -> list[tuple[Play, View]]:
    """Plays that deserve a second look, each with what it leads to."""
    results = [(play, after(view, play)) for play in plays]
    if len(results) > MOST_WEIGHED:
        results = sorted(results, key=lambda result: sketch(result[1]), reverse=True)[:MOST_WEIGHED]
    return results


def _equity(variant: Variant, result: tuple[Play, View]) -> float:
    return outlook(result[1], variant.checkers).equity


def after(view: View, play: Play) -> View:
    """The position after a play, still as the side that made it sees it."""
    board = list(view)
    for source, target in play:
        board[source] -= 1
        if target != OFF:
            if board[target] < 0:
                board[target] = 0
                board[0] -= 1
            board[target] += 1
    return tuple(board)
