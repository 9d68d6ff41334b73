"""Users coming and going."""

import pytest

from fibsd.backgammon.side import BySide
from fibsd.world.account import Account
from fibsd.world.arrivals import Newcomer, depart, enter, take_back
from fibsd.world.changes import LoggedIn, LoggedOut, MatchAdjourned, MatchRow, MatchTerms, Message
from fibsd.world.events import Farewell, Notice, NoticeKind, OpponentGone
from fibsd.world.ghost import LEFT
from fibsd.world.ids import MatchId, SessionId, UserName
from fibsd.world.lobby import Connection, SessionKind
from fibsd.world.matches import leave
from tests.support.client import START
from tests.support.worlds import READY, begin, result, user, world_of

ALICE, BOB = UserName("alice"), UserName("bob")


def newcomer(name: str, session: int = 99) -> Newcomer:
    connection = Connection(id=SessionId(session), kind=SessionKind.CLIP, host="192.0.2.x")
    return Newcomer(connection=connection, account=Account(name=UserName(name), password_hash=""))


def row(number: int, *entries: str) -> MatchRow:
    names = BySide(o=ALICE, x=BOB)
    return MatchRow(id=MatchId(number), names=names, terms=MatchTerms(length=5), started=0.0, entries=entries)


def test_saved_matches_are_held_and_one_that_cannot_be_read_is_told_of():
    world, out = world_of("bob"), result()
    faults = enter(world, newcomer("alice"), [row(1, "o 3 1"), row(2, "rubbish")], (), out)
    assert [str(fault)[:7] for fault in faults] == ["match 2"]
    assert list(world.saved) == [1]
    notices = [event for envelope in out.envelopes for event in envelope.events if isinstance(event, Notice)]
    assert notices == [Notice(NoticeKind.CORRUPT)]
    assert [change for change in out.changes if isinstance(change, LoggedIn)] == [
        LoggedIn(name=ALICE, at=START, host="192.0.2.x")
    ]


def test_what_is_in_memory_is_newer_than_what_the_store_answered():
    world = world_of("alice", "bob", settings=READY)
    table = begin(world, "alice", "bob")
    leave(world, table, user(world, "alice"), result())
    depart(world, user(world, "alice"), Farewell.LOGOUT, result())
    enter(world, newcomer("alice"), [row(table.id)], (), result())
    assert world.saved[table.id] is table


def test_saved_matches_are_forgotten_when_both_have_gone():
    world = world_of("alice", "bob", settings=READY)
    leave(world, begin(world, "alice", "bob"), user(world, "alice"), result())
    depart(world, user(world, "alice"), Farewell.LOGOUT, result())
    assert len(world.saved) == 1
    depart(world, user(world, "bob"), Farewell.LOGOUT, result())
    assert world.saved == {}


def test_messages_are_receipted_to_the_one_who_gets_them():
    world, out = world_of(), result()
    letter = Message(id=5, to=ALICE, sender=BOB, at=1.0, text="Hello.")
    enter(world, newcomer("alice"), (), [letter], out)
    assert out.receipts == [(ALICE, 5)]


@pytest.mark.parametrize("how", Farewell, ids=lambda how: how.name)
def test_match_counts_as_left_on_only_by_him_who_went_of_himself(how):
    world, out = world_of("alice", "bob", settings=READY), result()
    table = begin(world, "alice", "bob")
    depart(world, user(world, "alice"), how, out)
    left_by = ALICE if how in LEFT else None
    assert [change for change in out.changes if isinstance(change, MatchAdjourned | LoggedOut)] == [
        MatchAdjourned(id=table.id, left_by=left_by, at=START),
        LoggedOut(name=ALICE, at=START),
    ]
    assert world.saved == {table.id: table}
    assert user(world, "bob").table is None


def test_second_login_takes_the_match_and_drops_the_old_session():
    world, out = world_of("alice", "bob", settings=READY), result()
    table = begin(world, "alice", "bob")
    old = user(world, "alice").connection.id
    enter(world, newcomer("alice", 77), (), (), out)
    assert out.drops == [old]
    assert user(world, "alice").connection.id == 77
    assert user(world, "alice").table == table.id
    assert world.logins == 2, "he is still the same user in the list"


def test_match_that_the_store_refused_is_taken_off_its_players():
    world, out = world_of("alice", "bob", settings=READY), result()
    table = begin(world, "alice", "bob")
    assert set(take_back(world, table.id, out)) == {ALICE, BOB}
    assert (world.tables, world.saved) == ({}, {})
    gone = [event for envelope in out.envelopes for event in envelope.events if isinstance(event, OpponentGone)]
    assert {event.how for event in gone} == {Farewell.NETWORK_ERROR}
    assert take_back(world, table.id, result()) == ()
    assert set(take_back(world, table.id, result(), table.names)) == {ALICE, BOB}, "it was finished meanwhile"
