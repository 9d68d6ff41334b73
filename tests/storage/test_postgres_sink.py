"""The sink that writes to PostgreSQL: what passes, what is refused, and commits that nobody answered."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import attrs
import pytest
import trio

from fibsd.backgammon.side import BySide
from fibsd.storage import writer
from fibsd.storage.database import database_of
from fibsd.storage.sql import open_store
from fibsd.storage.store import Job
from fibsd.storage.writer import Unavailable
from fibsd.world.changes import AccountCreated, Audited, LoggedOut, RollsCounted, TextSet
from fibsd.world.ids import UserName

from . import samples
from .postgres import Server
from .samples import ANN, BOB, EVE, Caller
from .test_writer import PATIENCE_S, until


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FIRST_DELAY_S", 0.005)


@attrs.define
class Shared:
    """A store with Ann, bob and a match, and another connection with its database."""

    caller: Caller
    other: Any


@pytest.fixture
async def shared(empty_postgres: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Shared]:
    """See `Shared`."""
    import psycopg

    from fibsd.storage import postgres

    monkeypatch.setattr(postgres, "IMPATIENT_MS", 20)
    caller = Caller(open_store(empty_postgres)).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1))
    with psycopg.connect(empty_postgres, autocommit=True) as other:
        yield Shared(caller, other)
        other.rollback()
        await caller.store.close(PATIENCE_S)


async def test_lock_of_another_program_only_delays(shared: Shared) -> None:
    """Nothing is refused, reading goes on, and the outcomes come in order after the lock is gone."""
    caller = shared.caller
    shared.other.execute("BEGIN; LOCK TABLE journal IN SHARE MODE")
    first = caller.submit(samples.added(1, 0))
    await until(lambda: "lock timeout" in (caller.store.trouble() or ""))
    assert caller.store.waiting_s() > 0.0
    caller.submit(samples.added(1, 1))
    caller.submit(samples.added(1, 1, "duplicate"))
    last = caller.submit(samples.added(1, 2))
    assert (await caller.store.counts()).saved_matches == 1
    assert len(caller.told) == first - 1
    shared.other.execute("COMMIT")
    with trio.fail_after(PATIENCE_S):
        await caller.outcome(last)
    assert caller.store.trouble() is None
    assert [outcome.error is None for outcome in caller.told[first - 1 :]] == [True, True, False, True]
    (row,) = await caller.store.unfinished(ANN)
    assert row.entries == ("O r 6 3",) * 3


async def test_close_gives_up_on_a_locked_table(shared: Shared) -> None:
    """In bounded time."""
    shared.other.execute("BEGIN; LOCK TABLE journal IN SHARE MODE")
    shared.caller.submit(samples.added(1, 0))
    await until(lambda: shared.caller.store.trouble() is not None)
    with trio.fail_after(PATIENCE_S):
        assert not await shared.caller.store.close(0.05)


async def test_many_jobs_share_few_commits(shared: Shared) -> None:
    """Those that build on each other, too; the one in work, then all others together."""
    caller = shared.caller
    shared.other.execute("BEGIN; LOCK TABLE journal IN SHARE MODE")
    caller.submit(samples.added(1, 0))
    await until(lambda: caller.store.trouble() is not None)
    for seq in range(1, 200):
        caller.submit(samples.added(1, seq))
    caller.submit(samples.finished(1, rating=samples.rated(BOB, ANN)))
    caller.submit(AccountCreated(account=samples.account(EVE)))
    names = BySide(o=EVE, x=BOB)
    caller.submit(samples.started(2, names))
    caller.submit(samples.added(2, 0, at=44.0))
    last = caller.submit(samples.finished(2, names, rating=samples.rated(EVE, BOB)))
    shared.other.execute("COMMIT")
    await caller.outcome(last)
    assert [outcome.error for outcome in caller.told] == [None] * last
    assert caller.batches[-2:] == [1, 204]


@pytest.mark.parametrize(
    ("state", "passes"),
    [
        ("53100", True),  # disk full
        ("53200", True),  # out of memory
        ("25006", True),  # read-only
        ("40001", True),  # serialization failure
        ("40P01", True),  # deadlock
        ("42501", True),  # a right was taken away
        ("57014", True),  # cancelled
        ("58030", True),  # I/O error
        ("08006", True),  # connection failure
        ("23514", False),  # check violation
        ("22003", False),  # out of range
        ("XX001", False),  # data corrupted
        ("P0001", False),  # raised by somebody's trigger
    ],
)
async def test_error_of_each_kind(shared: Shared, state: str, passes: bool) -> None:
    """The job waits until it has passed, or is refused."""
    shared.other.execute(
        f"CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}', MESSAGE = 'no luck'; END $$;"
        f"CREATE TRIGGER fail BEFORE INSERT ON journal EXECUTE FUNCTION fail()"
    )
    try:
        number = shared.caller.submit(samples.added(1, 0))
        if passes:
            await until(lambda: "no luck" in (shared.caller.store.trouble() or ""))
    finally:
        if not passes:
            outcome = await shared.caller.outcome(number)
        shared.other.execute("DROP FUNCTION fail CASCADE")
    if passes:
        outcome = await shared.caller.outcome(number)
    assert (outcome.error is None) == passes
    assert passes or "no luck" in str(outcome.error)
    await shared.caller.run(TextSet(key="motd", text="on it goes"))


@pytest.mark.parametrize("text", ["\ud800", "a\0b"], ids=["surrogate", "NUL"])
async def test_value_that_the_driver_refuses_is_a_bad_job(shared: Shared, text: str) -> None:
    """Not a reason to try again."""
    await shared.caller.refused(samples.added(1, 0, text))
    await shared.caller.run(samples.added(1, 0))


async def test_refusal_is_one_line(shared: Shared) -> None:
    """What the server says in several is for the log."""
    reason = await shared.caller.refused(AccountCreated(account=samples.account("aNN")))
    assert "\n" not in reason
    assert "(AccountCreated) refused: duplicate key value" in reason


# --- commits in doubt ------------------------------------------------------------------------------------------


@attrs.define
class Cut:
    """A connection that breaks at the commit: `before` or after it is made."""

    connection: Any
    before: bool

    def __getattr__(self, name: str) -> Any:
        """As the connection has it."""
        return getattr(self.connection, name)

    def execute(self, query: str) -> Any:
        """Run a query; a commit is not answered."""
        import psycopg

        if query != "COMMIT":
            return self.connection.execute(query)
        if not self.before:
            self.connection.execute(query)
        self.connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")


@pytest.fixture
def sink(empty_postgres: str) -> Iterator[Any]:
    """A sink of a database with the account Ann."""
    sink = database_of(empty_postgres).sink(None)
    sink.write([Job(number=1, changes=(AccountCreated(account=samples.account(ANN)),))])
    yield sink
    sink.close()


TWICE_WOULD_SHOW = Job(
    number=2,
    changes=(
        Audited(audit=samples.audit("ban")),
        RollsCounted(counts=((6, 3, 2),)),
        AccountCreated(account=samples.account(BOB)),
    ),
)


async def _stored(url: str) -> tuple[object, ...]:
    store = open_store(url)
    found = (await store.audits(9), await store.rolls(), len(await store.accounts()))
    assert await store.close(1.0)
    return found


ONCE = ((samples.audit("ban"),), ((6, 3, 2),), 2)


@pytest.mark.parametrize("before", [True, False])
async def test_commit_without_an_answer(sink: Any, empty_postgres: str, before: bool) -> None:
    """Made or not: the batch is stored exactly once."""
    sink.keeper._connection = Cut(sink.keeper.get(), before)
    with pytest.raises(Unavailable, match="closed the connection"):
        sink.write([TWICE_WOULD_SHOW])
    assert await _stored(empty_postgres) == (((), (), 1) if before else ONCE)
    sink.write([TWICE_WOULD_SHOW])
    assert await _stored(empty_postgres) == ONCE
    # The doubt is over: what comes next is no repetition.
    sink.write([Job(number=3, changes=(Audited(audit=samples.audit("mute")),))])
    assert len((await _stored(empty_postgres))[0]) == 2  # type: ignore[arg-type]


async def test_commit_that_still_goes_on(sink: Any, empty_postgres: str) -> None:
    """Waits for its end, which may be either; an error on the way leaves the doubt."""
    import psycopg

    job = Job(number=2, changes=(TextSet(key="motd", text="Hello"),))
    for end, stored in (("COMMIT", False), ("ROLLBACK", True)):
        with psycopg.connect(empty_postgres, autocommit=True) as other:
            other.execute("BEGIN")
            (sink._doubtful,) = other.execute("SELECT pg_current_xact_id()::text").fetchone() or ()
            for _ in range(2):
                with pytest.raises(Unavailable, match="still goes on"):
                    sink.write([job])
            other.execute(end)
        sink.write([job])
        store = open_store(empty_postgres)
        assert (await store.text("motd") is not None) == stored
        assert await store.close(1.0)


async def test_commit_that_this_server_never_heard_of(sink: Any, empty_postgres: str) -> None:
    """Another one that took over may be behind: the batch is written."""
    sink._doubtful = str(10**15)
    sink.write([TWICE_WOULD_SHOW])
    assert await _stored(empty_postgres) == ONCE


async def test_refused_job_leaves_no_transaction(sink: Any) -> None:
    """The connection is of use for the next one."""
    for _ in range(2):
        with pytest.raises(Exception, match="no such account"):
            sink.write([Job(number=2, changes=(LoggedOut(name=UserName("nobody"), at=1.0),))])
        assert sink.keeper.get().info.transaction_status == 0
    sink.write([TWICE_WOULD_SHOW])


async def test_connection_that_breaks_at_the_rollback(sink: Any, postgres: Server) -> None:
    """Costs the connection, and the job is refused all the same; the next one opens another."""
    hold: Callable[[], Any] = sink.keeper.get

    @attrs.define
    class Dying:
        connection: Any

        def __getattr__(self, name: str) -> Any:
            return getattr(self.connection, name)

        def execute(self, query: str) -> Any:
            self.connection.close()
            return self.connection.execute(query)

    sink.keeper._connection = Dying(hold())
    with pytest.raises(Exception, match="no such account"):
        sink.write([Job(number=2, changes=(LoggedOut(name=UserName("nobody"), at=1.0),))])
    sink.write([TWICE_WOULD_SHOW])
