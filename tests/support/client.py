"""A whole server in memory, and clients that talk to it over streams: the ring of tests around sessions.

Time stands still for the server unless a test lets some pass, so that every number it sends is known beforehand.
Trio's own clock is a `MockClock` that jumps: nothing here really waits.
"""

from __future__ import annotations

import random
import traceback
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from copy import deepcopy
from typing import Any

import attrs
import structlog
import trio
import trio.testing

from fibsd.backgammon.board import Board
from fibsd.backgammon.cube import Cube
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.game import Game, Phase
from fibsd.backgammon.movegen import playable
from fibsd.backgammon.side import BySide, Side
from fibsd.config import Config, Limits
from fibsd.observe.log import with_speaker
from fibsd.server.app import SWEEP_S, App
from fibsd.server.engine import Engine
from fibsd.server.room import TICK_S
from fibsd.session.transport import StreamTransport
from fibsd.storage.memory import MemoryStore
from fibsd.world.account import Account, Settings
from fibsd.world.changes import AccountCreated
from fibsd.world.ids import UserName
from fibsd.world.table import Table
from fibsd.world.world import World

START = 1_593_792_267.0
"""Fri Jul  3 16:04:27 2020 UTC."""
PASSWORD = "secret"
PEER = "192.0.2.7"
PATIENCE_S = 30.0
MEMORY_BYTES = 58_000_000
STEP_S = TICK_S * 1.5
"""Seconds that pass while everything settles that happens by itself."""
RAISED = Limits(
    connections_per_address=10_000,
    registrations_per_hour=1_000_000,
    commands_per_s=1e6,
    commands_burst=1_000_000,
    flood_lines=1_000_000,
    shouts_per_minute=1_000_000,
    messages_per_minute=1_000_000,
    invitations_per_minute=1_000_000,
    free_login_failures=1_000_000,
)
"""Limits that no test reaches unless it is about them."""
DEFAULT_SETTINGS = Settings()
DEFAULT_CONFIG = Config(limits=RAISED)


class PlainPasswords:
    """Hashes that hide nothing and are made at once.

    Attributes:
        hold: While set, every check waits for it: a login that takes its time.
        codes: How many recovery codes were made.
    """

    def __init__(self) -> None:
        self.hold: trio.Event | None = None
        self.codes = 0

    async def verify(self, password_hash: str, password: str) -> bool:
        """Whether the password fits, whatever word stands before it."""
        await self._wait()
        return password_hash.partition(":")[2] == password

    async def hash(self, password: str) -> str:
        """The password behind a word."""
        await self._wait()
        return f"plain:{password}"

    def outdated(self, password_hash: str) -> bool:
        """Whether it was made in another way."""
        return not password_hash.startswith("plain:")

    def new_code(self) -> str:
        """CODE-0001, CODE-0002 and so on."""
        self.codes += 1
        return f"CODE-{self.codes:04}"

    async def _wait(self) -> None:
        await trio.lowlevel.checkpoint()
        if self.hold is not None:
            await self.hold.wait()


class ScriptedChance:
    """Dice and coins in a given order, then those of a seeded generator (seed 1: any will do, it only must not change).

    Attributes:
        dice: Rolls to come. An opening roll is O's die and X's die.
        coins: Draws to come: True gives the inviter X.
    """

    def __init__(self) -> None:
        self.dice: deque[Dice] = deque()
        self.coins: deque[bool] = deque()
        self._generator = random.Random(1)

    def roll(self) -> Dice:
        """The next roll."""
        if self.dice:
            return self.dice.popleft()
        return Dice(self._generator.randint(1, 6), self._generator.randint(1, 6))

    def coin(self) -> bool:
        """The next draw; the inviter is O if nothing was scripted."""
        return self.coins.popleft() if self.coins else False

    def script(self, text: str) -> None:
        """Add rolls such as `6-3 1-1`."""
        self.dice.extend(Dice(int(roll[0]), int(roll[2])) for roll in text.split())


@attrs.define(eq=False)
class Clock:
    """The server's time of day, which stands still until it is moved."""

    at: float = START

    def now(self) -> float:
        """Unix seconds."""
        return self.at


