"""Copies of an SQLite database as a file: making one while the server runs, and putting one back."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import sqlalchemy as sa

from fibsd.storage import schema, sqlite
from fibsd.storage.database import PATIENT_MS, Database, database_of, reason
from fibsd.storage.lock import resolved
from fibsd.storage.sqlite import SqliteDatabase
from fibsd.storage.store import StoreError


def backup(url: str, file: Path) -> int:
    """Copy the database, as it is at one moment, into a new file that only its owner may read.

    Whatever its version: before an upgrade is the time for a backup. Nobody is disturbed meanwhile.

    Returns:
        Bytes of the file.

    Raises:
        StoreError: The file exists or cannot be made, or the database cannot be read.
    """
    database = _in_a_file(url, "pg_dump --format=custom --file=FILE URL")
    database.require()
    file = Path(os.path.abspath(file))
    try:
        _refuse_existing(file)
        with _part_of(file) as part:
            connection = sqlite.connect(database.path)
            try:
                connection.execute("VACUUM INTO ?", (str(part),))
            finally:
                connection.close()
            _make_safe(part)
            _refuse_existing(file)
            part.rename(file)
        _make_safe(file.parent)
        return file.stat().st_size
    except database.faults as error:
        raise StoreError(f"cannot copy {database} to {file}: {reason(error)}") from error


def _in_a_file(url: str, instead: str) -> SqliteDatabase:
    database: Database = database_of(url)
    if not isinstance(database, SqliteDatabase):
        raise StoreError(f"for PostgreSQL use its own programs: {instead}")
    return database


def _refuse_existing(file: Path) -> None:
    if os.path.lexists(file):
        raise StoreError(f"{file} exists already")


@contextmanager
def _part_of(file: Path) -> Iterator[Path]:
    """An empty file beside this one, private, which is removed unless it was renamed."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _make_safe(path: Path) -> None:
    """Have what was written to a file, or the names in a directory, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def restore(url: str, file: Path, *, force: bool) -> str:
    """Make the database what a backup has; all or nothing.

    Args:
        url: Of the database, which need not exist.
        file: The backup; it stays as it is.
        force: Data that the database has may be lost.

    Returns:
        The version of the data, which may be an old one.

    Raises:
        SchemaMismatch: One of the two is newer than this program, or not ours.
        StoreLocked: A server uses the database.
        StoreError: The backup is damaged, the database has data already, or one of them cannot be used.
    """
    database = _in_a_file(url, "pg_restore --clean --if-exists --single-transaction --dbname=URL FILE")
    if not file.is_file():
        raise StoreError(f"there is no {file}")
    if database.path.exists() and database.path.samefile(file):
        raise StoreError(f"{file} is the database itself")
    engine = sqlite.reader_engine(resolved(file))
    try:
        with engine.connect() as source:
            found = _check_backup(source, file)
            database.make()
            with database.lock():
                _check_replaceable(database, force=force)
                _replace(database.path, source)
        return found
    except database.faults as error:
        raise StoreError(f"cannot copy {file} to {database}: {reason(error)}") from error
    finally:
        engine.dispose()


def _check_backup(source: sa.Connection, file: Path) -> str:
    """The version of a whole backup."""
    try:
        faults = [*source.exec_driver_sql("PRAGMA integrity_check(1)").scalars()]
        faults = [] if faults == ["ok"] else faults
        faults += ["a row refers to a missing one"] * (
            source.exec_driver_sql("PRAGMA foreign_key_check").first() is not None
        )
    except sa.exc.DatabaseError as error:
        faults = [reason(error)]
    if faults:
        raise StoreError(f"{file} is damaged: {' '.join(faults[0].split())}")
    found = schema.version(source)
    schema.refuse_newer(found)
    if found == schema.EMPTY:
        raise StoreError(f"{file} is empty")
    return found


def _check_replaceable(database: SqliteDatabase, *, force: bool) -> None:
    try:
        with database.owner().begin() as target:
            schema.version(target)
            has_data = schema.has_data(target)
    except sa.exc.DatabaseError:
        # Damage may be the very reason for the restoration.
        if not force:
            raise
        return
    if has_data and not force:
        raise StoreError(f"{database} has data already, which would be lost: see --force")


def _replace(path: Path, source: sa.Connection) -> None:
    """Copy the pages in one transaction of the target, whose log and readers stay in order."""
    raw = cast(sqlite3.Connection, source.connection.driver_connection)
    deadline = time.monotonic() + PATIENT_MS / 1000

    def be_patient(status: int, left: int, total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > deadline:
            raise sqlite3.OperationalError("database is locked")

    target = sqlite.connect(path, busy_ms=sqlite.IMPATIENT_MS)
    try:
        raw.backup(target, progress=be_patient)
    finally:
        target.close()
