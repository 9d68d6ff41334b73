"""What is decided in an absent player's place, and what random losses of connections do to matches."""

import random

import attrs
import pytest

from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.game import Ending, Phase
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import BACKGAMMON, HYPERGAMMON, NACKGAMMON, TRICTRAC, Variant
from fibsd.bots.cube import UNLIMITED, Score
from fibsd.server.ghosts import decide, play_on, score_of
from fibsd.world import ghost, play
from fibsd.world.absence import GHOST_AFTER_S, RETURN_S
from fibsd.world.account import Account
from fibsd.world.arrivals import Newcomer, depart, enter
from fibsd.world.audience import Result
from fibsd.world.changes import EntryAdded, MatchAdjourned, MatchFinished, MatchRow
from fibsd.world.events import Farewell
from fibsd.world.ids import SessionId, UserName
from fibsd.world.lobby import Connection, SessionKind
from fibsd.world.matches import join_next, leave, start_match
from fibsd.world.table import Table
from fibsd.world.terms import AddedTerms
from fibsd.world.world import World
from tests.support.client import START
from tests.support.worlds import READY, result, user, world_of

ALICE, BOB = UserName("alice"), UserName("bob")
NAMES = (ALICE, BOB)
# O has all but won a race; X has all checkers at home.
GAMMON = [0, 15, *[0] * 9, -15, *[0] * 14]
"""O bears off while X has not come home."""
O_WINS = [0, 2, *[0] * 17, -5, -5, 0, 0, 0, 0, 0]


def table(length: int | None = 5, **terms: object) -> tuple[World, Table]:
    """alice, who has O, begins against bob."""
    world = world_of("alice", "bob", settings=READY)
    world.chance.script("3-1")
    added = AddedTerms(ghost=True, **terms)  # type: ignore[arg-type]
    start_match(world, user(world, "alice"), user(world, "bob"), length, result(), added)
    (made,) = world.tables.values()
    return world, made


def put(made: Table, points: list[int], turn: Side, cube: int = 1) -> None:
    """A position in which this side is to roll."""
    game = attrs.evolve(
        made.match.game,
        board=Board(points=tuple(points)),
        turn=turn,
        phase=Phase.ROLL,
        dice=None,
        playable=0,
        cube=Cube(value=cube),
    )
    made.match = attrs.evolve(made.match, game=game)


def entries(out: Result) -> list[str]:
    return [change.entry for change in out.changes if isinstance(change, EntryAdded)]


def test_nothing_is_decided_on_the_other_one_s_turn():
    world, made = table()
    out = result()
    decide(world, made, Side.X, out)
    assert out.changes == []


def test_side_that_has_all_but_won_doubles_and_the_other_one_refuses():
    world, made = table()
    put(made, O_WINS, Side.O)
    out = result()
    decide(world, made, Side.O, out)
    assert entries(out) == ["O d"]
    decide(world, made, Side.X, out)
    assert entries(out) == ["O d", "X p"]


def test_double_in_an_even_position_is_accepted_and_rolled():
    world, made = table()
    put(made, list(made.match.game.board.points), Side.O)
    out = result()
    play.double(world, made, Side.O, out)
    decide(world, made, Side.O, out)
    assert entries(out) == ["O d"], "it waits for the answer"
    world.chance.script("6-5")
    decide(world, made, Side.X, out)
    assert entries(out) == ["O d", "X t", "O r 6 5"]


def test_nobody_doubles_without_a_cube():
    world, made = table(nocube=True)
    put(made, O_WINS, Side.O)
    world.chance.script("6-5")
    out = result()
    decide(world, made, Side.O, out)
    assert entries(out)[0] == "O r 6 5"


@pytest.mark.parametrize(
    ("length", "terms", "points", "size", "answer"),
    [
        (5, {}, O_WINS, 1, "O A"),
        (5, {}, GAMMON, 1, "O J"),
        (1, {}, GAMMON, 1, "O A"),
        (None, {"jacoby": True}, GAMMON, 1, "O A"),
    ],
    ids=["what can be won", "less than a sure gammon", "all that the match needs", "Jacoby"],
)
def test_resignation_is_taken_if_it_is_worth_enough(length, terms, points, size, answer):
    world, made = table(length, **terms)
    put(made, points, Side.O)
    out = result()
    play.resign(world, made, Side.X, size, out)
    decide(world, made, Side.X, out)
    decide(world, made, Side.O, out)
    assert entries(out) == [f"X R {size}", answer]


