"""The sink that writes to PostgreSQL, whatever becomes of the connection."""

import contextlib
from collections.abc import Mapping, Sequence

import attrs
import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from fibsd.storage.batch import gather
from fibsd.storage.database import reason
from fibsd.storage.postgres import Connection, WriterConnection, dialect, is_passing, one_row
from fibsd.storage.statements import ALL, Statement
from fibsd.storage.steps import Step, take
from fibsd.storage.store import Job, StoreError
from fibsd.storage.writer import Unavailable


def _rendered() -> Mapping[Statement, str]:
    words = dialect()
    return {statement: str(statement.clause.compile(dialect=words)) for statement in ALL}


@attrs.define(eq=False)
class PostgresSink:
    """Writes batches; survives the loss of its connection at any moment, that of the commit included.

    Attributes:
        keeper: Owns the connection.
    """

    keeper: WriterConnection
    _sql: Mapping[Statement, str] = attrs.field(factory=_rendered, init=False)
    # The number of a transaction whose commit was sent and not answered.
    _doubtful: str | None = attrs.field(default=None, init=False)

    def write(self, jobs: Sequence[Job]) -> None:
        """See `Sink.write`."""
        work = gather(jobs)
        connection = None
        try:
            connection = self._connection()
            if not self._is_stored_already(connection):
                self._transact(connection, work)
        except (psycopg.Error, OSError) as error:
            alive = connection is not None and self._roll_back(connection, error)
            if not alive or is_passing(error):
                raise Unavailable(f"{self.keeper.database}: {reason(error)}") from error
            raise
        except Exception as error:
            if connection is not None:
                self._roll_back(connection, error)
            raise

    def rest(self) -> None:
        """See `Sink.rest`: a connection that was lost is opened again, so that no other server takes the place."""
        with contextlib.suppress(psycopg.Error, StoreError, OSError):
            self.keeper.get().execute("SELECT 1")

    def close(self) -> None:
        """See `Sink.close`; the lock goes with the connection."""
        self.keeper.release()

    def _connection(self) -> Connection:
        try:
            return self.keeper.get()
        except StoreError as error:
            raise Unavailable(str(error)) from error

    def _is_stored_already(self, connection: Connection) -> bool:
        """Whether the batch, which then was the last one, was stored after all.

        The writer brings a batch again until it knows, so what is in doubt is always the batch at hand.
        """
        if self._doubtful is None:
            return False
        try:
            (became,) = one_row(connection, f"SELECT pg_xact_status('{self._doubtful}'::xid8)")
        except errors.InvalidParameterValue:
            became = None  # a number yet to come: the server that took over never heard of it
        if became == "in progress":
            raise Unavailable(f"{self.keeper.database}: the last commit still goes on")
        self._doubtful = None
        return bool(became == "committed")

    def _transact(self, connection: Connection, work: Sequence[Step]) -> None:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN; SELECT pg_current_xact_id()::text")
            cursor.nextset()
            ((number,),) = cursor.fetchall()
            take(work, cursor, self._sql)
        self._doubtful = number
        try:
            connection.execute("COMMIT")
        finally:
            if not connection.closed:
                self._doubtful = None  # the server has answered, whatever it was

    def _roll_back(self, connection: Connection, error: Exception) -> bool:
        """Whether the connection is still of use, for it the transaction is gone."""
        try:
            if isinstance(error, errors.ReadOnlySqlTransaction):
                # It stays read-only as long as it lives, whatever the server has become meanwhile.
                self.keeper.release()
            elif connection.info.transaction_status != TransactionStatus.IDLE:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            self.keeper.release()
        return not connection.closed
