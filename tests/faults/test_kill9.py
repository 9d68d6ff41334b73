"""The server is killed while matches are played: what anybody was told is there after the restart.

`FIBSD_MATCHES` and `FIBSD_KILLS` make it longer. Dice are the server's own, so no two runs are alike.
"""

import contextlib
import os
import random
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
import trio
from click.testing import CliRunner

from fibsd.cli import main
from fibsd.world.changes import MatchRow
from fibsd.world.table import Table
from tests.support.bot import Bot, Character, Lost
from tests.support.process import CHEAP, Process
from tests.support.replay import Stored, expected, read, segments, told

MATCHES = int(os.environ.get("FIBSD_MATCHES", "10"))
KILLS = int(os.environ.get("FIBSD_KILLS", "20"))
SEED = 20_260_101
"""Any will do; it only must not change."""
LAST_ROUND_S = 120.0
"""How long the matches that run after the last kill may take."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 + 12 * KILLS + LAST_ROUND_S)]


@attrs.define(eq=False)
class Pair:
    """Two bots that play with each other."""

    bots: tuple[Bot, Bot]
    # What the store had when the present server started.
    known: tuple[MatchRow, ...] = ()
    # Which matches each bot knows the end of, told at once or by a message later.
    ends: dict[str, set[int]] = attrs.Factory(dict)
    results: dict[int, str] = attrs.Factory(dict)

    async def play(self, address: tuple[str, int]) -> None:
        """Log in and play until the server is gone, or until there is nothing left to play."""
        inviter, joiner = self.bots
        inviter.forget()
        try:
            await joiner.connect(address)
            await inviter.connect(address)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_play, joiner)
                await _play(inviter)
                if not inviter.wanted and not self._unfinished:
                    nursery.cancel_scope.cancel()
        except Lost:
            pass
        finally:
            for bot in self.bots:
                await bot.close()

    @property
    def _unfinished(self) -> bool:
        return any(row.finished is None for row in self.known)

    # --- what must be right ------------------------------------------------------------------------------------

    def check_round(self, stored: Stored) -> int:
        """Compare what both were told with what is stored; how many lines that was."""
        names = {bot.name for bot in self.bots}
        now = tuple(row for row in stored.matches.values() if row.names.o in names)
        assert [row.id for row in now[: len(self.known)]] == [row.id for row in self.known]
        assert all(row.finished for row in now[:-1]), "two matches of one pair are running"
        count = sum(self._check_bot(bot, now) for bot in self.bots)
        self.known = now
        return count

    def _check_bot(self, bot: Bot, now: Sequence[MatchRow]) -> int:
        assert bot.surprises == []
        self._check_saved(bot)
        before = len([row for row in self.known if row.finished])
        count = 0
        for number, piece in enumerate(segments(bot.heard), before):
            assert number < len(now), f"{bot.name} was told of a match that is not stored: {piece[:3]}"
            row = now[number]
            start = len(self.known[number].entries) if number < len(self.known) else 0
            heard, right = told(piece), expected(row, bot.name, start)
            assert heard == right[: len(heard)], f"match {row.id} of {bot.name}: {_difference(heard, right)}"
            count += len(heard)
            if heard and re.match(r"(You win|\S+ wins) the \d+ point match", heard[-1]):
                assert row.finished, f"{bot.name} was told of a result that is not stored: {heard[-1]}"
                self._learns_end(bot, number)
        self._take_messages(bot)
        return count

    def _check_saved(self, bot: Bot) -> None:
        """The inviter found exactly the running match among his saved ones."""
        if bot.saved is not None:
            running = [row for row in self.known if row.finished is None]
            assert len(bot.saved) == len(running), bot.saved

    def _take_messages(self, bot: Bot) -> None:
        """Who was not told the end of a match learns it at his next login."""
        for number, row in enumerate(self.known):
            if row.finished and number not in self.results:
                self.results[number] = _result(row)
        newest = {result: number for number, result in self.results.items()}
        for line in bot.heard:
            if (found := re.match(r"9 fibsd \d+ (.* wins the .*)", line)) is not None:
                self._learns_end(bot, newest[found[1]])

    def _learns_end(self, bot: Bot, number: int) -> None:
        self.ends.setdefault(bot.name, set()).add(number)

    def check_ends(self) -> None:
        """Both know of every finished match."""
        finished = {number for number, row in enumerate(self.known) if row.finished}
        for bot in self.bots:
            assert self.ends.get(bot.name, set()) == finished


def _result(row: MatchRow) -> str:
    match, names = Table.restore(row).match, Table.restore(row).names
    side = match.winner
    assert side is not None
    return f"{names.of(side)} wins the {match.length} point match {match.score.of(side)}-{match.score.of(side.other)} ."


def _difference(heard: Sequence[str], right: Sequence[str]) -> str:
    at = next((n for n, pair in enumerate(zip(heard, right, strict=False)) if pair[0] != pair[1]), len(right))
    return f"told {heard[at : at + 2]} instead of {right[at : at + 2]} as line {at}"


async def _play(bot: Bot) -> None:
    """Play until the end, or read on until nothing more comes from a dead server."""
    with contextlib.suppress(Lost):
        await bot.play()


# --- killing ---------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Executioner:
    """Chooses the moment: some time after the start, or at the very line that tells something."""

    rng: random.Random
    process: Process | None = None
    lines_left: int = 0

    def on_line(self, bot: Bot, line: str) -> None:
        """Kill the server when so many lines that tell something were heard."""
        if self.lines_left and told([line]):
            self.lines_left -= 1
            if self.lines_left == 0 and self.process is not None:
                self.process.kill()

    async def strike(self, process: Process) -> None:
        """Kill the server sooner or later."""
        self.process = process
        if self.rng.random() < 0.6:
            self.lines_left = self.rng.randint(1, 60 * MATCHES)
        with trio.move_on_after(self.rng.uniform(0.05, 2.0) if not self.lines_left else 10.0):
            while process.running:  # noqa: ASYNC110 - it is another process
                await trio.sleep(0.01)
        self.lines_left = 0
        if process.running:
            process.kill()


def _pairs(rng: random.Random) -> list[Pair]:
    pairs = []
    for number in range(MATCHES):
        tag = "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")
        character = Character(pause_s=rng.choice((0.0, 0.002, 0.02)))
        one, other = f"ann_{tag}", f"bob_{tag}"
        pairs.append(
            Pair(
                (
                    Bot(one, other, True, character, random.Random(rng.random())),
                    Bot(other, one, False, character, random.Random(rng.random())),
                )
            )
        )
    return pairs


def _copy(directory: Path) -> Stored:
    """Read what a killed server has left, from a copy: the next server must find it untouched."""
    copy = directory / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for file in directory.glob("fibsd.db*"):
        shutil.copy(file, copy)
    return read(copy / "fibsd.db")


def _check_accounts(stored: Stored) -> None:
    """Each finished match counts once: for both players' experience, and for both ratings alike."""
    experience = dict.fromkeys(stored.accounts, 0)
    for row in stored.matches.values():
        assert stored.histories.get(row.id, 0) == (2 if row.finished else 0)
        if row.finished:
            for name in (row.names.o, row.names.x):
                experience[name] += row.terms.length or 0
    assert {name: account[1] for name, account in stored.accounts.items()} == experience
    assert sum(rating - 1500 for rating, _ in stored.accounts.values()) == pytest.approx(0, abs=1e-6)


