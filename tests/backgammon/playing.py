"""Matches played at random, and the same match with the colours changed."""

from collections.abc import Iterator
from random import Random

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
    Take,
    WithdrawResignation,
)
from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import CUBE_LIMIT
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import Game, Phase
from fibsd.backgammon.match import Match, act, next_game
from fibsd.backgammon.side import BySide, Side


def random_dice(rng: Random) -> Dice:
    return Dice(rng.randint(1, 6), rng.randint(1, 6))


def random_action(rng: Random, game: Game) -> Action:
    """An action that is legal now."""
    if rng.random() < 0.002:
        return Forfeit(side=rng.choice(list(Side)), size=rng.randint(1, 3))
    if game.phase is Phase.OPENING:
        return OpeningRoll(dice=BySide(o=rng.randint(1, 6), x=rng.randint(1, 6)))
    if game.resignation is not None:
        side = game.resignation.side
        answers: list[Action] = [RejectResignation(side=side.other)] * 4
        answers += [WithdrawResignation(side=side), AcceptResignation(side=side.other)]
        return rng.choice(answers)
    if rng.random() < 0.01:
        return Resign(side=rng.choice(list(Side)), size=rng.randint(1, 3))
    if game.offer is not None:
        side = game.offer.to_answer
        choices: list[Action] = [Pass(side=side), *[Take(side=side)] * 4]
        if game.offer.turns <= game.rules.redoubles and game.offer.value < CUBE_LIMIT:
            choices.append(Redouble(side=side))
        return rng.choice(choices)
    assert game.turn is not None
    if game.dice is not None:
        plays = game.rules.variant.rules.legal_plays(game.board.seen_by(game.turn), game.dice)
        return MakePlay(side=game.turn, play=rng.choice(plays))
    if game.may_double(game.turn) and rng.random() < 0.1:
        return Double(side=game.turn)
    return Roll(side=game.turn, dice=random_dice(rng))


def random_games(rng: Random, match: Match) -> Iterator[tuple[Match, Action, Match]]:
    """Each step of the games until the match is over; an unlimited match ends after three."""
    while True:
        action = random_action(rng, match.game)
        after = act(match, action)
        yield match, action, after
        match = after
        if match.game.result is not None:
            if match.over or (match.length is None and match.games == 3):
                return
            match = next_game(match)


def turned_action(action: Action) -> Action:
    """The same action by the other side."""
    if isinstance(action, OpeningRoll):
        return OpeningRoll(dice=action.dice.swap())
    return attrs.evolve(action, side=action.side.other)


def turned_game(game: Game) -> Game:
    """The same game with the sides changed."""
    return attrs.evolve(
        game,
        board=Board.from_view(game.board.seen_by(Side.O), Side.X),
        turn=game.turn and game.turn.other,
        cube=attrs.evolve(game.cube, owner=game.cube.owner and game.cube.owner.other),
        offer=game.offer and attrs.evolve(game.offer, by=game.offer.by.other, keeper=game.offer.keeper.other),
        resignation=game.resignation and attrs.evolve(game.resignation, side=game.resignation.side.other),
        result=game.result and attrs.evolve(game.result, winner=game.result.winner.other),
    )
