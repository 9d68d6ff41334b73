"""The doubling cube and an offer of it."""

from fibsd.backgammon.side import Side
from fibsd.values import frozen

CUBE_LIMIT = 64
"""The cube is never turned past the highest number on it."""


@frozen(kw_only=True)
class Cube:
    """The cube as last agreed; without an owner it lies in the middle and both may turn it."""

    value: int = 1
    owner: Side | None = None


@frozen(kw_only=True)
class Offer:
    """A turned cube that waits for its answer.

    Attributes:
        by: Who turned it last and now waits.
        keeper: Who was doubled first; the cube becomes and stays his however often it is turned at once
            (FIBS help: redouble).
        stake: What the game is worth if the offer is refused: the value before the last turn of the cube.
        turns: 1 for a double, 2 for a beaver, 3 for a raccoon, 4 for an otter and so on.
    """

    by: Side
    keeper: Side
    stake: int
    turns: int

    @property
    def to_answer(self) -> Side:
        """The side that must take, pass or turn again."""
        return self.by.other

    @property
    def value(self) -> int:
        """What the cube shows if the offer is taken."""
        return 2 * self.stake
