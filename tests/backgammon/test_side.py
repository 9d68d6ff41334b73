"""The two sides and their pairs of values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.side import BySide, Side
from tests.support.strategies import dice, examples, sides


def test_sides_are_the_signs_of_a_raw_board_line() -> None:
    assert (Side.O, Side.X) == (1, -1)


@pytest.mark.parametrize("side", Side)
def test_the_other_side_of_the_other_side(side: Side) -> None:
    assert side.other is not side
    assert side.other.other is side


@given(st.integers(), st.integers(), sides, st.integers())
@examples(50)
def test_a_pair_treats_both_sides_alike(o: int, x: int, side: Side, value: int) -> None:
    pair = BySide(o=o, x=x)
    assert (pair.of(Side.O), pair.of(Side.X)) == (o, x)
    assert pair.items() == ((Side.O, o), (Side.X, x))
    assert pair.swap().of(side) == pair.of(side.other)
    assert pair.put(side, value).of(side) == value
    assert pair.put(side, value).of(side.other) == pair.of(side.other)
    assert pair.map(str) == BySide(o=str(o), x=str(x))
    assert BySide.both(value) == BySide(o=value, x=value)


@given(dice)
@examples(40)
def test_dice_are_a_double_when_both_show_the_same(roll: Dice) -> None:
    assert roll.is_double is (len(set(roll)) == 1)
