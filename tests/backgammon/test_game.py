"""One game: what may follow what, and why the rest is refused."""

from random import Random
from typing import get_args

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.actions import (
    AcceptResignation,
    Action,
    Double,
    Forfeit,
    MakePlay,
    OpeningRoll,
    Pass,
    Redouble,
    RejectResignation,
    Resign,
    Roll,
    SideAction,
    WithdrawResignation,
)
from fibsd.backgammon.board import CHECKERS, START
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import Fault, IllegalAction, IllegalPlay, Reason
from fibsd.backgammon.game import ALLOWED, Ending, Game, GameRules, Phase, Resignation, apply, new_game
from fibsd.backgammon.match import Match, act, new_match
from fibsd.backgammon.notation import decode, encode
from fibsd.backgammon.play import OFF
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import VARIANTS
from tests.backgammon.playing import random_games, turned_action, turned_game
from tests.backgammon.positions import board, make, play, rolled, to_roll
from tests.support.strategies import actions, examples

RULES = GameRules(cube=True, redoubles=1, autodoubles=1)
NO_CUBE = GameRules(cube=False, redoubles=0, autodoubles=0)

OPENING = new_game(RULES)
TO_ROLL = to_roll(START, Side.O, RULES)
TO_MOVE = apply(TO_ROLL, Roll(side=Side.O, dice=Dice(3, 1)))
DOUBLED = apply(TO_ROLL, Double(side=Side.O))
BEAVERED = apply(DOUBLED, Redouble(side=Side.X))
OVER = apply(DOUBLED, Pass(side=Side.X))
RESIGNED = apply(TO_ROLL, Resign(side=Side.O, size=1))

LAST_CHECKER = "0:1:0:0:0:0:0:0:0:0:0:0:0:-5:0:0:0:-3:0:-7:0:0:0:0:0:0"

random_matches = st.builds(
    new_match,
    st.sampled_from([None, 1, 2, 3]),
    st.booleans(),
    redoubles=st.sampled_from([0, 2, 99]),
    autodoubles=st.sampled_from([0, 1]),
    jacoby=st.booleans(),
    cube=st.booleans(),
    variant=st.sampled_from(list(VARIANTS.values())),
)
seeds = st.randoms(use_true_random=True)


def refusal(game: Game, action: Action) -> Reason:
    with pytest.raises(IllegalAction) as refused:
        apply(game, action)
    return refused.value.reason


def some_action(kind: type, side: Side) -> Action:
    """An action of a kind, one that can be right in START."""
    if kind is OpeningRoll:
        return OpeningRoll(dice=BySide(o=3, x=1))
    if kind is Roll:
        return Roll(side=side, dice=Dice(3, 1))
    if kind is MakePlay:
        return MakePlay(side=side, play=play("8-5 6-5"))
    action: Action = kind(side=side, size=1) if kind in (Resign, Forfeit) else kind(side=side)
    return action


# -- The table -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [OPENING, TO_ROLL, TO_MOVE, DOUBLED, OVER], ids=lambda game: game.phase.name)
def test_just_what_the_table_allows_can_be_done_in_each_phase(game: Game) -> None:
    pending: list[Resignation | None] = [None]
    if game.phase not in (Phase.OPENING, Phase.OVER):
        pending += [Resignation(side=side, size=1) for side in Side]
    done = set()
    for kind in (OpeningRoll, *get_args(SideAction)):
        for side in Side:
            for resignation in pending:
                try:
                    apply(attrs.evolve(game, resignation=resignation), some_action(kind, side))
                except IllegalAction:
                    continue
                done.add(kind)
    assert done == ALLOWED[game.phase]


