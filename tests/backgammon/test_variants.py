"""What can be played: where the checkers stand at first, and that every game comes to its end."""

from random import Random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.actions import MakePlay
from fibsd.backgammon.board import CHECKERS, START, Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.game import Ending, new_game
from fibsd.backgammon.match import new_match
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import BACKGAMMON, HYPERGAMMON, NACKGAMMON, TRICTRAC, VARIANTS, Variant
from tests.backgammon.playing import random_games
from tests.backgammon.positions import board, make, rolled
from tests.support.strategies import examples

variants = st.sampled_from(list(VARIANTS.values()))


def test_variants_are_found_by_their_names() -> None:
    assert list(VARIANTS) == ["backgammon", "nackgammon", "hypergammon", "trictrac"]
    assert list(VARIANTS.values()) == [BACKGAMMON, NACKGAMMON, HYPERGAMMON, TRICTRAC]
    assert [variant.cube for variant in VARIANTS.values()] == [True, True, True, False]


@pytest.mark.parametrize(
    ("variant", "own"),
    [
        (BACKGAMMON, {24: 2, 13: 5, 8: 3, 6: 5}),
        (NACKGAMMON, {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
        (HYPERGAMMON, {24: 1, 23: 1, 22: 1}),
        (TRICTRAC, {24: 2, 13: 5, 8: 3, 6: 5}),
    ],
    ids=lambda value: value.name if isinstance(value, Variant) else "",
)
@pytest.mark.parametrize("side", Side)
def test_where_the_checkers_stand_at_first(variant: Variant, own: dict[int, int], side: Side) -> None:
    seen = variant.start.seen_by(side)
    assert {point: count for point, count in enumerate(seen) if count > 0} == own
    assert variant.start.checkers(side) == sum(own.values()) == variant.checkers
    assert variant.start.off(side) == CHECKERS - variant.checkers
    assert not variant.some_off(variant.start, side)
    assert new_game(new_match(5, crawford=True, variant=variant).game.rules).board == variant.start


def test_backgammon_is_what_is_played_if_nothing_else_was_agreed() -> None:
    match = new_match(5, crawford=True)
    assert (match.variant, match.game.rules.variant, match.game.board) == (BACKGAMMON, BACKGAMMON, START)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0:1:0:0:0:0:0:0:-3:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0", 2),
        ("0:1:0:0:-1:0:0:0:-2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0", 3),
        ("-1:1:0:0:0:0:0:0:-2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0", 3),
        ("-1:1:0:0:0:0:0:0:-1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0", 1),
    ],
)
@pytest.mark.parametrize("side", Side)
def test_three_checkers_none_of_them_off_are_a_gammon_in_hypergammon(text: str, size: int, side: Side) -> None:
    game = rolled(board(text, side), side, 2, 1)
    game = attrs.evolve(game, rules=attrs.evolve(game.rules, variant=HYPERGAMMON), cube=Cube(value=2, owner=side))
    game = make(game, side, "1-off")
    assert game.result is not None
    assert attrs.astuple(game.result) == (side, size, 2 * size, Ending.BEAR_OFF)


@given(variants, st.sampled_from([None, 3]), st.booleans(), st.randoms(use_true_random=True))
@examples(30)
def test_random_games_of_every_variant_end_and_lose_no_checker(
    variant: Variant, length: int | None, cube: bool, rng: Random
) -> None:
    match = new_match(length, crawford=True, autodoubles=1, redoubles=2, cube=cube, variant=variant)
    for before, action, after in random_games(rng, match):
        match = after
        assert after.game.rules.variant is after.variant is variant
        assert after.game.rolls_done < variant.rules.most_rolls
        if isinstance(action, MakePlay):
            moved = before.game.board.after(action.side, action.play)
            assert after.game.board == moved
        for side in Side:
            assert 0 <= after.game.board.checkers(side) <= variant.checkers
        if not (cube and variant.cube):
            assert (after.cube, after.game.rules.cube, after.game.cube) == (False, False, Cube())
    assert match.game.result is not None


@given(variants, st.randoms(use_true_random=True))
@examples(20)
def test_moves_that_the_server_makes_are_legal_in_every_variant(variant: Variant, rng: Random) -> None:
    for before, _action, _after in random_games(rng, new_match(1, crawford=False, variant=variant)):
        game = before.game
        if game.dice is None or game.turn is None:
            continue
        seen = game.board.seen_by(game.turn)
        for found in (variant.rules.forced_play(seen, game.dice), variant.rules.greedy_play(seen, game.dice)):
            if found is not None:
                variant.rules.check_play(seen, game.dice, found, None)


def test_the_board_of_a_variant_is_the_same_for_both_sides() -> None:
    for variant in VARIANTS.values():
        assert Board.from_view(variant.start.seen_by(Side.X), Side.O) == variant.start