@attrs.define(eq=False)
class Client:
    """The far end of one connection.

    Attributes:
        stream: What it sends and receives on.
        received: Bytes that were received and not yet taken.
        closed: Whether the server has closed the connection.
    """

    stream: trio.StapledStream
    received: bytearray = attrs.Factory(bytearray)
    closed: bool = False
    _more: trio.Event = attrs.Factory(trio.Event)

    async def read(self) -> None:
        """Collect what the server sends until it closes."""
        try:
            async for data in self.stream:
                self.received += data
                self._wake()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        self._more.set()
        self._more = trio.Event()

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are, in one packet."""
        await self.stream.send_all(data)

    async def send(self, *lines: str) -> None:
        """Send lines in one packet."""
        await self.send_bytes("".join(line + "\r\n" for line in lines).encode())

    async def hang_up(self) -> None:
        """Close the connection without a word."""
        await self.stream.aclose()

    async def send_eof(self) -> None:
        """Say that nothing more will be sent, and go on reading."""
        await self.stream.send_stream.aclose()

    def take(self) -> bytes:
        """All bytes received since the last taking."""
        data = bytes(self.received)
        self.received.clear()
        return data

    def lines(self) -> list[str]:
        """The complete lines received since the last taking; what has no line end yet stays."""
        whole, end, rest = bytes(self.received).rpartition(b"\r\n")
        if not end:
            return []
        self.received[:] = rest
        return whole.decode().split("\r\n")

    async def expect(self, text: str) -> str:
        """Take lines up to one that begins with this text, and give that line; a `TooSlowError` if none comes."""
        with trio.fail_after(PATIENCE_S):
            while True:
                more = self._more
                head, end, rest = bytes(self.received).partition(b"\r\n")
                if end:
                    self.received[:] = rest
                    line = head.decode()
                    if line.startswith(text):
                        return line
                elif self.closed:
                    raise EOFError(f"no line began with {text!r}")
                else:
                    await more.wait()

    async def wait_closed(self) -> None:
        """Wait until the server closes the connection."""
        with trio.fail_after(PATIENCE_S):
            while not self.closed:
                await self._more.wait()


@attrs.define(eq=False)
class Server:
    """A running server and what a test may turn in it."""

    app: App
    store: MemoryStore
    passwords: PlainPasswords
    chance: ScriptedChance
    clock: Clock
    nursery: trio.Nursery
    logs: list[MutableMapping[str, Any]]

    @property
    def engine(self) -> Engine:
        """The middle of the server."""
        return self.app.engine

    @property
    def world(self) -> World:
        """Its state."""
        return self.app.engine.world

    async def user(
        self,
        name: str,
        *,
        rating: float = 1500.0,
        experience: int = 0,
        settings: Settings = DEFAULT_SETTINGS,
        rights: frozenset[str] = frozenset(),
    ) -> None:
        """Create an account with the password of all test users."""
        account = Account(
            name=UserName(name),
            password_hash=f"plain:{PASSWORD}",
            rating=rating,
            experience=experience,
            created=self.clock.at,
            settings=settings,
            rights=rights,
        )
        assert await self.engine.store_now(AccountCreated(account=account))

    def connect(self, peer: str = PEER) -> Client:
        """Open a connection; the banner comes by itself."""
        ours, theirs = trio.testing.memory_stream_pair()
        client = Client(ours)
        self.nursery.start_soon(client.read)
        self.app.serve(StreamTransport(theirs), peer)
        return client

    async def login(self, name: str, kind: str = "clip", peer: str = PEER) -> Client:
        """A client that is logged in and has read all that a login sends."""
        client = self.connect(peer)
        if kind == "clip":
            await client.send(f"login tester 1008 {name} {PASSWORD}")
        elif kind == "connect":
            await client.send(f"connect {name} {PASSWORD}")
        else:
            await client.send(name, PASSWORD)
        await self.settle()
        assert name in self.world.users, f"{name} could not log in"
        client.take()
        return client

    async def online(self, *names: str, kind: str = "clip") -> list[Client]:
        """New users, logged in, who have heard of each other."""
        for name in names:
            await self.user(name)
        clients = [await self.login(name, kind) for name in names]
        for client in clients:
            client.take()
        return clients

    async def settle(self) -> None:
        """Let everything happen that happens by itself, news for the room included."""
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(STEP_S)
        await trio.testing.wait_all_tasks_blocked()

    async def passes(self, seconds: float) -> None:
        """Let time pass on all clocks, that of the day and those of the players."""
        self.clock.at += seconds
        await trio.sleep(seconds)
        await trio.testing.wait_all_tasks_blocked()

    async def later(self, seconds: float) -> None:
        """Let time pass, and with it whatever the server does from time to time."""
        self.clock.at += seconds
        await trio.sleep(SWEEP_S * 1.5)
        await self.settle()

    async def ask(self, client: Client, *lines: str) -> list[str]:
        """Send lines, let everything settle, and take what this client was sent."""
        await client.send(*lines)
        await self.settle()
        return client.lines()

    # --- tables ------------------------------------------------------------------------------------------------

    def table_of(self, name: str) -> Table:
        """The match that a user plays."""
        table = self.world.player(UserName(name)).table
        assert table is not None, f"{name} does not play"
        return self.world.tables[table]

    def put(
        self,
        name: str,
        points: str | Iterable[int],
        *,
        dice: str | None = None,
        cube: int = 1,
        owner: str | None = None,
        score: tuple[int, int] | None = None,
    ) -> Table:
        """Set the position of a user's game; he is to roll, or to play the dice.

        Args:
            name: Who is on turn.
            points: The 26 numbers of a board line, index 0 X's bar, positive O; also as a text with colons.
            dice: A roll such as `6-3` that he has made.
            cube: Its value.
            owner: Who owns it, None for nobody.
            score: His points and his opponent's.
        """
        table = self.table_of(name)
        side = table.side_of(UserName(name))
        numbers = tuple(map(int, points.split(":"))) if isinstance(points, str) else tuple(points)
        game = attrs.evolve(
            table.match.game,
            board=Board(points=numbers),
            turn=side,
            phase=Phase.ROLL,
            dice=None,
            playable=0,
            cube=Cube(value=cube, owner=None if owner is None else table.side_of(UserName(owner))),
        )
        table.match = attrs.evolve(table.match, game=game)
        if score is not None:
            own, other = score
            table.match = attrs.evolve(table.match, score=BySide.both(own).put(side.other, other))
        if dice is not None:
            table.match = attrs.evolve(table.match, game=_with_dice(table, side, Dice(int(dice[0]), int(dice[2]))))
        return table


def _with_dice(table: Table, side: Side, dice: Dice) -> Game:
    game = table.match.game
    count = playable(game.board.seen_by(side), dice)
    return attrs.evolve(game, phase=Phase.MOVE, dice=dice, playable=count)


@contextmanager
def captured_logs() -> Iterator[list[MutableMapping[str, Any]]]:
    """What the server logs meanwhile, with the traceback of each fault, instead of writing it."""
    logs: list[MutableMapping[str, Any]] = []

    def keep(_: object, level: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        entry["log_level"] = "error" if level == "exception" else level
        if entry.pop("exc_info", None):
            entry["traceback"] = traceback.format_exc()
        logs.append(entry)
        raise structlog.DropEvent

    before = structlog.get_config()["processors"]
    structlog.configure(processors=[with_speaker, keep])
    try:
        yield logs
    finally:
        structlog.configure(processors=before)


@asynccontextmanager
async def serving(
    store: MemoryStore | None = None,
    config: Config = DEFAULT_CONFIG,
    clock: Clock | None = None,
    chance: ScriptedChance | None = None,
    faults: tuple[str, ...] = (),
) -> AsyncIterator[Server]:
    """A server for the time of the block; it fails the test if the server has logged another error than `faults`."""
    store = MemoryStore() if store is None else store
    passwords = PlainPasswords()
    clock = Clock() if clock is None else clock
    chance = ScriptedChance() if chance is None else chance
    app = App(
        config=config, store=store, passwords=passwords, chance=chance, now=clock.now, memory_bytes=lambda: MEMORY_BYTES
    )
    failure: Exception | None = None
    with captured_logs() as logs:
        async with trio.open_nursery() as nursery:
            await nursery.start(app.run, [])
            try:
                yield Server(app, store, passwords, chance, clock, nursery, logs)
            except Exception as error:
                # Raised again outside the nursery, or it would come wrapped in a group.
                failure = error
            nursery.cancel_scope.cancel()
    errors = [entry for entry in logs if entry["log_level"] in ("error", "critical") and entry["event"] not in faults]
    if failure is not None:
        if errors:
            traces = [str(entry.get("traceback", entry)) for entry in errors]
            failure.add_note("\n".join(["the server logged:", *traces]))
        raise failure
    assert errors == [], "the server logged a fault of its own"


def restarted(store: MemoryStore) -> MemoryStore:
    """A store with the same content that another server may start with."""
    copy = MemoryStore()
    for field in attrs.fields(MemoryStore):
        value = getattr(store, field.name)
        if isinstance(value, dict | list):
            setattr(copy, field.name, deepcopy(value))
    return copy


def run(test: Callable[..., object], *args: object) -> None:
    """Run an async function on a clock that jumps."""
    trio.run(test, *args, clock=trio.testing.MockClock(autojump_threshold=0))


def without(lines: Iterable[str], *starts: str) -> Iterator[str]:
    """The lines that begin with none of these."""
    return (line for line in lines if not line.startswith(starts))
