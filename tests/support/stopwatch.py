"""Players who measure how long the server takes to answer a roll or a play.

When an answer came is told by the kernel, not by the clock of a program that may have had to wait for its turn:
a busy machine slows down the players, and that must not be put down to the server.
"""

from __future__ import annotations

import math
import socket
import statistics
import struct
import time
from collections.abc import Sequence

import attrs
import trio

from tests.support.bot import Bot

SO_TIMESTAMPNS = 35
"""Linux: each read tells when its last packet had come, as two 64-bit numbers, seconds and nanoseconds."""
_STAMP = struct.Struct("qq")
_ANSWERS = {"roll": ("You roll ",), "move": ("board:", "You win ")}


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@attrs.define(eq=False)
class TimedBot(Bot):
    """A bot that notes how long it waits.

    Attributes:
        answers_ms: For each answer since they were last taken, milliseconds from the question.
    """

    answers_ms: list[float] = attrs.Factory(list)
    _asked: tuple[float, tuple[str, ...]] | None = None
    _came: float = 0.0

    async def connect(self, address: tuple[str, int]) -> None:
        """See `Bot.connect`."""
        await Bot.connect(self, address)
        assert self._stream is not None
        self._stream.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    async def send(self, line: str) -> None:
        """See `Bot.send`."""
        answers = _ANSWERS.get(line.split()[0])
        if answers is not None:
            self._asked = (time.time(), answers)
        await Bot.send(self, line)

    async def line(self) -> str:
        """See `Bot.line`."""
        line = await Bot.line(self)
        if self._asked is not None and line.startswith(self._asked[1]):
            self.answers_ms.append(1e3 * (self._came - self._asked[0]))
            self._asked = None
        return line

    async def _invite(self) -> None:
        # Short, so that the last one ends soon.
        await self.send(f"invite {self.opponent} 1")

    async def _receive(self) -> bytes:
        assert self._stream is not None
        data, told, _, _ = await self._stream.socket.recvmsg(65536, socket.CMSG_SPACE(_STAMP.size))
        self._came = time.time()
        for level, kind, stamp in told:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = _STAMP.unpack(stamp)
                self._came = seconds + 1e-9 * nanoseconds
        return data

    def take(self) -> list[float]:
        """The answers since this was last called."""
        taken, self.answers_ms = self.answers_ms, []
        return taken


@attrs.define(eq=False)
class Pair:
    """Two bots that play one match after the other until they are told to finish.

    Attributes:
        bots: Who invites, and who joins.
    """

    bots: tuple[TimedBot, TimedBot]
    _ready: trio.Event = attrs.Factory(trio.Event)

    async def log_in(self, address: tuple[str, int]) -> None:
        """Log both in."""
        for bot in self.bots:
            await bot.connect(address)

    async def play(self) -> None:
        """Play until the last match that is wanted has ended, then hang up."""
        inviter, joiner = self.bots
        async with trio.open_nursery() as nursery:
            nursery.start_soon(joiner.play)
            nursery.start_soon(inviter.play)
        for bot in self.bots:
            await bot.close()

    def finish(self) -> None:
        """Go on to the end of the present match, quickly."""
        last = 1 + max(bot.finished for bot in self.bots)
        for bot in self.bots:
            bot.wanted = last
            bot.character = attrs.evolve(bot.character, pause_s=0.0)


@attrs.frozen
class Figures:
    """Answers of one kind of phase: the median, and the median of the phases' 99 % points, in milliseconds."""

    count: int
    p50: float
    p99: float
    longest: float
    """The median of the phases' longest ones."""

    @classmethod
    def of(cls, phases: Sequence[Sequence[float]]) -> Figures:
        """What the phases have measured; one without any answer counts as one that never came."""
        phases = [phase or [math.inf] for phase in phases]
        everything = [value for phase in phases for value in phase]
        return cls(
            len(everything),
            quantile(everything, 0.5),
            statistics.median(quantile(phase, 0.99) for phase in phases),
            statistics.median(map(max, phases)),
        )
