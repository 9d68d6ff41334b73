"""What is told takes no longer at a stretch than others can wait, and looks the same all the while."""

import pytest
import trio

from fibsd.protocol.views import room
from fibsd.session.transport import StreamTransport
from tests.support.client import PASSWORD, PEER, Client, serving

NAMES = tuple(f"user_{letter}" for letter in "abcdefghijk")


@pytest.mark.parametrize("part", [1, 2, 4, 11, 12])
async def test_long_list_is_the_same_in_parts(autojump_clock, monkeypatch, part):
    """At the login, and the answers to `who`; what comes behind it stays behind it."""
    seen = []
    for users in (room.PART, part):
        monkeypatch.setattr(room, "PART", users)
        async with serving() as server:
            (first, *_) = await server.online(*NAMES)
            await server.user("newcomer")
            client = server.connect()
            await client.send(f"login x 1008 newcomer {PASSWORD}", "who", "who nobody", "who user", "version", "who a")
            await first.send("tell newcomer Hello.")
            await server.settle()
            seen.append(client.take())
    whole, parts = seen
    assert whole == parts
    assert whole.count(b"\r\n5 user_") == 2 * len(NAMES)


async def test_change_while_a_long_list_is_sent_comes_behind_it(autojump_clock, monkeypatch):
    """The list is that of the moment of the login, however long its reader takes."""
    monkeypatch.setattr(room, "PART", 1)
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
