"""Rolls that hit a blot, against all 36 rolls played out by the rules."""

from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.board import Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View, legal_plays, playable
from fibsd.backgammon.side import Side
from fibsd.bots.shots import shots
from tests.bots.test_policy import view_of
from tests.support.strategies import examples


def by_the_rules(view: View, blot: int) -> dict[int, bool]:
    """For each roll that can be played in full, by its bit: whether a play of it hits."""
    turned = Board(points=view).seen_by(Side.X)
    found = {}
    for first in range(1, 7):
        for second in range(1, 7):
            dice = Dice(first, second)
            if playable(turned, dice) == (4 if dice.is_double else 2):
                hits = any(any(move.target == 25 - blot for move in play) for play in legal_plays(turned, dice))
                found[6 * (first - 1) + second - 1] = hits
    return found


def agrees(view: View, blot: int) -> bool:
    """Whether the rolls found are those by the rules; rolls not played in full have rules of their own."""
    rolls = shots(view, blot, [point for point in range(25) if view[point] < 0])
    return all(bool(rolls >> bit & 1) is hits for bit, hits in by_the_rules(view, blot).items())


def counted(view: View, blot: int) -> int:
    return shots(view, blot, [point for point in range(25) if view[point] < 0]).bit_count()


def test_known_numbers_of_shots() -> None:
    """The table that every player learns: 11 to 17 for one to six pips away, few from farther."""
    numbers = []
    for distance in (*range(1, 13), 15, 16, 18, 20, 24):
        view = [0] * 26
        start = 0 if distance == 24 else 1
        view[start] = -1
        blot = start + distance
        view[blot] = 1
        numbers.append(counted(tuple(view), blot))
    assert numbers == [11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 1, 1, 1, 1, 1]


@examples(150)
@given(
    others=st.dictionaries(st.integers(1, 20), st.integers(1, 3), min_size=1, max_size=4),
    points=st.sets(st.integers(1, 24), max_size=5),
    blot=st.integers(2, 24),
)
def test_nobody_on_the_bar_all_shots_are_counted(others: dict[int, int], points: set[int], blot: int) -> None:
    view = [0] * 26
    for point in points:
        view[point] = 2
    for point, count in others.items():
        view[point] = -count
    view[blot] = 1
    assert agrees(tuple(view), blot)


def test_from_the_bar_the_first_die_enters() -> None:
    closed = view_of({18: 1, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2}, {25: 1, 13: 2})
    # It enters with a six only; then a six hits from the point 12.
    assert counted(closed, 18) == 1
    assert agrees(closed, 18)
    two = view_of({3: 1, 1: 2}, {25: 2, 13: 2})
    assert counted(two, 3) == 11
