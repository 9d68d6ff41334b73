"""The course of a game: rolling, moving, the cube, resigning, and everything that happens without being typed."""

from collections.abc import Mapping

import attrs

from fibsd.backgammon.actions import (
    AcceptResignation,
    Double,
    MakePlay,
    OpeningRoll,
    Pass,
    Redouble,
    RejectResignation,
    Resign,
    Roll,
    SideAction,
    Take,
)
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import Fault, IllegalAction, IllegalPlay, Reason
from fibsd.backgammon.game import Phase
from fibsd.backgammon.play import Play
from fibsd.backgammon.playout import playout_play
from fibsd.backgammon.side import BySide, Side
from fibsd.world.account import GAME_TOGGLES, Toggle
from fibsd.world.audience import Result, ToUser
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import (
    AskedToAnswer,
    AskedToMove,
    AskedToRoll,
    CannotMove,
    CubeRaised,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Forced,
    GameStarted,
    Moved,
    OpeningRolled,
    OpeningWon,
    ResignAccepted,
    ResignOffered,
    ResignRejected,
    Rolled,
)
from fibsd.world.ids import UserName
from fibsd.world.playout import begin, plays_on, server_is_on_turn
from fibsd.world.results import finish_game
from fibsd.world.snapshot import Snapshot
from fibsd.world.table import NEW_GAME_TOGGLES, Table
from fibsd.world.world import World

_WAITING = {
    Reason.DOUBLE_PENDING: Refusal.DOUBLE_UNANSWERED,
    Reason.OWN_RESIGNATION: Refusal.RESIGN_UNANSWERED,
    Reason.RESIGNATION: Refusal.WANTED_TO_RESIGN,
}
ROLL_REFUSALS: Mapping[Reason, Refusal] = {
    **_WAITING,
    Reason.NOT_YOUR_TURN: Refusal.ROLL_NOT_TURN,
    Reason.DOUBLED: Refusal.ROLL_NOT_TURN,
    Reason.OPENING: Refusal.ROLL_NOT_TURN,
    Reason.GAME_OVER: Refusal.ROLL_NOT_TURN,
    Reason.ALREADY_ROLLED: Refusal.ROLL_ALREADY,
}
MOVE_REFUSALS: Mapping[Reason, Refusal] = {
    **_WAITING,
    Reason.NOT_YOUR_TURN: Refusal.MOVE_NOT_TURN,
    Reason.DOUBLED: Refusal.MOVE_NOT_TURN,
    Reason.OPENING: Refusal.MOVE_NOT_TURN,
    Reason.GAME_OVER: Refusal.MOVE_NOT_TURN,
    Reason.NOT_ROLLED: Refusal.MOVE_BEFORE_ROLL,
}
OFF_REFUSALS: Mapping[Reason, Refusal] = {
    **MOVE_REFUSALS,
    Reason.NOT_YOUR_TURN: Refusal.NOT_YOUR_TURN_OFF,
    Reason.DOUBLED: Refusal.NOT_YOUR_TURN_OFF,
    Reason.OPENING: Refusal.NOT_YOUR_TURN_OFF,
    Reason.GAME_OVER: Refusal.NOT_YOUR_TURN_OFF,
}
DOUBLE_REFUSALS: Mapping[Reason, Refusal] = {
    Reason.NOT_YOUR_TURN: Refusal.WAIT_UNTIL_MOVED,
    Reason.ALREADY_ROLLED: Refusal.DOUBLE_BEFORE_ROLL,
    Reason.NO_CUBE: Refusal.DOUBLE_NOT_TURN,
    Reason.DOUBLED: Refusal.DOUBLE_NOT_TURN,
    Reason.OPENING: Refusal.DOUBLE_NOT_TURN,
    Reason.GAME_OVER: Refusal.DOUBLE_NOT_TURN,
    Reason.DOUBLE_PENDING: Refusal.ALREADY_DID,
    Reason.OWN_RESIGNATION: Refusal.DOUBLE_RESIGNING,
    Reason.RESIGNATION: Refusal.WANTED_TO_RESIGN,
}
ANSWER_REFUSALS: Mapping[Reason, Refusal] = dict.fromkeys(Reason, Refusal.DIDNT_DOUBLE)
REDOUBLE_REFUSALS: Mapping[Reason, Refusal] = dict.fromkeys(Reason, Refusal.REDOUBLE_REFUSED)
RESIGN_REFUSALS: Mapping[Reason, Refusal] = {
    Reason.ALREADY_RESIGNED: Refusal.ALREADY_DID,
    Reason.OWN_RESIGNATION: Refusal.ALREADY_DID,
    Reason.RESIGNATION: Refusal.WANTED_TO_RESIGN,
    Reason.GAME_OVER: Refusal.GAME_OVER,
    Reason.OPENING: Refusal.GAME_OVER,
}
FAULTS: Mapping[Fault, Refusal] = {
    Fault.TOO_MANY: Refusal.MOVE_TOO_MANY,
    Fault.TOO_FEW: Refusal.MOVE_TOO_FEW,
    Fault.DIRECTION: Refusal.MOVE_HOME,
    Fault.BAR_FIRST: Refusal.MOVE_BAR_FIRST,
    Fault.BLOCKED: Refusal.MOVE_BLOCKED,
    Fault.NO_CHECKER: Refusal.MOVE_FROM,
    Fault.DISTANCE: Refusal.MOVE_DISTANCE,
    Fault.BEAR_OFF: Refusal.MOVE_BEAROFF,
    Fault.INSIDE: Refusal.MOVE_INSIDE,
    Fault.ORDER: Refusal.MOVE_ORDER,
}
# See `fibsd.backgammon.side`: these are looked up in each turn.
_ROLL, _MOVE, _DOUBLED, _OVER = Phase.ROLL, Phase.MOVE, Phase.DOUBLED, Phase.OVER
_DOUBLE, _GREEDY, _AUTOMOVE = Toggle.DOUBLE, Toggle.GREEDY, Toggle.AUTOMOVE
_NO_ROLL = Dice(2, 1)
"""Stands in for a roll where a roll is refused anyway, so that no refusal uses up dice."""


