"""What players and watchers see of a game that is being played (reference 6.3 to 6.7)."""

from collections.abc import Iterable

from fibsd.backgammon.play import Play
from fibsd.backgammon.side import Side
from fibsd.protocol.messages import own, play
from fibsd.protocol.messages.template import plural, points
from fibsd.protocol.moves import format_play, format_point
from fibsd.protocol.viewer import View
from fibsd.world import events as e
from fibsd.world.account import Toggle

Lines = Iterable[str]

# The sentences of every turn, for `%`.
_YOU_ROLL, _ROLLS = play.YOU_ROLL.ordered("d1", "d2"), play.ROLLS.ordered("name", "d1", "d2")
_MOVES, _PLEASE_MOVE = play.MOVES.ordered("name", "moves"), play.PLEASE_MOVE.ordered("pieces")
_AUTOBOARD, _MOREBOARDS = Toggle.AUTOBOARD, Toggle.MOREBOARDS


# --- opening, rolling, moving ----------------------------------------------------------------------------------


def game_started(event: e.GameStarted, view: View) -> Lines:
    """To players and watchers: the opponent is the other one than the reader, or than whom he watches."""
    if view.side is not None:
        yield play.STARTING_GAME(opponent=event.names.of(view.side.other))


def opening_rolled(event: e.OpeningRolled, view: View) -> Lines:
    """Players see their own die first, watchers X's."""
    names, dice = event.names, event.dice
    if view.playing and view.side is not None:
        other = view.side.other
        yield play.OPENING_ROLLED(d3=dice.of(view.side), opponent=names.of(other), d4=dice.of(other))
    else:
        yield play.OPENING_ROLLED_WATCHED(x_player=names.x, d3=dice.x, o_player=names.o, d4=dice.o)


def cube_raised(event: e.CubeRaised, view: View) -> Lines:
    """An automatic double."""
    yield play.OPENING_CUBE(cube=event.value)


def opening_won(event: e.OpeningWon, view: View) -> Lines:
    """The winner is asked to move; FIBS sends no `Please move` at the opening."""
    if view.plays(event.side):
        yield play.OPENING_YOUR_TURN()
    else:
        yield play.OPENING_FIRST_MOVE(name=event.names.of(event.side))
    if view.on(Toggle.AUTOBOARD):
        yield from view.own_board(event.snapshot)


def asked_to_roll(event: e.AskedToRoll, view: View) -> Lines:
    """FIBS has two forms: the first time, and when it asks again; only the player himself is asked."""
    if not view.plays(event.side):
        return []
    return [play.TURN_ROLL_OR_DOUBLE() if event.again else play.PLEASE_ROLL_OR_DOUBLE()]


def asked_to_move(event: e.AskedToMove, view: View) -> Lines:
    """How many checkers must be moved; only the player himself is asked."""
    return [_PLEASE_MOVE % plural(event.checkers, "piece")] if view.plays(event.side) else []


def asked_to_answer(event: e.AskedToAnswer, view: View) -> Lines:
    """After a resume: the double that waits is told again."""
    return doubled(e.Doubled(event.names, event.by, event.redouble), view)


def rolled(event: e.Rolled, view: View) -> Lines:
    """With `moreboards`, a raw board follows."""
    dice = event.dice
    said = _YOU_ROLL % dice if view.plays(event.side) else _ROLLS % (event.names.of(event.side), *dice)
    if view.boardstyle == 3 and _MOREBOARDS in view.toggles:
        return [said, *view.own_board(event.snapshot)]
    return [said]


def cannot_move(event: e.CannotMove, view: View) -> Lines:
    """No board follows."""
    if view.plays(event.side):
        yield play.YOU_CANT_MOVE()
    else:
        yield play.CANT_MOVE(name=event.names.of(event.side))


def moved(event: e.Moved, view: View) -> Lines:
    """The mover sees the board, or `Done.`; no board follows the play that ends the game."""
    shows_board = event.snapshot.match.game.result is None and _AUTOBOARD in view.toggles
    if not view.plays(event.side):
        lines = [_MOVES % (event.names.of(event.side), format_play(event.play, event.side))]
    elif event.forced is None:
        over = event.snapshot.match.game.result is not None
        lines = [] if shows_board or over else [play.DONE()]
    else:
        lines = [_forced(event, event.forced, view)]
    return [*lines, *view.own_board(event.snapshot)] if shows_board else lines


