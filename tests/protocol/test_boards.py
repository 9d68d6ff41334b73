"""Boards in the three styles, against drawings of the original routine and lines that FIBS itself sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import Cube, Offer
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import Game, Phase
from fibsd.backgammon.match import Match, new_match
from fibsd.backgammon.side import BySide, Side
from fibsd.protocol.boards import drawn_board, raw_board
from fibsd.world.snapshot import Snapshot
from tests.support.boards import snapshot_of
from tests.support.oracle import json_rows

NAMES = BySide(o="alice", x="bob")
ROWS = list(json_rows("boards.jsonl"))
NEW_MATCH = new_match(5, crawford=True)
TO_ROLL = attrs.evolve(NEW_MATCH.game, turn=Side.O, phase=Phase.ROLL)
STYLES: tuple[Literal[1, 2], Literal[1, 2]] = (1, 2)

CAN_MOVE = 49
MARK = 50

# Sent by FIBS to watchers and players, names replaced.
SENT = [
    "board:alice:bob:5:1:2:0:-1:0:0:-1:0:5:3:2:1:0:0:-4:3:0:0:0:-1:0:-4:-2:0:-2:0:1:0:1:0:0:0:0:1:1:1:0:-1:1:25:0:0:0:0:0:2:0:0:0",
    "board:alice:bob:5:1:2:0:-1:0:0:-1:0:5:3:2:1:0:0:-4:3:0:0:0:-1:0:-4:-2:0:-2:0:1:0:1:0:0:2:4:1:1:1:0:-1:1:25:0:0:0:0:0:2:0:0:0",
    "board:alice:bob:5:1:2:-1:-1:0:0:2:0:4:3:1:1:0:0:-4:3:0:0:0:-1:0:-4:-2:0:-2:0:1:0:-1:3:2:0:0:1:1:1:0:-1:1:25:0:0:0:1:0:2:0:0:0",
    "board:carol:dave:13:11:8:0:4:3:3:2:2:0:0:0:0:0:0:0:0:0:0:0:1:0:0:-2:-4:-2:-3:-1:0:-1:0:0:4:2:2:1:0:0:1:-1:0:25:0:3:0:0:4:0:0:0",
    "board:You:bob:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0",
    "board:alice:bob:2:1:1:0:0:0:-1:3:3:2:0:3:0:0:2:0:2:0:0:0:-1:-1:-2:-2:-2:-4:-2:0:0:1:5:1:0:0:2:0:1:0:1:-1:0:25:0:0:0:0:2:0:1:0",
    "board:You:bob:2:0:1:0:0:0:-1:0:-1:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:1:0:0:0:1:0:1:0:0:0:0:1:1:1:0:-1:1:25:0:0:0:0:0:2:0:0:0",
]


def _shown(game: Game) -> Snapshot:
    """The game as the first one of a match."""
    return _match_shown(attrs.evolve(NEW_MATCH, game=game))


def _match_shown(match: Match) -> Snapshot:
    return Snapshot(names=NAMES, match=match)


def _fields(snapshot: Snapshot, side: Side) -> list[str]:
    return raw_board(snapshot, side, own=False).split(":")


def _info(snapshot: Snapshot, side: Side, own: bool = False) -> str:
    return drawn_board(snapshot, side, 1, own)[-1]


# --- against the oracle ---


@pytest.mark.parametrize("row", ROWS)
def test_drawings_are_those_of_the_original(row: Mapping[str, Any]) -> None:
    """Every byte of both drawn styles, for both colours."""
    snapshot, side = snapshot_of(row["raw"])
    for style in STYLES:
        assert drawn_board(snapshot, side, style, own=False) == [*row[f"style{style}"], "", row["info"]]


@pytest.mark.parametrize("row", ROWS)
def test_raw_lines_come_back(row: Mapping[str, Any]) -> None:
    """But for a cube at its limit, which nobody may turn any more; the original routine knew no limit."""
    snapshot, side = snapshot_of(row["raw"])
    expected = row["raw"].split(":")
    if expected[37] == "64":
        expected[38:40] = ["0", "0"]
    assert _fields(snapshot, side) == expected


@pytest.mark.parametrize("raw", SENT)
def test_lines_that_were_sent_come_back(raw: str) -> None:
    """Field 49 is compared where it means something: player 1 must move. FIBS leaves old values in it."""
    snapshot, side = snapshot_of(raw)
    expected = raw.split(":")
    if expected[33] == "0":
        expected[CAN_MOVE] = "0"
    assert _fields(snapshot, side) == expected


# --- the raw line ---


def test_the_player_reads_you() -> None:
    """In his own line; a watcher reads his name."""
    snapshot = _shown(TO_ROLL)
    assert raw_board(snapshot, Side.O, own=True).startswith("board:You:bob:5:0:0:0:-2:0:")
    assert raw_board(snapshot, Side.X, own=True).startswith("board:You:alice:5:0:0:0:-2:0:")
    assert raw_board(snapshot, Side.X, own=False).startswith("board:bob:alice:5:0:0:0:-2:0:")


def test_before_the_opening_is_won_and_after_the_end_nobody_is_on_turn() -> None:
    """Turn 0 and no dice."""
    for snapshot in (
        _match_shown(NEW_MATCH),
        _shown(attrs.evolve(TO_ROLL, phase=Phase.OVER)),
        _shown(attrs.evolve(TO_ROLL, phase=Phase.OVER, offer=Offer(by=Side.O, keeper=Side.X, stake=1, turns=1))),
    ):
        for side in Side:
            assert _fields(snapshot, side)[32:37] == ["0"] * 5
            assert _info(snapshot, side).endswith("   Cube: 1")


def test_dice_stand_with_the_player_on_turn() -> None:
    """As does the number of checkers he must move."""
    snapshot = _shown(attrs.evolve(TO_ROLL, phase=Phase.MOVE, dice=Dice(3, 1), playable=2))
    assert _fields(snapshot, Side.O)[32:37] == ["1", "3", "1", "0", "0"]
    assert _fields(snapshot, Side.X)[32:37] == ["1", "0", "0", "3", "1"]
    assert [_fields(snapshot, side)[CAN_MOVE] for side in Side] == ["2", "0"]


def test_a_double_that_waits() -> None:
    """Turn is who must answer, the cube shows the value before, nobody may double, one player was doubled."""
    snapshot = _shown(
        attrs.evolve(
            TO_ROLL,
            phase=Phase.DOUBLED,
            cube=Cube(value=2, owner=Side.O),
            offer=Offer(by=Side.O, keeper=Side.X, stake=2, turns=1),
        )
    )
    assert _fields(snapshot, Side.O)[32:41] == ["-1", "0", "0", "0", "0", "2", "0", "0", "0"]
    assert _fields(snapshot, Side.X)[32:41] == ["-1", "0", "0", "0", "0", "2", "0", "0", "1"]


def test_a_beaver_that_waits() -> None:
    """The first doubler must answer, and would lose what the cube showed before it was turned again."""
    snapshot = _shown(
        attrs.evolve(TO_ROLL, phase=Phase.DOUBLED, offer=Offer(by=Side.X, keeper=Side.X, stake=2, turns=2))
    )
    assert _fields(snapshot, Side.O)[32:41] == ["1", "0", "0", "0", "0", "2", "0", "0", "1"]
    assert _fields(snapshot, Side.X)[32:41] == ["1", "0", "0", "0", "0", "2", "0", "0", "0"]
    assert _info(snapshot, Side.O).endswith("Cube: 2 (owned by bob)  bob doubled.")


@pytest.mark.parametrize(
    ("cube", "expected"),
    [
        (Cube(), ["1", "1"]),
        (Cube(value=2, owner=Side.O), ["1", "0"]),
        (Cube(value=32, owner=Side.X), ["0", "1"]),
        (Cube(value=64, owner=Side.O), ["0", "0"]),
        (Cube(value=64, owner=None), ["0", "0"]),
    ],
)
def test_may_double_shows_the_owner(cube: Cube, expected: list[str]) -> None:
    """Whoever is on turn; at the limit nobody may."""
    for turn in Side:
        snapshot = _shown(attrs.evolve(TO_ROLL, turn=turn, cube=cube))
        assert _fields(snapshot, Side.O)[38:40] == expected
        assert _fields(snapshot, Side.X)[38:40] == expected[::-1]


def test_may_double_stays_where_there_is_no_cube() -> None:
    """In a match of one point and in the Crawford game both fields are 1 as always."""
    crawford_game = attrs.evolve(NEW_MATCH, score=BySide(o=4, x=1))
    for match in (new_match(1, crawford=True), crawford_game):
        assert _fields(_match_shown(attrs.evolve(match, game=TO_ROLL)), Side.O)[38:40] == ["1", "1"]


@pytest.mark.parametrize(
    ("length", "crawford", "score", "expected"),
    [
        (5, True, BySide(o=4, x=1), "0"),
        (5, False, BySide(o=4, x=1), "3"),
        (5, False, BySide(o=1, x=4), "3"),
        (5, False, BySide(o=3, x=3), "0"),
        (5, False, BySide(o=6, x=3), "0"),
        (1, False, BySide(o=0, x=0), "0"),
        (None, False, BySide(o=4, x=1), "0"),
    ],
)
def test_mark_of_a_match_without_crawford(
    length: int | None, crawford: bool, score: BySide[int], expected: str
) -> None:
    """Set when a player needs one point and the rule is not in force; clients tell Crawford games by it."""
    match = attrs.evolve(new_match(length, crawford=crawford), score=score)
    assert [_fields(_match_shown(match), side)[MARK] for side in Side] == [expected] * 2


def test_did_crawford_after_the_crawford_game() -> None:
    """Not in it."""
    match = attrs.evolve(NEW_MATCH, score=BySide(o=4, x=1))
    assert _fields(_match_shown(match), Side.O)[50:52] == ["0", "0"]
    match = attrs.evolve(match, score=BySide(o=4, x=2), crawford_over=True)
    assert _fields(_match_shown(match), Side.O)[50:52] == ["0", "1"]


def test_an_unlimited_match() -> None:
    """Its length is 9999, and its last field says how often the cube may be turned at once."""
    for redoubles, shown in ((0, "0"), (2, "2"), (99, "99"), (1000, "99")):
        match = attrs.evolve(new_match(None, crawford=True, redoubles=redoubles), score=BySide(o=384, x=17))
        fields = _fields(_match_shown(match), Side.X)
        assert fields[3:6] == ["9999", "17", "384"]
        assert fields[50:] == ["0", "0", shown]


def test_checkers_off_and_on_the_bar() -> None:
    """Player 1 first, all numbers without a sign."""
    points = (-3, *(0,) * 5, 7, *(0,) * 12, -4, *(0,) * 5, 2)
    snapshot = _shown(attrs.evolve(TO_ROLL, board=Board(points=points)))
    assert _fields(snapshot, Side.O)[41:49] == ["1", "-1", "0", "25", "6", "8", "2", "3"]
    assert _fields(snapshot, Side.X)[41:49] == ["-1", "1", "25", "0", "8", "6", "3", "2"]


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Any numbers of checkers anywhere, any state of dice and cube."""
    inner = draw(st.lists(st.integers(-15, 15), min_size=24, max_size=24))
    points = (draw(st.integers(-15, 0)), *inner, draw(st.integers(0, 15)))
    die = st.integers(1, 6)
    return attrs.evolve(
        TO_ROLL,
        board=Board(points=points),
        turn=draw(st.sampled_from(Side)),
        phase=draw(st.sampled_from([Phase.ROLL, Phase.MOVE, Phase.OVER])),
        dice=draw(st.none() | st.builds(Dice, die, die)),
        cube=Cube(value=draw(st.sampled_from([1, 2, 64])), owner=draw(st.none() | st.sampled_from(Side))),
    )


