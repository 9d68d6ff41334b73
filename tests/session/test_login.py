"""Logging in and registering, where a transcript cannot show it: things that happen meanwhile."""

import attrs
import trio

from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Arrival, StoreError
from fibsd.world.account import Account
from fibsd.world.changes import AccountCreated
from fibsd.world.ids import UserName
from tests.support.client import PASSWORD, serving


async def test_password_hashed_at_another_cost_is_hashed_anew(autojump_clock):
    async with serving() as server:
        old = Account(name=UserName("alice"), password_hash=f"weak:{PASSWORD}")
        assert await server.engine.store_now(AccountCreated(account=old))
        assert server.passwords.outdated(old.password_hash)
        await server.login("alice")
        stored = await server.store.account("alice")
        assert stored is not None
        assert stored.password_hash == f"plain:{PASSWORD}"


async def test_two_who_take_the_same_name_at_once(autojump_clock):
    """Both found it free; one gets it, the other is told so and may choose another."""
    async with serving(faults=("job refused by the store",)) as server:
        guests = [server.connect(), server.connect()]
        for guest, name in zip(guests, ("carol", "Carol"), strict=True):
            await guest.send("guest", f"name {name}", PASSWORD)
        await server.settle()
        server.passwords.hold = trio.Event()
        for guest in guests:
            guest.take()
            await guest.send(PASSWORD)
        await trio.testing.wait_all_tasks_blocked()
        server.passwords.hold.set()
        server.passwords.hold = None
        await server.settle()
        answers = [guest.take().decode("latin-1") for guest in guests]
        assert sum("You are registered.\r\n" in answer for answer in answers) == 1
        (refused,) = [at for at, answer in enumerate(answers) if "is already used by someone else.\r\n> " in answer]
        await guests[refused].send("name dave", PASSWORD, PASSWORD)
        await server.settle()
        assert "You are registered.\r\n" in guests[refused].take().decode("latin-1")
        assert {name.lower() for name in server.world.users} == {"carol", "dave"}


async def test_password_that_was_changed_during_a_login_no_longer_opens(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        second = server.connect()
        await server.settle()
        second.take()
        server.passwords.hold = trio.Event()
        await second.send(f"login x 1008 alice {PASSWORD}")
        await trio.testing.wait_all_tasks_blocked()
        account = server.world.users[UserName("alice")].account
        server.store._accounts[account.name] = attrs.evolve(account, password_hash="plain:another")
        server.passwords.hold.set()
        await server.settle()
        assert second.take() == b"\r\nlogin: "
        assert not alice.closed


async def test_password_that_was_changed_after_it_was_checked_no_longer_opens(autojump_clock, monkeypatch):
    read = MemoryStore.arrival

    async def changed(store: MemoryStore, name: str) -> Arrival | None:
        account = store._accounts[UserName(name)]
        store._accounts[account.name] = attrs.evolve(account, password_hash="plain:another")
        return await read(store, name)

    async with serving() as server:
        await server.user("alice")
        client = server.connect()
        await server.settle()
        client.take()
        with monkeypatch.context() as patched:
            patched.setattr(MemoryStore, "arrival", changed)
            await client.send(f"connect alice {PASSWORD}")
            await server.settle()
        assert client.take() == b"\r\nlogin: "
        await client.send("login x 1008 alice another")
        await server.settle()
        assert client.take().startswith(b"\r\n1 alice ")


async def test_damaged_match_does_not_keep_its_player_out(autojump_clock, monkeypatch):
    async def damaged(store: MemoryStore, name: str) -> Arrival | None:
        return Arrival(account=store._accounts[UserName(name)], fault=StoreError("damaged row in matches, 1"))

    monkeypatch.setattr(MemoryStore, "arrival", damaged)
    async with serving(faults=("saved matches cannot be read",)) as server:
        await server.user("alice")
        await server.login("alice")
        assert UserName("alice") in server.world.users
        (told,) = [line for line in server.logs if line["event"] == "saved matches cannot be read"]
    assert (told["user"], told["error"]) == ("alice", "damaged row in matches, 1")


async def test_password_that_is_hashed_anew_does_not_come_back_in_place_of_a_newer_one(autojump_clock):
    async with serving() as server:
        old = Account(name=UserName("alice"), password_hash=f"weak:{PASSWORD}")
        assert await server.engine.store_now(AccountCreated(account=old))
        client = server.connect()
        await server.settle()
        client.take()
        server.passwords.hold = trio.Event()
        await client.send(f"login x 1008 alice {PASSWORD}")
        await trio.testing.wait_all_tasks_blocked()
        server.store._accounts[old.name] = attrs.evolve(old, password_hash="plain:another")
        server.passwords.hold.set()
        await server.settle()
        assert client.take() == b"\r\nlogin: "
        stored = await server.store.account("alice")
        assert stored is not None
        assert stored.password_hash == "plain:another"


async def test_mailbox_has_a_bound(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        await server.user("bob")
        bound = server.world.house.max_messages
        for _ in range(bound):
            server.clock.at += 10
            assert await server.ask(alice, "message bob Hello.") == ["11 bob"]
        server.clock.at += 10
        assert await server.ask(alice, "message bob Hello.") == ["** bob has too many messages waiting."]
        bob = server.connect()
        await bob.send(f"login x 1008 bob {PASSWORD}")
        await server.settle()
        assert sum(line.startswith("9 alice ") for line in bob.lines()) == bound
        await server.later(10)
        await server.ask(bob, "bye")
        assert (await server.ask(alice, "message bob Hello."))[-1] == "11 bob"


async def test_input_before_the_banner_was_read_is_kept(autojump_clock):
    """One client sends its login at once, and commands right behind it."""
    async with serving() as server:
        await server.user("alice")
        client = server.connect()
        await client.send(f"login tester-1 1008 alice {PASSWORD}", "set boardstyle 3", "version")
        await client.expect("1 alice ")
        await client.expect("6")
        assert await client.expect("") == "Value of 'boardstyle' set to 3."
        assert (await client.expect("")).startswith("** Version ")


async def test_an_unknown_name_costs_the_same_hash_as_a_wrong_password(autojump_clock):
    async with serving() as server:
        await server.user("alice")
        checked = []
        verify = server.passwords.verify

        async def counting(password_hash: str, password: str) -> bool:
            checked.append(password_hash)
            return await verify(password_hash, password)

        server.passwords.verify = counting
        client = server.connect()
        await client.send("login x 1008 alice wrong", "login x 1008 nobody wrong")
        await server.settle()
        assert checked == [f"plain:{PASSWORD}", server.engine.gate.no_hash]
