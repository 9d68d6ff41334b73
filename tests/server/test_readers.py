"""Who reads alike shares what is written, and what nobody reads by any more is forgotten."""

import gc
from itertools import pairwise

import trio

from fibsd.protocol.viewer import View
from fibsd.server import spreading, telling
from fibsd.world.ids import UserName
from tests.support.client import Server, serving

NAMES = ("alice", "bob", "carol", "dave", "eve", "fred")
LONG = "word " * 18


def views_alive() -> int:
    """Ways of reading that somebody still holds."""
    gc.collect()
    return sum(type(one) is View for one in gc.get_objects())


def type_now(server: Server, name: str, *lines: str) -> None:
    """Have somebody's lines handled before anything else happens."""
    session = server.engine.sessions[server.world.users[UserName(name)].connection.id]
    for line in lines:
        server.engine.line(session, line, trio.current_time())


def number_of(server: Server, name: str) -> int:
    """By which what is written for this user is known."""
    reader = server.engine.readers.outside(server.world.users[UserName(name)])
    assert reader is not None
    return reader.number


async def test_ways_of_reading_that_nobody_has_any_more_are_forgotten(autojump_clock):
    """A user may try all widths, with all his switches in all positions."""
    async with serving() as server:
        alice, bob = await server.online("alice", "bob", kind="telnet")
        await server.ask(alice, "toggle wrap")
        before = views_alive()
        for width in range(20, 120):
            for client, name in ((alice, "alice"), (bob, "bob")):
                await client.send("toggle notify", f"set linelength {width}", f"tell {name} Hello.", "shout Hello.")
            await trio.testing.wait_all_tasks_blocked()
        await server.settle()
        assert views_alive() <= before + 1


async def test_who_reads_alike_has_the_same_number_and_no_other_ever_gets_it(autojump_clock):
    async with serving() as server:
        await server.online("alice", "bob")
        first = number_of(server, "alice")
        assert number_of(server, "bob") == first
        type_now(server, "alice", "toggle bell")
        second = number_of(server, "alice")
        type_now(server, "bob", "toggle bell")
        assert number_of(server, "bob") == second
        type_now(server, "alice", "toggle bell")
        type_now(server, "bob", "toggle bell")
        third = number_of(server, "alice")
        assert number_of(server, "bob") == third
        assert len({first, second, third}) == 3


async def test_nobody_is_sent_what_was_written_for_somebody_before_him(autojump_clock, monkeypatch):
    """Though his way of reading has the place in memory of one by which nobody reads any more."""
    monkeypatch.setattr(telling, "AT_ONCE", 0)
    monkeypatch.setattr(spreading, "FEW", 1)
    monkeypatch.setattr(spreading, "TURN_S", -1.0)
    async with serving() as server:
        clients = dict(zip(NAMES, await server.online(*NAMES, kind="telnet"), strict=True))
        for name in NAMES:
            type_now(server, name, "toggle wrap")
        await server.settle()
        tell, users = server.engine.teller.spreading.tell, server.world.users
        widths = {}

        def tell_and_change(said, told):
            tell(said, told)
            for before, after in pairwise(users.values()):
                if before is told[0] and before.reader is not None:
                    place = id(before.reader.view)
                    type_now(server, before.name, "set linelength 70")
                    for width in range(30, 70):
                        type_now(server, after.name, f"set linelength {width}")
                        widths[after.name] = width
                        if id(after.reader.view) == place:
                            break

        server.engine.teller.spreading.tell = tell_and_change
        await server.settle()
        for client in clients.values():
            client.take()
        type_now(server, "alice", f"shout {LONG}")
        await server.settle()
        for name in NAMES[1:]:
            (heard,) = [line for line in clients[name].lines() if "alice shouts: " in line]
            assert widths[name] - len("word ") < len(heard) <= widths[name], name
