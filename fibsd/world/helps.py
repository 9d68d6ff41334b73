"""Helps for players that FIBS does not have: giving up, and letting the server play on."""

from fibsd.backgammon.actions import Resign
from fibsd.backgammon.errors import IllegalAction
from fibsd.backgammon.match import act
from fibsd.backgammon.resigning import giveup_size
from fibsd.world import play
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.lobby import GammonAsked, Habit, Presence
from fibsd.world.playout import begin, server_is_on_turn, wants
from fibsd.world.record import SeatPlayout
from fibsd.world.table import Table
from fibsd.world.world import World

SURE_S = 30.0
"""So long the second `giveup` counts as the answer to the question that the first one was met with."""


def give_up(world: World, table: Table, presence: Presence, out: Result) -> bool:
    """Offer to lose what the position asks for; before a gammon the player is asked whether he is sure.

    Args:
        world: The world.
        table: The match that he plays.
        presence: Who gives up.
        out: Collects the effect.

    Returns:
        Whether it was offered; else he is to be asked, and doing it again offers it.

    Raises:
        Refused: He may not resign now.
    """
    side, game = table.side_of(presence.name), table.match.game
    size = giveup_size(game.board, side, game.rules.variant)
    asked = presence.gammon_asked
    if size == 1 or (
        asked is not None
        and (asked.match, asked.games) == (table.id, table.match.games)
        and out.now - asked.at <= SURE_S
    ):
        play.resign(world, table, side, size, out)
        presence.gammon_asked = None
        return True
    try:
        act(table.match, Resign(side=side, size=size))
    except IllegalAction as error:
        raise Refused(play.RESIGN_REFUSALS[error.reason], opponent=table.names.of(side.other)) from error
    presence.gammon_asked = GammonAsked(match=table.id, games=table.match.games, at=out.now)
    return False


def turn_playout(world: World, table: Table, presence: Presence, out: Result) -> bool:
    """Let the server play a player's turns of this game, or stop that; whatever his setting says.

    Returns:
        Whether the server plays them from now on.

    Raises:
        Refused: The game is over, or he does it too often.
    """
    if table.paused:
        raise Refused(Refusal.GAME_OVER)
    side = table.side_of(presence.name)
    world.spend(presence, Habit.SEAT, out.now)
    if wants(world, table, side):
        table.enter(SeatPlayout(side, False), out.now, out)
        return False
    begin(table, side, out, typed=True)
    return True


def play_on_now(world: World, presence: Presence, out: Result) -> None:
    """Play a user's turn at once if it has begun already and the server is to play it from now on."""
    if presence.table is None:
        return
    table = world.tables[presence.table]
    if table.match.game.turn is table.side_of(presence.name) and server_is_on_turn(world, table):
        play.advance(world, table, out)
