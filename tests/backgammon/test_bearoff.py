"""The play of a player who bears off greedily."""

import pytest
from hypothesis import given

from fibsd.backgammon.bearoff import greedy_play
from fibsd.backgammon.board import Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import check_play
from fibsd.backgammon.play import OFF
from fibsd.backgammon.side import Side
from tests.backgammon import reference
from tests.backgammon.positions import play, view
from tests.support.strategies import dice, examples, views

# X's checkers are all past O's home.
NO_CONTACT = ":0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0"


@pytest.mark.parametrize(
    ("home", "roll", "expected"),
    [
        ("0:0:0:0:0:1:1", (6, 5), "6-off 5-off"),
        ("0:0:0:0:1:1:0", (6, 6), "5-off 4-off"),
        ("0:0:0:0:0:1:1", (4, 1), "5-1 1-off"),
        ("0:0:1:0:0:1:0", (2, 4), "5-1 2-off"),  # leaves a checker on 1 rather than one on 2
        ("0:0:1:0:0:0:1", (2, 6), "6-off 2-off"),  # larger die first
        ("0:1:1:0:0:1:0", (1, 2), "2-off 1-off"),
        ("0:0:2:0:0:0:2", (2, 2), "6-4 6-4 2-off 2-off"),
        ("0:0:1:0:0:0:1", (2, 2), "6-4 4-2 2-off 2-off"),
        ("0:3:0:0:0:0:0", (6, 6), "1-off 1-off 1-off"),
        ("0:0:0:0:1:0:0", (6, 2), "4-off"),  # the last checker goes at once
        ("0:0:0:0:1:0:0", (3, 2), "4-1 1-off"),
        ("0:0:0:0:0:1:0", (1, 2), None),
        ("0:0:0:0:0:2:2", (2, 1), None),
        ("0:0:0:0:0:2:2", (1, 1), None),
    ],
)
def test_most_checkers_then_fewest_pips_then_the_larger_die_first(
    home: str, roll: tuple[int, int], expected: str | None
) -> None:
    position = view(home + NO_CONTACT)
    assert greedy_play(position, Dice(*roll)) == (play(expected) if expected else None)


@pytest.mark.parametrize(
    "text",
    [
        "0:1:0:0:0:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0",  # a checker is not home
        "0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:1",  # one is on the bar
        "0:-2:0:0:0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0",  # X has checkers to pass
        "-1:0:0:0:0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0",  # X has one on the bar
        "0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0",  # the game is over
    ],
)
def test_nothing_is_done_with_contact_or_a_checker_outside(text: str) -> None:
    assert greedy_play(view(text), Dice(6, 5)) is None


def test_checkers_of_the_other_side_that_have_passed_do_not_matter() -> None:
    passed = view("0:2:0:0:0:0:-2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0")
    assert greedy_play(passed, Dice(6, 5)) == play("1-off 1-off")


@given(views(own=range(7), others=range(1, 19)), dice)
@examples(200)
def test_no_legal_play_takes_more_checkers_off(position: reference.View, roll: Dice) -> None:
    board = Board.from_view(position, Side.O)
    best = {
        one: (sum(move.target == OFF for move in one), -board.after(Side.O, one).pips(Side.O))
        for one in reference.legal(position, roll)
    }
    found = greedy_play(position, roll)
    if board.contact or not best or max(best.values())[0] == 0:
        assert found is None
    else:
        assert found is not None
        check_play(position, roll, found)
        after = board.after(Side.O, found)
        assert (after.off(Side.O) - board.off(Side.O), -after.pips(Side.O)) == max(best.values())
