"""The journal's entries of many turns in one statement of SQLite.

The driver lets go of Python's lock twice for each row of an `executemany`, and each time the loop may take it:
then both threads wait for each other. One statement does that once, however many rows it has.
"""

import sqlite3
from collections.abc import Sequence
from functools import cache

import attrs

from fibsd.storage.statements import ADD_ENTRY, CUT_JOURNAL, DROP_JOURNAL
from fibsd.storage.steps import Parameters, Step, Write

MOST_ROWS = 64
"""Rows of one statement at most: its text depends on their number, and the driver keeps 128 texts ready."""

MOST_MATCHES = 10_000
"""Matches whose newest entry is remembered, at most; asked for again it costs 5 us."""

_INSERT = "INSERT INTO journal (match_id, seq, entry, at) VALUES "
_SHORTENING = frozenset({CUT_JOURNAL, DROP_JOURNAL})


@cache
def _text(count: int) -> str:
    return _INSERT + ",".join(["(?,?,?,?)"] * count)


def alone(steps: Sequence[Step]) -> Sequence[Parameters] | None:
    """The entries, if a batch is nothing else and so small that one statement is all of its transaction."""
    match steps:
        case [Write(statement, rows)] if statement is ADD_ENTRY and len(rows) <= MOST_ROWS:
            return rows
    return None


@attrs.define
class Entries:
    """Adds entries as `ADD_ENTRY` does one by one: each behind the one before it, or none of them.

    Nobody else writes to the journal, so the newest entry of each match is known without a look at the table.
    """

    _newest: dict[int, int] = attrs.Factory(dict)

    def add(self, cursor: sqlite3.Cursor, rows: Sequence[Parameters]) -> int | None:
        """Add these entries; call `forget` if they do not stay.

        Returns:
            How many there are. None, and nothing is done, if one of them does not follow the one before it, which is
            for `ADD_ENTRY` to refuse.
        """
        newest: dict[int, int] = {}
        flat: list[object] = []
        for row in rows:
            match, seq = row["match_id"], row["seq"]
            before = newest.get(match)
            if seq != (self._before(cursor, match) if before is None else before) + 1:
                return None
            newest[match] = seq
            flat += (match, seq, row["entry"], row["at"])
        for start in range(0, len(rows), MOST_ROWS):
            count = min(MOST_ROWS, len(rows) - start)
            cursor.execute(_text(count), flat[4 * start : 4 * (start + count)])
        if len(self._newest) > MOST_MATCHES:
            self.forget()
        self._newest |= newest
        return len(rows)

    def _before(self, cursor: sqlite3.Cursor, match: int) -> int:
        """Number of the newest entry; -1 if there is none."""
        known = self._newest.get(match)
        if known is None:
            (known,) = cursor.execute("SELECT max(seq) FROM journal WHERE match_id = ?", (match,)).fetchone()
        return -1 if known is None else known

    def notice(self, steps: Sequence[Step]) -> None:
        """Take note of what a batch has done to the journal besides adding to it."""
        if any(isinstance(step, Write) and step.statement in _SHORTENING for step in steps):
            self.forget()

    def forget(self) -> None:
        """Look in the table again: something that was written is not there, or no longer."""
        self._newest.clear()
