"""Steps by which a batch of jobs is stored, and how they are taken in a transaction of a driver."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from fibsd.storage.statements import Statement
from fibsd.storage.store import StoreError
from fibsd.values import frozen

Parameters = Mapping[str, Any]


@frozen
class Write:
    """A statement and its rows of parameters."""

    statement: Statement
    rows: Sequence[Parameters]


@frozen(kw_only=True)
class Rewrite:
    """Rows that no statement can change: they are read, and some are written again.

    Attributes:
        find: Selects the rows.
        sought: Its parameters.
        again: The parameters of `statement` for one found row, or None if it stays as it is.
        statement: Writes a row.
    """

    find: Statement
    sought: Parameters
    again: Callable[..., Parameters | None]
    statement: Statement

    def write(self, found: Iterable[Sequence[object]]) -> Write:
        """What is to be written, given what was found."""
        rows = (self.again(*row) for row in found)
        return Write(self.statement, [row for row in rows if row is not None])


Step = Write | Rewrite


class Cursor(Protocol):
    """What both drivers have in common."""

    @property
    def rowcount(self) -> int:
        """How many rows the last statement met, with all its rows of parameters."""

    def execute(self, sql: str, parameters: Parameters, /) -> object:
        """Run a statement."""

    def executemany(self, sql: str, parameters: Sequence[Parameters], /) -> object:
        """Run a statement with each row of parameters."""

    def fetchall(self) -> Iterable[Sequence[object]]:
        """What was selected."""


Together = Callable[[Any, Sequence[Parameters]], int | None]
"""Writes many rows at once; gives how many were written, or None if that cannot be done with these."""


def take(
    steps: Iterable[Step],
    cursor: Cursor,
    sql: Mapping[Statement, str],
    together: Mapping[Statement, Together] = MappingProxyType({}),
) -> None:
    """Take these steps in the transaction of the cursor.

    It uses the driver itself, with statements rendered once: by way of the library a batch of five would take
    twice the time.

    Args:
        steps: What is to be done.
        cursor: The driver's.
        sql: The statements as it takes them.
        together: Statements whose rows are written by another one that takes many at once.

    Raises:
        StoreError: A row of parameters does not meet what it should.
        Exception: What the driver raises.
    """
    for step in steps:
        if isinstance(step, Rewrite):
            cursor.execute(sql[step.find], step.sought)
            step = step.write(cursor.fetchall())
        if not step.rows:
            continue
        met = together[step.statement](cursor, step.rows) if step.statement in together else None
        if met is None:
            cursor.executemany(sql[step.statement], step.rows)
            met = cursor.rowcount
        if step.statement.wanted is not None and met != len(step.rows):
            raise StoreError(f"no such {step.statement.wanted}")
