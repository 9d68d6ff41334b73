"""Many entries of journals in one statement, compared with one by one."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from fibsd.storage import sqlite
from fibsd.storage.sql import open_store
from fibsd.storage.sqlite_entries import Entries
from fibsd.storage.statements import ADD_ENTRY, CUT_JOURNAL
from fibsd.storage.steps import Write
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
    monkeypatch.setattr(Entries, "add", lambda *_: None)
    assert at_once == _written(tmp_path / "one_by_one.db", entries)
    assert bool(at_once[0]) == (len(at_once[1]) == len(START))


def test_the_first_of_each_match_is_checked_in_the_table(tmp_path: Path) -> None:
    """Its refusal names what is missing."""
    refused, journal = _written(tmp_path / "fibsd.db", [(1, 1), (2, 3)])
    assert refused == f"{StoreError.__name__}: no such entry before this one"
    assert [row[0] for row in journal] == [MatchId(1), MatchId(2), MatchId(2)]


def _prepared(path: Path) -> tuple[sqlite.SqliteSink, list[str]]:
    """A sink whose file has the matches, and what it says to SQLite from now on."""
    open_store(f"sqlite:///{path}")
    said: list[str] = []

    def connect() -> sqlite3.Connection:
        connection = sqlite.connect(path)
        connection.set_trace_callback(said.append)
        return connection

    sink = sqlite.SqliteSink(path, connect)
    accounts = tuple(AccountCreated(account=samples.account(name)) for name in (ANN, BOB))
    sink.write([Job(number=1, changes=(*accounts, *(samples.started(number) for number in (1, 2, 3))))])
    said.clear()
    return sink, said


def _words(said: list[str]) -> list[str]:
    """What was done, each by its first word."""
    words = [text.split()[0] for text in said]
    said.clear()
    return words


def test_entries_alone_are_one_statement(tmp_path: Path) -> None:
    """It is its own transaction; the newest entry of a match is looked up once."""
    sink, said = _prepared(tmp_path / "fibsd.db")
    sink.write([Job(number=2, changes=(samples.added(1, 0), samples.added(1, 1), samples.added(2, 0)))])
    assert _words(said) == ["SELECT", "SELECT", "INSERT"]
    sink.write([Job(number=3, changes=(samples.added(2, 1), samples.added(1, 2)))])
    assert _words(said) == ["INSERT"]
    sink.write([Job(number=4, changes=tuple(samples.added(1, seq) for seq in range(3, 70)))])
    assert _words(said) == ["BEGIN", "INSERT", "INSERT", "COMMIT"]
    sink.close()


def test_what_was_refused_is_not_remembered(tmp_path: Path) -> None:
    """The next entry is compared with what is there."""
    sink, said = _prepared(tmp_path / "fibsd.db")
    sink.write([Job(number=2, changes=(samples.added(1, 0),))])
    with pytest.raises(sqlite3.IntegrityError):
        sink.write([Job(number=3, changes=(samples.added(1, 1), samples.added(9, 0)))])
    said.clear()
    with pytest.raises(StoreError):
        sink.write([Job(number=3, changes=(samples.added(1, 2),))])
    sink.write([Job(number=4, changes=(samples.added(1, 1),))])
    sink.close()


def test_a_journal_that_was_cut_goes_on_where_it_ends(tmp_path: Path) -> None:
    """What is remembered of it ends with the batch that cuts it."""
    sink, _ = _prepared(tmp_path / "fibsd.db")
    sink.write([Job(number=2, changes=tuple(samples.added(1, seq) for seq in range(4)))])
    connection = sqlite.connect(tmp_path / "fibsd.db")
    entries = Entries()
    cursor = connection.cursor()

    def row(seq: int) -> dict[str, object]:
        return {"match_id": 1, "seq": seq, "entry": "n", "at": 1.0}

    assert entries.add(cursor, [row(4)]) == 1
    cursor.execute("DELETE FROM journal WHERE match_id = 1 AND seq >= 2")
    entries.notice([Write(ADD_ENTRY, [])])
    assert entries.add(cursor, [row(2)]) is None
    entries.notice([Write(CUT_JOURNAL, [{"id_": 1, "settled_": 2}])])
    assert entries.add(cursor, [row(3)]) is None
    assert entries.add(cursor, [row(2), row(3)]) == 2
    connection.close()
    sink.close()
