"""The record of a game, as `oldmoves` and the `moves` toggle show it (reference 6.10)."""

from collections.abc import Iterable, Mapping

from fibsd.backgammon.actions import (
    Action,
    Double,
    MakePlay,
    OpeningRoll,
    Pass,
    Redouble,
    RejectResignation,
    Resign,
    Roll,
    Take,
)
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.side import Side
from fibsd.protocol.messages import play
from fibsd.protocol.messages.template import Template
from fibsd.protocol.moves import format_play
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.account import Toggle
from fibsd.world.record import GameRecord

Lines = Iterable[str]


def move_list(event: e.MoveList, view: View) -> Lines:
    """The record of a game: at its end for players with `moves` on, or on request (reference 6.10)."""
    if event.asked or (view.playing and view.on(Toggle.MOVES)):
        yield from record_lines(event.record)


def record_lines(record: GameRecord) -> Lines:
    """A game in the layout of `oldmoves`; X's score stands first, as the colours line names X first."""
    names, score = record.names, record.score
    if record.length is None:
        yield play.OM_SCORE_UNLIMITED(a=score.x, b=score.o)
    else:
        yield play.OM_SCORE(a=score.x, b=score.o, n=record.length)
    yield play.OM_COLOURS(x_player=names.x, o_player=names.o)
    pending: tuple[Side, Dice] | None = None
    for action in record.actions:
        if isinstance(action, MakePlay) and pending is not None:
            yield _roll_line(pending, format_play(action.play, action.side))
            pending = None
            continue
        if pending is not None and isinstance(action, Roll | Double):
            # The other side goes on: the roll could not be played.
            yield _cannot_line(pending)
            pending = None
        match action:
            case Roll():
                pending = (action.side, action.dice)
            case OpeningRoll():
                pending = _opening(action)
            case _:
                yield from _short_line(action)
    if record.winner is not None:
        yield play.OM_WINS(side=record.winner.name)


def _opening(action: OpeningRoll) -> tuple[Side, Dice] | None:
    o, x = action.dice.o, action.dice.x
    if o == x:
        return None
    return (Side.O, Dice(o, x)) if o > x else (Side.X, Dice(x, o))


def _roll_line(roll: tuple[Side, Dice], moves: str) -> str:
    side, (d1, d2) = roll
    return play.OM_ROLL(side=side.name, d1=d1, d2=d2, moves=moves)


def _cannot_line(roll: tuple[Side, Dice]) -> str:
    side, (d1, d2) = roll
    return play.OM_CANT(side=side.name, d1=d1, d2=d2)


_SHORT: Mapping[type, Template] = {
    Double: play.OM_DOUBLES,
    Redouble: play.OM_DOUBLES,
    Take: play.OM_ACCEPTS,
    Pass: play.OM_REJECTS,
    Resign: play.OM_RESIGN,
    RejectResignation: play.OM_REJECTS,
}


def _short_line(action: Action) -> Lines:
    template = _SHORT.get(type(action))
    if template is not None and not isinstance(action, OpeningRoll):
        yield template(side=action.side.name)
