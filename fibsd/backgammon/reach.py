"""What can still happen on the board, for results that are awarded without the loser's consent."""

from fibsd.backgammon.board import Board
from fibsd.backgammon.game import Game
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import BACKGAMMON, Variant

_WINNERS_HOME = 19
"""The first point of the winner's home board, in the loser's numbering."""


def reachable_loss(game: Game, loser: Side) -> int:
    """The most that a side can still lose in a running game: 1 a single game, 2 a gammon, 3 a backgammon.

    Before the opening roll everything can still happen, so it is 3. What that counts, by the cube and the
    Jacoby rule, is for `Game.worth`.
    """
    return largest_loss(game.board, loser, game.turn or loser, game.rules.variant)


def largest_loss(board: Board, loser: Side, on_turn: Side, variant: Variant = BACKGAMMON) -> int:
    """The most that a side can still lose: 1 a single game, 2 a gammon, 3 a backgammon.

    Without contact the winner is given the fastest rolls for ever, and the loser, who plays for time, the slowest
    that there are. With contact everything is taken to be possible. Dice already rolled are not looked at.

    Args:
        board: The position.
        loser: The side that is to be charged.
        on_turn: The side whose turn it is, its roll not played yet.
        variant: What is played.
    """
    if variant.some_off(board, loser):
        return 1
    if board.contact:
        return 3
    view = board.seen_by(loser)
    turns = variant.rules.fewest_turns(board.seen_by(loser.other)) - (on_turn is not loser)
    if variant.rules.can_last(view, turns, _WINNERS_HOME):
        return 3
    return 2 if variant.rules.can_last(view, turns, 1) else 1
