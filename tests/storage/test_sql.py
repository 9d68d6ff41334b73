"""The database store: opening it, its files, its rows, and what it makes of damaged ones."""

import json
import sqlite3
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from fibsd.backgammon.side import BySide
from fibsd.storage import queries, sqlite
from fibsd.storage.codec import decode_settings, encode_settings
from fibsd.storage.memory import MemoryStore
from fibsd.storage.sql import open_store
from fibsd.storage.store import StoreError
from fibsd.world.account import DEFAULT_TOGGLES, Settings, SortWho, Toggle
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    AccountRenamed,
    Audited,
    BanSet,
    Change,
    MessageLeft,
    TextSet,
)
from fibsd.world.ids import UserName

from . import samples
from .samples import ANN, BOB, EVE, PLAYERS, Caller


@attrs.frozen
class Opened:
    """A store with Ann, bob, a match and a message, and a connection that ignores our rules."""

    caller: Caller
    raw: sqlite3.Connection


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    """See `Opened`."""
    path = tmp_path / "fibsd.db"
    caller = Caller(open_store(f"sqlite:///{path}")).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1), samples.added(1, 0), samples.added(1, 1))
    await caller.run(MessageLeft(message=samples.message(1)))
    raw = sqlite3.connect(path, isolation_level=None)
    yield Opened(caller, raw)
    raw.close()
    assert await caller.store.close(1.0)


async def test_memory_url() -> None:
    """Gives the store without a file."""
    assert isinstance(open_store("memory:"), MemoryStore)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("postgresql+psycopg://u@h/d", r"'postgresql\+psycopg' are not supported; use .*postgresql://"),
        ("mysql://u@h/d", "'mysql' are not supported"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite://host/file", "names no file"),
        ("sqlite:///file.db?mode=ro", "names no file"),
        ("/var/lib/fibsd.db", "no database URL"),
        ("", "no database URL"),
    ],
)
def test_url_that_cannot_be_served(url: str, complaint: str) -> None:
    """The complaint says why, and nothing is made."""
    with pytest.raises(StoreError, match=complaint):
        open_store(url)


async def test_new_file_is_private(tmp_path: Path) -> None:
    """And so are its directory and the files beside it."""
    path = tmp_path / "new" / "deeper" / "fibsd #1?.db"
    caller = Caller(open_store(f"sqlite:///{str(path).replace('?', '%3F')}", serve=True)).start()
    path = next(path.parent.glob("*.db"))
    await caller.register(ANN)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    beside = sorted(path.parent.iterdir())
    assert len(beside) == 4  # the database, its log, the log's index, the lock
    assert {file.stat().st_mode & 0o777 for file in beside} == {0o600}
    assert await caller.store.close(1.0)
    assert sorted(path.parent.iterdir()) == [path, path.with_name(path.name + ".lock")]


async def test_link_to_a_file_that_does_not_exist_yet(tmp_path: Path) -> None:
    """The file is made where the link points."""
    (tmp_path / "link.db").symlink_to(tmp_path / "data" / "real.db")
    store = open_store(f"sqlite:///{tmp_path / 'link.db'}")
    assert (tmp_path / "data" / "real.db").stat().st_size > 0
    assert await store.close(1.0)


