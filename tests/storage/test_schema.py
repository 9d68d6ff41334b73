"""Versions of the tables: new ones, old ones, and those of others."""

import functools
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import attrs
import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory

from fibsd.backgammon.side import BySide
from fibsd.storage import schema, sqlite
from fibsd.storage.sql import open_store
from fibsd.storage.store import Counts, SchemaMismatch, StoreError
from fibsd.storage.tables import metadata
from fibsd.world.changes import AccountErased, AccountRenamed, MatchRow, MatchTerms
from fibsd.world.ids import MatchId, UserName

from .samples import ANN, BOB, HASH, Caller, audit, ban, finished, message, started

DATA = Path(__file__).parent.parent / "data"
VERSION_1 = DATA / "schema-0001.sql"
"""A database of version 0001 as text: two users, a finished and an unfinished match, a message, rolls."""

VERSION_2 = DATA / "schema-0002.sql"
"""The same of version 0002, with a third user who was erased after a match with bob, Ann muted, two bans and
the record of them, a text."""

VERSION_3 = DATA / "schema-0003.sql"
"""The same of version 0003, with a recovery code of Ann's."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An empty database file."""
    path = tmp_path / "fibsd.db"
    sqlite.make_file(path)
    return path


def url(path: Path) -> str:
    """Of this file."""
    return f"sqlite:///{path}"


def test_head_is_the_newest_migration() -> None:
    """And every version is named so that later ones sort behind."""
    config = Config()
    config.set_main_option("script_location", schema.MIGRATIONS)
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_current_head() == schema.HEAD
    oldest_first = [script.revision for script in scripts.walk_revisions()][::-1]
    assert oldest_first == sorted(oldest_first)
    assert all(len(revision) == len(schema.HEAD) for revision in oldest_first)


def test_upgrade_of_nothing_equals_a_new_schema(path: Path, tmp_path: Path) -> None:
    """Columns, keys, indexes and the rows that are always there."""
    assert schema.upgrade(url(path)) == (schema.EMPTY, schema.HEAD)
    fresh = tmp_path / "fresh.db"
    sqlite.make_file(fresh)
    schema.create(sqlite.owner_engine(fresh))
    assert _shape(fresh) == _shape(path)


def load(path: Path, dump: Path) -> None:
    """Make a file of a dump."""
    connection = sqlite3.connect(path)
    connection.executescript(dump.read_text(encoding="utf-8"))
    connection.close()


@pytest.mark.parametrize("dump", [VERSION_1, VERSION_2, VERSION_3], ids=["1", "2", "3"])
def test_upgraded_file_has_the_shape_of_a_new_one(path: Path, tmp_path: Path, dump: Path) -> None:
    """Whatever version it began with; every reference leads somewhere."""
    load(path, dump)
    assert schema.upgrade(url(path)) == (dump.stem.removeprefix("schema-"), schema.HEAD)
    fresh = tmp_path / "fresh.db"
    sqlite.make_file(fresh)
    schema.create(sqlite.owner_engine(fresh))
    old, new = _shape(path), _shape(fresh)
    assert {table: parts[:-1] for table, parts in old.items()} == {table: parts[:-1] for table, parts in new.items()}


def _shape(path: Path) -> dict[str, Any]:
    shape: dict[str, Any] = {}
    with sqlite.owner_engine(path).begin() as connection:
        inspector = sa.inspect(connection)
        for table in inspector.get_table_names():
            columns = [{**column, "type": repr(column["type"])} for column in inspector.get_columns(table)]
            shape[table] = (
                columns,
                inspector.get_pk_constraint(table),
                sorted(inspector.get_foreign_keys(table), key=repr),
                sorted(inspector.get_unique_constraints(table), key=repr),
                sorted(map(_index, inspector.get_indexes(table)), key=repr),
                inspector.get_table_options(table),
                sorted(connection.execute(sa.select(sa.text("*")).select_from(sa.table(table))).fetchall()),
            )
    assert set(shape) == {*metadata.tables, "alembic_version"}
    return shape


def _index(found: Any) -> dict[str, Any]:
    """An index; of its condition, the text."""
    options = {name: str(value) for name, value in found.get("dialect_options", {}).items()}
    return {**found, "dialect_options": options}


