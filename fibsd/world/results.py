"""How a game and a match end."""

import math

import attrs

from fibsd.backgammon.actions import Forfeit
from fibsd.backgammon.game import Ending
from fibsd.backgammon.reach import reachable_loss
from fibsd.backgammon.side import Side
from fibsd.rating import RatingChange, rate
from fibsd.world.absence import RETURN_S
from fibsd.world.account import Toggle
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import MatchFinished, Message
from fibsd.world.clock import Clock
from fibsd.world.events import (
    Awarded,
    AwardReason,
    GameWon,
    GhostWon,
    MatchWon,
    MoveList,
    RatingShown,
    ReportWon,
    ReturnAwaited,
    ScoreShown,
    TimeShort,
)
from fibsd.world.ids import UserName
from fibsd.world.lobby import Played
from fibsd.world.record import GameAnnulled
from fibsd.world.stakes import pay
from fibsd.world.table import Table
from fibsd.world.world import World

SERVER_NAME = UserName("fibsd")
"""The reserved name under which the server itself speaks."""


def finish_game(world: World, table: Table, out: Result) -> None:
    """Tell the end of a game; then the match is over too, or both players are asked to go on (reference 6.8)."""
    result = table.match.game.result
    if result is None:
        raise ValueError("the game is not over")
    if result.ending in (Ending.BEAR_OFF, Ending.AWARD):
        out.tell(table.audience, GameWon(table.names, result.winner, result.points))
    if table.ghost is result.winner:
        # Before anything shows the score, so that it never has points that are taken back.
        table.enter(GameAnnulled(), out.now, out)
        out.tell(table.audience, GhostWon(table.names, result.winner))
    record = table.record
    for side, name in table.names.items():
        # The switch belongs to the seat, which is gone when the result of the last game is told.
        if Toggle.MOVES in table.toggles.of(side):
            out.tell(ToUser(name), MoveList(record))
        world.player(name).last_record = record
    if table.match.over:
        finish_match(world, table, out)
    else:
        out.tell(table.audience, ScoreShown(table.names, table.terms.length, table.match.score))
        _await_return(world, table, out)


def _await_return(world: World, table: Table, out: Result) -> None:
    """After a game that ended in a player's absence: the match waits for him, but not for ever."""
    absence = world.absent_from(table)
    if absence is not None:
        name = absence.presence.name
        world.deadlines[name] = out.now + RETURN_S
        out.tell(ToUser(table.opponent_of(name)), ReturnAwaited(name, int(RETURN_S)))


def award(world: World, table: Table, loser: Side, why: AwardReason, out: Result) -> None:
    """End a running game against one of the players, at the most that he can still lose on the board."""
    size = reachable_loss(table.match.game, loser)
    table.enter(Forfeit(side=loser, size=size), out.now, out)
    result = table.match.game.result
    if result is None:
        raise ValueError("a forfeit did not end the game")
    out.tell(table.audience, Awarded(table.names, loser, result.points, why))
    finish_game(world, table, out)


def warn(table: Table, clock: Clock, out: Result) -> None:
    """Tell the player whose clock runs how little time he has left; once in a game."""
    if clock.running is None:
        raise ValueError("the clock stands")
    out.tell(ToUser(table.names.of(clock.running)), TimeShort(math.ceil(clock.left(clock.running, out.ticks))))
    table.clock = clock.warned(clock.running)


def finish_match(world: World, table: Table, out: Result) -> None:
    """Rate a match that was won, and take its table away."""
    side, length = table.match.winner, table.terms.length
    if side is None or length is None:
        raise ValueError("the match is not over")
    winner, loser = table.names.of(side), table.names.of(side.other)
    score = table.match.score
    change: RatingChange | None = None
    if table.terms.rated:
        change = rate(world.player(winner).account.standing, world.player(loser).account.standing, length)
        book(world, change)
        out.tell(table.audience, RatingShown(change))
    out.tell(table.audience, MatchWon(table.names, side, length, score))
    text = f"{winner} wins the {length} point match {score.of(side)}-{score.of(side.other)} ."
    out.store(
        MatchFinished(
            id=table.id,
            names=table.names,
            winner=side,
            score=score,
            rating=change,
            notices=tuple(_notice(world, name, text, out) for name in (winner, loser)),
            at=out.now,
        )
    )
    _remember(world, table, length)
    pay(world, table, winner, out)
    close(world, table)
    report = ReportWon(winner, loser, length, (score.of(side), score.of(side.other)))
    world.announce_players(table, (winner, loser), report, out, pairs_first=False, watchers_get_line=False)


def _remember(world: World, table: Table, length: int) -> None:
    """What the players need for another match like this one."""
    o, x = world.player(table.names.o), world.player(table.names.x)
    for player, opponent in ((o, x), (x, o)):
        player.played = Played(opponent=opponent.name, login=opponent.number, length=length, added=table.terms.added)


def book(world: World, change: RatingChange) -> None:
    """Give the players, as far as they are on-line, their new rating and experience."""
    for player in (change.winner, change.loser):
        presence = world.users.get(UserName(player.name))
        if presence is None:
            continue
        presence.account = attrs.evolve(
            presence.account, rating=player.rating_after, experience=player.experience_after
        )


def close(world: World, table: Table) -> None:
    """Take a running match off its players."""
    del world.tables[table.id]
    for name in (table.names.o, table.names.x):
        player = world.player(name)
        player.table, player.partner = None, table.opponent_of(name)
        world.deadlines.pop(name, None)
    for name in (table.names.o, table.names.x):
        world.absent.pop(name, None)


def _notice(world: World, name: UserName, text: str, out: Result) -> Message:
    """A message that tells the result to a player who never received it; the delivery of the result deletes it."""
    message = Message(id=world.next_message, to=name, sender=SERVER_NAME, at=out.now, text=text)
    world.next_message += 1
    out.receipts.append((name, message.id))
    return message