# --- what players type -----------------------------------------------------------------------------------------


def roll(world: World, table: Table, side: Side, out: Result) -> None:
    """A player rolls (FIBS help: roll).

    Raises:
        Refused: He may not.
    """
    game = table.match.game
    if game.phase is not Phase.ROLL or game.turn is not side or game.resignation is not None:
        _enter(table, Roll(side, _NO_ROLL), ROLL_REFUSALS, out)
        raise ValueError("a roll that must be refused was not")
    _roll(world, table, side, out)
    advance(world, table, out)


def move(world: World, table: Table, side: Side, play: Play, out: Result) -> None:
    """A player moves his checkers, in the order typed (FIBS help: move).

    Raises:
        Refused: He may not, or not so.
    """
    _enter(table, MakePlay(side, play), MOVE_REFUSALS, out)
    out.tell(table.audience, Moved(table.names, side, play, table.snapshot, None))
    advance(world, table, out)


def bear_off(world: World, table: Table, side: Side, out: Result) -> None:
    """A player has as many checkers borne off as the dice allow (FIBS help: off).

    Raises:
        Refused: He may not move, or bearing off is not yet allowed.
    """
    game = table.match.game
    play = _greedy(table, side) if game.phase is Phase.MOVE and game.turn is side else None
    if play is None:
        # An empty play is never right, so the rules say what stands in the way.
        _enter(table, MakePlay(side, ()), {**OFF_REFUSALS}, out, too_few=Refusal.MOVE_BEAROFF)
        raise ValueError("an empty play was accepted")
    _enter(table, MakePlay(side, play), OFF_REFUSALS, out)
    out.tell(table.audience, Moved(table.names, side, play, table.snapshot, Forced.BEAR_OFF))
    advance(world, table, out)


def double(world: World, table: Table, side: Side, out: Result) -> None:
    """A player offers the cube (FIBS help: double).

    Raises:
        Refused: He may not.
    """
    game = table.match.game
    if not game.rules.cube:
        # In a match to 1 point and in the Crawford game there is never a turn to double (docs: design).
        raise Refused(Refusal.DOUBLE_NOT_TURN)
    if game.phase is Phase.MOVE and game.turn is side and not any(isinstance(a, MakePlay) for a in table.actions):
        raise Refused(Refusal.DOUBLE_FIRST_MOVE)
    _enter(table, Double(side=side), DOUBLE_REFUSALS, out)
    out.tell(table.audience, Doubled(table.names, side, False))


