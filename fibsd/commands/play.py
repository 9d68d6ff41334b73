"""Commands of the game: roll, move, the cube, resigning, boards, pip counts, records."""

import math
from collections.abc import Callable

from fibsd.backgammon.side import BySide, Side
from fibsd.commands.call import Call, Services
from fibsd.protocol.boards import raw_board
from fibsd.protocol.moves import MalformedMove, parse_moves
from fibsd.world import invitations, play
from fibsd.world.account import Toggle
from fibsd.world.audience import Result
from fibsd.world.changes import MatchRow
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import AskedToRoll, BoardShown, MoveList, PipCounts, Text, TimeLeftShown
from fibsd.world.lobby import SessionKind
from fibsd.world.record import GameRecord
from fibsd.world.table import CorruptMatch, Table
from fibsd.world.world import World

Action = Callable[[World, Table, Side, Result], None]

SIZES = {"n": 1, "g": 2, "b": 3}


def _seat(call: Call, world: World, refusal: Refusal = Refusal.NOT_PLAYING) -> tuple[Table, Side]:
    """The match that the caller plays, and his side."""
    table = world.table_of(world.users[call.user], refusal)
    return table, table.side_of(call.user)


def _act(call: Call, world: World, action: Action, refusal: Refusal = Refusal.NOT_PLAYING) -> Result:
    """Do something at the table of the caller."""
    table, side = _seat(call, world, refusal)
    out = call.result()
    action(world, table, side, out)
    return out


def roll(call: Call, world: World) -> Result:
    """Roll the dice."""
    return _act(call, world, play.roll)


def move(call: Call, world: World) -> Result:
    """Move checkers."""
    table, side = _seat(call, world)
    try:
        moves = parse_moves(call.args, side)
    except MalformedMove as error:
        raise Refused(Refusal.MOVE_WORDS, nth=error.nth) from error
    out = call.result()
    play.move(world, table, side, moves, out)
    return out


def bear_off(call: Call, world: World) -> Result:
    """Bear off as many checkers as the dice allow."""
    return _act(call, world, play.bear_off)


def double(call: Call, world: World) -> Result:
    """Offer the cube."""
    return _act(call, world, play.double)


def redouble(call: Call, world: World) -> Result:
    """Turn an offered cube at once."""
    return _redouble(call, world, None)


def beaver(call: Call, world: World) -> Result:
    """Turn an offered cube at once: the first such turn."""
    return _redouble(call, world, 2)


def raccoon(call: Call, world: World) -> Result:
    """Turn an offered cube at once: the second such turn."""
    return _redouble(call, world, 3)


def otter(call: Call, world: World) -> Result:
    """Turn an offered cube at once: the third such turn."""
    return _redouble(call, world, 4)


def _redouble(call: Call, world: World, turns: int | None) -> Result:
    return _act(call, world, lambda world, table, side, out: play.redouble(world, table, side, turns, out))


def accept(call: Call, world: World) -> Result:
    """Accept a double or a resignation."""
    return _act(call, world, play.accept)


def reject(call: Call, world: World) -> Result:
    """Reject a double or a resignation; with a name, an invitation."""
    words, me = call.words, world.users[call.user]
    if words and me.table is None:
        # Ours: FIBS has no way to say no to an invitation.
        out = call.result()
        invitations.decline(world, me, world.find(words[0]), out)
        return out
    return _act(call, world, play.reject, Refusal.CANT_GIVE_UP)


def resign(call: Call, world: World) -> Result:
    """Offer to lose the game."""
    _seat(call, world)
    words = call.words
    size = SIZES.get(words[0][0].lower()) if words and _names_a_size(words[0].lower()) else None
    if size is None:
        raise Refused(Refusal.RESIGN_TYPE)
    return _act(call, world, lambda world, table, side, out: play.resign(world, table, side, size, out))


def _names_a_size(word: str) -> bool:
    return any(name.startswith(word) for name in ("normal", "gammon", "backgammon"))


