"""Moves as FIBS writes them, to and from the mover's own numbering.

On the wire both sides use one numbering: O moves from 24 down to 1, X from 1 up to 24; `bar` and `off` are
words (FIBS protocol, "Colours, direction, numbering" and "A turn"). Inside, both count from 24 down to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fibsd.backgammon.play import BAR, OFF, Move, Play
from fibsd.backgammon.side import BySide, Side

PARSED_MOVES_LIMIT: Final = 8
"""More moves than this are not read: a roll gives four at most, and the rules say "too many" anyway."""

_BAR_WORDS: Final = frozenset({"bar", "b"})
_OFF_WORDS: Final = frozenset({"off", "o", "home", "h"})
_DASH: Final = "-"
_DIGITS: Final = frozenset("0123456789")
_B: Final = frozenset("bB")


class MalformedMove(Exception):
    """The text is no move; FIBS answers with its list of legal words.

    Attributes:
        nth: Which move of the text cannot be read, from 0.
    """

    def __init__(self, nth: int) -> None:
        """Keep which move it is."""
        super().__init__(nth)
        self.nth = nth


def _absolute(side: Side, point: int) -> int:
    """A point from one numbering to the other; its own inverse."""
    return point if side is Side.O else 25 - point


def _point_words(side: Side) -> dict[str, int]:
    return {str(point): _absolute(side, point) for point in range(1, 25)}


def _with_words(points: Mapping[str, int], words: frozenset[str], value: int) -> dict[str, int]:
    return {**points, **dict.fromkeys(words, value)}


_SIDES: Final = BySide(o=Side.O, x=Side.X)
_POINTS: Final = _SIDES.map(_point_words)
_SOURCES: Final = _POINTS.map(lambda points: _with_words(points, _BAR_WORDS, BAR))
_TARGETS: Final = _POINTS.map(lambda points: _with_words(points, _OFF_WORDS, OFF))


def _names(side: Side) -> tuple[str, ...]:
    """The word for each number of the mover, 0 (off) to 25 (bar)."""
    return ("off", *(str(_absolute(side, point)) for point in range(1, 25)), "bar")


_NAMES: Final = _SIDES.map(_names)


def _moves_by_word(side: Side) -> dict[str, Move]:
    """Every move in the one form in which programs write it, and the server itself: `24-20`, `bar-20`, `5-off`."""
    names = _NAMES.of(side)
    return {f"{names[s]}-{names[t]}": Move(s, t) for s in range(1, BAR + 1) for t in range(OFF, BAR)}


_MOVES_BY_WORD: Final = _SIDES.map(_moves_by_word)


def _tokens(text: str) -> Iterator[str]:
    """Words and dashes; only blanks part words, whatever else a library may call white space."""
    return (token for token in text.lower().replace(_DASH, " - ").split(" ") if token)


def parse_moves(words: Sequence[str] | str, side: Side) -> Play:
    """Read what follows `move`, or a whole line that begins with a move.

    Source and target are parted by a dash, blanks or both: `24-20 13-9`, `24 20 13 9`, `bar - 5`, `5-off`.
    Case does not matter. Several steps of one checker in one word (`24-18-15`) are refused, as on FIBS.

    Args:
        words: The words, or the text they were cut from.
        side: Who moves.

    Returns:
        The moves in the order typed, in the mover's numbering; at most PARSED_MOVES_LIMIT of them. Whether
        they can be played is for the rules to say.

    Raises:
        MalformedMove: A word is no point and no legal word for its place, or half a move or all is missing.
    """
    text = words if isinstance(words, str) else " ".join(words)
    usual = _MOVES_BY_WORD.of(side)
    # A look at each word gives nearly every play that is typed, at a quarter of what reading it costs.
    found = [usual.get(word) for word in text.split(" ", PARSED_MOVES_LIMIT)]
    play = tuple([move for move in found if move is not None])
    if len(found) == len(play) <= PARSED_MOVES_LIMIT:
        return play
    return _read_moves(text, side)


def _read_moves(text: str, side: Side) -> Play:
    """What `parse_moves` gives, of a text in whatever form."""
    sources, targets = _SOURCES.of(side), _TARGETS.of(side)
    tokens = _tokens(text)
    moves: list[Move] = []
    for token in tokens:
        if len(moves) == PARSED_MOVES_LIMIT:
            break
        source = sources.get(token)
        target_word = next(tokens, None)
        if target_word == _DASH:
            target_word = next(tokens, None)
        target = None if target_word is None else targets.get(target_word)
        if source is None or target is None:
            raise MalformedMove(len(moves))
        moves.append(Move(source, target))
    if not moves:
        raise MalformedMove(0)
    return tuple(moves)


def format_play(play: Play, side: Side) -> str:
    """Write a play as FIBS does: `24-20 13-9`, `bar-21`, `5-off`, in the one numbering of the wire.

    Args:
        play: Moves in the mover's numbering.
        side: Who moves.
    """
    names = _NAMES.of(side)
    return " ".join([f"{names[source]}-{names[target]}" for source, target in play])


def format_point(point: int, side: Side) -> str:
    """Write one point of the mover (0 is off, 25 the bar) in the numbering of the wire."""
    return _NAMES.of(side)[point]


def looks_like_move(word: str) -> bool:
    """Whether a line with this first word is a move without its command word (FIBS help: move).

    A digit comes first, or it is `bar`, alone or with a dash. `b` is the command `board`, and `off` is a
    command of its own.
    """
    return word[:1] in _DIGITS or (word[:1] in _B and word[:4].lower() in ("bar", "bar-"))
