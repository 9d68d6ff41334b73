"""What is told takes no longer at a stretch than others can wait, and looks the same all the while."""

import pytest
import trio

from fibsd.protocol.views import room
from fibsd.session.transport import StreamTransport
from fibsd.world import world as world_module
from tests.support.client import PASSWORD, PEER, Client, serving
from tests.support.faltering import Faltering


class Behind(Faltering):
    """A store whose outcomes are there, but the loop has not come round to them."""

    def catch_up(self) -> None:
        """See `Store.catch_up`."""
        self.rise()


NAMES = tuple(f"user_{letter}" for letter in "abcdefghijk")


async def seen(*typed: str) -> bytes:
    """What somebody is sent who types this when many are on-line, and is told something at the end."""
    async with serving() as server:
        (first, *_) = await server.online(*NAMES)
        await server.user("newcomer")
        client = server.connect()
        await client.send(*typed)
        await first.send("tell newcomer Hello.")
        await server.settle()
        return client.take()


@pytest.mark.parametrize("part", [1, 2, 4, 11, 12])
async def test_long_list_is_the_same_in_parts(autojump_clock, monkeypatch, part):
    """At the login, and the answers to `who`; what comes behind it stays behind it."""
    monkeypatch.setattr(world_module, "SHEET", 2)
    typed = (f"login x 1008 newcomer {PASSWORD}", "who", "who nobody", "who user", "version", "who a")
    whole = await seen(*typed)
    monkeypatch.setattr(room, "PART", part)
    assert await seen(*typed) == whole
    assert whole.count(b"\r\n5 user_") == 2 * len(NAMES)


@pytest.mark.parametrize(
    "login", [(f"connect newcomer {PASSWORD}",), ("newcomer", PASSWORD)], ids=["connect", "telnet"]
)
@pytest.mark.parametrize("pagelength", [0, 5])
@pytest.mark.parametrize("part", [1, 4, 12])
async def test_long_list_for_people_is_the_same_in_parts(autojump_clock, monkeypatch, part, pagelength, login):
    """Heading and end stand once, and the prompt behind all of it."""
    lists = ("who", "rawwho", "", "", "", "who nobody", "who user", "rawwho user_a", "version")
    whole = await seen(*login, f"set pagelength {pagelength}", *lists)
    monkeypatch.setattr(room, "TEXT_PART", part)
    assert await seen(*login, f"set pagelength {pagelength}", *lists) == whole
    assert whole.count(b"No  S  username") == 1
    paged = pagelength > 0 and len(login) > 1
    assert whole.count(b"user_k ") == 2 - paged


async def test_change_while_a_long_list_is_sent_comes_behind_it(autojump_clock, monkeypatch):
    """The list is that of the moment of the login, however long its reader takes."""
    monkeypatch.setattr(room, "PART", 1)
    monkeypatch.setattr(world_module, "SHEET", 1)
    async with serving() as server:
        clients = await server.online(*NAMES)
        await server.user("newcomer")
        # What is sent is taken piece by piece.
        ours, theirs = trio.testing.lockstep_stream_pair()
        server.app.serve(StreamTransport(theirs), PEER)
        client = Client(ours)
        while not client.received.endswith(b"login: "):
            client.received += await ours.receive_some()
        await client.send(f"login x 1008 newcomer {PASSWORD}")
        while b"\r\n5 user_a " not in client.received:
            client.received += await ours.receive_some()
        assert b"\r\n6\r\n" not in client.received
        await server.ask(clients[0], "shout Hello.")
        await server.ask(clients[-1], "toggle ready")
        server.nursery.start_soon(client.read)
        await server.settle()
        lines = client.lines()
        last = [line.split()[4] for line in lines if line.startswith("5 user_k ")]
        assert last == ["0", "1"]
        end = lines.index("6")
        assert lines[end - 1].startswith("5 newcomer ")
        assert lines[end + 1] == "13 user_a Hello."


async def test_what_was_stored_meanwhile_is_told_with_what_was_read(autojump_clock):
    """Whoever has moved first need not wait until all others have been read."""
    store = Behind()
    async with serving(store) as server:
        alice, bob = await server.online("alice", "bob")
        await server.ask(bob, "toggle ready")
        await server.ask(alice, "toggle ready", "invite bob 1")
        store.fall()
        await bob.send("join alice")
        await trio.testing.wait_all_tasks_blocked()
        assert not [line for line in bob.lines() if "Starting a new game" in line]
        server.engine.flush_input()
        await trio.testing.wait_all_tasks_blocked()
        assert [line for line in bob.lines() if "Starting a new game" in line]
