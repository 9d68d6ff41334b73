"""Every command is typed in a golden transcript, and every sentence of the program is shown in one."""

import re
from functools import cache
from pathlib import Path

import pytest

from fibsd.commands.registry import COMMANDS, find_command
from fibsd.protocol.messages.template import Template
from fibsd.protocol.moves import looks_like_move
from tests.docs import catalogue
from tests.support.transcript import read, transcripts
from tests.test_catalogue import readers

ROOT = Path(__file__).parents[1]
MODULES = tuple(catalogue.modules())
_HELP = "tests/protocol/test_help.py"
_LIMITS = "tests/server/test_limits.py"
_STORE = "tests/faults/test_store_trouble.py"
_SOCKETS = "tests/server/test_sockets.py"
_MATCHES = "tests/world/test_matches.py"
_VIEWS = "tests/protocol/test_views.py"
SHOWN_ELSEWHERE = {
    **dict.fromkeys(
        [
            "HELP_NAME",
            "HELP_SYNOPSIS",
            "HELP_DESCRIPTION",
            "HELP_EXAMPLE",
            "HELP_SEE_ALSO",
            "HELP_DEFAULT",
            "HELP_VALUES",
        ],
        _HELP,
    ),
    **dict.fromkeys(
        ["OWN_TOO_FAST", "OWN_TOO_MANY", "OWN_TOO_OFTEN", "OWN_TOO_MANY_ACCOUNTS"],
        _LIMITS,
    ),
    **dict.fromkeys(["OWN_STORE_WAITS", "OWN_STORE_BACK", "SAVED_NETERR"], _STORE),
    **dict.fromkeys(["OWN_TOO_SLOW", "OWN_SERVER_FULL", "OWN_LINE_TOO_LONG"], _SOCKETS),
    **dict.fromkeys(
        ["CLIP_LEAVE_NETERR", "TEL_LEAVE_NETERR", "UNWATCH_NETERR", "SAVED_CLOSED", "UNWATCH_CLOSED"], _VIEWS
    ),
    **dict.fromkeys(["OWN_NOT_READABLE", "OWN_NOT_STORED"], "tests/server/test_engine.py"),
    "OWN_CORRUPT": _VIEWS,
    "OWN_BOX_FULL": "tests/session/test_login.py",
    "OWN_ERASED": "tests/commands/test_erase.py",
    "SAVED_CORRUPT": _MATCHES,
}
"""Sentences that no transcript shows, with the test that does."""


@cache
def typed_commands() -> frozenset[str]:
    """The commands that some client of some transcript types."""
    found = set()
    for path in transcripts():
        for step in read(path)[1]:
            text = step.action.text.strip()
            if step.action.mark not in (">", ">>") or not text:
                continue
            word = text.split()[0]
            command = COMMANDS["move"] if looks_like_move(word) else find_command(word)
            if command is not None:
                found.add(command.name)
    return frozenset(found)


@cache
def shown() -> str:
    """All that clients of transcripts are sent, line by line."""
    every = (reader for path in transcripts() for reader in readers(path))
    return "\n".join(
        part for reader in every for part in [*(line for _, line in reader.lines), reader.rest.decode("latin-1")]
    )


def templates() -> list[tuple[str, Template]]:
    return [(name, value) for module in MODULES for name, value in vars(module).items() if isinstance(value, Template)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_typed_in_a_transcript(name):
    assert name in typed_commands()


@pytest.mark.parametrize(("name", "template"), templates(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_sentence_is_shown_in_a_transcript_or_by_a_named_test(name, template):
    pattern = re.sub(r"\\\{[^}]*\\\}", "[^\n]*?", re.escape(template.text))
    # Before it may stand a prompt, telnet commands, a bell, or how the server itself is announced.
    before = r"(?:^|> |: |-- )(?:\xff[\xfb\xfc]\x01)*\x07?(?:\*\* |12 fibsd |fibsd says: )?"
    behind = "" if template.text.endswith(" ") else "$"
    seen = re.search(f"(?m){before}{pattern}{behind}", shown()) is not None
    assert seen != (name in SHOWN_ELSEWHERE)


def test_named_tests_are_there():
    assert {path for path in SHOWN_ELSEWHERE.values() if not (ROOT / path).is_file()} == set()
