"""A store that does not answer for a while, or refuses something: who has to wait, and who has not."""

import re
import resource
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import attrs
import pytest
import trio
from click.testing import CliRunner

from fibsd.backgammon.board import Board
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import legal_plays
from fibsd.backgammon.side import Side
from fibsd.cli import main
from fibsd.config import Config
from fibsd.protocol.moves import format_play
from fibsd.storage.store import Job
from fibsd.world import play
from fibsd.world.changes import EntryAdded, MatchFinished
from fibsd.world.ids import UserName
from tests.support.client import RAISED, Server, serving
from tests.support.client import Client as MemoryClient
from tests.support.faltering import Faltering
from tests.support.process import CHEAP, Process
from tests.support.replay import read
from tests.support.ring import Client, Closed

LOCKED_S = 10.0
OTHER_TABLES_S = 1.0
"""How long those may wait who have nothing to do with what is not stored."""
NAMES = ("ann", "bob", "cat", "dan", "eve")


# --- the file is locked by another process ---------------------------------------------------------------------


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """One with a database that knows the players."""
    (tmp_path / "cheap.toml").write_text(CHEAP)
    options = ("--config", str(tmp_path / "cheap.toml"), "--database", f"sqlite:///{tmp_path / 'fibsd.db'}")
    for name in NAMES:
        assert CliRunner().invoke(main, ("user", "add", *options, name), input="secret\n").exit_code == 0
    return tmp_path


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Nobody else can write."""
    other = sqlite3.connect(directory / "fibsd.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
    finally:
        other.close()


@attrs.define(eq=False)
class Served:
    """A server process, and who is connected with it."""

    process: Process
    connections: AsyncExitStack

    async def login(self, name: str) -> Client:
        """Log a user in; the connection is closed at the end."""
        stream = await trio.open_tcp_stream(*self.process.addresses[0])
        await self.connections.enter_async_context(stream)
        return await Client(stream).login(name)


@asynccontextmanager
async def _served(directory: Path) -> AsyncIterator[Served]:
    with Process.start(directory, "--database", "sqlite:///fibsd.db") as process:
        async with AsyncExitStack() as connections:
            yield Served(process, connections)


async def _match(one: Client, other: Client, names: tuple[str, str]) -> tuple[Client, Client]:
    """Start a match; gives the client that is to make the first play, and the other one."""
    await other.send("toggle ready")
    await other.until(r"^\*\* You're now ready")
    await one.send(f"invite {names[1]} 3")
    await other.until(rf"^Type 'join {names[0]}' to accept\.\r\n")
    await other.send(f"join {names[0]}")
    board = (await one.until(r"^board:.*\r\n")).splitlines()[-1].split(":")
    await other.until(r"^board:.*\r\n")
    return (one, other) if board[32] == board[41] else (other, one)


async def _first_play(client: Client) -> str:
    """The first legal play of the opening, as a line to be typed."""
    await client.send("board")
    board = (await client.until(r"^board:.*\r\n")).splitlines()[-1].split(":")
    side = Side(int(board[41]))
    view = Board(points=tuple(map(int, board[6:32]))).seen_by(side)
    return "move " + format_play(legal_plays(view, Dice(int(board[33]), int(board[34])))[0], side)


async def _quiet(client: Client, seconds: float) -> None:
    """Nothing comes that tells of the game."""
    with trio.move_on_after(seconds):
        text = await client.until(r"^(board:|\S+ moves |You roll|\S+ rolls).*", timeout_s=seconds + 1)
        raise AssertionError(text)


async def _talk(one: Client, other: Client, names: tuple[str, str], text: str) -> None:
    with trio.fail_after(OTHER_TABLES_S):
        await one.send(f"tell {names[1]} {text}", f"shout {text}", "who", f"whois {names[1]}")
        await one.until(rf"^16 {names[1]} {text}\r\n")
        await one.until(r"^6\r\n")
        await one.until(rf"^Information about {names[1]}:")
        await other.until(rf"^12 {names[0]} {text}\r\n")
        await other.until(rf"^13 {names[0]} {text}\r\n")


@pytest.mark.slow
async def test_database_locked_by_another_process(directory: Path) -> None:
    """Nobody is told of the play before it is stored; talk goes on; then play goes on by itself."""
    async with _served(directory) as served:
        clients = [await served.login(name) for name in NAMES]
        ann, bob, cat, dan, eve = clients
        mover, waiter = await _match(ann, bob, ("ann", "bob"))
        play = await _first_play(mover)
        with _locked(directory):
            await mover.send(play)
            until = trio.current_time() + LOCKED_S
            number = 0
            while trio.current_time() < until:
                await _talk(cat, dan, ("cat", "dan"), f"still here {number}")
                await eve.answers()
                await _quiet(mover, 0.5)
                await _quiet(waiter, 0.5)
                number += 1
        for client in (mover, waiter):
            await client.until(r"^board:.*\r\n", timeout_s=3)
        await waiter.until(r"^It's your turn\. Please roll or double\r\n")
        await waiter.send("roll")
        await mover.until(r"^\S+ rolls .*\r\n")
        assert served.process.terminate() == 0
        # The operator is told once, too.
        (fault,) = served.process.faults
        assert "store unavailable" in fault
        assert "database is locked" in fault


@pytest.mark.slow
async def test_disk_full(directory: Path) -> None:
    """The same as with a lock: files that cannot grow stand in for the disk."""
    async with _served(directory) as served:
        ann, bob, cat, dan, _ = [await served.login(name) for name in NAMES]
        mover, waiter = await _match(ann, bob, ("ann", "bob"))
        play = await _first_play(mover)
        size = (directory / "fibsd.db-wal").stat().st_size
        unlimited = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        await mover.send(play)
        await _quiet(mover, 1.0)
        await _quiet(waiter, 0.1)
        await _talk(cat, dan, ("cat", "dan"), "still here")
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, unlimited)
        for client in (mover, waiter):
            await client.until(r"^board:.*\r\n", timeout_s=3)
        assert served.process.terminate() == 0
        assert served.process.faults == []


@pytest.mark.slow
async def test_login_while_the_database_is_locked(directory: Path) -> None:
    """Who has nothing in the queue can log in: that needs reading only."""
    async with _served(directory) as served:
        ann, bob = await served.login("ann"), await served.login("bob")
        mover, _ = await _match(ann, bob, ("ann", "bob"))
        play = await _first_play(mover)
        with _locked(directory):
            await mover.send(play)
            await trio.sleep(0.2)
            with trio.fail_after(OTHER_TABLES_S):
                cat = await served.login("cat")
            await cat.answers()
            await _quiet(mover, 0.2)


@pytest.mark.slow
async def test_killed_while_the_database_is_locked(directory: Path) -> None:
    """What nobody was told is not there afterwards, and nothing else is lost."""
    async with _served(directory) as served:
        ann, bob = await served.login("ann"), await served.login("bob")
        mover, waiter = await _match(ann, bob, ("ann", "bob"))
        play = await _first_play(mover)
        entries = len(read(directory / "fibsd.db").matches[1].entries)
        with _locked(directory):
            await mover.send(play)
            await _quiet(mover, 1.0)
            served.process.kill()
        for client in (mover, waiter):
            assert not re.search(r"board:|moves", await client.rest())
    assert len(read(directory / "fibsd.db").matches[1].entries) == entries


@pytest.mark.slow
async def test_stopped_while_the_database_is_locked(directory: Path) -> None:
    """It does not wait for ever, and says by its exit status that something is missing."""
    async with _served(directory) as served:
        ann, bob = await served.login("ann"), await served.login("bob")
        mover, waiter = await _match(ann, bob, ("ann", "bob"))
        play = await _first_play(mover)
        with _locked(directory):
            await mover.send(play)
            await _quiet(mover, 0.5)
            with trio.fail_after(30):
                status = await trio.to_thread.run_sync(served.process.terminate)
        assert status == 4
        for client in (mover, waiter):
            with pytest.raises(Closed):
                await client.until(r"^(board:|\S+ moves).*")
    assert served.process.log.read_text().splitlines()[-1] == "The last changes could not be stored."


# --- the store behind its interface ----------------------------------------------------------------------------


async def _two_tables(server: Server, kind: str = "clip") -> list[MemoryClient]:
    """Ann plays bob and cat plays dan; ann and cat are to make the first play, with 3 and 1."""
    clients = await server.online(*NAMES, kind=kind)
    for inviter, joiner in (("ann", "bob"), ("cat", "dan")):
        server.chance.script("3-1")
        server.chance.coins.append(False)
        await clients[NAMES.index(joiner)].send("toggle ready")
        await clients[NAMES.index(inviter)].send(f"invite {joiner} 3")
        await server.settle()
        await clients[NAMES.index(joiner)].send(f"join {inviter}")
        await server.settle()
    for client in clients:
        client.take()
    return clients


def _about_games(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if re.match(r"board:|\S+ moves|You roll|\S+ rolls|It's your turn", line)]


def _complains_of(server: Server, *events: str) -> None:
    """These errors are in the log, and no others."""
    assert [entry["event"] for entry in server.logs if entry["log_level"] == "error"] == list(events)
    server.logs.clear()


async def test_nothing_is_told_while_the_store_is_down(autojump_clock: trio.testing.MockClock) -> None:
    """Neither to the player nor to the opponent nor to a watcher; all of it comes in order afterwards."""
    store = Faltering()
    async with serving(store) as server:
        ann, bob, cat, dan, eve = await _two_tables(server)
        await server.ask(eve, "watch ann")
        store.fall()
        server.chance.script("6-1")
        await ann.send("move 8-5 6-5")
        await server.later(30)
        await bob.send("roll", "kibitz hurry")
        assert _about_games(ann.lines() + bob.lines() + eve.lines()) == []
        await cat.send("tell dan hello", "shout hello")
        await server.settle()
        assert "12 cat hello" in dan.lines()
        store.rise()
        await server.settle()
        lines = [_about_games(client.lines()) for client in (ann, bob, eve)]
        assert [line.split(":")[0] for line in lines[0]] == ["board", "bob rolls 6 and 1.", "board"]
        assert [line.split(":")[0] for line in lines[1]] == [
            "ann moves 8-5 6-5 .",
            "board",
            "It's your turn. Please roll or double",
            "You roll 6 and 1.",
            "board",
        ]
        assert [line.split(":")[0] for line in lines[2]] == [
            "ann moves 8-5 6-5 .",
            "board",
            "bob rolls 6 and 1.",
            "board",
        ]
        _complains_of(server, "store unavailable")


async def test_listings_do_not_wait_for_other_tables(autojump_clock: trio.testing.MockClock) -> None:
    """A question waits for what the same session has just changed, and for nothing else."""
    store = Faltering()
    async with serving(store) as server:
        ann, _, _, _, eve = await _two_tables(server)
        store.fall()
        await ann.send("move 8-5 6-5")
        await server.settle()
        lines = await server.ask(eve, "whois bob", "ratings", "show savedcount dan", "stat")
        assert lines[0] == "Information about bob:"
        assert "dan has no saved games." in lines
        store.rise()


async def test_those_who_wait_are_told_and_not_timed_out(autojump_clock: trio.testing.MockClock) -> None:
    """People at a terminal, once; they are told again when all is well. Programs get nothing new."""
    store = Faltering()
    async with serving(store, Config(limits=attrs.evolve(RAISED, idle_s=60))) as server:
        ann, bob, *_ = await _two_tables(server, kind="telnet")
        store.fall()
        await ann.send("move 8-5 6-5")
        await server.later(10)
        text = ann.take() + bob.take()
        assert text.count(b"The server cannot store anything at the moment.") == 2
        await server.later(100)
        assert {"ann", "bob"} <= set(server.world.users)
        assert "eve" not in server.world.users
        ann.take()
        store.rise()
        await server.later(10)
        assert b"Everything is stored again." in ann.take()
        _complains_of(server, "store unavailable")


async def test_what_is_never_told_is_forgotten(autojump_clock: trio.testing.MockClock) -> None:
    """The last words of a session have a deadline; what still waits then no longer counts against anybody."""
    store = Faltering()
    async with serving(store) as server:
        ann, bob, *_ = await _two_tables(server)
        store.fall()
        await ann.send("move 8-5 6-5")
        await server.settle()
        assert server.engine.backlog.size > 0
        await ann.hang_up()
        await bob.send("bye")
        await server.later(10)
        assert server.engine.backlog.size == 0
        store.rise()
        _complains_of(server, "store unavailable")


async def test_refused_play_is_taken_back(autojump_clock: trio.testing.MockClock) -> None:
    """Both players are told that the game was saved; it goes on from what is stored; other tables notice nothing."""
    store = Faltering()
    async with serving(store) as server:
        ann, bob, cat, dan, _ = await _two_tables(server)
        store.refuses = _is_play_of(1)
        await ann.send("move 8-5 6-5")
        await server.settle()
        assert "Network error with bob. The game was saved." in ann.lines()
        assert "Network error with ann. The game was saved." in bob.lines()
        await cat.send("move 8-5 6-5")
        await server.settle()
        assert "cat moves 8-5 6-5 ." in dan.lines()
        store.refuses = lambda _: False
        await ann.send("invite bob")
        await server.settle()
        lines = await server.ask(bob, "join ann")
        assert "You are now playing with ann. Your running match was loaded." in lines
        lines = await server.ask(ann, "move 8-5 6-5")
        assert any(line.startswith("board:") for line in lines)
        _complains_of(server, "job refused by the store")


async def test_refused_play_leaves_no_gap(autojump_clock: trio.testing.MockClock) -> None:
    """What was entered after it and waited in the same queue is refused too, and the match can be resumed."""
    store = Faltering()
    async with serving(store) as server:
        ann, bob, *_ = await _two_tables(server)
        server.chance.script("6-1")
        store.fall()
        await ann.send("move 8-5 6-5")
        await server.settle()
        await bob.send("roll")
        await server.settle()
        store.refuses = _is_play_of(1)
        store.rise()
        await server.settle()
        assert "Network error with ann. The game was saved." in bob.lines()
        assert [len(row.entries) for row in await store.unfinished(UserName("ann"))] == [1]
        await ann.send("bye")
        await server.settle()
        ann = await server.login("ann")
        await ann.send("invite bob")
        await server.settle()
        assert "You are now playing with ann. Your running match was loaded." in await server.ask(bob, "join ann")
        _complains_of(server, "job refused by the store", "job refused by the store")


async def test_refused_result_is_taken_back(autojump_clock: trio.testing.MockClock) -> None:
    """Ratings and experience too; the match is resumed before its end, and counts once when it ends again."""
    store = Faltering()
    async with serving(store) as server:
        ann, bob = (await server.online("ann", "bob"))[:2]
        await server.ask(bob, "toggle ready")
        await server.ask(ann, "invite bob 1")
        await server.ask(bob, "join ann")
        await server.ask(ann, "resign n")
        store.refuses = lambda job: any(isinstance(change, MatchFinished) for change in job.changes)
        lines = await server.ask(bob, "accept")
        assert "Network error with ann. The game was saved." in lines
        assert not any("wins the 1 point match" in line or "win the 1 point match" in line for line in lines)
        assert "Network error with bob. The game was saved." in ann.lines()
        assert _standing(server) == {"ann": (1500.0, 0), "bob": (1500.0, 0)}
        store.refuses = lambda _: False
        await server.ask(ann, "invite bob")
        assert "You are now playing with ann. Your running match was loaded." in await server.ask(bob, "join ann")
        await server.ask(ann, "resign n")
        assert "You win the 1 point match 1-0 ." in await server.ask(bob, "accept")
        stored = {account.name: (account.rating, account.experience) for account in await store.accounts()}
        assert stored == _standing(server)
        assert sum(rating for rating, _ in _standing(server).values()) == pytest.approx(3000)
        _complains_of(server, "job refused by the store")


def _standing(server: Server) -> dict[str, tuple[float, int]]:
    users = server.world.users.values()
    return {user.name: (user.account.rating, user.account.experience) for user in users}


async def test_command_that_fails_halfway_is_undone(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours ends the session that met it; the match goes on from what is stored, for both."""
    async with serving() as server:
        ann, bob, *_ = await _two_tables(server)

        def fail(*_: object) -> None:
            raise RuntimeError("after the play was entered")

        with monkeypatch.context() as patch:
            patch.setattr(play, "advance", fail)
            await ann.send("move 8-5 6-5")
            await server.settle()
        assert ann.closed
        assert "Network error with ann. The game was saved." in bob.lines()
        ann = await server.login("ann")
        await server.ask(ann, "invite bob")
        await server.ask(bob, "join ann")
        assert any(line.startswith("board:") for line in await server.ask(ann, "move 8-5 6-5"))
        assert "ann moves 8-5 6-5 ." in bob.lines()
        _complains_of(server, "session failed")


def _is_play_of(match: int) -> Callable[[Job], bool]:
    def refuses(job: Job) -> bool:
        return any(
            isinstance(change, EntryAdded) and change.id == match and " m " in change.entry for change in job.changes
        )

    return refuses