def test_upgrade_of_the_newest_changes_nothing(path: Path) -> None:
    """And says so."""
    schema.create(sqlite.owner_engine(path))
    before = _shape(path)
    assert schema.upgrade(url(path)) == (schema.HEAD, schema.HEAD)
    assert _shape(path) == before


async def test_file_of_version_1_is_upgraded_with_its_data(path: Path) -> None:
    """Every kind of data is found again."""
    load(path, VERSION_1)
    assert schema.upgrade(url(path)) == ("0001", schema.HEAD)
    store = open_store(url(path))
    ann, bob = await store.accounts()
    assert (ann.name, ann.rating, ann.experience, ann.rights) == (
        ANN,
        1482.7834149727653,
        3,
        frozenset({"admin"}),
    )
    assert (ann.settings.timezone, ann.settings.gagged) == ("Europe/Tallinn", frozenset({BOB}))
    assert (bob.name, bob.last_host, bob.last_logout) == (BOB, "example.org", 99.5)
    (row,) = await store.unfinished(BOB)
    assert (row.id, row.entries, row.left_by) == (2, ("o 6 3", "O m 24-18 13-10"), BOB)
    assert row.terms == MatchTerms(length=None, crawford=False, redoubles=3, autodoubles=1)
    assert (row.started, row.touched) == (40.5, 42.5)
    (message,) = await store.messages(BOB)
    assert (message.sender, message.text) == (ANN, "it's \u00e4")
    assert await store.counts() == Counts(accounts=2, saved_matches=1, finished_matches=1)
    assert await store.rolls() == ((6, 3, 2),)
    assert (ann.muted_until, bob.muted_until) == (None, None)
    assert (ann.recovery_hash, bob.recovery_hash) == (None, None)
    assert await store.match(MatchId(1)) == MatchRow(
        id=MatchId(1),
        names=BySide(o=ANN, x=BOB),
        terms=MatchTerms(length=3),
        started=10.0,
        entries=("o 3 1", "O m 8-5 6-5"),
        finished=20.0,
        touched=12.0,
    )
    assert (await store.bans(), await store.audits(9), await store.text("motd")) == ((), (), None)
    assert await store.close(1.0)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT winner, score_o, score_x FROM matches WHERE id = 1").fetchone() == (BOB, 1, 3)
    history = connection.execute("SELECT match_id, name, experience FROM rating_history ORDER BY name").fetchall()
    assert history == [(1, ANN, 3), (1, BOB, 3)]
    connection.close()


async def test_names_change_in_an_upgraded_file(path: Path) -> None:
    """As in a new one."""
    load(path, VERSION_1)
    schema.upgrade(url(path))
    caller = Caller(open_store(url(path))).start()
    anna = UserName("Anna")
    await caller.run(AccountRenamed(name=ANN, new_name=anna))
    (row,) = await caller.store.unfinished(anna)
    assert (row.id, row.names) == (2, BySide(o=BOB, x=anna))
    (message,) = await caller.store.messages(BOB)
    assert message.sender == anna
    await caller.run(finished(2, row.names), AccountErased(name=anna))
    assert [account.name for account in await caller.store.accounts()] == [BOB]
    assert await caller.store.close(1.0)


@pytest.mark.parametrize(
    ("dump", "version", "recovery_hash"), [(VERSION_2, "0002", None), (VERSION_3, "0003", HASH)], ids=["2", "3"]
)
async def test_file_of_a_later_version_is_read(path: Path, dump: Path, version: str, recovery_hash: str | None) -> None:
    """Every kind of data is found again."""
    load(path, dump)
    assert schema.upgrade(url(path)) == (version, schema.HEAD)
    store = open_store(url(path))
    ann, bob = await store.accounts()
    assert (ann.recovery_hash, bob.recovery_hash) == (recovery_hash, None)
    assert (ann.name, ann.muted_until, ann.rights) == (ANN, 99.5, frozenset({"admin"}))
    assert (bob.name, bob.settings.gagged, bob.experience) == (BOB, frozenset({ANN}), 3)
    row = await store.match(MatchId(1))
    assert row is not None
    assert (row.names, row.left_by, row.finished) == (BySide(o=UserName("erased_1"), x=BOB), "erased_1", 20.0)
    assert [row.entries for row in await store.unfinished(BOB)] == [("o 6 3",)]
    assert await store.messages(BOB) == (message(2),)
    network = attrs.evolve(ban(2, name=None, network="192.0.2.0/24", by="operator"), until=50.5)
    assert await store.bans() == (ban(1), network)
    assert await store.audits(9) == (audit("ban"), audit("mute", 16.5))
    assert await store.text("motd") == "Hello\n\u00e4"
    assert await store.rolls() == ((6, 3, 2),)
    assert await store.counts() == Counts(accounts=2, saved_matches=1, finished_matches=1)
    assert await store.close(1.0)


