"""A fresh server with a bot of its own, as processes, and somebody who comes by telnet and reads one page of help."""

import re
from pathlib import Path

import pytest
import trio

from fibsd.backgammon.movegen import legal_plays
from fibsd.bots import reading
from fibsd.bots.player import Wire
from fibsd.bots.policy import ranked_plays
from tests.support.process import CHEAP, Process

PATIENCE_S = 120.0
PROMPTS = re.compile("^(> )*")


async def registers(wire: Wire, name: str) -> None:
    """By the dialog for guests, in which a password is asked for twice."""
    await wire.until("login: ")
    await wire.send("guest")
    await wire.until("> ")
    await wire.send(f"name {name}")
    for _ in range(2):
        await wire.until("assword: ")
        await wire.send("secret12")
    await wire.until("Type 'help beginner' to get started.")


async def plays(wire: Wire) -> str:
    """Play by the boards that are sent, one play for each, up to the line that tells who has won the match."""
    played = None
    while True:
        line = PROMPTS.sub("", await wire.line())
        if re.search("(wins|You win) the 1 point match", line):
            return line
        seen = reading.read(line)
        if isinstance(seen, reading.Seen) and seen.own_turn and seen.dice and seen.can_move and seen != played:
            played = seen
            plays = ranked_plays(seen.board.seen_by(seen.side), legal_plays(seen.board.seen_by(seen.side), seen.dice))
            await wire.send(f"move {reading.move_words(plays[0], seen.side)}")


@pytest.mark.timeout(150)
@pytest.mark.parametrize("typed", ["invite Rita_Bot 1", pytest.param("seek 1", marks=pytest.mark.slow)])
async def test_a_newcomer_gets_a_finished_match(tmp_path: Path, typed: str) -> None:
    """The bot leaves an open invitation to people for a while first: that takes a minute of real time."""
    (tmp_path / "bots.toml").write_text(CHEAP + '[[bots]]\nname = "Rita_Bot"\n')
    with Process.start(tmp_path, "--config", "bots.toml", "--database", "sqlite:///fibsd.db") as process:
        await process.logs("Rita_Bot: logged in")
        with trio.fail_after(PATIENCE_S):
            async with await trio.open_tcp_stream(*process.addresses[0]) as stream:
                wire = Wire(stream)
                await registers(wire, "alice")
                await wire.send("help beginner")
                await wire.until("'seek 1'")
                await wire.send("set boardstyle 3")
                # The page of help ends with the lines of another match.
                await wire.until("Value of 'boardstyle' set to 3.")
                await wire.send(typed)
                assert re.fullmatch(r"(You win|Rita_Bot wins) the 1 point match +[1-3]-0 \.", await plays(wire))
        assert await trio.to_thread.run_sync(process.terminate) == 0
        assert process.faults == []
