"""The writer's thread: batches, refusals, and a store that is not available for a while."""

import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from fibsd.backgammon.side import BySide
from fibsd.storage import sqlite, writer
from fibsd.storage.sql import SqlStore, open_store
from fibsd.storage.store import Job, Outcome
from fibsd.storage.writer import Unavailable, Writer
from fibsd.world.changes import AccountCreated, LoggedOut, PasswordChanged
from fibsd.world.ids import UserName

from . import samples
from .samples import ANN, BOB, EVE, Caller

PATIENCE_S = 1.5
"""How long a test waits for what should come at once."""


async def until(true: Callable[[], bool]) -> None:
    with trio.fail_after(PATIENCE_S):
        while not true():  # noqa: ASYNC110 - a thread that retries has no event to tell
            await trio.sleep(0.002)


@attrs.define
class FakeSink:
    """Keeps the numbers of each batch; one answer of the script is used for each call."""

    script: list[Exception | None] = attrs.field(factory=list)
    calls: list[list[int]] = attrs.field(factory=list)
    entered: threading.Event = attrs.field(factory=threading.Event)
    may_go: threading.Event = attrs.field(factory=threading.Event)
    rests: int = 0
    closed: bool = False

    def rest(self) -> None:
        """Count it."""
        self.rests += 1

    def write(self, jobs: Sequence[Job]) -> None:
        """Note the batch, wait for leave, and do as the script says."""
        self.calls.append([job.number for job in jobs])
        self.entered.set()
        assert self.may_go.wait(PATIENCE_S)
        if self.script and (answer := self.script.pop(0)) is not None:
            raise answer

    def close(self) -> None:
        """Note it."""
        self.closed = True


@attrs.define
class Bench:
    """A writer with a fake sink, and what it told."""

    sink: FakeSink = attrs.field(factory=FakeSink)
    told: list[list[Outcome]] = attrs.field(factory=list)
    writer: Writer = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Start."""
        self.writer = Writer(self.sink)
        self.writer.start(lambda outcomes: self.told.append(list(outcomes)))

    def submit(self, first: int, last: int) -> None:
        """Submit jobs of these numbers."""
        for number in range(first, last + 1):
            self.writer.submit(Job(number=number, changes=(PasswordChanged(name=ANN, password_hash="hash"),)))

    def submit_leisurely(self, *numbers: int) -> None:
        """Submit jobs of which nobody is told."""
        for number in numbers:
            self.writer.submit(Job(number=number, changes=(LoggedOut(name=ANN, at=1.0),)))

    async def one_in_work(self) -> None:
        """Submit job 1 and see it in the sink, so that the next ones wait together."""
        self.submit(1, 1)
        await trio.to_thread.run_sync(self.sink.entered.wait, PATIENCE_S)

    async def finish(self) -> list[list[tuple[int, bool]]]:
        """Let the sink go, close, and give (number, stored) of each delivery."""
        self.sink.may_go.set()
        assert await self.writer.close(PATIENCE_S)
        assert self.sink.closed
        return [[(outcome.number, outcome.error is None) for outcome in outcomes] for outcomes in self.told]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FIRST_DELAY_S", 0.005)


async def test_all_that_wait_share_one_batch() -> None:
    """And one call tells of them all."""
    bench = Bench()
    await bench.one_in_work()
    bench.submit(2, 6)
    assert await bench.finish() == [[(1, True)], [(number, True) for number in range(2, 7)]]
    assert bench.sink.calls == [[1], [2, 3, 4, 5, 6]]


def test_the_more_come_the_longer_they_are_gathered():
    """Whoever plays alone waits for nobody, and nobody waits for long."""
    times = [writer.gather_s(before) for before in range(100)]
    assert times == sorted(times)
    assert set(times[: writer.BUSY_BATCH]) == {0.0}
    assert (times[writer.BUSY_BATCH], times[-1]) == (0.001, 0.002)


async def test_while_many_come_the_next_ones_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes soon after the first of them still belongs to its commit."""
    monkeypatch.setattr(writer, "GATHER_S", 0.2)
    bench = Bench()
    await bench.one_in_work()
    many = 1 + writer.BUSY_BATCH
    bench.submit(2, many)
    bench.sink.may_go.set()
    await until(lambda: len(bench.told) == 2)
    bench.submit(many + 1, many + 1)
    await trio.sleep(0.02)
    bench.submit(many + 2, many + 2)
    await until(lambda: len(bench.told) == 3)
    assert bench.sink.calls == [[1], [*range(2, many + 1)], [many + 1, many + 2]]
    await bench.finish()


