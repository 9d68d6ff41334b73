"""Who does not read a long list gets no second one: what a list is written from is counted by no limit."""

import gc
import signal

import attrs
import pytest
import trio
import trio.testing

from fibsd.config import Config
from fibsd.protocol.views import render_all, room
from fibsd.server import telling as telling_module
from fibsd.session.transport import StreamTransport
from fibsd.world import world as world_module
from fibsd.world.changes import MatchStarted
from fibsd.world.events import Who
from tests.support.client import PASSWORD, PEER, RAISED, Client, Server, serving
from tests.support.faltering import Faltering

NAMES = tuple(f"user_{letter}" for letter in "abcdefgh")
SLOW = "zoe"
LOGINS = {
    "clip": (f"login x 1008 {SLOW} {PASSWORD}",),
    "connect": (f"connect {SLOW} {PASSWORD}",),
    "telnet": (SLOW, PASSWORD),
}
KINDS = pytest.mark.parametrize("kind", list(LOGINS))


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    """Each user is a part of the list."""
    monkeypatch.setattr(room, "PART", 1)
    monkeypatch.setattr(room, "TEXT_PART", 1)
    monkeypatch.setattr(world_module, "SHEET", 1)


async def slow_reader(server: Server, kind: str = "telnet") -> Client:
    """Somebody who is logged in, and reads nothing until he is told to."""
    await server.user(SLOW)
    ours, theirs = trio.testing.lockstep_stream_pair()
    server.app.serve(StreamTransport(theirs), PEER)
    client = Client(ours)
    reader = trio.CancelScope()

    async def read_for_a_while() -> None:
        with reader:
            await client.read()

    server.nursery.start_soon(read_for_a_while)
    await client.send(*LOGINS[kind])
    await server.settle()
    assert SLOW in server.world.users
    reader.cancel()
    await trio.testing.wait_all_tasks_blocked()
    client.take()
    return client


async def read(server: Server, client: Client) -> bytes:
    """All that he is sent when he reads at last."""
    server.nursery.start_soon(client.read)
    await server.settle()
    return client.take()


def rows_alive() -> int:
    """Rows of lists that somebody still holds."""
    gc.collect()
    return sum(len(one.rows) for one in gc.get_objects() if type(one) is Who)


@KINDS
async def test_unread_lists_are_not_written_side_by_side(autojump_clock, kind):
    """However many are asked for, what is held is one; all are sent, in order, as soon as they are read."""
    async with serving() as server:
        await server.online(*NAMES)
        client = await slow_reader(server, kind)
        before = rows_alive()
        await client.send("who", "version")
        once = await read_one(server, client, b"** Version ")
        await client.send(*["who", "version"] * 50)
        await server.settle()
        assert rows_alive() - before <= len(NAMES) + 1
        assert server.engine.backlog.size < len(once)
        assert await read(server, client) == once * 50
        assert rows_alive() <= before
        assert server.engine.backlog.size == 0


async def read_one(server: Server, client: Client, last: bytes) -> bytes:
    """All that he is sent up to a line, and nothing more."""
    while last not in client.received:
        client.received += await client.stream.receive_some()
    await server.settle()
    return client.take()


async def test_what_others_say_to_him_comes_behind_the_list(autojump_clock):
    """In the order in which they have said it; what he has typed is done when he has read it."""
    async with serving() as server:
        (first, *_) = await server.online(*NAMES)
        client = await slow_reader(server)
        await client.send("who", f"tell {NAMES[0]} There you are.", "who count")
        await server.ask(first, f"tell {SLOW} One.", f"tell {SLOW} Two.")
        heard = (await read(server, client)).decode()
        places = [heard.find(words) for words in (f" {SLOW} ", "One.", "Two.", "You tell", "9 users")]
        assert -1 not in places
        assert places == sorted(places)
        assert f"12 {SLOW} There you are." in first.lines()
        assert await server.ask(client, "back") == ["** You're not away."]


async def test_who_waits_for_himself_is_cut_off_as_others_are(autojump_clock):
    async with serving(config=Config(limits=attrs.evolve(RAISED, outbox_bytes=65_536))) as server:
        (first, *_) = await server.online(*NAMES)
        client = await slow_reader(server)
        await client.send("who", "who")
        for _ in range(20):
            await first.send(f"tell {SLOW} " + "x" * 4000)
        await server.settle()
        assert SLOW not in server.world.users
        await trio.sleep(60)
        assert len(server.engine.sessions) == len(NAMES)
        assert [entry["user"] for entry in server.logs if entry["event"] == "slow reader cut off"] == [SLOW]
        assert server.engine.backlog.size == 0


