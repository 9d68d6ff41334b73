"""A roll of two dice, and where rolls come from."""

from typing import NamedTuple, Protocol


class Dice(NamedTuple):
    """Two dice (1 to 6 each) in the order in which they fell."""

    first: int
    second: int

    @property
    def is_double(self) -> bool:
        """Whether both show the same number, which is then played four times."""
        return self.first == self.second


class DiceSource(Protocol):
    """What rolls; the rules take dice as arguments and never call it."""

    def roll(self) -> Dice:
        """The next roll."""
