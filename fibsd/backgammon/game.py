"""One game: what may follow what, and what each action makes of the game."""

import enum
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from fibsd.backgammon.actions import (
    AcceptResignation,
    Action,
    Double,
    Forfeit,
    MakePlay,
    OpeningRoll,
    Pass,
    Redouble,
    RejectResignation,
    Resign,
    Roll,
    SideAction,
    Take,
    WithdrawResignation,
)
from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import CUBE_LIMIT, Cube, Offer
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import IllegalAction, Reason
from fibsd.backgammon.play import OFF
from fibsd.backgammon.side import Side
from fibsd.backgammon.variants import BACKGAMMON, Variant
from fibsd.values import frozen


class Phase(enum.Enum):
    """What the game waits for."""

    OPENING = "the opening roll"
    ROLL = "a roll or a double"
    MOVE = "a play"
    DOUBLED = "the answer to a double"
    OVER = "nothing any more"


# See `side`: these are looked up in each turn.
_ROLL, _MOVE = Phase.ROLL, Phase.MOVE

_RESIGNING = frozenset({Resign, AcceptResignation, RejectResignation, WithdrawResignation})
_ANSWERS = frozenset({Take, Pass, Redouble})
_USUAL: Mapping[type, Phase] = {Roll: Phase.ROLL, MakePlay: Phase.MOVE}
_ALL_OF_DOUBLES = 4

ALLOWED: Mapping[Phase, frozenset[type]] = {
    Phase.OPENING: frozenset({OpeningRoll, Forfeit}),
    Phase.ROLL: _RESIGNING | {Roll, Double, Forfeit},
    Phase.MOVE: _RESIGNING | {MakePlay, Forfeit},
    Phase.DOUBLED: _RESIGNING | _ANSWERS | {Forfeit},
    Phase.OVER: frozenset(),
}
"""What may happen in each phase. A resignation that waits for its answer holds up everything but a forfeit."""


@frozen(kw_only=True)
class GameRules:
    """What was agreed for this game.

    Attributes:
        cube: Whether the cube is in use; it is not in a match to 1 point nor in the Crawford game.
        redoubles: How often an offered cube may be turned at once; 99 and more: as often as the cube allows.
        autodoubles: How many tied opening rolls double the cube.
        jacoby: Whether gammons and backgammons count single until the cube has been turned by agreement.
        variant: What is played.
    """

    cube: bool
    redoubles: int
    autodoubles: int
    jacoby: bool = False
    variant: Variant = BACKGAMMON


class Ending(enum.Enum):
    """How a game came to its end."""

    BEAR_OFF = "all checkers borne off"
    DROP = "double refused"
    RESIGNATION = "resignation accepted"
    AWARD = "decided by the server"
    ANNULLED = "finished, but it does not count"


@frozen(kw_only=True)
class GameResult:
    """Who has won a game, and what.

    Attributes:
        winner: The side that won.
        size: 1 for a single game or a drop, 2 for a gammon, 3 for a backgammon.
        points: What the winner scores; nothing if the game was annulled.
        ending: How it ended.
    """

    winner: Side
    size: int
    points: int
    ending: Ending


@frozen(kw_only=True)
class Resignation:
    """An offer to lose that waits for its answer."""

    side: Side
    size: int


@frozen
class Game:
    """A game at one moment.

    Attributes:
        board: The position.
        turn: Who is to roll or move; None before the opening is won. While a double waits for an answer it is
            the side that doubled first, after the end the side that was on turn last.
        phase: What the game waits for.
        cube: The cube as last agreed.
        rules: What was agreed.
        rolls_done: How many rolls of this turn are done with; more than 0 only where a side may roll again.
        dice: The roll to be played, only in phase MOVE.
        playable: How many dice of it must be played, 0 in all other phases.
        offer: The turned cube, only in phase DOUBLED.
        resignation: The resignation that waits for its answer.
        result: Who has won what, only in phase OVER.
    """

    board: Board
    turn: Side | None
    phase: Phase
    cube: Cube
    rules: GameRules
    rolls_done: int = 0
    dice: Dice | None = None
    playable: int = 0
    offer: Offer | None = None
    resignation: Resignation | None = None
    result: GameResult | None = None

    def cube_available(self, side: Side) -> bool:
        """Whether the side has access to a cube that may still be turned, be it on turn or not."""
        return self.rules.cube and self.cube.value < CUBE_LIMIT and self.cube.owner in (None, side)

    def may_double(self, side: Side) -> bool:
        """Whether the side may turn the cube now, instead of rolling."""
        return self.phase is _ROLL and self.turn is side and self.resignation is None and self.cube_available(side)

    @property
    def agreed_cube(self) -> Cube:
        """The cube with every turn that both sides have agreed to: who turns it again takes it first."""
        if self.offer is None or self.offer.turns == 1:
            return self.cube
        return Cube(value=self.offer.stake, owner=self.offer.keeper)

    def worth(self, size: int) -> int:
        """The points that a single game (1), gammon (2) or backgammon (3) counts if it ends now.

        A double not yet taken does not count. By the Jacoby rule a cube still in the middle, even if doubled
        automatically, makes every game a single one.
        """
        cube = self.agreed_cube
        if self.rules.jacoby and cube.owner is None:
            size = 1
        return size * cube.value


