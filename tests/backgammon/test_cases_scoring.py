"""Ends of games, cube actions and resignations that backgammon programs are known to get wrong.

Positions are the numbers of a raw board line with O to move; each is tried with the sides changed as well.
"""

import attrs
import pytest

from fibsd.backgammon.actions import (
    AcceptResignation,
    Double,
    OpeningRoll,
    Pass,
    Redouble,
    RejectResignation,
    Resign,
    Roll,
    Take,
)
from fibsd.backgammon.board import START
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import IllegalAction, Reason
from fibsd.backgammon.game import Game, GameRules, Phase, apply, new_game
from fibsd.backgammon.match import Match, act, new_match, next_game
from fibsd.backgammon.notation import decode
from fibsd.backgammon.reach import largest_loss
from fibsd.backgammon.side import BySide, Side
from tests.backgammon.positions import board, make, rolled, to_roll

UNLIMITED = GameRules(cube=True, redoubles=99, autodoubles=1)


@pytest.fixture(params=Side, ids=lambda side: side.name)
def side(request: pytest.FixtureRequest) -> Side:
    """The side that acts first."""
    chosen: Side = request.param
    return chosen


def refused_action(game: Game, text: str) -> Reason:
    with pytest.raises(IllegalAction) as refused:
        apply(game, decode(text))
    return refused.value.reason


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("0:1:0:0:0:0:0:0:-2:0:0:0:0:-5:0:0:0:-3:0:-5:0:0:0:0:0:0", 4),
        ("0:1:0:-2:0:0:0:0:0:0:0:0:0:-5:0:0:0:-3:0:-5:0:0:0:0:0:0", 6),
        ("-1:1:0:0:0:0:0:0:-1:0:0:0:0:-5:0:0:0:-3:0:-5:0:0:0:0:0:0", 6),
        ("0:1:0:-1:0:0:0:0:0:0:0:0:0:-5:0:0:0:-3:0:-5:0:0:0:0:0:0", 2),
    ],
    ids=["gammon", "backgammon", "backgammon from the bar", "one checker off"],
)
def test_gammon_and_backgammon_count_double_and_triple(text: str, points: int, side: Side) -> None:
    # The first three have all 15 of the loser's checkers in play, the last has 14.
    position = board(text, side)
    assert position.off(side.other) == (0 if points > 2 else 1)
    game = attrs.evolve(rolled(position, side, 6, 5), cube=Cube(value=2, owner=side.other))
    result = make(game, side, "1-off").result
    assert result is not None
    assert (result.winner, result.points) == (side, points)


def test_a_resigned_backgammon_counts_triple(side: Side) -> None:
    game = attrs.evolve(to_roll(side=side), cube=Cube(value=2, owner=side))
    game = apply(game, Resign(side=side, size=3))
    assert game.worth(3) == 6
    game = apply(game, AcceptResignation(side=side.other))
    assert game.result is not None
    assert (game.result.winner, game.result.points) == (side.other, 6)


def test_an_awarded_result_never_exceeds_what_can_still_happen(side: Side) -> None:
    past = board("0:2:2:2:2:2:2:0:0:0:0:0:0:0:0:0:0:0:-3:-4:-4:-4:0:0:0:0", side)
    assert largest_loss(past, side.other, side.other) == 2
    assert largest_loss(past, side, side) == 1
    # To offer more is left to the loser: the winner has to agree.
    game = apply(to_roll(past, side), Resign(side=side.other, size=3))
    assert apply(game, AcceptResignation(side=side)).phase is Phase.OVER


def test_a_resignation_sent_several_times_is_booked_once(side: Side) -> None:
    match = act(new_match(5, crawford=True), OpeningRoll(dice=BySide(o=3, x=1)))
    match = act(match, Resign(side=side, size=1))
    assert refused_action(match.game, f"{side.name} R 1") is Reason.ALREADY_RESIGNED
    match = act(match, AcceptResignation(side=side.other))
    assert match.score == BySide.both(0).put(side.other, 1)
    assert refused_action(match.game, f"{side.other.name} A") is Reason.GAME_OVER


def at_roll(match: Match, side: Side, score: BySide[int]) -> Match:
    """A match with this score in which the side is to roll."""
    return attrs.evolve(match, score=score, game=to_roll(START, side, match.game.rules))


def test_a_refused_double_adds_to_the_score_of_the_doubler(side: Side) -> None:
    match = at_roll(new_match(7, crawford=True), side, BySide.both(3).put(side, 1))
    match = act(act(match, Double(side=side)), Pass(side=side.other))
    assert match.score == BySide.both(3).put(side, 2)
    assert not match.over
    assert next_game(match).game == new_game(match.game.rules)


