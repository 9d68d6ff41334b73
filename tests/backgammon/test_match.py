"""Matches: score, length, the Crawford rule, colours."""

from random import Random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.actions import (
    AcceptResignation,
    Double,
    Forfeit,
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
from fibsd.backgammon.game import Ending, GameRules, Phase, apply, new_game
from fibsd.backgammon.match import Match, act, annul, new_match, next_game
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.play import OFF, Move
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import HYPERGAMMON, TRICTRAC, VARIANTS, Variant
from tests.backgammon.playing import random_games
from tests.support.oracle import csv_rows
from tests.support.strategies import examples

PLAYERS = {"1": Side.O, "2": Side.X}
OWNERS = {"centre": None, **PLAYERS}
SIZES = {"drop": 1, "single": 1, "gammon": 2, "backgammon": 3}


# A match in which no two neighbouring fields have the same value.
ODD = Match(
    length=None,
    score=BySide(o=3, x=4),
    crawford=True,
    crawford_over=False,
    redoubles=5,
    autodoubles=6,
    game=new_game(GameRules(cube=True, redoubles=5, autodoubles=6, variant=TRICTRAC)),
    games=7,
    jacoby=True,
    cube=False,
    variant=TRICTRAC,
)


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


# -- Terms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [None, 5])
def test_without_a_cube_nobody_doubles_in_the_whole_match(length: int | None) -> None:
    match = new_match(length, crawford=True, redoubles=3, autodoubles=1, cube=False)
    assert (match.cube, match.redoubles, match.autodoubles) == (False, 0, 0)
    for _ in range(2):
        assert who_may_double(match) == set()
        tied = act(match, OpeningRoll(dice=BySide.both(4)))
        assert tied.game.cube == Cube()
        match = next_game(won(match, Side.O))
    assert match.game.rules == GameRules(cube=False, redoubles=0, autodoubles=0)


def test_a_variant_is_played_in_every_game_of_the_match() -> None:
    match = next_game(won(new_match(None, crawford=False, variant=HYPERGAMMON), Side.X, 2))
    assert (match.variant, match.game.rules.variant) == (HYPERGAMMON, HYPERGAMMON)
    assert match.game.board == HYPERGAMMON.start
    assert match.game.rules.cube


def test_a_variant_without_a_cube_has_none_even_if_it_was_agreed() -> None:
    match = new_match(None, crawford=False, redoubles=3, autodoubles=1, cube=True, variant=TRICTRAC)
    assert (match.cube, match.game.rules) == (
        False,
        GameRules(cube=False, redoubles=0, autodoubles=0, variant=TRICTRAC),
    )


def test_an_awarded_game_counts_in_the_match() -> None:
    match = act(new_match(5, crawford=True), Forfeit(side=Side.O, size=2))
    assert (match.score, match.games, match.over) == (BySide(o=0, x=2), 1, False)
    assert next_game(match).score == BySide(o=2, x=0)


# -- Annulled games ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", Side)
def test_the_points_of_an_annulled_game_are_taken_back(side: Side) -> None:
    before = next_game(won(new_match(5, crawford=True), Side.O, 2))
    annulled = annul(won(before, side, 3))
    assert (annulled.score, annulled.games, annulled.is_annulled) == (before.score, 1, True)
    assert annulled.game.result is not None
    assert (annulled.game.result.winner, annulled.game.result.size) == (side, 3)
    assert (annulled.game.result.points, annulled.game.result.ending) == (0, Ending.ANNULLED)
    again = next_game(annulled)
    assert (again.score, again.games, again.game) == (before.score.swap(), 1, before.game)
    assert not again.is_annulled


def test_a_match_whose_last_game_is_annulled_is_not_over() -> None:
    match = won(new_match(3, crawford=True), Side.X, 3)
    assert match.over
    match = annul(match)
    assert (match.over, match.winner, match.score) == (False, None, BySide.both(0))
    assert next_game(match).game.phase is Phase.OPENING


def test_an_annulled_crawford_game_is_played_again_as_the_crawford_game() -> None:
    crawford = next_game(won(new_match(3, crawford=True), Side.O, 2))
    annulled = annul(won(crawford, Side.O))
    assert annulled.is_crawford_game
    again = next_game(annulled)
    assert (again.is_crawford_game, again.is_post_crawford) == (True, False)
    assert who_may_double(again) == set()
    after = next_game(won(again, Side.X))
    assert (after.is_crawford_game, after.is_post_crawford) == (False, True)


def test_a_game_that_led_to_the_crawford_game_and_is_annulled_leads_there_no_more() -> None:
    again = next_game(annul(won(new_match(3, crawford=True), Side.O, 2)))
    assert (again.is_crawford_game, again.crawford_over) == (False, False)
    assert who_may_double(again) == {Side.O, Side.X}


def test_only_a_finished_game_is_annulled_and_only_once() -> None:
    match = new_match(5, crawford=True)
    with pytest.raises(ValueError, match="not finished"):
        annul(match)
    with pytest.raises(ValueError, match="annulled before"):
        annul(annul(won(match, Side.O)))


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


@given(
    st.sampled_from([None, 1, 2, 3, 5]),
    st.booleans(),
    st.sampled_from(list(VARIANTS.values())),
    st.randoms(use_true_random=True),
)
@examples(20)
def test_after_an_annulled_game_all_is_as_before_it_but_the_colours(
    length: int | None, crawford: bool, variant: Variant, rng: Random
) -> None:
    match = new_match(length, crawford, variant=variant)
    first = match
    for before, _action, after in random_games(rng, match):
        if before.game.result is None and before.game.phase is Phase.OPENING and before.game.cube == Cube():
            first = before
        if after.game.result is not None:
            again = next_game(annul(after))
            assert again == attrs.evolve(first, score=first.score.swap())
            assert again.is_crawford_game is first.is_crawford_game


def test_an_action_changes_only_the_game() -> None:
    """What is made without keywords has each field in its place."""
    after = opened(ODD, Side.X)
    assert after.game != ODD.game
    assert after == attrs.evolve(ODD, game=after.game)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.name)
def test_a_turn_changes_only_what_a_turn_is_about(variant: Variant) -> None:
    """The cube, the rules and the count of rolls go through both of its actions."""
    rules = GameRules(cube=True, redoubles=5, autodoubles=6, variant=variant)
    start = attrs.evolve(new_game(rules), turn=Side.X, phase=Phase.ROLL, cube=Cube(value=4, owner=Side.X), rolls_done=1)
    rolled = apply(start, Roll(side=Side.X, dice=Dice(2, 1)))
    assert rolled == attrs.evolve(start, phase=Phase.MOVE, dice=Dice(2, 1), playable=2)
    play = variant.rules.legal_plays(start.board.seen_by(Side.X), Dice(2, 1))[0]
    moved = attrs.evolve(start, board=start.board.after(Side.X, play), turn=Side.O, rolls_done=0)
    assert apply(rolled, MakePlay(side=Side.X, play=play)) == moved
