"""All data from one database to another."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import attrs
import pytest
import sqlalchemy as sa
import trio
from click.testing import CliRunner, Result

from fibsd import cli, cli_db
from fibsd.storage import copy as module
from fibsd.storage import schema, sqlite
from fibsd.storage.copy import copy
from fibsd.storage.database import database_of
from fibsd.storage.sql import open_store
from fibsd.storage.store import SchemaMismatch, StoreError, StoreLocked
from fibsd.storage.tables import metadata
from fibsd.world.account import Settings
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    Audited,
    BanSet,
    MessageLeft,
    MutedUntil,
    RecoveryChanged,
    RollsCounted,
    TextSet,
)
from fibsd.world.ids import UserName

from . import samples
from .samples import ANN, BOB, EVE, Caller


def _silent(table: str, done: int, total: int) -> None:
    """No progress."""


async def _fill(url: str) -> None:
    """Something in every table and column."""
    caller = Caller(open_store(url)).start()
    await caller.register(BOB, EVE, UserName("Cat"))
    ann = attrs.evolve(
        samples.account(ANN, rating=1504.4721359549996),
        settings=Settings(email="ann@example.org", gagged=frozenset({BOB})),
        rights=frozenset({"admin"}),
        last_login=0.1,
        last_host="example.org",
        last_logout=1e300,
    )
    await caller.run(AccountCreated(account=ann), AccountErased(name=UserName("Cat")))
    await caller.run(samples.started(1), samples.added(1, 0, "\u00e4\\N\t'\""), samples.added(1, 1))
    await caller.run(samples.finished(1, rating=samples.rated(BOB, ANN)), samples.started(2))
    await caller.run(MessageLeft(message=samples.message(4, text="a\nb\\")), MutedUntil(name=EVE, until=5.5))
    await caller.run(RecoveryChanged(name=EVE, recovery_hash=samples.HASH))
    await caller.run(BanSet(ban=samples.ban(2)), TextSet(key="motd", text="\u20ac"))
    await caller.run(*(Audited(audit=samples.audit(act)) for act in ("ban", "mute")))
    await caller.run(samples.opened(ANN), samples.opened(EVE), samples.staked(2, ANN, EVE))
    await caller.run(RollsCounted(counts=((6, 3, 2**40),)))
    assert await caller.store.close(1.0)


def _rows(url: str) -> dict[str, list[Any]]:
    engine = database_of(url).reader()
    try:
        with engine.connect() as connection:
            return {
                table.name: sorted(map(repr, connection.execute(sa.select(table))))
                for table in metadata.tables.values()
            }
    finally:
        engine.dispose()


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that is not made yet."""
    return _new(request.param, request, tmp_path)


