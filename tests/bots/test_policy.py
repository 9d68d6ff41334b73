"""The engine's plays: legal, the same for both colours, quick, and sensible in positions that everybody knows."""

import random
import sys
import time

import pytest
from hypothesis import given

from fibsd.backgammon.board import START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View, check_play, legal_plays
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import Side
from fibsd.bots.evaluation import outlook
from fibsd.bots.policy import MOST_WEIGHED, after, choose_play
from tests.bots.arena import contest, greedy_player, random_player
from tests.support.strategies import any_views, dice, examples, sides

CROWD: View = (0, 0, 0, *[1] * 4, 0, *[1] * 3, 0, 1, 1, 0, 1, 1, 0, 1, -1, *[1] * 3, -8, -6, 0)
"""Here 1-1 leads to 2,053 positions, more than any that was found in games."""


def chosen(view: View, first: int, second: int) -> set[tuple[int, int]]:
    """The engine's play, without regard to order."""
    roll = Dice(first, second)
    return {tuple(move) for move in choose_play(view, roll, legal_plays(view, roll))}


def view_of(own: dict[int, int], other: dict[int, int]) -> View:
    """A position: own checkers by own numbering, the other side's by its own."""
    view = [0] * 26
    for point, count in own.items():
        view[point] += count
    for point, count in other.items():
        view[25 - point] -= count
    return tuple(view)


@examples(200)
@given(view=any_views, roll=dice)
def test_play_is_one_of_those_given_and_legal(view: View, roll: Dice) -> None:
    plays = legal_plays(view, roll)
    if plays:
        play = choose_play(view, roll, plays)
        assert play in plays
        check_play(view, roll, play)


@examples(100)
@given(view=any_views, side=sides)
def test_the_mirrored_position_is_worth_the_same(view: View, side: Side) -> None:
    """A board and its mirror image, with the colours changed, get the same play: they are the same view."""
    board = Board.from_view(view, side)
    mirrored = Board.from_view(view, side.other)
    assert outlook(board.seen_by(side)) == outlook(mirrored.seen_by(side.other))


@examples(100)
@given(view=any_views, roll=dice)
def test_the_same_position_gets_the_same_play(view: View, roll: Dice) -> None:
    plays = legal_plays(view, roll)
    if plays:
        assert choose_play(view, roll, plays) == choose_play(view, roll, list(plays))


@examples(100)
@given(view=any_views, roll=dice)
def test_results_are_those_of_the_rules(view: View, roll: Dice) -> None:
    for play in legal_plays(view, roll)[:10]:
        assert after(view, play) == Board(points=view).after(Side.O, play).points


@examples(200)
@given(view=any_views)
def test_chances_are_chances(view: View) -> None:
    expected = outlook(view)
    assert all(0 <= share <= 1 for share in (expected.win, expected.gammon, expected.gammoned))
    assert -2 <= expected.equity <= 2


def test_one_decision_takes_at_most_20_ms_of_the_processor() -> None:
    roll = Dice(1, 1)
    plays = legal_plays(CROWD, roll)
    assert len(plays) > 20 * MOST_WEIGHED
    taken = []
    # What measures coverage looks at every line, and would be measured itself.
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        for _ in range(5):
            began = time.thread_time()
            choose_play(CROWD, roll, plays)
            taken.append(time.thread_time() - began)
    finally:
        sys.settrace(tracer)
    assert min(taken) <= 0.020


def test_plays_of_other_rules_can_be_chosen_from() -> None:
    """The list is the caller's: what is not in it is not considered."""
    own: list[Play] = [play for play in legal_plays(START.points, Dice(3, 1)) if (8, 5) not in play]
    assert choose_play(START.points, Dice(3, 1), own) in own


# --- positions that everybody knows ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roll", "play"),
    [
        ((3, 1), {(8, 5), (6, 5)}),
        ((4, 2), {(8, 4), (6, 4)}),
        ((6, 1), {(13, 7), (8, 7)}),
        ((5, 3), {(8, 3), (6, 3)}),
        ((6, 5), {(24, 18), (18, 13)}),
        ((1, 1), {(8, 7), (6, 5)}),
        ((6, 6), {(24, 18), (13, 7)}),
    ],
)
def test_openings_make_the_point(roll: tuple[int, int], play: set[tuple[int, int]]) -> None:
    assert chosen(START.points, *roll) == play


def test_a_blot_on_the_five_point_is_pointed_on() -> None:
    view = view_of({24: 2, 13: 5, 8: 3, 6: 5}, {20: 1, 24: 1, 13: 5, 8: 3, 6: 5})
    assert chosen(view, 3, 1) == {(8, 5), (6, 5)}


def test_a_last_hope_is_taken() -> None:
    """Far behind, with one shot: the blot is hit."""
    view = view_of({24: 2, 6: 3, 5: 3, 4: 3, 3: 2, 2: 2}, {7: 1, 4: 4, 3: 5, 2: 2})
    assert (24, 18) in chosen(view, 6, 1)


def test_no_blot_is_left_where_both_may_be_safe() -> None:
    view = view_of({8: 2, 6: 4, 5: 4, 4: 3, 3: 2}, {24: 2, 6: 5, 5: 4, 4: 4})
    play = choose_play(view, Dice(4, 4), legal_plays(view, Dice(4, 4)))
    assert 1 not in after(view, play)


@pytest.mark.parametrize(
    ("own", "roll", "off"),
    [({1: 2, 2: 2}, (2, 1), 2), ({6: 1, 5: 1, 1: 2}, (6, 5), 2), ({4: 2, 2: 1, 1: 1}, (4, 1), 2), ({6: 4}, (5, 5), 0)],
)
def test_checkers_are_borne_off_rather_than_moved(own: dict[int, int], roll: tuple[int, int], off: int) -> None:
    view = view_of(own, {3: 5})
    plays = legal_plays(view, Dice(*roll))
    play = choose_play(view, Dice(*roll), plays)
    assert sum(move.target == 0 for move in play) == off


def test_in_a_race_home_is_entered_without_waste() -> None:
    """The last checkers come in on the six point, not deep in the home board."""
    view = view_of({9: 1, 10: 1, 6: 4, 5: 4, 4: 3}, {6: 5, 5: 4})
    assert chosen(view, 4, 3) == {(10, 6), (9, 6)}


# --- strength --------------------------------------------------------------------------------------------------


def test_it_beats_simple_players() -> None:
    """A small share of what `python -m tests.bots.arena` plays; the bounds are far below what is seen there."""
    assert contest(20, choose_play, random_player(random.Random(1)), random.Random(1), lambda _: None).share >= 0.9
    assert contest(20, choose_play, greedy_player, random.Random(1), lambda _: None).share >= 0.7