def test_the_table_has_every_phase_and_every_action() -> None:
    assert set(ALLOWED) == set(Phase)
    assert frozenset().union(*ALLOWED.values()) == {OpeningRoll, *get_args(SideAction)}


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        (OPENING, "O r 3 1", Reason.OPENING),
        (OPENING, "O d", Reason.OPENING),
        (OPENING, "O R 1", Reason.OPENING),
        (OVER, "O F 1", Reason.GAME_OVER),
        (TO_ROLL, "o 3 1", Reason.ALREADY_ROLLED),
        (TO_ROLL, "X r 3 1", Reason.NOT_YOUR_TURN),
        (TO_ROLL, "X d", Reason.NOT_YOUR_TURN),
        (TO_ROLL, "X m 8-5 6-5", Reason.NOT_YOUR_TURN),
        (TO_ROLL, "O m 8-5 6-5", Reason.NOT_ROLLED),
        (TO_ROLL, "X t", Reason.NOT_OFFERED),
        (TO_ROLL, "X p", Reason.NOT_OFFERED),
        (TO_ROLL, "X b", Reason.NOT_OFFERED),
        (TO_ROLL, "X A", Reason.NOT_OFFERED),
        (TO_ROLL, "X J", Reason.NOT_OFFERED),
        (TO_ROLL, "O W", Reason.NOT_OFFERED),
        (TO_MOVE, "O r 3 1", Reason.ALREADY_ROLLED),
        (TO_MOVE, "O d", Reason.ALREADY_ROLLED),
        (TO_MOVE, "X r 3 1", Reason.NOT_YOUR_TURN),
        (TO_MOVE, "X d", Reason.NOT_YOUR_TURN),
        (TO_MOVE, "X m 8-5 6-5", Reason.NOT_YOUR_TURN),
        (DOUBLED, "O r 3 1", Reason.DOUBLE_PENDING),
        (DOUBLED, "O d", Reason.DOUBLE_PENDING),
        (DOUBLED, "O b", Reason.DOUBLE_PENDING),
        (DOUBLED, "O t", Reason.NOT_OFFERED),
        (DOUBLED, "O p", Reason.NOT_OFFERED),
        (DOUBLED, "X r 3 1", Reason.DOUBLED),
        (DOUBLED, "X m 8-5 6-5", Reason.DOUBLED),
        (DOUBLED, "X d", Reason.DOUBLED),
        (BEAVERED, "X t", Reason.NOT_OFFERED),
        (BEAVERED, "O r 3 1", Reason.DOUBLED),
        (BEAVERED, "O b", Reason.NO_REDOUBLE),
        (RESIGNED, "O r 3 1", Reason.OWN_RESIGNATION),
        (RESIGNED, "O d", Reason.OWN_RESIGNATION),
        (RESIGNED, "O R 1", Reason.ALREADY_RESIGNED),
        (RESIGNED, "O A", Reason.NOT_OFFERED),
        (RESIGNED, "O J", Reason.NOT_OFFERED),
        (RESIGNED, "X W", Reason.NOT_OFFERED),
        (RESIGNED, "X r 3 1", Reason.RESIGNATION),
        (RESIGNED, "X t", Reason.RESIGNATION),
        (RESIGNED, "X R 1", Reason.RESIGNATION),
        (OVER, "O r 3 1", Reason.GAME_OVER),
        (OVER, "X R 1", Reason.GAME_OVER),
        (OVER, "o 3 1", Reason.GAME_OVER),
    ],
)
def test_why_an_action_is_refused(game: Game, text: str, reason: Reason) -> None:
    assert refusal(game, decode(text)) is reason
    assert refusal(turned_game(game), turned_action(decode(text))) is reason


# -- Opening -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("o", "x", "turn", "dice"), [(5, 2, Side.O, (5, 2)), (1, 6, Side.X, (6, 1))])
def test_the_higher_die_opens_with_both_dice(o: int, x: int, turn: Side, dice: Dice) -> None:
    game = apply(OPENING, OpeningRoll(dice=BySide(o=o, x=x)))
    assert (game.turn, game.dice, game.phase, game.playable) == (turn, dice, Phase.MOVE, 2)


def test_a_tie_is_thrown_again_and_doubles_the_cube_as_often_as_agreed() -> None:
    tie = OpeningRoll(dice=BySide(o=4, x=4))
    once = apply(OPENING, tie)
    assert (once.phase, once.turn, once.cube) == (Phase.OPENING, None, Cube(value=2))
    assert apply(once, tie) == once
    game = new_game(GameRules(cube=True, redoubles=0, autodoubles=0))
    assert apply(game, tie) == game


def test_ties_never_turn_the_cube_past_64_nor_one_that_is_not_used() -> None:
    tie = OpeningRoll(dice=BySide(o=4, x=4))
    game = new_game(GameRules(cube=True, redoubles=0, autodoubles=10**9))
    for _ in range(8):
        game = apply(game, tie)
    assert game.cube == Cube(value=64)
    without = new_game(GameRules(cube=False, redoubles=0, autodoubles=1))
    assert apply(without, tie) == without


