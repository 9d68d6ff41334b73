"""Examples for the page of the protocol: what clients send and are sent, cut out of golden transcripts."""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs

from tests.docs.markdown import BLANK
from tests.support.transcript import Entry, Step, read

_NUMBERS = re.compile(r"^(?:(?:\d+(?:\.\d+)?|design)(?:, | ))+")
_STAGE = {"dice", "coin", "position", "user"}
"""What sets the stage and passes over no wire."""
_BLANK, _LINE_END = r"\x20", r"\r\n"


@attrs.frozen
class Wish:
    """Which part of which transcript is to be shown.

    Attributes:
        file: Name of the transcript.
        heading: How the heading of the part begins.
        readers: Whose lines; empty for all.
        steps: `2`, `1-3` or `last`; empty for all.
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
    headings = headings & {wish.heading} or headings
    if len(headings) != 1:
        raise ValueError(f"{wish.file}: {len(headings)} headings begin with {wish.heading!r}")
    heading = headings.pop()
    wanted = [step for step in steps if step.heading == heading and not _is_stage(step.action)]
    chosen = _chosen(wanted, wish.steps)
    names = {entry.who for step in chosen for entry in step.expected if not wish.readers or entry.who in wish.readers}
    width = max(map(len, names | {step.action.who for step in chosen if step.action.mark != ":"}))
    lines = [f"# {title(heading)}"] if title(heading) else []
    for step in chosen:
        lines += _lines(step, wish.readers, width)
    return lines


def _is_stage(action: Entry) -> bool:
    return action.who in _STAGE or action.text == "connects quietly"


def title(heading: str) -> str:
    """What a heading of a transcript says, without the numbers of sections."""
    return _NUMBERS.sub("", f"{heading} ", count=1).strip()


def _chosen(steps: list[Step], which: str) -> list[Step]:
    if not which:
        return steps
    if which == "last":
        return steps[-1:]
    first, _, last = which.partition("-")
    chosen = steps[int(first) - 1 : int(last or first)]
    if len(chosen) != int(last or first) - int(first) + 1:
        raise ValueError(f"there are only {len(steps)} steps, not {which}: {steps[0].heading}")
    return chosen


def _lines(step: Step, readers: tuple[str, ...], width: int) -> Iterator[str]:
    yield from _typed(step.action, width)
    for entry in step.expected:
        if not readers or entry.who in readers:
            yield from _sent(entry, width)


def _typed(action: Entry, width: int) -> Iterator[str]:
    if action.mark == ":":
        yield f"# {_told(action)}"
        return
    mark = ">|" if action.mark == ">|" else ">"
    yield f"{action.who:<{width}} {mark} {_shown(action.text)}".rstrip()
    if action.mark == ">>":
        yield "..."


def _sent(entry: Entry, width: int) -> Iterator[str]:
    if entry.mark == ":":
        yield f"{entry.who:<{width}} {entry.text}"
        return
    *ended, text = entry.text.split(_LINE_END) if entry.mark == "<|" else [entry.text]
    yield from (f"{entry.who:<{width}} < {_shown(line)}".rstrip() for line in ended)
    yield f"{entry.who:<{width}} {entry.mark} {_shown(text)}".rstrip()


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
            return f"{action.who} {action.text}"


def _shown(text: str) -> str:
    """The text of a transcript's line; a blank at its end can be seen, all other escapes stay."""
    text = text.replace("$version", "x.y.z").replace("\\\\", "\\")
    return text.removesuffix(_BLANK) + BLANK if text.endswith(_BLANK) else text
