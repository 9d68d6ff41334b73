"""PostgreSQL: what its URL may be, the lock of the only server, and a database that is not what it was."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
import trio

from fibsd.storage import queries, schema, sql, writer
from fibsd.storage.database import database_of
from fibsd.storage.reading import Phrases, Reading, reading
from fibsd.storage.sql import SqlStore, open_store
from fibsd.storage.store import StoreError, StoreLocked

from . import samples
from .postgres import Server, schema_of
from .samples import ANN, BOB, Caller
from .test_writer import until

HOLD = (
    "import sys, time; from fibsd.storage.sql import open_store;"
    "store = open_store(sys.argv[1], serve=True); print('locked', flush=True); time.sleep(60)"
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FIRST_DELAY_S", 0.005)
    monkeypatch.setattr(writer, "LAST_DELAY_S", 0.02)


def test_driver_is_imported_only_when_needed() -> None:
    """And without it one line tells what to install."""
    program = (
        "import sys; sys.modules['psycopg'] = None; from fibsd.storage.sql import open_store; open_store('memory:');"
        "from fibsd.storage.database import database_of; database_of('sqlite:///x');"
        "from fibsd.storage.store import StoreError\n"
        "try: open_store('postgresql:///x')\n"
        "except StoreError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    (line,) = done.stdout.splitlines()
    assert line.startswith("PostgreSQL needs the extra `postgres` of fibsd: pip install 'fibsd[postgres]'")


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("postgresql://host/name?sslmod=require", 'invalid URI query parameter: "sslmod"$'),
        ("postgres://host:%zz/name", "this is no URL of PostgreSQL: "),
        ("postgresql://127.0.0.1:1/name?user=ann&password=secret", "cannot open PostgreSQL .*port=1.*: .*refused"),
        ("postgresql://%2Fnowhere/name", r"cannot open PostgreSQL host=/nowhere dbname=name: .*No such file"),
    ],
)
def test_url_that_leads_nowhere(url: str, complaint: str) -> None:
    """One line, without the password."""
    pytest.importorskip("psycopg")
    for serve in (False, True):
        with pytest.raises(StoreError, match=complaint) as caught:
            open_store(url, serve=serve)
        assert "\n" not in str(caught.value)
        assert "secret" not in str(caught.value)


def test_name_of_a_database_has_no_password() -> None:
    """It is for logs."""
    pytest.importorskip("psycopg")
    name = str(database_of("postgresql://ann:secret@h:5433/games?sslmode=require"))
    assert name == "PostgreSQL host=h port=5433 dbname=games user=ann"


async def test_two_servers_on_one_database(empty_postgres: str) -> None:
    """The second is refused at once, and so is an upgrade; a close makes room, and programs that do not serve may."""
    store = open_store(empty_postgres, serve=True)
    with pytest.raises(StoreLocked, match="another server uses PostgreSQL"):
        open_store(empty_postgres, serve=True)
    with pytest.raises(StoreLocked):
        schema.upgrade(empty_postgres)
    program = Caller(open_store(empty_postgres)).start()
    await program.register(ANN)
    assert await program.store.close(1.0)
    assert [account.name for account in await store.accounts()] == [ANN]
    assert await store.close(1.0)
    again = open_store(empty_postgres, serve=True)
    assert await again.close(1.0)


async def test_servers_in_two_schemas(empty_postgres: str, new_postgres: str) -> None:
    """Are not in each other's way."""
    for url in (empty_postgres, new_postgres):
        store = open_store(url, serve=True)
        assert (await store.counts()).accounts == 0
        assert await store.close(1.0)


def test_killed_server_leaves_no_lock(empty_postgres: str) -> None:
    """Kill -9 is enough to free it; the database's server notices at once."""
    with subprocess.Popen([sys.executable, "-c", HOLD, empty_postgres], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(StoreLocked):
            database_of(empty_postgres).lock()
        holder.kill()
    deadline = time.monotonic() + 2
    while True:
        try:
            database_of(empty_postgres).lock().release()
        except StoreLocked:
            assert time.monotonic() < deadline
        else:
            return


def test_failed_open_lets_go_of_the_lock(new_postgres: str, postgres: Server) -> None:
    """And of every connection."""
    with postgres.connect() as connection:
        name = schema_of(new_postgres)
        connection.execute(f"CREATE TABLE {name}.songs (title text)")
    for _ in range(2):
        with pytest.raises(StoreError, match="no version of ours"):
            open_store(new_postgres, serve=True)


@pytest.fixture
def serving(empty_postgres: str, postgres: Server) -> Iterator[str]:
    """The database; what still serves it at the end is cut off."""
    yield empty_postgres
    postgres.hang_up(empty_postgres)


async def test_connection_that_is_lost_only_delays(serving: str, postgres: Server) -> None:
    """Nothing is refused or lost, reading goes on, and the lock is taken again."""
    caller = Caller(open_store(serving, serve=True)).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1))
    for seq in range(3):
        postgres.hang_up(serving)
        await caller.run(samples.added(1, seq))
        (row,) = await caller.store.unfinished(ANN)
        assert len(row.entries) == seq + 1
        with pytest.raises(StoreLocked):
            open_store(serving, serve=True)
    assert await caller.store.close(1.0)


