"""Boards in FIBS's three styles: 1 and 2 drawn, 3 as one `board:` line.

Every board is seen from one side, whose player is "player 1" (FIBS protocol, "Boards"). That player himself
gets `own=True`, who watches him False.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Final, Literal

from fibsd.backgammon.cube import CUBE_LIMIT
from fibsd.backgammon.game import Game, Phase
from fibsd.backgammon.match import Match
from fibsd.backgammon.side import BySide, Side
from fibsd.values import frozen
from fibsd.world.snapshot import Snapshot

UNLIMITED_LENGTH: Final = 9999
"""What field 3 says for an unlimited match."""

REDOUBLES_LIMIT: Final = 99
"""From here on redoubles are unlimited; field 52 shows no larger number."""

_YOU: Final = "You"
_NAME_WIDTH: Final = 15
_ROWS: Final = 5
_CHECKERS: Final = 15

# Texts of -15..15, found by the number itself: a negative index looks from the end, so these stand there.
# A turn shows many such numbers, and to write one anew costs more than to find it.
_NUMBERS: Final = (*(str(n) for n in range(_CHECKERS + 1)), *(str(n) for n in range(-_CHECKERS, 0)))
_NO_DICE: Final = ("0:0:0:0:0", "1:0:0:0:0", "-1:0:0:0:0")
"""Fields 32 to 36 without dice, by who is on turn: nobody, O, X."""
_VALUES: Final = {1 << doubles: str(1 << doubles) for doubles in range(CUBE_LIMIT.bit_length())}
"""Texts of the cube's values."""
# See `fibsd.backgammon.side`: these are looked up in each turn.
_O: Final = Side.O
_OVER: Final = Phase.OVER


def raw_board(snapshot: Snapshot, side: Side, own: bool) -> str:
    """The line of boardstyle 3: 53 fields, without its line end (FIBS protocol, "boardstyle 3").

    Args:
        snapshot: The match to show.
        side: Player 1's side.
        own: The line is for player 1, who reads `You` there.
    """
    match = snapshot.match
    game = match.game
    names, score = snapshot.names, match.score
    numbers, sides_o, sides_x = _position(game.board.points)
    if side is _O:
        mine, other, scores, sides = names.o, names.x, f"{score.o}:{score.x}", sides_o
    else:
        mine, other, scores, sides = names.x, names.o, f"{score.x}:{score.o}", sides_x
    # What follows is written out for the game that waits for a roll or a play: a turn shows four of these.
    dice = game.dice
    if dice is None:
        shown, may_move = _turn_without_dice(game), 0
    elif game.turn is side:
        shown, may_move = f"{_NUMBERS[side]}:{_NUMBERS[dice[0]]}:{_NUMBERS[dice[1]]}:0:0", game.playable
    else:
        shown, may_move = f"{_NUMBERS[-side]}:0:0:{_NUMBERS[dice[0]]}:{_NUMBERS[dice[1]]}", 0
    length = match.length
    return (
        f"board:{_YOU if own else mine}:{other}:{UNLIMITED_LENGTH if length is None else length}"
        f":{scores}:{numbers}:{shown}:{_cube(game, side)}:{sides}"
        f":{_NUMBERS[may_move]}:{_match_marks(match)}"
    )


# A position is shown four times, to both players after the play and after the next roll, and these texts are more
# than half of what a line costs. They are kept for so many that a thousand other tables may move before that roll.
@lru_cache(maxsize=1024)
def _position(points: tuple[int, ...]) -> tuple[str, str, str]:
    """Fields 7 to 32, and 41 to 48 with each side as player 1, O first."""
    both, more = sum(map(abs, points)), sum(points)
    off_o, off_x = _CHECKERS - (both + more) // 2, _CHECKERS - (both - more) // 2
    bar_o, bar_x = _NUMBERS[points[25]], _NUMBERS[-points[0]]
    return (
        ":".join(itemgetter(*points)(_NUMBERS)),
        f"1:-1:0:25:{off_o}:{off_x}:{bar_o}:{bar_x}",
        f"-1:1:25:0:{off_x}:{off_o}:{bar_x}:{bar_o}",
    )


