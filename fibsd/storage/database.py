"""What a store in tables needs of its database, whichever engine that is."""

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Protocol

import sqlalchemy as sa

from fibsd.storage.store import StoreError
from fibsd.storage.writer import Sink

READERS = 2
"""Connections for reading."""

PATIENT_MS = 5000
"""How long a reader, or a program that has one transaction to make, waits for a lock."""


class Lock(Protocol):
    """The right to be the only server of a database; lost at the latest with the process."""

    def release(self) -> None:
        """Let go of the lock; a second call does nothing."""

    def __enter__(self) -> object:
        """Nothing of interest."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Let go of the lock."""


class Database(Protocol):
    """One database; as text it is what messages call it, without passwords."""

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What its methods and engines raise for want of the database itself."""

    @property
    def begin(self) -> str:
        """What begins a transaction of a reader's driver; empty if the first statement does."""

    def dialect(self) -> sa.Dialect:
        """The words of its statements, with named parameters."""

    def make(self) -> None:
        """Make an empty database, unless it exists or is not ours to make.

        Raises:
            StoreError: The system refuses.
        """

    def require(self) -> None:
        """See that it exists.

        Raises:
            StoreError: It does not.
        """

    def prepare(self) -> None:
        """See that it can be written, and set what it remembers.

        Raises:
            StoreError: It is not fit for us.
        """

    def lock(self) -> Lock:
        """Be its only server.

        Raises:
            StoreLocked: At once, if another one is.
            StoreError: It cannot be locked.
        """

    def owner(self, *, rebuilding: bool = False) -> sa.Engine:
        """An engine for short work on the schema, whose transactions come one after the other.

        Args:
            rebuilding: Tables may be dropped and made anew; ends with `check_references`.
        """

    def reader(self) -> sa.Engine:
        """An engine that keeps `READERS` connections; each transaction sees one state of the data."""

    def is_away(self, error: Exception) -> bool:
        """Whether a reader that met this error, one of `faults`, may find in a moment that all is well."""

    def sink(self, lock: Lock | None) -> Sink:
        """What writes to it.

        Args:
            lock: What `lock` gave, or None for a program that does not serve.
        """

    def check_references(self, connection: sa.Connection) -> None:
        """See that every row refers to one that exists.

        Raises:
            StoreError: One does not.
        """

    def fill(self, connection: sa.Connection, table: sa.Table, rows: Iterable[Sequence[object]]) -> None:
        """Put rows, with values for all columns in their order, into an empty table."""


def database_of(url: str) -> Database:
    """The database that a URL names; nothing is opened.

    Args:
        url: `sqlite:///path`, or a URL of PostgreSQL as its own programs read it.

    Raises:
        StoreError: The URL is neither, or PostgreSQL's driver is not installed.
    """
    if url == "memory:":
        raise StoreError("memory: is no database: it forgets everything at the end")
    if url.partition("://")[0] not in ("postgresql", "postgres"):
        from fibsd.storage.sqlite import SqliteDatabase, path_of

        return SqliteDatabase(path_of(url))
    try:
        from fibsd.storage.postgres import PostgresDatabase
    except ImportError as error:
        hint = "PostgreSQL needs the extra `postgres` of fibsd: pip install 'fibsd[postgres]'"
        raise StoreError(f"{hint} ({reason(error)})") from error
    return PostgresDatabase.of(url)


def original(error: Exception) -> BaseException:
    """The driver's own error, where the library has wrapped it."""
    wrapped = error.orig if isinstance(error, sa.exc.DBAPIError) else None
    return wrapped or error


def reason(error: Exception) -> str:
    """What an error says, in one line and without the library's additions."""
    return " ".join(str(original(error)).split()) or type(error).__name__
