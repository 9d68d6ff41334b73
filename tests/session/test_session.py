"""One connection among others: fairness, slow readers, being replaced."""

import contextlib
from itertools import pairwise

import attrs
import pytest
import trio

from fibsd.config import Config
from fibsd.protocol.views import render_all, room
from fibsd.server import connections as connections_module
from fibsd.server import engine as engine_module
from fibsd.server import telling as telling_module
from fibsd.session.host import Turnstile
from fibsd.session.login import LoginDialog
from fibsd.session.session import LINES_IN_A_ROW
from fibsd.session.transport import StreamTransport
from fibsd.world import world as world_module
from fibsd.world.events import UserList
from tests.support.client import PASSWORD, RAISED, Client, PlainPasswords, Server, serving, without


async def clogged(server: Server, name: str) -> Client:
    """A client that is logged in and reads nothing."""
    await server.user(name)
    ours, theirs = trio.testing.lockstep_stream_pair()
    server.app.serve(StreamTransport(theirs), "192.0.2.8")
    client = Client(ours)
    # A stream in lockstep is taken piece by piece: the banner is read, or the login would not get through.
    reader = trio.CancelScope()

    async def read_for_a_while() -> None:
        with reader:
            await client.read()

    server.nursery.start_soon(read_for_a_while)
    await client.send(f"login tester 1008 {name} {PASSWORD}")
    await server.settle()
    assert name in server.world.users
    reader.cancel()
    await trio.testing.wait_all_tasks_blocked()
    return client


async def test_others_do_not_wait_for_one_who_does_not_read(autojump_clock):
    """He is cut off at the bound, his game is saved, and everybody hears why."""
    async with serving(config=Config(limits=attrs.evolve(RAISED, outbox_bytes=65_536))) as server:
        slow = await clogged(server, "alice")
        bob, carol, dave = await server.online("bob", "carol", "dave")
        await slow.send("toggle ready", "toggle report")
        await server.ask(carol, "watch alice")
        await server.ask(bob, "toggle ready")
        await server.ask(bob, "invite alice 5")
        await slow.send("join bob")
        await server.settle()
        assert server.table_of("alice") is server.table_of("bob")
        for client in (bob, carol, dave):
            client.take()
        for _ in range(20):
            before = trio.current_time()
            answer = await server.ask(dave, "tell alice " + "x" * 4000)
            assert answer[0].startswith(("16 alice xxx", "** There is no one called alice."))
            assert trio.current_time() - before < 1
        lines = list(without(bob.lines(), "5 ", "6"))
        assert lines == ["Network error with alice. The game was saved.", "8 alice Network error with alice."]
        lines = list(without(carol.lines(), "5 ", "6"))
        assert lines == ["Network error with alice. You're not watching anymore.", "8 alice Network error with alice."]
        assert "alice" not in server.world.users
        await trio.sleep(60)
        assert len(server.engine.sessions) == 3


async def test_one_client_with_many_lines_lets_others_in(autojump_clock):
    """After so many lines in a row the others get their turn."""
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await alice.send(*["version"] * (6 * LINES_IN_A_ROW))
        await bob.send("tell alice Hello.")
        await server.settle()
        lines = alice.lines()
        assert lines.count("12 bob Hello.") == 1
        assert lines.index("12 bob Hello.") <= 3 * LINES_IN_A_ROW
        assert len(lines) == 6 * LINES_IN_A_ROW + 1


async def test_line_that_is_too_long_is_refused_once_and_the_next_one_works(autojump_clock):
    async with serving() as server:
        alice, bob = await server.online("alice", "bob")
        await alice.send("shout " + "x" * 100_000, "version")
        await server.settle()
        first, second = alice.lines()
        assert first == "** Your line is too long: at most 4096 bytes."
        assert second.startswith("** Version ")
        assert bob.lines() == []


async def test_what_the_old_session_has_not_received_is_dropped(autojump_clock):
    async with serving() as server:
        old = await clogged(server, "alice")
        (bob,) = await server.online("bob")
        await server.ask(bob, "tell alice One.")
        new = await server.login("alice")
        await server.ask(bob, "tell alice Two.")
        assert [line for line in new.lines() if line.startswith("12 ")] == ["12 bob Two."]
        await trio.sleep(60)
        assert len(server.engine.sessions) == 2
        server.nursery.start_soon(old.read)
        await server.settle()
        assert old.closed