def _turn_without_dice(game: Game) -> str:
    """Fields 32 to 36 while there is no roll to be played."""
    turn = game.turn
    if turn is None or game.phase is _OVER:
        return _NO_DICE[0]
    if game.offer is not None:
        turn = game.offer.to_answer
    return _NO_DICE[turn]


def _cube(game: Game, side: Side) -> str:
    """Fields 37 to 40: value, who may double, was doubled.

    May double tells the owner only, not whether doubling is allowed: both 1 while the cube is in the middle,
    also in a match of one point and in the Crawford game. Both are 0 while a double waits and at the limit.
    """
    if game.offer is not None:
        return f"{game.agreed_cube.value}:0:0:{'1' if game.offer.to_answer is side else '0'}"
    cube = game.cube
    value, owner = _VALUES[cube.value], cube.owner
    if cube.value >= CUBE_LIMIT:
        return value + ":0:0:0"
    if owner is None:
        return value + ":1:1:0"
    return value + (":1:0:0" if owner is side else ":0:1:0")


def _match_marks(match: Match) -> str:
    """Fields 50 to 52: the mark of a match without Crawford, did crawford, redoubles.

    Field 50 is misnamed "forced move": clients read a number other than 0 as "a player needs one point and
    the Crawford rule is not in force".
    """
    length = match.length
    if length is None:
        return f"0:0:{min(match.redoubles, REDOUBLES_LIMIT)}"
    if match.crawford:
        return "0:1:0" if match.is_post_crawford else "0:0:0"
    score = match.score
    return "3:0:0" if length > 1 and length - 1 in (score.o, score.x) else "0:0:0"


# --- boardstyles 1 and 2 ---


@frozen(kw_only=True)
class _Layout:
    """How a board lies before player 1: his home is lower right if he is O, lower left if he is X.

    Attributes:
        top: Points of the upper half, from left to right.
        bottom: Points of the lower half, from left to right.
        top_border: The upper border of style 1, numbers inside.
        bottom_border: The lower one.
        top_numbers: The line above the board in style 2.
        bottom_numbers: The line below it.
        middle: The row of the bar, which tells by its `v` where player 1 moves.
    """

    top: tuple[int, ...]
    bottom: tuple[int, ...]
    top_border: str
    bottom_border: str
    top_numbers: str
    bottom_numbers: str
    middle: str


_LAYOUTS: Final = BySide(
    o=_Layout(
        top=tuple(range(13, 25)),
        bottom=tuple(range(12, 0, -1)),
        top_border="   +13-14-15-16-17-18-------19-20-21-22-23-24-+",
        bottom_border="   +12-11-10--9--8--7--------6--5--4--3--2--1-+",
        top_numbers="    13 14 15 16 17 18       19 20 21 22 23 24",
        bottom_numbers="    12 11 10  9  8  7        6  5  4  3  2  1",
        middle="  v|                  |BAR|                   |",
    ),
    x=_Layout(
        top=tuple(range(1, 13)),
        bottom=tuple(range(24, 12, -1)),
        top_border="   +-1--2--3--4--5--6--------7--8--9-10-11-12-+",
        bottom_border="   +24-23-22-21-20-19-------18-17-16-15-14-13-+",
        top_numbers="     1  2  3  4  5  6        7  8  9 10 11 12",
        bottom_numbers="    24 23 22 21 20 19       18 17 16 15 14 13",
        middle="   |                  |BAR|                   |v",
    ),
)
_PLAIN_BORDER: Final = "   +------------------------------------------+"
_LETTERS: Final = BySide(o="O", x="X")


