"""A player that logs in by CLIP and plays whole matches, for tests that need a server in use.

It keeps every line it was sent: what the server has told anybody counts as acknowledged.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable

import attrs
import trio

from fibsd.backgammon.board import START, Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.play import Play
from fibsd.backgammon.side import Side
from fibsd.protocol.moves import format_play

PATIENCE_S = 30.0
"""How long a bot waits for the next line while it logs in or plays."""
PASSWORD = "secret"
LENGTHS = (1, 3, 5, 7)

# Lines with stars that refuse nothing a bot does.
_BENIGN = re.compile(
    r"\*\* (You invited|Player \S+ has joined|You are now playing|Player \S+ has left|You're now ready|Please wait"
    r"|User \S+ authenticated|Last login|Warning: You are already|System administrator|All running|It will be back"
    r"|You allow|\S+ is refusing games)"
)
_WON = re.compile(r"(?:You win|\S+ wins) the (\d+) point match +(\d+)-(\d+) \.")


class Lost(Exception):
    """The connection has ended."""


@attrs.frozen(kw_only=True)
class Character:
    """How a bot plays.

    Attributes:
        doubles: Share of its chances to double that it takes.
        drops: Share of doubles it refuses.
        resigns: Share of its plays before which it offers to resign.
        refuses: Share of resignations it refuses.
        noise: Share of its plays that are picked blindly.
        pause_s: Longest time it thinks before it does something.
        sizes: What it offers to lose, each letter with equal chance.
        hasty: Whether it may offer that before anybody has moved.
    """

    doubles: float = 0.15
    drops: float = 0.2
    resigns: float = 0.02
    refuses: float = 0.3
    noise: float = 0.2
    pause_s: float = 0.0
    sizes: str = "nnngb"
    hasty: bool = True


@attrs.define(eq=False)
class Bot:
    """One player. A new connection begins a new `heard`.

    Attributes:
        name: Of its account.
        opponent: With whom it plays.
        inviting: Whether it begins; the other one only joins.
        character: How it plays.
        rng: What it chooses with.
        heard: All lines of this connection, and `> ` before what it sent itself.
        wanted: How many matches it plays on a connection; one that was saved counts, and is played in any case.
        finished: Matches whose end it was told on this connection.
        surprises: Lines it did not expect.
        on_line: Called with each line as soon as it is there.
        board: The fields of the last board.
    """

    name: str
    opponent: str
    inviting: bool
    character: Character
    rng: random.Random
    heard: list[str] = attrs.Factory(list)
    wanted: float = math.inf
    finished: int = 0
    saved: tuple[str, ...] | None = None
    surprises: list[str] = attrs.Factory(list)
    on_line: Callable[[Bot, str], None] | None = None
    board: list[str] | None = None
    _stream: trio.SocketStream | None = None
    _pending: bytes = b""

    # --- connection --------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Begin anew: nothing was heard on a connection yet."""
        self.heard, self.finished, self.saved, self.board, self._pending = [], 0, None, None, b""

    async def connect(self, address: tuple[str, int]) -> None:
        """Connect and log in.

        Raises:
            Lost: The server is gone.
        """
        self.forget()
        try:
            self._stream = await trio.open_tcp_stream(*address)
        except OSError as error:
            raise Lost from error
        await self.send(f"login bot 1008 {self.name} {PASSWORD}")
        ready = False
        while (line := await self.line()) != "6":
            if line.startswith(f"2 {self.name} "):
                ready = line.split()[17] == "1"
        if not ready:
            await self.send("toggle ready")

    async def close(self) -> None:
        """Hang up."""
        if self._stream is not None:
            await self._stream.aclose()

    async def send(self, line: str) -> None:
        """Send a line.

        Raises:
            Lost: The server is gone; what it had sent before can still be read.
        """
        assert self._stream is not None
        self.heard.append(f"> {line}")
        try:
            await self._stream.send_all(f"{line}\r\n".encode())
        except trio.BrokenResourceError:
            await self._drain()
            raise Lost from None

    async def line(self) -> str:
        """The next line, without its end.

        Raises:
            Lost: There will be none.
        """
        while b"\r\n" not in self._pending:
            try:
                with trio.fail_after(PATIENCE_S):
                    data = await self._receive()
            except (OSError, trio.BrokenResourceError):
                data = b""
            if not data:
                raise Lost
            self._pending += data
        raw, _, self._pending = self._pending.partition(b"\r\n")
        line = raw.decode("ascii")
        self.heard.append(line)
        if self.on_line is not None:
            self.on_line(self, line)
        return line

    async def _receive(self) -> bytes:
        assert self._stream is not None
        return bytes(await self._stream.receive_some(65536))

    async def _drain(self) -> None:
        """Take what had arrived before the server was gone."""
        try:
            while True:
                await self.line()
        except Lost:
            pass

    # --- playing -----------------------------------------------------------------------------------------------

    async def play(self) -> None:
        """Play until as many matches are finished as are wanted.

        Raises:
            Lost: The server is gone.
        """
        if self.inviting:
            await self._begin()
        while self.finished < max(1, self.wanted):
            await self._react(await self.line())

    async def _begin(self) -> None:
        """Go on with the saved match, else offer a new one."""
        await self.send("show saved")
        while not (line := await self.line()).startswith(("  opponent ", "no saved games.")):
            pass
        rows = []
        await self.send("version")
        while not line.startswith("** Version "):
            if re.match(r"(\*\*| \*|  )[A-Za-z_]+ +\d+ +\d+ - +\d+$", line):
                rows.append(line)
            line = await self.line()
        self.saved = tuple(rows)
        if any(row[2:].split()[0] == self.opponent for row in rows):
            await self.send(f"invite {self.opponent}")
        elif self.wanted:
            await self._invite()
        else:
            self.finished = 1  # there is nothing left to play

    async def _invite(self) -> None:
        await self.send(f"invite {self.opponent} {self.rng.choice(LENGTHS)}")

    async def _do(self, line: str) -> None:
        if self.character.pause_s:
            await trio.sleep(self.rng.random() * self.character.pause_s)
        await self.send(line)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    async def _react(self, line: str) -> None:
        other = self.opponent
        if line.startswith("board:"):
            self.board = line.split(":")
            await self._move(self.character.resigns)
        elif line.startswith(f"Type 'join {other}'"):
            await self.send(f"join {other}")
        elif line.startswith("It's your turn to roll or double") or line.startswith("It's your turn. Please roll"):
            await self._do("double" if self._chance(self.character.doubles) else "roll")
        elif line == f"{other} doubles. Type 'accept' or 'reject'.":
            await self._do("reject" if self._chance(self.character.drops) else "accept")
        elif line.startswith(f"{other} wants to resign."):
            await self._do("reject" if self._chance(self.character.refuses) else "accept")
        elif line == f"{other} rejects. The game continues.":
            await self._move(0.0)
        elif line.startswith("Type 'join' if you want"):
            await self._do("join")
        elif _WON.match(line):
            self.finished += 1
            if self.inviting and self.finished < self.wanted:
                await self._invite()
        elif line.startswith("** ") and not _BENIGN.match(line):
            self.surprises.append(f"{line} after {self.heard[-8:]}")

    async def _move(self, resigns: float) -> None:
        """Make a play if the last board asks for one, or offer to resign."""
        fields = self.board
        if fields is None or fields[32] != fields[41] or fields[33] == "0" or fields[49] == "0":
            return
        side = Side(int(fields[41]))
        board = Board(points=tuple(map(int, fields[6:32])))
        if (self.character.hasty or board != START) and self._chance(resigns):
            await self._do(f"resign {self.rng.choice(self.character.sizes)}")
            return
        view = board.seen_by(side)
        plays = legal_plays(view, Dice(int(fields[33]), int(fields[34])))
        if self._chance(self.character.noise):
            play = self.rng.choice(plays)
        else:
            play = max(plays, key=lambda play: _worth(view, play))
        await self._do(f"move {format_play(play, side)}")


def _worth(view: tuple[int, ...], play: Play) -> int:
    """A crude opinion, so that games end: hit, make points, leave no blots."""
    after = Board(points=view).after(Side.O, play).points
    own = after[1:25]
    return sum(n > 1 for n in own) - sum(n == 1 for n in own) - 3 * after[0] - sum(own)
