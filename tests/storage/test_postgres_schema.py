"""Versions of the tables in PostgreSQL: as in SQLite."""

import functools
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from fibsd.storage import schema, sqlite
from fibsd.storage.database import database_of
from fibsd.storage.sql import open_store
from fibsd.storage.store import SchemaMismatch, StoreError
from fibsd.storage.tables import metadata
from fibsd.world.changes import AccountRenamed
from fibsd.world.ids import UserName

from . import samples
from .postgres import Server, schema_of
from .samples import ANN, Caller
from .test_schema import VERSION_1, load


def _shape(url: str) -> dict[str, str]:
    """Everything about the tables, by name; without the schema's name, which is in the defaults of columns."""
    shape = {}
    with database_of(url).owner().begin() as connection:
        inspector = sa.inspect(connection)
        for table in inspector.get_table_names():
            parts = (
                inspector.get_columns(table),
                inspector.get_pk_constraint(table),
                sorted(inspector.get_foreign_keys(table), key=repr),
                sorted(inspector.get_unique_constraints(table), key=repr),
                sorted(inspector.get_indexes(table), key=repr),
                sorted(connection.execute(sa.select(sa.text("*")).select_from(sa.table(table))).fetchall()),
            )
            shape[table] = repr(parts).replace(schema_of(url), "")
    return shape


def test_upgrade_of_nothing_equals_a_new_schema(new_postgres: str, postgres: Server) -> None:
    """Columns, keys, indexes and the rows that are always there."""
    assert schema.upgrade(new_postgres) == (schema.EMPTY, schema.HEAD)
    assert schema.upgrade(new_postgres) == (schema.HEAD, schema.HEAD)
    with postgres.new_schema() as fresh:
        schema.create(database_of(fresh).owner())
        assert _shape(new_postgres) == _shape(fresh)
    assert set(_shape(new_postgres)) == {*metadata.tables, "alembic_version"}


async def test_version_1_is_upgraded_with_its_data(new_postgres: str, tmp_path: Path) -> None:
    """It has the same afterwards as a file that was upgraded; then everything goes on."""
    path = tmp_path / "fibsd.db"
    load(path, VERSION_1)
    _to_version_1(new_postgres, path)
    assert schema.upgrade(new_postgres) == ("0001", schema.HEAD)
    schema.upgrade(f"sqlite:///{path}")
    file, store = open_store(f"sqlite:///{path}"), open_store(new_postgres, serve=True)
    assert await samples.everything(store) == await samples.everything(file)
    assert await file.close(1.0)
    caller = Caller(store).start()
    await caller.run(AccountRenamed(name=ANN, new_name=UserName("Anna")))
    assert [row.names.x for row in await store.unfinished(UserName("Anna"))] == ["Anna"]
    assert await store.close(1.0)


def _to_version_1(url: str, path: Path) -> None:
    """Make the first tables, and put into them what the file has."""
    config = Config()
    config.set_main_option("script_location", schema.MIGRATIONS)
    with sqlite.owner_engine(path).begin() as source, database_of(url).owner().begin() as target:
        config.attributes["connection"] = target
        command.upgrade(config, "0001")
        for name in ("accounts", "matches", "journal", "rating_history", "messages", "rolls"):
            table = sa.Table(name, sa.MetaData(), autoload_with=target)
            target.execute(table.delete())
            rows = source.execute(sa.select(table)).mappings().all()
            target.execute(table.insert(), [{**row} for row in rows])


def test_upgrade_that_breaks_off_changes_nothing(new_postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even tables are left."""
    migrate = schema._migrate

    def break_off(connection: sa.Connection) -> None:
        migrate(connection)
        connection.exec_driver_sql("SELECT nonsense")

    monkeypatch.setattr(schema, "_migrate", break_off)
    with pytest.raises(StoreError, match=r"cannot upgrade PostgreSQL .*nonsense") as caught:
        schema.upgrade(new_postgres)
    assert "\n" not in str(caught.value)
    assert _shape(new_postgres) == {}


@pytest.mark.parametrize(
    ("version", "complaint"), [("0000", "run `fibsd db upgrade`"), ("9999", "run a newer program")]
)
def test_other_versions_are_not_served(new_postgres: str, version: str, complaint: str) -> None:
    """Nor changed by opening; a newer one is not touched by the upgrade either."""
    schema.create(database_of(new_postgres).owner())
    with database_of(new_postgres).owner().begin() as connection:
        connection.execute(schema._version.update().values(version_num=version))
    before = _shape(new_postgres)
    with pytest.raises(SchemaMismatch, match=complaint):
        open_store(new_postgres, serve=True)
    if version > schema.HEAD:
        with pytest.raises(SchemaMismatch, match=complaint):
            schema.upgrade(new_postgres)
    assert _shape(new_postgres) == before


def test_programs_that_meet_at_a_new_database_make_one_schema(new_postgres: str) -> None:
    """The first makes it, the others find it."""
    run = functools.partial(schema.create, database_of(new_postgres).owner())
    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    schema.check(database_of(new_postgres).owner())