def test_score_is_told_to_the_engine_as_it_counts():
    assert score_of(table(None)[1].match) == UNLIMITED
    assert score_of(table(None, jacoby=True)[1].match) == Score(jacoby=True)
    match = attrs.evolve(table(5)[1].match, score=BySide(o=4, x=2))
    assert score_of(match) == Score(away=BySide(o=1, x=3), crawford_over=False)
    assert score_of(attrs.evolve(match, crawford_over=True)) == Score(away=BySide(o=1, x=3), crawford_over=True)
    assert score_of(attrs.evolve(match, crawford=False)) == Score(away=BySide(o=1, x=3), crawford_over=True)


# --- random losses ---------------------------------------------------------------------------------------------


class Life:
    """A match of two who play as the engine does, and lose their connections at random."""

    def __init__(self, seed: int, length: int, variant: Variant) -> None:
        self.random = random.Random(seed)
        self.world = world_of("alice", "bob", settings=READY)
        self.world.chance._generator = self.random
        self.now = START
        self.sessions = 100
        self.entries: list[str] = []
        self.wins = dict.fromkeys(NAMES, 0)
        self.won_by_ghost = 0
        self.finished: MatchFinished | None = None
        added = AddedTerms(ghost=True, variant=variant)
        self.do(lambda out: start_match(self.world, *map(self._user, NAMES), length, out, added))
        (self.table,) = self.world.tables.values()
        self.names, self.terms = self.table.names, self.table.terms

    def _user(self, name: UserName):
        return self.world.users[name]

    def do(self, deed) -> None:
        """Do something, and keep what is stored of it."""
        out = Result(now=self.now)
        deed(out)
        self.entries += entries(out)
        for change in out.changes:
            if isinstance(change, MatchFinished):
                self.finished = change

    def login(self, name: UserName) -> None:
        self.sessions += 1
        connection = Connection(id=SessionId(self.sessions), kind=SessionKind.CLIP, host="192.0.2.x")
        account = Account(name=name, password_hash="", settings=READY)
        newcomer = Newcomer(connection=connection, account=account)
        self.do(lambda out: enter(self.world, newcomer, (), (), out))

    def step(self) -> None:
        """Half a second to half a minute later somebody goes, comes or does something."""
        self.now += self.random.choice((0.5, 1, 1, 1, 1, 11, 30))
        world, name = self.world, self.random.choice(NAMES)
        other = self.table.opponent_of(name)
        if name in world.absent:
            if self.random.random() < 0.1:
                self.login(name)
            elif world.deadlines.get(name, self.now + 1) > self.now:
                self.watched(lambda out: play_on(world, self.table, world.absent[name], out), self.table.side_of(name))
            else:
                # That the match is saved then is shown elsewhere; here it is to go on.
                self.login(name)
        elif other not in world.absent and self.random.random() < 0.02:
            how = self.random.choice((Farewell.DROP, Farewell.TIMEOUT, Farewell.NETWORK_ERROR, Farewell.ADMIN))
            self.do(lambda out: depart(world, world.users[name], how, out))
        elif self.table.paused:
            self.do(lambda out: join_next(world, self.table, world.users[name], out))
        else:
            self.watched(lambda out: decide(world, self.table, self.table.side_of(name), out), None)

    def watched(self, deed, ghost_side: Side | None) -> None:
        """Do something in the game; if it ends, keep who has won it and whether he was there."""
        before, points = self.table.paused, self.table.match.score
        seated = self.table.ghost
        self.do(deed)
        result = self.table.match.game.result
        if result is None or before:
            return
        winner = self.table.names.of(result.winner)
        if seated is result.winner:
            self.won_by_ghost += 1
            assert result.ending is Ending.ANNULLED
            assert self.table.match.score == points
        else:
            assert result.ending is not Ending.ANNULLED
            self.wins[winner] += result.points