async def test_idle_server_takes_its_lock_again(
    serving: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without waiting for something to store."""
    monkeypatch.setattr(writer, "REST_S", 0.01)
    caller = Caller(open_store(serving, serve=True)).start()
    for _ in range(2):
        postgres.hang_up(serving, locked=True)
        await until(lambda: _is_locked(postgres))
        with pytest.raises(StoreLocked):
            open_store(serving, serve=True)
    assert await caller.store.close(1.0)


def _is_locked(postgres: Server) -> bool:
    with postgres.connect() as connection:
        found = connection.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted").fetchall()
    return bool(found)


async def test_server_that_lost_its_place_writes_nothing(serving: str, postgres: Server) -> None:
    """Until the other one is gone."""
    first = Caller(open_store(serving, serve=True)).start()
    await first.register(ANN, BOB)
    await first.run(samples.started(1))
    postgres.hang_up(serving)
    second = Caller(open_store(serving, serve=True)).start()
    number = first.submit(samples.added(1, 0))
    await until(lambda: "another server uses PostgreSQL" in (first.store.trouble() or ""))
    (row,) = await second.store.unfinished(ANN)
    assert row.entries == ()
    assert await second.store.close(1.0)
    assert (await first.outcome(number)).error is None
    assert await first.store.close(1.0)


async def test_other_database_under_the_same_name(new_postgres: str, postgres: Server) -> None:
    """It does not know our matches: nothing is written to it."""
    name = schema_of(new_postgres)
    caller = Caller(open_store(new_postgres, serve=True)).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1))
    with postgres.connect() as connection:
        connection.execute(f"ALTER SCHEMA {name} RENAME TO {name}_away; CREATE SCHEMA {name}")
        other = open_store(new_postgres)
        postgres.hang_up(new_postgres)
        number = caller.submit(samples.added(1, 0))
        await until(lambda: "is not the database that was opened" in (caller.store.trouble() or ""))
        assert (await other.counts()).accounts == 0
        assert await other.close(1.0)
        connection.execute(f"DROP SCHEMA {name} CASCADE; ALTER SCHEMA {name}_away RENAME TO {name}")
    assert (await caller.outcome(number)).error is None
    assert await caller.store.close(1.0)


async def test_restart_of_the_server_only_delays(serving: str, postgres: Server) -> None:
    """Even one without any warning: what was told is there, what was submitted meanwhile is stored."""
    if postgres.programs is None:
        pytest.skip("the PostgreSQL server is not ours to restart")
    caller = Caller(open_store(serving, serve=True)).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.to_thread.run_sync, lambda: postgres.control("-w", "-m", "immediate", "restart"))
        for seq in range(100):
            await caller.run(samples.added(1, seq))
            await trio.sleep(0.005)
            assert (await caller.store.counts()).accounts == 2
    (row,) = await caller.store.unfinished(BOB)
    assert len(row.entries) == 100
    assert isinstance(caller.store, SqlStore)
    assert caller.store.trouble() is None
    with pytest.raises(StoreLocked):
        open_store(serving, serve=True)
    assert await caller.store.close(1.0)


async def test_server_that_stays_away(postgres: Server, new_postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader gives up in the end; a query that fails for another reason fails at once."""
    monkeypatch.setattr(sql, "AWAY_S", 0.3)
    store = open_store(new_postgres)
    name = schema_of(new_postgres)
    with postgres.connect() as connection:
        connection.execute(f"ALTER TABLE {name}.rolls RENAME TO lost")
        with pytest.raises(StoreError, match=r"cannot read the store: .*rolls"):
            await store.rolls()
        connection.execute(f"ALTER TABLE {name}.lost RENAME TO rolls")
        connection.execute(f"BEGIN; LOCK TABLE {name}.rolls")
        monkeypatch.setattr(sql, "RETRY_S", 0.0)
        tries: list[Reading] = []

        def impatient(reading: Reading) -> object:
            tries.append(reading)
            reading.cursor.execute("SET LOCAL lock_timeout = 10")
            return queries.all_rolls(reading)

        assert isinstance(store, SqlStore)
        with pytest.raises(StoreError, match=r"cannot read the store: .*lock timeout"):
            await store._read(impatient)
        assert len(tries) > 2
        connection.execute("COMMIT")
    assert await store.rolls() == ()
    assert await store.close(1.0)


def test_connection_that_breaks_is_given_up_quietly(
    empty_postgres: str, postgres: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """The next reader gets another one, and the library has nothing to say about the first."""
    import psycopg

    database = database_of(empty_postgres)
    engine, phrases = database.reader(), Phrases(database.dialect())

    def read_on() -> None:
        with reading(engine, database, phrases) as transaction:
            transaction.cursor.execute("SELECT pg_backend_pid()")
            ((number,),) = transaction.cursor.fetchall()
            with postgres.connect() as connection:
                connection.execute("SELECT pg_terminate_backend(%s)", (number,))
            queries.all_rolls(transaction)

    with pytest.raises(psycopg.OperationalError) as caught:
        read_on()
    assert database.is_away(caught.value)
    assert caplog.records == []
    with reading(engine, database, phrases) as transaction:
        assert queries.all_rolls(transaction) == ()
    engine.dispose()


def test_first_reader_whose_connection_is_lost_at_once(empty_postgres: str, postgres: Server) -> None:
    """The library itself asks it something, and meets the loss."""
    database = database_of(empty_postgres)
    engine, phrases = database.reader(), Phrases(database.dialect())

    def lose(connection: sa.engine.interfaces.DBAPIConnection, _: object) -> None:
        with postgres.connect() as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", (connection.info.backend_pid,))

    sa.event.listen(engine, "connect", lose, insert=True, once=True)

    def read() -> tuple[tuple[int, int, int], ...]:
        with reading(engine, database, phrases) as transaction:
            return queries.all_rolls(transaction)

    with pytest.raises(sa.exc.OperationalError) as caught:
        read()
    assert database.is_away(caught.value)
    assert read() == ()
    engine.dispose()


def test_database_that_cannot_be_written(empty_postgres: str) -> None:
    """A standby, for instance."""
    with pytest.raises(StoreError, match="is read-only"):
        open_store(f"{empty_postgres}%20-cdefault_transaction_read_only%3Don", serve=True)


def test_database_of_another_encoding(postgres: Server) -> None:
    """Texts would come as bytes."""
    if postgres.programs is None:
        pytest.skip("the PostgreSQL server is not ours: no database is made there")
    with postgres.connect() as connection:
        connection.execute("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII'")
        with pytest.raises(StoreError, match="encoding is SQL_ASCII: UTF8 is needed"):
            open_store(postgres.url.replace("/postgres?", "/ascii?"))
        connection.execute("DROP DATABASE ascii")


def test_server_that_is_too_old(empty_postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line."""
    from fibsd.storage import postgres as module

    monkeypatch.setattr(module, "OLDEST", 990000)
    with pytest.raises(StoreError, match="is too old: 99 is needed"):
        open_store(empty_postgres)


def test_texts_are_compared_byte_by_byte(made_postgres: str, postgres: Server) -> None:
    """Whatever the database's locale."""
    schema_name = schema_of(made_postgres)
    with postgres.connect() as connection:
        found = connection.execute(
            "SELECT table_name, column_name, collation_name FROM information_schema.columns"
            " WHERE table_schema = %s AND data_type = 'text'",
            (schema_name,),
        ).fetchall()
    assert len(found) > 20
    assert {collation for _, _, collation in found} == {"C"}


def test_writer_is_safe_and_readers_see_one_state(empty_postgres: str) -> None:
    """And do not write."""
    import psycopg

    database = database_of(empty_postgres)
    with database.lock() as keeper:
        assert keeper.get().execute("SHOW synchronous_commit").fetchone() == ("on",)
        engine = database.reader()
        with engine.connect() as reader:
            assert reader.scalar(sa.text("SELECT count(*) FROM texts")) == 0
            keeper.get().execute("INSERT INTO texts VALUES ('motd', 'Hello')")
            assert reader.scalar(sa.text("SELECT count(*) FROM texts")) == 0
            with pytest.raises(sa.exc.DBAPIError, match="read-only") as caught:
                reader.execute(sa.text("DELETE FROM texts"))
            assert isinstance(caught.value.orig, psycopg.errors.ReadOnlySqlTransaction)
        engine.dispose()
