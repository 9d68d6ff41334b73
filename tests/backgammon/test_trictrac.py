"""TricTrac: the order of the dice, the home board in which nobody moves, rolling again."""

import itertools
from functools import cache

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon import trictrac
from fibsd.backgammon.actions import Double, OpeningRoll, Roll
from fibsd.backgammon.board import START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import Fault, IllegalAction, IllegalPlay, Reason
from fibsd.backgammon.game import Ending, Game, Phase, apply
from fibsd.backgammon.match import new_match
from fibsd.backgammon.play import Move, Play
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import TRICTRAC
from tests.backgammon import reference
from tests.backgammon.positions import board, make, play, to_roll, view
from tests.support.strategies import any_views, dice, doubles, examples, plays, views

View = reference.View

RULES = new_match(5, crawford=True, variant=TRICTRAC).game.rules
ROLLS = [Dice(high, low) for high in range(1, 7) for low in range(1, high + 1)]
GONE = ":0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0"
"""The rest of a position in which O is home and X has passed."""


def refusal(position: View, roll: Dice, tried: Play, must: int | None = None) -> tuple[Fault, int, int] | None:
    try:
        trictrac.check_play(position, roll, tried, must)
    except IllegalPlay as error:
        return error.fault, error.nth, error.number
    return None


def rolled(position: Board, first: int, second: int, rolls_done: int = 0) -> Game:
    """A game in which O has just rolled these dice."""
    game = attrs.evolve(to_roll(position, Side.O, RULES), rolls_done=rolls_done)
    return apply(game, Roll(side=Side.O, dice=Dice(first, second)))


# -- Against the reference -----------------------------------------------------------------------------------


@given(any_views, st.one_of(dice, doubles))
@examples(200)
def test_generated_plays_are_those_of_brute_force(position: View, roll: Dice) -> None:
    legal = reference.trictrac(position, roll)
    generated = trictrac.legal_plays(position, roll)
    assert [found for found in generated if found not in legal] == []
    assert sorted(legal[found] for found in generated) == sorted(set(legal.values()))
    assert trictrac.playable(position, roll) == max(map(len, legal), default=0)
    assert trictrac.forced_play(position, roll) == (generated[0] if len(set(legal.values())) == 1 else None)


