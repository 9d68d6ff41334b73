"""GNU Backgammon reads the records of games as `oldmoves` gives them, and counts what we counted."""

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import attrs
import pytest
import trio

from tests.support.bot import Bot, Character
from tests.support.ring import running

GNUBG = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")
PAIRS = 24
PLAYING_S = 60.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(2 * PLAYING_S),
    pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed"),
]
_RECORD = re.compile(r"Score is \d+-\d+ in a|\S+ is X - \S+ is O$|[OX]: ")
_COMPLAINT = re.compile(r"WARNING|Unrecogni|record found|not a valid|rror")


@attrs.define(eq=False)
class Recorder(Bot):
    """Asks for the record of each game as soon as it is over."""

    async def _react(self, line: str) -> None:
        if line.startswith("Type 'join' if you want"):
            await self.send("oldmoves")
        await super()._react(line)

    async def last_record(self) -> None:
        """Ask for the record of the match's last game."""
        await self.send("oldmoves")
        while not re.fullmatch(r"[OX]: wins", await self.line()):
            pass

    @property
    def records(self) -> list[str]:
        """The lines of all records."""
        return [line for line in self.heard if _RECORD.match(line)]

    @property
    def score(self) -> dict[str, int]:
        """How the match ended."""
        won = next(
            found for line in self.heard if (found := re.match(r"(\S+) wins? the \d+ point match +(.*) \.", line))
        )
        names = (self.name, self.opponent) if won[1] == "You" else (self.opponent, self.name)
        return dict(zip(names, map(int, won[2].split("-")), strict=True))


async def _play(pairs: list[tuple[Recorder, Bot]]) -> None:
    async with running() as ring, trio.open_nursery() as nursery:
        for pair in pairs:
            for bot in pair:
                await ring.account(bot.name)
            nursery.start_soon(_play_match, ring.address, pair)


async def _play_match(address: tuple[str, int], pair: tuple[Recorder, Bot]) -> None:
    inviter, joiner = pair
    with trio.fail_after(PLAYING_S):
        await joiner.connect(address)
        await inviter.connect(address)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(joiner.play)
            await inviter.play()
            await inviter.last_record()
            nursery.cancel_scope.cancel()
        for bot in pair:
            assert bot.surprises == []
            await bot.close()


def _matches(character: Character, seed: int) -> list[Recorder]:
    """Play matches; give those who have heard the records."""
    rng = random.Random(seed)
    pairs = []
    for number in range(PAIRS):
        one, other = f"ann_{chr(ord('a') + number)}", f"bob_{chr(ord('a') + number)}"
        inviter = Recorder(one, other, True, character, random.Random(rng.random()))
        pairs.append((inviter, Bot(other, one, False, character, random.Random(rng.random()))))
        for bot in pairs[-1]:
            bot.wanted = 1
    trio.run(_play, pairs)
    return [inviter for inviter, _ in pairs]


def _import(directory: Path, bots: list[Recorder]) -> str:
    """Have all records imported and saved again; what was said about that."""
    script = ""
    for bot in bots:
        (directory / bot.name).write_text("\n".join(bot.records) + "\n")
        script += f"import oldmoves {bot.name}\nsave match {bot.name}.sgf\n"
    assert GNUBG is not None
    done = subprocess.run(
        [GNUBG, "--tty", "--quiet", "--no-rc"],
        cwd=directory,
        env={**os.environ, "HOME": str(directory), "LC_ALL": "C"},
        input=script,
        capture_output=True,
        text=True,
        timeout=PLAYING_S,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split("`show copying' for details.")[-1]


def _read_back(directory: Path, bot: Recorder) -> tuple[dict[str, int], int]:
    """The final score and the number of games that were understood."""
    games = (directory / f"{bot.name}.sgf").read_text().split("(;FF")[1:]
    score: dict[str, int] = {}
    for game in games:
        start = re.search(r"\[ws:(\d+)\]\[bs:(\d+)\]PW\[(\w+)\]PB\[(\w+)\]", game)
        assert start is not None, game[:300]
        white, black = start[3], start[4]
        score = {white: int(start[1]), black: int(start[2])}
        won = re.search(r"RE\[([WB])\+(\d+)R?\]", game)
        if won:
            score[white if won[1] == "W" else black] += int(won[2])
    return score, len(games)


def test_matches_are_read_and_counted_alike(tmp_path: Path) -> None:
    """Plays, the cube, drops and resigned games.

    Its importer takes each resignation for a single game, and does not know one that was made before the first
    play: the bots offer neither.
    """
    bots = _matches(Character(resigns=0.01, sizes="n", hasty=False), seed=1)
    said = _import(tmp_path, bots)
    assert not _COMPLAINT.search(said), said
    for bot in bots:
        games = sum(line.startswith("Score is") for line in bot.records)
        assert _read_back(tmp_path, bot) == (bot.score, games), bot.name
    lines = {line[3:] for bot in bots for line in bot.records}
    assert lines >= {"doubles", "accepts", "rejects", "wants to resign", "wins"}
    assert any(line.endswith("can't move") for line in lines)


def test_resignations_of_all_kinds_are_read(tmp_path: Path) -> None:
    """Accepted and refused, of every size and at every moment: nothing is complained about."""
    bots = _matches(Character(resigns=0.1, doubles=0.05), seed=2)
    said = _import(tmp_path, bots)
    assert not _COMPLAINT.search(said), said
    assert any("rejects. The game continues." in line for bot in bots for line in bot.heard)