def test_upgrade_that_breaks_off_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file can be served by the old program as before."""
    migrate = schema._migrate

    def break_off(connection: sa.Connection) -> None:
        migrate(connection)
        connection.exec_driver_sql("SELECT nonsense")

    monkeypatch.setattr(schema, "_migrate", break_off)
    with pytest.raises(StoreError, match=r"cannot upgrade .*nonsense"):
        schema.upgrade(url(path))
    with sqlite.owner_engine(path).begin() as connection:
        assert sa.inspect(connection).get_table_names() == []


def test_upgrade_checks_references(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not enforced while it rebuilds tables."""
    schema.create(sqlite.owner_engine(path))

    def orphan(connection: sa.Connection) -> None:
        connection.exec_driver_sql("INSERT INTO journal VALUES (1, 0, 'x', 1.0)")

    monkeypatch.setattr(schema, "_migrate", orphan)
    with pytest.raises(StoreError, match="a row refers to a missing one"):
        schema.upgrade(url(path))


def test_upgrade_of_a_missing_file(tmp_path: Path) -> None:
    """A misspelt name does not make a new database."""
    with pytest.raises(StoreError, match="there is no"):
        schema.upgrade(url(tmp_path / "missing.db"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "complaint"), [("0000", "run `fibsd db upgrade`"), ("9999", "run a newer program")]
)
def test_other_versions_are_not_served(path: Path, version: str, complaint: str) -> None:
    """Nor changed by opening; a newer one is not touched by the upgrade either."""
    schema.create(sqlite.owner_engine(path))
    connection = sqlite.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    before = _shape(path)
    with pytest.raises(SchemaMismatch, match=complaint):
        open_store(url(path), serve=True)
    if version > schema.HEAD:
        with pytest.raises(SchemaMismatch, match=complaint):
            schema.upgrade(url(path))
    connection.close()
    assert _shape(path) == before


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE songs (title TEXT)",
        "CREATE TABLE alembic_version (version_num TEXT)",
        "CREATE TABLE alembic_version (version_num TEXT); INSERT INTO alembic_version VALUES (x'00')",
    ],
)
def test_database_of_somebody_else_is_left_alone(path: Path, script: str) -> None:
    """It may have tables of any kind."""
    connection = sqlite.connect(path)
    connection.executescript(script)
    connection.close()
    with pytest.raises(SchemaMismatch, match="no version of ours"):
        open_store(url(path))
    with pytest.raises(SchemaMismatch, match="no version of ours"):
        schema.upgrade(url(path))


def test_check_of_an_empty_database(path: Path) -> None:
    """It has no version yet."""
    with pytest.raises(SchemaMismatch, match="schema empty"):
        schema.check(sqlite.owner_engine(path))


def test_programs_that_meet_at_a_new_file_make_one_schema(path: Path) -> None:
    """The first makes it, the others find it."""
    run = functools.partial(schema.create, sqlite.owner_engine(path))
    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    schema.check(sqlite.owner_engine(path))


async def test_upgraded_file_is_served(path: Path) -> None:
    """Without further ado."""
    schema.upgrade(url(path))
    caller = Caller(open_store(url(path), serve=True)).start()
    await caller.register(ANN, BOB)
    await caller.run(started(1))
    assert await caller.store.close(1.0)


def test_serving_does_not_import_alembic(path: Path) -> None:
    """It takes most of a second."""
    program = (
        "import sys; from fibsd.storage.sql import open_store; open_store(sys.argv[1]);"
        "sys.exit('alembic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, url(path)], check=True)
