"""Examples for the page of the protocol: what clients send and are sent, cut out of golden transcripts."""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs

from tests.docs.markdown import BLANK
from tests.support.transcript import Entry, Step, read

_NUMBERS = re.compile(r"^(?:(?:\d+(?:\.\d+)?|rulings|case \d+)(?:, | ))+")
_STAGE = {"dice", "coin", "position", "user"}
"""What sets the stage and passes over no wire."""
_BLANK = r"\x20"


@attrs.frozen
class Wish:
    """Which part of which transcript is to be shown.

    Attributes:
        file: Name of the transcript.
        heading: How the heading of the part begins.
        readers: Whose lines; empty for all.
        steps: `2`, `1-3` or `-1`; empty for all.
    """

    file: str
    heading: str
    readers: tuple[str, ...]
    steps: str


def excerpt(root: Path, wish: Wish) -> list[str]:
    """The lines of an example: who, `>` for what is typed or `<` for what is sent, and the text.

    Raises:
        ValueError: The transcript has no such part, or several.
    """
    _, steps = read(root / "tests" / "transcripts" / wish.file)
    headings = {step.heading for step in steps if step.heading.startswith(wish.heading)}
    if len(headings) != 1:
        raise ValueError(f"{wish.file}: {len(headings)} headings begin with {wish.heading!r}")
    heading = headings.pop()
    wanted = [step for step in steps if step.heading == heading and step.action.who not in _STAGE]
    chosen = _chosen(wanted, wish.steps)
    names = {entry.who for step in chosen for entry in (step.action, *step.expected)}
    width = max(len(name) for name in names if not wish.readers or name in wish.readers)
    lines = [f"# {title(heading)}"]
    for step in chosen:
        lines += _lines(step, wish.readers, width)
    return lines


def title(heading: str) -> str:
    """What a heading of a transcript says, without the numbers of sections."""
    return _NUMBERS.sub("", heading, count=1)


def _chosen(steps: list[Step], which: str) -> list[Step]:
    if not which:
        return steps
    first, _, last = which.rpartition("-") if not which.startswith("-") else ("", "", which)
    chosen = steps[int(first) - 1 : int(last)] if first else [steps[int(last) - (int(last) > 0)]]
    if not chosen:
        raise ValueError(f"there are no steps {which}")
    return chosen


def _lines(step: Step, readers: tuple[str, ...], width: int) -> Iterator[str]:
    action = step.action
    if action.mark == ":" or not readers or action.who in readers:
        yield from _typed(action, width)
    for entry in step.expected:
        if not readers or entry.who in readers:
            mark = "is closed" if entry.mark == ":" else f"{entry.mark} {_shown(entry.text)}"
            yield f"{entry.who:<{width}} {mark}".rstrip()


def _typed(action: Entry, width: int) -> Iterator[str]:
    if action.mark == ":":
        yield f"# {_told(action)}"
        return
    mark = ">|" if action.mark == ">|" else ">"
    yield f"{action.who:<{width}} {mark} {_shown(action.text)}".rstrip()
    if action.mark == ">>":
        yield "..."


def _told(action: Entry) -> str:
    """What happens that nobody types."""
    match action.who:
        case "online":
            return f"on-line: {action.text}"
        case "later":
            return f"{action.text} seconds later"
        case "server":
            return f"the server {action.text}"
        case "operator":
            return f"the operator: {action.text}"
        case _:
            return f"{action.who} {action.text.removesuffix(' quietly')}"


def _shown(text: str) -> str:
    """The text of a transcript's line; a blank at its end can be seen, all other escapes stay."""
    text = text.replace("$version", "x.y.z").replace("\\\\", "\\")
    return text.removesuffix(_BLANK) + BLANK if text.endswith(_BLANK) else text