@pytest.mark.parametrize("variant", [BACKGAMMON, NACKGAMMON, HYPERGAMMON, TRICTRAC], ids=lambda variant: variant.name)
def test_matches_end_and_their_scores_have_no_game_that_a_ghost_has_won(variant: Variant) -> None:
    won_by_ghost = 0
    # The seeds are fixed: a failure must come again.
    for seed in range(4):
        life = Life(seed, 7, variant)
        for _ in range(20_000):
            life.step()
            if life.finished is not None:
                break
        finished = life.finished
        assert finished is not None, "it did not end"
        assert {name: finished.score.of(side) for side, name in finished.names.items()} == life.wins
        assert (finished.rating is not None) is (variant is BACKGAMMON)
        assert (life.world.tables, life.world.absent, life.world.deadlines) == ({}, {}, {})
        row = MatchRow(id=life.table.id, names=life.names, terms=life.terms, started=START, entries=tuple(life.entries))
        assert Table.restore(row).match == life.table.match
        assert life.entries.count("a") == life.won_by_ghost
        won_by_ghost += life.won_by_ghost
    assert won_by_ghost > 0, "nothing was tried"


def test_player_who_goes_again_between_games_gets_no_new_time():
    life = Life(1, 3, BACKGAMMON)
    play_to_the_end(life)
    depart(life.world, life.world.users[BOB], Farewell.DROP, Result(now=life.now))
    assert life.world.deadlines == {BOB: life.now + RETURN_S}
    life.now += 60
    life.login(BOB)
    depart(life.world, life.world.users[BOB], Farewell.DROP, Result(now=life.now))
    assert life.world.deadlines == {BOB: life.now + RETURN_S - 60}


def play_to_the_end(life: Life) -> None:
    """End the running game by a resignation."""
    side = life.table.side_of(ALICE)
    play.resign(life.world, life.table, side, 1, result())
    play.accept(life.world, life.table, side.other, result())


def test_join_of_a_player_who_goes_is_forgotten():
    """Otherwise the next game would begin without him."""
    life = Life(1, 3, BACKGAMMON)
    play_to_the_end(life)
    join_next(life.world, life.table, life.world.users[BOB], result())
    depart(life.world, life.world.users[BOB], Farewell.DROP, result())
    join_next(life.world, life.table, life.world.users[ALICE], result())
    assert life.table.paused
    assert life.table.joined == {ALICE}


def test_game_that_ends_before_the_ghost_begins_counts_for_either():
    life = Life(1, 3, BACKGAMMON)
    side = life.table.side_of(BOB)
    put(life.table, list(life.table.match.game.board.points), side)
    play.double(life.world, life.table, side, result())
    depart(life.world, life.world.users[BOB], Farewell.DROP, Result(now=life.now))
    life.now += GHOST_AFTER_S - 1
    play.reject(life.world, life.table, side.other, Result(now=life.now))
    assert life.table.match.score.of(side) == 1
    assert life.world.deadlines == {BOB: life.now + RETURN_S}
    assert ghost.come_back(life.world, life.world.absent[BOB].presence, Result(now=life.now)) is not None


def test_stop_of_the_server_saves_the_match_and_nobody_has_left_it_on():
    life = Life(1, 3, BACKGAMMON)
    out = Result(now=life.now)
    for name in NAMES:
        depart(life.world, life.world.users[name], Farewell.NETWORK_ERROR, out)
    assert [change for change in out.changes if isinstance(change, MatchAdjourned)] == [
        MatchAdjourned(id=life.table.id, left_by=None, at=life.now)
    ]
    assert (life.world.tables, life.world.absent, life.world.deadlines) == ({}, {}, {})


def test_opponent_who_leaves_the_ghost_has_left_the_match_on():
    life = Life(1, 3, BACKGAMMON)
    depart(life.world, life.world.users[BOB], Farewell.DROP, Result(now=life.now))
    out = Result(now=life.now)
    leave(life.world, life.table, life.world.users[ALICE], out)
    assert [change.left_by for change in out.changes if isinstance(change, MatchAdjourned)] == [ALICE]
    life.login(BOB)
    assert life.world.users[BOB].table is None
    assert list(life.world.saved) == [life.table.id]