async def test_session_that_is_replaced_while_it_waits_for_the_store_does_nothing_more(autojump_clock):
    """A command that looks something up is dropped if its session has ended meanwhile."""
    async with serving() as server:
        (alice,) = await server.online("alice")
        server.passwords.hold = trio.Event()
        await alice.send("password secret:newsecret:newsecret")
        await trio.testing.wait_all_tasks_blocked()
        await alice.hang_up()
        server.passwords.hold.set()
        server.passwords.hold = None
        await server.settle()
        account = await server.store.account("alice")
        assert account is not None
        assert account.password_hash in ("plain:secret", "plain:newsecret")
        assert server.engine.sessions == {}


async def test_two_logins_at_the_same_time_leave_one_session(autojump_clock):
    async with serving() as server:
        await server.user("alice")
        server.passwords.hold = trio.Event()
        clients = [server.connect() for _ in range(3)]
        for client in clients:
            await client.send(f"login x 1008 alice {PASSWORD}")
        await trio.testing.wait_all_tasks_blocked()
        server.passwords.hold.set()
        await server.settle()
        assert [client.closed for client in clients].count(False) == 1
        assert len(server.engine.sessions) == 1
        assert list(server.world.users) == ["alice"]


async def test_those_with_much_to_do_go_on_one_at_a_time(autojump_clock):
    """Who has little waits for one of them at most, however many there are, and each of them gets his turn."""
    turnstile = Turnstile()
    order = []

    async def much(name: str) -> None:
        for _ in range(5):
            await turnstile.turn()
            order.append(name)

    async def little() -> None:
        while len(order) - order.count("-") < 20:
            order.append("-")
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        for name in "abcd":
            nursery.start_soon(much, name)
        nursery.start_soon(little)
    busy = "".join(order).split("-")
    assert max(map(len, busy)) == 1
    assert sorted("".join(busy)) == sorted("abcd" * 5)


def fail(*_: object) -> None:
    raise RuntimeError("a fault of ours")


async def fail_later(*_: object) -> None:
    await trio.lowlevel.checkpoint()
    fail()


def fail_at_the_last_part(events, view):
    if any(isinstance(event, UserList) and event.ends for event in events):
        fail()
    return render_all(events, view)


@pytest.mark.parametrize(
    ("broken", "name", "by"),
    [
        (LoginDialog, "greet", fail),
        (engine_module, "understand", fail),
        (PlainPasswords, "verify", fail_later),
        (telling_module, "render_all", fail_at_the_last_part),
        (engine_module, "depart", fail),
    ],
    ids=["at the beginning", "in a line", "while it waits", "when a list goes on", "at the end"],
)
async def test_a_fault_of_ours_ends_that_session_alone(autojump_clock, monkeypatch, broken, name, by):
    """Wherever it shows."""
    monkeypatch.setattr(room, "PART", 1)
    monkeypatch.setattr(world_module, "SHEET", 1)
    async with serving(faults=("session failed",)) as server:
        alice, bob = await server.online("alice", "bob")
        await server.user("carol")
        with monkeypatch.context() as patch:
            patch.setattr(broken, name, by)
            carol = server.connect()
            with contextlib.suppress(trio.BrokenResourceError):
                await carol.send(f"login x 1008 carol {PASSWORD}", "version")
            await server.settle()
            await carol.hang_up()
            await server.settle()
        failed = [entry for entry in server.logs if entry["event"] == "session failed"]
        assert [entry["session"] for entry in failed] == [3]
        assert list(server.engine.sessions) == [1, 2]
        assert server.app.connections.open == 2
        assert "16 alice Still here." in await server.ask(bob, "tell alice Still here.")
        assert "12 bob Still here." in alice.lines()


async def test_others_have_their_turn_while_many_leave(autojump_clock, monkeypatch):
    """A network that fails takes thousands of users with it at once."""
    monkeypatch.setattr(connections_module, "TURN_S", -1.0)
    async with serving() as server:
        names = [f"user_{letter}" for letter in "abcdefghij"]
        clients = await server.online(*names)
        left = [0]

        async def count() -> None:
            while server.world.users:
                gone = len(names) - len(server.world.users)
                if gone != left[-1]:
                    left.append(gone)
                await trio.lowlevel.checkpoint()

        for session in list(server.engine.sessions.values()):
            session.broken()
        await count()
        # The order within a turn is left to chance, so two may be seen to have left together.
        assert max(after - before for before, after in pairwise(left)) <= 2
        assert len(left) >= 5
        await server.settle()
        assert server.app.connections.open == 0
        assert all(client.closed for client in clients)
