"""The server is killed while matches with stakes begin and end: no play point is made or lost."""

from __future__ import annotations

import contextlib
import os
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import attrs
import pytest
import trio

from fibsd.world.points import BANK
from tests.support.process import CHEAP, Process, fibsd_once

KILLS = int(os.environ.get("FIBSD_KILLS", "20"))
SEED = 20_260_102
"""Any will do; it only must not change."""
PAIRS = 4
PASSWORD = "secret"
CONFIG = CHEAP + "[points]\nenabled = true\nfee_percent = 10\n"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 + 12 * KILLS)]


@attrs.define(eq=False)
class Player:
    """Somebody at a socket, who types without waiting for more than one line."""

    stream: trio.SocketStream
    heard: str = ""

    async def come(self, name: str) -> Player:
        """Log in as a person, who wants what FIBS has not."""
        await self.type(name, PASSWORD)
        await self.hear("authenticated")
        return self

    async def type(self, *lines: str) -> None:
        """Send lines."""
        await self.stream.send_all("".join(f"{line}\r\n" for line in lines).encode())

    async def hear(self, pattern: str) -> None:
        """Read up to a text that fits; what was heard before it is forgotten."""
        while (found := re.search(pattern, self.heard)) is None:
            data = await self.stream.receive_some(65536)
            if not data:
                raise trio.BrokenResourceError
            self.heard += data.decode("latin-1")
        self.heard = self.heard[found.end() :]


async def play(address: tuple[str, int], one: str, other: str, rng: random.Random) -> None:
    """Stake points on match after match, win, lose and void them, until the server is gone."""
    with contextlib.suppress(trio.BrokenResourceError, OSError):
        async with await trio.open_tcp_stream(*address) as first, await trio.open_tcp_stream(*address) as second:
            await play_on(await Player(first).come(one), await Player(second).come(other), one, other, rng)


async def play_on(ann: Player, bob: Player, one: str, other: str, rng: random.Random) -> None:
    """Begin, and never end."""
    await ann.type("toggle ready")
    await bob.type("toggle ready")
    # Whatever was saved when the last server died.
    await ann.type(f"invite {other}", "show points")
    await ann.hear("Your play points: ")
    await bob.type(f"join {one}", "leave", f"void {one}", "show points")
    await bob.hear("Your play points: ")
    while True:
        await ann.type(f"invite {other} 1 stake {rng.randint(1, 9)}")
        await bob.hear("wants to play a 1 point match")
        await bob.type(f"join {one}")
        # Long enough that every other kill or so meets a match that is on.
        await trio.sleep(rng.uniform(0.0, 0.1))
        await bob.type(rng.choice(["void", "resign n", "resign n"]))
        await ann.hear("voided your match|wants to resign")
        await ann.type("accept", "show points")
        await ann.hear("Your play points: ")
        await bob.type("show points")
        await bob.hear("Your play points: ")


def check(path: Path) -> tuple[int, int]:
    """What the ledger says of itself and of the matches; how many matches were staked on, and how many are on."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT account, sum(amount) FROM ledger GROUP BY account").fetchall()
        unfinished = connection.execute("SELECT id, terms FROM matches WHERE finished IS NULL").fetchall()
        ((staked,),) = connection.execute("SELECT count(*) FROM ledger WHERE reason = 'stake' AND amount > 0")
    assert sum(points for _, points in rows) == 0
    assert {account for account, points in rows if points < 0} <= {BANK}
    pots = {account: points for account, points in rows if account.startswith("match:") and points}
    assert pots == {f"match:{number}": 2 * int(terms.split()[-1]) for number, terms in unfinished}
    return staked // 2, len(unfinished)


async def test_points_outlast_every_kill(tmp_path: Path) -> None:
    """After each of them the sum is 0, nobody owes any, and the stakes are those of the matches that are on."""
    (tmp_path / "points.toml").write_text(CONFIG)
    rng = random.Random(SEED)
    pairs = [(f"ann_{letter}", f"bob_{letter}") for letter in "abcd"[:PAIRS]]
    for name in (name for pair in pairs for name in pair):
        made = fibsd_once(tmp_path, "user", "add", name, "--config", "points.toml", typed=f"{PASSWORD}\n")
        assert made.returncode == 0, made.stderr
    staked = running = 0
    for _ in range(KILLS):
        with Process.start(tmp_path, config="points.toml") as process:
            async with trio.open_nursery() as nursery:
                for one, other in pairs:
                    nursery.start_soon(play, process.addresses[0], one, other, random.Random(rng.random()))
                await trio.sleep(rng.uniform(0.3, 2.0))
                process.kill()
                # A pair may just wait for a line of the other.
                nursery.cancel_scope.deadline = trio.current_time() + 2
            assert process.faults == []
        staked, on = check(tmp_path / "fibsd.db")
        running += on
    print(f"{KILLS} kills, {staked} matches staked on, {running} of them running at a kill")
    assert staked > KILLS
    assert running