def _column(checkers: int) -> tuple[str, ...]:
    """The cells of one point, from the border inwards; of more than five the innermost shows how many."""
    letter = "O" if checkers > 0 else "X"
    count = abs(checkers)
    cells = [f" {letter} " if count > row else "   " for row in range(_ROWS)]
    if count > _ROWS:
        cells[-1] = f"{count:2d} "
    return tuple(cells)


_COLUMNS: Final = tuple(_column(int(number)) for number in _NUMBERS)


def _half(points: tuple[int, ...], order: tuple[int, ...], bar: int) -> list[str]:
    """Five rows of one half, from the border inwards; `bar` counts like a point, X's checkers negative."""
    columns = [_COLUMNS[points[point]] for point in order]
    return [
        f"   |{''.join(cells[:6])}|{bar_cell}| {''.join(cells[6:])}|"
        for cells, bar_cell in zip(zip(*columns, strict=True), _COLUMNS[bar], strict=True)
    ]


def drawn_board(snapshot: Snapshot, side: Side, style: Literal[1, 2], own: bool) -> list[str]:
    """A board of style 1 or 2, an empty line, and the line of bar, men off, cube and turn.

    Args:
        snapshot: The match to show.
        side: Player 1's side, drawn at the bottom.
        style: 1 has the numbers inside the border, 2 on lines of their own.
        own: The board is for player 1; only the last line differs, names are shown in full on the board.

    Returns:
        Lines without line ends and without blanks at their ends.
    """
    match = snapshot.match
    layout = _LAYOUTS.of(side)
    points = match.game.board.points
    bars = BySide(o=points[25], x=points[0])
    lower = _half(points, layout.bottom, bars.of(side))
    lower.reverse()
    if match.length is None:
        lower[0] += f"    {_redoubles(match.redoubles)}"
    border = (layout.top_border, layout.bottom_border) if style == 1 else (_PLAIN_BORDER, _PLAIN_BORDER)
    lines = [
        f"{border[0]} {_player(snapshot, side.other)}",
        *_half(points, layout.top, bars.of(side.other)),
        f"{layout.middle}    {'unlimited' if match.length is None else f'{match.length}-point'} match",
        *lower,
        f"{border[1]} {_player(snapshot, side)}",
    ]
    if style == 2:
        lines = [layout.top_numbers, *lines, layout.bottom_numbers]
    return [*lines, "", _info(snapshot, side, own)]


def _player(snapshot: Snapshot, side: Side) -> str:
    name = snapshot.names.of(side)[:_NAME_WIDTH]
    return f"{_LETTERS.of(side)}: {name} - score: {snapshot.match.score.of(side)}"


def _redoubles(redoubles: int) -> str:
    if redoubles == 0:
        return "No redoubles"
    if redoubles >= REDOUBLES_LIMIT:
        return "Unlimited redoubles"
    return "1 redouble" if redoubles == 1 else f"{redoubles} redoubles"


def _info(snapshot: Snapshot, side: Side, own: bool) -> str:
    game = snapshot.match.game
    board = game.board
    cube = game.agreed_cube
    owner = "" if cube.owner is None else f" (owned by {snapshot.names.of(cube.owner)})"
    state = _state(snapshot, side, own)
    return (
        f"   BAR: O-{board.bar(Side.O)} X-{board.bar(Side.X)}"
        f"   OFF: O-{board.off(Side.O)} X-{board.off(Side.X)}"
        f"   Cube: {cube.value}{owner}{state and '  '}{state}"
    )


def _state(snapshot: Snapshot, side: Side, own: bool) -> str:
    """Whose turn it is, what was rolled or offered; empty before the opening is won and after the game."""
    game = snapshot.match.game
    if game.turn is None or game.phase is Phase.OVER:
        return ""
    if game.offer is not None:
        return f"{snapshot.names.of(game.offer.by)} doubled."
    if game.dice is None:
        return f"turn: {snapshot.names.of(game.turn)}"
    who = _YOU if own and game.turn is side else snapshot.names.of(game.turn)
    return f"{who} rolled {game.dice.first} {game.dice.second}."