# -- A turn --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", Side)
def test_a_play_ends_the_turn(side: Side) -> None:
    game = make(rolled(START, side, 3, 1), side, "8-5 6-5")
    assert (game.phase, game.turn, game.dice, game.playable) == (Phase.ROLL, side.other, None, 0)
    assert game.board.seen_by(side)[5:9] == (2, 4, 0, 2)


@pytest.mark.parametrize("side", Side)
def test_a_roll_that_cannot_be_played_ends_the_turn(side: Side) -> None:
    shut_out = board("0:0:0:0:0:0:14:0:0:0:0:0:-3:0:0:0:0:0:0:-2:-2:-2:-2:-2:-2:1", side)
    assert rolled(shut_out, side, 6, 6) == to_roll(shut_out, side.other)


def test_an_opening_that_cannot_be_played_ends_the_turn() -> None:
    shut_out = board("0:0:0:0:0:0:14:0:0:0:0:0:-3:0:0:0:0:0:0:-2:-2:-2:-2:-2:-2:1")
    game = apply(new_game(RULES, shut_out), OpeningRoll(dice=BySide(o=3, x=1)))
    assert (game.phase, game.turn, game.dice) == (Phase.ROLL, Side.X, None)


def test_an_illegal_play_is_refused_by_its_fault() -> None:
    with pytest.raises(IllegalPlay) as refused:
        make(TO_MOVE, Side.O, "8-5")
    assert (refused.value.fault, refused.value.nth, refused.value.number) == (Fault.TOO_FEW, -1, 2)


# -- The end -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize(
    ("text", "size"),
    [
        (LAST_CHECKER, 2),
        ("0:1:0:0:0:0:0:0:0:0:0:0:0:-5:0:0:0:-3:0:-6:0:0:0:0:0:0", 1),
        ("0:1:0:0:0:0:-1:0:0:0:0:0:0:-5:0:0:0:-3:0:-6:0:0:0:0:0:0", 3),
        ("0:1:0:0:0:0:0:-1:0:0:0:0:0:-5:0:0:0:-3:0:-6:0:0:0:0:0:0", 2),
        ("-1:1:0:0:0:0:0:0:0:0:0:0:0:-5:0:0:0:-3:0:-6:0:0:0:0:0:0", 3),
        ("-1:1:0:0:0:0:0:0:0:0:0:0:0:-5:0:0:0:-3:0:-5:0:0:0:0:0:0", 1),
    ],
)
def test_the_size_of_a_win(text: str, size: int, side: Side) -> None:
    game = attrs.evolve(rolled(board(text, side), side, 2, 1), cube=Cube(value=4, owner=side))
    game = make(game, side, "1-off")
    assert game.result is not None
    assert attrs.astuple(game.result) == (side, size, 4 * size, Ending.BEAR_OFF)
    assert (game.phase, game.turn, game.dice, game.playable) == (Phase.OVER, side, None, 0)
    assert game.board.off(side) == CHECKERS


@pytest.mark.parametrize(
    ("rules", "cube", "points"),
    [
        (GameRules(cube=True, redoubles=0, autodoubles=0, jacoby=True), Cube(), 1),
        (GameRules(cube=True, redoubles=0, autodoubles=0, jacoby=True), Cube(value=2), 2),
        (GameRules(cube=True, redoubles=0, autodoubles=0, jacoby=True), Cube(value=2, owner=Side.X), 4),
        (GameRules(cube=True, redoubles=0, autodoubles=0), Cube(), 2),
    ],
    ids=["in the middle", "doubled by a tie", "turned", "not agreed"],
)
def test_jacoby_counts_a_gammon_only_if_the_cube_was_turned_by_agreement(
    rules: GameRules, cube: Cube, points: int
) -> None:
    game = attrs.evolve(to_roll(board(LAST_CHECKER), Side.O, rules), cube=cube)
    game = make(apply(game, Roll(side=Side.O, dice=Dice(2, 1))), Side.O, "1-off")
    assert game.result is not None
    assert (game.result.size, game.result.points) == (2, points)


# -- Resigning -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [TO_ROLL, TO_MOVE, DOUBLED], ids=lambda game: game.phase.name)
@pytest.mark.parametrize("side", Side)
def test_either_side_may_resign_and_a_refusal_leaves_all_as_before(game: Game, side: Side) -> None:
    resigned = apply(game, Resign(side=side, size=2))
    assert resigned == attrs.evolve(game, resignation=Resignation(side=side, size=2))
    assert apply(resigned, RejectResignation(side=side.other)) == game
    assert apply(resigned, WithdrawResignation(side=side)) == game


