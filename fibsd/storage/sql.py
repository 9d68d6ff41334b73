"""A store in a database."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs
import sqlalchemy as sa
import trio

from fibsd.storage import queries, schema
from fibsd.storage.database import READERS, Database, Lock, database_of, reason
from fibsd.storage.memory import MemoryStore
from fibsd.storage.reading import Phrases, Reading, reading
from fibsd.storage.store import Arrival, Counts, Job, NextIds, Outcome, Ranked, Settlement, Store, StoreError
from fibsd.storage.writer import Writer
from fibsd.world.account import Account
from fibsd.world.changes import Audit, Ban, MatchRow, Message
from fibsd.world.ids import MatchId, UserName

T = TypeVar("T")

AWAY_S = 10.0
"""For how long readers try again while the database is away."""

RETRY_S = 0.1
"""How long they wait in between."""


class _Away(StoreError):
    """The database cannot be read now; it may be in a moment."""


def open_store(url: str, *, serve: bool = False) -> Store:
    """Open the store that the URL names; a missing or empty database gets its tables.

    Args:
        url: `memory:`, or see `database_of`.
        serve: Whether to be its only server. A program that makes one short transaction does without, so that
            a server may run meanwhile.

    Raises:
        SchemaMismatch: The data are of another version; nothing was changed.
        StoreLocked: Another server has it.
        StoreError: It cannot be opened, or the URL is none of these.
    """
    if url == "memory:":
        return MemoryStore()
    database = database_of(url)
    database.make()
    lock = database.lock() if serve else None
    try:
        database.prepare()
        owner = database.owner()
        schema.create(owner)
        schema.check(owner)
        return SqlStore(database, Writer(database.sink(lock)), lock)
    except BaseException as error:
        if lock is not None:
            lock.release()
        if isinstance(error, database.faults):
            raise StoreError(f"cannot open {database}: {reason(error)}") from error
        raise


@attrs.define
class SqlStore:
    """A `Store` in a database: a writer with its thread, and readers in threads of their own number.

    Every reading method raises `StoreError` if the database cannot be read or a row is damaged. The numbers
    of voided matches, delivered messages and lifted bans may come again, but only after a restart.
    """

    _database: Database
    _writer: Writer
    _lock: Lock | None
    _engine: sa.Engine = attrs.field(init=False)
    _phrases: Phrases = attrs.field(init=False)
    _limiter: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(READERS), init=False)
    _closed: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Make the readers' engine, which opens nothing yet."""
        self._engine = self._database.reader()
        self._phrases = Phrases(self._database.dialect())

    def start(self, on_outcomes: Callable[[Sequence[Outcome]], None]) -> None:
        """See `Store.start`."""
        self._writer.start(on_outcomes)

    def submit(self, job: Job) -> None:
        """See `Store.submit`."""
        self._writer.submit(job)

    def catch_up(self) -> None:
        """See `Store.catch_up`."""
        self._writer.catch_up()

    def waiting_s(self) -> float:
        """See `Store.waiting_s`."""
        return self._writer.waiting_s()

    def trouble(self) -> str | None:
        """See `Store.trouble`."""
        return self._writer.trouble()

    async def close(self, timeout_s: float) -> bool:
        """See `Store.close`; takes `writer.GRACE_S` longer at worst."""
        self._closed = True
        complete = await self._writer.close(timeout_s)
        self._engine.dispose()
        # While the thread may still write, no other server may come.
        if self._lock is not None and not self._writer.running:
            self._lock.release()
        return complete

    async def next_ids(self) -> NextIds:
        """See `Store.next_ids`."""
        return await self._read(queries.next_ids)

    async def account(self, name: str) -> Account | None:
        """See `Store.account`."""
        return await self._read(lambda reading: queries.account(reading, name))

    async def arrival(self, name: str) -> Arrival | None:
        """See `Store.arrival`."""
        return await self._read(lambda reading: queries.arrival(reading, name))

    async def accounts(self) -> tuple[Account, ...]:
        """See `Store.accounts`."""
        return await self._read(queries.all_accounts)

    async def unfinished(self, name: UserName) -> tuple[MatchRow, ...]:
        """See `Store.unfinished`."""
        return await self._read(lambda reading: queries.unfinished(reading, name))

    async def last_match(self, name: UserName) -> MatchRow | None:
        """See `Store.last_match`."""
        return await self._read(lambda reading: queries.last_match(reading, name))

    async def messages(self, name: UserName) -> tuple[Message, ...]:
        """See `Store.messages`."""
        return await self._read(lambda reading: queries.messages_for(reading, name))

    async def ranking(self, first: int, last: int, *, min_experience: int) -> tuple[Ranked, ...]:
        """See `Store.ranking`; equal ratings are in the order of the names."""
        return await self._read(lambda reading: queries.ranking(reading, first, last, min_experience))

    async def rank(self, name: UserName, *, min_experience: int) -> Ranked | None:
        """See `Store.rank`."""
        return await self._read(lambda reading: queries.rank(reading, name, min_experience))

    async def counts(self) -> Counts:
        """See `Store.counts`."""
        return await self._read(queries.counts)

    async def bans(self) -> tuple[Ban, ...]:
        """See `Store.bans`."""
        return await self._read(queries.all_bans)

    async def audits(self, last: int) -> tuple[Audit, ...]:
        """See `Store.audits`."""
        return await self._read(lambda reading: queries.audits(reading, last))

    async def text(self, key: str) -> str | None:
        """See `Store.text`."""
        return await self._read(lambda reading: queries.text(reading, key))

    async def match(self, match_id: MatchId) -> MatchRow | None:
        """See `Store.match`."""
        return await self._read(lambda reading: queries.match(reading, match_id))

    async def balance(self, account: str) -> int | None:
        """See `Store.balance`."""
        return await self._read(lambda reading: queries.balance(reading, account))

    async def settlement(self, match_id: MatchId) -> Settlement:
        """See `Store.settlement`."""
        return await self._read(lambda reading: queries.settlement(reading, match_id))

    async def untouched(self, since: float, after: int, most: int) -> tuple[MatchRow, ...]:
        """See `Store.untouched`."""
        return await self._read(lambda reading: queries.untouched(reading, since, after, most))

    async def rolls(self) -> tuple[tuple[int, int, int], ...]:
        """See `Store.rolls`."""
        return await self._read(queries.all_rolls)

    async def _read(self, query: Callable[[Reading], T]) -> T:
        """Run the query in a thread, in a transaction of its own, which is never abandoned.

        If the database is away, as while its server restarts, the query is tried again for a while.

        Raises:
            StoreError: The database cannot be read, a row is damaged, or the store is closed.
        """
        deadline = trio.current_time() + AWAY_S
        while not self._closed:
            try:
                return await trio.to_thread.run_sync(self._query, query, limiter=self._limiter)
            except _Away:
                if trio.current_time() > deadline:
                    raise
            await trio.sleep(RETRY_S)
        raise StoreError("the store is closed")

    def _query(self, query: Callable[[Reading], T]) -> T:
        try:
            with reading(self._engine, self._database, self._phrases) as transaction:
                return query(transaction)
        except self._database.faults as error:
            kind = _Away if self._database.is_away(error) else StoreError
            raise kind(f"cannot read the store: {reason(error)}") from error
