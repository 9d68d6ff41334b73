"""The reference page of sentences: the whole catalogue, module by module."""

from pathlib import Path

from tests.docs import catalogue, protocol
from tests.docs.markdown import code, sentences, table

_HEAD = """\
# Messages

Every sentence of the catalogue in `fibsd/protocol/messages/`, by module.
The page is made by `python -m tests.docs`.
How to read a text, and who is who, is told [here](protocol.md#01-how-to-read-this-page).
The number of a section leads to where it is told when a sentence is sent.
"""


def page(root: Path) -> str:
    """The text of the page."""
    links = protocol.links(root)
    lines = [_HEAD]
    for module in catalogue.modules():
        lines += [f"## `{module.__name__.rpartition('.')[2]}`", ""]
        for paragraph in (module.__doc__ or "").strip().split("\n\n"):
            lines += [*sentences(paragraph), ""]
        rows = [
            (
                f"`{one.name}`",
                f"[{one.template.section}](protocol.md#{links[one.template.section]})",
                one.roles,
                one.sessions,
                code(one.template.text),
            )
            for one in catalogue.of_module(module)
        ]
        lines += table(("name", "section", "who sees it", "sessions", "text"), rows)
    return "\n".join(lines)
