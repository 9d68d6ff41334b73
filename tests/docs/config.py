"""The reference page of the configuration: words from `config.toml`, types and bounds from the code."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from fibsd.config import KINDS, Bound, Config, section_class

_HEAD = """\
# Configuration

This page is made of `config.toml` and `fibsd/config.py` by `python -m tests.docs`.
How a file is found, and how it is checked, is told in [Configure](../how-to/configure.md).
"""


def comments(text: str) -> dict[str, list[str]]:
    """The comment lines above each section and key of a TOML file, by `section` or `section.key`.

    A section that may be left out is commented out, by a sign without a blank.
    """
    found: dict[str, list[str]] = {}
    above: list[str] = []
    section = ""
    for line in text.splitlines():
        if line.startswith("# "):
            above.append(line[2:])
            continue
        if header := re.fullmatch(r"#?\[\[?(\w+)\]\]?", line):
            section = header[1]
            found[section] = above
        elif key := re.match(r"#?(\w+) = ", line):
            found[f"{section}.{key[1]}"] = above
        above = []
    return found


def default_text(value: object) -> str:
    """A default as it may be written in TOML."""
    match value:
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return f"{int(value)}"
        case int() | float():
            return f"{value}"
        case tuple():
            return f"[{', '.join(map(default_text, value))}]"
        case _:
            return f'"{value}"'


def page(root: Path) -> str:
    """The text of the page."""
    words = comments((root / "config.toml").read_text(encoding="utf-8"))
    return "\n".join([_HEAD, *_sections(words)])


def _sections(words: dict[str, list[str]]) -> Iterator[str]:
    for section in attrs.fields(Config):
        yield f"## `{header(section)}`\n"
        yield from (*words[section.name], "")
        for key in keys(section):
            first, *more = words[f"{section.name}.{key.name}"]
            yield f"- `{key.name}`: {first}"
            yield from (f"  {line}" for line in (*more, _value(key), f"Default: `{default_text(key.default)}`."))
        yield ""


def header(section: "attrs.Attribute[Any]") -> str:
    """The line that begins the section."""
    return f"[{section.name}]" if attrs.has(section.type) else f"[[{section.name}]]"


def keys(section: "attrs.Attribute[Any]") -> "tuple[attrs.Attribute[Any], ...]":
    """What may stand in it."""
    return tuple(attrs.fields(section_class(section)))


def _value(key: "attrs.Attribute[Any]") -> str:
    """What the key takes, as one sentence."""
    bound = f", {key.validator.words}" if isinstance(key.validator, Bound) else ""
    words = f"{KINDS[key.type]}{bound}"
    return f"{words[0].upper()}{words[1:]}."
