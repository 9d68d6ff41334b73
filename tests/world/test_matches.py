"""Invitations, and how matches begin, are left, voided and taken up again."""

import pytest

from fibsd.backgammon.play import Move
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.changes import MatchAdjourned, MatchStarted, MatchVoided
from fibsd.world.errors import Refusal, Refused
from fibsd.world.ids import MatchId, UserName
from fibsd.world.invitations import check_may_invite, decline, invite, invite_to_resume
from fibsd.world.lobby import Invitation
from fibsd.world.matches import join, join_next, leave, void
from fibsd.world.play import accept, move, resign
from fibsd.world.world import World
from tests.support.client import START
from tests.support.worlds import READY, begin, enter, result, user, world_of

ALICE, BOB = UserName("alice"), UserName("bob")


def refusal_of(call, *args) -> Refusal:
    with pytest.raises(Refused) as refused:
        call(*args)
    return refused.value.refusal


def ready_world(*names: str) -> World:
    return world_of(*names, settings=READY)


def test_reasons_not_to_invite_come_in_the_order_of_fibs():
    world = ready_world("alice", "bob", "carol", "dave")
    alice, bob, dave = user(world, "alice"), user(world, "bob"), user(world, "dave")
    begin(world, "alice", "carol")
    enter(world, "erin")
    assert refusal_of(check_may_invite, world, alice, alice) is Refusal.INVITE_SELF
    assert refusal_of(check_may_invite, world, alice, user(world, "erin")) is Refusal.ALREADY_PLAYING
    assert refusal_of(check_may_invite, world, bob, user(world, "erin")) is Refusal.REFUSING_GAMES
    assert refusal_of(check_may_invite, world, bob, alice) is Refusal.ALREADY_PLAYING_OTHER
    check_may_invite(world, bob, dave)


@pytest.mark.parametrize(
    ("length", "experience", "refusal"),
    [
        (0, 99, Refusal.INVITE_LENGTH),
        (100, 99, Refusal.INVITE_LENGTH),
        (10, 49, Refusal.INVITE_EXPERIENCE),
        (99, 49, Refusal.INVITE_EXPERIENCE),
        (10, 50, None),
        (9, 0, None),
        (1, 0, None),
        (None, 0, None),
    ],
)
def test_lengths_and_the_experience_for_them(length, experience, refusal):
    world = world_of("alice", "bob", settings=READY, experience=experience)
    alice, bob = user(world, "alice"), user(world, "bob")
    if refusal is None:
        invite(world, alice, bob, length, result())
        assert alice.invitation is not None
    else:
        assert refusal_of(invite, world, alice, bob, length, result()) is refusal
        assert alice.invitation is None


def test_invitations_end_with_a_match_of_either():
    world = ready_world("alice", "bob", "carol", "dave")
    for one, other in (("carol", "alice"), ("bob", "dave"), ("dave", "bob")):
        invite(world, user(world, one), user(world, other), 3, result())
    begin(world, "alice", "bob")
    assert [user(world, name).invitation for name in world.users] == [None] * 4


def test_declining_ends_an_invitation_once():
    world = ready_world("alice", "bob")
    alice, bob = user(world, "alice"), user(world, "bob")
    invite(world, alice, bob, 3, result())
    decline(world, bob, alice, result())
    assert alice.invitation is None
    assert refusal_of(decline, world, bob, alice, result()) is Refusal.DIDNT_INVITE
    assert refusal_of(join, world, bob, alice, result()) is Refusal.DIDNT_INVITE


def test_terms_are_agreed_at_the_start():
    wanted = Settings(toggles=DEFAULT_TOGGLES | {Toggle.READY, Toggle.AUTODOUBLE} - {Toggle.CRAWFORD}, redoubles=7)
    world = world_of("alice", settings=wanted)
    enter(world, "bob", settings=Settings(toggles=wanted.toggles - {Toggle.CRAWFORD}, redoubles=3))
    enter(world, "carol", settings=Settings(toggles=wanted.toggles - {Toggle.AUTODOUBLE}))
    unlimited = begin(world, "alice", "bob", None).terms
    assert (unlimited.length, unlimited.redoubles, unlimited.autodoubles) == (None, 3, 1)
    leave(world, world.tables[user(world, "alice").table], user(world, "alice"), result())
    limited = begin(world, "alice", "bob", 5).terms
    assert (limited.length, limited.redoubles, limited.autodoubles, limited.crawford) == (5, 0, 0, True)