def _new(kind: str, request: pytest.FixtureRequest, directory: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{directory / 'new' / 'target.db'}"
    url: str = request.getfixturevalue("new_postgres")
    return url


both = pytest.mark.parametrize("target", ["sqlite", "postgres"], indirect=True)


@both
async def test_everything_arrives(sql_url: str, target: str) -> None:
    """Between engines of any kind; the audit goes on where it was."""
    await _fill(sql_url)
    counts = copy(sql_url, target, _silent)
    before = _rows(sql_url)
    assert _rows(target) == before
    assert counts == {name: len(rows) for name, rows in before.items()}
    assert min(counts.values()) > 0
    caller = Caller(open_store(target, serve=True)).start()
    await caller.run(Audited(audit=samples.audit("rename")), samples.added(2, 0))
    assert [audit.act for audit in await caller.store.audits(3)] == ["ban", "mute", "rename"]
    assert await caller.store.close(1.0)


@both
def test_source_without_data(tmp_path: Path, target: str) -> None:
    """Gives a new database."""
    source = f"sqlite:///{tmp_path / 'fibsd.db'}"
    trio.run(open_store(source).close, 1.0)
    assert {name for name, rows in copy(source, target, _silent).items() if rows} == {"rolls"}
    assert _rows(target) == _rows(source)
    # And may be copied into again, since it is empty.
    copy(source, target, _silent)


@both
async def test_target_with_data_is_left_alone(sql_url: str, target: str) -> None:
    """Whatever they are; the source may be the target itself."""
    await _fill(sql_url)
    for change in (RollsCounted(counts=((1, 1, 1),)), TextSet(key="motd", text="x")):
        caller = Caller(open_store(target)).start()
        await caller.run(change)
        before = _rows(target)
        with pytest.raises(StoreError, match="has data already"):
            copy(sql_url, target, _silent)
        assert _rows(target) == before
        await caller.run(TextSet(key="motd", text=""))
        assert await caller.store.close(1.0)
    with pytest.raises(StoreError, match="has data already"):
        copy(sql_url, sql_url, _silent)


async def test_copy_is_of_one_moment(sql_url: str, tmp_path: Path) -> None:
    """What a server stores meanwhile is not in it."""
    await _fill(sql_url)
    before = _rows(sql_url)
    late: list[str] = []

    def store_more(table: str, done: int, total: int) -> None:
        """The last table is not read yet when the first one is done."""
        sink = database_of(sql_url).sink(None)
        name = UserName(f"late_{'abcdefghijklmnop'[len(late)]}")
        late.append(name)
        sink.write([samples_job(name)])
        sink.close()

    target = f"sqlite:///{tmp_path / 'target.db'}"
    copy(sql_url, target, store_more)
    assert _rows(target) == before
    assert len(late) == len(metadata.tables)
    assert len(_rows(sql_url)["accounts"]) == len(before["accounts"]) + len(late)


def samples_job(name: UserName) -> Any:
    """An account, and a text of its name."""
    from fibsd.storage.store import Job

    return Job(number=1, changes=(AccountCreated(account=samples.account(name)), TextSet(key=name, text="late")))


@both
async def test_copy_that_breaks_off_changes_nothing(sql_url: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be tried again; a count that differs is a reason, too."""
    await _fill(sql_url)

    def break_off(table: str, done: int, total: int) -> None:
        if table == "journal":
            raise OSError("no more")

    with pytest.raises(StoreError, match=r"cannot copy .* to .*: no more"):
        copy(sql_url, target, break_off)
    rows: Callable[..., Generator[Any]] = module._rows

    def lose_one(reading: sa.Connection, table: sa.Table, *others: Any) -> Generator[Any]:
        for number, row in enumerate(rows(reading, table, *others)):
            if (table.name, number) != ("matches", 0):
                yield row

    with monkeypatch.context() as patch:
        patch.setattr(module, "_rows", lose_one)
        with pytest.raises(StoreError, match="1 of 2 rows of matches arrived"):
            copy(sql_url, target, _silent)
    copy(sql_url, target, _silent)
    assert _rows(target) == _rows(sql_url)


def test_progress_counts_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the number of rows, for each table that has some."""
    monkeypatch.setattr(module, "CHUNK", 15)
    source = f"sqlite:///{tmp_path / 'fibsd.db'}"
    trio.run(_fill, source)
    told: list[tuple[str, int, int]] = []
    counts = copy(source, f"sqlite:///{tmp_path / 'target.db'}", lambda *news: told.append(news))
    assert [news for news in told if news[0] == "rolls"] == [("rolls", 15, 36), ("rolls", 30, 36), ("rolls", 36, 36)]
    assert {table: done for table, done, total in told if done == total} == counts


@both
def test_other_versions_are_not_copied(tmp_path: Path, target: str) -> None:
    """Neither from nor to; nothing is made."""
    source = tmp_path / "fibsd.db"
    for version, complaint in (("0000", "run `fibsd db upgrade`"), ("9999", "run a newer program")):
        trio.run(open_store(f"sqlite:///{source}").close, 1.0)
        with sqlite.owner_engine(source).begin() as connection:
            connection.execute(schema._version.update().values(version_num=version))
        with pytest.raises(SchemaMismatch, match=complaint):
            copy(f"sqlite:///{source}", target, _silent)
        assert not (tmp_path / "new").exists()
        source.unlink()
    trio.run(open_store(f"sqlite:///{source}").close, 1.0)
    trio.run(open_store(target).close, 1.0)
    with database_of(target).owner().begin() as connection:
        connection.execute(schema._version.update().values(version_num="0000"))
    with pytest.raises(SchemaMismatch, match="run `fibsd db upgrade`"):
        copy(f"sqlite:///{source}", target, _silent)


@both
def test_target_that_is_served(tmp_path: Path, target: str) -> None:
    """Is refused at once; the source may be served."""
    source = f"sqlite:///{tmp_path / 'fibsd.db'}"
    serving = open_store(source, serve=True)
    other = open_store(target, serve=True)
    with pytest.raises(StoreLocked):
        copy(source, target, _silent)
    trio.run(other.close, 1.0)
    copy(source, target, _silent)
    trio.run(serving.close, 1.0)


def test_row_that_postgresql_cannot_hold(tmp_path: Path, new_postgres: str) -> None:
    """One line; nothing has arrived."""
    source = f"sqlite:///{tmp_path / 'fibsd.db'}"
    trio.run(_fill, source)
    with database_of(source).owner().begin() as connection:
        connection.exec_driver_sql("UPDATE messages SET text = 'a' || char(0)")
    with pytest.raises(StoreError, match=r"cannot copy .*NUL") as caught:
        copy(source, new_postgres, _silent)
    assert "\n" not in str(caught.value)
    assert _rows(new_postgres)["accounts"] == []


# --- the command -----------------------------------------------------------------------------------------------


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, ["db", "copy", *arguments])


@both
def test_command_tells_how_many(tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of each table, and of all; progress only on a terminal."""
    source = f"sqlite:///{tmp_path / 'fibsd.db'}"
    trio.run(_fill, source)
    result = _run(source, target)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split() for line in lines[:-1]] == [
        *(["accounts", "4"], ["audit", "2"], ["ledger", "8"], ["rolls", "36"], ["texts", "1"], ["bans", "1"]),
        *(["matches", "2"], ["messages", "1"], ["journal", "2"], ["rating_history", "2"]),
    ]
    assert lines[-1] == "Copied 59 rows; each table has as many as in the source."


def test_progress_is_one_line_for_each_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Written over itself."""
    for done in (1000, 2000, 2400):
        cli_db.show_progress("journal", done, 2400)
    rows = "\rjournal: 1000 of 2400 rows\rjournal: 2000 of 2400 rows\rjournal: 2400 of 2400 rows\n"
    assert capsys.readouterr().err == rows


@pytest.mark.parametrize("source", ["sqlite:///missing.db", "memory:", "nonsense"])
def test_command_that_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """One line and exit status 3; nothing is made."""
    monkeypatch.chdir(tmp_path)
    result = _run(source, "sqlite:///target.db")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