def new_game(rules: GameRules, board: Board | None = None) -> Game:
    """A game before its opening roll, in the position from which its variant starts if no other is given."""
    return Game(
        board=rules.variant.start if board is None else board,
        turn=None,
        phase=Phase.OPENING,
        cube=Cube(),
        rules=rules,
    )


def apply(game: Game, action: Action) -> Game:
    """The game after the action.

    Raises:
        IllegalAction: The action is not allowed now.
        IllegalPlay: The play is not allowed with these dice.
    """
    reason = _refusal(game, action)
    if reason is not None:
        raise IllegalAction(reason)
    return _RULES[type(action)](game, action)


def _refusal(game: Game, action: Action) -> Reason | None:
    """Why the action is not allowed now; None if it is."""
    # What nearly every action is: nothing stands in the way of the side on turn, unless a resignation waits.
    usual = _USUAL.get(type(action)) is game.phase and game.resignation is None
    if usual and not isinstance(action, OpeningRoll) and action.side is game.turn:
        return None
    allowed = type(action) in ALLOWED[game.phase]
    if game.phase is Phase.OVER:
        return Reason.GAME_OVER
    if isinstance(action, Forfeit):
        return None
    if isinstance(action, OpeningRoll):
        return None if allowed else Reason.ALREADY_ROLLED
    if game.phase is Phase.OPENING:
        return Reason.OPENING
    if type(action) in _RESIGNING:
        return _refusal_of_resigning(game, action)
    if game.resignation is not None:
        return Reason.OWN_RESIGNATION if game.resignation.side is action.side else Reason.RESIGNATION
    if game.offer is not None:
        return _refusal_of_answer(game, game.offer, action)
    if type(action) in _ANSWERS:
        return Reason.NOT_OFFERED
    if action.side is not game.turn:
        return Reason.NOT_YOUR_TURN
    if not allowed:
        return Reason.NOT_ROLLED if game.phase is Phase.ROLL else Reason.ALREADY_ROLLED
    if isinstance(action, Double) and not game.cube_available(action.side):
        return Reason.NO_CUBE
    return None


def _refusal_of_resigning(game: Game, action: SideAction) -> Reason | None:
    pending = game.resignation
    if isinstance(action, Resign):
        if pending is None:
            return None
        return Reason.ALREADY_RESIGNED if pending.side is action.side else Reason.RESIGNATION
    answers = not isinstance(action, WithdrawResignation)
    if pending is None or (pending.side is action.side) is answers:
        return Reason.NOT_OFFERED
    return None


def _refusal_of_answer(game: Game, offer: Offer, action: SideAction) -> Reason | None:
    if type(action) not in _ANSWERS:
        return Reason.DOUBLED if action.side is offer.to_answer else Reason.DOUBLE_PENDING
    if action.side is not offer.to_answer:
        return Reason.DOUBLE_PENDING if isinstance(action, Redouble) else Reason.NOT_OFFERED
    if isinstance(action, Redouble) and (offer.turns > game.rules.redoubles or offer.value >= CUBE_LIMIT):
        return Reason.NO_REDOUBLE
    return None


def _opening_roll(game: Game, action: OpeningRoll) -> Game:
    o, x = action.dice.o, action.dice.x
    if o > x:
        return _rolled(game, Side.O, Dice(o, x))
    if x > o:
        return _rolled(game, Side.X, Dice(x, o))
    ties_counted = game.cube.value.bit_length() - 1
    if game.rules.cube and ties_counted < game.rules.autodoubles and game.cube.value < CUBE_LIMIT:
        return attrs.evolve(game, cube=Cube(value=2 * game.cube.value))
    return game