async def hangs_up(server: Server, client: Client) -> None:
    await client.hang_up()
    await server.settle()


async def is_idle(server: Server, client: Client) -> None:
    for name in NAMES:
        server.world.users[name].last_input = server.clock.at + 4000
    await server.later(4000)


async def comes_again(server: Server, client: Client) -> None:
    await server.login(SLOW)


@pytest.mark.parametrize("goes", [hangs_up, is_idle, comes_again])
async def test_whoever_goes_while_his_commands_wait_is_gone(autojump_clock, goes):
    """None of them is done any more."""
    async with serving() as server:
        (first, *_) = await server.online(*NAMES)
        client = await slow_reader(server)
        old = server.world.users[SLOW].connection.id
        await client.send("who", "shout Too late.")
        await server.settle()
        first.take()
        await goes(server, client)
        await trio.sleep(60)
        assert old not in server.engine.sessions
        assert server.app.connections.open == len(server.world.users)
        assert not [line for line in first.lines() if "Too late." in line]
        assert server.engine.backlog.size == 0


async def test_the_server_ends_though_somebodys_commands_wait(autojump_clock):
    async with serving() as server:
        await server.online(*NAMES)
        client = await slow_reader(server)
        await client.send("who", "who")
        await server.settle()
        signal.raise_signal(signal.SIGTERM)
        await trio.sleep(60)
        assert server.app.connections.open == 0


async def test_who_sends_nothing_more_gets_all_answers_first(autojump_clock):
    async with serving() as server:
        await server.online(*NAMES)
        client = await slow_reader(server)
        await client.send("who", "who", "bye")
        await client.send_eof()
        heard = await read(server, client)
        assert heard.count(b"username") == 2
        assert heard.index(b"Goodbye.") > heard.rindex(b"username")
        assert client.closed


@pytest.mark.parametrize("refused", [False, True])
async def test_list_that_waits_for_the_store_holds_up_the_next_one(autojump_clock, refused):
    """It shows a match that is still to be stored; if the store refuses that, this list is never sent."""
    store = Faltering()
    async with serving(store, faults=("job refused by the store",)) as server:
        (first, second, *_) = await server.online(*NAMES)
        client = await slow_reader(server)
        await server.ask(first, "toggle ready")
        await server.ask(second, "toggle ready", f"invite {NAMES[0]} 1")
        before = rows_alive()
        store.refuses = lambda job: refused and isinstance(job.changes[0], MatchStarted)
        store.fall()
        await first.send(f"join {NAMES[1]}")
        await server.settle()
        await client.send("who", "who", "who count")
        await server.settle()
        assert rows_alive() - before <= len(NAMES) + 1
        store.rise()
        heard = await read(server, client)
        assert heard.count(b"username") == (1 if refused else 2)
        assert heard.endswith(b"\r\n> ")
        assert b"9 users" in heard


async def test_nothing_is_done_behind_a_list_that_cannot_be_written(autojump_clock, monkeypatch):
    """A fault of ours ends the session, and what was typed meanwhile is dropped."""

    def fail_at_the_end(events, view):
        if any(isinstance(event, Who) and event.ends for event in events):
            raise RuntimeError("a fault of ours")
        return render_all(events, view)

    async with serving(faults=("session failed",)) as server:
        (first, *_) = await server.online(*NAMES)
        client = await slow_reader(server)
        monkeypatch.setattr(telling_module, "render_all", fail_at_the_end)
        await client.send("who", "shout Too late.")
        await read(server, client)
        assert client.closed
        assert SLOW not in server.world.users
        assert not [line for line in first.lines() if "Too late." in line]


class Turns(trio.abc.Instrument):
    """Counts the turns of the loop."""

    def __init__(self) -> None:
        self.count = 0

    def before_io_wait(self, timeout: float) -> None:
        """Each of them ends so."""
        self.count += 1


async def test_those_whose_lists_have_ended_go_on_one_at_a_time(autojump_clock, monkeypatch):
    """Each may ask for the next list, and the others want their turn."""
    turns = Turns()
    async with serving() as server:
        clients = await server.online(*NAMES)
        went_on = []
        line = server.engine.line

        def watched(session, text, ticks):
            if text == "version":
                went_on.append(turns.count)
            return line(session, text, ticks)

        monkeypatch.setattr(type(server.engine), "line", lambda _, *args: watched(*args))
        trio.lowlevel.add_instrument(turns)
        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(client.send, "who", "version")
        await server.settle()
        trio.lowlevel.remove_instrument(turns)
        assert len(went_on) == len(set(went_on)) == len(NAMES)