@given(games(), st.sampled_from(Side), st.booleans())
def test_shape_of_every_board(game: Game, side: Side, own: bool) -> None:
    """53 fields without a blank; drawings with nothing at the ends of their lines."""
    snapshot = _shown(game)
    raw = raw_board(snapshot, side, own)
    assert raw.count(":") == 52
    assert " " not in raw
    fields = raw.split(":")
    assert tuple(map(int, fields[6:32])) == game.board.points
    counts = [
        *(game.board.off(one) for one in (side, side.other)),
        *(game.board.bar(one) for one in (side, side.other)),
    ]
    assert list(map(int, fields[45:49])) == counts
    for style in STYLES:
        lines = drawn_board(snapshot, side, style, own)
        assert len(lines) == 13 + 2 * (style - 1) + 2
        assert all(line == line.rstrip(" ") for line in lines)


# --- drawings ---


def test_the_own_roll() -> None:
    """The board names the player, the last line says You (FIBS, a player's own game)."""
    snapshot, side = snapshot_of(
        "board:alice:bob:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:5:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
    )
    assert drawn_board(snapshot, side, 2, own=True) == [
        "    13 14 15 16 17 18       19 20 21 22 23 24",
        "   +------------------------------------------+ X: bob - score: 0",
        "   | O           X    |   |  X              O |",
        "   | O           X    |   |  X              O |",
        "   | O           X    |   |  X                |",
        "   | O                |   |  X                |",
        "   | O                |   |  X                |",
        "  v|                  |BAR|                   |    3-point match",
        "   | X                |   |  O                |",
        "   | X                |   |  O                |",
        "   | X           O    |   |  O                |",
        "   | X           O    |   |  O              X |",
        "   | X           O    |   |  O              X |",
        "   +------------------------------------------+ O: alice - score: 0",
        "    12 11 10  9  8  7        6  5  4  3  2  1",
        "",
        "   BAR: O-0 X-0   OFF: O-0 X-0   Cube: 1  You rolled 5 1.",
    ]
    assert _info(snapshot, side.other, own=True).endswith("Cube: 1  alice rolled 5 1.")


