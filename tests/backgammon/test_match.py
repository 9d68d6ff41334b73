"""Matches: score, length, the Crawford rule, colours."""

from random import Random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.actions import (
    AcceptResignation,
    Double,
    MakePlay,
    OpeningRoll,
    Pass,
    Resign,
    Roll,
)
from fibsd.backgammon.board import CHECKERS, Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import IllegalAction, Reason
from fibsd.backgammon.game import GameRules, Phase, new_game
from fibsd.backgammon.match import Match, act, new_match, next_game
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.play import OFF, Move
from fibsd.backgammon.side import BySide, Side
from tests.backgammon.playing import random_games
from tests.support.oracle import csv_rows
from tests.support.strategies import examples

PLAYERS = {"1": Side.O, "2": Side.X}
OWNERS = {"centre": None, **PLAYERS}
SIZES = {"drop": 1, "single": 1, "gammon": 2, "backgammon": 3}


def opened(match: Match, side: Side) -> Match:
    """The match after the side has won the opening roll."""
    dice = BySide.both(3).put(side, 5)
    return act(match, OpeningRoll(dice=dice))


def won(match: Match, side: Side, size: int = 1) -> Match:
    """The match after the other side has resigned the game that has not been opened yet."""
    match = act(opened(match, side), Resign(side=side.other, size=size))
    return act(match, AcceptResignation(side=side))


def who_may_double(match: Match) -> set[Side]:
    """Who may double before his first roll, if he has not won the opening roll."""
    able = set()
    for first in Side:
        later = opened(match, first)
        dice = later.game.dice
        assert dice is not None
        play = legal_plays(later.game.board.seen_by(first), dice)[0]
        later = act(later, MakePlay(side=first, play=play))
        if later.game.may_double(first.other):
            assert act(later, Double(side=first.other)).game.phase is Phase.DOUBLED
            able.add(first.other)
        else:
            with pytest.raises(IllegalAction) as refused:
                act(later, Double(side=first.other))
            assert refused.value.reason is Reason.NO_CUBE
    return able


def test_a_new_match() -> None:
    match = new_match(7, crawford=True)
    assert (match.length, match.score, match.games) == (7, BySide.both(0), 0)
    assert (match.crawford, match.crawford_over, match.is_crawford_game) == (True, False, False)
    assert match.game == new_game(GameRules(cube=True, redoubles=0, autodoubles=0))
    assert not match.over
    assert match.winner is None


def test_terms_of_an_unlimited_match_hold_for_every_game() -> None:
    match = new_match(None, crawford=True, redoubles=3, autodoubles=1, jacoby=True)
    rules = GameRules(cube=True, redoubles=3, autodoubles=1, jacoby=True)
    assert match.game.rules == rules
    assert next_game(won(match, Side.O)).game.rules == rules
    assert not next_game(won(match, Side.O)).is_crawford_game


def test_points_are_added_and_the_colours_change() -> None:
    match = won(won_match := new_match(5, crawford=True), Side.X, 2)
    assert won_match.score == BySide.both(0)
    assert (match.score, match.games, match.over) == (BySide(o=0, x=2), 1, False)
    match = next_game(match)
    assert (match.score, match.games, match.game.phase) == (BySide(o=2, x=0), 1, Phase.OPENING)


@pytest.mark.parametrize("side", Side)
def test_points_beyond_the_length_are_kept(side: Side) -> None:
    match = won(new_match(2, crawford=True), side, 3)
    assert match.score == BySide.both(0).put(side, 3)
    assert (match.over, match.winner) == (True, side)
    with pytest.raises(IllegalAction) as refused:
        next_game(match)
    assert refused.value.reason is Reason.GAME_OVER
    with pytest.raises(IllegalAction) as refused:
        act(match, Roll(side=side, dice=Dice(2, 1)))
    assert refused.value.reason is Reason.GAME_OVER


def test_the_next_game_waits_for_the_end_of_the_present_one() -> None:
    with pytest.raises(ValueError, match="not finished"):
        next_game(new_match(5, crawford=True))


def test_an_unlimited_match_is_never_over() -> None:
    match = new_match(None, crawford=False)
    for _ in range(3):
        match = next_game(won(match, Side.O, 3))
    assert (match.over, match.winner, match.games) == (False, None, 3)


@pytest.mark.parametrize("leader", Side)
def test_only_the_first_game_with_a_side_one_point_away_is_the_crawford_game(leader: Side) -> None:
    match = won(new_match(3, crawford=True), leader, 2)
    assert not match.is_crawford_game  # the game just finished was not

    crawford = next_game(match)
    assert (crawford.is_crawford_game, crawford.is_post_crawford) == (True, False)
    assert who_may_double(crawford) == set()
    leader = leader.other  # colours have changed

    match = won(crawford, leader.other)
    assert (match.is_crawford_game, match.score) == (True, BySide.both(1).put(leader, 2))

    after = next_game(match)
    assert (after.is_crawford_game, after.is_post_crawford, after.crawford_over) == (False, True, True)
    assert who_may_double(after) == {Side.O, Side.X}
    last = next_game(won(after, leader))  # the leader has the other colour by now
    assert last.score == BySide.both(2)
    assert (last.is_crawford_game, last.is_post_crawford) == (False, True)
    assert who_may_double(last) == {Side.O, Side.X}


