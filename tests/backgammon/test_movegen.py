"""Legal plays: how many dice, which plays, and what is wrong with others."""

import hashlib
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon import movegen
from fibsd.backgammon.board import START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import Fault, IllegalPlay
from fibsd.backgammon.movegen import check_play, forced_play, legal_plays, playable
from fibsd.backgammon.play import Move, Play
from fibsd.backgammon.side import Side
from tests.backgammon import reference
from tests.backgammon.positions import play, view
from tests.support.oracle import json_rows
from tests.support.strategies import any_views, dice, doubles, examples, plays

View = reference.View


def is_legal(position: View, roll: Dice, tried: Play, must: int | None) -> bool:
    try:
        check_play(position, roll, tried, must)
    except IllegalPlay:
        return False
    return True


def fault(position: View, roll: Dice, tried: Play) -> tuple[Fault, int, int]:
    with pytest.raises(IllegalPlay) as refused:
        check_play(position, roll, tried)
    with pytest.raises(IllegalPlay) as again:
        check_play(position, roll, tried, playable(position, roll))
    error = refused.value
    assert error.args == again.value.args
    return error.fault, error.nth, error.number


# -- Against the reference -----------------------------------------------------------------------------------


@given(any_views, st.one_of(dice, doubles))
@examples(400)
def test_generated_plays_are_those_of_brute_force(position: View, roll: Dice) -> None:
    legal = reference.legal(position, roll)
    results = set(legal.values())
    generated = legal_plays(position, roll)
    assert [found for found in generated if found not in legal] == []
    assert len(generated) == len(results)
    assert {legal[found] for found in generated} == results
    assert playable(position, roll) == max(map(len, legal), default=0)
    assert forced_play(position, roll) == (generated[0] if len(results) == 1 else None)


