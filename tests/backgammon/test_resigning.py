"""How much a player who gives up should offer."""

import pytest

from fibsd.backgammon.board import Board
from fibsd.backgammon.resigning import giveup_size
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import HYPERGAMMON
from tests.backgammon.positions import board
from tests.support.oracle import csv_rows

SIZES = {"single": 1, "gammon": 2}


def spread(pips: int, checkers: int) -> list[int]:
    """Points for so many checkers, as near to each other as can be, that make so many pips."""
    point, more = divmod(pips, checkers)
    return [point + 1] * more + [point] * (checkers - more)


def position(own: list[int], others: list[int], side: Side) -> Board:
    view = [0] * 26
    for point in own:
        view[point] += 1
    for point in filter(None, others):
        assert view[25 - point] <= 0
        view[25 - point] -= 1
    return Board.from_view(tuple(view), side)


@pytest.mark.parametrize("side", Side)
def test_every_row_of_the_table_of_resignations(side: Side) -> None:
    rows = csv_rows("resign-size.csv")
    assert rows
    for row in rows:
        own = spread(int(row["resigner_pips"]), 15 - int(row["resigner_off"]))
        here = position(own, spread(int(row["opponent_pips"]), 15), side)
        assert (here.pips(side), here.off(side)) == (int(row["resigner_pips"]), int(row["resigner_off"]))
        assert here.pips(side.other) == int(row["opponent_pips"])
        assert giveup_size(here, side) == SIZES[row["size"]], row
        assert (giveup_size(here, side) == 2) is (row["ask_to_confirm_gammon"] == "yes"), row


def test_checkers_that_a_variant_does_not_have_are_not_borne_off() -> None:
    here = board("-1:0:0:1:0:0:0:0:0:0:-1:-1:0:0:0:0:0:0:0:0:0:0:0:0:0:0")
    assert here.pips(Side.X) - here.pips(Side.O) == 51
    assert giveup_size(here, Side.X, HYPERGAMMON) == 1
    here = board("-2:0:0:1:0:-1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0")
    assert (giveup_size(here, Side.X, HYPERGAMMON), giveup_size(here, Side.X)) == (2, 1)
