"""Many entries of journals in one statement, compared with one by one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest

from fibsd.storage import sqlite
from fibsd.storage.sql import open_store
from fibsd.storage.store import Job, StoreError
from fibsd.world.changes import AccountCreated
from fibsd.world.ids import MatchId

from . import samples
from .samples import ANN, BOB

START = ((1, 0), (2, 0), (2, 1))
"""Match and number of the entries that are there already."""

CASES: dict[str, Sequence[tuple[int, int]]] = {
    "one": [(1, 1)],
    "the first of a match": [(3, 0)],
    "of several matches": [(2, 2), (1, 1), (3, 0)],
    "several of one match": [(1, 1), (2, 2), (1, 2), (1, 3)],
    "more than a statement takes": [(1, seq) for seq in range(1, 200)],
    "without the one before": [(2, 2), (1, 2)],
    "without one in between": [(1, 1), (1, 3)],
    "in the wrong order": [(1, 2), (1, 1)],
    "twice": [(1, 1), (1, 1)],
    "there already": [(2, 1)],
    "of no match": [(2, 2), (9, 0)],
}


def _written(path: Path, entries: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[object, ...]]]:
    """How the entries are refused, if they are, and the journal after that."""
    open_store(f"sqlite:///{path}")
    sink = sqlite.SqliteSink(path, partial(sqlite.connect, path))
    accounts = tuple(AccountCreated(account=samples.account(name)) for name in (ANN, BOB))
    sink.write([Job(number=1, changes=(*accounts, *(samples.started(number) for number in (1, 2, 3))))])
    sink.write([Job(number=2, changes=tuple(samples.added(*entry) for entry in START))])
    refused = ""
    try:
        sink.write(
            [
                Job(number=3, changes=(samples.added(match, seq, f"{match}.{seq}", at=seq + 0.1),))
                for match, seq in entries
            ]
        )
    except Exception as error:
        refused = f"{type(error).__name__}: {error}"
    sink.close()
    connection = sqlite.connect(path)
    found = connection.execute("SELECT match_id, seq, entry, at FROM journal ORDER BY match_id, seq").fetchall()
    connection.close()
    return refused, found


@pytest.mark.parametrize("entries", CASES.values(), ids=CASES.keys())
def test_at_once_is_the_same_as_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: Sequence[tuple[int, int]]
) -> None:
    """What is stored, and how it is refused."""
    at_once = _written(tmp_path / "at_once.db", entries)
    monkeypatch.setattr(sqlite, "TOGETHER", MappingProxyType({}))
    assert at_once == _written(tmp_path / "one_by_one.db", entries)
    assert bool(at_once[0]) == (len(at_once[1]) == len(START))


def test_the_first_of_each_match_is_checked_in_the_table(tmp_path: Path) -> None:
    """Its refusal names what is missing."""
    refused, journal = _written(tmp_path / "fibsd.db", [(1, 1), (2, 3)])
    assert refused == f"{StoreError.__name__}: no such entry before this one"
    assert [row[0] for row in journal] == [MatchId(1), MatchId(2), MatchId(2)]
