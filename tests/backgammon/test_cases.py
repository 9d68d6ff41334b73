"""Small positions and sequences in which backgammon programs are known to go wrong.

Positions are the numbers of a raw board line with O to move; each is tried with the sides changed as well.
"""

import pytest

from fibsd.backgammon.actions import (
    MakePlay,
)
from fibsd.backgammon.bearoff import greedy_play
from fibsd.backgammon.board import START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import Fault, IllegalAction, IllegalPlay, Reason
from fibsd.backgammon.game import Game, Phase, apply
from fibsd.backgammon.movegen import forced_play, legal_plays
from fibsd.backgammon.notation import decode
from fibsd.backgammon.play import Move, Play
from fibsd.backgammon.side import Side
from tests.backgammon.positions import board, make, play, rolled


@pytest.fixture(params=Side, ids=lambda side: side.name)
def side(request: pytest.FixtureRequest) -> Side:
    """The side that plays the position."""
    chosen: Side = request.param
    return chosen


def refused_play(game: Game, side: Side, tried: Play) -> tuple[Fault, int, int]:
    with pytest.raises(IllegalPlay) as refused:
        apply(game, MakePlay(side=side, play=tried))
    return refused.value.fault, refused.value.nth, refused.value.number


def refused_action(game: Game, text: str) -> Reason:
    with pytest.raises(IllegalAction) as refused:
        apply(game, decode(text))
    return refused.value.reason


def forced(game: Game) -> Play | None:
    assert game.turn is not None
    assert game.dice is not None
    return forced_play(game.board.seen_by(game.turn), game.dice)


def results(game: Game) -> list[Board]:
    """The positions that the roll can lead to."""
    assert game.turn is not None
    assert game.dice is not None
    side = game.turn
    return [game.board.after(side, one) for one in legal_plays(game.board.seen_by(side), game.dice)]


def test_both_dice_must_be_used_even_if_that_can_be_done_in_one_way_only(side: Side) -> None:
    game = rolled(board("0:0:0:0:-2:0:13:0:1:0:0:0:0:0:0:0:-2:0:-3:-4:-4:0:0:0:1:0", side), side, 6, 2)
    assert refused_play(game, side, play("8-2")) == (Fault.TOO_FEW, -1, 2)
    assert refused_play(game, side, play("24-22")) == (Fault.TOO_FEW, -1, 2)
    assert make(game, side, "8-2 24-22") == make(game, side, "24-22 8-2")
    found = forced(game)
    assert found is not None
    assert sorted(found) == [Move(8, 2), Move(24, 22)]


def test_of_two_dice_that_exclude_each_other_the_larger_must_be_played(side: Side) -> None:
    text = "0:14:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:0:0:0:0:1:0:0:0:-13:0"
    game = rolled(board(text, side), side, 6, 5)
    assert game.playable == 1
    assert refused_play(game, side, play("20-15")) == (Fault.DISTANCE, 0, 5)
    assert forced(game) == play("20-14")
    assert make(game, side, "20-14").turn is side.other


def test_the_smaller_die_must_be_played_if_the_larger_is_blocked(side: Side) -> None:
    text = "0:14:0:0:0:0:0:0:0:-2:0:0:0:0:-2:0:0:0:0:0:1:0:0:0:-11:0"
    game = rolled(board(text, side), side, 6, 5)
    assert forced(game) == play("20-15")
    assert refused_play(game, side, play("20-14")) == (Fault.BLOCKED, 0, 14)
    assert make(game, side, "20-15").turn is side.other


@pytest.mark.parametrize("text", ["4-2 2-off", "4-off"])
def test_the_last_checker_goes_off_with_one_die_or_with_both(text: str, side: Side) -> None:
    game = rolled(board("0:0:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0", side), side, 6, 2)
    game = make(game, side, text)
    assert game.phase is Phase.OVER
    assert game.result is not None
    assert game.result.winner is side


def test_a_die_may_bear_off_or_move_inside(side: Side) -> None:
    game = rolled(board("0:2:0:2:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0", side), side, 5, 2)
    assert make(game, side, "6-1 3-1").board.seen_by(side)[:7] == (0, 4, 0, 1, 0, 0, 0)
    assert make(game, side, "6-4 4-off").board.seen_by(side)[:7] == (0, 2, 0, 2, 0, 0, 0)


def test_a_forced_play_is_found_in_the_one_order_in_which_it_can_be_played(side: Side) -> None:
    text = "0:0:0:-2:-2:0:13:0:0:-2:0:0:-2:0:0:1:0:0:-2:0:0:0:0:-5:1:0"
    game = rolled(board(text, side), side, 6, 3)
    assert forced(game) == play("24-21 21-15")
    assert refused_play(game, side, play("24-18 18-15")) == (Fault.BLOCKED, 0, 18)


