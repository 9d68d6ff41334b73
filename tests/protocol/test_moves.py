"""Moves as typed and as shown, for both sides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.play import BAR, OFF, Move, Play
from fibsd.backgammon.side import Side
from fibsd.protocol.moves import (
    PARSED_MOVES_LIMIT,
    MalformedMove,
    format_play,
    format_point,
    looks_like_move,
    parse_moves,
)

SIDES = st.sampled_from(Side)
MOVES = st.builds(Move, st.integers(1, BAR), st.integers(OFF, 24))
PLAYS = st.lists(MOVES, min_size=1, max_size=4).map(tuple)
WORDS = st.sampled_from(["bar", "b", "off", "o", "home", "h", "-", "24", "6-5", "x", "0", "25", "--"])


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("24-20 13-9", (Move(24, 20), Move(13, 9))),
        ("24 20 13 9", (Move(24, 20), Move(13, 9))),
        ("  24 -20  13- 9 ", (Move(24, 20), Move(13, 9))),
        ("1 3", (Move(1, 3),)),
        ("bar-22", (Move(BAR, 22),)),
        ("bar 22", (Move(BAR, 22),)),
        ("bar - 22", (Move(BAR, 22),)),
        ("b-22", (Move(BAR, 22),)),
        ("b 22", (Move(BAR, 22),)),
        ("BAR-22", (Move(BAR, 22),)),
        ("bar-5 bar 5 bar - 5 bar -5", (Move(BAR, 5),) * 4),
        ("5-off", (Move(5, OFF),)),
        ("5 o", (Move(5, OFF),)),
        ("5-home", (Move(5, OFF),)),
        ("5-H", (Move(5, OFF),)),
        ("6-8", (Move(6, 8),)),
        ("6-6", (Move(6, 6),)),
    ],
)
def test_moves_of_o_keep_their_numbers(text: str, play: Play) -> None:
    """All forms that FIBS understands; a step that goes nowhere or back is for the rules to refuse."""
    assert parse_moves(text, Side.O) == play
    assert parse_moves(text.split(), Side.O) == play


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("1-5 12-16", (Move(24, 20), Move(13, 9))),
        ("bar-4", (Move(BAR, 21),)),
        ("20-off", (Move(5, OFF),)),
    ],
)
def test_moves_of_x_are_turned_round(text: str, play: Play) -> None:
    """X counts upwards on the wire, and downwards like everybody inside."""
    assert parse_moves(text, Side.X) == play
    assert format_play(play, Side.X) == text


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize(
    ("text", "nth"),
    [
        ("", 0),
        ("   ", 0),
        ("-", 0),
        ("6", 0),
        ("6-", 0),
        ("-6", 0),
        ("6--5", 0),
        ("25-22", 0),
        ("24-25", 0),
        ("0-1", 0),
        ("6-0", 0),
        ("99-1", 0),
        ("bar/22", 0),
        ("24/18", 0),
        ("6-5*", 0),
        ("off-5", 0),
        ("home-5", 0),
        ("5-bar", 0),
        ("5-b", 0),
        ("ba-5", 0),
        ("x", 0),
        ("+6-5", 0),
        ("06-5", 0),
        ("6.0-5", 0),
        ("\u0666-5", 0),
        ("\u00b2-1", 0),
        ("6\u00a05", 0),
        ("6\u20135", 0),
        ("24-18-15", 1),
        ("6-5-4", 1),
        ("24-18 -15", 1),
        ("24-20 13", 1),
        ("24-20 13-", 1),
        ("24 20 13 9 6", 2),
        ("8-5 8-5 6-3 6-x", 3),
        ("8-5 8-5 6-3 6-3 5", 4),
    ],
)
def test_what_is_no_move_is_refused(text: str, nth: int, side: Side) -> None:
    """The refusal knows which move it was, so that its line can say so."""
    with pytest.raises(MalformedMove) as refusal:
        parse_moves(text, side)
    assert refusal.value.nth == nth


def test_too_many_moves_are_left_to_the_rules() -> None:
    """They say how many there may be; the reading stops at a bound, whatever follows."""
    assert len(parse_moves("6-5 " * 5, Side.O)) == 5
    assert len(parse_moves("6-5 " * 1000 + "x", Side.O)) == PARSED_MOVES_LIMIT


@given(PLAYS, SIDES)
def test_a_shown_play_can_be_typed(play: Play, side: Side) -> None:
    """Reading is the inverse of writing: in the usual form, which has a shorter way, and in others."""
    text = format_play(play, side)
    assert parse_moves(text, side) == play
    assert parse_moves(text.replace("-", " ").upper(), side) == play


@given(PLAYS)
def test_both_sides_are_mirrored(play: Play) -> None:
    """The same play of the other side has 25 minus each number."""
    mirrored = [
        word if word in ("bar", "off") else str(25 - int(word))
        for word in format_play(play, Side.O).replace("-", " ").split()
    ]
    assert format_play(play, Side.X).replace("-", " ").split() == mirrored


@given(st.text(max_size=30) | st.lists(WORDS, max_size=12).map(" ".join), SIDES)
def test_no_text_crashes_the_reader(text: str, side: Side) -> None:
    """It is a play or a refusal."""
    try:
        play = parse_moves(text, side)
    except MalformedMove:
        return
    assert parse_moves(format_play(play, side), side) == play


def test_shown_words() -> None:
    """Bar and off are written in full, and no play is an empty text."""
    assert format_play((Move(BAR, 21), Move(5, OFF)), Side.O) == "bar-21 5-off"
    assert format_play((), Side.O) == ""
    assert [format_point(point, Side.X) for point in (BAR, 24, 1, OFF)] == ["bar", "1", "24", "off"]


@pytest.mark.parametrize("word", ["24-20", "24", "1", "99-1", "6-", "0", "bar", "bar-5", "BAR-5", "bar-"])
def test_words_that_begin_a_move(word: str) -> None:
    """A line that starts with one is a move without its command word."""
    assert looks_like_move(word)


@pytest.mark.parametrize("word", ["", "b", "b-5", "bar/5", "bard", "off", "o", "h", "move", "-5", "\u0662"])
def test_words_that_begin_a_command(word: str) -> None:
    """Commands, and what is nothing at all."""
    assert not looks_like_move(word)
