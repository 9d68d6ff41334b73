"""The record of a game, as `oldmoves` and the `moves` toggle show it (reference 6.10)."""

from collections.abc import Iterable, Mapping

from fibsd.backgammon.actions import (
    AcceptResignation,
    Action,
    Double,
    MakePlay,
    OpeningRoll,
    Pass,
    Redouble,
    Roll,
    Take,
)
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.side import Side
from fibsd.protocol.messages import play, terms
from fibsd.protocol.messages.template import Template
from fibsd.protocol.moves import format_play
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.record import GameRecord

Lines = Iterable[str]


def move_list(event: e.MoveList, view: View) -> Lines:
    """The record of a game (reference 6.10)."""
    if view.extras and event.record.terms:
        yield terms.TERM_WORDS(words=event.record.terms)
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
            case AcceptResignation():
                if pending is not None and record.snapshot.match.game.turn is not pending[0]:
                    # The turn has passed to the other side; a roll that could still be played has no line.
                    yield _cannot_line(pending)
                # One that was refused has no line. GNU Backgammon reads every `rejects` as a dropped double, and
                # stops reading at `wants to resign` before the first play.
                yield play.OM_RESIGN(side=action.side.other.name)
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
}


def _short_line(action: Action) -> Lines:
    template = _SHORT.get(type(action))
    if template is not None and not isinstance(action, OpeningRoll):
        yield template(side=action.side.name)