async def test_jobs_of_which_nobody_is_told_share_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes when the first of them has lain for a while."""
    monkeypatch.setattr(writer, "LEISURE_S", 0.2)
    bench = Bench()
    bench.sink.may_go.set()
    began = time.monotonic()
    for number in (1, 2, 3):
        bench.submit_leisurely(number)
        await trio.sleep(0.02)
    assert bench.sink.calls == []
    await until(lambda: len(bench.told) == 1)
    assert time.monotonic() - began >= 0.2
    assert bench.sink.calls == [[1, 2, 3]]
    await bench.finish()


async def test_a_job_that_is_told_takes_them_along_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, and so does the end."""
    monkeypatch.setattr(writer, "LEISURE_S", 10 * PATIENCE_S)
    bench = Bench()
    bench.sink.may_go.set()
    bench.submit_leisurely(1, 2)
    bench.submit(3, 3)
    await until(lambda: len(bench.told) == 1)
    bench.submit_leisurely(4)
    assert await bench.finish() == [[(number, True) for number in (1, 2, 3)], [(4, True)]]


async def test_who_comes_alone_is_not_made_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is gathered after a small commit."""
    monkeypatch.setattr(writer, "GATHER_S", 2 * PATIENCE_S)
    bench = Bench()
    bench.sink.may_go.set()
    for number in range(1, 4):
        bench.submit(number, number)
        await until(lambda number=number: len(bench.told) == number)
    assert bench.sink.calls == [[1], [2], [3]]
    await bench.finish()


async def test_whoever_asks_hears_at_once_what_is_stored() -> None:
    """Without a turn of the loop, which then tells it no second time."""
    bench = Bench()
    bench.writer.catch_up()
    await bench.one_in_work()
    bench.sink.may_go.set()
    give_up = time.monotonic() + PATIENCE_S
    while not bench.told and time.monotonic() < give_up:
        time.sleep(0.002)  # noqa: ASYNC251 - the loop must not come round
        bench.writer.catch_up()
    assert bench.told == [[Outcome(number=1)]]
    assert await bench.finish() == [[(1, True)]]


async def test_batch_has_a_limit() -> None:
    """What is more goes into the next one."""
    bench = Bench()
    await bench.one_in_work()
    bench.submit(2, writer.MAX_BATCH + 4)
    told = await bench.finish()
    assert [len(batch) for batch in told] == [1, writer.MAX_BATCH, 3]
    assert [number for batch in told for number, _ in batch] == list(range(1, writer.MAX_BATCH + 5))


async def test_bad_job_fails_alone() -> None:
    """The jobs of a refused batch are tried one by one."""
    bench = Bench()
    bench.sink.script = [None, ValueError("batch"), None, ValueError("third"), None]
    await bench.one_in_work()
    bench.submit(2, 4)
    assert await bench.finish() == [[(1, True)], [(2, True)], [(3, False)], [(4, True)]]
    assert bench.sink.calls == [[1], [2, 3, 4], [2], [3], [4]]
    assert str(bench.told[2][0].error) == "job 3 (PasswordChanged) refused: third"


async def test_unavailable_store_gets_the_same_batch_again() -> None:
    """As often as needed, with what came later behind it."""
    bench = Bench()
    bench.sink.script = [Unavailable("full"), Unavailable("full"), None, None]
    await bench.one_in_work()
    bench.submit(2, 3)
    assert await bench.finish() == [[(1, True)], [(2, True), (3, True)]]
    assert bench.sink.calls == [[1], [1], [1], [2, 3]]


async def test_store_goes_away_between_the_jobs_of_a_refused_batch() -> None:
    """What was stored is told and not written again."""
    bench = Bench()
    refused, third, full = ValueError("batch"), ValueError("third"), Unavailable("full")
    bench.sink.script = [None, refused, None, full, third, None]
    await bench.one_in_work()
    bench.submit(2, 4)
    assert await bench.finish() == [[(1, True)], [(2, True)], [(3, False)], [(4, True)]]
    assert bench.sink.calls == [[1], [2, 3, 4], [2], [3], [3], [4]]


async def test_slow_disk_counts_as_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """An attempt that does not come back is as bad as one that fails."""
    bench = Bench()
    await bench.one_in_work()
    assert bench.writer.waiting_s() == 0.0
    assert bench.writer.trouble() is None
    monkeypatch.setattr(writer, "STALL_S", 0.0)
    assert bench.writer.waiting_s() > 0.0
    assert bench.writer.trouble() == "the store does not answer"
    await bench.finish()
    assert bench.writer.waiting_s() == 0.0


async def test_sink_mends_itself_while_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Again and again, and not while it writes."""
    monkeypatch.setattr(writer, "REST_S", 0.005)
    bench = Bench()
    await until(lambda: bench.sink.rests > 2)
    await bench.one_in_work()
    rests = bench.sink.rests
    bench.submit(2, 3)
    assert bench.sink.rests == rests
    assert await bench.finish() == [[(1, True)], [(2, True), (3, True)]]
    assert bench.writer.waiting_s() == 0.0


