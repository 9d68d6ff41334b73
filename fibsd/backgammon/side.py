"""The two sides, and values that exist once for each of them."""

import enum
from collections.abc import Callable
from typing import Generic, TypeVar

from fibsd.values import frozen

T = TypeVar("T", covariant=True)
U = TypeVar("U")


class Side(enum.IntEnum):
    """A side; its number is the sign of its checkers in a raw board line."""

    O = 1  # noqa: E741 - FIBS calls this side O
    X = -1

    @property
    def other(self) -> "Side":
        """The opponent."""
        return _X if self is _O else _O


# Looking a member up in its enum costs ten times what a name costs: with this, a turn is 2 us cheaper.
_O, _X = Side.O, Side.X


@frozen(kw_only=True)
class BySide(Generic[T]):
    """A pair of equal things, one for each side."""

    o: T
    x: T

    @classmethod
    def both(cls, value: U) -> "BySide[U]":
        """The same value for both sides."""
        return BySide(o=value, x=value)

    def of(self, side: Side) -> T:
        """What belongs to this side."""
        return self.o if side is _O else self.x

    def map(self, fn: Callable[[T], U]) -> "BySide[U]":
        """The pair of what the function makes of each value."""
        return BySide(o=fn(self.o), x=fn(self.x))

    def swap(self) -> "BySide[T]":
        """The pair after the players have changed colours."""
        return BySide(o=self.x, x=self.o)

    def put(self: "BySide[U]", side: Side, value: U) -> "BySide[U]":
        """The pair with another value for one side."""
        return BySide(o=value, x=self.x) if side is Side.O else BySide(o=self.o, x=value)

    def items(self) -> tuple[tuple[Side, T], tuple[Side, T]]:
        """Each side with its value, O first."""
        return (Side.O, self.o), (Side.X, self.x)
