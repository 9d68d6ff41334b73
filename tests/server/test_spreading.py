"""What is said to everybody reaches all of them, in order, and others have their turn meanwhile."""

import itertools
import signal
from collections import deque
from types import SimpleNamespace

import pytest
import trio

from fibsd.protocol.messages import news
from fibsd.server import spreading, telling
from fibsd.server.spreading import Said, Spreading
from fibsd.world.audience import Everybody
from fibsd.world.ids import UserName
from tests.support.client import Client, Server, serving
from tests.support.worlds import user, world_of

NAMES = ("alice", "bob", "carol", "dave", "eve", "fred", "gina")
KINDS = ("clip", "telnet", "connect", "clip", "telnet", "connect", "clip")


@pytest.fixture(params=[0, 1, 3])
def slowly(request, monkeypatch):
    """So few are told at once, and after that one in each turn of the loop."""
    monkeypatch.setattr(telling, "AT_ONCE", request.param)
    monkeypatch.setattr(spreading, "FEW", 1)
    monkeypatch.setattr(spreading, "TURN_S", -1.0)


async def people(server: Server) -> dict[str, Client]:
    """Users of all kinds of sessions; carol has rights, and eve hears no shouts."""
    for name in NAMES:
        await server.user(name, rights=frozenset({"admin"} if name == "carol" else ()))
    clients = {name: await server.login(name, kind) for name, kind in zip(NAMES, KINDS, strict=True)}
    await server.ask(clients["eve"], "toggle silent")
    await server.ask(clients["fred"], "gag alice")
    for client in clients.values():
        client.take()
    return clients


def type_now(server: Server, name: str, line: str) -> None:
    """Have somebody's line handled before anything else happens."""
    session = server.engine.sessions[server.world.users[UserName(name)].connection.id]
    server.engine.line(session, line, trio.current_time())


async def seen() -> dict[str, bytes]:
    """What each of them is sent in a lively room."""
    async with serving() as server:
        clients = await people(server)
        for name, line in (
            ("alice", "shout Hello."),
            ("bob", "shout Hello yourself."),
            ("carol", "admin alert Good evening."),
            ("gina", "wave"),
            ("gina", "wave"),
            ("dave", "shout Bye."),
        ):
            await clients[name].send(line)
            await server.settle()
        return {name: client.take() for name, client in clients.items()}


async def whole(monkeypatch) -> dict[str, bytes]:
    """The same if everybody is told at once."""
    with monkeypatch.context() as patched:
        patched.setattr(telling, "AT_ONCE", 100)
        return await seen()


async def test_everybody_sees_the_same_as_if_all_were_told_at_once(autojump_clock, slowly, monkeypatch):
    """With their prompts, and whoever has said it is answered as ever."""
    expected = await whole(monkeypatch)
    assert await seen() == expected
    assert b"alice shouts: Hello." in expected["bob"]
    assert b"shouts" not in expected["eve"]
    assert b"Hello." not in expected["fred"]
    assert expected["eve"].count(b"Good evening.") == expected["carol"].count(b"Good evening.") == 1


async def test_what_is_said_later_is_heard_later(autojump_clock, slowly):
    """Also by those who take the place of somebody who was told at once, and has left."""
    async with serving() as server:
        clients = await people(server)
        speakers = ("gina", "dave", "carol", "bob")
        for name, leaving in zip(speakers, ("alice", "eve", "fred", ""), strict=True):
            type_now(server, name, f"shout By {name}.")
            if leaving:
                type_now(server, leaving, "bye")
        await server.settle()
        for name in speakers:
            heard = [line for line in clients[name].lines() if line.startswith("13 ") or "shouts: " in line]
            said = [line.split("By ")[1] for line in heard]
            assert said == [f"{other}." for other in speakers if other != name]


async def test_last_words_of_the_server_reach_everybody(autojump_clock, slowly):
    """Behind what was said just before, which not all have heard yet."""
    async with serving() as server:
        clients = await people(server)
        type_now(server, "alice", "shout Hello.")
        signal.raise_signal(signal.SIGTERM)
        await server.settle()
        for name in ("bob", "carol", "dave", "gina"):
            text = clients[name].take().decode()
            assert -1 < text.find("Hello.") < text.find(news.SHUTDOWN_1()), text