@given(any_views, st.one_of(dice, doubles), st.data())
@examples(250)
def test_a_play_is_accepted_just_when_brute_force_finds_it(position: View, roll: Dice, data: st.DataObject) -> None:
    legal = reference.legal(position, roll)
    accepted = set(legal) | reference.last_checker_off(position, roll)
    tried: set[Play] = {data.draw(plays)}
    for found in itertools.islice(legal, 0, None, max(1, len(legal) // 5)):
        tried |= set(itertools.permutations(found)) | {found[:n] for n in range(len(found))}
        tried |= {(*found, move) for move in found}
    singles = [move for die in set(roll) for move, _ in reference.moves(position, die)]
    tried |= {tuple(pair) for pair in itertools.product(singles, repeat=2)} | {(move,) for move in singles}
    tried |= set(itertools.islice(reference.last_checker_off(position, roll), 5))
    must = playable(position, roll)
    for candidate in tried:
        right = candidate in accepted or (must == 0 and candidate == ())
        assert is_legal(position, roll, candidate, None) is right, candidate
        assert is_legal(position, roll, candidate, must) is right, candidate


@given(any_views, dice, st.lists(st.builds(Move, st.integers(-99, 99), st.integers(-99, 99)), max_size=6))
@examples(200)
def test_no_numbers_cause_anything_but_a_refusal(position: View, roll: Dice, tried: list[Move]) -> None:
    is_legal(position, roll, tuple(tried), None)


# -- Against the table of other programs' answers ------------------------------------------------------------


def shown(position: View) -> str:
    """A resulting position as the table writes it."""
    points = "".join("." if n == 0 else chr(96 + n) if n > 0 else chr(64 - n) for n in position[1:25])
    own = sum(n for n in position if n > 0)
    others = -sum(n for n in position if n < 0)
    return points + "/" + "".join(f"{n:x}" for n in (position[25], -position[0], 15 - own, 15 - others))


def wrong_row(row: dict[str, Any]) -> str | None:
    """The name of a row that we answer otherwise."""
    position = (-row["bar"][1], *row["pts"], row["bar"][0])
    roll = Dice(*row["dice"])
    found = legal_plays(position, roll)
    for one in found:
        check_play(position, roll, one, row["use"])
    board = Board.from_view(position, Side.O)
    results = sorted(shown(board.after(Side.O, one).points) for one in found)
    right = (
        playable(position, roll) == row["use"]
        and all(len(one) == row["use"] for one in found)
        and len(results) == len(set(results)) == row["n"]
        and forced_play(position, roll) == (found[0] if row["n"] == 1 else None)
    )
    if "plays" in row:
        right = right and results == row["plays"]
    else:
        right = right and hashlib.sha256("\n".join(results).encode()).hexdigest() == row["sha256"]
    return None if right else str(row["id"])


def test_every_row_of_the_table_of_legal_plays() -> None:
    rows = 0
    wrong = []
    for row in json_rows("legal-plays.jsonl.gz"):
        rows += 1
        wrong.append(wrong_row(row))
    assert rows > 0
    assert [name for name in wrong if name] == []


# -- Counts by another engine --------------------------------------------------------------------------------

FROM_THE_START = {
    (1, 1): 42,
    (2, 1): 15,
    (2, 2): 75,
    (3, 1): 16,
    (3, 2): 17,
    (3, 3): 73,
    (4, 1): 14,
    (4, 2): 18,
    (4, 3): 17,
    (4, 4): 52,
    (5, 1): 8,
    (5, 2): 8,
    (5, 3): 9,
    (5, 4): 9,
    (5, 5): 4,
    (6, 1): 10,
    (6, 2): 14,
    (6, 3): 14,
    (6, 4): 14,
    (6, 5): 7,
    (6, 6): 11,
}


@pytest.mark.parametrize("roll", FROM_THE_START)
def test_number_of_plays_from_the_start(roll: tuple[int, int]) -> None:
    assert len(legal_plays(START.points, Dice(*roll))) == FROM_THE_START[roll]


@pytest.mark.parametrize(
    ("text", "roll", "must", "count"),
    [
        # One checker on the bar
        ("0:-2:0:0:0:0:5:0:4:0:0:0:-5:4:0:0:0:-2:0:-3:1:0:-1:0:-2:1", (4, 6), 2, 4),
        ("0:-2:0:0:-1:0:5:0:3:0:0:0:-3:6:0:0:0:0:0:-6:0:-1:-2:0:0:1", (2, 1), 2, 5),
        ("0:-2:0:3:2:0:2:0:2:0:1:0:-4:2:0:0:0:-2:0:-2:-2:0:0:-3:2:1", (5, 1), 2, 3),
        ("0:0:7:-1:0:0:0:0:0:0:0:0:0:0:0:-1:1:0:0:0:0:-2:-2:-3:-6:1", (4, 3), 0, 0),
        # Two on the bar
        ("0:-1:0:3:0:-1:5:2:3:0:0:0:0:0:0:0:0:0:0:0:0:-2:-3:-4:-4:2", (5, 1), 1, 1),
        ("0:0:3:3:0:0:5:2:0:-1:0:0:0:0:0:0:0:-1:0:0:0:-3:-3:-4:-3:2", (6, 3), 1, 1),
        # Bearing off
        ("0:3:4:2:2:2:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-1:0", (2, 5), 2, 9),
        ("0:3:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-5:-2:0", (5, 6), 2, 1),
        ("0:3:3:3:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-1:0:-3:-2:-3:0", (2, 3), 2, 2),
        ("0:4:4:3:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-1:-2:0", (5, 5), 4, 1),
        ("0:2:2:4:1:0:0:0:0:-1:0:0:0:0:0:0:0:-2:-2:-1:-3:-1:-1:-3:-1:0", (4, 4), 4, 1),
        # One die only
        ("0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-1:0:-3:-4:-5:0", (6, 1), 1, 1),
        ("0:1:8:4:0:0:-2:0:0:0:0:0:0:0:0:0:0:0:0:-2:-2:-3:-3:-3:2:0", (1, 4), 1, 2),
        ("0:9:3:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-2:-4:-1:-5:2:0", (5, 1), 1, 2),
        # One checker for both dice: its way on closed, then open, then another beside it
        ("0:8:6:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:0:1:0:-3:-5:-5:0", (5, 3), 1, 1),
        ("0:8:6:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:1:0:-3:-5:-5:0", (5, 3), 2, 1),
        ("0:8:5:0:0:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:0:2:0:-3:-5:-5:0", (5, 3), 2, 1),
        # The same for one that enters: its way on open, then closed
        ("0:8:6:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-3:0:0:0:-6:-6:1", (6, 3), 2, 1),
        ("0:8:6:0:0:0:0:0:0:0:0:0:0:0:0:0:-3:0:0:-3:0:0:0:-6:-3:1", (6, 3), 1, 1),
        # Equal dice, all or some
        ("0:6:4:0:1:0:0:0:1:0:0:0:0:0:0:0:0:-1:-1:0:3:0:-2:-7:-4:0", (4, 4), 4, 6),
        ("0:-5:2:4:0:0:2:0:2:0:0:2:-2:2:0:0:0:0:0:-2:-3:0:1:-1:-2:0", (3, 3), 4, 45),
        ("0:4:1:2:-1:2:0:0:3:0:0:0:-3:0:0:0:-3:-3:0:-3:0:2:1:-2:0:0", (4, 4), 4, 11),
        ("0:2:4:0:2:0:3:-2:2:0:0:0:0:2:0:0:0:-1:-1:-1:-1:-1:-1:-3:-4:0", (6, 6), 2, 1),
        ("0:3:2:3:3:0:1:1:0:0:0:0:0:0:0:0:0:0:0:0:-2:0:-3:-5:2:0", (4, 4), 2, 1),
    ],
)
def test_number_of_plays_in_awkward_positions(text: str, roll: tuple[int, int], must: int, count: int) -> None:
    assert playable(view(text), Dice(*roll)) == must
    assert len(legal_plays(view(text), Dice(*roll))) == count


def test_the_order_of_the_dice_does_not_matter() -> None:
    assert legal_plays(START.points, Dice(3, 1)) == legal_plays(START.points, Dice(1, 3))


# -- What is wrong with a play -------------------------------------------------------------------------------

BAR = view("0:-2:0:0:0:0:5:0:3:0:0:0:-5:4:0:0:0:-2:0:-5:-1:0:0:0:2:1")
INSIDE = view("0:2:2:0:3:0:1:0:0:0:0:0:0:0:0:0:0:0:0:-5:-5:-5:0:0:0:0")


@pytest.mark.parametrize(
    ("position", "roll", "tried", "expected"),
    [
        (START.points, Dice(3, 1), "8-5", (Fault.TOO_FEW, -1, 2)),
        (START.points, Dice(3, 1), "8-5 6-5 6-5", (Fault.TOO_MANY, -1, 2)),
        (START.points, Dice(3, 1), "5-8 6-5 6-5", (Fault.TOO_MANY, -1, 2)),
        (START.points, Dice(3, 1), "8-5 5-6", (Fault.DIRECTION, 1, 5)),
        (START.points, Dice(3, 1), "7-6 6-5", (Fault.NO_CHECKER, 0, 7)),
        (START.points, Dice(3, 1), "12-9 6-5", (Fault.NO_CHECKER, 0, 12)),
        (START.points, Dice(3, 1), "bar-22 6-5", (Fault.NO_CHECKER, 0, 25)),
        (START.points, Dice(6, 5), "13-7 6-1", (Fault.BLOCKED, 1, 1)),
        (START.points, Dice(3, 1), "13-12 6-3", (Fault.BLOCKED, 0, 12)),
        (START.points, Dice(3, 1), "24-20 6-5", (Fault.DISTANCE, 0, 4)),
        (START.points, Dice(3, 1), "8-5 8-5", (Fault.DISTANCE, 1, 3)),
        (START.points, Dice(3, 1), "6-off 6-5", (Fault.DISTANCE, 0, 6)),
        (START.points, Dice(6, 1), "6-off 6-5", (Fault.BEAR_OFF, 0, 6)),
        (BAR, Dice(3, 1), "6-3 bar-24", (Fault.BAR_FIRST, 0, 6)),
        (BAR, Dice(5, 6), "bar-20 6-off", (Fault.BEAR_OFF, 1, 6)),
        (INSIDE, Dice(5, 3), "4-off 6-3", (Fault.BEAR_OFF, 0, 4)),
        (INSIDE, Dice(5, 3), "6-1 4-off", (Fault.DISTANCE, 1, 4)),
        (INSIDE, Dice(5, 3), "6-3 5-off", (Fault.NO_CHECKER, 1, 5)),
    ],
)
def test_the_first_fault_is_named(position: View, roll: Dice, tried: str, expected: tuple[Fault, int, int]) -> None:
    assert fault(position, roll, play(tried)) == expected


def test_the_smaller_die_is_refused_by_its_distance_if_the_larger_can_be_played_instead() -> None:
    position = view("0:14:0:0:0:0:0:0:0:-2:0:0:0:0:0:0:0:0:0:0:1:0:0:0:-13:0")
    assert fault(position, Dice(6, 5), play("20-15")) == (Fault.DISTANCE, 0, 5)
    check_play(position, Dice(6, 5), play("20-14"))


def test_a_checker_that_either_die_takes_off_may_go_by_its_own_number() -> None:
    position = view("0:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:0")
    assert playable(position, Dice(6, 2)) == 1
    check_play(position, Dice(6, 2), play("2-off"))


def test_nothing_is_right_where_nothing_can_be_played() -> None:
    shut_out = view("0:0:0:0:0:0:14:0:0:0:0:0:-3:0:0:0:0:0:0:-2:-2:-2:-2:-2:-2:1")
    assert playable(shut_out, Dice(6, 6)) == 0
    assert legal_plays(shut_out, Dice(6, 6)) == legal_plays(shut_out, Dice(2, 1)) == []
    assert forced_play(shut_out, Dice(2, 1)) is None
    assert fault(shut_out, Dice(2, 1), play("bar-24")) == (Fault.TOO_MANY, -1, 0)


# -- Not everything is searched ------------------------------------------------------------------------------


def test_the_search_for_a_forced_play_stops_at_the_second_result(monkeypatch: pytest.MonkeyPatch) -> None:
    many = view("0:0:0:0:0:0:0:0:2:0:2:0:2:0:2:0:2:0:2:0:2:0:1:0:0:0")
    calls = []
    extend = movegen._extend

    def counted(*args: Any) -> None:
        calls.append(args)
        extend(*args)

    monkeypatch.setattr(movegen, "_extend", counted)
    assert forced_play(many, Dice(1, 1)) is None
    few = len(calls)
    assert len(legal_plays(many, Dice(1, 1))) > 300
    assert few <= 4 < 50 < len(calls)