def test_moves_of_a_double_may_go_through_each_other_but_not_from_where_they_are_blocked(side: Side) -> None:
    text = "0:-2:0:0:0:1:5:0:3:0:0:2:-2:2:0:0:0:-3:0:-5:-3:0:0:0:2:0"
    game = rolled(board(text, side), side, 1, 1)
    assert make(game, side, "11-10 11-10 10-9 10-9").board.seen_by(side)[9:12] == (2, 0, 0)
    assert refused_play(game, side, play("13-12 13-12 11-10 11-10")) == (Fault.BLOCKED, 0, 12)


def test_a_larger_die_bears_off_only_when_nothing_stands_behind(side: Side) -> None:
    game = rolled(board("0:0:2:1:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0", side), side, 3, 3)
    assert refused_play(game, side, play("2-off 2-off 3-off 4-1")) == (Fault.BEAR_OFF, 0, 2)
    assert refused_play(game, side, play("3-off 2-off 2-off 4-1")) == (Fault.BEAR_OFF, 1, 2)
    for text in ("4-1 3-off 2-off 2-off", "3-off 4-1 2-off 2-off"):
        assert make(game, side, text).board.seen_by(side)[:5] == (0, 1, 0, 0, 0)


def test_bearing_off_begins_in_the_middle_of_a_play(side: Side) -> None:
    text = "0:1:2:2:2:3:4:0:0:0:1:0:0:0:0:0:0:0:0:0:0:0:-2:-1:-1:0"
    game = rolled(board(text, side), side, 5, 5)
    assert make(game, side, "10-5 5-off 5-off 5-off").board.off(side) == 3
    assert len(results(game)) == len(set(results(game))) == 5
    assert refused_play(game, side, play("5-off 10-5 5-off 5-off")) == (Fault.BEAR_OFF, 0, 5)


def test_bearing_off_begins_after_a_hit(side: Side) -> None:
    text = "0:2:6:3:0:-1:3:-1:0:1:0:0:0:0:0:0:0:0:0:-3:-3:-3:-2:-2:0:0"
    game = rolled(board(text, side), side, 6, 4)
    hit, inside = make(game, side, "9-5 6-off"), make(game, side, "9-3 6-2")
    assert {one.seen_by(side) for one in results(game)} == {
        hit.board.seen_by(side),
        inside.board.seen_by(side),
    }
    assert (hit.board.bar(side.other), hit.board.off(side)) == (1, 1)
    assert refused_play(game, side, play("9-3 6-off")) == (Fault.DISTANCE, 1, 6)


def test_a_checker_on_the_farthest_point_forbids_bearing_off(side: Side) -> None:
    text = "0:3:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-2:0:0:1:0"
    game = rolled(board(text, side), side, 6, 5)
    assert refused_play(game, side, play("1-off 24-18")) == (Fault.BEAR_OFF, 0, 1)
    assert {one.seen_by(side)[13] for one in results(game)} == {1}


def test_a_greedy_bear_off_uses_both_dice_and_leaves_the_fewest_pips(side: Side) -> None:
    game = rolled(board("0:0:1:0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0", side), side, 4, 2)
    found = greedy_play(game.board.seen_by(side), Dice(4, 2))
    assert found == play("5-1 2-off")
    assert apply(game, MakePlay(side=side, play=found)).board.seen_by(side)[:7] == (0, 1, 0, 0, 0, 0, 0)


def test_a_greedy_bear_off_with_fewer_checkers_than_dice_ends_the_game(side: Side) -> None:
    game = rolled(board("0:0:0:1:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0", side), side, 6, 6)
    found = greedy_play(game.board.seen_by(side), Dice(6, 6))
    assert found == play("4-off 3-off")
    assert apply(game, MakePlay(side=side, play=found)).phase is Phase.OVER


def test_moves_typed_out_of_order_are_refused_by_the_first_that_cannot_be_made() -> None:
    text = "-1:-1:0:0:0:2:3:2:2:1:0:0:-4:3:0:-1:0:-3:1:-5:0:0:0:0:1:0"
    game = rolled(board(text), Side.X, 2, 2)
    # In X's own numbering: bar-2 16-18 14-16 12-14 and bar-2 12-14 14-16 16-18 on the board.
    assert refused_play(game, Side.X, play("bar-23 9-7 11-9 13-11")) == (Fault.NO_CHECKER, 1, 9)
    after = make(game, Side.X, "bar-23 13-11 11-9 9-7").board
    assert (after.points[0], after.points[18], after.bar(Side.O)) == (0, -1, 1)


