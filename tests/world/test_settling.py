"""Saved matches that nobody plays on: who wins them, at what, and how that is taken back."""

import attrs
import pytest

from fibsd.backgammon.actions import Forfeit
from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.game import Ending, Phase
from fibsd.backgammon.match import new_match
from fibsd.backgammon.side import BySide
from fibsd.backgammon.variants import HYPERGAMMON, TRICTRAC
from fibsd.rating import rate
from fibsd.world.account import Account
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import (
    Audited,
    EntryAdded,
    MatchFinished,
    MatchReversed,
    MatchRow,
    MatchVoided,
    MessageLeft,
)
from fibsd.world.events import Awarded, MatchSettled
from fibsd.world.ids import UserName
from fibsd.world.matches import leave
from fibsd.world.settling import DAY_S, adjudicate, open_again, over_at, present, warned_at
from fibsd.world.table import Table
from fibsd.world.terms import AddedTerms, parse_terms
from fibsd.world.world import HouseRules, World
from tests.support.client import START
from tests.support.worlds import READY, begin, result, user, world_of

ALICE, BOB = UserName("alice"), UserName("bob")


def left_match(length: int | None = 5, added: AddedTerms | None = None) -> tuple[World, Table]:
    """Alice has left a match with bob, before anybody moved; both are off-line."""
    world = world_of("alice", "bob", settings=READY)
    world.house = HouseRules(adjudicate_after=10)
    table = begin(world, "alice", "bob", length)
    if added is not None:
        table.terms = attrs.evolve(table.terms, added=added)
    leave(world, table, user(world, "alice"), result())
    for name in (ALICE, BOB):
        world.remove(name)
    return world, table


def seen(alice: float | None, bob: float | None, **more: float) -> dict[UserName, Account]:
    """Accounts that were here last at these times."""
    return {
        ALICE: Account(name=ALICE, password_hash="", last_login=alice, **more),
        BOB: Account(name=BOB, password_hash="", last_login=bob, **more),
    }


def finished(out: Result) -> MatchFinished:
    """The end of the match in a result."""
    (change,) = [change for change in out.changes if isinstance(change, MatchFinished)]
    return change


@pytest.mark.parametrize(
    ("accounts", "left_by", "winner"),
    [
        (seen(5.0, 6.0), None, BOB),
        (seen(6.0, 5.0), ALICE, ALICE),
        (seen(None, 1.0), None, BOB),
        (seen(5.0, 5.0), ALICE, BOB),
        (seen(5.0, 5.0), BOB, ALICE),
        (seen(5.0, 5.0), None, None),
        (seen(None, None), None, None),
    ],
)
def test_who_was_here_last_is_in_the_right(accounts, left_by, winner):
    world, table = left_match()
    table.left_by = left_by
    assert present(world, table, accounts) == winner


def test_a_logout_counts_like_a_login_and_whoever_is_on_line_is_here():
    world, table = left_match()
    accounts = seen(9.0, 5.0)
    accounts[BOB] = attrs.evolve(accounts[BOB], last_logout=10.0)
    assert present(world, table, accounts) == BOB
    world = world_of("alice")
    assert present(world, table, accounts) == ALICE
    world = world_of("alice", "bob")
    assert present(world, table, accounts) == BOB  # alice left it
    table.left_by = None
    assert present(world, table, accounts) is None


def test_the_time_counts_from_the_last_touch_and_half_of_it_warns():
    world, table = left_match()
    assert (over_at(world, table), warned_at(world, table)) == (START + 10 * DAY_S, START + 5 * DAY_S)
    world.house = HouseRules()
    assert (over_at(world, table), warned_at(world, table)) == (None, None)


def test_the_running_game_is_awarded_and_the_match_without_further_points():
    world, table = left_match(length=5)
    world.saved[table.id] = table
    before, out = table.seq, result()
    accounts = seen(5.0, 6.0, experience=30)
    adjudicate(world, table, accounts, out)
    entry, end, audit = out.changes
    assert isinstance(entry, EntryAdded)
    assert entry.seq == before
    assert table.match.game.result is not None
    assert table.match.game.result.ending is Ending.AWARD
    assert isinstance(end, MatchFinished)
    side = table.side_of(BOB)
    assert (end.winner, end.score, end.settled) == (side, BySide.both(0).put(side, 3), before)
    assert end.rating == rate(accounts[BOB].standing, accounts[ALICE].standing, 5)
    text = "bob wins the 5 point match 3-0 . (alice did not come back)"
    assert {(notice.to, notice.text, notice.sender) for notice in end.notices} == {
        (ALICE, text, "fibsd"),
        (BOB, text, "fibsd"),
    }
    assert isinstance(audit, Audited)
    assert (audit.audit.by, audit.audit.act, audit.audit.subject) == ("fibsd", "adjudicate", str(table.id))
    assert out.envelopes == []
    assert world.saved == {}


