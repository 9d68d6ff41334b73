"""SQLite: the file, its connections, and the sink that writes to it."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import attrs
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.pool import NullPool, QueuePool

from fibsd.storage.batch import gather
from fibsd.storage.database import PATIENT_MS, READERS, Lock
from fibsd.storage.lock import ServeLock, resolved
from fibsd.storage.sqlite_entries import Entries, alone
from fibsd.storage.statements import ADD_ENTRY, ALL, Statement
from fibsd.storage.steps import Step, take
from fibsd.storage.store import Job, StoreError
from fibsd.storage.writer import Unavailable
from fibsd.values import frozen

IMPATIENT_MS = 50
"""How long the writer's thread waits inside SQLite, where `close` cannot wake it; it tries again itself."""

BEGIN_READING = "BEGIN"
"""Begins a transaction that sees one state of the data, that of its first statement."""

PASSING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,  # the lock of the write-ahead log, under contention
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
    }
)
"""Result codes that speak of the disk or of other programs, not of what was to be written."""

_EXPECTED = "memory:, sqlite:///path or postgresql://host/name"


@frozen
class SqliteDatabase:
    """A `Database` in a file.

    Attributes:
        path: Without symbolic links.
    """

    path: Path

    def __str__(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """See `Database.faults`."""
        return (sa.exc.SQLAlchemyError, sqlite3.Error, OSError)

    @property
    def begin(self) -> str:
        """See `Database.begin`."""
        return BEGIN_READING

    def dialect(self) -> sa.Dialect:
        """See `Database.dialect`."""
        return dialect()

    def make(self) -> None:
        """See `Database.make`."""
        make_file(self.path)

    def require(self) -> None:
        """See `Database.require`."""
        if not self.path.exists():
            raise StoreError(f"there is no {self.path}")

    def prepare(self) -> None:
        """See `Database.prepare`."""
        prepare(self.path)

    def lock(self) -> ServeLock:
        """See `Database.lock`."""
        return ServeLock.take(self.path)

    def owner(self, *, rebuilding: bool = False) -> sa.Engine:
        """See `Database.owner`."""
        # Rebuilding a table drops it for a moment: references are checked at the end instead.
        return owner_engine(self.path, foreign_keys=not rebuilding)

    def reader(self) -> sa.Engine:
        """See `Database.reader`."""
        return reader_engine(self.path)

    def is_away(self, error: Exception) -> bool:
        """See `Database.is_away`: SQLite has waited already."""
        return False

    def sink(self, lock: Lock | None) -> "SqliteSink":
        """See `Database.sink`."""
        return SqliteSink(self.path, partial(connect, self.path, busy_ms=IMPATIENT_MS))

    def check_references(self, connection: sa.Connection) -> None:
        """See `Database.check_references`."""
        if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
            raise StoreError(f"{self.path}: a row refers to a missing one")

    def fill(self, connection: sa.Connection, table: sa.Table, rows: Iterable[Sequence[object]]) -> None:
        """See `Database.fill`."""
        raw = cast(sqlite3.Connection, connection.connection.driver_connection)
        raw.executemany(str(table.insert().compile(dialect=sqlite_dialect.dialect())), rows)


def path_of(url: str) -> Path:
    """The database file that `sqlite:///path` names, without symbolic links.

    Raises:
        StoreError: Another engine, or no file at all.
    """
    try:
        parts = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise StoreError(f"{url!r} is no database URL; expected {_EXPECTED}") from error
    engine = parts.drivername
    if engine != "sqlite":
        raise StoreError(f"databases of the kind {engine!r} are not supported; use {_EXPECTED}")
    if parts.host or parts.query or parts.database in (None, "", ":memory:"):
        raise StoreError(f"{url!r} names no file; expected sqlite:///path")
    return resolved(Path(str(parts.database)))


def make_file(path: Path) -> None:
    """Make an empty file that only its owner may read, and its directory, unless they exist.

    Raises:
        StoreError: The system refuses.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreError(f"cannot make {path}: {error.strerror}") from error


def connect(
    path: Path, *, busy_ms: int = PATIENT_MS, foreign_keys: bool = True, reader: bool = False
) -> sqlite3.Connection:
    """A connection to an existing file that begins no transactions by itself.

    Args:
        path: The database.
        busy_ms: How long it waits for locks.
        foreign_keys: Off only while the tables themselves are rebuilt.
        reader: It will not write, and threads may take turns with it.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    # mode=rw: a file that was moved away must not come back empty.
    connection = sqlite3.connect(
        path.as_uri() + "?mode=rw", uri=True, isolation_level=None, check_same_thread=not reader
    )
    try:
        connection.execute(f"PRAGMA busy_timeout={busy_ms}")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
        if reader:
            connection.execute("PRAGMA query_only=ON")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(path: Path) -> None:
    """Switch the file to the write-ahead log (it remembers that) and see that it can be written.

    Raises:
        StoreError: It cannot have such a log here.
        sqlite3.Error: It cannot be opened or written, or is no database.
    """
    connection = connect(path)
    try:
        (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        if mode != "wal":
            raise StoreError(f"{path}: this file system allows no write-ahead log (journal mode {mode})")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    finally:
        connection.close()


def owner_engine(path: Path, *, foreign_keys: bool = True) -> sa.Engine:
    """An engine for short work on the schema, whose transactions hold the write lock from their start."""
    return _engine(
        sa.create_engine("sqlite://", creator=partial(connect, path, foreign_keys=foreign_keys), poolclass=NullPool),
        "BEGIN IMMEDIATE",
    )


def reader_engine(path: Path) -> sa.Engine:
    """An engine that keeps `READERS` connections; each transaction sees one state of the data."""
    return _engine(
        sa.create_engine(
            "sqlite://",
            creator=partial(connect, path, reader=True),
            poolclass=QueuePool,
            pool_size=READERS,
            max_overflow=0,
            # What a user has typed must not come into the log by way of an error.
            hide_parameters=True,
        ),
        BEGIN_READING,
    )


def _engine(engine: sa.Engine, begin: str) -> sa.Engine:
    def send_begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    sa.event.listen(engine, "begin", send_begin)
    return engine


def dialect() -> sa.Dialect:
    """SQLite's words, with named parameters."""
    return sqlite_dialect.dialect(paramstyle="named")


def _rendered() -> Mapping[Statement, str]:
    words = dialect()
    return {statement: str(statement.clause.compile(dialect=words)) for statement in ALL}


@attrs.define
class SqliteSink:
    """Writes batches to one file; opens its connection with the first one.

    It uses the driver itself, with statements rendered once: by way of the library a batch of five would take
    twice the time.

    Attributes:
        path: The database, which must exist.
        open_connection: Makes the connection.
    """

    path: Path
    open_connection: Callable[[], sqlite3.Connection]
    _sql: Mapping[Statement, str] = attrs.field(factory=_rendered, init=False)
    _entries: Entries = attrs.field(factory=Entries, init=False)
    _identity: tuple[int, int] = attrs.field(init=False)
    _connection: sqlite3.Connection | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Remember which file it is."""
        self._identity = self._look()

    def write(self, jobs: Sequence[Job]) -> None:
        """See `Sink.write`."""
        work = gather(jobs)
        try:
            if self._look() != self._identity:
                # Writing on would fill a file that no name leads to, or one that does not know our matches.
                raise Unavailable(f"{self.path} is not the file that was opened")
            if self._connection is None:
                self._connection = self.open_connection()
            self._transact(self._connection, work)
        except (sqlite3.Error, OSError) as error:
            self._roll_back()
            # Errors of the driver itself have no code.
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
            if isinstance(error, OSError) or code & 0xFF in PASSING:
                raise Unavailable(f"{self.path}: {error}") from error
            raise
        except BaseException:
            self._roll_back()
            raise

    def rest(self) -> None:
        """See `Sink.rest`: a file stays where it is."""

    def close(self) -> None:
        """See `Sink.close`."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _look(self) -> tuple[int, int]:
        found = os.stat(self.path)
        return found.st_dev, found.st_ino

    def _transact(self, connection: sqlite3.Connection, work: Sequence[Step]) -> None:
        cursor = connection.cursor()
        entries = alone(work)
        if entries is not None and self._entries.add(cursor, entries) is not None:
            # A statement by itself is a transaction, too, and Python's lock changes hands once, not three times.
            return
        connection.execute("BEGIN IMMEDIATE")
        take(work, cursor, self._sql, {ADD_ENTRY: self._entries.add})
        connection.execute("COMMIT")
        self._entries.notice(work)

    def _roll_back(self) -> None:
        self._entries.forget()
        # The connection stays: for it the transaction is gone, while a new one might find in the log what
        # could be written but not made safe.
        if self._connection is not None and self._connection.in_transaction:
            try:
                self._connection.rollback()
            except sqlite3.Error:
                self.close()