@given(any_views, st.one_of(dice, doubles), st.data())
@examples(100)
def test_a_play_is_accepted_just_when_brute_force_finds_it(position: View, roll: Dice, data: st.DataObject) -> None:
    legal = reference.trictrac(position, roll)
    tried: set[Play] = {data.draw(plays)}
    for found in itertools.islice(legal, 0, None, max(1, len(legal) // 5)):
        tried |= set(itertools.permutations(found)) | {found[:n] for n in range(len(found))}
        tried |= {(*found, move) for move in found}
    tried |= set(reference.legal(position, roll))
    must = trictrac.playable(position, roll)
    for candidate in tried:
        right = candidate in legal or (must == 0 and candidate == ())
        assert (refusal(position, roll, candidate) is None) is right, candidate
        assert (refusal(position, roll, candidate, must) is None) is right, candidate


@given(views(own=range(9), others=range(19)), st.one_of(dice, doubles))
@examples(150)
def test_the_last_checker_never_goes_off_with_fewer_dice_than_could_be_played(position: View, roll: Dice) -> None:
    assert reference.trictrac_finished(position, roll) <= set(reference.trictrac(position, roll))


@given(any_views, dice, st.lists(st.builds(Move, st.integers(-99, 99), st.integers(-99, 99)), max_size=6))
@examples(150)
def test_no_numbers_cause_anything_but_a_refusal(position: View, roll: Dice, tried: list[Move]) -> None:
    refusal(position, roll, tuple(tried))


# -- The order of the dice -----------------------------------------------------------------------------------


def test_the_lower_number_is_played_first() -> None:
    assert refusal(START.points, Dice(3, 1), play("6-5 8-5")) == (Fault.INSIDE, 0, 1)
    assert refusal(START.points, Dice(6, 1), play("8-7 13-7")) is None
    assert refusal(START.points, Dice(6, 1), play("13-7 8-7")) == (Fault.ORDER, 0, 1)
    assert refusal(START.points, Dice(1, 6), play("13-7 8-7")) == (Fault.ORDER, 0, 1)


def test_the_whole_roll_is_lost_if_the_lower_number_cannot_be_played() -> None:
    # The 6 would be free: 24-18.
    position = view("0:0:0:0:0:0:14:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:1:0")
    assert trictrac.playable(position, Dice(6, 1)) == 0
    assert trictrac.legal_plays(position, Dice(6, 1)) == []
    assert trictrac.forced_play(position, Dice(6, 1)) is None
    assert refusal(position, Dice(6, 1), ()) is None
    assert refusal(position, Dice(6, 1), play("24-18")) == (Fault.TOO_MANY, -1, 0)
    game = rolled(Board(points=position), 6, 1)
    assert (game.phase, game.turn) == (Phase.ROLL, Side.X)


def test_only_the_higher_number_is_lost_if_it_alone_cannot_be_played() -> None:
    position = view("0:0:0:0:0:0:14:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:1:0")
    assert trictrac.legal_plays(position, Dice(6, 1)) == [play("24-23")]
    assert trictrac.forced_play(position, Dice(6, 1)) == play("24-23")


def test_the_lower_number_must_be_played_so_that_the_higher_can_be_too() -> None:
    # After 24-23 no 6 is free: 17 and 8 are closed.
    position = view("0:0:0:0:0:0:13:0:-2:0:0:0:0:0:1:0:0:-2:-2:0:0:0:0:0:1:0")
    assert trictrac.legal_plays(position, Dice(6, 1)) == [play("14-13 13-7")]
    assert refusal(position, Dice(6, 1), play("24-23")) == (Fault.TOO_FEW, -1, 2)


def test_doubles_are_followed_by_the_numbers_of_their_undersides() -> None:
    assert trictrac.sequence(Dice(1, 1)) == (1, 1, 6, 6)
    assert trictrac.sequence(Dice(5, 5)) == (5, 5, 2, 2)
    assert trictrac.sequence(Dice(5, 2)) == trictrac.sequence(Dice(2, 5)) == (2, 5)
    assert refusal(START.points, Dice(5, 5), play("13-8 13-8 13-11 13-11")) is None
    assert refusal(START.points, Dice(5, 5), play("13-8 13-8 8-3 8-3")) == (Fault.ORDER, 2, 2)


def test_the_undersides_are_lost_if_not_both_of_the_doubles_can_be_played() -> None:
    # One 4 can be played, 24-20; then 16 is blocked. The 3s would be free.
    position = view("0:0:0:0:0:0:14:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:0:1:0")
    assert trictrac.playable(position, Dice(4, 4)) == 1
    assert trictrac.legal_plays(position, Dice(4, 4)) == [play("24-20")]


# -- The home board ------------------------------------------------------------------------------------------


def test_nobody_moves_inside_his_home_board() -> None:
    position = view("0:0:0:0:0:3:10:0:0:0:0:0:0:0:1:1:0:0:0:0:0:-15:0:0:0:0")
    assert refusal(position, Dice(2, 1), play("6-5 15-13")) == (Fault.INSIDE, 0, 1)
    assert all(move.source > 6 for found in trictrac.legal_plays(position, Dice(3, 3)) for move in found)


def test_home_may_be_entered_from_outside() -> None:
    position = view("0:0:0:0:0:0:13:1:0:1:0:0:0:0:0:0:0:0:0:0:0:-15:0:0:0:0")
    assert play("7-5 9-4") in trictrac.legal_plays(position, Dice(5, 2))


@pytest.mark.parametrize(
    ("home", "roll", "expected"),
    [
        ("0:0:2:0:0:2:0", (5, 2), "2-off 5-off"),
        ("0:0:0:0:1:2:0", (6, 4), "4-off 5-off"),  # no checker stands behind the 5 point
        ("0:2:0:0:0:0:2", (2, 1), "1-off"),  # 2 is empty, and 6 may not be moved to 4
        ("0:0:2:0:0:0:2", (6, 1), None),  # the lower number is lost, and with it the roll
        ("0:0:0:2:2:0:0", (3, 3), "3-off 3-off 4-off 4-off"),
        ("0:0:0:0:0:0:9", (6, 6), "6-off 6-off"),  # no 1 can be played
        ("0:0:0:0:0:0:9", (5, 5), None),
        ("0:0:1:0:0:0:0", (6, 5), "2-off"),
        ("0:0:0:0:0:0:0", (6, 5), None),
    ],
)
def test_a_number_bears_off_from_its_point_or_else_from_the_rear(
    home: str, roll: tuple[int, int], expected: str | None
) -> None:
    position = view(home + GONE)
    found = trictrac.legal_plays(position, Dice(*roll))
    assert found == ([play(expected)] if expected else [])
    assert trictrac.greedy_play(position, Dice(*roll)) == (play(expected) if expected else None)


def test_greedy_leaves_alone_a_side_with_a_checker_outside_or_with_contact() -> None:
    outside = view("0:1:0:0:0:0:2:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0")
    assert trictrac.greedy_play(outside, Dice(6, 1)) is None
    contact = view("0:-2:0:0:0:0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-13:0")
    assert trictrac.greedy_play(contact, Dice(6, 6)) is None


@given(views(own=range(7), others=range(19)), st.one_of(dice, doubles))
@examples(150)
def test_greedy_plays_are_legal(position: View, roll: Dice) -> None:
    found = trictrac.greedy_play(position, roll)
    legal = reference.trictrac(position, roll)
    free = bool(legal) and not Board(points=position).contact
    assert (found in legal) if free else found is None


# -- What stays as it is -------------------------------------------------------------------------------------


def test_blots_are_hit_and_points_of_two_are_closed() -> None:
    position = view("0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-2:0:-5:0:0:0:-1:2:0")
    assert refusal(position, Dice(6, 1), play("24-23 24-18")) is None
    assert Board(points=position).after(Side.O, play("24-23")).bar(Side.X) == 1
    assert refusal(position, Dice(6, 1), play("13-12 13-7")) == (Fault.BLOCKED, 0, 12)


@pytest.mark.parametrize(
    ("roll", "expected"),
    [((3, 1), []), ((2, 4), ["bar-23 24-20", "bar-23 23-19", "bar-23 13-9"]), ((4, 4), ["bar-21"])],
)
def test_a_checker_on_the_bar_enters_first_by_the_first_number(roll: tuple[int, int], expected: list[str]) -> None:
    position = view("0:0:0:0:0:0:12:0:0:0:0:0:0:1:0:0:0:-2:0:0:0:0:0:0:1:1")
    if roll == (3, 1):
        position = view("0:0:0:0:0:0:12:0:0:0:0:0:0:1:0:0:0:-2:0:0:0:0:0:-2:-2:1")
    if roll == (4, 4):
        position = view("0:0:0:0:0:0:12:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:0:1")
    found = set(trictrac.legal_plays(position, Dice(*roll)))
    assert found == {play(text) for text in expected}


BAR = view("0:-2:0:0:0:0:5:0:3:0:0:0:-5:4:0:0:0:-3:0:-5:0:0:0:0:2:1")
INSIDE = view("0:0:0:0:2:2:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0")


@pytest.mark.parametrize(
    ("position", "roll", "tried", "expected"),
    [
        (START.points, Dice(3, 1), "8-7", (Fault.TOO_FEW, -1, 2)),
        (START.points, Dice(3, 1), "8-7 8-5 13-12", (Fault.TOO_MANY, -1, 2)),
        (START.points, Dice(3, 1), "8-9 8-5", (Fault.DIRECTION, 0, 8)),
        (START.points, Dice(3, 1), "7-6 8-5", (Fault.NO_CHECKER, 0, 7)),
        (START.points, Dice(3, 1), "bar-24 8-5", (Fault.NO_CHECKER, 0, 25)),
        (START.points, Dice(5, 1), "8-7 24-19", (Fault.BLOCKED, 1, 19)),
        (START.points, Dice(3, 1), "8-7 8-4", (Fault.DISTANCE, 1, 4)),
        (START.points, Dice(6, 1), "8-7 6-off", (Fault.BEAR_OFF, 1, 6)),
        (START.points, Dice(3, 1), "6-off 8-5", (Fault.DISTANCE, 0, 6)),
        (BAR, Dice(3, 1), "8-7 bar-22", (Fault.BAR_FIRST, 0, 8)),
        (BAR, Dice(3, 1), "bar-22 8-7", (Fault.ORDER, 0, 1)),
        (INSIDE, Dice(5, 4), "5-off 4-off", (Fault.ORDER, 0, 4)),
        (INSIDE, Dice(5, 4), "4-off 4-off", (Fault.BEAR_OFF, 1, 4)),
    ],
)
def test_the_first_fault_is_named(position: View, roll: Dice, tried: str, expected: tuple[Fault, int, int]) -> None:
    assert refusal(position, roll, play(tried)) == expected


# -- A turn --------------------------------------------------------------------------------------------------


def test_the_opening_roll_is_played_by_its_winner_lower_number_first() -> None:
    game = apply(new_match(5, crawford=True, variant=TRICTRAC).game, OpeningRoll(dice=BySide(o=6, x=1)))
    assert (game.turn, game.dice, game.playable, game.rolls_done) == (Side.O, Dice(6, 1), 2, 0)
    assert make(game, Side.O, "8-7 13-7").turn is Side.X


def test_doubles_played_in_full_are_followed_by_another_roll_three_in_all() -> None:
    position = board("0:0:0:0:0:0:0:0:0:0:0:0:5:5:5:0:0:0:0:-15:0:0:0:0:0:0")
    game = make(rolled(position, 1, 1), Side.O, "14-13 14-13 13-7 13-7")
    assert (game.phase, game.turn, game.rolls_done, game.dice) == (Phase.ROLL, Side.O, 1, None)
    game = apply(game, Roll(side=Side.O, dice=Dice(1, 1)))
    assert (game.phase, game.rolls_done) == (Phase.MOVE, 1)
    game = make(game, Side.O, "14-13 14-13 13-7 13-7")
    assert (game.turn, game.rolls_done) == (Side.O, 2)
    game = make(apply(game, Roll(side=Side.O, dice=Dice(1, 1))), Side.O, "14-13 13-12 13-7 13-7")
    assert (game.phase, game.turn, game.rolls_done) == (Phase.ROLL, Side.X, 0)


def test_another_roll_that_is_no_double_ends_the_turn() -> None:
    game = rolled(START, 2, 1, rolls_done=1)
    assert make(game, Side.O, "8-7 8-6").turn is Side.X


def test_another_roll_that_cannot_be_played_ends_the_turn() -> None:
    shut_out = board("0:0:0:0:0:0:14:0:0:0:0:0:0:0:0:0:0:0:0:-5:-2:-2:-2:-2:-2:1")
    game = rolled(shut_out, 6, 6, rolls_done=1)
    assert (game.phase, game.turn, game.rolls_done) == (Phase.ROLL, Side.X, 0)


def test_doubles_not_played_in_full_end_the_turn() -> None:
    position = board("0:0:0:0:0:0:9:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0")
    game = make(rolled(position, 6, 6), Side.O, "6-off 6-off")
    assert (game.turn, game.rolls_done, game.board.off(Side.O)) == (Side.X, 0, 8)


def test_the_last_checkers_may_go_with_doubles() -> None:
    position = board("0:0:0:2:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0")
    game = make(rolled(position, 3, 3, rolls_done=1), Side.O, "3-off 3-off 4-off 4-off")
    assert game.result is not None
    assert attrs.astuple(game.result) == (Side.O, 2, 2, Ending.BEAR_OFF)
    assert game.rolls_done == 0


def test_there_is_no_cube() -> None:
    game = to_roll(START, Side.O, RULES)
    assert not game.may_double(Side.O)
    with pytest.raises(IllegalAction) as refused:
        apply(game, Double(side=Side.O))
    assert refused.value.reason is Reason.NO_CUBE


# -- How fast and how slow ------------------------------------------------------------------------------------


def _after_one_roll(position: View, rolls: list[Dice]) -> set[View]:
    return {
        Board(points=position).after(Side.O, found).points
        for roll in rolls
        for found in trictrac.legal_plays(position, roll) or [()]
    }


@cache
def can_wait(position: View, checkers: int, turns: int, behind: int) -> bool:
    """Whether some rolls, none of them doubles, let the side play so long with nothing off and one so far behind."""
    if sum(position) < checkers or not any(position[behind:]):
        return False
    singles = [roll for roll in ROLLS if not roll.is_double]
    return turns == 0 or any(
        can_wait(after, checkers, turns - 1, behind) for after in _after_one_roll(position, singles)
    )


few = st.lists(st.integers(1, 24), min_size=1, max_size=3)


def _placed(points: list[int]) -> View:
    return tuple(points.count(point) for point in range(26))


@given(st.lists(st.integers(1, 24), min_size=1, max_size=2) | st.lists(st.integers(1, 6), min_size=3, max_size=4))
@examples(12)
def test_a_side_can_be_done_as_soon_as_is_said(points: list[int]) -> None:
    # To roll again after doubles could only make it faster, so it is left out.
    reached = {_placed(points)}
    for _ in range(trictrac.fewest_turns(_placed(points))):
        reached = {after for before in reached for after in _after_one_roll(before, ROLLS)}
    assert (0,) * 26 in reached


@given(few, st.integers(0, 4), st.sampled_from([1, 19]))
@examples(60)
def test_a_side_can_wait_as_long_as_is_said(points: list[int], turns: int, behind: int) -> None:
    position = _placed(points)
    if trictrac.can_last(position, turns, behind):
        assert can_wait(position, len(points), turns, behind)


@pytest.mark.parametrize(
    ("points", "turns", "behind", "can"),
    [
        ([6, 6, 4], 99, 1, True),  # a 2-1 is lost each time
        ([6, 6, 1], 1, 1, False),
        ([9, 6, 1], 1, 1, True),
        ([9, 6, 1], 2, 1, False),
        ([9, 6, 2], 2, 1, False),
        ([9, 6, 3], 99, 1, True),
        ([19, 9, 6], 1, 19, True),
        ([19, 9, 6], 2, 19, False),
        ([18, 9, 6], 0, 19, False),
        ([19, 6, 6], 0, 19, True),
    ],
)
def test_how_long_a_side_can_wait(points: list[int], turns: int, behind: int, can: bool) -> None:
    assert trictrac.can_last(_placed(points), turns, behind) is can


@pytest.mark.parametrize(("points", "turns"), [([6] * 15, 8), ([1], 1), ([24], 3), ([13, 7, 1], 4), ([7], 2)])
def test_how_soon_a_side_is_done(points: list[int], turns: int) -> None:
    assert trictrac.fewest_turns(_placed(points)) == turns