LATE = 77
"""A job that takes long."""


class Told:
    """Somebody who tells, and remembers whom."""

    def __init__(self, *names: str) -> None:
        self.world = world_of(*names)
        self.heard: list[tuple[str, int]] = []
        self.spreading = Spreading(self._tell, lambda: None, self._stored)

    async def _stored(self, number: int) -> None:
        """Everything is, but one job only after a while."""
        if number == LATE:
            await trio.sleep(1)

    def _tell(self, said, users) -> None:
        self.heard += [(user.name, said.after) for user in users]

    def say(self, number: int) -> None:
        self.spreading.add(Said(Everybody(), (), number, deque(self.world.users.values())))


async def test_others_have_their_turn_after_a_moment(monkeypatch):
    """By this clock it takes half of a moment to tell two users; what happens then comes before the next ones."""
    ticks = itertools.count()
    monkeypatch.setattr(spreading, "time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
    monkeypatch.setattr(spreading, "TURN_S", 2.0)
    monkeypatch.setattr(spreading, "FEW", 2)
    told = Told(*(f"user_{letter}" for letter in "abcdefghijk"))
    told.say(1)
    assert told.spreading.busy
    assert not told.heard
    async with trio.open_nursery() as nursery:
        told.spreading.flush = nursery.cancel_scope.cancel
        nursery.start_soon(told.spreading.run)
    assert len(told.heard) == 6
    assert told.spreading.busy


async def test_what_must_be_stored_first_is_not_told_before(autojump_clock, nursery):
    """And what is said after it waits, too."""
    told = Told("alice", "bob")
    nursery.start_soon(told.spreading.run)
    told.say(LATE)
    told.say(1)
    await trio.sleep(0.9)
    assert not told.heard
    await trio.sleep(0.2)
    assert told.heard == [("alice", LATE), ("bob", LATE), ("alice", 1), ("bob", 1)]
    nursery.cancel_scope.cancel()


def test_if_more_is_said_than_can_be_told_the_oldest_is_told_at_once(monkeypatch):
    """What waits does not grow without bounds, and the order stays."""
    monkeypatch.setattr(spreading, "MOST", 2)
    monkeypatch.setattr(spreading, "FEW", 1)
    told = Told("alice", "bob")
    waiting = []
    for number in range(1, 5):
        told.say(number)
        waiting.append(sorted({one for one in range(1, number + 1) if ("bob", one) not in told.heard}))
    assert waiting == [[1], [1, 2], [2, 3], [3, 4]]
    told.spreading.finish()
    assert told.heard == [(name, number) for number in range(1, 5) for name in ("alice", "bob")]


def test_who_has_come_was_not_there():
    told = Told("alice", "bob")
    told.say(1)
    told.world.add(user(world_of("dave"), "dave"))
    told.say(2)
    told.spreading.finish()
    assert told.heard == [("alice", 1), ("bob", 1), ("alice", 2), ("bob", 2), ("dave", 2)]
    assert not told.spreading.busy


def test_nobody_is_told_of_a_job_that_was_refused():
    told = Told("alice", "bob")
    for number in (1, 2, 3):
        told.say(number)
    told.spreading.drop(2)
    told.spreading.finish()
    assert told.heard == [("alice", 1), ("bob", 1), ("alice", 3), ("bob", 3)]


async def test_who_goes_meanwhile_is_not_told(autojump_clock, slowly):
    """Not even in the moment until his connection is closed."""
    async with serving() as server:
        clients = await people(server)
        gina = user(server.world, "gina")
        type_now(server, "alice", "shout Hello.")
        type_now(server, "gina", "bye")
        assert gina.connection.id in server.engine.sessions
        assert server.engine.readers.outside_all([gina], Everybody()) == []
        await server.settle()
        assert b"Hello." not in clients["gina"].take()
        assert b"Hello." in clients["dave"].take()
