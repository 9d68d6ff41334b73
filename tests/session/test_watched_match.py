"""A match as FIBS itself sent it to a watcher, played again: the same lines, the same boards."""

import re

from fibsd.backgammon.game import Phase
from fibsd.world.ids import UserName
from tests.support.client import Client, Server, run, serving, without
from tests.support.oracle import oracle_path

# Of a board's fields the reference calls 49 and 50 meaningless: the first keeps an old value, the second is misnamed.
MEANINGLESS = (49, 50)

_OPENING = re.compile(r"(\w+) rolled ([1-6]), (\w+) rolled ([1-6])")
_ROLL = re.compile(r"(\w+) rolls ([1-6]) and ([1-6])\.")


def recorded() -> list[str]:
    return oracle_path("transcripts/watched-5pt-match.txt").read_text(encoding="ascii").splitlines()


def meaningful(line: str) -> str:
    """A line, without what a board says to nobody."""
    if not line.startswith("board:"):
        return line
    fields = line.split(":")
    for field in MEANINGLESS:
        fields[field] = "-"
    return ":".join(fields)


def script_dice(server: Server, lines: list[str]) -> None:
    """Have the rolls of the record come in their order; of an opening watchers read X's die first."""
    for line in lines:
        if opening := _OPENING.fullmatch(line):
            server.chance.script(f"{opening[4]}-{opening[2]}")
        elif roll := _ROLL.fullmatch(line):
            server.chance.script(f"{roll[2]}-{roll[3]}")


async def drive(server: Server, players: dict[str, Client], line: str) -> None:
    """Type what a recorded line is the effect of, if it was not the server's own doing."""
    name = line.split(" ")[0]
    if _ROLL.fullmatch(line):
        table = server.world.users[UserName(name)].table
        game = server.world.tables[table].match.game if table is not None else None
        if game is not None and game.phase is Phase.ROLL:
            await players[name].send("roll")
    elif " moves " in line:
        await players[name].send("move " + line.removesuffix(" .").split(" moves ")[1])
    elif line.endswith(" doubles."):
        await players[name].send("double")
    elif " accepts " in line:
        await players[name].send("accept")
    elif " wants to resign. " in line:
        # Two games of this match end so: the first one at a cube of 4 and worth 4, the second at 1 and worth 1.
        await players[name].send("resign n")
    elif line.startswith("score in "):
        for player in players.values():
            await player.send("join")
    await server.settle()


async def replay() -> None:
    lines = recorded()
    async with serving() as server:
        bob, alice, carol = await server.online("bob", "alice", "carol")
        await server.ask(alice, "toggle ready")
        carol.take()
        script_dice(server, lines)
        server.chance.coins.append(True)  # bob, who invites, has X in the first game
        await carol.send("watch bob", "board")
        await server.settle()
        await bob.send("invite alice 5")
        await alice.send("join bob")
        await server.settle()
        for line in lines:
            await drive(server, {"bob": bob, "alice": alice}, line)
        seen = list(without(carol.lines(), "5 ", "6"))
    assert list(map(meaningful, seen)) == list(map(meaningful, lines))
    assert sum(line.startswith("board:") for line in seen) == 275


def test_watcher_sees_the_recorded_match_again() -> None:
    run(replay)
