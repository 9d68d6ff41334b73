"""The reference page of settings: toggles and variables, with their sentences and the words of the on-line help."""

import re
from collections.abc import Iterator
from pathlib import Path

from fibsd.commands import settings as commands
from fibsd.commands.options import OPTIONS
from fibsd.protocol.messages import own, settings
from fibsd.protocol.messages.template import Template
from fibsd.world.account import DEFAULT_TOGGLES, GAME_TOGGLES, Toggle
from tests.docs.helppages import HelpPages, marked
from tests.docs.markdown import code, table

_HEAD = """\
# Settings

This page is made of the code and of the on-line help by `python -m tests.docs`.
What a user sets is kept in the account.
How they are listed and changed is told of [toggles](protocol.md#41-toggles) and [variables](protocol.md#42-variables).
`·` stands for a blank that could not be seen.
"""
_YES_NO = ("bot", "extras", "playout")
"""Variables that share their sentences."""
_TOGGLES = """\
## Toggles

Those of a game are as by default at the beginning of each game; what is turned then holds for the rest of that game.
"""
_VARIABLES = """\
## Variables

`set <variable> <value>` changes a variable.
What is kept from programs that count the lines of `set` is known by its full name only.
`show options` lists it.
"""


def page(root: Path) -> str:
    """The text of the page."""
    pages = HelpPages()
    toggles = [
        (f"[`{one.value}`](#{one.value})", _yes(one in DEFAULT_TOGGLES), _game(one), marked(pages.summary(_topic(one))))
        for one in Toggle
    ]
    return "\n".join(
        [
            _HEAD,
            _TOGGLES,
            *table(("toggle", "default", "of a game", "what it does"), toggles),
            *(line for toggle in Toggle for line in _toggle(toggle, pages)),
            _VARIABLES,
            *table(
                ("variable", "values", "default", "listed", "confirmation", "refusal"),
                (_variable(name, pages) for name in (*commands._VARIABLES, *OPTIONS)),
            ),
            *(line for name in (*commands._VARIABLES, *OPTIONS) for line in _about(name, pages)),
        ]
    )


def _topic(toggle: Toggle) -> str:
    return f"toggle-{toggle.value}"


def _yes(on: bool) -> str:
    return "YES" if on else "NO"


def _game(toggle: Toggle) -> str:
    return "yes" if toggle in GAME_TOGGLES else ""


def _toggle(toggle: Toggle, pages: HelpPages) -> Iterator[str]:
    yield f"### `{toggle.value}`"
    for paragraph in pages.paragraphs(_topic(toggle)):
        yield from ("", *paragraph)
    yield ""
    rows = [(_yes(on), code(_said(toggle, on).text)) for on in (True, False)]
    yield from table(("turned to", "sentence"), rows)


def _said(toggle: Toggle, on: bool) -> Template:
    said: Template = getattr(settings, f"TOGGLE_{toggle.name}_{_yes(on)}")
    return said


def _variable(name: str, pages: HelpPages) -> tuple[str, ...]:
    topic = pages.topic(["set", name])
    values = "; ".join(map(_value, pages.part(topic, "VALUES")))
    said = list(_sentences(name))
    return (
        f"[`{name}`](#{name})",
        values,
        marked(" ".join(pages.part(topic, "DEFAULT"))),
        "yes" if name in commands._VARIABLES else "",
        "<br>".join(code(text) for refuses, text in said if not refuses),
        "<br>".join(code(text) for refuses, text in said if refuses),
    )


def _value(line: str) -> str:
    """A line of the values of a variable, which may be a value and what it means, in two columns."""
    value, means, meaning = re.sub(r" {2,}", "\t", line.strip()).partition("\t")
    return f"`{value}` {marked(meaning)}" if means else marked(value)


def _sentences(name: str) -> Iterator[tuple[bool, str]]:
    """Whether it is a refusal, and the text, of each sentence about a variable."""
    own_word = "YES_NO" if name in _YES_NO else name.upper()
    for module, prefix in ((settings, f"SET_{name.upper()}_"), (own, f"OWN_SET_{own_word}_")):
        for key, value in vars(module).items():
            if isinstance(value, Template) and key.startswith(prefix):
                yield key.removeprefix(prefix) in ("BAD", "LIST"), value.text


def _about(name: str, pages: HelpPages) -> Iterator[str]:
    yield f"### `{name}`"
    for paragraph in pages.paragraphs(pages.topic(["set", name])):
        yield from ("", *paragraph)
    yield ""
