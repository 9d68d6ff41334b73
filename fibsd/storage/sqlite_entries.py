"""The journal's entries of many turns in one statement of SQLite.

The driver lets go of Python's lock three times for each row of an `executemany`, and each time the loop may take it:
then both threads wait for each other. One statement does that once, however many rows it has.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from fibsd.storage.batch import Parameters, Together
from fibsd.storage.statements import ADD_ENTRY, Statement

MOST_ROWS = 64
"""Rows of one statement at most: its text depends on their number, and the driver keeps 128 texts ready."""

_INSERT = (
    "INSERT INTO journal (match_id, seq, entry, at) SELECT column1, column2, column3, column4 FROM (VALUES {rows})"
    " WHERE NOT column5 OR column2 = 0"
    " OR EXISTS (SELECT 1 FROM journal WHERE match_id = column1 AND seq = column2 - 1)"
)


@cache
def _text(count: int) -> str:
    return _INSERT.format(rows=",".join(["(?,?,?,?,?)"] * count))


def add_entries(cursor: sqlite3.Cursor, rows: Sequence[Parameters]) -> int | None:
    """Add these entries, as `ADD_ENTRY` does one by one.

    Whether an entry has its predecessor in the table is asked for the first of each match only.

    Returns:
        How many were added: all but the first ones of a match without their predecessors. None, and nothing is done,
        if the entries of a match do not follow each other, which is for `ADD_ENTRY` to refuse.
    """
    flat = _checked(rows)
    if flat is None:
        return None
    added = 0
    for start in range(0, len(rows), MOST_ROWS):
        count = min(MOST_ROWS, len(rows) - start)
        cursor.execute(_text(count), flat[5 * start : 5 * (start + count)])
        added += cursor.rowcount
    return added


def _checked(rows: Sequence[Parameters]) -> list[object] | None:
    """All values in a row, each entry's with whether it is the first of its match."""
    newest: dict[int, int] = {}
    flat: list[object] = []
    for row in rows:
        match, seq = row["match_id"], row["seq"]
        before = newest.get(match)
        if before is not None and seq != before + 1:
            return None
        newest[match] = seq
        flat += (match, seq, row["entry"], row["at"], before is None)
    return flat


TOGETHER: Mapping[Statement, Together] = MappingProxyType({ADD_ENTRY: add_entries})
"""What SQLite does at once."""
