"""Actions as short ASCII texts, for a log that is only appended to and played back.

The side comes first, then a letter for the action, then what it needs:

- `o 6 3`: opening roll, O's die first
- `O r 6 3`: roll
- `X m 24-18 bar-20`: play, in the mover's numbering
- `O d`, `X b`, `X t`, `X p`: double, turned again (beaver and so on), take, pass
- `O R 2`, `X A`, `X J`, `O W`: resignation (1 to 3), accepted, rejected, withdrawn
- `O F 2`: the game awarded against O (1 to 3)

A log outlives the code that wrote it: letters may be added, but never change their meaning.
"""

import re
from collections.abc import Mapping
from typing import TypeAlias

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
from fibsd.backgammon.play import BAR, OFF, Move
from fibsd.backgammon.side import BySide, Side

_Plain: TypeAlias = Double | Redouble | Take | Pass | AcceptResignation | RejectResignation | WithdrawResignation

_O = Side.O  # see `side`
_PLAIN: Mapping[str, type[_Plain]] = {
    "d": Double,
    "b": Redouble,
    "t": Take,
    "p": Pass,
    "A": AcceptResignation,
    "J": RejectResignation,
    "W": WithdrawResignation,
}
_LETTERS = {action: letter for letter, action in _PLAIN.items()}

_POINT = "(?:[1-9]|1[0-9]|2[0-4])"
_MOVE = f"(?:bar|{_POINT})-(?:off|{_POINT})"
_TEXT = re.compile(
    f"o (?P<o>[1-6]) (?P<x>[1-6])"
    f"|(?P<side>[OX]) (?:r (?P<first>[1-6]) (?P<second>[1-6])"
    f"|m (?P<moves>{_MOVE}(?: {_MOVE}){{0,3}})"
    f"|(?P<loss>[RF]) (?P<size>[1-3])"
    f"|(?P<plain>[{''.join(_PLAIN)}]))"
)
_POINTS = {point: str(point) for point in range(1, 25)}
_MOVES: Mapping[str, Move] = {
    f"{source_word}-{target_word}": Move(source, target)
    for source, source_word in (_POINTS | {BAR: "bar"}).items()
    for target, target_word in (_POINTS | {OFF: "off"}).items()
}
_MOVE_WORDS = {move: word for word, move in _MOVES.items()}


def encode(action: Action) -> str:
    """The text of an action."""
    if isinstance(action, OpeningRoll):
        return f"o {action.dice.o} {action.dice.x}"
    side = "O" if action.side is _O else "X"
    if isinstance(action, MakePlay):
        return f"{side} m {' '.join([_MOVE_WORDS[move] for move in action.play])}"
    if isinstance(action, Roll):
        return f"{side} r {action.dice.first} {action.dice.second}"
    if isinstance(action, Resign):
        return f"{side} R {action.size}"
    if isinstance(action, Forfeit):
        return f"{side} F {action.size}"
    return f"{side} {_LETTERS[type(action)]}"


def decode(text: str) -> Action:
    """The action that a text means. Whether the rules allow it is not asked.

    Raises:
        ValueError: The text is not exactly of a form that `encode` writes.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise ValueError(f"not the text of an action: {text!r}")
    if found["o"]:
        return OpeningRoll(dice=BySide(o=int(found["o"]), x=int(found["x"])))
    side = Side[found["side"]]
    if found["first"]:
        return Roll(side=side, dice=Dice(int(found["first"]), int(found["second"])))
    if found["moves"]:
        return MakePlay(side=side, play=tuple([_MOVES[word] for word in found["moves"].split(" ")]))
    if found["size"]:
        kind = Resign if found["loss"] == "R" else Forfeit
        return kind(side=side, size=int(found["size"]))
    return _PLAIN[found["plain"]](side=side)
