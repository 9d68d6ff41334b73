"""Pages of the documentation that are made of the code; `python -m tests.docs` writes them anew."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.docs import commands, config, firstgame, messages, protocol, settings

ROOT = Path(__file__).parents[2]

PAGES: Mapping[str, Callable[[Path], str]] = {
    "docs/how-to/first-game.md": firstgame.page,
    "docs/reference/commands.md": commands.page,
    "docs/reference/config.md": config.page,
    "docs/reference/messages.md": messages.page,
    "docs/reference/protocol.md": protocol.page,
    "docs/reference/settings.md": settings.page,
}
"""Path below the root, and what makes the page's text when given the root."""
