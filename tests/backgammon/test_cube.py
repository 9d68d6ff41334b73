"""The doubling cube."""

import attrs
import pytest

from fibsd.backgammon.actions import Action, Double, MakePlay, OpeningRoll, Pass, Redouble, Roll, Take
from fibsd.backgammon.board import START
from fibsd.backgammon.cube import CUBE_LIMIT, Cube, Offer
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import IllegalAction, Reason
from fibsd.backgammon.game import Ending, Game, GameRules, Phase, apply, new_game
from fibsd.backgammon.match import Match, act, new_match
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.side import BySide, Side
from tests.backgammon.positions import to_roll
from tests.support.oracle import csv_rows

UNLIMITED = GameRules(cube=True, redoubles=99, autodoubles=0)
PLAYERS = {"1": Side.O, "2": Side.X}
OWNERS = {"centre": None, **PLAYERS}
KINDS: dict[str, type[Double | Take | Pass | Redouble]] = {
    "double": Double,
    "take": Take,
    "drop": Pass,
    "beaver": Redouble,
}


def play_on(game: Game, turns: int) -> Game:
    """The game after some turns in which nobody doubles."""
    for _ in range(turns):
        assert game.turn is not None
        side = game.turn
        game = apply(game, Roll(side=side, dice=Dice(2, 1)))
        game = apply(game, MakePlay(side=side, play=legal_plays(game.board.seen_by(side), Dice(2, 1))[0]))
    return game


def refusal(game: Game, action: Action) -> Reason:
    with pytest.raises(IllegalAction) as refused:
        apply(game, action)
    return refused.value.reason


@pytest.mark.parametrize("side", Side)
def test_a_double_is_offered_and_taken(side: Side) -> None:
    offered = apply(to_roll(side=side), Double(side=side))
    assert offered.offer == Offer(by=side, keeper=side.other, stake=1, turns=1)
    assert (offered.phase, offered.turn, offered.cube) == (Phase.DOUBLED, side, Cube())
    assert (offered.offer.to_answer, offered.offer.value) == (side.other, 2)
    taken = apply(offered, Take(side=side.other))
    assert taken.cube == Cube(value=2, owner=side.other)
    assert (taken.phase, taken.turn, taken.offer) == (Phase.ROLL, side, None)
    assert refusal(taken, Double(side=side)) is Reason.NO_CUBE


@pytest.mark.parametrize("side", Side)
def test_a_refused_double_is_worth_the_value_before_it(side: Side) -> None:
    game = attrs.evolve(to_roll(side=side), cube=Cube(value=4, owner=side))
    game = apply(apply(game, Double(side=side)), Pass(side=side.other))
    assert game.result is not None
    assert attrs.astuple(game.result) == (side, 1, 4, Ending.DROP)
    assert (game.cube, game.offer, game.phase) == (Cube(value=4, owner=side), None, Phase.OVER)


