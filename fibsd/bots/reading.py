"""What the lines of a CLIP session mean to a player. Pure.

A bot knows the wire as any other client does: from the protocol, not from the server's own code.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import BAR, OFF, Play
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import BACKGAMMON, VARIANTS, Variant
from fibsd.values import frozen

FIELDS = 53
UNLIMITED = 9999

NAME = "[A-Za-z_]+"


@frozen(kw_only=True)
class Seen:
    """A `board:` line of one's own match.

    Attributes:
        length: Points to play for, None if the match is unlimited.
        score: Points of both sides.
        board: The checkers.
        side: One's own side.
        turn: Whose turn it is: with a double that waits, who must answer; None after a game.
        dice: One's own roll that is to be played.
        cube: As last agreed.
        may_turn: Whether the cube is one's own or in the middle, and no double waits.
        doubled: Whether one must answer a double.
        can_move: How many checkers one must move now.
        crawford: Whether neither side may double: the first game with a side one point from the end.
        crawford_over: Whether the side behind may double again, or the match has no Crawford rule.
    """

    length: int | None
    score: BySide[int]
    board: Board
    side: Side
    turn: Side | None
    dice: Dice | None
    cube: Cube
    may_turn: bool
    doubled: bool
    can_move: int
    crawford: bool
    crawford_over: bool

    @property
    def away(self) -> BySide[int] | None:
        """Points that each side still needs, at least 1; None in an unlimited match."""
        length = self.length
        return None if length is None else self.score.map(lambda points: max(1, length - points))

    @property
    def own_turn(self) -> bool:
        """Whether it is one's own turn."""
        return self.turn is self.side


@frozen
class OwnInfo:
    """The `2` of a login: what is set, `1` or `0` by the word of the toggle; `away` is one of them."""

    switches: Mapping[str, bool]


@frozen
class UserListEnd:
    """The `6` after users were listed."""


@frozen
class Told:
    """Somebody says something to nobody else."""

    sender: str
    text: str


@frozen
class Invited:
    """Somebody waits for `join NAME`."""

    name: str


@frozen
class Sought:
    """Somebody's open invitation, as a list of them shows it.

    Attributes:
        name: Whose it is.
        since: Since when, as it is written.
        words: Length, terms and limits of ratings.
    """

    name: str
    since: str
    words: tuple[str, ...]


@frozen
class Seated:
    """A match is begun or resumed; if it has added terms they are told next."""


@frozen(kw_only=True)
class Terms:
    """What is played, as far as it concerns a player's decisions.

    Attributes:
        variant: The game.
        nocube: Whether nobody may double.
        jacoby: Whether gammons count single as long as nobody owns the cube.
    """

    variant: Variant = BACKGAMMON
    nocube: bool = False
    jacoby: bool = False


FIBS_TERMS = Terms()
"""Those of a match to which nothing was added."""


@frozen
class MatchBegins:
    """A match is begun, or its next game."""


@frozen
class MatchEnds:
    """The match is over, or saved: nothing is played any more."""


@frozen
class AskedToRoll:
    """One's own turn begins."""


@frozen
class AskedToMove:
    """The dice are to be played."""


@frozen
class AskedToTake:
    """A double waits for an answer."""


@frozen
class AskedToAccept:
    """A resignation waits for an answer; it would win so many points."""

    points: int


@frozen
class AskedForNextGame:
    """The next game waits for `join`."""


@frozen
class ResignationRefused:
    """The other side plays on."""


@frozen
class Version:
    """The answer to `version`."""


@frozen
class Refused:
    """A line with two stars that is not known to be harmless."""

    text: str


Meaning: TypeAlias = (
    Seen
    | OwnInfo
    | UserListEnd
    | Told
    | Invited
    | Sought
    | Seated
    | Terms
    | MatchBegins
    | MatchEnds
    | AskedToRoll
    | AskedToMove
    | AskedToTake
    | AskedToAccept
    | AskedForNextGame
    | ResignationRefused
    | Version
    | Refused
)

_SWITCHES = ["allowpip", "autoboard", "autodouble", "automove", "away", "bell", "crawford", "double"]
_MORE_SWITCHES = ["greedy", "moreboards", "moves", "notify"]


def _terms(words: list[str]) -> Terms:
    """The terms that a bot must know; the others change nothing in what it decides."""
    variant = next((VARIANTS[word] for word in words if word in VARIANTS), BACKGAMMON)
    return Terms(variant=variant, nocube="nocube" in words or not variant.cube, jacoby="jacoby" in words)


def _own_info(found: re.Match[str]) -> OwnInfo | None:
    words = found.string.split()
    if len(words) != 22:
        return None
    switches = dict(zip(_SWITCHES, words[2:10], strict=True)) | dict(zip(_MORE_SWITCHES, words[11:15], strict=True))
    switches |= {"ready": words[17], "report": words[19], "silent": words[20]}
    return OwnInfo({name: word == "1" for name, word in switches.items()})