def test_without_the_crawford_rule_everybody_may_double_always() -> None:
    match = next_game(won(new_match(3, crawford=False), Side.O, 2))
    assert (match.is_crawford_game, match.is_post_crawford) == (False, False)
    assert who_may_double(match) == {Side.O, Side.X}
    match = next_game(won(match, Side.O))
    assert (match.crawford_over, match.is_post_crawford) == (False, False)


def test_a_match_to_one_point_has_no_cube_and_no_crawford_game() -> None:
    match = new_match(1, crawford=True)
    assert (match.is_crawford_game, match.is_post_crawford) == (False, False)
    assert who_may_double(match) == set()
    assert not won(match, Side.O).is_crawford_game


# -- Table ---------------------------------------------------------------------------------------------------


def match_of_row(row: dict[str, str]) -> Match:
    """The match of a row of the scoring table, its last game about to end; player 1 is O."""
    length = None if row["length"] == "unlimited" else int(row["length"])
    score = BySide(o=int(row["score1"]), x=int(row["score2"]))
    crawford_game = row["crawford_game"] == "yes"
    one_away = length is not None and length > 1 and length - 1 in (score.o, score.x)
    match = new_match(length, crawford=True, jacoby=row["jacoby"] == "yes")
    winner = PLAYERS[row["winner"]]
    game = new_game(attrs.evolve(match.game.rules, cube=length != 1 and not crawford_game))
    if row["how"] == "bearoff":
        game = attrs.evolve(game, board=board_of_row(row, winner))
    return attrs.evolve(
        match,
        score=score,
        crawford_over=one_away and not crawford_game,
        game=attrs.evolve(
            game,
            turn=winner,
            phase=Phase.ROLL,
            cube=Cube(value=int(row["cube"]), owner=OWNERS[row["owner"]]),
        ),
    )


def board_of_row(row: dict[str, str], winner: Side) -> Board:
    """The winner has one checker on his 1 point, the loser his as the row says and the others at home."""
    view = [0] * 26
    view[1] = 1
    view[0] = -int(row["loser_bar"])
    view[3] = -int(row["loser_in_winner_home"])
    view[20] = -(CHECKERS - int(row["loser_off"])) - view[0] - view[3]
    return Board.from_view(tuple(view), winner)


def ended(match: Match, row: dict[str, str]) -> Match:
    """The match after the game has ended as the row says."""
    winner = PLAYERS[row["winner"]]
    if row["how"] == "bearoff":
        match = act(match, Roll(side=winner, dice=Dice(6, 5)))
        return act(match, MakePlay(side=winner, play=(Move(1, OFF),)))
    if row["how"] == "drop":
        return act(act(match, Double(side=winner)), Pass(side=winner.other))
    match = act(match, Resign(side=winner.other, size=SIZES[row["result"]]))
    return act(match, AcceptResignation(side=winner))


def test_every_row_of_the_scoring_table() -> None:
    rows = csv_rows("scoring.csv")
    assert rows
    for row in rows:
        before = match_of_row(row)
        assert before.is_crawford_game is (row["crawford_game"] == "yes"), row
        match = ended(before, row)
        result = match.game.result
        assert result is not None
        assert (result.winner, result.size) == (PLAYERS[row["winner"]], SIZES[row["result"]]), row
        assert result.points == int(row["points"]), row
        assert match.score == BySide(o=int(row["new1"]), x=int(row["new2"])), row
        assert match.over is (row["match_over"] == "yes"), row
        if match.over:
            continue
        following = next_game(match)
        assert following.score == match.score.swap(), row
        assert following.is_crawford_game is (row["next_game_crawford"] == "yes"), row
        able = {"both": {Side.O, Side.X}, "none": set()}[row["next_game_may_double"]]
        assert who_may_double(following) == able, row


# -- Properties ----------------------------------------------------------------------------------------------


@given(st.integers(1, 9), st.booleans(), st.randoms(use_true_random=True))
@examples(25)
def test_every_match_ends_with_one_side_at_its_length(length: int, crawford: bool, rng: Random) -> None:
    crawford_games = 0
    match = new_match(length, crawford)
    for _before, _action, after in random_games(rng, match):
        match = after
        if after.game.result is not None:
            crawford_games += after.is_crawford_game
            assert after.score.map(lambda points: points >= 0) == BySide.both(True)
    assert match.over
    assert match.winner is not None
    assert match.score.of(match.winner) >= length > match.score.of(match.winner.other)
    assert crawford_games <= crawford
