"""Play points and abandoned matches in a whole server: what is kept, settled and taken back."""

from __future__ import annotations

import attrs
import pytest
import trio

from fibsd.config import Config, Play, Points
from fibsd.server.files import Files, read_files
from fibsd.server.settling import FIRST_S, ROUND_S
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import BANK, HOUSE, pot
from fibsd.world.settling import DAY_S
from tests.support.client import DEFAULT_CONFIG, RAISED, Client, Clock, Server, restarted, serving

SETTINGS = Settings(toggles=DEFAULT_TOGGLES | {Toggle.READY}, extras=True)
CONFIG = Config(limits=RAISED, play=Play(adjudicate_after=10), points=Points(enabled=True, start=500, fee_percent=5))
ALICE, BOB = UserName("alice"), UserName("bob")
ONE = MatchId(1)


async def come(server: Server, *names: str) -> list[Client]:
    """New users, logged in, who want what FIBS has not."""
    for name in names:
        await server.user(name, settings=SETTINGS)
    return [await server.login(name) for name in names]


async def play(server: Server, alice: Client, bob: Client, terms: str = "5 stake 100") -> None:
    """A match that alice, who has O, has just begun with bob."""
    server.chance.script("3-1")
    await server.ask(alice, f"invite bob {terms}")
    await server.ask(bob, "join alice")
    assert server.world.users[ALICE].table is not None


async def balances(server: Server, *accounts: str) -> list[int | None]:
    """What the ledger says."""
    return [await server.store.balance(account) for account in accounts]


async def rounds(server: Server, days: float) -> None:
    """Let days pass, and then the next round be made."""
    server.clock.at += days * DAY_S
    await trio.sleep(ROUND_S + FIRST_S)
    await server.settle()


async def test_first_points_are_given_at_the_first_login_only(autojump_clock):
    async with serving(config=CONFIG) as server:
        await come(server, "alice")
        assert await balances(server, "alice", BANK) == [500, -500]
        await server.login("alice")
        assert await balances(server, "alice", BANK) == [500, -500]
        assert server.world.users[ALICE].points == 500


async def test_without_points_nothing_is_kept_of_them(autojump_clock):
    async with serving() as server:
        (alice,) = await come(server, "alice")
        assert await balances(server, "alice", BANK) == [None, None]
        assert await server.ask(alice, "show points") == ["** There are no play points on this server."]


