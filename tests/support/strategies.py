"""Hypothesis strategies for the values of the rules."""

from hypothesis import settings
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
    Take,
    WithdrawResignation,
)
from fibsd.backgammon.board import CHECKERS, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import BAR, OFF, Move
from fibsd.backgammon.side import BySide, Side

HOME = range(1, 7)
POINTS = range(1, 25)


def examples(number: int) -> settings:
    """Settings for a test that must do the same each time and may be slow on a busy machine."""
    return settings(max_examples=number, deadline=None, derandomize=True)


sides = st.sampled_from(Side)
dies = st.integers(1, 6)
dice = st.builds(Dice, dies, dies)
doubles = st.builds(Dice, st.shared(dies, key="double"), st.shared(dies, key="double"))
moves = st.builds(Move, st.integers(1, BAR), st.integers(OFF, 24))
plays = st.lists(moves, min_size=1, max_size=4).map(tuple)


@st.composite
def views(draw: st.DrawFn, own: range = range(BAR + 1), others: range = range(BAR + 1)) -> tuple[int, ...]:
    """A position as the side to move sees it: 15 checkers a side, no point held by both.

    Args:
        draw: Given by Hypothesis.
        own: Where own checkers may be, in the mover's numbering: off, on a point or on the bar.
        others: Where the other side's checkers may be, in its own numbering.
    """
    held = draw(st.integers(0, 2**24 - 1))
    own_places = [p for p in own if p in (OFF, BAR) or held >> (p - 1) & 1]
    others_places = [p for p in others if p in (OFF, BAR) or not held >> (24 - p) & 1]
    view = [0] * 26
    for place in draw(st.lists(st.sampled_from(own_places or [OFF]), min_size=CHECKERS, max_size=CHECKERS)):
        if place != OFF:
            view[place] += 1
    for place in draw(st.lists(st.sampled_from(others_places or [OFF]), min_size=CHECKERS, max_size=CHECKERS)):
        if place != OFF:
            view[25 - place] -= 1
    return tuple(view)


any_views = st.one_of(
    views(),
    views(own=POINTS, others=POINTS),
    views(own=range(1, BAR + 1)),
    views(own=range(12), others=range(1, BAR + 1)),
    views(own=range(7)),
    views(own=range(OFF, 5), others=range(20, BAR + 1)),
    views(own=HOME, others=range(13)),
)
"""Positions of every kind: anywhere, on the bar, about to bear off, bearing off with and without contact."""

boards = st.builds(Board.from_view, any_views, sides)

actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(OpeningRoll, dice=st.builds(BySide[int], o=dies, x=dies)),
    st.builds(Roll, side=sides, dice=dice),
    st.builds(MakePlay, side=sides, play=plays),
    st.builds(Resign, side=sides, size=st.integers(1, 3)),
    st.builds(Forfeit, side=sides, size=st.integers(1, 3)),
    *(
        st.builds(kind, side=sides)
        for kind in (
            Double,
            Redouble,
            Take,
            Pass,
            AcceptResignation,
            RejectResignation,
            WithdrawResignation,
        )
    ),
)