async def test_sink_that_takes_long_to_mend_is_in_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that comes meanwhile must wait for it."""
    monkeypatch.setattr(writer, "REST_S", 0.005)
    monkeypatch.setattr(writer, "STALL_S", 0.0)
    bench = Bench()
    monkeypatch.setattr(FakeSink, "rest", lambda self: self.may_go.wait(PATIENCE_S))
    await until(lambda: bench.writer.trouble() == "the store does not answer")
    bench.submit(1, 1)
    assert await bench.finish() == [[(1, True)]]


async def test_close_gives_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sink that hangs does not hang the server."""
    monkeypatch.setattr(writer, "GRACE_S", 0.05)
    bench = Bench()
    await bench.one_in_work()
    bench.submit(2, 2)
    assert not await bench.writer.close(0.05)
    assert bench.writer.running
    bench.sink.may_go.set()
    # The job in work was stored after all, but job 2 was not begun.
    assert not await bench.writer.close(PATIENCE_S)
    assert not bench.writer.running
    assert bench.sink.calls == [[1]]


def test_thread_ends_when_trio_does() -> None:
    """A server that fell over leaves no traceback of the writer behind."""
    benches: list[Bench] = []

    async def fall_over() -> None:
        benches.append(Bench())
        await benches[0].one_in_work()

    trio.run(fall_over)
    (bench,) = benches
    bench.sink.may_go.set()
    thread = bench.writer._thread
    assert thread is not None
    thread.join(PATIENCE_S)
    assert bench.sink.closed


@attrs.define
class Disk:
    """A store in a file, and a second program that may lock it."""

    path: Path
    caller: Caller
    other: sqlite3.Connection

    @property
    def store(self) -> SqlStore:
        """The store."""
        assert isinstance(self.caller.store, SqlStore)
        return self.caller.store

    async def in_trouble(self) -> None:
        """Wait until the store says so."""
        await until(lambda: self.store.waiting_s() > 0.0)