@attrs.define
class Tally:
    """What the whole run was; `running` and `resumed` count a match once for each time."""

    kills: int = 0
    running: int = 0
    resumed: int = 0
    lines: int = 0
    finished: int = 0
    slowest_start_s: float = 0.0


async def _one_round(directory: Path, pairs: Sequence[Pair], executioner: Executioner | None, tally: Tally) -> None:
    began = time.monotonic()
    with Process.start(directory, "--database", "sqlite:///fibsd.db") as process:
        tally.slowest_start_s = max(tally.slowest_start_s, time.monotonic() - began)
        async with trio.open_nursery() as nursery:
            for pair in pairs:
                nursery.start_soon(pair.play, process.addresses[0])
            if executioner is not None:
                await executioner.strike(process)
        if executioner is None:
            assert process.terminate() == 0
        assert process.faults == []
    stored = _copy(directory)
    _check_accounts(stored)
    for pair in pairs:
        tally.resumed += any("Your running match was loaded" in line for line in pair.bots[0].heard)
        tally.lines += pair.check_round(stored)
    tally.running += sum(row.finished is None for row in stored.matches.values())
    tally.finished = sum(row.finished is not None for row in stored.matches.values())


async def _play_and_kill(directory: Path, tally: Tally) -> None:
    rng = random.Random(SEED)
    pairs = _pairs(rng)
    executioner = Executioner(rng)
    for pair in pairs:
        for bot in pair.bots:
            bot.on_line = executioner.on_line
    for _ in range(KILLS):
        await _one_round(directory, pairs, executioner, tally)
        tally.kills += 1
    for pair in pairs:
        for bot in pair.bots:
            bot.wanted = 0
    with trio.fail_after(LAST_ROUND_S):
        await _one_round(directory, pairs, None, tally)
    for pair in pairs:
        assert all(row.finished for row in pair.known)
        pair.check_ends()


def test_killed_server_forgets_nothing_it_has_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No roll, play, cube action or result that anybody was told of is missing; all matches go on and end."""
    (tmp_path / "cheap.toml").write_text(CHEAP)
    options = ("--config", str(tmp_path / "cheap.toml"), "--database", f"sqlite:///{tmp_path / 'fibsd.db'}")
    for pair in _pairs(random.Random(SEED)):
        for bot in pair.bots:
            assert CliRunner().invoke(main, ("user", "add", *options, bot.name), input="secret\n").exit_code == 0
    tally = Tally()
    trio.run(_play_and_kill, tmp_path, tally)
    with capsys.disabled():
        print(f"\n{tally}")