@pytest.mark.parametrize("side", Side)
def test_who_was_doubled_first_keeps_the_cube_through_all_turns(side: Side) -> None:
    game = apply(to_roll(side=side, rules=UNLIMITED), Double(side=side))
    answering = side.other
    for value in (4, 8, 16, 32, 64):
        game = apply(game, Redouble(side=answering))
        answering = answering.other
        taken = apply(game, Take(side=answering))
        assert taken.cube == Cube(value=value, owner=side.other)
        assert (taken.phase, taken.turn) == (Phase.ROLL, side)
        passed = apply(game, Pass(side=answering))
        assert passed.result is not None
        assert (passed.result.winner, passed.result.points) == (answering.other, value // 2)
        assert passed.cube == Cube(value=value // 2, owner=side.other)
    assert refusal(game, Redouble(side=answering)) is Reason.NO_REDOUBLE


@pytest.mark.parametrize("redoubles", [0, 1, 2, 3])
def test_the_cube_is_turned_at_once_only_as_often_as_agreed(redoubles: int) -> None:
    rules = GameRules(cube=True, redoubles=redoubles, autodoubles=0)
    game = apply(to_roll(side=Side.O, rules=rules), Double(side=Side.O))
    side = Side.X
    for _ in range(redoubles):
        game = apply(game, Redouble(side=side))
        side = side.other
    assert refusal(game, Redouble(side=side)) is Reason.NO_REDOUBLE
    assert apply(game, Take(side=side)).cube == Cube(value=2 ** (redoubles + 1), owner=Side.X)


@pytest.mark.parametrize(
    ("cube", "owner_may", "other_may"),
    [
        (Cube(), True, True),
        (Cube(value=32, owner=Side.O), True, False),
        (Cube(value=CUBE_LIMIT, owner=Side.O), False, False),
        (Cube(value=CUBE_LIMIT), False, False),
    ],
)
def test_who_may_double(cube: Cube, owner_may: bool, other_may: bool) -> None:
    for side, may in ((Side.O, owner_may), (Side.X, other_may)):
        game = attrs.evolve(to_roll(side=side), cube=cube)
        assert game.may_double(side) is game.cube_available(side) is may
        assert not game.may_double(side.other)
        without = attrs.evolve(game, rules=attrs.evolve(game.rules, cube=False))
        assert not without.may_double(side)
        assert not without.cube_available(side)
        if not may:
            assert refusal(game, Double(side=side)) is Reason.NO_CUBE


def test_nobody_may_double_in_the_first_play_nor_after_the_roll() -> None:
    game = apply(new_game(UNLIMITED), OpeningRoll(dice=BySide(o=3, x=1)))
    assert not game.may_double(Side.O)
    assert game.cube_available(Side.O)
    assert not game.may_double(Side.X)


# -- Tables --------------------------------------------------------------------------------------------------


def match_of_row(row: dict[str, str]) -> Match:
    """The match before the actions of a row of the table of cube actions."""
    length = None if row["length"] == "unlimited" else int(row["length"])
    score = BySide(o=int(row["score1"]), x=int(row["score2"]))
    crawford_game = row["crawford_game"] == "yes"
    match = new_match(length, crawford=True, redoubles=int(row["beavers_allowed"]))
    return attrs.evolve(
        match,
        score=score,
        crawford_over=length is not None and length - 1 in (score.o, score.x) and not crawford_game,
        game=attrs.evolve(
            new_game(attrs.evolve(match.game.rules, cube=not crawford_game)),
            turn=PLAYERS[row["actions"][0]],
            phase=Phase.ROLL,
            cube=Cube(value=int(row["cube"]), owner=OWNERS[row["owner"]]),
        ),
    )


def test_every_row_of_the_table_of_cube_actions() -> None:
    rows = csv_rows("cube.csv")
    assert rows
    for row in rows:
        match = match_of_row(row)
        refused = ""
        for nth, action in enumerate(row["actions"].split(", "), 1):
            player, kind = action.split()
            try:
                match = act(match, KINDS[kind](side=PLAYERS[player]))
            except IllegalAction:
                refused = str(nth)
                break
        assert (row["legal"], row["first_illegal_action"]) == ("no" if refused else "yes", refused), row
        if not refused:
            assert_end_of_row(row, match)


def assert_end_of_row(row: dict[str, str], match: Match) -> None:
    game = match.game
    assert game.cube == Cube(value=int(row["cube_after"]), owner=OWNERS[row["owner_after"]]), row
    assert (game.result is not None) is (row["game_over"] == "yes"), row
    if game.result is not None:
        assert game.result.winner is PLAYERS[row["winner"]], row
        assert game.result.points == int(row["points"]), row
        return
    for player, side in PLAYERS.items():
        # A cube is dead for a player whom the points at stake win the match; he may turn it all the same.
        dead = match.length is not None and match.score.of(side) + game.worth(1) >= match.length
        assert dead is (row[f"cube_dead_for_{player}"] == "yes"), row
        # Each player at the start of his next turn.
        waiting = play_on(game, 0 if game.turn is side else 1)
        assert waiting.may_double(side) is (row[f"may_double_{player}"] == "yes"), row


def test_every_row_of_the_table_of_automatic_doubles() -> None:
    rows = csv_rows("autodouble.csv")
    assert rows
    for row in rows:
        limit = 10**6 if row["limit"] == "none" else int(row["limit"])
        match = new_match(None, crawford=False, autodoubles=limit)
        for _ in range(int(row["equal_opening_throws"])):
            match = act(match, OpeningRoll(dice=BySide(o=4, x=4)))
        match = act(match, OpeningRoll(dice=BySide(o=5, x=3)))
        assert match.game.cube.value == int(row["cube_at_first_move"]), row
        assert match.game.cube.owner is OWNERS[row["owner"]], row
        able = {player for player, side in PLAYERS.items() if match.game.cube_available(side)}
        assert able == {"both": {"1", "2"}, "none": set()}.get(row["may_double"], {row["may_double"]}), row


def test_a_match_with_a_length_has_neither_beavers_nor_automatic_doubles() -> None:
    match = new_match(5, crawford=True, redoubles=99, autodoubles=1, jacoby=True)
    assert match.game.rules == GameRules(cube=True, redoubles=0, autodoubles=0, jacoby=False)
    assert act(match, OpeningRoll(dice=BySide(o=4, x=4))) == match
    assert match.game.board == START