_LINES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Meaning | None]], ...] = tuple(
    (re.compile(pattern), meaning)
    for pattern, meaning in (
        (rf"2 {NAME} .*", _own_info),
        (r"6", lambda _: UserListEnd()),
        (rf"12 ({NAME}) (.*)", lambda found: Told(found[1], found[2])),
        # Whatever else begins with a number is talk, or news of others.
        (r"\d+( .*)?", lambda _: None),
        (rf"Type 'join ({NAME})' to accept\.", lambda found: Invited(found[1])),
        (rf"Starting a new game with {NAME}\.", lambda _: MatchBegins()),
        (r".*Your running match was loaded\.", lambda _: Seated()),
        (r"\*\* (You are now playing an? .* match with|Player .* has joined you for).*", lambda _: Seated()),
        (r"\*\* Terms: (.+)\.", lambda found: _terms(found[1].split())),
        (r"It's your turn( to|\. Please) roll or double\.?", lambda _: AskedToRoll()),
        (r"It's your turn to move\.", lambda _: AskedToMove()),
        (r"Please move \d pieces?\.", lambda _: AskedToMove()),
        (rf"{NAME} (re)?doubles\. Type 'accept' or 'reject'\.", lambda _: AskedToTake()),
        (
            rf"{NAME} wants to resign\. You will win (\d+) points?\. Type 'accept' or 'reject'\.",
            lambda found: AskedToAccept(int(found[1])),
        ),
        (r"Type 'join' if you want to play the next game, type 'leave' if you don't\.", lambda _: AskedForNextGame()),
        (rf"{NAME} rejects\. The game continues\.", lambda _: ResignationRefused()),
        (rf"(You win|{NAME} wins) the \d+ point match +\d+-\d+ \.", lambda _: MatchEnds()),
        (r".*The game was saved\.", lambda _: MatchEnds()),
        (rf"Your game with {NAME} was saved\.", lambda _: MatchEnds()),
        (rf"{NAME} voided your match\..*", lambda _: MatchEnds()),
        (r"\*\* You're not playing( or watching)?\.", lambda _: MatchEnds()),
        (
            rf"\*\* ({NAME}) +-?\d+\.\d\d +\d+  since (\d\d:\d\d)  (.+)",
            lambda found: Sought(found[1], found[2], tuple(found[3].split())),
        ),
        (r"\*\* (name +rating +exp\b|Nobody seeks an opponent\.).*", lambda _: None),
        (r"\*\* Version .*", lambda _: Version()),
        (
            r"\*\* (You are now playing|Player|Please wait|You're now|\d+ users? heard you|Last login|Warning"
            r"|Ghost:).*",
            lambda _: None,
        ),
        # News of the clock, of points, and of what is done in a player's place.
        (
            rf"\*\* (You have \d+ seconds? left\.|{NAME}'s time is up:|{NAME} did not come back|{NAME} lets the server"
            rf"|The server moves|You win the stakes:|{NAME} wins the stakes:|You have your stake back:).*",
            lambda _: None,
        ),
        (r"\*\* (.*)", lambda found: Refused(found[1])),
    )
)


def read(line: str) -> Meaning | None:
    """What a line without its end means; None if it is nothing that a player must know.

    A board line that is broken, or that belongs to somebody else's match, means nothing.
    """
    if line.startswith("board:"):
        return _board(line)
    for pattern, meaning in _LINES:
        found = pattern.fullmatch(line)
        if found is not None:
            return meaning(found)
    return None


def _board(line: str) -> Seen | None:
    fields = line.split(":")
    if len(fields) != FIELDS or fields[1] != "You":
        return None
    try:
        numbers = [0, 0, 0, *map(int, fields[3:])]
        side = Side(numbers[41])
        return Seen(
            length=None if numbers[3] == UNLIMITED else numbers[3],
            score=BySide.both(numbers[5]).put(side, numbers[4]),
            board=Board(points=tuple(numbers[6:32])),
            side=side,
            turn=Side(numbers[32]) if numbers[32] else None,
            dice=Dice(numbers[33], numbers[34]) if numbers[33] else None,
            cube=_cube(numbers, side),
            may_turn=numbers[38] == 1,
            doubled=numbers[40] == 1,
            can_move=numbers[49],
            crawford=_is_crawford(numbers),
            crawford_over=numbers[51] == 1 or numbers[50] != 0,
        )
    except ValueError:
        return None


def _cube(numbers: list[int], side: Side) -> Cube:
    """Fields 37 to 39. While a double waits nothing tells who owns the cube, and nothing depends on it."""
    owner = {(1, 0): side, (0, 1): side.other}.get((numbers[38], numbers[39]))
    return Cube(value=numbers[37], owner=owner)


def _is_crawford(numbers: list[int]) -> bool:
    """Fields 3 to 5 and 50, 51: a side needs one point, and the Crawford game is not over."""
    length = numbers[3]
    return length != UNLIMITED and length - 1 in numbers[4:6] and numbers[50] == 0 and numbers[51] == 0


def move_words(play: Play, side: Side) -> str:
    """A play as it is typed: `8-5 6-5`, in the numbering of the board."""

    def word(point: int) -> str:
        if point == BAR:
            return "bar"
        if point == OFF:
            return "off"
        return str(point if side is Side.O else 25 - point)

    return " ".join(f"{word(source)}-{word(target)}" for source, target in play)