async def test_points_can_be_switched_on_and_off_while_a_server_runs(autojump_clock):
    async with serving(config=DEFAULT_CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        server.app._adopt(CONFIG, _files(server))
        await server.settle()
        assert (await server.ask(alice, "show points"))[-1] == "** Your play points: 500"
        await play(server, alice, bob)
        server.app._adopt(DEFAULT_CONFIG, _files(server))
        await server.ask(bob, "resign b", "leave")
        await server.ask(alice, "invite bob")
        await server.ask(bob, "join alice")
        await server.ask(bob, "resign b")
        await server.ask(alice, "accept", "join")
        await server.ask(bob, "join")
        await server.ask(bob, "resign b")
        await server.ask(alice, "accept")
        # What was staked is paid all the same, by the fee of these days.
        assert await balances(server, "alice", "bob", HOUSE, pot(ONE)) == [600, 400, None, 0]
        server.app._adopt(CONFIG, _files(server))
        await server.settle()
        assert server.world.users[ALICE].points == 600


def _files(server: Server) -> Files:

    return read_files(server.app.config)


async def test_stakes_outlast_the_server(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        store = restarted(server.store)
    async with serving(store=store, config=CONFIG) as server:
        alice = await server.login("alice")
        assert await server.ask(alice, "show points") == [
            "** Your play points: 400",
            "** Set aside in the match with bob: 100",
        ]


async def test_erasing_gives_the_opponent_his_stake_back_and_the_rest_to_the_bank(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        await server.ask(bob, "leave")
        await server.ask(bob, "erase")
        await server.ask(bob, "secret")
        await server.ask(bob, "yes")
        assert await balances(server, "alice", "bob", BANK, pot(ONE)) == [500, None, -500, 0]
        assert "** You have your stake back: 100 play points." in alice.lines()


async def test_match_is_settled_without_either_being_there(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        await server.ask(alice, "leave", "bye")
        server.clock.at += 60
        await server.ask(bob, "bye")
        await rounds(server, 9.9)
        assert len(await server.store.unfinished(BOB)) == 1
        await rounds(server, 0.2)
        assert await server.store.unfinished(BOB) == ()
        assert await balances(server, "alice", "bob", HOUSE) == [400, 590, 10]
        winner, loser = await server.store.account("bob"), await server.store.account("alice")
        assert winner is not None
        assert loser is not None
        assert (winner.experience, loser.experience) == (5, 5)
        assert winner.rating - 1500 == pytest.approx(1500 - loser.rating)
        assert [message.text for message in await server.store.messages(ALICE)] == [
            "bob wins the 5 point match 3-0 . (alice did not come back)"
        ]
        (audit,) = await server.store.audits(5)
        assert (audit.by, audit.act, audit.subject) == ("fibsd", "adjudicate", "1")


async def test_a_saved_match_of_somebody_on_line_goes_from_memory_too(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        await server.ask(alice, "leave", "bye")
        await server.ask(bob, "bye")
        server.clock.at += 11 * DAY_S
        bob = await server.login("bob")
        assert len(server.world.saved) == 1
        await trio.sleep(ROUND_S)
        lines = bob.lines()
        assert "** alice did not come back to the match: bob wins 3 points." in lines
        assert "** You win the stakes: 190 play points." in lines
        assert server.world.saved == {}
        assert await server.store.messages(BOB) == ()
        assert (await server.ask(bob, "show saved"))[-1] == "no saved games."
        assert await server.ask(bob, "show points") == ["** Your play points: 590"]


async def test_what_is_played_or_not_old_enough_is_left_alone(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        server.clock.at += 11 * DAY_S
        for name in (ALICE, BOB):
            server.world.users[name].last_input = server.clock.at
        for _ in range(int((ROUND_S + FIRST_S) / 5)):
            await trio.sleep(5)
        assert server.world.users[ALICE].table == ONE
        # Saved now, it is old by what is stored of it; the server remembers better.
        await server.ask(alice, "leave")
        await trio.sleep(ROUND_S)
        assert len(server.world.saved) == 1


async def test_nothing_is_settled_unless_the_operator_says_so(autojump_clock):
    async with serving(config=DEFAULT_CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob, "5")
        await server.ask(alice, "leave", "bye")
        await server.ask(bob, "bye")
        await rounds(server, 4000)
        assert len(await server.store.unfinished(BOB)) == 1


async def test_who_is_just_coming_in_finds_the_match_for_another_round(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        await server.ask(alice, "leave", "bye")
        await server.ask(bob, "bye")
        server.engine.gate.entering[BOB] += 1
        await rounds(server, 11)
        assert len(await server.store.unfinished(BOB)) == 1
        del server.engine.gate.entering[BOB]
        await rounds(server, 0)
        assert await server.store.unfinished(BOB) == ()


async def test_reversal_of_a_settlement(autojump_clock):
    clock = Clock()
    async with serving(config=CONFIG, clock=clock) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        await server.ask(alice, "leave", "bye")
        await server.ask(bob, "bye")
        clock.at += 60
        await server.login("bob")
        await rounds(server, 11)
        assert await balances(server, "bob", HOUSE) == [590, 10]
        assert await server.engine.administer("reverse x") == ["** There is no match x."]
        assert await server.engine.administer("reverse 2") == ["** There is no match 2."]
        answer = await server.engine.administer("reverse 1")
        assert answer == ["Match 1 of alice and bob is a saved match again."]
        assert await balances(server, "alice", "bob", HOUSE, pot(ONE)) == [400, 400, 0, 200]
        for name in ("alice", "bob"):
            account = await server.store.account(name)
            assert account is not None
            assert (account.rating, account.experience) == (1500.0, 0)
        assert await server.engine.administer("reverse 1") == ["** Match 1 was not settled."]
        assert [one.act for one in await server.store.audits(5)] == ["adjudicate", "reverse"]
        await rounds(server, 9)
        alice, bob = await server.login("alice"), await server.login("bob")
        await server.ask(alice, "invite bob")
        lines = await server.ask(bob, "join alice")
        assert any("resume" in line for line in lines)
        assert server.world.users[BOB].points == 400


async def test_points_that_were_spent_stand_in_the_way_of_a_reversal(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        (carol,) = await come(server, "carol")
        await play(server, alice, bob)
        await server.ask(alice, "leave")
        await server.engine.administer("settle alice bob bob")
        assert await balances(server, "bob") == [590]
        await server.ask(bob, "invite carol 5 stake 450")
        await server.ask(carol, "join bob")
        answer = await server.engine.administer("reverse 1")
        assert answer == ["** bob does not have the 190 play points any more."]
        await server.ask(carol, "void")
        await server.ask(carol, "leave")
        await server.ask(bob, "erase")
        await server.ask(bob, "secret")
        await server.ask(bob, "yes")
        assert (await server.engine.administer("reverse 1"))[0].startswith("** One of the players has no account")


async def test_an_administrator_s_void_gives_the_stakes_back(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob)
        await server.engine.administer("void alice bob")
        assert await balances(server, "alice", "bob", pot(ONE)) == [500, 500, 0]


async def test_settling_a_match_that_is_not_rated_changes_no_rating(autojump_clock):
    async with serving(config=CONFIG) as server:
        alice, bob = await come(server, "alice", "bob")
        await play(server, alice, bob, "5 trictrac")
        await server.ask(alice, "leave")
        await server.engine.administer("settle alice bob bob")
        assert server.world.users[BOB].account.rating == 1500.0
        account = await server.store.account("bob")
        assert account is not None
        assert account.experience == 0


def test_shares_of_the_house_are_from_none_to_all():
    with pytest.raises(ValueError, match="from 0 to 100"):
        attrs.evolve(CONFIG.points, fee_percent=101)