def redouble(world: World, table: Table, side: Side, turns: int | None, out: Result) -> None:
    """A player who was doubled turns the cube at once (FIBS help: redouble, beaver, raccoon, otter).

    Args:
        world: The world.
        table: The match.
        side: Who turns it.
        turns: The turn it must be, 2 for a beaver to 4 for an otter; None for any.
        out: Collects the effect.

    Raises:
        Refused: He may not.
    """
    offer = table.match.game.offer
    if offer is not None and turns is not None and offer.turns + 1 != turns:
        raise Refused(Refusal.REDOUBLE_REFUSED)
    _enter(table, Redouble(side=side), REDOUBLE_REFUSALS, out)
    out.tell(table.audience, Doubled(table.names, side, True))


def accept(world: World, table: Table, side: Side, out: Result) -> None:
    """A player accepts a double or a resignation (FIBS help: accept).

    Raises:
        Refused: Nothing was offered to him.
    """
    game = table.match.game
    if game.resignation is not None:
        _enter(table, AcceptResignation(side=side), ANSWER_REFUSALS, out)
        result = table.match.game.result
        if result is None:
            raise ValueError("an accepted resignation did not end the game")
        out.tell(table.audience, ResignAccepted(table.names, side, result.points))
        finish_game(world, table, out)
        return
    _enter(table, Take(side=side), ANSWER_REFUSALS, out)
    out.tell(table.audience, DoubleTaken(table.names, side, table.match.game.cube.value))
    doubler = table.match.game.turn
    if doubler is None:
        raise ValueError("nobody is on turn after a take")
    # He has said that he will not roll before doubling; now he may not change his mind (reference 6.6).
    _roll(world, table, doubler, out)
    advance(world, table, out)


def reject(world: World, table: Table, side: Side, out: Result) -> None:
    """A player rejects a double, and loses, or a resignation, and plays on (FIBS help: reject).

    Raises:
        Refused: Nothing was offered to him.
    """
    if table.match.game.resignation is not None:
        _enter(table, RejectResignation(side=side), ANSWER_REFUSALS, out)
        out.tell(table.audience, ResignRejected(table.names, side))
        if server_is_on_turn(world, table):
            advance(world, table, out)
        else:
            remind(table, out)
        return
    _enter(table, Pass(side=side), ANSWER_REFUSALS, out)
    result = table.match.game.result
    if result is None:
        raise ValueError("a refused double did not end the game")
    out.tell(table.audience, DoubleDropped(table.names, side, result.points))
    finish_game(world, table, out)


def resign(world: World, table: Table, side: Side, size: int, out: Result) -> None:
    """A player offers to lose a single game (1), a gammon (2) or a backgammon (3) (FIBS help: resign).

    Raises:
        Refused: He may not.
    """
    points = table.match.game.worth(size)
    _enter(table, Resign(side=side, size=size), RESIGN_REFUSALS, out)
    out.tell(table.audience, ResignOffered(table.names, side, points))


# --- what happens by itself ------------------------------------------------------------------------------------


def start_game(world: World, table: Table, out: Result) -> None:
    """The opening rolls of a new game (reference 6.3)."""
    names = table.names
    for name in (names.o, names.x):
        _reset_game_toggles(world, name, out)
    out.tell(table.audience, GameStarted(names))
    while table.match.game.phase is Phase.OPENING:
        cube = table.match.game.cube.value
        dice = _throw(world)
        thrown = BySide(o=dice.first, x=dice.second)
        table.enter(OpeningRoll(dice=thrown), out.now, out)
        out.tell(table.audience, OpeningRolled(names, thrown))
        if table.match.game.cube.value != cube:
            out.tell(table.audience, CubeRaised(table.match.game.cube.value))
    side = table.match.game.turn
    if side is None:
        raise ValueError("nobody won the opening roll")
    out.tell(table.audience, OpeningWon(names, side, table.snapshot))


