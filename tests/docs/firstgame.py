"""The page with the first game of a newcomer, played against a server in memory with dice that are always the same."""

import re
from pathlib import Path

from tests.support.client import run, serving
from tests.support.newcomer import Newcomer, bot_of_the_house

BOARDS = 2
"""So many of his own turns are shown with boards."""

_HEAD = """\
# A first game

What somebody sees who comes to a new server for the first time, where nobody is but a [bot](resident-bot.md).
It was played by a program when this page was made, by `python -m tests.docs`, and nothing of it is made up.
Left out are the greeting, the text of `help beginner`, empty lines and prompts, and most of the boards.
Passwords are not shown while they are typed.

What he types stands behind `login: ` and `> `.

## He registers

`guest` is for those who have no name yet.

```
"""
_SEEK = """\
```

## He finds an opponent

`help beginner` tells what to do.
A match to one point is the shortest one.
Nobody takes his invitation at once; then the bot does.

```
"""
_PLAY = """\
```

## He plays

The boards of his first turns are shown.

```
"""
_REST = """\
```

## The rest, without boards

```
"""
_END = """\
```

`rematch` would have asked the bot for another match like this one, and `bye` ends the session.
"""


def page(root: Path) -> str:
    """The text of the page."""
    screens: list[str] = []
    run(_play, screens)
    registers, seeks, plays = screens
    head, rest = _parted(plays)
    return "".join(
        [
            *(_HEAD, _tidy(registers), _SEEK, _tidy(seeks), _PLAY, _tidy(head)),
            *(_REST, _tidy(_without_boards(rest)), _END),
        ]
    )


async def _play(screens: list[str]) -> None:
    async with serving() as server, bot_of_the_house(server, "Rita_Bot"):
        newcomer = await Newcomer.comes(server, "alice")
        _, _, registers = newcomer.screen.rpartition("\nlogin: ")
        screens.append(f"login: {registers}")
        newcomer.screen = "> "
        await newcomer.types("help beginner")
        newcomer.screen = "> help beginner\n...\n> "
        await newcomer.types("seek 1")
        await newcomer.waits_for_opponent()
        before, begins, after = newcomer.screen.partition("Starting a new game")
        screens.append(before)
        newcomer.screen = begins + after
        await newcomer.plays()
        screens.append(newcomer.screen)


def _parted(text: str) -> tuple[str, str]:
    """What is shown with boards, and what is not: the cut is before one of his moves."""
    turns = [found.start() for found in re.finditer("^> move ", text, re.MULTILINE)]
    return text[: turns[BOARDS]], text[turns[BOARDS] :]


def _without_boards(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() and not line.startswith("  "))


def _tidy(text: str) -> str:
    """Without prompts at which nothing was typed, as the news of others leave them, and blanks at the ends of lines."""
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for line in lines if line not in (">", "")]
    return "\n".join(kept) + "\n"