@pytest.mark.parametrize(("accounts", "size"), [(seen(5.0, 6.0), 1), (seen(6.0, 5.0), 2)], ids=["one off", "past home"])
@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(
    "words",
    ["", "blitz", "standard", "clock 60 5", "ghost", "nocube", "stake 50", "nackgammon", "hypergammon", "trictrac"],
)
def test_an_award_claims_no_more_than_can_still_be_lost_on_any_terms(accounts, size, words, turned):
    """Nobody can hit any more: alice, who has O, has borne off, and bob is past her home board."""
    world, table = left_match(length=9)
    added = parse_terms(words.split(), unlimited=False)
    o = table.side_of(ALICE)
    few = added.variant is HYPERGAMMON
    view = {1: 1, 2: 1, 18: -1, 19: -1, 20: -1} if few else {1: 6, 2: 6, 18: -3, 19: -4, 20: -4, 21: -4}
    board = Board.from_view(tuple(view.get(point, 0) for point in range(26)), o)
    match = new_match(9, crawford=True, cube=not added.nocube, variant=added.variant)
    cube = Cube(value=2, owner=o) if turned and match.game.rules.cube else Cube()
    game = attrs.evolve(match.game, board=board, turn=o, phase=Phase.ROLL, cube=cube)
    table.match, table.terms = attrs.evolve(match, game=game), attrs.evolve(table.terms, added=added)
    adjudicate(world, table, accounts, result())
    assert table.match.game.result is not None
    assert table.match.game.result.points == size * cube.value


def test_a_game_that_wins_the_match_ends_it_as_usual():
    world, table = left_match(length=2)
    out = result()
    adjudicate(world, table, seen(5.0, 6.0), out)
    assert table.match.over
    assert finished(out).score == table.match.score


def test_in_the_pause_between_games_nothing_is_awarded():
    world, table = left_match(length=9)
    table.enter(Forfeit(side=table.side_of(ALICE), size=1), START, result())
    before, out = table.match.score, result()
    adjudicate(world, table, seen(6.0, 5.0), out)
    assert not [change for change in out.changes if isinstance(change, EntryAdded)]
    assert (finished(out).score, finished(out).winner) == (before, table.side_of(ALICE))


def test_who_is_on_line_is_told_at_once_and_has_his_new_rating():
    world, table = left_match()
    world = attrs.evolve(world_of("bob", settings=READY), house=world.house, saved={table.id: table}, next_message=7)
    out = result()
    accounts = seen(5.0, 6.0)
    adjudicate(world, table, accounts, out)
    events = [event for one in out.envelopes for event in one.events if one.audience == ToUser(BOB)]
    assert [type(event) for event in events[:2]] == [Awarded, MatchSettled]
    assert [number for name, number in out.receipts if name == BOB] == [
        notice.id for notice in finished(out).notices if notice.to == BOB
    ]
    change = finished(out).rating
    assert change is not None
    assert user(world, "bob").account.rating == change.winner.rating_after


def test_a_match_that_is_not_rated_changes_no_rating():
    world, table = left_match(added=AddedTerms(variant=TRICTRAC))
    out = result()
    adjudicate(world, table, seen(5.0, 6.0), out)
    assert finished(out).rating is None


def test_where_nobody_is_at_fault_the_match_is_made_void():
    world, table = left_match(added=AddedTerms(stake=30))
    table.left_by = None
    out = result()
    adjudicate(world, table, seen(5.0, 5.0), out)
    kinds = [type(change).__name__ for change in out.changes]
    assert kinds == ["MatchVoided", "MessageLeft", "MessageLeft", "PointsMoved", "Audited"]
    assert out.changes[0] == MatchVoided(id=table.id)
    texts = {change.message.to: change.message.text for change in out.changes if isinstance(change, MessageLeft)}
    assert texts[ALICE] == "Your match with bob was made void: it was left for 10 days."


def test_an_unlimited_match_ends_as_it_stands():
    world, table = left_match(length=None)
    out = result()
    adjudicate(world, table, seen(5.0, 6.0), out)
    end = finished(out)
    assert (end.winner, end.score, end.rating) == (None, table.match.score, None)
    assert {notice.text for notice in end.notices} == {
        "Your unlimited match with bob has ended 0-0: it was left for 10 days.",
        "Your unlimited match with alice has ended 0-0: it was left for 10 days.",
    }


def test_a_reversed_match_is_where_it_was_for_those_on_line():
    world, table = left_match()
    world = attrs.evolve(world_of("bob", settings=READY), house=world.house)
    row = MatchRow(
        id=table.id,
        names=table.names,
        terms=table.terms,
        started=START,
        entries=("o 3 1", "X f 3"),
        finished=START + 5,
        settled=1,
    )

    out = Result(now=START + 99)
    open_again(world, row, (), (), out)
    reopened = world.saved[table.id]
    assert (reopened.seq, reopened.paused, reopened.touched) == (1, False, START + 99)
    assert out.changes[0] == MatchReversed(id=table.id, names=table.names, settled=1, ratings=(), at=START + 99)
    assert len([change for change in out.changes if isinstance(change, MessageLeft)]) == 2
    world = world_of("carol")
    open_again(world, row, (), (), result())
    assert world.saved == {}
    with pytest.raises(ValueError, match="not settled"):
        open_again(world, attrs.evolve(row, settled=None), (), (), result())