def advance(world: World, table: Table, out: Result) -> None:
    """Do what waits for nobody's word, until a player has to decide or the game is over.

    What he is asked goes to the table, where what has just happened goes too, and he alone sees it.
    """
    while True:
        game = table.match.game
        side = game.turn
        phase = game.phase
        if side is None or phase is _DOUBLED:
            return
        if phase is _OVER:
            finish_game(world, table, out)
            return
        played_on = plays_on(world, table, side)
        if played_on and table.playout.of(side) is None:
            begin(table, side, out)
        if phase is _ROLL:
            # Whoever lets the server play on has no wish to double any more.
            if not played_on and game.may_double(side) and _DOUBLE in table.toggles.of(side):
                out.tell(table.audience, AskedToRoll(side))
                return
            _roll(world, table, side, out)
            game = table.match.game
            if game.phase is not _MOVE:
                continue
        # A roll changes nothing of whose turns the server plays.
        if not _move_unasked(world, table, side, played_on, out):
            out.tell(table.audience, AskedToMove(side, game.playable))
            return


def remind(table: Table, out: Result) -> None:
    """Ask again for what the player on turn was asked before."""
    game = table.match.game
    if game.turn is None:
        return
    name = table.names.of(game.turn)
    if game.offer is not None:
        ask = AskedToAnswer(table.names, game.offer.by, redouble=game.offer.turns > 1)
        out.tell(ToUser(table.names.of(game.offer.to_answer)), ask)
    elif game.phase is Phase.ROLL:
        out.tell(ToUser(name), AskedToRoll(game.turn, again=True))
    elif game.phase is Phase.MOVE:
        out.tell(ToUser(name), AskedToMove(game.turn, game.playable))


def _reset_game_toggles(world: World, name: UserName, out: Result) -> None:
    """Switches for a single game begin each game as they are by default (reference 4.1)."""
    player = world.player(name)
    toggles = (player.settings.toggles - GAME_TOGGLES) | NEW_GAME_TOGGLES.of(Side.O)
    if toggles != player.settings.toggles:
        world.change_settings(player, attrs.evolve(player.settings, toggles=toggles), out)


def _throw(world: World) -> Dice:
    dice = world.chance.roll()
    world.rolls[dice] += 1
    return dice


def _roll(world: World, table: Table, side: Side, out: Result) -> None:
    """Roll for a side that may; a roll that cannot be played passes the turn."""
    dice = _throw(world)
    before = table.match
    table.enter(Roll(side, dice), out.now, out)
    if table.match.game.phase is _MOVE:
        out.tell(table.audience, Rolled(table.names, side, dice, table.snapshot))
        return
    passed = Snapshot(table.names, before).with_dice(side, dice)
    out.tell(table.audience, Rolled(table.names, side, dice, passed))
    out.tell(table.audience, CannotMove(table.names, side))


def _move_unasked(world: World, table: Table, side: Side, played_on: bool, out: Result) -> bool:
    """Move in a player's place if he wishes it: playing on, a greedy bear-off, or the only play there is."""
    game = table.match.game
    if game.dice is None:
        raise ValueError("no dice to move with")
    play: Play | None = None
    forced: Forced | None = None
    if played_on:
        play, forced = playout_play(game.board.seen_by(side), game.dice, game.rules.variant), Forced.PLAYOUT
    elif _GREEDY in table.toggles.of(side):
        play, forced = _greedy(table, side), Forced.BEAR_OFF
    if play is None and world.player(table.names.of(side)).on(_AUTOMOVE):
        play, forced = game.rules.variant.rules.forced_play(game.board.seen_by(side), game.dice), Forced.ONLY_MOVE
    if play is None:
        return False
    table.enter(MakePlay(side, play), out.now, out)
    out.tell(table.audience, Moved(table.names, side, play, table.snapshot, forced))
    return True


def _greedy(table: Table, side: Side) -> Play | None:
    game = table.match.game
    rules = game.rules.variant.rules
    return None if game.dice is None else rules.greedy_play(game.board.seen_by(side), game.dice)


def _enter(
    table: Table,
    action: SideAction,
    refusals: Mapping[Reason, Refusal],
    out: Result,
    *,
    too_few: Refusal = Refusal.MOVE_TOO_FEW,
) -> None:
    """Enter an action that was typed, or say in the server's terms why not."""
    try:
        table.enter(action, out.now, out)
    except IllegalAction as error:
        opponent = table.names.of(action.side.other)
        raise Refused(refusals[error.reason], opponent=opponent) from error
    except IllegalPlay as error:
        refusal = too_few if error.fault is Fault.TOO_FEW else FAULTS[error.fault]
        raise Refused(refusal, nth=max(error.nth, 0), number=error.number, side=action.side) from error