# --- looking at the game ---------------------------------------------------------------------------------------


def board(call: Call, world: World) -> Result:
    """Show the board of the own or the watched game."""
    table, side, own = _game_in_view(call, world)
    out = call.result()
    out.tell(call.me, BoardShown(table.snapshot, side, own), shows=(table.id,))
    # Only people are reminded: a program that asks for the board at each prompt would do so for ever.
    game = table.match.game
    if own and game.may_double(side) and world.users[call.user].connection.kind is SessionKind.TELNET:
        out.tell(call.me, AskedToRoll(side, again=True))
    return out


def rawboard(call: Call, world: World) -> Result:
    """Show the board once in boardstyle 3."""
    table, side, own = _game_in_view(call, world)
    out = call.result()
    out.tell(call.me, Text((raw_board(table.snapshot, side, own),)), shows=(table.id,))
    return out


def pip(call: Call, world: World) -> Result:
    """Tell both pip counts."""
    table, side, own = _game_in_view(call, world)
    names = table.names
    allowed = names.map(lambda name: world.player(name).on(Toggle.ALLOWPIP))
    if own and not allowed.of(side):
        raise Refused(Refusal.PIP_TOGGLE)
    if own and not allowed.of(side.other):
        raise Refused(Refusal.PIP_OPPONENT, opponent=names.of(side.other))
    if not (allowed.o and allowed.x):
        raise Refused(Refusal.PIP_WATCHED)
    position = table.match.game.board
    counts = PipCounts(names.of(side), position.pips(side), names.of(side.other), position.pips(side.other))
    out = call.result()
    out.tell(call.me, counts, shows=(table.id,))
    return out


def time_left(call: Call, world: World) -> Result:
    """Tell what both players have left on their clocks."""
    table, _, _ = _game_in_view(call, world)
    clock = table.clock
    if clock is None:
        raise Refused(Refusal.NO_CLOCK)
    seconds = BySide(o=Side.O, x=Side.X).map(lambda side: math.ceil(clock.left(side, call.ticks)))
    out = call.result()
    out.tell(call.me, TimeLeftShown(table.names, seconds, clock.running), shows=(table.id,))
    return out


def _game_in_view(call: Call, world: World) -> tuple[Table, Side, bool]:
    """The game that the caller plays or watches, from which side, and whether it is his own."""
    me = world.users[call.user]
    if me.table is not None:
        table = world.tables[me.table]
        return table, table.side_of(me.name), True
    if me.watching is None:
        raise Refused(Refusal.NOT_PLAYING_WATCHING)
    watched = world.users[me.watching]
    if watched.table is None:
        raise Refused(Refusal.WATCHED_NOT_PLAYING, watched=watched.name)
    table = world.tables[watched.table]
    return table, table.side_of(watched.name), False


# --- records ---------------------------------------------------------------------------------------------------


async def find_last_match(call: Call, world: World, services: Services) -> MatchRow | None:
    """The newest match in the store, if no finished game is in memory."""
    me = world.users.get(call.user)
    if me is None or me.last_record is not None:
        return None
    return await services.store.last_match(call.user)


def oldmoves(call: Call, world: World) -> Result:
    """Show the record of the last finished game."""
    return call.say(MoveList(_last_record(call, world)))


def oldboard(call: Call, world: World) -> Result:
    """Show the last board of the last finished game."""
    record = _last_record(call, world)
    side = Side.O if record.names.o == call.user else Side.X
    return call.say(BoardShown(record.snapshot, side, own=True))


def _last_record(call: Call, world: World) -> GameRecord:
    record = world.users[call.user].last_record
    if record is None and isinstance(call.facts, MatchRow):
        try:
            table = Table.restore(call.facts)
        except CorruptMatch as error:
            raise Refused(Refusal.NOT_PLAYING) from error
        record = table.record if table.paused else table.previous
    if record is None:
        raise Refused(Refusal.NO_OLD_GAME)
    return record
