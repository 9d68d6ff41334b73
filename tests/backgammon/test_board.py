"""Positions: counting, both views, moving checkers."""

import pytest
from hypothesis import given

from fibsd.backgammon.board import CHECKERS, START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.side import Side
from tests.backgammon import reference
from tests.backgammon.positions import board, play
from tests.support.strategies import any_views, boards, dice, examples, sides


@pytest.mark.parametrize("side", Side)
def test_the_start_is_the_same_for_both_sides(side: Side) -> None:
    assert START.seen_by(side) == START.points
    assert (START.checkers(side), START.off(side), START.bar(side), START.pips(side)) == (15, 0, 0, 167)
    assert START.contact
    assert not START.all_home(side)


@given(boards, sides)
@examples(100)
def test_a_board_turned_twice_is_the_same(position: Board, side: Side) -> None:
    assert Board.from_view(position.seen_by(side), side) == position
    mirrored = Board.from_view(position.seen_by(side), side.other)
    assert Board.from_view(mirrored.seen_by(side), side.other) == position


@given(boards, sides)
@examples(100)
def test_counts_of_a_side_follow_from_its_view(position: Board, side: Side) -> None:
    view = position.seen_by(side)
    assert position.bar(side) == view[25]
    assert position.bar(side.other) == -view[0]
    assert position.checkers(side) == sum(n for n in view if n > 0)
    assert position.checkers(side) + position.off(side) == CHECKERS
    assert position.pips(side) == sum(i * view[i] for i in range(1, 26) if view[i] > 0)
    assert position.all_home(side) is all(n <= 0 for n in view[7:])


def test_a_checker_on_the_bar_counts_25_pips() -> None:
    assert board("0:0:-2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:3").pips(Side.O) == 75
    assert board("-1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-1:0:0").pips(Side.X) == 27


@pytest.mark.parametrize(
    ("text", "contact"),
    [
        ("0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0", False),
        ("0:0:0:0:0:0:0:0:0:0:0:2:-2:0:0:0:0:0:0:0:0:0:0:0:0:0", False),
        ("0:0:0:0:0:0:0:0:0:0:0:-2:2:0:0:0:0:0:0:0:0:0:0:0:0:0", True),
        ("0:-1:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0", True),
        ("-1:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0", True),
        ("0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:1", True),
        ("-1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0", False),
        ("0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:1", False),
    ],
)
@pytest.mark.parametrize("side", Side)
def test_contact_lasts_while_two_checkers_have_yet_to_pass(text: str, contact: bool, side: Side) -> None:
    assert board(text, side).contact is contact


@pytest.mark.parametrize("side", Side)
def test_a_single_checker_is_hit_and_goes_to_the_bar(side: Side) -> None:
    before = board("0:0:0:0:0:-1:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0", side)
    after = before.after(side, play("8-5 5-2"))
    assert after == board("-1:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0", side)


@pytest.mark.parametrize("side", Side)
def test_bearing_off_leaves_the_other_side_on_its_bar(side: Side) -> None:
    before = board("-2:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0", side)
    assert before.after(side, play("1-off 1-off")).seen_by(side) == (-2, *[0] * 23, -2, 0)


@given(any_views, dice, sides)
@examples(150)
def test_a_play_moves_checkers_as_the_plain_rules_do(view: reference.View, roll: Dice, side: Side) -> None:
    position = Board.from_view(view, side)
    results = reference.legal(view, roll)
    for found in legal_plays(view, roll):
        after = position.after(side, found)
        assert after.seen_by(side) == results[found]
        assert after.checkers(side.other) == position.checkers(side.other)
