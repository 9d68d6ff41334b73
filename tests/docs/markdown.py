"""Bits of Markdown that all pages are made of."""

import re
from collections.abc import Iterable, Sequence

BLANK = "·"
"""Stands for a blank where a reader could not see it: at an end of a text, or beside another one."""

_UNSEEN = re.compile(r"^ +| +$| {2,}")


def visible(text: str) -> str:
    """A text in which every blank counts and can be counted, and every control character can be read."""
    text = _UNSEEN.sub(lambda blanks: BLANK * len(blanks[0]), text)
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    return r"\t" if char == "\t" else rf"\x{ord(char):02x}"


def code(text: str) -> str:
    """A code span that shows a text to the byte; one that is empty shows nothing."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{visible(text)}{fence}" if text else ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table, an empty line after it; none if there are no rows."""
    made = [_row(row) for row in rows]
    return [_row(header), _row(["---"] * len(header)), *made, ""] if made else []


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, each for a line of its own."""
    return re.split(r"(?<=[.?!])\s+(?=[A-Z\"'`(])", " ".join(text.split()))


def anchor(heading: str) -> str:
    """The name by which a link leads to a heading."""
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