@pytest.mark.parametrize(
    ("game", "points"),
    [
        (attrs.evolve(TO_MOVE, cube=Cube(value=4, owner=Side.O)), 12),
        (DOUBLED, 3),
        (BEAVERED, 6),
    ],
    ids=["cube at 4", "double not taken", "beaver not taken"],
)
@pytest.mark.parametrize("side", Side)
def test_an_accepted_resignation_counts_its_size_times_what_was_agreed(game: Game, points: int, side: Side) -> None:
    assert game.worth(3) == points
    game = apply(apply(game, Resign(side=side, size=3)), AcceptResignation(side=side.other))
    assert game.result is not None
    assert attrs.astuple(game.result) == (side.other, 3, points, Ending.RESIGNATION)
    assert (game.phase, game.offer, game.resignation, game.dice) == (Phase.OVER, None, None, None)


@pytest.mark.parametrize(
    ("owner", "points"), [(None, 2), (Side.O, 6), (Side.X, 6)], ids=["in the middle", "turned by X", "turned by O"]
)
def test_jacoby_counts_a_resigned_backgammon_single_unless_the_cube_was_turned(owner: Side | None, points: int) -> None:
    jacoby = GameRules(cube=True, redoubles=0, autodoubles=1, jacoby=True)
    game = attrs.evolve(to_roll(START, Side.O, jacoby), cube=Cube(value=2, owner=owner))
    game = apply(apply(game, Resign(side=Side.O, size=3)), AcceptResignation(side=Side.X))
    assert game.result is not None
    assert (game.result.size, game.result.points) == (3, points)


# -- Awarded games -------------------------------------------------------------------------------------------

WAITING = attrs.evolve(TO_MOVE, resignation=Resignation(side=Side.X, size=1))


@pytest.mark.parametrize(
    ("game", "points"),
    [(OPENING, 2), (TO_ROLL, 2), (TO_MOVE, 2), (WAITING, 2), (DOUBLED, 2), (BEAVERED, 4)],
    ids=["opening", "to roll", "to move", "resignation waits", "double not taken", "beaver not taken"],
)
@pytest.mark.parametrize("side", Side)
def test_a_game_can_be_awarded_whatever_it_waits_for(game: Game, points: int, side: Side) -> None:
    game = apply(game, Forfeit(side=side, size=2))
    assert game.result is not None
    assert attrs.astuple(game.result) == (side.other, 2, points, Ending.AWARD)
    assert (game.phase, game.offer, game.resignation, game.dice, game.playable) == (Phase.OVER, None, None, None, 0)


@pytest.mark.parametrize(("owner", "points"), [(None, 2), (Side.O, 4), (Side.X, 4)])
@pytest.mark.parametrize("side", Side)
def test_jacoby_holds_for_awarded_games(owner: Side | None, points: int, side: Side) -> None:
    jacoby = GameRules(cube=True, redoubles=0, autodoubles=1, jacoby=True)
    game = attrs.evolve(new_game(jacoby), cube=Cube(value=2, owner=owner))
    game = apply(game, Forfeit(side=side, size=2))
    assert game.result is not None
    assert (game.result.winner, game.result.points) == (side.other, points)


# -- Properties ----------------------------------------------------------------------------------------------


@given(random_matches, seeds, st.lists(actions, min_size=1, max_size=3))
@examples(40)
def test_what_holds_all_through_random_games(match: Match, rng: Random, others: list[Action]) -> None:
    for before, action, after in random_games(rng, match):
        game = after.game
        assert turned_game(turned_game(game)) == game
        # Both sides play by the same rules.
        assert apply(turned_game(before.game), turned_action(action)) == turned_game(game)
        # Checkers leave only by bearing off.
        for side in Side:
            borne_off = before.game.board.off(side)
            if isinstance(action, MakePlay) and action.side is side:
                borne_off += sum(move.target == OFF for move in action.play)
            assert game.board.off(side) == borne_off
        # A refusal changes nothing.
        for other in others:
            try:
                act(before, other)
            except (IllegalAction, IllegalPlay):
                assert apply(before.game, action) == game


@given(random_matches, seeds)
@examples(40)
def test_the_log_of_a_random_game_gives_the_same_game_again(match: Match, rng: Random) -> None:
    log = []
    last = first = match
    for _, action, after in random_games(rng, match):
        log.append(encode(action))
        last = after
        if after.game.result is not None:
            break
    again = first
    for line in log:
        again = act(again, decode(line))
    assert again == last