def _forced(event: e.Moved, forced: e.Forced, view: View) -> str:
    """What the mover is told of a play that the server made for him."""
    if forced is e.Forced.BEAR_OFF:
        return play.BEARING_OFF(moves=bear_list(event.play, event.side))
    # A program learns a play in his place by the only sentence that FIBS has for one.
    said = own.OWN_PLAYED if forced is e.Forced.PLAYOUT and view.extras else play.ONLY_MOVE
    return said(moves=format_play(event.play, event.side))


def plays_on(event: e.PlaysOn, view: View) -> Lines:
    """To those who want what FIBS does not have, and to whoever has typed it."""
    if view.plays(event.side):
        if event.typed or view.extras:
            yield own.OWN_PLAYOUT_ON()
    elif view.extras:
        yield own.OWN_PLAYOUT_OTHER(name=event.names.of(event.side))


def bear_list(moves: Play, side: Side) -> str:
    """The checkers borne off by a play: `6 o 5 o ` (point, blank, `o`, blank for each)."""
    return "".join(f"{format_point(move.source, side)} o " for move in moves if move.target == 0)


# --- cube and resignation --------------------------------------------------------------------------------------


def doubled(event: e.Doubled, view: View) -> Lines:
    """No board follows."""
    name, opponent = event.names.of(event.side), event.names.of(event.side.other)
    if view.plays(event.side):
        yield play.YOU_DOUBLE(opponent=opponent)
    elif view.playing:
        yield play.REDOUBLES(name=name) if event.redouble else play.DOUBLES_ACCEPT(name=name)
    else:
        yield play.DOUBLES(name=name)


def double_taken(event: e.DoubleTaken, view: View) -> Lines:
    """No board follows."""
    name = event.names.of(event.side)
    if view.plays(event.side):
        yield play.YOU_ACCEPT_CUBE(cube=event.cube)
    elif view.playing:
        yield play.ACCEPTS_CUBE(name=name, cube=event.cube)
    else:
        yield play.ACCEPTS_DOUBLE(name=name)


def double_dropped(event: e.DoubleDropped, view: View) -> Lines:
    """The end of the game."""
    loser, winner = event.names.of(event.side), event.names.of(event.side.other)
    if view.plays(event.side):
        yield play.YOU_GIVE_UP(winner=winner, points=points(event.points))
    elif view.playing:
        yield play.GIVES_UP_YOU_WIN(name=loser, points=points(event.points))
    else:
        yield play.GIVES_UP(loser=loser, winner=winner, points=points(event.points))


def resign_offered(event: e.ResignOffered, view: View) -> Lines:
    """The points are the size of the loss times the cube."""
    name, opponent = event.names.of(event.side), event.names.of(event.side.other)
    if view.plays(event.side):
        yield play.YOU_RESIGN(opponent=opponent, points=points(event.points))
    elif view.playing:
        yield play.RESIGNS_ACCEPT(name=name, points=points(event.points))
    else:
        yield play.RESIGNS(name=name, opponent=opponent, points=points(event.points))


def resign_accepted(event: e.ResignAccepted, view: View) -> Lines:
    """The end of the game."""
    if view.plays(event.side):
        yield play.YOU_ACCEPT_RESIGN(points=points(event.points))
    else:
        yield play.RESIGN_ACCEPTED(name=event.names.of(event.side), points=points(event.points))


def resign_rejected(event: e.ResignRejected, view: View) -> Lines:
    """The game goes on."""
    if view.plays(event.side):
        yield play.YOU_REJECT_RESIGN()
    else:
        yield play.RESIGN_REJECTED(name=event.names.of(event.side))


# --- on request ------------------------------------------------------------------------------------------------


def board_shown(event: e.BoardShown, view: View) -> Lines:
    """A board that was asked for."""
    if event.always or view.on(Toggle.AUTOBOARD):
        yield from view.board(event.snapshot, event.side, own=event.own)


def pip_counts(event: e.PipCounts, view: View) -> Lines:
    """The caller first."""
    yield play.PIP(player1=event.first, a=event.first_pips, player2=event.second, b=event.second_pips)