def test_who_took_the_cube_owns_it(side: Side) -> None:
    game = apply(apply(to_roll(side=side), Double(side=side)), Take(side=side.other))
    game = make(apply(game, Roll(side=side, dice=Dice(3, 1))), side, "8-5 6-5")
    assert game.may_double(side.other)
    game = apply(game, Roll(side=side.other, dice=Dice(3, 1)))
    game = make(game, side.other, "8-5 6-5")
    assert refused_action(game, f"{side.name} d") is Reason.NO_CUBE
    game = make(apply(game, Roll(side=side, dice=Dice(6, 1))), side, "13-7 8-7")
    game = apply(apply(game, Double(side=side.other)), Take(side=side))
    assert game.cube == Cube(value=4, owner=side)


def test_large_scores_are_exact(side: Side) -> None:
    match = at_roll(new_match(None, crawford=False), side, BySide.both(0))
    for points in (192, 384):
        match = attrs.evolve(match, game=attrs.evolve(match.game, cube=Cube(value=64, owner=side)))
        match = act(act(match, Resign(side=side.other, size=3)), AcceptResignation(side=side))
        assert match.score.of(side) == points
        side = side.other  # colours change
        match = next_game(match)
        match = attrs.evolve(match, game=to_roll(START, side, match.game.rules))


def after_a_gammon(length: int, crawford: bool) -> Match:
    """The second game, X with two points."""
    match = at_roll(new_match(length, crawford), Side.O, BySide.both(0))
    return next_game(act(act(match, Resign(side=Side.X, size=2)), AcceptResignation(side=Side.O)))


@pytest.mark.parametrize("crawford", [True, False])
def test_the_crawford_rule_is_settled_when_the_match_begins(crawford: bool) -> None:
    match = after_a_gammon(3, crawford)
    assert match.score == BySide(o=0, x=2)
    assert match.is_crawford_game is crawford
    assert match.game.rules.cube is not crawford


def test_there_is_one_crawford_game(side: Side) -> None:
    match = attrs.evolve(after_a_gammon(3, True), game=to_roll(START, side, after_a_gammon(3, True).game.rules))
    match = act(act(match, Resign(side=Side.X, size=1)), AcceptResignation(side=Side.O))
    match = next_game(match)
    assert (match.score, match.is_crawford_game) == (BySide(o=2, x=1), False)
    match = at_roll(match, Side.X, match.score)
    assert match.game.may_double(Side.X)
    match = next_game(act(act(match, Double(side=Side.X)), Pass(side=Side.O)))
    assert match.score == BySide(o=2, x=2)
    assert at_roll(match, side, match.score).game.may_double(side)


def test_only_who_may_double_is_asked_to(side: Side) -> None:
    crawford = after_a_gammon(3, True)
    assert not at_roll(crawford, side, crawford.score).game.may_double(side)
    assert not at_roll(new_match(1, crawford=False), side, BySide.both(0)).game.may_double(side)
    other_owns = attrs.evolve(to_roll(side=side), cube=Cube(value=2, owner=side.other))
    assert not other_owns.may_double(side)


def test_a_refused_beaver_loses_the_value_before_it(side: Side) -> None:
    game = apply(to_roll(side=side, rules=UNLIMITED), Double(side=side))
    game = apply(game, Redouble(side=side.other))
    result = apply(game, Pass(side=side)).result
    assert result is not None
    assert (result.winner, result.points) == (side.other, 2)
    taken = apply(game, Take(side=side))
    assert (taken.cube, taken.turn, taken.phase) == (Cube(value=4, owner=side.other), side, Phase.ROLL)
    assert refused_action(taken, f"{side.name} d") is Reason.NO_CUBE


def test_there_is_no_beaver_in_a_match_with_a_length(side: Side) -> None:
    rules = new_match(5, crawford=True, redoubles=99).game.rules
    game = apply(to_roll(side=side, rules=rules), Double(side=side))
    assert refused_action(game, f"{side.other.name} b") is Reason.NO_REDOUBLE


@pytest.mark.parametrize(("length", "agreed", "value"), [(None, 1, 2), (None, 0, 1), (5, 1, 1)])
def test_one_tied_opening_doubles_the_cube(length: int | None, agreed: int, value: int) -> None:
    match = new_match(length, crawford=True, autodoubles=agreed)
    for number in (4, 2):
        match = act(match, OpeningRoll(dice=BySide.both(number)))
    match = act(match, OpeningRoll(dice=BySide(o=5, x=3)))
    assert match.game.cube == Cube(value=value)


def test_a_match_goes_on_until_its_length_is_reached(side: Side) -> None:
    match = at_roll(new_match(5, crawford=True), side, BySide.both(2))
    match = act(act(match, Resign(side=side.other, size=1)), AcceptResignation(side=side))
    assert match.score == BySide.both(2).put(side, 3)
    assert not match.over
    assert next_game(match).game.phase is Phase.OPENING


def test_rejecting_a_resignation_that_was_not_offered_does_not_refuse_a_double(side: Side) -> None:
    game = apply(to_roll(side=side), Double(side=side))
    for action in (RejectResignation(side=side.other), AcceptResignation(side=side.other)):
        with pytest.raises(IllegalAction) as refused:
            apply(game, action)
        assert refused.value.reason is Reason.NOT_OFFERED
