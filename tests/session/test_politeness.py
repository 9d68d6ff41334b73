"""Old clients: what this server adds changes no byte for a program that has not asked for it."""

from __future__ import annotations

import attrs

from tests.support.client import serving

CONTACT = "0:0:0:0:0:0:0:0:0:0:0:0:-2:0:0:2:0:0:0:0:0:0:0:0:0:0"
PASSED = "0:0:0:2:2:2:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-2:0:0:0:0:0"
HOPELESS = "0:0:0:0:0:0:0:0:3:0:0:0:0:5:0:0:0:0:-5:-5:-5:0:0:0:7:0"


@attrs.frozen
class Line:
    """Something that is done; `run` says whether in both runs or only in the one with or without our additions."""

    who: str
    text: str
    run: str = "both"


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


async def heard_by_carol(run: str) -> bytes:
    """All that a CLIP client is sent while everybody else is at a terminal."""
    async with serving() as server:
        (carol,) = await server.online("carol")
        others = await server.online("alice", "bob", "dave", kind="telnet")
        clients = dict(zip(("carol", "alice", "bob", "dave"), (carol, *others), strict=True))
        await clients["alice"].send("toggle ready")
        await clients["dave"].send("toggle ready")
        await server.settle()
        carol.take()
        for line in SCRIPT:
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


async def test_a_program_is_sent_the_same_whatever_people_around_it_use(autojump_clock):
    plain, with_ours = await heard_by_carol("without"), await heard_by_carol("with")
    lines = plain.decode().split("\r\n")
    assert with_ours.decode().split("\r\n") == lines
    told = (
        "alice wants to resign. You will win 2 points. Type 'accept' or 'reject'.",
        "alice moves 5-off 4-off .",
        "alice moves 5-off 3-1 .",
        "dave moves 5-off 4-off .",
        "bob wins the 1 point match 1-0 .",
    )
    assert [line for line in told if line not in lines] == []
