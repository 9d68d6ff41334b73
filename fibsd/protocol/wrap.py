"""Long lines, cut at blanks for people whose terminal does not do it (FIBS help: toggle wrap)."""

import textwrap
from collections.abc import Sequence

INDENT = "  "
"""What a continued line begins with."""
LEAST_WIDTH = 20
"""Columns below which nothing is wrapped: pieces of single words could not be read."""
EXAMPLE = "EXAMPLE"
"""Heading of the part of a help page whose lines stand for themselves."""
FULL_LINE = 55
"""Columns from which a line of a help page counts as full, not as broken on purpose."""


def wrapped(line: str, width: int) -> list[str]:
    """The pieces of a line, none longer than `width` unless a single word is.

    Args:
        line: Without its end.
        width: Columns; below `LEAST_WIDTH` the line stays whole.
    """
    if len(line) <= width or width < LEAST_WIDTH:
        return [line]
    pieces = []
    rest = line
    while len(rest) > width:
        indent = len(rest) - len(rest.lstrip())
        cut = rest.rfind(" ", indent + 1, width + 1)
        if cut < 0:
            cut = rest.find(" ", width)
            if cut < 0:
                break
        pieces.append(rest[:cut].rstrip())
        rest = INDENT + rest[cut:].lstrip()
    return [*pieces, rest]


def reflowed(lines: Sequence[str], width: int) -> list[str]:
    """A page whose paragraphs are set anew for a width; what is laid out in columns or drawn stays as it is.

    A paragraph is a run of lines of the description with the same indent and single blanks between the words, of
    which all but the last are about as long as a line of a page can be. Examples show single lines.
    """
    made: list[str] = []
    paragraph: list[str] = []
    heading = ""
    for line in [*lines, ""]:
        if line and not line.startswith(" "):
            heading = line
        prose = _is_prose(line)
        if paragraph and not (prose and _indent(line) == _indent(paragraph[0])):
            made += _set(paragraph, width)
            paragraph = []
        if not prose:
            made.append(line)
        elif heading == EXAMPLE:
            made += wrapped(line, width)
        else:
            paragraph.append(line)
    return made[:-1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_prose(line: str) -> bool:
    text = line.strip()
    return bool(text) and _indent(line) > 0 and "  " not in text and text[0] not in "+|>*<"


def _set(paragraph: list[str], width: int) -> list[str]:
    if len(paragraph) == 1 and len(paragraph[0]) <= width:
        return paragraph
    if any(len(line) < FULL_LINE for line in paragraph[:-1]):
        # Lines that were broken on purpose.
        return [piece for line in paragraph for piece in wrapped(line, width)]
    indent = " " * _indent(paragraph[0])
    return textwrap.wrap(
        " ".join(line.strip() for line in paragraph),
        max(width, LEAST_WIDTH),
        initial_indent=indent,
        subsequent_indent=indent,
    )
