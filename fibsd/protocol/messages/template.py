"""What a sentence of the catalogue is."""

from string import Formatter
from typing import Any

from fibsd.values import frozen


@frozen
class Template:
    """One line that the server sends, with `{fields}` to be filled.

    Attributes:
        section: Section of the protocol reference that has it.
        roles: Who sees it, in words, separated by blanks.
        text: The line without its end.
        modes: `any`, or the session kinds that get it: `clip`, `telnet`, `connect`.
    """

    section: str
    roles: str
    text: str
    modes: str = "any"

    def __call__(self, **fields: Any) -> str:  # noqa: ANN401 - a field may be any printable value
        """The line with its fields filled in.

        Raises:
            KeyError: A field of the text is missing.
        """
        return self.text.format_map(fields)

    def ordered(self, *fields: str) -> str:
        """The line with a `%s` for each field: to fill those of each turn so costs a third.

        Args:
            fields: The names of all of them, in the order of the text.

        Raises:
            ValueError: The text has others, or in another order.
        """
        if fields != tuple(field for _, field, _, _ in Formatter().parse(self.text) if field is not None):
            raise ValueError(f"these are not the fields of {self.text!r}: {fields}")
        return self.text.replace("%", "%%").format_map(dict.fromkeys(fields, "%s"))


def line(section: str, roles: str, text: str, *, modes: str = "any") -> Template:
    """One row of the catalogue."""
    return Template(section, roles, text, modes)


def plural(count: int, noun: str) -> str:
    """A number with its noun: `1 point`, `2 points` (FIBS writes every noun so)."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def points(count: int) -> str:
    """`1 point`, `2 points`."""
    return plural(count, "point")
