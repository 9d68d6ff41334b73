"""Old clients: what this server adds changes no byte for a program that has not asked for it."""

from __future__ import annotations

import attrs

from fibsd.config import Config, Points
from tests.support import catalogue
from tests.support.client import RAISED, Server, serving

CONTACT = "0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:2:0:0:0:0:0:0:0:0:0:0"
PASSED = "0:0:0:2:2:2:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-2:0:0:0:0:0"
HOPELESS = "0:0:0:0:0:0:0:0:3:0:0:0:0:5:0:0:0:0:-5:-5:-5:0:0:0:7:0"


@attrs.frozen
class Line:
    """Something that is done; `run` says whether in both runs or only in the one with or without our additions."""

    who: str
    text: str
    run: str = "both"


def either(who: str, ours: str, plain: str) -> tuple[Line, ...]:
    """The same thing said in our words, and in those of FIBS."""
    return Line(who, ours, "with"), Line(who, plain, "without")


def ours(who: str, *texts: str) -> tuple[Line, ...]:
    """Lines that FIBS would not understand."""
    return tuple(Line(who, text, "with") for text in texts)


SCRIPT = (
    *ours("alice", "show options", "set bot yes", "set extras no", "set extras yes", "set playout no", "who bots"),
    *ours("bob", "set bot yes", "whois carol", "whois alice", "who humans", "set bot maybe", "help extras"),
    Line("carol", "who"),
    Line("carol", "whois alice"),
    Line("carol", "toggle ready"),
    Line("dice", "3-1"),
    Line("alice", "invite carol unlimited"),
    *ours("bob", "giveup", "playout", "show legal"),
    Line("carol", "join alice"),
    *ours("alice", "show legal", "playout", "playout", "set playout yes", "set playout no"),
    Line("alice", "8-5 6-5"),
    # The opponent of the program gives up.
    Line("position", f"alice {HOPELESS}"),
    *ours("alice", "giveup", "set extras yes", "giveup"),
    Line("alice", "resign g", "without"),
    Line("carol", "reject"),
    # And lets the server play on, first asking for it while the pieces can still meet.
    Line("position", f"carol {CONTACT}"),
    *ours("alice", "playout", "playout", "playout"),
    Line("position", f"carol {PASSED}"),
    Line("dice", "6-5 6-4 4-4 5-2 3-3"),
    Line("carol", "roll"),
    Line("carol", "19-off 19-24"),
    Line("alice", "roll", "without"),
    Line("alice", "5-off 4-off", "without"),
    Line("carol", "roll"),
    Line("carol", "20-24 20-24 24-off 24-off"),
    Line("alice", "roll", "without"),
    Line("alice", "5-off 3-1", "without"),
    Line("carol", "double"),
    Line("alice", "accept"),
    Line("alice", "leave"),
    # A match that the program watches ends by itself.
    Line("bob", "toggle ready"),
    Line("dice", "3-1"),
    Line("dave", "invite bob 1"),
    Line("carol", "watch dave"),
    Line("bob", "join dave"),
    Line("position", f"dave {PASSED}"),
    Line("dice", "5-4 6-5 5-4 6-5"),
    *ours("bob", "set playout yes"),
    *ours("dave", "show legal", "playout"),
    Line("dave", "roll", "without"),
    Line("dave", "5-off 4-off", "without"),
    Line("bob", "19-off 20-off", "without"),
    Line("dave", "5-off 4-off", "without"),
    Line("bob", "19-off 20-off", "without"),
)

ROOM = (
    Line("bob", "toggle ready"),
    Line("carol", "toggle ready"),
    # Open invitations, and questions that only this server answers.
    *ours("alice", "seek 1 blitz max 1600", "seeks", "show seeks", "unseek", "rematch"),
    *ours("alice", "show points", "show options", "show clock", "show legal"),
    *ours("bob", "seek unlimited jacoby", "seeks alice", "help trictrac", "unseek", "unseek"),
    *ours("alice", "invite carol 1 blitz", "invite bob 1 stake 2000"),
    # A match against time with stakes, given up in the end.
    Line("dice", "3-1 5-4 6-2"),
    *either("alice", "invite bob 1 blitz stake 5", "invite bob 1"),
    Line("bob", "join alice"),
    Line("carol", "watch alice"),
    Line("carol", "who playing"),
    *ours("alice", "show clock", "show legal", "show points", "seek 3"),
    Line("alice", "8-5 6-5"),
    Line("dave", "watch bob"),
    *ours("dave", "show clock", "seeks"),
    Line("dave", "unwatch"),
    Line("bob", "12-17 12-16"),
    *either("alice", "giveup", "resign n"),
    Line("bob", "accept"),
    # Another one like it, which the server plays to its end.
    Line("dice", "3-1"),
    *either("bob", "rematch", "invite alice 1"),
    *either("alice", "rematch", "join bob"),
    Line("position", f"alice {PASSED}"),
    Line("dice", "6-5 5-4 6-5"),
    *ours("bob", "set playout yes"),
    *ours("alice", "playout"),
    Line("alice", "roll", "without"),
    Line("alice", "19-off 20-off", "without"),
    Line("bob", "5-off 4-off", "without"),
    Line("alice", "19-off 20-off", "without"),
    *ours("bob", "show points", "show clock", "set playout no"),
    # One that was sought, is left, and resumed.
    Line("dice", "3-1"),
    *ours("alice", "seek 3 clock 60 5 ghost min 1000"),
    Line("alice", "invite bob 3", "without"),
    Line("bob", "join alice"),
    Line("alice", "leave"),
    Line("bob", "invite alice"),
    Line("alice", "join bob"),
    *either("alice", "giveup", "resign n"),
    Line("bob", "accept"),
    Line("carol", "who"),
    Line("carol", "ratings"),
)


