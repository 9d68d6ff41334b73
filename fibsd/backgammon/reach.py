"""What can still happen on the board, for results that are awarded without the loser's consent."""

from fibsd.backgammon.board import Board
from fibsd.backgammon.side import Side


def largest_loss(board: Board, loser: Side, on_turn: Side) -> int:
    """The most that a side can still lose: 1 a single game, 2 a gammon, 3 a backgammon.

    Without contact the winner is given double sixes for ever, and the loser, who plays for time, the smallest
    rolls there are. With contact everything is taken to be possible. Dice already rolled are not looked at.

    Args:
        board: The position.
        loser: The side that is to be charged.
        on_turn: The side whose turn it is, its roll not played yet.
    """
    if board.off(loser) > 0:
        return 1
    if board.contact:
        return 3
    sixes = sum(-(-point // 6) for point in _places(board, loser.other))
    turns = -(-sixes // 4) - (on_turn is not loser)
    places = _places(board, loser)
    spare = [point - 1 for point in places]
    for nth, point in enumerate(places):
        if point >= 19 and turns <= _most_turns([*spare[:nth], point - 19, *spare[nth + 1 :]]):
            return 3
    return 2 if turns <= _most_turns(spare) else 1


def _places(board: Board, side: Side) -> list[int]:
    """The point of each checker, in the numbering of its side."""
    return [point for point, count in enumerate(board.seen_by(side)) for _ in range(count)]


def _most_turns(spare: list[int]) -> int:
    """How many turns can be played if each checker may move that many pips: first all 2-1, then all 1-1."""
    pips = sum(spare)
    short = min(pips // 3, sum(pips // 2 for pips in spare))
    return short + (pips - 3 * short) // 4
