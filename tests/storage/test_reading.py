"""What is asked by way of the driver itself, compared with the library's own way."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from fibsd.storage import queries
from fibsd.storage.database import database_of
from fibsd.storage.reading import Phrases, reading
from fibsd.storage.sql import open_store
from fibsd.world.changes import Audited, BanSet, MessageLeft, RollsCounted, TextSet

from . import samples
from .samples import ANN, BOB, EVE, Caller

VALUES = {
    "name": ANN,
    "key_": "ann",
    "account": ANN,
    "match": 1,
    "since": 1e9,
    "after": 0,
    "many": 10,
    "before": 0,
    "experience": 0,
    "rating": 1400.0,
}
"""For every parameter of any statement."""


def _statements() -> list[sa.Select[Any]]:
    """All that the module asks."""
    found: list[sa.Select[Any]] = []
    for value in vars(queries).values():
        found += [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, sa.Select)]
    return found


def _cells(row: Mapping[str, object]) -> list[tuple[str, type, object]]:
    """What is in a row; a column without a name is read by its place."""
    unnamed = len(row) == 1
    return [("" if unnamed else name, type(value), value) for name, value in row.items()]


async def _fill(url: str) -> None:
    caller = Caller(open_store(url)).start()
    await caller.register(ANN, BOB, EVE)
    await caller.run(samples.opened(ANN), samples.opened(BOB))
    await caller.run(samples.started(1), samples.added(1, 0), samples.added(1, 1, at=12.0), samples.started(2))
    await caller.run(samples.finished(2, rating=samples.rated(BOB, ANN)), samples.staked(1, ANN))
    await caller.run(MessageLeft(message=samples.message(1, to=ANN)), RollsCounted(counts=((3, 1, 7),)))
    await caller.run(BanSet(ban=samples.ban(1)), Audited(audit=samples.audit("ban")), TextSet(key="ann", text="Hi"))
    assert await caller.store.close(1.0)


async def test_the_driver_answers_as_the_library_does(sql_url: str) -> None:
    """Each statement gives the same rows, with values of the same kinds."""
    await _fill(sql_url)
    database = database_of(sql_url)
    engine, phrases = database.reader(), Phrases(database.dialect())
    answered = 0
    for statement in _statements():
        names = {key for key in statement.compile().params if key in VALUES}
        values = {name: VALUES[name] for name in names}
        with reading(engine, database, phrases) as transaction:
            rows = transaction.rows(statement, **values)
        with engine.connect() as connection:
            expected = [dict(row) for row in connection.execute(statement, values).mappings()]
        assert [_cells(row) for row in rows] == [_cells(row) for row in expected]
        answered += bool(rows)
    engine.dispose()
    assert answered > 15


async def test_a_transaction_sees_one_state(sql_url: str) -> None:
    """Whatever is stored meanwhile."""
    caller = Caller(open_store(sql_url)).start()
    await caller.register(ANN)
    database = database_of(sql_url)
    engine, phrases = database.reader(), Phrases(database.dialect())
    with reading(engine, database, phrases) as transaction:
        assert queries.account(transaction, "bob") is None
        await caller.register(BOB)
        assert queries.account(transaction, "bob") is None
    with reading(engine, database, phrases) as transaction:
        assert queries.account(transaction, "bob") is not None
    engine.dispose()
    assert await caller.store.close(1.0)