def test_before_a_roll_the_name_on_turn_is_shown() -> None:
    """The own one too."""
    snapshot = _shown(attrs.evolve(TO_ROLL, cube=Cube(value=4, owner=Side.X)))
    for side in Side:
        for own in (True, False):
            assert _info(snapshot, side, own).endswith("   Cube: 4 (owned by bob)  turn: alice")


def test_a_double_names_who_doubled() -> None:
    """To both, with the cube as it was."""
    snapshot = _shown(
        attrs.evolve(TO_ROLL, phase=Phase.DOUBLED, offer=Offer(by=Side.O, keeper=Side.X, stake=1, turns=1))
    )
    for side in Side:
        assert _info(snapshot, side, own=True).endswith("   Cube: 1  alice doubled.")


@pytest.mark.parametrize(
    ("redoubles", "text"),
    [
        (0, "No redoubles"),
        (1, "1 redouble"),
        (2, "2 redoubles"),
        (98, "98 redoubles"),
        (99, "Unlimited redoubles"),
    ],
)
def test_redoubles_stand_below_the_middle_line(redoubles: int, text: str) -> None:
    """In unlimited matches only."""
    snapshot = _match_shown(new_match(None, crawford=False, redoubles=redoubles))
    for side in Side:
        lines = drawn_board(snapshot, side, 1, own=False)
        assert lines[6].endswith("|    unlimited match" if side is Side.O else "|v    unlimited match")
        assert lines[7].endswith(f"|    {text}")
        assert not [line for line in lines[8:] if "redouble" in line]


def test_long_names_are_cut_on_the_board() -> None:
    """To fifteen letters; the last line has all of them."""
    snapshot = attrs.evolve(_shown(TO_ROLL), names=BySide(o="a" * 20, x="bob"))
    lines = drawn_board(snapshot, Side.O, 1, own=True)
    assert lines[12].endswith(f"-+ O: {'a' * 15} - score: 0")
    assert lines[-1].endswith(f"turn: {'a' * 20}")
