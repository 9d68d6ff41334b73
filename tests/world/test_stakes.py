"""Play points: who can stake how many, where they go, and that none is ever made or lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from fibsd.commands.account import erase_sure
from fibsd.commands.call import Call
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Job, Outcome
from fibsd.world.account import Account
from fibsd.world.arrivals import Newcomer, depart
from fibsd.world.arrivals import enter as come_in
from fibsd.world.audience import Result, ToUser
from fibsd.world.changes import AccountCreated
from fibsd.world.errors import Refusal, Refused
from fibsd.world.events import AwardReason, Farewell, StakePaid, StakeReturned
from fibsd.world.ids import SessionId, UserName
from fibsd.world.invitations import invite, invite_to_resume
from fibsd.world.lobby import Connection, SessionKind
from fibsd.world.matches import join, leave, start_match, void
from fibsd.world.points import BANK, HOUSE, PointsMoved, PointsOpened, pot
from fibsd.world.results import award
from fibsd.world.settling import adjudicate, open_again
from fibsd.world.stakes import aside, open_points
from fibsd.world.table import Table
from fibsd.world.terms import AddedTerms
from fibsd.world.world import HouseRules, ServerFacts, World
from tests.support.client import START, ScriptedChance
from tests.support.strategies import examples
from tests.support.worlds import READY, result, user, world_of

HOUSE_RULES = HouseRules(play_points=True, start_points=100, fee_percent=7, adjudicate_after=10)
ALICE, BOB = UserName("alice"), UserName("bob")


def rich_world(*names: str, points: int = 100) -> World:
    world = world_of(*names, settings=attrs.evolve(READY, extras=True))
    world.house = HOUSE_RULES
    for name in names:
        user(world, name).points = points
    return world


def stake_of(world: World, n: int, one: str = "alice", other: str = "bob", length: int = 5) -> tuple[Table, Result]:
    """A match on which `one` and `other` stake n."""
    invite(world, user(world, one), user(world, other), length, result(), ["stake", str(n)])
    out = result()
    join(world, user(world, other), user(world, one), out)
    table = user(world, one).table
    assert table is not None
    return world.tables[table], out


def moves(out: Result) -> list[tuple[str, str, int]]:
    """Givers, takers and amounts, in their order."""
    moved = [change for change in out.changes if isinstance(change, PointsMoved)]
    return [(one.giver, one.taker, one.amount) for change in moved for one in change.transfers]


def told(out: Result, kind: type) -> list[tuple[object, object]]:
    """Events of a kind, with those who are told."""
    return [(one.audience, event) for one in out.envelopes for event in one.events if isinstance(event, kind)]


@pytest.mark.parametrize("mine", [None, 0, 39])
def test_who_has_too_few_is_told_how_many(mine):
    world = rich_world("alice", "bob")
    user(world, "alice").points = mine
    with pytest.raises(Refused) as refused:
        stake_of(world, 40)
    assert (refused.value.refusal, refused.value.fields) == (Refusal.POINTS_SHORT, {"points": mine or 0})
    assert user(world, "alice").invitation is None


def test_what_the_other_has_is_not_told():
    world = rich_world("alice", "bob")
    user(world, "bob").points = 39
    with pytest.raises(Refused) as refused:
        stake_of(world, 40)
    assert (refused.value.refusal, refused.value.fields) == (Refusal.POINTS_OTHER, {"name": "bob"})
    user(world, "bob").points = 40
    stake_of(world, 40)


def test_both_are_looked_at_again_when_the_match_begins():
    world = rich_world("alice", "bob")
    alice, bob = user(world, "alice"), user(world, "bob")
    invite(world, alice, bob, 5, result(), ["stake", "40"])
    for owner, refusal in ((alice, Refusal.POINTS_OTHER), (bob, Refusal.POINTS_SHORT)):
        owner.points = 39
        out = result()
        with pytest.raises(Refused) as refused:
            join(world, bob, alice, out)
        assert refused.value.refusal is refusal
        assert out.changes == []
        owner.points = 100
    world.house = HouseRules()
    with pytest.raises(Refused) as refused:
        join(world, bob, alice, result())
    assert refused.value.refusal is Refusal.TERM_STAKE_OFF


def test_stakes_are_set_aside_with_the_start_and_go_to_the_winner_less_the_fee():
    world = rich_world("alice", "bob")
    table, out = stake_of(world, 40, length=1)
    assert moves(out) == [("alice", pot(table.id), 40), ("bob", pot(table.id), 40)]
    assert [type(change).__name__ for change in out.changes[:2]] == ["MatchStarted", "PointsMoved"]
    assert (user(world, "alice").points, user(world, "bob").points) == (60, 60)
    assert aside(world, ALICE) == [table]
    out = result()
    award(world, table, table.side_of(ALICE), AwardReason.TIME, out)
    assert moves(out) == [(pot(table.id), "bob", 75), (pot(table.id), HOUSE, 5)]
    assert (user(world, "alice").points, user(world, "bob").points) == (60, 135)
    assert told(out, StakePaid) == [
        (ToUser(name), StakePaid("bob", 75, name == "bob")) for name in (table.names.o, table.names.x)
    ]
    assert aside(world, ALICE) == []


def test_the_whole_pot_can_be_the_house_s():
    world = rich_world("alice", "bob")
    world.house = attrs.evolve(HOUSE_RULES, fee_percent=100)
    table, _ = stake_of(world, 40, length=1)
    out = result()
    award(world, table, table.side_of(ALICE), AwardReason.TIME, out)
    assert moves(out) == [(pot(table.id), HOUSE, 80)]
    assert user(world, "bob").points == 60


def test_a_saved_match_keeps_them_aside_and_a_void_one_gives_them_back():
    world = rich_world("alice", "bob")
    table, _ = stake_of(world, 40)
    out = result()
    leave(world, table, user(world, "alice"), out)
    assert moves(out) == []
    assert aside(world, BOB) == [table]
    out = result()
    void(world, user(world, "alice"), "bob", out)
    assert sorted(moves(out)) == [(pot(table.id), "alice", 40), (pot(table.id), "bob", 40)]
    assert (user(world, "alice").points, user(world, "bob").points) == (100, 100)
    assert len(told(out, StakeReturned)) == 2


def test_whoever_starts_a_match_with_a_stake_must_have_it():
    world = rich_world("alice", "bob", points=9)
    with pytest.raises(Refused):
        start_match(world, user(world, "alice"), user(world, "bob"), 5, result(), AddedTerms(stake=10))
    assert world.tables == {}


def test_first_points_are_given_once():
    world = rich_world("alice")
    out = result()
    open_points(world, user(world, "alice"), None, out)
    (change,) = out.changes
    assert isinstance(change, PointsOpened)
    assert (change.transfer.giver, change.transfer.taker, change.transfer.amount) == (BANK, "alice", 100)
    out = result()
    open_points(world, user(world, "alice"), 7, out)
    assert (out.changes, user(world, "alice").points) == ([], 7)


# --- any sequence ----------------------------------------------------------------------------------------------

NAMES = tuple(map(UserName, ("alice", "bob", "carol")))
STEPS = ("stake", "resume", "leave", "win", "void", "adjudicate", "reverse", "erase", "log out", "kill", "lose a job")
OFTEN = ("stake", "leave", "adjudicate", "reverse") * 2
"""What must happen more often, for the other things to have matches that they can happen to."""


@attrs.define
class House:
    """A world that stores what it does, and may lose its memory at any moment, with a job on its way."""

    store: MemoryStore
    world: World = attrs.field(init=False)
    number: int = 0
    losing: bool = False
    reversals: int = 0

    def __attrs_post_init__(self) -> None:
        def settled(outcomes: object) -> None:
            assert isinstance(outcomes, tuple)
            assert [outcome for outcome in outcomes if isinstance(outcome, Outcome) and outcome.error] == []

        self.store.start(settled)
        for name in NAMES:
            self._register(name)
        self.begin()

    def _register(self, name: UserName) -> None:
        with self.doing() as out:
            settings = attrs.evolve(READY, extras=True)
            out.store(AccountCreated(account=Account(name=name, password_hash="", created=START, settings=settings)))

    @contextmanager
    def doing(self) -> Iterator[Result]:
        """One job; if it is lost the server dies with it. A refusal leaves nothing to store."""
        out = result()
        try:
            yield out
        except Refused:
            assert out.changes == []
        if self.losing and any(change.durable for change in out.changes):
            self.losing = False
            self.begin()
        elif out.changes:
            self.number += 1
            self.store.submit(Job(number=self.number, changes=tuple(out.changes)))

    def begin(self) -> None:
        """A server that knows nothing but what is stored, and everybody logs in."""
        self.world = World(house=HOUSE_RULES, chance=ScriptedChance(), server=ServerFacts(version="0"))
        self.world.next_match = trio.run(self.store.next_ids).match
        self.world.next_message = trio.run(self.store.next_ids).message
        for name in NAMES:
            self.come(name)

    def come(self, name: UserName) -> None:
        account = trio.run(self.store.account, name)
        assert account is not None
        connection = Connection(id=SessionId(len(name)), kind=SessionKind.TELNET, host="h")
        newcomer = Newcomer(connection=connection, account=account, points=trio.run(self.store.balance, name))
        with self.doing() as out:
            come_in(self.world, newcomer, trio.run(self.store.unfinished, name), (), out)

    def act(self, step: str, one: UserName, other: UserName, n: int) -> None:
        """Let `one` do something, alone or with `other`, or let something happen to one of the matches."""
        world = self.world
        me, him = world.users[one], world.users[other]
        running = None if me.table is None else world.tables[me.table]
        acts: dict[str, Callable[[Result], object]] = {}
        if running is None and him.table is None and one != other:
            acts["stake"] = lambda out: stake_of_words(world, one, other, n, out)
            if world.saved_between(one, other):
                acts["resume"] = lambda out: _resume(world, one, other, out)
        if saved := [*world.saved.values()]:
            acts["adjudicate"] = lambda out: adjudicate(world, saved[n % len(saved)], _accounts(world), out)
        if tables := [*world.tables.values()]:
            table = tables[n % len(tables)]
            acts["leave"] = lambda out: leave(world, table, world.users[table.names.o], out)
            acts["win"] = lambda out: award(world, table, table.side_of(table.names.x), AwardReason.TIME, out)
        acts["void"] = lambda out: void(world, me, str(other), out)
        acts["log out"] = lambda out: depart(world, me, Farewell.LOGOUT, out)
        if running is None:
            call = Call(session=SessionId(1), user=one, word="", args="yes", now=START)
            acts["erase"] = lambda out: out.changes.extend(erase_sure(call, world).changes)
        if step == "reverse":
            self._reverse(n)
        elif step == "kill":
            self.begin()
        elif step == "lose a job":
            self.losing = True
        elif step in acts:
            with self.doing() as out:
                acts[step](out)
            if step == "erase" and trio.run(self.store.account, one) is None:
                self._register(one)
            if one not in self.world.users:
                self.come(one)

    def _reverse(self, n: int) -> None:
        """Take back the settlement of a match, if there is one and nobody has spent what it gave him."""
        numbers = range(1, self.world.next_match)
        rows = [row for row in (trio.run(self.store.match, number) for number in numbers) if row is not None]
        settled = [row for row in rows if row.settled is not None and {row.names.o, row.names.x} <= {*NAMES}]
        if settled:
            row = settled[n % len(settled)]
            booked = trio.run(self.store.settlement, row.id)
            if all((trio.run(self.store.balance, account) or 0) >= amount for account, amount in booked.points):
                self.reversals += 1
                with self.doing() as out:
                    open_again(self.world, row, booked.ratings, booked.points, out)

    def check(self) -> None:
        """None was made or lost, nobody but the bank has less than none, and memory and store say the same."""
        totals: dict[str, int] = {}
        for row in self.store._ledger.values():
            totals[row.account] = totals.get(row.account, 0) + row.amount
        assert sum(totals.values()) == 0
        assert all(total >= 0 for account, total in totals.items() if account != BANK)
        if not self.losing:
            assert {name: one.points for name, one in self.world.users.items()} == {
                name: totals[name] for name in self.world.users
            }
        pots = {account: total for account, total in totals.items() if account.startswith("match:") and total}
        staked = {pot(row.id): 2 * row.terms.added.stake for row in self.store._unfinished.values()}
        assert pots == {account: total for account, total in staked.items() if total}


def stake_of_words(world: World, one: UserName, other: UserName, n: int, out: Result) -> None:
    """A match of one point with a stake, all in one job."""
    invite(world, world.users[one], world.users[other], 1, result(), ["stake", str(n)])
    join(world, world.users[other], world.users[one], out)


def _resume(world: World, one: UserName, other: UserName, out: Result) -> None:
    invite_to_resume(world, world.users[one], world.users[other], result())
    join(world, world.users[other], world.users[one], out)


def _accounts(world: World) -> dict[UserName, Account]:
    return {name: presence.account for name, presence in world.users.items()}


acts = st.tuples(st.sampled_from(STEPS + OFTEN), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 60))


@examples(60)
@given(st.lists(acts, min_size=30, max_size=80))
def test_no_point_is_ever_made_or_lost(drawn):
    """Whatever is played, left, settled, reversed, erased, or cut off by a server that dies."""
    house = House(MemoryStore())
    for step, one, other, n in drawn:
        house.act(step, one, other, n)
        house.check()
