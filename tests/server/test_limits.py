"""Limits of addresses, accounts and sessions: a clear line, and nobody else is hurt."""

import attrs
import trio

from fibsd.config import Config, Limits
from fibsd.server.guard import Guard
from tests.support.client import PASSWORD, RAISED, serving


def limited(**limits) -> Config:
    return Config(limits=attrs.evolve(RAISED, **limits))


async def test_too_many_connections_from_one_address(autojump_clock):
    async with serving(config=limited(connections_per_address=2)) as server:
        await server.user("bob")
        first, _ = (server.connect("192.0.2.1") for _ in range(2))
        await server.settle()
        third = server.connect("192.0.2.1")
        await third.wait_closed()
        assert third.take() == (b"** There are too many connections from one address. Please try again later.\r\n")
        await server.login("bob", peer="192.0.2.2")
        await first.hang_up()
        await server.settle()
        fourth = server.connect("192.0.2.1")
        await server.settle()
        assert not fourth.closed


async def test_a_trusted_network_is_exempt_and_loopback_is_not(autojump_clock):
    guard = Guard(Limits(connections_per_address=1, trusted=("192.0.2.0/24",)))
    assert [guard.arrive("192.0.2.1") for _ in range(3)] == [None] * 3
    assert [guard.arrive("127.0.0.1") for _ in range(2)] == [None, "too many connections from one address"]
    for peer in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "127.0.0.1", "127.0.0.1"):
        guard.leave(peer)
    assert (guard.total, dict(guard.connections)) == (0, {})


async def test_ipv6_addresses_of_one_network_are_one_to_the_limits_but_not_in_the_log(autojump_clock):
    async with serving(config=limited(connections_per_address=2)) as server:
        peers = ["2001:db8:1:2::1", "2001:db8:1:2:a::2", "2001:db8:1:2:b::3", "2001:db8:1:3::1"]
        first, _, third, elsewhere = (server.connect(peer) for peer in peers)
        await third.wait_closed()
        assert third.take() == b"** There are too many connections from one address. Please try again later.\r\n"
        assert not elsewhere.closed
        await first.hang_up()
        await server.settle()
        fourth = server.connect(peers[2])
        await server.settle()
        assert not fourth.closed
        logged = [entry["peer"] for entry in server.logs if entry["event"] == "connection"]
        assert logged == [*peers, peers[2]]


async def test_new_accounts_are_bounded_for_each_address(autojump_clock):
    async with serving(config=limited(registrations_per_hour=1)) as server:
        client = server.connect()
        await client.send("guest", "name alice", "secret", "secret", "bye")
        await client.wait_closed()
        client = server.connect()
        await client.send("guest", "name bob", "secret", "secret")
        await server.settle()
        text = client.take()
        assert b"** Too many new accounts come from your address. Please try again later.\r\n> " in text
        assert await server.store.account("bob") is None


async def test_guessing_a_password_takes_longer_each_time_for_the_account_too(autojump_clock):
    async with serving(config=limited(free_login_failures=2, login_attempts=10)) as server:
        await server.user("alice")
        times = []
        client = server.connect("192.0.2.1")
        await server.settle()
        for _ in range(5):
            start = trio.current_time()
            client.take()
            await client.send("login x 1008 alice wrong")
            await client.expect("")
            times.append(round(trio.current_time() - start))
        assert times == [0, 0, 1, 2, 4]
        # From another address the account is still being guessed at; the right password ends it.
        other = server.connect("192.0.2.2")
        start = trio.current_time()
        await other.send(f"login x 1008 alice {PASSWORD}")
        await other.expect("4")
        assert 7 < trio.current_time() - start < 9
        other = server.connect("192.0.2.3")
        start = trio.current_time()
        await other.send(f"login x 1008 alice {PASSWORD}")
        await other.expect("4")
        assert trio.current_time() - start < 1


async def test_a_fast_typist_is_slowed_down_and_loses_nothing(autojump_clock):
    async with serving(config=limited(commands_per_s=10, commands_burst=5)) as server:
        alice, bob = await server.online("alice", "bob")
        start = trio.current_time()
        await alice.send(*["back"] * 24, "version")
        await alice.expect("** Version")
        assert 1.5 < trio.current_time() - start < 3
        assert await server.ask(bob, "back") == ["** You're not away."]


async def test_a_flood_is_hung_up_on(autojump_clock):
    async with serving(config=limited(commands_per_s=10, commands_burst=5, flood_lines=100)) as server:
        alice, bob = await server.online("alice", "bob")
        await alice.send(*["x"] * 500)
        await alice.wait_closed()
        assert alice.lines()[-1] == "** You type too fast. Goodbye."
        assert await server.ask(bob, "back") != []


async def test_a_storm_of_telnet_commands_is_hung_up_on(autojump_clock):
    """At once, and before much of it was looked at; what a client may need is far below."""
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        storm = b"\xff\xf6" * 500
        await alice.send_bytes(storm)
        assert await server.ask(alice, "back") != []
        await alice.send_bytes(storm * 60)
        await alice.wait_closed()
        assert alice.lines()[-1] == "** You type too fast. Goodbye."
        assert await server.ask(bob, "back") != []
        assert [entry["user"] for entry in server.logs if entry["event"] == "telnet storm cut off"] == ["alice"]


async def test_shouts_messages_and_invitations_are_counted(autojump_clock):
    config = limited(shouts_per_minute=2, messages_per_minute=1, invitations_per_minute=1)
    async with serving(config=config) as server:
        alice, bob = await server.online("alice", "bob")
        await server.user("carol")
        await server.ask(bob, "toggle ready")
        alice.take()
        often = "** You do that too often. Please wait a moment."
        assert await server.ask(alice, "shout a", "shout b", "shout c") == ["17 a", "17 b", often]
        assert await server.ask(alice, "message carol a", "message carol b") == ["11 carol", often]
        await server.ask(alice, "invite bob 1")
        bob.take()
        assert await server.ask(alice, "invite bob 3") == [often]
        assert bob.lines() == []
        await server.later(61)
        alice.take()
        assert await server.ask(alice, "shout d") == ["17 d"]


async def test_nobody_swells_the_journal_of_a_match(autojump_clock):
    """All of it is read when one of its players logs in; not even by many words in one line."""
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "toggle ready", "invite bob 3")
        await server.ask(bob, "join alice")
        alice.take()
        table = server.table_of("alice")
        before = table.seq
        answers = await server.ask(alice, "toggle " + "greedy " * 41, "playout", *["toggle greedy"] * 30, "playout")
        assert len([answer for answer in answers if "greedy bearoffs" in answer]) == 59
        assert answers[-13:] == ["** You do that too often. Please wait a moment."] * 13
        assert table.seq == before + 60
        await server.later(61)
        alice.take()
        assert await server.ask(alice, "toggle greedy") == ["** Won't use automatic greedy bearoffs."]


async def test_who_goes_on_after_many_refusals_is_hung_up_on(autojump_clock):
    async with serving(config=limited(shouts_per_minute=1)) as server:
        alice, bob = await server.online("alice", "bob")
        bob.take()
        await alice.send(*["shout again"] * 40)
        await alice.wait_closed()
        lines = alice.lines()
        assert lines[0] == "17 again"
        assert lines.count("** You do that too often. Please wait a moment.") == 30
        await server.settle()
        assert bob.lines() == ["13 alice again", "8 alice fibsd closes connection with alice."]