def _roll(game: Game, action: Roll) -> Game:
    return _rolled(game, action.side, action.dice)


def _rolled(game: Game, side: Side, dice: Dice) -> Game:
    count = game.rules.variant.rules.playable(game.board.seen_by(side), dice)
    if count == 0:
        return _awaiting_roll(game, game.board, side.other, 0)
    # Made anew, here and below: `evolve` costs three times as much, and every turn makes two games.
    return Game(game.board, side, _MOVE, game.cube, game.rules, game.rolls_done, dice, count)


def _awaiting_roll(game: Game, board: Board, turn: Side, rolls_done: int) -> Game:
    """The game when a roll is done with; nothing was offered while it was to be played."""
    return Game(board, turn, _ROLL, game.cube, game.rules, rolls_done)


def _make_play(game: Game, action: MakePlay) -> Game:
    side, play, dice, variant = action.side, action.play, game.dice, game.rules.variant
    assert dice is not None, "phase MOVE has dice"
    variant.rules.check_play(game.board.seen_by(side), dice, play, game.playable)
    board = game.board.after(side, play)
    if play[-1].target == OFF and board.checkers(side) == 0:
        size = _size_of_win(variant, board, side)
        return _over(attrs.evolve(game, board=board), side, size, game.worth(size), Ending.BEAR_OFF)
    rolls_done = game.rolls_done + 1
    again = rolls_done < variant.rules.most_rolls and dice.is_double and len(play) == _ALL_OF_DOUBLES
    return _awaiting_roll(game, board, side, rolls_done) if again else _awaiting_roll(game, board, side.other, 0)


def _size_of_win(variant: Variant, board: Board, winner: Side) -> int:
    """Gammon: no checker borne off. Backgammon: moreover one on the bar or in the winner's home board."""
    if variant.some_off(board, winner.other):
        return 1
    return 3 if min(board.seen_by(winner)[:7]) < 0 else 2


def _double(game: Game, action: Double) -> Game:
    offer = Offer(by=action.side, keeper=action.side.other, stake=game.cube.value, turns=1)
    return attrs.evolve(game, phase=Phase.DOUBLED, offer=offer)


def _redouble(game: Game, action: Redouble) -> Game:
    last = _pending_offer(game)
    offer = Offer(by=action.side, keeper=last.keeper, stake=last.value, turns=last.turns + 1)
    return attrs.evolve(game, offer=offer)


def _take(game: Game, action: Take) -> Game:
    offer = _pending_offer(game)
    return attrs.evolve(game, phase=Phase.ROLL, cube=Cube(value=offer.value, owner=offer.keeper), offer=None)


def _pass(game: Game, action: Pass) -> Game:
    offer = _pending_offer(game)
    return _over(game, offer.by, 1, offer.stake, Ending.DROP)


def _pending_offer(game: Game) -> Offer:
    assert game.offer is not None, "phase DOUBLED has an offer"
    return game.offer


def _resign(game: Game, action: Resign) -> Game:
    return attrs.evolve(game, resignation=Resignation(side=action.side, size=action.size))


def _accept_resignation(game: Game, action: AcceptResignation) -> Game:
    assert game.resignation is not None, "checked before"
    size = game.resignation.size
    return _over(game, action.side, size, game.worth(size), Ending.RESIGNATION)


def _drop_resignation(game: Game, action: RejectResignation | WithdrawResignation) -> Game:
    return attrs.evolve(game, resignation=None)


def _forfeit(game: Game, action: Forfeit) -> Game:
    return _over(game, action.side.other, action.size, game.worth(action.size), Ending.AWARD)


def _over(game: Game, winner: Side, size: int, points: int, ending: Ending) -> Game:
    return attrs.evolve(
        game,
        phase=Phase.OVER,
        dice=None,
        playable=0,
        rolls_done=0,
        cube=game.agreed_cube,
        offer=None,
        resignation=None,
        result=GameResult(winner=winner, size=size, points=points, ending=ending),
    )


# Each function gets the kind of action under which it stands here, which a type could not say in short.
_RULES: Mapping[type, Callable[[Game, Any], Game]] = {
    OpeningRoll: _opening_roll,
    Roll: _roll,
    MakePlay: _make_play,
    Double: _double,
    Redouble: _redouble,
    Take: _take,
    Pass: _pass,
    Resign: _resign,
    AcceptResignation: _accept_resignation,
    RejectResignation: _drop_resignation,
    WithdrawResignation: _drop_resignation,
    Forfeit: _forfeit,
}
