"""What lines mean to a bot: every board of the transcripts, and each question of a match."""

import re

import pytest

from fibsd.backgammon.board import CHECKERS, START
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import playable
from fibsd.backgammon.play import Move
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import VARIANTS
from fibsd.bots import reading
from fibsd.bots.reading import Seen, move_words, read
from tests.support.transcript import FOLDER

LINES = sorted(
    {
        found[1]
        for path in FOLDER.glob("*.txt")
        for found in re.finditer(r"^\w+< (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
)
BOARDS = [line for line in LINES if line.startswith("board:")]
OPENING = (
    "board:You:bob:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)


def test_every_board_of_the_transcripts_is_understood() -> None:
    """Those of one's own match; boards of others, for watchers, mean nothing."""
    assert len(BOARDS) > 50
    for line in BOARDS:
        seen = read(line)
        fields = line.split(":")
        assert (seen is not None) is (fields[1] == "You")
        if not isinstance(seen, Seen):
            continue
        board, side = seen.board, seen.side
        assert [board.off(side), board.off(side.other), board.bar(side), board.bar(side.other)] == [
            int(field) for field in fields[45:49]
        ]
        assert board.checkers(side) <= CHECKERS
        if seen.dice is not None and seen.own_turn:
            assert playable(board.seen_by(side), seen.dice) == seen.can_move


def test_no_line_of_the_transcripts_confuses_it() -> None:
    for line in LINES:
        read(line)


def test_a_board_field_by_field() -> None:
    assert read(OPENING) == Seen(
        length=3,
        score=BySide(o=0, x=0),
        board=START,
        side=Side.O,
        turn=Side.O,
        dice=Dice(3, 1),
        cube=Cube(),
        may_turn=True,
        doubled=False,
        can_move=2,
        crawford=False,
        crawford_over=False,
    )


def field(**changes: str) -> Seen:
    """The opening board with other fields, by `f` and their number."""
    fields = OPENING.split(":")
    for name, value in changes.items():
        fields[int(name[1:])] = value
    seen = read(":".join(fields))
    assert isinstance(seen, Seen)
    return seen


def test_score_and_colour_belong_together() -> None:
    assert field(f4="2").score == BySide(o=2, x=0)
    turned = field(f4="2", f41="-1")
    assert (turned.side, turned.score, turned.own_turn) == (Side.X, BySide(o=0, x=2), False)
    assert turned.away == BySide(o=3, x=1)


def test_the_cube_and_who_owns_it() -> None:
    assert field(f37="2", f39="0").cube == Cube(value=2, owner=Side.O)
    assert field(f37="2", f38="0").cube == Cube(value=2, owner=Side.X)
    assert not field(f38="0").may_turn
    assert field(f40="1").doubled


def test_the_crawford_game_is_told_from_those_after_it() -> None:
    assert [field(f4="2").crawford, field(f4="2", f51="1").crawford, field(f4="2", f50="3").crawford] == [
        True,
        False,
        False,
    ]
    assert [field(f4="2").crawford_over, field(f51="1").crawford_over, field(f50="3").crawford_over] == [
        False,
        True,
        True,
    ]
    assert (field(f3="9999", f4="9998").crawford, field(f3="9999").away) == (False, None)


@pytest.mark.parametrize(
    "line",
    [
        "board:",
        OPENING.replace(":You:", ":ann:"),
        OPENING + ":0",
        OPENING.replace(":25:", ":x:"),
        OPENING.replace(":3:1:0:0:1", ":3:1:0:0:one"),
        OPENING.replace(":0:1:-1:0:25", ":0:0:-1:0:25"),
    ],
)
def test_a_broken_board_means_nothing(line: str) -> None:
    assert read(line) is None


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("6", reading.UserListEnd()),
        ("12 ann Type 'join ann' to accept.", reading.Told("ann", "Type 'join ann' to accept.")),
        ("13 ann It's your turn to move.", None),
        ("5 ann bob - 1 0 1500.00 0 0 1593792267 192.0.2.x tester -", None),
        ("Type 'join ann' to accept.", reading.Invited("ann")),
        ("Starting a new game with ann.", reading.MatchBegins()),
        ("You are now playing with bob. Your running match was loaded.", reading.Seated()),
        ("bob has joined you. Your running match was loaded.", reading.Seated()),
        ("It's your turn to roll or double.", reading.AskedToRoll()),
        ("It's your turn. Please roll or double", reading.AskedToRoll()),
        ("It's your turn to move.", reading.AskedToMove()),
        ("Please move 1 piece.", reading.AskedToMove()),
        ("Please move 4 pieces.", reading.AskedToMove()),
        ("ann doubles. Type 'accept' or 'reject'.", reading.AskedToTake()),
        ("ann redoubles. Type 'accept' or 'reject'.", reading.AskedToTake()),
        ("ann wants to resign. You will win 1 point. Type 'accept' or 'reject'.", reading.AskedToAccept(1)),
        ("ann wants to resign. You will win 12 points. Type 'accept' or 'reject'.", reading.AskedToAccept(12)),
        (
            "Type 'join' if you want to play the next game, type 'leave' if you don't.",
            reading.AskedForNextGame(),
        ),
        ("ann rejects. The game continues.", reading.ResignationRefused()),
        ("You win the 3 point match 3-1 .", reading.MatchEnds()),
        ("ann wins the 3 point match 3-1 .", reading.MatchEnds()),
        ("ann wins a 3 point match against bob  3-1 .", None),
        ("ann drops connection. The game was saved.", reading.MatchEnds()),
        ("** Player ann has left the game. The game was saved.", reading.MatchEnds()),
        ("** You terminated the game. The game was saved.", reading.MatchEnds()),
        ("Your game with ann was saved.", reading.MatchEnds()),
        ("** You're not playing.", reading.MatchEnds()),
        ("** You're not playing or watching.", reading.MatchEnds()),
        ("** Player ann has joined you for a 3 point match.", reading.Seated()),
        ("** You are now playing an unlimited match with ann", reading.Seated()),
        ("ann voided your match. It leaves no trace.", reading.MatchEnds()),
        ("** Terms: trictrac blitz.", reading.Terms(variant=VARIANTS["trictrac"], nocube=True)),
        ("** Terms: hypergammon clock 60 5 jacoby.", reading.Terms(variant=VARIANTS["hypergammon"], jacoby=True)),
        ("** Terms: ghost nocube stake 5.", reading.Terms(nocube=True)),
        ("** You have 10 seconds left.", None),
        ("** ann's time is up: bob wins 2 points.", None),
        ("** ann lets the server play on once no contact is left.", None),
        ("** ann wins the stakes: 20 play points.", None),
        ("** You're now ready to invite or join someone.", None),
        ("** Version 1.0", reading.Version()),
        ("** Ghost: bob is back.", None),
        ("** Terms: ghost.", reading.Terms()),
        ("** You must give 2 moves.", reading.Refused("You must give 2 moves.")),
        ("", None),
        ("ann says hello", None),
    ],
)
def test_meaning_of_lines(line: str, meaning: reading.Meaning | None) -> None:
    assert read(line) == meaning


def test_own_info() -> None:
    info = read("2 ann 1 0 0 0 1 0 1 1 4 0 1 0 1 1500.00 0 0 5 1 0 UTC")
    assert isinstance(info, reading.OwnInfo)
    assert {word for word, on in info.switches.items() if on} == {
        *("allowpip", "away", "crawford", "double", "moreboards", "notify", "report")
    }
    assert read("2 ann 1 0") is None


def test_moves_are_written_in_the_numbering_of_the_board() -> None:
    play = (Move(25, 20), Move(6, 0))
    assert move_words(play, Side.O) == "bar-20 6-off"
    assert move_words(play, Side.X) == "bar-5 19-off"
