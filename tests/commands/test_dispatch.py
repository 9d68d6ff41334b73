"""From a line to a command."""

import pytest

from fibsd.commands.call import Call
from fibsd.commands.dispatch import Typed, execute, understand
from fibsd.commands.registry import COMMANDS
from fibsd.world.audience import Result
from fibsd.world.errors import Refusal
from fibsd.world.events import Declined
from tests.support.client import START
from tests.support.worlds import READY, begin, user, world_of


def meant(line: str, before: str | None = None) -> tuple[str, str] | Refusal | None:
    """The command and its arguments, or why the line is refused."""
    presence = user(world_of("alice"), "alice")
    if before is not None:
        understand(before, presence, START)
    typed = understand(line, presence, START)
    if isinstance(typed, Typed):
        return typed.command.name, typed.call.args
    if isinstance(typed, Result):
        (event,) = typed.envelopes[0].events
        assert isinstance(event, Declined)
        return event.refusal
    return typed


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("", None),
        ("   ", None),
        ("  who   ready  ", ("who", "ready")),
        ("tell bob  two  blanks ", ("tell", "bob  two  blanks")),
        ("24-20 13-9", ("move", "24-20 13-9")),
        ("1 3", ("move", "1 3")),
        ("bar-20 6 5", ("move", "bar-20 6 5")),
        ("bar 20", ("move", "bar 20")),
        ("b 22", ("board", "22")),
        ("off", ("off", "")),
        ("m bar-22", ("move", "bar-22")),
        ("xyzzy", Refusal.UNKNOWN_COMMAND),
        ("re", Refusal.UNKNOWN_COMMAND),
        ("!!", Refusal.UNKNOWN_COMMAND),
    ],
)
def test_lines(line, command):
    assert meant(line) == command


@pytest.mark.parametrize(
    ("before", "again"),
    [
        ("who ready", ("who", "ready")),
        ("24-20 13-9", ("move", "24-20 13-9")),
        ("message", ("message", "")),
        ("message bob Hello.", Refusal.UNKNOWN_COMMAND),
        ("shout Hello.", Refusal.UNKNOWN_COMMAND),
        ("xyzzy", Refusal.UNKNOWN_COMMAND),
    ],
)
def test_two_exclamation_marks_repeat_the_last_command_but_no_talk(before, again):
    assert meant("!!", before) == again


def test_refused_command_leaves_no_trace():
    """A move that is refused stores nothing and tells nobody else."""
    world = world_of("alice", "bob", settings=READY)
    table = begin(world, "alice", "bob")
    before = (table.match, table.seq, list(table.actions))
    call = Call(session=user(world, "alice").connection.id, user="alice", word="move", args="8-5 6-4", now=START)
    out = execute(COMMANDS["move"], call, world)
    (envelope,) = out.envelopes
    (event,) = envelope.events
    assert isinstance(event, Declined)
    assert event.refusal is Refusal.MOVE_DISTANCE
    assert envelope.audience == call.me
    assert (out.changes, out.announcements, out.closes, out.receipts) == ([], [], [], [])
    assert (table.match, table.seq, table.actions) == before
