"""What a side can still lose."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.board import Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import GameRules, new_game
from fibsd.backgammon.match import new_match
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.reach import largest_loss, reachable_loss
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import HYPERGAMMON, TRICTRAC, VARIANTS, Variant
from tests.backgammon.positions import board, rolled, to_roll
from tests.support.strategies import examples

View = tuple[int, ...]

PAST = "0:2:2:2:2:2:2:0:0:0:0:0:0:0:0:0:0:0:-3:-4:-4:-4:0:0:0:0"
STRAGGLER = "0:2:2:2:2:2:0:0:-1:0:0:0:0:0:0:0:0:0:-2:-4:-4:-4:0:0:0:0"
BEHIND = "0:1:0:0:0:-1:0:0:0:0:0:0:0:0:0:0:0:0:-2:-4:-4:-4:0:0:0:0"
BACKGAMMON = "0:1:0:0:0:0:-1:0:0:0:0:0:0:0:0:0:0:0:-2:-4:-4:-4:0:0:0:0"
READY = "0:12:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0"


@pytest.mark.parametrize(
    ("text", "loser", "on_turn", "size"),
    [
        (PAST, Side.X, Side.X, 2),  # outside the winner's home for good
        (PAST, Side.O, Side.X, 1),  # three are off
        (STRAGGLER, Side.X, Side.X, 2),
        (BEHIND, Side.X, Side.O, 3),
        (BACKGAMMON, Side.X, Side.O, 3),
        (BACKGAMMON, Side.X, Side.X, 3),  # a small roll can be played elsewhere
        (READY, Side.X, Side.X, 1),  # must bear off before the winner can be done
        (READY, Side.X, Side.O, 1),
        ("0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0", Side.X, Side.O, 2),
        ("0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0", Side.X, Side.X, 1),
        ("0:2:0:0:0:0:0:0:0:0:0:0:0:-5:0:0:0:0:0:0:0:0:0:0:-10:0", Side.X, Side.X, 2),
        ("0:15:0:0:0:-1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-14:0", Side.X, Side.X, 2),
        ("-1:15:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-14:0", Side.X, Side.X, 3),
    ],
)
@pytest.mark.parametrize("mirrored", [False, True])
def test_an_awarded_result_is_bounded_by_the_board(
    text: str, loser: Side, on_turn: Side, size: int, mirrored: bool
) -> None:
    if mirrored:
        assert largest_loss(board(text, Side.X), loser.other, on_turn.other) == size
    else:
        assert largest_loss(board(text), loser, on_turn) == size


ROLLS = [Dice(high, low) for high in range(1, 7) for low in range(1, high + 1)]


@cache
def can_play(view: View, turns: int, last: int, checkers: int = 15) -> bool:
    """Whether some rolls let the side play so long with nothing off and a checker at `last` or behind."""
    if sum(view) < checkers or not any(view[last:]):
        return False
    return turns == 0 or any(
        can_play(Board.from_view(view, Side.O).after(Side.O, play).points, turns - 1, last, checkers)
        for roll in ROLLS
        for play in legal_plays(view, roll)
    )


@given(
    st.lists(st.integers(1, 3), min_size=13, max_size=13),
    st.lists(st.integers(1, 4) | st.integers(19, 21), min_size=2, max_size=2),
    st.integers(1, 15),
    st.sampled_from(Side),
)
@examples(60)
def test_the_bound_is_what_some_rolls_lead_to(inside: list[int], rest: list[int], winners: int, on_turn: Side) -> None:
    view = [0] * 26
    for point in (*inside, *(point if point < 19 or winners <= 8 else 1 for point in rest)):
        view[point] += 1
    turns = -(-winners // 4) - (on_turn is Side.X)
    sizes = [size for size, last in ((2, 1), (3, 19)) if can_play(tuple(view), turns, last)]
    view[24] = -winners
    position = Board.from_view(tuple(view), Side.O)
    assert not position.contact
    assert largest_loss(position, Side.O, on_turn) == max(sizes, default=1)


@given(
    st.lists(st.integers(1, 18) | st.integers(19, 21), min_size=3, max_size=3),
    st.integers(1, 3),
    st.sampled_from(Side),
)
@examples(60)
def test_the_bound_counts_the_checkers_of_hypergammon(points: list[int], winners: int, on_turn: Side) -> None:
    view = [points.count(point) for point in range(26)]
    turns = 1 - (on_turn is Side.X)
    sizes = [size for size, last in ((2, 1), (3, 19)) if can_play(tuple(view), turns, last, 3)]
    view[24] = -winners
    position = Board.from_view(tuple(view), Side.O)
    assert largest_loss(position, Side.O, on_turn, HYPERGAMMON) == max(sizes, default=1)
    view[points[0]] -= 1
    assert largest_loss(Board(points=tuple(view)), Side.O, on_turn, HYPERGAMMON) == 1


@pytest.mark.parametrize(
    ("text", "on_turn", "backgammon", "trictrac"),
    [
        # O needs 4 turns in backgammon; in TricTrac 8 are sure, and X has pips outside for 4 times 2-1.
        ("0:0:0:0:0:0:15:0:0:0:0:0:0:-2:0:0:0:0:0:-1:0:0:0:0:-12:0", Side.X, 2, 1),
        # X can be made to wait for ever, as he cannot play a 1.
        ("0:0:0:0:0:0:15:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0:0", Side.X, 1, 2),
        ("0:2:0:0:-1:0:0:0:0:0:0:0:0:-3:0:0:0:0:0:-11:0:0:0:0:0:0", Side.X, 3, 3),
    ],
)
def test_each_variant_has_its_own_pace(text: str, on_turn: Side, backgammon: int, trictrac: int) -> None:
    assert largest_loss(board(text), Side.X, on_turn) == backgammon
    assert largest_loss(board(text), Side.X, on_turn, TRICTRAC) == trictrac


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=list(VARIANTS))
@pytest.mark.parametrize("loser", Side)
def test_everything_can_still_be_lost_before_the_opening_roll(variant: Variant, loser: Side) -> None:
    game = new_match(5, crawford=True, variant=variant).game
    assert reachable_loss(game, loser) == 3


def test_what_can_be_lost_in_a_game_depends_on_whose_turn_it_is() -> None:
    ready = board(READY)
    assert reachable_loss(to_roll(ready, Side.O), Side.X) == 1
    last = board("0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0")
    assert reachable_loss(to_roll(last, Side.O), Side.X) == 2
    assert reachable_loss(rolled(last, Side.O, 2, 1), Side.X) == 2
    assert reachable_loss(to_roll(last, Side.X), Side.X) == 1


def test_a_game_without_contact_that_nobody_has_opened_is_taken_as_if_the_loser_began() -> None:
    last = board("0:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0")
    game = new_game(GameRules(cube=False, redoubles=0, autodoubles=0), last)
    assert reachable_loss(game, Side.X) == 1
