"""Short ways to write positions, plays and games in tests."""

import attrs

from fibsd.backgammon.actions import MakePlay, Roll
from fibsd.backgammon.board import START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import Game, GameRules, Phase, apply, new_game
from fibsd.backgammon.notation import decode
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import Side

CUBE = GameRules(cube=True, redoubles=0, autodoubles=0)


def view(text: str) -> tuple[int, ...]:
    """The 26 numbers of a raw board line, which is also what O sees."""
    numbers = tuple(int(word) for word in text.split(":"))
    assert len(numbers) == 26
    return numbers


def board(text: str, side: Side = Side.O) -> Board:
    """The position of a raw board line; for X the same position with the sides changed."""
    return Board.from_view(view(text), side)


def play(text: str) -> Play:
    """A play written as in the action log, in the mover's numbering: `bar-22 13-10`, `2-off`."""
    action = decode(f"O m {text}")
    assert isinstance(action, MakePlay)
    return action.play


def to_roll(position: Board = START, side: Side = Side.O, rules: GameRules = CUBE) -> Game:
    """A game in which the side is to roll."""
    return attrs.evolve(new_game(rules, position), turn=side, phase=Phase.ROLL)


def rolled(position: Board, side: Side, first: int, second: int) -> Game:
    """A game in which the side has just rolled these dice."""
    return apply(to_roll(position, side), Roll(side=side, dice=Dice(first, second)))


def make(game: Game, side: Side, text: str) -> Game:
    """The game after a play; see `play`."""
    return apply(game, MakePlay(side=side, play=play(text)))
