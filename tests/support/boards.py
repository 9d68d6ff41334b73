"""A raw board line read back into what it shows, to draw and to write it again."""

from __future__ import annotations

from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import CUBE_LIMIT, Cube, Offer
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import Game, GameRules, Phase
from fibsd.backgammon.match import Match
from fibsd.backgammon.side import BySide, Side
from fibsd.protocol.boards import UNLIMITED_LENGTH
from fibsd.world.snapshot import Snapshot


def _pair(side: Side, first: str, second: str) -> BySide[int]:
    """A pair of numbers that the line gives for player 1, then for the opponent."""
    return BySide.both(int(first)).put(side.other, int(second))


def _cube(fields: list[str], side: Side) -> Cube:
    value = int(fields[37])
    owners = {("1", "0"): side, ("0", "1"): side.other}
    return Cube(value=value, owner=owners.get((fields[38], fields[39])))


def _game(fields: list[str], side: Side, rules: GameRules) -> Game:
    turn = Side(int(fields[32])) if fields[32] != "0" else None
    own_dice, other_dice = (Dice(*map(int, fields[at : at + 2])) for at in (33, 35))
    dice = next((pair for pair in (own_dice, other_dice) if pair.first), None)
    cube = _cube(fields, side)
    offer = None
    if turn is not None and fields[38:40] == ["0", "0"] and cube.value < CUBE_LIMIT:
        offer = Offer(by=turn.other, keeper=turn, stake=cube.value, turns=1)
        turn = offer.by
    if turn is None:
        phase = Phase.OPENING
    elif offer is not None:
        phase = Phase.DOUBLED
    else:
        phase = Phase.ROLL if dice is None else Phase.MOVE
    return Game(
        board=Board(points=tuple(map(int, fields[6:32]))),
        turn=turn,
        phase=phase,
        dice=dice,
        playable=int(fields[49]) if turn is side and dice is not None else 0,
        cube=cube,
        offer=offer,
        resignation=None,
        result=None,
        rules=rules,
    )


def snapshot_of(raw: str) -> tuple[Snapshot, Side]:
    """The match that a raw board line shows, and player 1's side.

    What the line does not tell is assumed: the Crawford rule is in force unless field 50 says otherwise, and
    turn 0 is a game whose opening is not won yet.
    """
    fields = raw.split(":")
    side = Side(int(fields[41]))
    length = int(fields[3])
    unlimited = length == UNLIMITED_LENGTH
    redoubles = int(fields[52])
    rules = GameRules(cube=True, redoubles=redoubles, autodoubles=0)
    match = Match(
        length=None if unlimited else length,
        score=_pair(side, fields[4], fields[5]),
        crawford=not unlimited and fields[50] == "0",
        crawford_over=fields[51] == "1",
        redoubles=redoubles,
        autodoubles=0,
        game=_game(fields, side, rules),
        games=0,
    )
    names = BySide.both(fields[1]).put(side.other, fields[2])
    return Snapshot(names=names, match=match), side
