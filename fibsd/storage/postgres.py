"""PostgreSQL: its connections, and the lock of the only server.

The URL is libpq's: whatever PostgreSQL's own programs understand (`PGPASSFILE`, services, `sslmode`) works here.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, cast

import attrs
import psycopg
import sqlalchemy as sa
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.pool import NullPool, QueuePool

from fibsd.storage.database import PATIENT_MS, READERS, Lock, original, reason
from fibsd.storage.store import StoreError, StoreLocked
from fibsd.storage.writer import Sink
from fibsd.values import frozen

IMPATIENT_MS = 500
"""How long the writer's thread waits for a lock, where `close` cannot wake it; it tries again itself."""

OLDEST = 130000
"""The oldest server that tells what became of a transaction by its full number."""

DEFAULTS: Mapping[str, Any] = {
    "application_name": "fibsd",
    "connect_timeout": 5,
    # A server that is gone without a word is noticed in half a minute instead of hours.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""Parameters of a connection that the URL does not give."""

_SETTINGS = {
    "synchronous_commit": "on",
    # For the server's side of the same: a lock must not outlive our machine for long.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "idle_in_transaction_session_timeout": "0",
    "statement_timeout": "0",
}

PASSING_CLASSES = frozenset({"08", "53", "57", "58"})
"""Classes of errors about the connection, want of room or memory, an operator's doing, the system."""

PASSING = frozenset(
    {
        errors.ReadOnlySqlTransaction.sqlstate,
        errors.SerializationFailure.sqlstate,
        errors.StatementCompletionUnknown.sqlstate,
        errors.DeadlockDetected.sqlstate,
        errors.InsufficientPrivilege.sqlstate,
        errors.LockNotAvailable.sqlstate,
    }
)
"""Further errors that do not speak of what was to be written."""

_SERVE = 0x66696273
"""First half of the number of our locks; the second tells schemas of one database from each other."""

_TRY_SERVE = f"SELECT pg_try_advisory_lock({_SERVE}, hashtext(current_schema()))"
_ONE_BY_ONE = f"SELECT pg_advisory_xact_lock({_SERVE + 1}, hashtext(current_schema()))"
_IDENTITY = (
    "SELECT (SELECT oid FROM pg_database WHERE datname = current_database()), to_regclass('accounts')::oid,"
    " has_function_privilege('pg_control_system()', 'EXECUTE')"
)
_CLUSTER = "SELECT system_identifier FROM pg_control_system()"

DRIVER = "postgresql+psycopg://"
"""What the library calls it; it gets its connections from us."""

_SHOWN = ("service", "host", "port", "dbname", "user")

Connection = psycopg.Connection[tuple[Any, ...]]
Identity = tuple[Any, ...]


def connect(parameters: Mapping[str, Any], *, lock_ms: int = PATIENT_MS, reader: bool = False) -> Connection:
    """A connection in autocommit mode to a server that is fit for us.

    Args:
        parameters: Of libpq.
        lock_ms: How long its statements wait for locks.
        reader: It will not write.

    Raises:
        StoreError: The server is too old, the database's encoding is not UTF-8, or it takes no changes.
        psycopg.Error: It cannot be opened.
    """
    given: dict[str, Any] = {**DEFAULTS, **parameters, "client_encoding": "utf8"}
    connection = psycopg.connect(**given, autocommit=True)
    try:
        if connection.info.server_version < OLDEST:
            raise StoreError(
                f"PostgreSQL {connection.info.server_version // 10_000} is too old: {OLDEST // 10_000} is needed"
            )
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(f"the database's encoding is {encoding}: UTF8 is needed")
        settings = {**_SETTINGS, "lock_timeout": str(lock_ms)}
        connection.execute("; ".join(f"SET {name} = {value}" for name, value in settings.items()))
        if not reader and one_row(connection, "SHOW transaction_read_only") != ("off",):
            raise StoreError("the database is read-only")
    except BaseException:
        connection.close()
        raise
    return connection


def dialect() -> sa.Dialect:
    """PostgreSQL's words, with named parameters."""
    return sa.make_url(DRIVER).get_dialect()()


def is_passing(error: object) -> bool:
    """Whether an error, which did not end the connection, speaks of the moment and not of what was to be done."""
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    if state is None:
        return isinstance(error, psycopg.OperationalError | OSError)
    return state in PASSING or state[:2] in PASSING_CLASSES


@attrs.define(eq=False)
class WriterConnection:
    """The one connection that writes, and holds the lock of the only server: without the lock it writes nothing.

    It is opened when it is needed and again when it was lost. Another server that has come meanwhile is then in
    the way, and so is another database under the same name: it would not know our matches.

    Attributes:
        database: What is written to.
        serves: Whether it takes the lock.
    """

    database: "PostgresDatabase"
    serves: bool
    _connection: Connection | None = attrs.field(default=None, init=False)
    _identity: Identity | None = attrs.field(default=None, init=False)

    def get(self) -> Connection:
        """The connection.

        Raises:
            StoreLocked: There is another server.
            StoreError: It is another database than before, or not fit for us.
            psycopg.Error: It cannot be opened.
        """
        if self._connection is None or self._connection.closed:
            connection = connect(self.database.parameters, lock_ms=IMPATIENT_MS)
            try:
                if self._identity not in (None, _identity(connection)):
                    raise StoreError(f"{self.database} is not the database that was opened")
                if self.serves and not one_row(connection, _TRY_SERVE)[0]:
                    raise StoreLocked(f"another server uses {self.database}")
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def remember(self) -> None:
        """From now on the database, which has its tables, may not be another one.

        Raises:
            StoreError: See `get`.
            psycopg.Error: See `get`.
        """
        self._identity = _identity(self.get())

    def release(self) -> None:
        """Close the connection, and so let go of the lock; a second call does nothing."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> "WriterConnection":
        """The connection's keeper itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connection."""
        self.release()


def one_row(connection: Connection, query: str) -> tuple[Any, ...]:
    """The only row that a query of our own, without data from outside, gives."""
    (row,) = connection.execute(query)
    return row


def _identity(connection: Connection) -> Identity:
    """What makes a database and its tables the same, also on a server that took over from another."""
    database, accounts, may_ask = one_row(connection, _IDENTITY)
    return (database, accounts, *(one_row(connection, _CLUSTER) if may_ask else ()))


@frozen
class PostgresDatabase:
    """A `Database` of PostgreSQL: what the first schema of the search path holds.

    Attributes:
        parameters: Of libpq, as the URL gives them.
    """

    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, url: str) -> "PostgresDatabase":
        """The database that the URL names.

        Raises:
            StoreError: libpq does not understand the URL.
        """
        # It warns of broken connections in several lines; those who use them tell of that themselves.
        logging.getLogger("psycopg").setLevel(logging.ERROR)
        try:
            return cls(conninfo_to_dict(url))
        except psycopg.Error as error:
            raise StoreError(f"this is no URL of PostgreSQL: {reason(error)}") from error

    def __str__(self) -> str:
        """Where it is and whose, without the password."""
        shown = [f"{key}={self.parameters[key]}" for key in _SHOWN if self.parameters.get(key)]
        return " ".join(["PostgreSQL", *shown])

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """See `Database.faults`."""
        return (sa.exc.SQLAlchemyError, psycopg.Error, OSError)

    @property
    def begin(self) -> str:
        """See `Database.begin`."""
        return ""

    def dialect(self) -> sa.Dialect:
        """See `Database.dialect`."""
        return dialect()

    def make(self) -> None:
        """See `Database.make`: who may do that is the server's business, so nothing is done."""

    def require(self) -> None:
        """See `Database.require`: whether it exists shows when it is locked."""

    def prepare(self) -> None:
        """See `Database.prepare`: every connection that may write looks for itself."""

    def lock(self) -> WriterConnection:
        """See `Database.lock`."""
        keeper = WriterConnection(self, serves=True)
        try:
            keeper.get()
        except psycopg.Error as error:
            raise StoreError(f"cannot open {self}: {reason(error)}") from error
        return keeper

    def owner(self, *, rebuilding: bool = False) -> sa.Engine:
        """See `Database.owner`."""

        def one_by_one(connection: sa.Connection) -> None:
            connection.exec_driver_sql(_ONE_BY_ONE)

        engine = sa.create_engine(DRIVER, creator=self._open, poolclass=NullPool, use_native_hstore=False)
        sa.event.listen(engine, "begin", one_by_one)
        return engine

    def reader(self) -> sa.Engine:
        """See `Database.reader`."""
        return sa.create_engine(
            DRIVER,
            creator=partial(self._open, reader=True),
            poolclass=QueuePool,
            pool_size=READERS,
            max_overflow=0,
            # After a restart of the server the first query of each connection would fail.
            pool_pre_ping=True,
            # What a user has typed must not come into the log by way of an error.
            hide_parameters=True,
            use_native_hstore=False,
        )

    def sink(self, lock: Lock | None) -> Sink:
        """See `Database.sink`."""
        from fibsd.storage.postgres_sink import PostgresSink

        if not isinstance(lock, WriterConnection):
            return PostgresSink(WriterConnection(self, serves=False))
        lock.remember()
        return PostgresSink(lock)

    def is_away(self, error: Exception) -> bool:
        """See `Database.is_away`."""
        # The first connection of an engine is asked for its version by the library, which wraps what comes of it.
        met = original(error)
        return isinstance(met, psycopg.Error) and is_passing(met)

    def check_references(self, connection: sa.Connection) -> None:
        """See `Database.check_references`: they are enforced all the time."""

    def fill(self, connection: sa.Connection, table: sa.Table, rows: Iterable[Sequence[object]]) -> None:
        """See `Database.fill`."""
        raw = cast(Connection, connection.connection.driver_connection)
        columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
        into = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), columns)
        with raw.cursor() as cursor, cursor.copy(into) as copy:
            for row in rows:
                copy.write_row(row)
        if (number := table.autoincrement_column) is not None:
            # The next one to be given; rows that came with theirs were not counted.
            counter = sa.func.pg_get_serial_sequence(table.name, number.name)
            connection.execute(sa.select(sa.func.setval(counter, sa.func.max(number))))

    def _open(self, *, reader: bool = False) -> Connection:
        connection = connect(self.parameters, reader=reader)
        connection.autocommit = False
        if reader:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
        return connection
