"""Every line that any transcript shows is a line that FIBS sends, in a session of its kind, or one of ours."""

import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import attrs
import pytest

from fibsd.protocol import messages
from fibsd.protocol.messages import (
    chat,
    clip,
    clock,
    general,
    ghosts,
    lists,
    news,
    own,
    play,
    points,
    seek,
    session,
    settings,
    terms,
)
from fibsd.protocol.messages.template import Template
from tests.support import catalogue
from tests.support.transcript import read, transcripts, unescape

# A row that is a free text fits only after one of these rows.
FOLLOWS = {
    "goodbye_text": {"goodbye"},
    "motd_text": {"motd_border", "motd_text"},
    "set_timezone_list": {"set_timezone_bad"},
    "banner_art": {"banner_welcome", "banner_art"},
    "banner_rules": {"banner_blank1", "banner_rules"},
}
# What follows the goodbye may be worded freely (reference 1.8).
FREELY_WORDED = {"GOODBYE_TEXT"}
_PAGER = re.compile(re.escape(own.OWN_MORE.text).replace(r"\{n\}", r"\d+"))
_LOGIN = re.compile(r"(login|connect) .*")


@attrs.define
class Reader:
    """What one client of a transcript is sent, as lines with the kind of session that they are sent to."""

    kind: str = "telnet"
    rest: bytes = b""
    lines: list[tuple[str, str]] = attrs.Factory(list)

    def typed(self, text: str) -> None:
        if match := _LOGIN.fullmatch(text):
            self.kind = "clip" if match[1] == "login" else "connect"

    def sent(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\r\n")
        self.lines += [(self.kind, line.decode("latin-1")) for line in lines]


def prompts(text: str, kind: str) -> tuple[list[str], str]:
    """The ids of the prompts and telnet commands at the beginning of a text, and what follows them."""
    found = []
    while text:
        if paged := _PAGER.match(text):
            text = text[paged.end() :]
            continue
        row = next((row for row in catalogue.rows() if row.open and text.startswith(row.example)), None)
        if row is None or kind not in row.modes | {"telnet"}:
            break
        found.append(row.id)
        text = text.removeprefix(row.example)
    return found, text


def readers(path: Path) -> list[Reader]:
    """All connections of a transcript, with what they are sent."""
    _, steps = read(path)
    every: list[Reader] = []
    at: dict[str, Reader] = {}
    for step in steps:
        action = step.action
        if action.who == "online" and action.mark == ":":
            for part in action.text.split(","):
                name, kind = part.split()
                at[name] = Reader(kind)
                every.append(at[name])
        elif action.mark == ":" and action.text.startswith("connects"):
            at[action.who] = Reader()
            every.append(at[action.who])
        elif action.mark.startswith(">"):
            at[action.who].typed(action.text)
        if action.mark == ">>" or action.text == "connects quietly":
            for reader in at.values():
                reader.rest = b""
        for entry in step.expected:
            if entry.mark != ":":
                at[entry.who].sent(unescape(entry.text) + (b"\r\n" if entry.mark == "<" else b""))
    return every


@cache
def judged(path: Path) -> tuple[Counter[str], tuple[str, ...]]:
    """How often each row of the catalogue occurs in a transcript, and the lines that are in none."""
    seen: Counter[str] = Counter()
    strange = []
    for reader in readers(path):
        before = ""
        for kind, line in reader.lines:
            found, text = prompts(line, kind)
            seen.update(found)
            row = next(catalogue.fitting(text, kind), None)
            if row is None and kind != "clip":
                # A BEL may come before chat and invitations, for people who want one (reference 4.1, bell).
                text = text.removeprefix("\a")
                row = next(catalogue.fitting(text, kind), None)
            free = [name for name, earlier in FOLLOWS.items() if before in earlier]
            if row is not None and row.id != "banner_rules":
                before = row.id
            elif free and not text.startswith("  Last"):
                before = free[0]
            elif catalogue.is_ours(text):
                before = "ours"
            else:
                strange.append(f"{kind}: {text!r}")
                continue
            seen[before] += 1
        found, text = prompts(reader.rest.decode("latin-1"), reader.kind)
        seen.update(found)
        if text and not catalogue.is_ours(text):
            strange.append(f"{reader.kind}: {text!r} (open)")
    return seen, tuple(strange)


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_every_line_of_a_transcript_is_in_the_catalogue_or_ours(path: Path) -> None:
    seen, strange = judged(path)
    assert strange == ()
    assert seen.total() > 0


def test_examples_of_the_catalogue_fit_their_templates() -> None:
    wrong = [row.id for row in catalogue.rows() if not row.pattern.fullmatch(row.example)]
    assert wrong == list(catalogue.LONGER)


def blank(template: str) -> str:
    """A template of the table without the names and widths of its fields."""
    return catalogue.unescaped(re.sub(r"(?<!\\)<[^<>]+?>", "{}", template))


@pytest.mark.parametrize(
    "module", [chat, clip, general, lists, news, play, session, settings], ids=lambda it: it.__name__
)
def test_sentences_of_the_program_are_rows_of_the_catalogue(module: object) -> None:
    table = {(blank(row.template), row.modes) for row in catalogue.rows()}
    sentences = {name: value for name, value in vars(module).items() if isinstance(value, Template)}
    everywhere = frozenset({"clip", "telnet", "connect"})
    strange = [
        name
        for name, template in sentences.items()
        if (
            re.sub(r"\{[^{}]+\}", "{}", template.text),
            everywhere if template.modes == "any" else frozenset(template.modes.split()),
        )
        not in table
        and name not in FREELY_WORDED
    ]
    assert strange == []
    assert sentences


@pytest.mark.parametrize(
    "line",
    ["alice moves 8-5 6-5.", "You rolled 3, bob rolled 1.", "12 bob", "5 alice - - 1 0 1500.00 0 0 1 h -", "6 "],
)
def test_catalogue_notices_a_byte_that_is_wrong(line: str) -> None:
    assert list(catalogue.fitting(line, "clip")) == []
    assert not catalogue.is_ours(line)


def test_no_number_is_added_to_those_of_clip():
    """A program knows 1 to 20; what begins with another number it could take for anything."""
    modules = [import_module(f"{messages.__name__}.{module.name}") for module in iter_modules(messages.__path__)]
    texts = [row.text for module in modules for row in vars(module).values() if isinstance(row, Template)]
    numbers = {int(match[1]) for text in texts if (match := re.match(r"(\d+)(?: |$)", text))}
    assert numbers == set(range(1, 21))


def test_what_is_told_of_added_features_begins_with_stars_or_comes_from_the_server():
    """Free texts of the server come in its tells, and are left out."""
    rows = [
        row
        for module in (clock, ghosts, points, seek, terms)
        for row in vars(module).values()
        if isinstance(row, Template) and row is not points.SETTLED
    ]
    texts = [re.sub(r"\\\{\w+\\\}", ".+", re.escape(row.text.removeprefix("** "))) for row in rows]
    ours = re.compile("(?:" + "|".join(texts) + ")")
    lines = [prompts(line, kind)[1] for path in transcripts() for one in readers(path) for kind, line in one.lines]
    told = [line for line in lines if ours.fullmatch(line.removeprefix("** "))]
    assert len(told) > 100
    assert [line for line in told if not line.startswith("** ")] == []