async def heard_by_carol(run: str, script: tuple[Line, ...], config: Config) -> bytes:
    """All that a CLIP client is sent while everybody else is at a terminal."""
    async with serving(config=config) as server:
        (carol,) = await server.online("carol")
        others = await server.online("alice", "bob", "dave", kind="telnet")
        clients = dict(zip(("carol", "alice", "bob", "dave"), (carol, *others), strict=True))
        await clients["alice"].send("toggle ready")
        await clients["dave"].send("toggle ready")
        await server.settle()
        carol.take()
        for line in script:
            if line.run not in ("both", run):
                continue
            if line.who == "dice":
                server.chance.script(line.text)
            elif line.who == "position":
                server.put(*line.text.split())
            else:
                await clients[line.who].send(line.text)
                await server.settle()
        assert not server.chance.dice
        return carol.take()


async def the_same(script: tuple[Line, ...], config: Config) -> list[str]:
    """The lines that she is sent in either run."""
    plain, with_ours = await heard_by_carol("without", script, config), await heard_by_carol("with", script, config)
    lines = plain.decode().split("\r\n")
    assert with_ours.decode().split("\r\n") == lines
    return lines


async def test_a_program_is_sent_the_same_whatever_people_around_it_use(autojump_clock):
    lines = await the_same(SCRIPT, Config(limits=RAISED))
    told = (
        "alice wants to resign. You will win 2 points. Type 'accept' or 'reject'.",
        "alice moves 5-off 4-off .",
        "alice moves 5-off 3-1 .",
        "dave moves 5-off 4-off .",
        "bob wins the 1 point match 1-0 .",
    )
    assert [line for line in told if line not in lines] == []


async def test_matches_on_terms_look_from_outside_like_any_others(autojump_clock):
    """Who watches them, hears reports of them and lists users learns nothing that FIBS would not have told."""
    lines = await the_same(ROOM, Config(limits=RAISED, points=Points(enabled=True)))
    told = (
        "alice and bob start a 1 point match.",
        "alice moves 8-5 6-5 .",
        "bob wins the 1 point match 1-0 .",
        "alice wins the 1 point match 1-0 .",
        "alice and bob start a 3 point match.",
        "alice has left the game with bob.",
        "bob and alice are resuming their 3-point match.",
    )
    assert [line for line in told if line not in lines] == []


async def ghost_plays(server: Server) -> list[str]:
    """What a CLIP client is sent that watches a match in which the server plays for somebody."""
    carol = await server.login("carol")
    alice, bob = await server.login("alice", "telnet"), await server.login("bob", "telnet")
    server.chance.script("3-1")
    for client, line in ((alice, "toggle ready"), (bob, "toggle ready"), (alice, "invite bob 1 ghost")):
        await server.ask(client, line)
    await server.ask(bob, "join alice")
    await server.ask(carol, "watch alice", "toggle report")
    carol.take()
    await bob.hang_up()
    await server.ask(alice, "8-5 6-5")
    for _ in range(15):
        await server.later(1)
    assert server.table_of("alice").ghost is not None
    await server.login("bob", "telnet")
    await server.ask(alice, "resign n")
    await server.settle()
    return carol.lines()


async def test_a_ghost_says_nothing_to_programs_but_what_players_do(autojump_clock):
    async with serving() as server:
        for name in ("alice", "bob", "carol"):
            await server.user(name)
        lines = await ghost_plays(server)
    assert any(line.startswith("bob rolls ") for line in lines)
    assert any(line.startswith("bob moves ") for line in lines)
    assert [line for line in lines if line.startswith("12 ")] == []
    assert [line for line in lines if next(catalogue.fitting(line, "clip"), None) is None] == []
