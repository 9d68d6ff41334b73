"""The plays of a side that only wants to be home and off soon."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.board import Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import OFF, Play
from fibsd.backgammon.playout import playout_play
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import TRICTRAC, VARIANTS, Variant
from tests.backgammon import reference
from tests.backgammon.playing import random_dice
from tests.backgammon.positions import play, view
from tests.support.strategies import dice, doubles, examples, views

variants = st.sampled_from(list(VARIANTS.values()))


def placed(*points: int) -> reference.View:
    """The side's checkers on these points, the other side's all on its own 1 point, past them."""
    position = [points.count(point) for point in range(26)]
    position[24] = -15
    return tuple(position)


@pytest.mark.parametrize(
    ("points", "roll", "expected"),
    [
        ((12, 8), (6, 5), "12-6 8-3"),  # both home
        ((14, 8), (6, 2), "14-8 8-6"),  # no pip is wasted, while 8-2 would waste four
        ((7, 7), (6, 1), "7-1 7-6"),
        ((6, 6, 4), (6, 4), "6-off 4-off"),
        ((6, 5, 1), (1, 2), "6-4 1-off"),
        ((7, 3), (3, 1), "7-6 3-off"),
        ((4, 4, 4), (2, 1), "4-2 4-3"),  # more points held than after 4-3-1
        ((3,), (2, 1), "3-1 1-off"),
    ],
)
def test_it_bears_off_most_and_wastes_no_pips(points: tuple[int, ...], roll: tuple[int, int], expected: str) -> None:
    after = Board(points=placed(*points)).after(Side.O, play(expected))
    assert Board(points=placed(*points)).after(Side.O, playout_play(placed(*points), Dice(*roll))) == after


def test_it_keeps_to_the_dice_of_trictrac() -> None:
    assert playout_play(placed(7, 3), Dice(3, 1), TRICTRAC) == play("7-6 3-off")
    assert playout_play(placed(12, 8), Dice(6, 5), TRICTRAC) == play("8-3 12-6")


def test_it_does_not_play_where_a_player_has_to_decide_or_nothing_can_be_played() -> None:
    contact = view("0:-2:0:0:0:0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-13:0")
    with pytest.raises(ValueError, match="contact"):
        playout_play(contact, Dice(6, 5))
    with pytest.raises(ValueError, match="cannot be played"):
        playout_play(placed(6, 6), Dice(5, 4), TRICTRAC)


def reference_plays(variant: Variant, position: reference.View, roll: Dice) -> dict[Play, reference.View]:
    return reference.trictrac(position, roll) if variant is TRICTRAC else reference.legal(position, roll)


@given(variants, views(own=range(13), others=range(13)), st.one_of(dice, doubles))
@examples(150)
def test_no_legal_play_bears_off_more_or_wastes_fewer_pips(
    variant: Variant, position: reference.View, roll: Dice
) -> None:
    legal = reference_plays(variant, position, roll)
    if not legal or Board(points=position).contact:
        with pytest.raises(ValueError, match=r"cannot be played|contact"):
            playout_play(position, roll, variant)
        return
    best = max(
        (sum(move.target == OFF for move in one), -sum((p - 6) * result[p] for p in range(7, 26) if result[p] > 0))
        for one, result in legal.items()
    )
    found = playout_play(position, roll, variant)
    result = legal[found]
    outside = sum((point - 6) * result[point] for point in range(7, 26) if result[point] > 0)
    assert (sum(move.target == OFF for move in found), -outside) == best
    assert playout_play(position, roll, variant) == found


@given(variants, st.lists(st.integers(1, 24), min_size=1, max_size=15), st.randoms(use_true_random=True))
@examples(30)
def test_a_side_played_out_is_done_in_the_end(variant: Variant, points: list[int], rng: Random) -> None:
    here = Board(points=tuple(points.count(point) for point in range(26)))
    for _ in range(2000):
        roll = random_dice(rng)
        if variant.rules.playable(here.points, roll):
            here = here.after(Side.O, playout_play(here.points, roll, variant))
        if here.checkers(Side.O) == 0:
            return
    pytest.fail("not done")
