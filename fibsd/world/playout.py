"""Whose turns the server plays, once no contact is left."""

from fibsd.backgammon.side import Side
from fibsd.world.audience import Result
from fibsd.world.events import PlaysOn
from fibsd.world.record import SeatPlayout
from fibsd.world.table import Table
from fibsd.world.world import World


def wants(world: World, table: Table, side: Side) -> bool:
    """Whether a side lets the server play on: as its player has said for this game, else by his setting."""
    mark = table.playout.of(side)
    return world.player(table.names.of(side)).settings.playout if mark is None else mark


def plays_on(world: World, table: Table, side: Side) -> bool:
    """Whether the server plays the turns of a side now."""
    return wants(world, table, side) and not table.match.game.board.contact


def server_is_on_turn(world: World, table: Table) -> bool:
    """Whether the game waits for nobody: the side on turn lets the server play on, and no answer is due."""
    game = table.match.game
    if game.turn is None or game.offer is not None or game.resignation is not None or game.result is not None:
        return False
    return plays_on(world, table, game.turn)


def begin(table: Table, side: Side, out: Result, *, typed: bool = False) -> None:
    """Write down that the server plays on for a side, and tell it; `typed` if its player has just asked for it."""
    table.enter(SeatPlayout(side, True), out.now, out)
    out.tell(table.audience, PlaysOn(table.names, side, typed))