def test_one_of_several_checkers_on_the_bar_enters_if_only_one_die_is_open() -> None:
    text = "-3:-1:2:1:2:2:2:2:0:0:0:0:-2:0:1:2:0:-2:1:-3:-2:-2:0:0:0:0"
    game = rolled(board(text), Side.X, 2, 1)
    assert (game.playable, forced(game)) == (1, play("bar-24"))
    game = make(game, Side.X, "bar-24")
    assert (game.board.bar(Side.X), game.turn, game.phase) == (2, Side.O, Phase.ROLL)


def test_a_die_is_not_used_twice(side: Side) -> None:
    text = "0:-1:-1:0:0:0:5:0:4:0:0:0:-2:4:0:-2:0:-3:0:-2:-2:0:-2:1:0:1"
    game = rolled(board(text, side), side, 2, 1)
    assert refused_play(game, side, play("bar-24 6-5")) == (Fault.DISTANCE, 1, 1)
    assert make(game, side, "bar-24 6-4").turn is side.other
    assert make(game, side, "bar-23 6-5").turn is side.other


def test_a_double_enters_all_checkers_before_anything_else(side: Side) -> None:
    text = "0:0:0:0:0:0:6:0:3:0:0:0:-5:3:0:0:0:0:-5:-2:0:-2:-1:0:0:3"
    game = rolled(board(text, side), side, 3, 3)
    for last in ("13-10", "8-5", "6-3"):
        after = make(game, side, f"bar-22 bar-22 bar-22 {last}").board
        assert (after.bar(side), after.bar(side.other), after.seen_by(side)[22]) == (0, 1, 3)
    assert len(results(game)) == 3
    assert refused_play(game, side, play("bar-22 bar-22 bar-22 22-19")) == (Fault.BLOCKED, 3, 19)
    assert refused_play(game, side, play("bar-22 bar-22 13-10 bar-22")) == (Fault.BAR_FIRST, 2, 13)


def test_a_double_of_which_one_move_only_can_be_made(side: Side) -> None:
    text = "0:-2:-2:-2:0:12:2:0:0:0:0:0:-3:-2:0:0:-2:0:0:-2:0:0:0:0:0:1"
    game = rolled(board(text, side), side, 3, 3)
    assert (game.playable, forced(game)) == (1, play("bar-22"))
    assert make(game, side, "bar-22").turn is side.other
    assert refused_play(game, side, play("bar-22 5-2")) == (Fault.TOO_MANY, -1, 1)


def test_a_double_is_one_turn(side: Side) -> None:
    game = rolled(board("0:4:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-6:0", side), side, 1, 1)
    game = make(game, side, "1-off 1-off 1-off 1-off")
    assert (game.phase, game.turn, game.result and game.result.winner) == (Phase.OVER, side, side)


def test_a_roll_without_a_legal_move_passes_the_turn_at_once(side: Side) -> None:
    text = "0:0:0:0:0:0:14:0:0:0:0:0:-3:0:0:0:0:0:0:-2:-2:-2:-2:-2:-2:1"
    game = rolled(board(text, side), side, 6, 6)
    assert (game.turn, game.phase, game.dice) == (side.other, Phase.ROLL, None)
    assert refused_action(game, f"{side.name} m bar-22") is Reason.NOT_YOUR_TURN


@pytest.mark.parametrize("words", ["b-22", "bar/22", "25-22", "", "99-1", "6-", "6-5-4", "bar 22"])
def test_no_loose_notation_gets_into_the_log(words: str) -> None:
    with pytest.raises(ValueError, match="not the text of an action"):
        decode(f"O m {words}")


@pytest.mark.parametrize(
    ("move", "fault"),
    [
        ((6, 8), Fault.DIRECTION),
        ((6, 6), Fault.DIRECTION),
        ((24, 25), Fault.DIRECTION),
        ((0, 1), Fault.DIRECTION),
        ((6, -1), Fault.DIRECTION),
        ((99, 1), Fault.NO_CHECKER),
        ((26, 23), Fault.NO_CHECKER),
        ((25, 22), Fault.NO_CHECKER),
    ],
)
def test_moves_backward_sideways_or_from_nowhere_are_refused(move: tuple[int, int], fault: Fault, side: Side) -> None:
    game = rolled(START, side, 3, 1)
    for tried in ((Move(*move), Move(6, 5)), (Move(*move),)):
        assert refused_play(game, side, tried) == (fault, 0, move[0])
