"""The server plays for those whose connection is lost, where the players have agreed on it (term `ghost`).

One task looks after all such matches. What it decides reaches the world as any player's actions do.
"""

import attrs
import structlog
import trio

from fibsd.backgammon.cube import Cube
from fibsd.backgammon.game import Game, Phase
from fibsd.backgammon.match import Match
from fibsd.backgammon.side import Side
from fibsd.bots import cube
from fibsd.bots.policy import choose_play
from fibsd.server.engine import Engine
from fibsd.world import ghost, play
from fibsd.world.absence import DECISION_S, GHOST_AFTER_S, Absence
from fibsd.world.audience import Result
from fibsd.world.ids import MatchId, UserName
from fibsd.world.table import Table
from fibsd.world.world import World

log = structlog.get_logger()

TICK_S = 0.25
"""How often the time is looked at: a decision comes at most so much later than it could."""


@attrs.define(eq=False)
class Ghosts:
    """The seats of one server that are played by itself.

    Attributes:
        engine: Its middle.
    """

    engine: Engine

    async def run(self) -> None:
        """Act at each tick, for ever."""
        while True:
            await trio.sleep(TICK_S)
            world = self.engine.world
            for name in (*world.absent, *world.deadlines):
                if self._act(name):
                    # A decision takes some milliseconds: others get their turn after each.
                    self.engine.flush()
                    await trio.lowlevel.checkpoint()

    def _act(self, name: UserName) -> bool:
        """Do what is due for one player; whether anything was. A fault of ours ends his match alone."""
        world, out = self.engine.world, self.engine.result()
        absence = world.absent.get(name)
        match_id: MatchId | None = None
        try:
            if world.deadlines.get(name, out.now + 1) <= out.now:
                match_id = world.player(name).table
                ghost.break_off(world, name, out)
            elif absence is not None and (match_id := absence.presence.table) is not None:
                play_on(world, world.tables[match_id], absence, out)
        except Exception:
            log.exception("ghost failed", user=name, match=match_id)
            if match_id is not None:
                self.engine.take_back(match_id, None)
            return True
        if not out.changes:
            return False
        self.engine.deliver(out, None)
        return True


def play_on(world: World, table: Table, absence: Absence, out: Result) -> None:
    """Take the seat of an absent player, or make one decision in his place, if it is time for it."""
    name = absence.presence.name
    side = table.side_of(name)
    if table.paused:
        return
    if table.ghost is None:
        if out.now >= absence.since + GHOST_AFTER_S:
            ghost.begin(world, table, name, out)
    elif out.now >= table.touched + DECISION_S:
        decide(world, table, side, out)


def decide(world: World, table: Table, side: Side, out: Result) -> None:
    """Make the decision that the game waits for, if it waits for this side."""
    match, game = table.match, table.match.game
    if game.resignation is not None:
        if game.resignation.side is side.other:
            (play.accept if _content(match, side, game.resignation.size) else play.reject)(world, table, side, out)
    elif game.offer is not None:
        if game.offer.to_answer is side:
            lying = Cube(value=game.offer.stake, owner=game.cube.owner)
            taken = cube.takes(game.board, side, lying, score_of(match))
            (play.accept if taken else play.reject)(world, table, side, out)
    elif game.turn is not side:
        return
    elif game.phase is Phase.ROLL:
        doubles = game.may_double(side) and cube.wants_double(game.board, side, game.cube, score_of(match))
        (play.double if doubles else play.roll)(world, table, side, out)
    elif game.phase is Phase.MOVE:
        _move(world, table, game, side, out)


def _move(world: World, table: Table, game: Game, side: Side, out: Result) -> None:
    if game.dice is None:
        raise ValueError("no dice to move with")
    view = game.board.seen_by(side)
    variant = game.rules.variant
    plays = variant.rules.legal_plays(view, game.dice)
    play.move(world, table, side, choose_play(view, game.dice, plays, variant), out)


def _content(match: Match, side: Side, size: int) -> bool:
    """Whether to take what the other side offers to lose."""
    game = match.game
    offered = game.worth(size)
    # More is of no use, or cannot be had: the Jacoby rule makes all games single ones.
    enough = match.length is not None and match.score.of(side) + offered >= match.length
    if enough or offered == game.worth(3) or game.turn is None:
        return True
    return cube.answers_resignation(game.board, side, size, game.turn, match.variant)


def score_of(match: Match) -> cube.Score:
    """Where a match stands, as the engine asks for it."""
    length = match.length
    if length is None:
        return cube.Score(jacoby=match.jacoby, variant=match.variant)
    away = match.score.map(lambda points: max(1, length - points))
    crawford_over = match.is_post_crawford or not match.crawford
    return cube.Score(away=away, crawford_over=crawford_over, variant=match.variant)
