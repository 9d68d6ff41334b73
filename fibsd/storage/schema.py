"""Versions of the tables: making them, telling them apart, bringing old data up to date.

Only `upgrade` imports Alembic, which takes most of a second.
"""

from typing import Any

import sqlalchemy as sa

from fibsd.storage.database import database_of, reason
from fibsd.storage.store import SchemaMismatch, StoreError
from fibsd.storage.tables import ALL_ROLLS, metadata, rolls

HEAD = "0004"
"""The version this program reads and writes: newest in `migrations/versions`; later ones sort after it."""

EMPTY = "empty"
"""In place of a version: no tables at all."""

MIGRATIONS = "fibsd.storage:migrations"
"""Where Alembic finds its environment."""

_version = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
_FOUND = sa.select(_version.c.version_num)


def create(engine: sa.Engine) -> None:
    """Make all tables in an empty database; one that is not empty stays as it is."""
    with engine.begin() as connection:
        if sa.inspect(connection).get_table_names():
            return
        metadata.create_all(connection, checkfirst=False)
        connection.execute(
            rolls.insert(), [{"first": first, "second": second, "times": 0} for first, second in ALL_ROLLS]
        )
        _version.create(connection, checkfirst=False)
        connection.execute(_version.insert(), {"version_num": HEAD})


def check(engine: sa.Engine) -> None:
    """See that the data are of this program's version.

    Raises:
        SchemaMismatch: They are not.
    """
    with engine.connect() as connection:
        check_in(connection)


def check_in(connection: sa.Connection) -> None:
    """See `check`, in a transaction of the caller's.

    Raises:
        SchemaMismatch: They are not.
    """
    found = version(connection)
    refuse_newer(found)
    if found != HEAD:
        raise SchemaMismatch(f"the data have schema {found}, this program needs {HEAD}: run `fibsd db upgrade`")


def has_data(connection: sa.Connection) -> bool:
    """Whether any table, of whatever version, has rows that a new one does not have."""
    for name in sa.inspect(connection).get_table_names():
        found: sa.Select[Any] = sa.select(sa.literal_column("1")).limit(1)
        found = found.where(rolls.c.times > 0) if name == rolls.name else found.select_from(sa.table(name))
        if name != _version.name and connection.scalar(found) is not None:
            return True
    return False


def upgrade(url: str) -> tuple[str, str]:
    """Bring the data to this program's version, all or nothing, while no server uses them.

    Returns:
        The version before (`EMPTY` if there were no tables) and after.

    Raises:
        SchemaMismatch: The data are newer, or not ours.
        StoreLocked: A server uses them.
        StoreError: There is no such database, or it cannot be changed.
    """
    database = database_of(url)
    database.require()
    with database.lock():
        engine = database.owner(rebuilding=True)
        try:
            with engine.begin() as connection:
                before = version(connection)
                refuse_newer(before)
                _migrate(connection)
                database.check_references(connection)
                return before, version(connection)
        except database.faults as error:
            raise StoreError(f"cannot upgrade {database}: {reason(error)}") from error


def version(connection: sa.Connection) -> str:
    """The version of the data; `EMPTY` if there are no tables.

    Raises:
        SchemaMismatch: The tables are not ours.
    """
    tables = sa.inspect(connection).get_table_names()
    if not tables:
        return EMPTY
    versions = list(connection.scalars(_FOUND)) if _version.name in tables else []
    if len(versions) != 1 or not isinstance(versions[0], str):
        raise SchemaMismatch("the database has tables, but no version of ours")
    return versions[0]


def refuse_newer(found: str) -> None:
    """See that a version is not one that only a later program knows.

    Raises:
        SchemaMismatch: It is.
    """
    if found != EMPTY and found > HEAD:
        raise SchemaMismatch(f"the data have schema {found}, this program only knows {HEAD}: run a newer program")


def _migrate(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
