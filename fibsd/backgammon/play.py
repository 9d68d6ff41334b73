"""A play: the moves that a side makes with one roll.

Points are counted by the side that moves: its checkers go from 24 down to 1, the bar is 25 and off is 0.
"""

from typing import NamedTuple, TypeAlias

BAR = 25
OFF = 0


class Move(NamedTuple):
    """One checker moved by one die, in the mover's numbering."""

    source: int
    target: int


Play: TypeAlias = tuple[Move, ...]