def test_starting_is_stored_before_the_opening_roll():
    world = ready_world("alice", "bob")
    world.chance.script("4-4 3-1")
    world.chance.coins.append(True)
    invite(world, user(world, "alice"), user(world, "bob"), 5, result())
    out = result()
    join(world, user(world, "bob"), user(world, "alice"), out)
    assert isinstance(out.changes[0], MatchStarted)
    assert out.changes[0].names.x == "alice", "the coin gave X to the inviter"
    assert [change.entry for change in out.changes[1:]] == ["o 4 4", "o 3 1"]


def test_leaving_saves_the_match_and_the_newest_is_resumed():
    world = ready_world("alice", "bob")
    alice, bob = user(world, "alice"), user(world, "bob")
    first = begin(world, "alice", "bob", 5)
    out = result()
    leave(world, first, alice, out)
    assert [change for change in out.changes if isinstance(change, MatchAdjourned)] == [
        MatchAdjourned(id=first.id, left_by=ALICE, at=START)
    ]
    second = begin(world, "alice", "bob", 7)
    leave(world, second, bob, result())
    assert [table.terms.length for table in world.saved_between(ALICE, BOB)] == [7, 5]
    invite_to_resume(world, bob, alice, result())
    join(world, alice, bob, result())
    assert world.tables == {second.id: second}
    assert second.left_by is None
    assert list(world.saved) == [first.id]


def test_only_matches_that_he_left_himself_count_against_a_player():
    world = ready_world("alice", "bob")
    for _ in range(world.house.max_saved):
        leave(world, begin(world, "alice", "bob"), user(world, "alice"), result())
    alice, bob = user(world, "alice"), user(world, "bob")
    assert refusal_of(invite, world, alice, bob, 5, result()) is Refusal.NO_NEW_GAMES
    invite(world, bob, alice, 5, result())
    assert refusal_of(join, world, alice, bob, result()) is Refusal.NO_NEW_GAMES
    invite_to_resume(world, alice, bob, result())


def test_next_game_begins_when_both_have_said_so():
    world = ready_world("alice", "bob")
    alice, bob = user(world, "alice"), user(world, "bob")
    table = begin(world, "alice", "bob")
    assert refusal_of(join_next, world, table, alice, result()) is Refusal.ALREADY_PLAYING
    resign(world, table, table.side_of(ALICE), 1, result())
    accept(world, table, table.side_of(BOB), result())
    join_next(world, table, alice, result())
    join_next(world, table, alice, result())
    assert table.paused
    world.chance.script("3-1")
    join_next(world, table, bob, result())
    assert not table.paused


def test_match_can_be_voided_until_both_have_moved():
    world = ready_world("alice", "bob")
    alice, bob = user(world, "alice"), user(world, "bob")
    assert refusal_of(void, world, alice, BOB, result()) is Refusal.VOID_NOTHING
    assert refusal_of(void, world, alice, None, result()) is Refusal.VOID_NOTHING
    table = begin(world, "alice", "bob")
    move(world, table, table.side_of(ALICE), (Move(8, 5), Move(6, 5)), result())
    out = result()
    void(world, bob, None, out)
    assert out.changes == [MatchVoided(id=table.id)]
    assert (world.tables, world.saved, alice.table, bob.table) == ({}, {}, None, None)


def test_match_is_too_late_to_void_when_both_have_moved_or_a_game_is_over():
    world = ready_world("alice", "bob")
    alice = user(world, "alice")
    table = begin(world, "alice", "bob")
    table.moved = frozenset({ALICE, BOB})
    assert refusal_of(void, world, alice, None, result()) is Refusal.VOID_TOO_LATE
    leave(world, table, alice, result())
    assert refusal_of(void, world, alice, BOB, result()) is Refusal.VOID_TOO_LATE
    table = begin(world, "alice", "bob")
    resign(world, table, table.side_of(ALICE), 1, result())
    accept(world, table, table.side_of(BOB), result())
    assert refusal_of(void, world, alice, None, result()) is Refusal.VOID_TOO_LATE


def test_an_invitation_to_a_match_that_is_gone_leads_nowhere():
    world = ready_world("alice", "bob")
    alice, bob = user(world, "alice"), user(world, "bob")
    alice.invitation = Invitation(inviter=ALICE, invitee=BOB, length=3, match=MatchId(99))
    assert refusal_of(join, world, bob, alice, result()) is Refusal.SAVED_CORRUPT
    assert alice.table is None
