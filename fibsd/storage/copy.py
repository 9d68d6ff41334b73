"""Moves all data from one database to another, of whatever engines."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing

import sqlalchemy as sa

from fibsd.storage import schema
from fibsd.storage.database import Database, database_of, reason
from fibsd.storage.store import StoreError
from fibsd.storage.tables import metadata

CHUNK = 1000
"""Rows that are read at once, and after which progress is told."""

Told = Callable[[str, int, int], None]
"""Is told of progress: table, rows so far, rows in all."""


def copy(source_url: str, target_url: str, tell: Told) -> Mapping[str, int]:
    """Copy everything, as it was at one moment, into an empty database; all or nothing.

    Args:
        source_url: Of the database to read; a server may use it, but what it stores meanwhile is not copied.
        target_url: Of the database to fill; tables are made if it has none. It is locked as by a server.
        tell: Is told of progress.

    Returns:
        For each table how many rows the target has, which are as many as were in the source.

    Raises:
        SchemaMismatch: One of them is of another version than this program.
        StoreLocked: A server uses the target.
        StoreError: The target has data already, or one of them cannot be used.
    """
    source, target = database_of(source_url), database_of(target_url)
    source.require()
    reader = source.reader()
    try:
        with reader.connect() as reading:
            schema.check_in(reading)
            target.make()
            with target.lock():
                target.prepare()
                return _fill(reading, target, tell)
    except (*source.faults, *target.faults) as error:
        raise StoreError(f"cannot copy {source} to {target}: {reason(error)}") from error
    finally:
        reader.dispose()


def _fill(reading: sa.Connection, target: Database, tell: Told) -> Mapping[str, int]:
    owner = target.owner()
    schema.create(owner)
    with owner.begin() as writing:
        schema.check_in(writing)
        if schema.has_data(writing):
            raise StoreError(f"{target} has data already")
        counts = {}
        # Tables that are referred to come first.
        for table in metadata.sorted_tables:
            # A new database is not quite empty.
            writing.execute(table.delete())
            total = _count(reading, table)
            with closing(_rows(reading, table, total, tell)) as rows:
                target.fill(writing, table, rows)
            counts[table.name] = _count(writing, table)
            if counts[table.name] != total:
                raise StoreError(f"{target}: {counts[table.name]} of {total} rows of {table.name} arrived")
        return counts


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def _rows(reading: sa.Connection, table: sa.Table, total: int, tell: Told) -> Generator[Sequence[object]]:
    done = 0
    with reading.execute(sa.select(table), execution_options={"yield_per": CHUNK}) as found:
        for chunk in found.partitions():
            yield from chunk
            done += len(chunk)
            tell(table.name, done, total)
