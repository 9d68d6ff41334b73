"""A line's command word, its arguments, and abbreviations."""

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


def split_line(line: str) -> tuple[str, str]:
    """The first word of a line, and the rest without the blanks around it."""
    word, _, rest = line.strip().partition(" ")
    return word, rest.strip()


def first_word(text: str) -> str:
    """The first word of an argument text, empty if there is none."""
    return text.partition(" ")[0]


def unique_prefix(word: str, names: Iterable[str]) -> str | None:
    """The only one of the names that is this word, or begins with it; None if none or several do."""
    fits = []
    for name in names:
        if name == word:
            return name
        if name.startswith(word):
            fits.append(name)
    return fits[0] if len(fits) == 1 else None


def code_letters(code: str) -> str:
    """What counts of a recovery code: letters and digits, in whatever case and groups they were written down."""
    return code.replace("-", "").upper()


def number(word: str) -> int | None:
    """A plain number of ASCII digits and nothing else; None for anything else."""
    return int(word) if _NUMBER.fullmatch(word) else None
