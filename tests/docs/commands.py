"""The reference page of commands: the table of commands, with the words of the on-line help."""

from collections.abc import Iterator
from pathlib import Path

from fibsd.commands.admin.act import ADMIN, MODERATOR
from fibsd.commands.admin.table import ADMIN_COMMANDS
from fibsd.commands.registry import COMMANDS, SHORT_FORMS, Command, find_command
from tests.docs.helppages import HelpPages, marked
from tests.docs.markdown import code, table

_HEAD = """\
# Commands

This page is made of the table of commands and of the on-line help by `python -m tests.docs`.
`help <command>` tells more about each of them.
How a line is understood, and what is answered, stands in the [protocol](protocol.md#31-how-a-line-is-understood).

## All commands

The shortest form is the shortest beginning that means this command; capitals do not matter.
In a synopsis `<name>` stands for what is put in its place, and `[ ]` around what may be left out.
"Only in full" are commands that may not be shortened, so that they take no beginning away from FIBS's.
What is not repeated is passed over by `!!`.
"""
_SHORT = """\
## Short forms

These are fixed, though other commands begin alike:
"""
_ADMIN = """\
## Acts of administration

They are typed behind `admin` by an administrator who is logged in, or behind `fibsd admin` at the machine.
[Administer](../how-to/administer.md) tells how.
`shutdown` may be typed without `admin`.
Every act that changes something is written down, and shown by `audit`.
"""
_REPEAT = "!!"


def page(root: Path) -> str:
    """The text of the page."""
    pages = HelpPages()
    rows = [_row(command, pages) for command in COMMANDS.values()]
    rows.append((f"`{_REPEAT}`", f"`{_REPEAT}`", *_help(_REPEAT, pages), "", "no"))
    header = ("command", "shortest", "synopsis", "what it does", "only in full", "repeated")
    short = [(f"`{form}`", f"`{name}`") for form, name in SHORT_FORMS.items()]
    acts = ("act", "what it does", "who may", "written down")
    return "\n".join(
        [
            _HEAD,
            *table(header, rows),
            _SHORT,
            *table(("form", "command"), short),
            _ADMIN,
            *table(acts, _acts()),
        ]
    )


def shortest(command: Command) -> str:
    """The shortest beginning that means the command."""
    beginnings = (command.name[:length] for length in range(1, len(command.name) + 1))
    return next(word for word in beginnings if find_command(word) is command)


def _row(command: Command, pages: HelpPages) -> tuple[str, ...]:
    return (
        f"`{command.name}`",
        f"`{shortest(command)}`",
        *_help(command.name, pages),
        "yes" if command.in_full else "",
        "" if command.repeatable else "no",
    )


def _help(word: str, pages: HelpPages) -> tuple[str, str]:
    """The synopsis and what the command does; a command without a page of its own has another one's."""
    topic = pages.topic([word])
    if topic == word:
        return "<br>".join(code(line) for line in pages.part(topic, "SYNOPSIS")), marked(pages.summary(topic))
    return code(word), f"the same as `{topic}`"


def _acts() -> Iterator[tuple[str, ...]]:
    for act in ADMIN_COMMANDS.values():
        who = "moderators too" if MODERATOR in act.rights else "administrators" if ADMIN in act.rights else "nobody"
        yield code(f"{act.name} {act.usage}".strip()), act.help, who, "yes" if act.audited else ""
