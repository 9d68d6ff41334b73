"""Logging in and registering, where a transcript cannot show it: things that happen meanwhile."""

import attrs
import pytest
import trio

from fibsd.backgammon.side import BySide
from fibsd.server import gate as gate_module
from fibsd.server.gate import Gate
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Arrival, StoreError
from fibsd.world import world as world_module
from fibsd.world.account import Account, Settings
from fibsd.world.changes import (
    AccountCreated,
    AccountRenamed,
    Change,
    EntryAdded,
    MatchStarted,
    MatchTerms,
    MatchVoided,
    Message,
    MessageLeft,
    PasswordChanged,
    SettingsChanged,
)
from fibsd.world.ids import MatchId, UserName
from fibsd.world.lobby import Neighbours
from fibsd.world.table import Table
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


@pytest.mark.parametrize("way", ["login x 1008", "connect"])
async def test_password_with_blanks_opens_by_every_way(autojump_clock, way):
    async with serving() as server:
        spaced = Account(name=UserName("alice"), password_hash="plain:open  sesame")
        assert await server.engine.store_now(AccountCreated(account=spaced))
        alice = server.connect()
        await alice.send(f"{way} alice open  sesame")
        await server.settle()
        assert "alice" in server.world.users


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
        await server.engine.store_now(PasswordChanged(name=UserName("alice"), password_hash="plain:another"))
        server.passwords.hold.set()
        await server.settle()
        assert second.take() == b"\r\nlogin: "
        assert not alice.closed


async def test_password_that_was_changed_after_it_was_checked_no_longer_opens(autojump_clock):
    async with serving() as server:
        await server.user("alice")
        client = server.connect()
        await server.settle()
        client.take()
        async with server.engine.gate._door:
            await client.send(f"connect alice {PASSWORD}")
            await server.settle()
            await server.engine.store_now(PasswordChanged(name=UserName("alice"), password_hash="plain:another"))
        await server.settle()
        assert client.take() == b"\r\nlogin: "
        await client.send("login x 1008 alice another")
        await server.settle()
        assert client.take().startswith(b"\r\n1 alice ")


ALICE, BOB = UserName("alice"), UserName("bob")
MATCH = MatchStarted(id=MatchId(1), names=BySide(o=ALICE, x=BOB), terms=MatchTerms(length=5), at=1.0)
MESSAGE = Message(id=1, to=ALICE, sender=BOB, at=1.0, text="Hello.")


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """For whom the store is asked what is kept of him."""
    read, names = MemoryStore.arrival, []

    async def counted(store: MemoryStore, name: str) -> Arrival | None:
        names.append(name)
        return await read(store, name)

    monkeypatch.setattr(MemoryStore, "arrival", counted)
    return names


async def log_in_while(server, *stored: Change) -> None:
    """Alice comes in, and so much is stored while her password is checked."""
    client = server.connect()
    server.passwords.hold = trio.Event()
    await client.send(f"login x 1008 alice {PASSWORD}")
    await server.settle()
    for change in stored:
        assert await server.engine.store_now(change)
    server.passwords.hold.set()
    await server.settle()
    assert client.take().endswith(b"\r\n6\r\n")


async def test_who_logs_in_is_read_once_if_nothing_about_him_changes(autojump_clock, asked):
    """What is stored about others does not matter."""
    async with serving() as server:
        await server.user("alice")
        await server.user("bob")
        await log_in_while(server, SettingsChanged(name=BOB, settings=Settings(email="b@example.org")))
        assert asked == ["alice"]


@pytest.mark.parametrize(
    ("before", "meanwhile", "seen"),
    [
        ((), SettingsChanged(name=ALICE, settings=Settings(email="a@example.org")), "email"),
        ((), MessageLeft(message=MESSAGE), "message"),
        ((), MATCH, "match"),
        ((MATCH,), EntryAdded(id=MATCH.id, seq=0, entry="o 3 1", at=2.0), "entry"),
        ((MATCH,), MatchVoided(id=MATCH.id), "no match"),
        ((MATCH,), AccountRenamed(name=BOB, new_name=UserName("carol")), "opponent"),
    ],
)
async def test_what_is_stored_while_a_password_is_checked_is_seen_by_who_comes_in(
    autojump_clock, asked, before, meanwhile, seen
):
    """Whatever it is: the account, a message, a match begun, played on, ended, or its other player."""
    async with serving() as server:
        await server.user("alice")
        await server.user("bob")
        for change in before:
            assert await server.engine.store_now(change)
        await log_in_while(server, meanwhile)
        assert asked == ["alice", "alice"]
        world = server.world
        alice, saved = world.users[ALICE], world.saved.get(MATCH.id)
        assert {
            "email": alice.settings.email == "a@example.org",
            "message": [message.text for message in alice.messages] == ["Hello."],
            "match": saved is not None,
            "entry": saved is not None and saved.seq == 1,
            "no match": saved is None,
            "opponent": saved is not None and saved.names.x == "carol",
        }[seen]


