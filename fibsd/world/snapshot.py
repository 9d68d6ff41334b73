"""What a board shows, fixed at one moment."""

from __future__ import annotations

import attrs

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import Phase
from fibsd.backgammon.match import Match
from fibsd.backgammon.side import BySide, Side
from fibsd.values import frozen


@frozen
class Snapshot:
    """A match and its players; carried by events, so that a view looks nothing up.

    Attributes:
        names: Who plays each side.
        match: The match with its current game.
    """

    names: BySide[str]
    match: Match

    def with_dice(self, side: Side, dice: Dice) -> Snapshot:
        """The same moment with a roll on the board that could not be played.

        The rules pass the turn at once; FIBS shows the dice before it says that they cannot be played.
        """
        game = attrs.evolve(self.match.game, turn=side, phase=Phase.MOVE, dice=dice, playable=0)
        return attrs.evolve(self, match=attrs.evolve(self.match, game=game))
