"""Giving up, and who gets what FIBS does not have."""

import attrs
import pytest

from fibsd.backgammon.board import START as START_BOARD
from fibsd.backgammon.board import Board
from fibsd.backgammon.game import Phase
from fibsd.backgammon.side import Side
from fibsd.world.account import Settings
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal, Refused
from fibsd.world.helps import SURE_S, give_up
from fibsd.world.lobby import SessionKind
from fibsd.world.table import Table
from fibsd.world.world import World
from tests.support.client import START
from tests.support.worlds import READY, begin, user, world_of

HOPELESS = Board(points=(0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, -5, -5, -5, 0, 0, 0, 7, 0))
"""O is far more than 60 pips behind and has nothing off."""


def at_table(board: Board = HOPELESS, turn: Side = Side.O) -> tuple[World, Table]:
    world = world_of("alice", "bob", settings=READY)
    table = begin(world, "alice", "bob")
    put(table, board, turn)
    return world, table


def put(table: Table, board: Board, turn: Side = Side.O) -> None:
    game = attrs.evolve(table.match.game, board=board, turn=turn, phase=Phase.ROLL, dice=None, playable=0)
    table.match = attrs.evolve(table.match, game=game)


def gives_up(world: World, table: Table, at: float = 0.0) -> bool:
    """Alice gives up, so many seconds after the start; whether it was offered."""
    out = Result(now=START + at)
    offered = give_up(world, table, user(world, "alice"), out)
    assert offered is (len(out.changes) > 0)
    return offered


def offered_size(table: Table) -> int:
    resignation = table.match.game.resignation
    return 0 if resignation is None else resignation.size


@pytest.mark.parametrize("turn", Side)
def test_single_game_is_offered_without_a_question_on_either_turn(turn):
    world, table = at_table(START_BOARD, turn)
    assert gives_up(world, table)
    assert offered_size(table) == 1


@pytest.mark.parametrize(("wait_s", "offered"), [(0.0, True), (SURE_S, True), (SURE_S + 0.1, False)])
def test_gammon_is_offered_when_it_is_said_twice_within_thirty_seconds(wait_s, offered):
    world, table = at_table()
    assert not gives_up(world, table)
    assert gives_up(world, table, wait_s) is offered
    assert offered_size(table) == (2 if offered else 0)


def test_answer_counts_once():
    world, table = at_table()
    gives_up(world, table)
    gives_up(world, table)
    table.match = attrs.evolve(table.match, game=attrs.evolve(table.match.game, resignation=None))
    assert not gives_up(world, table)


def test_position_at_the_answer_says_what_is_offered():
    world, table = at_table()
    gives_up(world, table)
    put(table, START_BOARD)
    assert gives_up(world, table)
    assert offered_size(table) == 1


def test_question_belongs_to_its_game():
    world, table = at_table()
    gives_up(world, table)
    table.match = attrs.evolve(table.match, games=1)
    assert not gives_up(world, table)


def test_nobody_is_asked_what_he_may_not_do():
    world, table = at_table()
    gives_up(world, table)
    gives_up(world, table)
    for board in (HOPELESS, START_BOARD):
        put(table, board)
        with pytest.raises(Refused) as refused:
            give_up(world, table, user(world, "alice"), Result(now=START))
        assert refused.value.refusal is Refusal.ALREADY_DID
    assert user(world, "alice").gammon_asked is None


@pytest.mark.parametrize("kind", SessionKind)
def test_people_have_extras_by_default_and_whoever_chose_has_what_he_chose(kind):
    world = world_of("alice")
    alice = user(world, "alice")
    alice.connection = attrs.evolve(alice.connection, kind=kind)
    assert alice.extras is (kind is SessionKind.TELNET)
    for chosen in (True, False):
        alice.account = attrs.evolve(alice.account, settings=Settings(extras=chosen))
        assert alice.extras is chosen
