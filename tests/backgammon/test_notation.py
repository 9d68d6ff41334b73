"""Actions as texts of the log."""

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
    Take,
    WithdrawResignation,
)
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.notation import decode, encode
from fibsd.backgammon.play import BAR, OFF, Move
from fibsd.backgammon.side import BySide, Side
from tests.support.strategies import actions, examples

TEXTS: list[tuple[str, Action]] = [
    ("o 6 3", OpeningRoll(dice=BySide(o=6, x=3))),
    ("O r 6 3", Roll(side=Side.O, dice=Dice(6, 3))),
    ("X m 24-18 13-11", MakePlay(side=Side.X, play=(Move(24, 18), Move(13, 11)))),
    ("O m bar-22 6-off", MakePlay(side=Side.O, play=(Move(BAR, 22), Move(6, OFF)))),
    ("O d", Double(side=Side.O)),
    ("X b", Redouble(side=Side.X)),
    ("X t", Take(side=Side.X)),
    ("X p", Pass(side=Side.X)),
    ("O R 2", Resign(side=Side.O, size=2)),
    ("X A", AcceptResignation(side=Side.X)),
    ("X J", RejectResignation(side=Side.X)),
    ("X F 3", Forfeit(side=Side.X, size=3)),
    ("O W", WithdrawResignation(side=Side.O)),
]


@pytest.mark.parametrize(("text", "action"), TEXTS)
def test_texts_that_stand_in_logs(text: str, action: Action) -> None:
    assert encode(action) == text
    assert decode(text) == action


@given(actions)
@examples(300)
def test_a_written_action_is_read_again(action: Action) -> None:
    text = encode(action)
    assert text.isascii()
    assert decode(text) == action


@given(st.one_of(st.text(max_size=12), st.text("OXobrmdtpRAJWF 12360-\n", max_size=12)))
@examples(300)
def test_any_other_text_is_refused(text: str) -> None:
    try:
        action = decode(text)
    except ValueError:
        return
    assert encode(action) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "O",
        "x d",
        "O d ",
        " O d",
        "O d\n",
        "O  d",
        "O D",
        "o 6",
        "o 0 3",
        "o 7 3",
        "o 6 3 1",
        "O r 6 7",
        "O r ६ 3",  # a six, but not in ASCII
        "O r 63",
        "O m",
        "O m 0-1",
        "O m 25-22",
        "O m 06-5",
        "O m 6-0",
        "O m 6-bar",
        "O m off-1",
        "O m b-22",
        "O m bar/22",
        "O m bar 22",
        "O m 6-",
        "O m 6-5-4",
        "O m 99-1",
        "O m 6-5 6-5 6-5 6-5 6-5",
        "O R 0",
        "O R 4",
        "O R",
        "O F 0",
        "O F 4",
        "O F",
        "O RF 1",
        "O A 1",
        "o d",
    ],
)
def test_texts_that_are_nearly_right_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not the text of an action"):
        decode(text)
