"""Bearing off without asking (FIBS help: greedy, off)."""

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View, legal_plays
from fibsd.backgammon.play import OFF, Move, Play


def greedy_play(view: View, dice: Dice) -> Play | None:
    """The play that bears off as many checkers as possible.

    Among equals it is the play that leaves the fewest pips, then one that begins with the larger die.

    Args:
        view: The position as `Board.seen_by` the side to move.
        dice: The roll.

    Returns:
        None if a checker is not home yet or can still meet one of the other side, or if none can be borne
        off: where to move inside is then for the player to choose.
    """
    if not nothing_but_bearing_off(view):
        return None
    rear = max(point for point, count in enumerate(view) if count > 0)
    if sum(view[1 : rear + 1]) == 1 and rear <= max(dice):
        # The last checker may go at once, though playing the smaller die first would use both.
        return (Move(rear, OFF),)
    return most_borne_off(legal_plays(view, dice))


def nothing_but_bearing_off(view: View) -> bool:
    """Whether all checkers are home and none can meet one of the other side any more."""
    rear = max((point for point, count in enumerate(view) if count > 0), default=0)
    return 1 <= rear <= 6 and min(view[:rear]) >= 0


def most_borne_off(plays: list[Play]) -> Play | None:
    """The play that bears off most, then takes most pips, the first of equals; None if none bears off any."""
    best = max(plays, key=_worth, default=())
    return best if _worth(best)[0] else None


def _worth(play: Play) -> tuple[int, int]:
    """How many checkers a play bears off, and how many pips it takes."""
    off = sum(move.target == OFF for move in play)
    return off, sum(source - target for source, target in play)
