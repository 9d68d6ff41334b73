"""A position of the checkers."""

from operator import neg

from fibsd.backgammon.play import OFF, Play
from fibsd.backgammon.side import Side
from fibsd.values import frozen

CHECKERS = 15
_O = Side.O  # see `side`


@frozen(kw_only=True)
class Board:
    """Where the checkers stand.

    Attributes:
        points: The 26 numbers of a raw board line: X's bar (0 or negative), the points 1 to 24, O's bar (0 or
            positive). Positive numbers are O's checkers, negative ones X's; O moves down, X up.
    """

    points: tuple[int, ...]

    @classmethod
    def from_view(cls, view: tuple[int, ...], side: Side) -> "Board":
        """The board that this side sees like that; see `seen_by`."""
        return cls(points=view if side is Side.O else _turned(view))

    def seen_by(self, side: Side) -> tuple[int, ...]:
        """The 26 numbers as this side counts them: own checkers positive and moving down from 24.

        Index 25 is its own bar, index 0 the opponent's (0 or negative).
        """
        return self.points if side is _O else _turned(self.points)

    def checkers(self, side: Side) -> int:
        """How many checkers of the side are still in play, on the bar too."""
        # What both have, and by how many the side has more: neither needs a look at single points.
        return (sum(map(abs, self.points)) + side * sum(self.points)) // 2

    def off(self, side: Side) -> int:
        """How many checkers the side has borne off."""
        return CHECKERS - self.checkers(side)

    def bar(self, side: Side) -> int:
        """How many checkers the side has on the bar."""
        return self.points[25] if side is Side.O else -self.points[0]

    def pips(self, side: Side) -> int:
        """The sum of the points that the side still has to move; a checker on the bar counts 25."""
        return sum(n * point for point, n in enumerate(self.seen_by(side)) if n > 0)

    def all_home(self, side: Side) -> bool:
        """Whether the side may bear off: no checker of it is outside its home board."""
        return max(self.seen_by(side)[7:]) <= 0

    @property
    def contact(self) -> bool:
        """Whether a checker can still meet one of the other side, on the bar or on the board."""
        last_o = max((point for point, n in enumerate(self.points) if n > 0), default=0)
        last_x = min((point for point, n in enumerate(self.points) if n < 0), default=25)
        return last_o > last_x

    def after(self, side: Side, play: Play) -> "Board":
        """The board after a play that is known to be legal; single checkers of the other side are hit."""
        points = list(self.points)
        # Where the side's numbering begins, which is the other's bar too, and in which direction it counts.
        start, sign = (0, 1) if side is _O else (25, -1)
        for source, target in play:
            points[start + sign * source] -= sign
            if target == OFF:
                continue
            at = start + sign * target
            if points[at] == -sign:
                points[at] = 0
                points[start] -= sign
            points[at] += sign
        return Board(points=tuple(points))


def _turned(points: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(neg, points[::-1]))


START = Board(points=(0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0))
"""The position before the first move of a game."""