@pytest.fixture
async def disk(tmp_path: Path) -> AsyncIterator[Disk]:
    """Ann, bob and a match of theirs."""
    path = tmp_path / "fibsd.db"
    caller = Caller(open_store(f"sqlite:///{path}")).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1))
    other = sqlite3.connect(path, isolation_level=None)
    yield Disk(path, caller, other)
    other.close()
    await caller.store.close(PATIENCE_S)


async def test_lock_of_another_program_only_delays(disk: Disk) -> None:
    """Nothing is refused, reading goes on, and the outcomes come in order after the lock is gone."""
    caller = disk.caller
    disk.other.execute("BEGIN IMMEDIATE")
    first = caller.submit(samples.added(1, 0))
    await disk.in_trouble()
    assert "locked" in (caller.store.trouble() or "")
    caller.submit(samples.added(1, 1))
    caller.submit(samples.added(1, 1, "duplicate"))
    last = caller.submit(samples.added(1, 2))
    assert (await caller.store.counts()).saved_matches == 1
    assert len(caller.told) == first - 1
    disk.other.execute("COMMIT")
    with trio.fail_after(PATIENCE_S):
        await caller.outcome(last)
    assert caller.store.waiting_s() == 0.0
    assert caller.store.trouble() is None
    assert [outcome.number for outcome in caller.told] == list(range(1, last + 1))
    assert [outcome.error is None for outcome in caller.told[first - 1 :]] == [True, True, False, True]
    (row,) = await caller.store.unfinished(ANN)
    assert row.entries == ("O r 6 3",) * 3


async def test_close_gives_up_on_a_locked_database(disk: Disk) -> None:
    """In bounded time; what was told is there afterwards, what was not is not."""
    disk.other.execute("BEGIN IMMEDIATE")
    number = disk.caller.submit(samples.added(1, 0))
    await disk.in_trouble()
    with trio.fail_after(PATIENCE_S):
        assert not await disk.store.close(0.05)
    assert "locked" in (disk.store.trouble() or "")
    disk.other.execute("COMMIT")
    assert len(disk.caller.told) == number - 1
    again = open_store(f"sqlite:///{disk.path}", serve=True)
    (row,) = await again.unfinished(ANN)
    assert row.entries == ()
    await again.close(PATIENCE_S)


async def test_close_writes_what_is_queued(disk: Disk) -> None:
    """And tells of it before it returns."""
    last = [disk.caller.submit(samples.added(1, seq)) for seq in range(300)][-1]
    assert await disk.store.close(PATIENCE_S)
    assert len(disk.caller.told) == last
    assert all(outcome.error is None for outcome in disk.caller.told)


async def test_many_jobs_share_few_commits(disk: Disk) -> None:
    """The one in work, then all others together."""
    disk.other.execute("BEGIN IMMEDIATE")
    disk.caller.submit(samples.added(1, 0))
    await disk.in_trouble()
    last = [disk.caller.submit(samples.added(1, seq)) for seq in range(1, 200)][-1]
    disk.other.execute("COMMIT")
    await disk.caller.outcome(last)
    assert disk.caller.batches[-2:] == [1, 199]


async def test_one_batch_of_every_order(disk: Disk) -> None:
    """Jobs that build on each other fit into one commit; the later one of two results stays."""
    caller = disk.caller
    disk.other.execute("BEGIN IMMEDIATE")
    caller.submit(samples.added(1, 0))
    await disk.in_trouble()
    first = samples.rated(winner=BOB, loser=ANN)
    second = attrs.evolve(first, winner=attrs.evolve(first.winner, rating_after=1777.0))
    caller.submit(samples.finished(1, rating=first))
    caller.submit(AccountCreated(account=samples.account(EVE)))
    caller.submit(samples.started(2))
    caller.submit(samples.added(2, 0, at=44.0))
    caller.submit(samples.finished(2, rating=second))
    caller.submit(samples.started(3, BySide(o=EVE, x=BOB)))
    caller.submit(samples.added(3, 0, at=33.0))
    last = caller.submit(samples.finished(3, BySide(o=EVE, x=BOB)))
    disk.other.execute("COMMIT")
    await caller.outcome(last)
    assert [outcome.error for outcome in caller.told] == [None] * last
    assert caller.batches[-1] == 8
    bob = await caller.store.account("bob")
    assert bob is not None
    assert bob.rating == 1777.0
    row = await caller.store.last_match(BOB)
    assert row is not None
    assert (row.id, row.touched) == (2, 44.0)