def test_directory_that_cannot_be_made(tmp_path: Path) -> None:
    """Says which file was wanted."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot make .*fibsd\.db"):
        open_store(f"sqlite:///{tmp_path / 'file' / 'fibsd.db'}")
    with pytest.raises(StoreError, match="cannot open"):
        open_store(f"sqlite:///{tmp_path}")


async def test_data_survive_a_restart(tmp_path: Path) -> None:
    """Another store on the same file finds them."""
    url = f"sqlite:///{tmp_path / 'fibsd.db'}"
    caller = Caller(open_store(url)).start()
    await caller.register(ANN, BOB)
    await caller.run(samples.started(1), samples.added(1, 0, "\u00e4\u0000'\""))
    assert await caller.store.close(1.0)
    again = open_store(url)
    (row,) = await again.unfinished(BOB)
    assert row.entries == ("\u00e4\u0000'\"",)
    assert (await again.next_ids()).match == 2
    assert await again.close(1.0)


async def test_closed_store_is_not_read(tmp_path: Path) -> None:
    """A late query is told so."""
    store = open_store(f"sqlite:///{tmp_path / 'fibsd.db'}")
    assert await store.close(1.0)
    with pytest.raises(StoreError, match="closed"):
        await store.counts()


def test_connections_are_safe_and_readers_do_not_write(tmp_path: Path) -> None:
    """What the driver would do by default is not enough."""
    path = tmp_path / "fibsd.db"
    open_store(f"sqlite:///{path}")
    connection = sqlite.connect(path)
    settings = [
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")
    ]
    assert settings == ["wal", 2, 1]
    connection.close()
    reader = sqlite.connect(path, reader=True)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM rolls")
    reader.close()


@pytest.mark.parametrize("names", [PLAYERS, PLAYERS.swap()], ids=["same colours", "other colours"])
async def test_result_is_kept_by_name(opened: Opened, names: BySide[Any]) -> None:
    """Whatever colours the players had in the last game, X winning 3-1; both ratings get a row of history."""
    rating = samples.rated(winner=names.x, loser=names.o)
    await opened.caller.run(samples.finished(1, names, rating=rating))
    row = opened.raw.execute("SELECT name_o, winner, score_o, score_x FROM matches").fetchone()
    points = (1, 3) if names.x == BOB else (3, 1)
    assert row == (ANN, names.x, *points)
    history = opened.raw.execute("SELECT * FROM rating_history ORDER BY rating_after").fetchall()
    assert history == [(1, change.name, 1500.0, change.rating_after, 3) for change in (rating.loser, rating.winner)]


@pytest.mark.parametrize(
    ("change", "name"),
    [(AccountRenamed(name=BOB, new_name=UserName("Rob")), "Rob"), (AccountErased(name=BOB), "erased_1")],
)
async def test_winner_and_rating_history_follow_a_name(opened: Opened, change: Change, name: str) -> None:
    """Nobody reads them yet, but they are there."""
    await opened.caller.register(EVE)
    others = BySide(o=ANN, x=EVE)
    await opened.caller.run(samples.started(2, others), samples.finished(2, others, rating=samples.rated(EVE, ANN)))
    await opened.caller.run(samples.finished(1, rating=samples.rated(BOB, ANN)), change)
    winners = opened.raw.execute("SELECT winner FROM matches ORDER BY id").fetchall()
    assert winners == [(name,), (EVE,)]
    history = opened.raw.execute("SELECT name FROM rating_history ORDER BY match_id, rating_after").fetchall()
    assert history == [(ANN,), (name,), (ANN,), (EVE,)]
    assert opened.raw.execute("PRAGMA foreign_key_check").fetchall() == []


async def test_erased_account_keeps_nothing_of_its_user(opened: Opened) -> None:
    """But its rating, which was public; nobody can log in as it."""
    ann = attrs.evolve(
        samples.account(ANN),
        settings=Settings(email="ann@example.org"),
        rights=frozenset({"admin"}),
        last_host="example.org",
        last_login=2.5,
        last_logout=3.5,
        muted_until=4.5,
        recovery_hash=samples.HASH,
    )
    cat = UserName("Cat")
    await opened.caller.run(AccountCreated(account=attrs.evolve(ann, name=cat)), AccountErased(name=cat))
    opened.raw.row_factory = sqlite3.Row
    row = dict(opened.raw.execute("SELECT * FROM accounts WHERE erased = 1").fetchone())
    assert row == {
        "name": "erased_1",
        "key": "erased_1",
        "password_hash": "",
        "rating": 1500.0,
        "experience": 0,
        "created": 1.5,
        "last_login": None,
        "last_host": None,
        "last_logout": None,
        "settings": encode_settings(Settings()),
        "rights": "",
        "muted_until": None,
        "erased": 1,
        "recovery_hash": None,
    }


@pytest.mark.parametrize("settings", ["{", '"Ann"', '["Ann"]', '{"gagged": "Ann"}', '{"gagged": {"Ann": 1}}'])
async def test_name_changes_in_spite_of_damage_elsewhere(opened: Opened, settings: str) -> None:
    """What cannot be read is left as it is, for whoever mends it."""
    opened.raw.execute(
        "UPDATE accounts SET settings = ? WHERE name = 'bob'", (settings + ' "Ann"' * (settings == "{"),)
    )
    before = opened.raw.execute("SELECT settings FROM accounts WHERE name = 'bob'").fetchone()
    await opened.caller.run(AccountRenamed(name=ANN, new_name=UserName("Anna")))
    assert opened.raw.execute("SELECT settings FROM accounts WHERE name = 'bob'").fetchone() == before


async def test_renaming_keeps_settings_of_a_later_version(opened: Opened) -> None:
    """Only the lists are changed."""
    opened.raw.execute(
        "UPDATE accounts SET settings = ? WHERE name = 'bob'", ('{"colour":"blue","gagged":["Ann","Cat"]}',)
    )
    await opened.caller.run(AccountRenamed(name=ANN, new_name=UserName("Zoe")))
    found = opened.raw.execute("SELECT settings FROM accounts WHERE name = 'bob'").fetchone()
    assert found == ('{"colour":"blue","gagged":["Cat","Zoe"]}',)


@pytest.mark.parametrize("statements", [queries._UNFINISHED, queries._LAST_FINISHED])
def test_matches_of_a_user_are_found_by_index(tmp_path: Path, statements: tuple[Any, ...]) -> None:
    """However many finished ones there are."""
    path = tmp_path / "fibsd.db"
    open_store(f"sqlite:///{path}")
    with sqlite.owner_engine(path).begin() as connection:
        for statement, index in zip(statements, ("ix_matches_name_o", "ix_matches_name_x"), strict=True):
            text = str(statement.compile(connection, compile_kwargs={"render_postcompile": True}))
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", ("Ann",) * text.count("?")).fetchall()
            steps = [step for (_, _, _, step) in plan]
            assert any(f"matches USING INDEX {index}" in step for step in steps)
            assert not any("SCAN" in step or "TEMP B-TREE FOR ORDER" in step for step in steps)


DAMAGE: list[tuple[str, object]] = [
    ("rating", -1.0),
    ("rating", float("inf")),
    ("rating", "high"),
    ("rating", b""),
    ("experience", -1),
    ("experience", 1.5),
    ("key", "anne"),
    ("password_hash", b""),
    ("created", "today"),
    ("last_login", float("-inf")),
    ("muted_until", "x"),
    ("settings", "{"),
    ("settings", "[]"),
    ("settings", "[" * 100_000),
    ("settings", '{"linelength": 1000}'),
    ("settings", '{"linelength": true}'),
    ("settings", '{"boardstyle": 4}'),
    ("settings", '{"redoubles": -1}'),
    ("settings", '{"toggles": ["bell"]}'),
    ("settings", '{"toggles": {"bell": 1}}'),
    ("settings", '{"gagged": [1]}'),
    ("settings", '{"gagged": {"bob": true}}'),
    ("settings", '{"email": 5}'),
    ("settings", '{"sortwho": 5}'),
]


@pytest.mark.parametrize(("column", "value"), DAMAGE, ids=[repr(pair)[:60] for pair in DAMAGE])
async def test_damaged_account_is_refused(opened: Opened, column: str, value: object) -> None:
    """With the table, the row and the column in the complaint; others are found as ever."""
    change = f"UPDATE accounts SET {column} = ? WHERE name = 'Ann'"
    opened.raw.execute(change, (value,))
    store = opened.caller.store
    with pytest.raises(StoreError, match=rf"damaged row in accounts, 'Ann': {column}"):
        await store.accounts()
    assert await store.account("bob") is not None


async def test_damaged_rating_in_a_list(opened: Opened) -> None:
    """The ratings list does not show it as a number."""
    opened.raw.execute("UPDATE accounts SET rating = 9e999 WHERE name = 'Ann'")
    with pytest.raises(StoreError, match="damaged row in accounts, 'Ann': rating is inf"):
        await opened.caller.store.ranking(1, 2, min_experience=0)
    with pytest.raises(StoreError, match="damaged row in accounts, 'Ann': rating is inf"):
        await opened.caller.store.rank(ANN, min_experience=0)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE matches SET length = 0", "damaged row in matches, 1: length is 0"),
        ("UPDATE matches SET started = 'x'", "damaged row in matches, 1: started is 'x'"),
        ("UPDATE matches SET redoubles = 'x'", "damaged row in matches, 1: redoubles is 'x'"),
        ("UPDATE matches SET left_by = ''", "damaged row in matches, 1: left_by is ''"),
        ("UPDATE journal SET at = 'x'", "damaged row in matches, 1: newest is 'x'"),
        ("UPDATE journal SET entry = x'00' WHERE seq = 1", r"damaged row in journal, \(1, 1\): entry is b"),
        ("DELETE FROM journal WHERE seq = 0", "damaged journal of match 1: entry 0 is missing"),
        ("UPDATE journal SET seq = -1 WHERE seq = 0", "damaged journal of match 1: entry 0 is missing"),
    ],
)
async def test_damaged_match_is_refused(opened: Opened, damage: str, complaint: str) -> None:
    """A game must not go on from what was not played."""
    opened.raw.execute(damage)
    with pytest.raises(StoreError, match=complaint):
        await opened.caller.store.unfinished(ANN)
    with pytest.raises(StoreError, match=complaint):
        await opened.caller.store.last_match(BOB)


async def test_damaged_match_does_not_hide_the_rest_of_an_arrival(opened: Opened) -> None:
    """Its user can come in without his matches, and the log is told why."""
    opened.raw.execute("UPDATE matches SET length = 0")
    found = await opened.caller.store.arrival("bob")
    assert found is not None
    assert "damaged row in matches, 1: length is 0" in str(found.fault)
    assert (found.account.name, found.unfinished, len(found.messages)) == (BOB, (), 1)


async def test_damaged_message_is_refused(opened: Opened) -> None:
    """With its number."""
    opened.raw.execute("UPDATE messages SET text = x'ff'")
    with pytest.raises(StoreError, match=r"damaged row in messages, 1: text is b'\\xff'"):
        await opened.caller.store.messages(BOB)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE bans SET network = 'x'", "damaged row in bans, 1: network is 'x'"),
        ("UPDATE bans SET name = NULL", "damaged row in bans, 1: network is None"),
        ("UPDATE bans SET until = 'x'", "damaged row in bans, 1: until is 'x'"),
        ("UPDATE bans SET reason = x'ff'", "damaged row in bans, 1: reason is b"),
        ("UPDATE audit SET at = 9e999", "damaged row in audit, 1: at is inf"),
        ("UPDATE audit SET details = x'ff'", "damaged row in audit, 1: details is b"),
        ("UPDATE texts SET text = x'ff'", "damaged row in texts, 'motd': text is b"),
    ],
)
async def test_damaged_row_of_administration_is_refused(opened: Opened, damage: str, complaint: str) -> None:
    """With the table, the row and the column."""
    await opened.caller.run(
        BanSet(ban=samples.ban(1)), Audited(audit=samples.audit("ban")), TextSet(key="motd", text="Hello")
    )
    opened.raw.execute(damage)
    store = opened.caller.store
    with pytest.raises(StoreError, match=complaint):
        await {"bans": store.bans, "audit": partial(store.audits, 1), "texts": partial(store.text, "motd")}[
            damage.split()[1]
        ]()


async def test_store_that_cannot_be_read(opened: Opened) -> None:
    """Is a `StoreError`, whatever the library calls it."""
    opened.raw.execute("DROP TABLE rolls")
    with pytest.raises(StoreError, match=r"cannot read the store: .*no such table"):
        await opened.caller.store.rolls()


def test_settings_of_another_version() -> None:
    """Unknown words are passed over, missing ones are at their default."""
    kept = json.loads(encode_settings(Settings(boardstyle=2)))
    kept["toggles"] = {"bell": True, "report": False, "clock": True}
    kept["sortwho"] = "sideways"
    kept["colour"] = "blue"
    del kept["timezone"]
    assert decode_settings(json.dumps(kept), name="Ann") == Settings(
        toggles=DEFAULT_TOGGLES - {Toggle.REPORT} | {Toggle.BELL}, boardstyle=2, sortwho=SortWho.LOGIN
    )
    assert decode_settings("{}", name="Ann") == Settings()
