"""Users who type at random and lose their connections, in matches on the term `ghost`.

As with others who type at random, nobody is sent a strange line, lists stay right, and the store knows all.
"""

import random

import pytest

from fibsd.protocol.views.room import who_line
from fibsd.world.account import DEFAULT_TOGGLES, Settings, Toggle
from tests.session import test_monkeys as monkeys
from tests.session.test_monkeys import KINDS, NAMES, Monkey, the_store_knows_all
from tests.support.client import Server, run, serving

MEETING = (
    "invite {name} 1 ghost", "invite {name} 3 ghost", "invite {name} unlimited ghost", "invite {name}",
    "join {name}", "join", "leave", "void {name}",
)  # fmt: skip


async def act(server: Server, monkey: Monkey, dice: random.Random) -> str:
    """Log in, hang up, type something, or let time pass for the ghost; what it was."""
    if monkey.name in server.world.users and not monkey.client.closed:
        typed = monkey.line(server)
        if dice.random() < 0.03:
            typed = "hangs up"
            await monkey.client.hang_up()
        else:
            await monkey.client.send(typed)
    elif monkey.name in server.world.absent and dice.random() < 0.95:
        typed = "later"
        server.clock.at += dice.choice((1, 1, 1, 5, 11, 30))
    else:
        typed = "logs in"
        await monkey.login(server)
    # The ghost acts at a tick of its own, and news of it wait for the next one of the room.
    await server.settle()
    await server.settle()
    return typed


async def rage(seed: int, rounds: int) -> None:
    dice = random.Random(seed)
    played = 0
    async with serving() as server:
        settings = Settings(toggles=DEFAULT_TOGGLES | {Toggle.READY, Toggle.RATINGS}, redoubles=2, extras=True)
        for name in NAMES:
            await server.user(name, settings=settings)
        everybody = [Monkey(name, server.connect(), kind, dice) for name, kind in zip(NAMES, KINDS, strict=True)]
        for monkey in everybody:
            await monkey.login(server)
            await server.settle()
        for monkey in everybody:
            monkey.judge()
        for turn in range(rounds):
            monkey = dice.choice(everybody)
            what = f"turn {turn}: {monkey.name} {await act(server, monkey, dice)!r}"
            assert [line for one in everybody for line in one.judge()] == [], what
            lines = [who_line(row).split() for row in server.world.rows(server.world.users, 0.0)]
            now = {words[1]: tuple(words[2:8]) for words in lines}
            for one in everybody:
                if one.kind == "clip" and one.name in server.world.users:
                    assert one.users == now, f"{what}, {one.name} has another list"
            seats = [name for table in server.world.tables.values() for name in (table.names.o, table.names.x)]
            assert set(server.world.absent) == set(seats) - set(server.world.users), what
            assert set(server.world.deadlines) <= set(seats), what
            played += any(table.ghost is not None for table in server.world.tables.values())
        await the_store_knows_all(server)
        assert played > 20, "too little was played to find anything"
        assert (await server.store.counts()).finished_matches > 1, "too little was played to find anything"


@pytest.mark.parametrize("seed", range(2))
def test_nothing_strange_is_sent_while_players_come_and_go(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monkeys, "MEETING", MEETING)
    run(rage, seed, 1500)
