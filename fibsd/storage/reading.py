"""One transaction that reads: statements rendered once, run by the driver itself."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import sqlalchemy as sa

from fibsd.storage.database import Database
from fibsd.values import frozen

Row = Mapping[str, Any]


class Cursor(Protocol):
    """What both drivers have in common."""

    def execute(self, sql: str, parameters: Mapping[str, object] = ..., /) -> object:
        """Run a statement."""

    def fetchall(self) -> Sequence[Sequence[Any]]:
        """What was selected."""


@frozen
class Rendered:
    """A statement as the driver takes it.

    Attributes:
        text: Its text.
        constants: Parameters that never change, such as the bound of a list.
        columns: Names of what it selects.
        truths: Columns whose values are true or false, where the database knows only numbers.
    """

    text: str
    constants: Mapping[str, object]
    columns: tuple[str, ...]
    truths: tuple[str, ...]

    @classmethod
    def of(cls, statement: sa.Select[Any], dialect: sa.Dialect) -> "Rendered":
        """The statement in the words of one kind of database."""
        compiled = statement.compile(dialect=dialect)
        columns = statement.selected_columns
        truths = () if dialect.supports_native_boolean else columns.items()
        return cls(
            text=str(compiled),
            constants={key: value for key, value in compiled.params.items() if value is not None},
            columns=tuple(columns.keys()),
            truths=tuple(key for key, column in truths if isinstance(column.type, sa.Boolean)),
        )


class Phrases(dict[sa.Select[Any], Rendered]):
    """Statements rendered for one kind of database, each when it is wanted first."""

    def __init__(self, dialect: sa.Dialect) -> None:
        super().__init__()
        self._dialect = dialect

    def __missing__(self, statement: sa.Select[Any]) -> Rendered:
        rendered = self[statement] = Rendered.of(statement, self._dialect)
        return rendered


@frozen
class Reading:
    """A transaction, which sees one state of the data.

    It uses the driver itself: what a login asks takes 65 us so, and 220 us by way of the library.

    Attributes:
        cursor: The driver's.
        phrases: The statements.
    """

    cursor: Cursor
    phrases: Phrases

    def rows(self, statement: sa.Select[Any], **values: object) -> list[Row]:
        """What a statement selects."""
        rendered = self.phrases[statement]
        found: list[Row] = []
        for row in self._run(rendered, values):
            named = dict(zip(rendered.columns, row, strict=True))
            for column in rendered.truths:
                named[column] = bool(named[column])
            found.append(named)
        return found

    def number(self, statement: sa.Select[Any], **values: object) -> int:
        """The only value that a statement selects."""
        ((number,),) = self._run(self.phrases[statement], values)
        return int(number)

    def _run(self, rendered: Rendered, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
        self.cursor.execute(rendered.text, {**rendered.constants, **values})
        return self.cursor.fetchall()


@contextmanager
def reading(engine: sa.Engine, database: Database, phrases: Phrases) -> Iterator[Reading]:
    """A transaction on one of the engine's connections, for the time of the block.

    Raises:
        Exception: One of `Database.faults`.
    """
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        if database.begin:
            cursor.execute(database.begin)
        yield Reading(cursor, phrases)
    except database.faults:
        # It may be broken, and then the pool could not end the transaction.
        connection.invalidate()
        raise
    finally:
        # The pool ends the transaction.
        connection.close()
