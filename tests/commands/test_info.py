"""What the server tells of itself, in many words of its own."""

import re

import pytest

from fibsd.protocol.help import TOPICS
from tests.support.client import serving

# Reference 10.8: no line of an answer may be taken for a numbered message, nor for the frame of one.
NUMBERED = re.compile(r"(1?[0-9]|20)( .*)?")
WORDY = ("about", "formula", "countries", "panic", "average", "dicetest", "stat", "help", "last", "show max")


@pytest.mark.parametrize("command", WORDY)
async def test_no_line_looks_like_a_numbered_message(command, autojump_clock):
    async with serving() as server:
        alice, _ = await server.online("alice", "bob")
        server.chance.script("3-1")
        lines = await server.ask(alice, command)
        assert lines
        assert [line for line in lines if NUMBERED.fullmatch(line)] == []


async def test_every_topic_of_the_list_has_a_page(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        for topic in TOPICS:
            lines = await server.ask(alice, f"help {topic}")
            assert lines[0] == "NAME", topic
            assert [line for line in lines if NUMBERED.fullmatch(line)] == []


async def test_help_on_a_switch_is_found_in_both_ways(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        page = await server.ask(alice, "help toggle greedy")
        assert page[0] == "NAME"
        assert page == await server.ask(alice, "man toggle-greedy")


async def test_about_tells_who_runs_the_server(autojump_clock):
    async with serving() as server:
        (alice,) = await server.online("alice")
        lines = await server.ask(alice, "about")
        assert [line for line in lines if line.startswith("It is run by the operator")]