class Limited(sqlite3.Connection):
    """A connection to a disk that is full until there is room.

    The thread that writes makes the room itself: the driver takes an error for a success if another thread uses the
    connection while it looks.
    """

    room = threading.Event()

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        """See `sqlite3.Connection`; each batch asks for one first."""
        if self.room.is_set():
            super().cursor().execute("PRAGMA max_page_count=1000000")
        return super().cursor(*args, **kwargs)


async def test_full_disk_only_delays(tmp_path: Path) -> None:
    """When there is room again, everything is stored."""
    path = tmp_path / "fibsd.db"
    await open_store(f"sqlite:///{path}").close(0.0)
    Limited.room.clear()

    def limited() -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None, factory=Limited)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages + 2}")
        return connection

    store = SqlStore(sqlite.SqliteDatabase(path), Writer(sqlite.SqliteSink(path, limited)), None)
    caller = Caller(store).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1))
    first = caller.submit(samples.added(1, 0, "x" * 20_000))
    await until(lambda: store.waiting_s() > 0.0)
    last = caller.submit(samples.added(1, 1))
    assert "full" in (store.trouble() or "")
    assert len(await store.unfinished(ANN)) == 1
    Limited.room.set()
    with trio.fail_after(PATIENCE_S):
        await caller.outcome(last)
    assert [outcome.error for outcome in caller.told[first - 1 :]] == [None, None]
    (row,) = await store.unfinished(ANN)
    assert [len(entry) for entry in row.entries] == [20_000, 7]
    assert await store.close(PATIENCE_S)


async def test_file_that_is_moved_away_only_delays(disk: Disk) -> None:
    """Writing on would be for nobody; when the file is back, all is well."""
    away = disk.path.with_name("away")
    disk.path.rename(away)
    number = disk.caller.submit(samples.added(1, 0))
    await disk.in_trouble()
    assert "No such file" in (disk.store.trouble() or "")
    disk.path.write_bytes(b"")
    await until(lambda: "not the file" in (disk.store.trouble() or ""))
    away.rename(disk.path)
    with trio.fail_after(PATIENCE_S):
        assert (await disk.caller.outcome(number)).error is None


@pytest.mark.parametrize("entry", ["\ud800", 2**70], ids=["surrogate", "too big"])
async def test_value_that_the_driver_refuses_is_a_bad_job(disk: Disk, entry: str) -> None:
    """Not a reason to try again."""
    await disk.caller.refused(samples.added(1, 0, entry))
    await disk.caller.run(samples.added(1, 0))


async def test_rollback_that_fails_costs_the_connection(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next attempt opens another."""

    class Broken(sqlite3.Connection):
        def rollback(self) -> None:
            raise sqlite3.OperationalError("disk I/O error")

    opened: list[sqlite3.Connection] = []

    def open_connection() -> sqlite3.Connection:
        kind = sqlite3.Connection if opened else Broken
        opened.append(sqlite3.connect(disk.path, isolation_level=None, factory=kind))
        return opened[-1]

    sink = sqlite.SqliteSink(disk.path, open_connection)
    bad = Job(number=1, changes=(LoggedOut(name=UserName("nobody"), at=1.0),))
    good = Job(number=2, changes=(samples.added(1, 0),))
    for job in (bad, bad):
        with pytest.raises(Exception, match="no such account"):
            sink.write([job])
    sink.write([good])
    assert len(opened) == 2
    sink.close()
    (row,) = await disk.store.unfinished(ANN)
    assert len(row.entries) == 1
