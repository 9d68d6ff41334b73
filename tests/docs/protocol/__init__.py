"""The reference page of the protocol: chapters written by hand, sentences from the catalogue, and golden transcripts.

The chapters are the `*.md` files beside this module, in the order of their names. Below each numbered heading stands
text, and at its end there may be lines that ask for examples:

    !example turn.txt for=alice,bob steps=1-2 6.4 A move

The rest of the line is the beginning of a heading in that transcript. `for` names whose lines are shown, without it
all are. `steps` says which of the steps below that heading are shown: a number, a range or `last`; without it all are.
The sentences of the section are put between the text and the examples.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs

from tests.docs import catalogue
from tests.docs.markdown import anchor, code, table
from tests.docs.protocol.examples import Wish, excerpt

_HEAD = """\
# Protocol

What passes over the wire between this server and its clients, for authors of clients and bots.
Sections have the numbers by which comments in the code speak of them: "reference 6.4" is section 6.4 of this page.

The page is made by `python -m tests.docs`.
Its text stands in `tests/docs/protocol/`; the tables of sentences come from `fibsd/protocol/messages/`.
The examples come from `tests/transcripts/`, which are replayed against the server byte by byte.
"""
_HEADING = re.compile(r"#{2,3} ((?:\d+(?:\.\d+)?|[a-z]+)):? .*")
_EXAMPLE = re.compile(r"!example (\S+)(?: for=(\S+))?(?: steps=(\S+))? (.+)")


@attrs.frozen
class Section:
    """A part of the page under one heading.

    Attributes:
        number: As sentences and comments name it.
        heading: With its number, without marks.
        lines: The text, the heading's line first.
        examples: What is to be shown at its end.
    """

    number: str
    heading: str
    lines: tuple[str, ...]
    examples: tuple[Wish, ...]


def sections(root: Path) -> list[Section]:
    """All sections in the order of the page."""
    chapters = sorted((root / "tests" / "docs" / "protocol").glob("*.md"))
    return [section for path in chapters for section in _sections(path)]


def links(root: Path) -> dict[str, str]:
    """The name by which a link leads to each section, by its number."""
    return {section.number: anchor(section.heading) for section in sections(root)}


def page(root: Path) -> str:
    """The text of the page."""
    made = sections(root)
    if missing := catalogue.used_sections() - {section.number for section in made}:
        raise ValueError(f"sections of sentences that are not in tests/docs/protocol: {sorted(missing)}")
    return "\n".join([_HEAD, *_contents(made), *(line for section in made for line in _rendered(section, root))])


def _sections(path: Path) -> Iterator[Section]:
    text = path.read_text(encoding="utf-8")
    starts = [match.start() for match in re.finditer(r"^##", text, re.MULTILINE)]
    if not starts or starts[0] != 0:
        raise ValueError(f"{path.name} does not begin with a heading")
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        lines = text[start:end].rstrip("\n").split("\n")
        heading = _HEADING.fullmatch(lines[0])
        if heading is None:
            raise ValueError(f"{path.name}: no heading of a section: {lines[0]}")
        examples = [_wish(line) for line in lines if line.startswith("!")]
        kept = "\n".join(line for line in lines if not line.startswith("!")).rstrip("\n").split("\n")
        yield Section(heading[1], lines[0].lstrip("# "), tuple(kept), tuple(examples))


def _wish(line: str) -> Wish:
    match = _EXAMPLE.fullmatch(line)
    if match is None:
        raise ValueError(f"no wish for an example: {line}")
    file, readers, steps, heading = match.groups()
    return Wish(file, heading, tuple(readers.split(",")) if readers else (), steps or "")


def _contents(made: list[Section]) -> Iterator[str]:
    for section in made:
        indent = "  " if "." in section.number else ""
        yield f"{indent}- [{section.heading}](#{anchor(section.heading)})"
    yield ""


def _rendered(section: Section, root: Path) -> Iterator[str]:
    yield from (*section.lines, "")
    rows = [
        (f"`{one.name}`", one.roles, one.sessions, code(one.template.text))
        for one in catalogue.of_section(section.number)
    ]
    yield from table(("name", "who sees it", "sessions", "text"), rows)
    for wish in section.examples:
        yield f"From `tests/transcripts/{wish.file}`:"
        yield from ("", "```", *excerpt(root, wish), "```", "")