@pytest.fixture
def steps(monkeypatch) -> list[str]:
    """What is done by the step: an `s` for each sheet of the list, an `e` for each entry, an `i` for who is let in."""
    done: list[str] = []

    def noted(owner: type, name: str, letter: str) -> None:
        plain = getattr(owner, name)

        def also(*args: object, **more: object) -> object:
            done.append(letter)
            return plain(*args, **more)

        monkeypatch.setattr(owner, name, also)

    noted(Neighbours, "listed", "s")
    noted(Table, "_follow", "e")
    noted(Gate, "_let_in", "i")
    return done


class Marks(trio.abc.Instrument):
    """Puts a mark down before each step of a task, and after each turn of the loop."""

    def __init__(self, done: list[str]) -> None:
        self._done = done

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._done.append("-")

    def before_io_wait(self, timeout: float) -> None:
        self._done.append("|")


async def coming(server, steps: list[str], *clients) -> str:
    """These clients log in; what is done for that, with a `-` between steps of tasks, and a `|` between turns."""
    server.passwords.hold = trio.Event()
    for client, name in clients:
        await client.send(f"login x 1008 {name} {PASSWORD}")
    await server.settle()
    steps.clear()
    server.passwords.hold.set()
    server.passwords.hold = None
    marks = Marks(steps)
    trio.lowlevel.add_instrument(marks)
    await server.settle()
    trio.lowlevel.remove_instrument(marks)
    return "".join(steps)


async def test_login_among_many_of_whom_all_have_changed_makes_a_few_sheets_in_a_step(
    autojump_clock, monkeypatch, steps
):
    monkeypatch.setattr(world_module, "SHEET", 1)
    monkeypatch.setattr(world_module, "SHEETS", 2)
    monkeypatch.setattr(gate_module, "SHEETS", 2)
    async with serving() as server:
        await server.user("alice")
        await server.online(*"bcdefghij", kind="connect")
        for presence in server.world.users.values():
            presence.away = "Lunch."
        client = server.connect()
        await server.settle()
        done = (await coming(server, steps, (client, "alice"))).replace("|", "")
        # Those of the nine others, and his own.
        assert [step for step in done.split("-") if step] == ["ss", "ss", "ss", "ss", "iss"]
        await server.settle()
        assert [line.split()[5] for line in client.lines() if line.startswith("5 ")] == [*"111111111", "0"]


async def test_saved_match_is_replayed_in_steps_before_its_player_is_let_in(autojump_clock, monkeypatch, steps):
    monkeypatch.setattr(gate_module, "REPLAY_S", -1.0)
    async with serving() as server:
        await server.user("alice")
        await server.user("bob")
        entries = ("o 3 1", "O m 8-5 6-5", "X r 6 5", "X + greedy")
        assert await server.engine.store_now(MATCH)
        for seq, entry in enumerate(entries):
            assert await server.engine.store_now(EntryAdded(id=MATCH.id, seq=seq, entry=entry, at=2.0))
        client = server.connect()
        await server.settle()
        done = (await coming(server, steps, (client, "alice"))).replace("|", "")
        assert [step for step in done.split("-") if step] == [*"eeee", "is"]
        assert server.world.saved[MATCH.id].seq == len(entries)


async def test_those_who_come_in_at_once_are_let_in_one_after_the_other(autojump_clock, monkeypatch, steps):
    """With a long list there are turns between two of them, in which the list of the first one is written."""
    monkeypatch.setattr(world_module, "SHEET", 1)
    monkeypatch.setattr(gate_module, "PACE", 1)
    async with serving() as server:
        for name in "abc":
            await server.user(name)
        await server.online(*"defg")
        clients = [(server.connect(), name) for name in "abc"]
        await server.settle()
        done = await coming(server, steps, *clients)
        _, first, second, _ = done.split("i")
        # With as many turns as there are sheets, two of them more for the third one, whose list is longer.
        assert (first.count("|"), second.count("|")) == (6, 7)


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
