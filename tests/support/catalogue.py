"""The catalogue of all lines that FIBS sends, as patterns (the table comes from the protocol reference)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import attrs

from fibsd.protocol import messages
from fibsd.protocol.messages.template import Template
from tests.support.oracle import csv_rows

_NAMES = (
    *("name", "opponent", "to", "from", "watched", "watcher", "player1", "player2", "winner", "loser"),
    *("inviter", "admin", "x_player", "o_player", "waiter"),
)
_NUMBERS = ("n", "a", "b", "m", "k", "max", "exp", "unixtime", "idle", "cube", "total", "no", "rank")
_WORDS = ("host", "client", "email", "timezone", "word", "value")
_MOVE = r"(?:bar|\d{1,2})-(?:off|\d{1,2})"
_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}"
_LOCAL = rf"{_DAY}, {_MONTH} \d\d \d\d:\d\d:\d\d \w+"
_CELLS = r"(?: [OX] |   |[ \d]\d ){6}"

PLACEHOLDERS: Mapping[str, str] = {
    **dict.fromkeys(_NAMES, "[A-Za-z_]+"),
    **dict.fromkeys(_NUMBERS, r"\d+"),
    **dict.fromkeys(_WORDS, r"\S+"),
    **dict.fromkeys(("d1", "d2", "d3", "d4"), "[1-6]"),
    **{f"{noun}s": rf"(?:1 {noun}|(?:0|[2-9]|[1-9]\d+) {noun}s)" for noun in ("point", "piece", "user")},
    "games": r"(?:1 saved game|(?:[2-9]|[1-9]\d+) saved games)",
    "YES|NO": "(?:YES|NO)",
    "flag": "[01]",
    "die": "[0-6]",
    "sign": "-?1",
    "turn": "(?:-1|0|1)",
    "home": "(?:0|25)",
    "can move": "[0-4]",
    "points list": r"(?:-?\d+:){25}-?\d+",
    "number": r"\d+",
    "rating": r"-?\d+\.\d\d",
    "float": r"\d+\.\d{6}",
    "signed float": r"-\d+\.\d{6}",
    "redoubles": r"(?:\d+|unlimited)",
    "nth": "(?:first|second|third|fourth)",
    "side": "[OX]",
    "point": r"(?:\d{1,2}|the bar)",
    "moves": rf"{_MOVE}(?: {_MOVE})*",
    "bear list": r"(?:\d{1,2} o )+",
    "cells": _CELLS,
    "bar": r"(?: [OX] |   |[ \d]\d )",
    "owner": r"(?: \(owned by [A-Za-z_]+\))?",
    "status": r"[PR\- ][W\- ][A\- ]",
    "topic": ".+",
    "names": "[A-Za-z_]+(?:, [A-Za-z_]+)*",
    "name list": "[A-Za-z_]+(?:,[A-Za-z_]+)*",
    "hh:mm": r"\d\d:\d\d",
    "m:ss": r"\d+:\d\d",
    "idle time": r"\d+:\d\d",
    "date": _DATE,
    "local date": _LOCAL,
    "short date": rf"{_DAY}, {_MONTH} \d\d \d\d:\d\d \w+",
    "text": ".*",
    "free text": ".*",
    "drawing": ".*",
}
LONGER: Mapping[str, str] = {"dicetest_double": r"[1-6]-1 \d+(?: \d+){5}"}
"""Rows that the table cuts short: the reference has `1-1 <n> …` (10.8)."""

_PLACEHOLDER = re.compile(r"(?<!\\)<([^<>]+?)(:-?\d+)?>")
_BYTES = re.compile(r"\\(x[0-9a-f]{2}|t|<|>)")


def unescaped(text: str) -> str:
    """A text of the table with its escapes resolved."""

    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) == 3 else {"t": "\t"}.get(code, code)

    return _BYTES.sub(character, text)


def _pattern(template: str) -> re.Pattern[str]:
    parts, at = [], 0
    for match in _PLACEHOLDER.finditer(template):
        parts.append(re.escape(unescaped(template[at : match.start()])))
        kind, width = PLACEHOLDERS[match[1]], match[2]
        if width is None:
            parts.append(kind)
        elif width.startswith(":-"):
            parts.append(f"{kind} *")
        else:
            parts.append(f" *{kind}")
        at = match.end()
    parts.append(re.escape(unescaped(template[at:])))
    return re.compile("".join(parts), re.DOTALL)


@attrs.frozen
class Row:
    """A row of the catalogue.

    Attributes:
        id: Its name.
        block: Lines that come together share one.
        modes: Kinds of sessions that are sent it.
        template: As in the table.
        example: Likewise.
        pattern: What the template stands for.
        open: Whether no line end follows.
    """

    id: str
    block: str
    section: str
    modes: frozenset[str]
    template: str
    example: str
    pattern: re.Pattern[str]
    open: bool

    @property
    def anything(self) -> bool:
        """Whether the template is a free text, which says nothing outside its block."""
        return self.template.strip() in ("<free text>", "<drawing>")


@cache
def rows() -> tuple[Row, ...]:
    """The catalogue."""
    everywhere = frozenset({"clip", "telnet", "connect"})
    return tuple(
        Row(
            row["id"],
            row["block"],
            row["section"],
            everywhere if row["modes"] == "any" else frozenset(row["modes"].split()),
            row["template"],
            unescaped(row["example"]),
            re.compile(LONGER[row["id"]]) if row["id"] in LONGER else _pattern(row["template"]),
            row["end"] == "none",
        )
        for row in csv_rows("lines.csv")
    )


def fitting(line: str, kind: str) -> Iterator[Row]:
    """The rows that a whole line of a session of this kind fits, free texts apart."""
    return (
        row for row in rows() if not row.open and not row.anything and kind in row.modes and row.pattern.fullmatch(line)
    )


@cache
def _own_patterns() -> tuple[re.Pattern[str], ...]:
    """FIBS's sentences belong to numbered sections, ours to sections that have a name."""
    modules = [import_module(f"{messages.__name__}.{info.name}") for info in iter_modules(messages.__path__)]
    values = [value for module in modules for value in vars(module).values()]
    templates = [value for value in values if isinstance(value, Template) and value.section.isalpha()]
    patterns = []
    for template in templates:
        literal = re.split(r"\{\w+\}", template.text)
        # A sentence that is nearly all field would fit anything.
        if sum(map(len, literal)) > 8:
            patterns.append(re.compile(r"(?:\*\* )?" + ".*".join(map(re.escape, literal))))
    return tuple(patterns)


def is_ours(line: str) -> bool:
    """Whether a line is one of ours; an empty field at its end leaves no blank."""
    return any(pattern.fullmatch(line) or pattern.fullmatch(f"{line} ") for pattern in _own_patterns())
