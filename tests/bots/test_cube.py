"""The engine's cube and its answers to resignations."""

import pytest
from hypothesis import assume, given

from fibsd.backgammon.board import START, Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.movegen import View
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import HYPERGAMMON
from fibsd.bots.cube import (
    UNLIMITED,
    Score,
    answers_resignation,
    match_chance,
    size_to_resign,
    takes,
    wants_double,
)
from tests.bots.test_policy import view_of
from tests.support.strategies import any_views, examples

O, X = Side.O, Side.X  # noqa: E741 - FIBS calls this side O
CENTRED = Cube()
SEVEN = Score(away=BySide.both(7))


def board(own: dict[int, int], other: dict[int, int]) -> Board:
    return Board(points=view_of(own, other))


def race(behind: int) -> Board:
    """Both bear off: O has 82 pips, X so many more."""
    return board({6: 8, 5: 6, 4: 1}, {6: 8, 5: 6, 4 + behind: 1})


CRUSHED = board({6: 3, 5: 3, 4: 3, 3: 3, 2: 2, 8: 1}, {25: 2, 24: 1, 13: 6, 6: 3, 8: 3})
"""O has five points and three men caught."""


@pytest.mark.parametrize(
    ("behind", "doubles", "redoubles", "takes_it"),
    [
        (0, False, False, True),
        (7, False, False, True),
        (8, True, False, True),
        (9, True, True, True),
        (11, True, True, True),
        (12, True, True, False),
    ],
)
def test_in_a_race_pips_decide(behind: int, doubles: bool, redoubles: bool, takes_it: bool) -> None:
    """At 94.6 pips, waste counted: 8 % to double, 9 % to redouble, 12 % to take."""
    position = race(behind)
    assert wants_double(position, O, CENTRED, UNLIMITED) is doubles
    assert wants_double(position, O, Cube(value=2, owner=O), UNLIMITED) is redoubles
    assert takes(position, X, CENTRED, UNLIMITED) is takes_it


def test_nobody_doubles_at_the_start() -> None:
    for score in (UNLIMITED, SEVEN):
        assert not wants_double(START, O, CENTRED, score)
        assert takes(START, X, CENTRED, score)


def test_a_crushed_side_is_doubled_or_played_for_a_gammon_and_refuses() -> None:
    assert not takes(CRUSHED, X, CENTRED, UNLIMITED)
    assert not takes(CRUSHED, X, CENTRED, SEVEN)


def test_a_cube_that_wins_nothing_is_not_turned() -> None:
    """With 2 points to go and the cube at 2 the game wins the match as it is."""
    assert not wants_double(race(10), O, Cube(value=2, owner=O), Score(away=BySide(o=2, x=5)))
    assert not wants_double(race(10), O, Cube(value=64, owner=O), UNLIMITED)


def test_behind_after_the_crawford_game_the_cube_is_turned_at_once() -> None:
    score = Score(away=BySide(o=3, x=1), crawford_over=True)
    assert wants_double(START, O, CENTRED, score)
    assert not wants_double(START, X, CENTRED, score)


def test_what_would_lose_the_match_is_never_refused() -> None:
    assert takes(CRUSHED, X, CENTRED, Score(away=BySide(o=1, x=3), crawford_over=True))
    assert takes(CRUSHED, X, Cube(value=2, owner=O), Score(away=BySide(o=2, x=3)))


@examples(100)
@given(view=any_views)
def test_both_colours_decide_alike(view: View) -> None:
    for score in (UNLIMITED, Score(away=BySide(o=3, x=5))):
        turned = Score(away=score.away and score.away.swap())
        one, other = Board.from_view(view, O), Board.from_view(view, X)
        if not (one.checkers(O) and one.checkers(X)):
            return
        assert wants_double(one, O, CENTRED, score) is wants_double(other, X, CENTRED, turned)
        assert takes(one, O, CENTRED, score) is takes(other, X, CENTRED, turned)
        assert answers_resignation(one, O, 1, O) is answers_resignation(other, X, 1, X)
        assert size_to_resign(one, O, X) == size_to_resign(other, X, O)


# --- matches ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "other", "known"),
    [(1, 3, 0.75), (2, 4, 0.67), (3, 5, 0.66), (4, 7, 0.70), (5, 9, 0.72), (7, 7, 0.5)],
)
def test_match_chances_are_near_the_tables(own: int, other: int, known: float) -> None:
    """Known tables agree within seven points of a hundred; no more is asked of a formula."""
    assert match_chance(own, other, False) == pytest.approx(known, abs=0.07)
    assert match_chance(other, own, False) == pytest.approx(1 - match_chance(own, other, False))


def test_match_chances_after_the_crawford_game() -> None:
    assert [match_chance(1, other, True) for other in (1, 2, 3, 4, 5)] == [0.5, 0.5, 0.75, 0.75, 0.875]
    assert match_chance(3, 1, True) == 0.25
    assert (match_chance(0, 4, True), match_chance(4, -1, False)) == (1.0, 0.0)


# --- resignations ----------------------------------------------------------------------------------------------

LOST_RACE = board({2: 2}, {13: 3, 6: 5})
GAMMON_RACE = board({2: 2}, {13: 10, 8: 5})
CAUGHT = board({2: 2}, {24: 4, 13: 6, 8: 5})


def test_resignations_are_accepted_if_no_more_can_be_expected() -> None:
    assert answers_resignation(LOST_RACE, O, 1, X)
    assert not answers_resignation(GAMMON_RACE, O, 1, X)
    assert answers_resignation(GAMMON_RACE, O, 2, X)
    assert not answers_resignation(CAUGHT, O, 2, O)
    assert answers_resignation(CAUGHT, O, 3, O)


def test_an_offer_at_the_start_is_a_present() -> None:
    assert all(answers_resignation(START, X, size, O) for size in (1, 2, 3))


def test_who_gives_up_offers_what_is_likely() -> None:
    assert size_to_resign(START, O, O) == 1
    assert size_to_resign(LOST_RACE, X, X) == 1
    assert size_to_resign(GAMMON_RACE, X, X) == 2


def test_by_the_jacoby_rule_it_turns_the_cube_before_it_plays_on_for_a_gammon() -> None:
    jacoby = Score(jacoby=True)
    assert not wants_double(CRUSHED, O, CENTRED, UNLIMITED)
    assert wants_double(CRUSHED, O, CENTRED, jacoby)
    assert not wants_double(CRUSHED, O, Cube(value=2, owner=O), jacoby), "now gammons count"


@given(any_views)
@examples(50)
def test_three_checkers_are_a_position_like_any_other(view: View) -> None:
    """Whatever is on the board, something is decided."""
    position = Board(points=tuple([max(-1, min(1, count)) for count in view]))
    assume(position.checkers(O) and position.checkers(X))
    for score in (UNLIMITED, SEVEN, Score(jacoby=True)):
        assert wants_double(position, O, CENTRED, score) in (True, False)
        assert takes(position, X, CENTRED, score) in (True, False)


def test_three_checkers_of_which_none_is_off_may_be_a_gammon() -> None:
    """O is about to bear off its last checker; X has its three far from home."""
    position = board({1: 1}, {23: 1, 22: 1, 21: 1})
    assert answers_resignation(position, O, 1, O)
    assert not answers_resignation(position, O, 1, O, HYPERGAMMON)
    assert answers_resignation(position, O, 3, O, HYPERGAMMON)
    assert size_to_resign(board({23: 3}, {1: 3}), O, X, HYPERGAMMON) == 2
    assert size_to_resign(board({23: 3}, {1: 3}), O, X) == 1
