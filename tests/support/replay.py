"""What a player must have been told of a match, told again from its journal."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from fibsd.backgammon.actions import (
    AcceptResignation,
    Double,
    MakePlay,
    OpeningRoll,
    Pass,
    RejectResignation,
    Resign,
    Roll,
    Take,
    WithdrawResignation,
)
from fibsd.backgammon.game import Ending, Phase
from fibsd.backgammon.side import BySide, Side
from fibsd.protocol.boards import raw_board
from fibsd.protocol.moves import format_play
from fibsd.world.audience import Result
from fibsd.world.changes import MatchRow, MatchTerms
from fibsd.world.ids import MatchId, UserName
from fibsd.world.record import from_text
from fibsd.world.table import Table

TOLD = re.compile(
    r"board:|You roll|\S+ rolls? |\S+ moves |(You|\S+) can't move|You double|\S+ doubles\.|You accept|\S+ accepts"
    r"|(You|\S+) gives? up|(You want|\S+ wants) to resign|(You reject|\S+ rejects)\."
    r"|(You win|\S+ wins) the (game|\d+ point match)"
)
"""The lines that tell of something which is in the journal."""


@attrs.frozen(kw_only=True)
class Stored:
    """What a database holds.

    Attributes:
        matches: By number.
        accounts: Rating and experience.
        histories: How many rows of the rating history each match has.
    """

    matches: dict[int, MatchRow]
    accounts: dict[str, tuple[float, int]]
    histories: dict[int, int]


def read(path: Path) -> Stored:
    """Read a database that no server uses."""
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    try:
        assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        entries: dict[int, list[str]] = {}
        for row in database.execute("SELECT match_id, seq, entry FROM journal ORDER BY match_id, seq"):
            journal = entries.setdefault(row["match_id"], [])
            assert row["seq"] == len(journal), f"match {row['match_id']}: entry {len(journal)} is missing"
            journal.append(row["entry"])
        matches = {
            row["id"]: MatchRow(
                id=MatchId(row["id"]),
                names=BySide(o=UserName(row["name_o"]), x=UserName(row["name_x"])),
                terms=MatchTerms(
                    length=row["length"],
                    crawford=bool(row["crawford"]),
                    redoubles=row["redoubles"],
                    autodoubles=row["autodoubles"],
                ),
                started=row["started"],
                entries=tuple(entries.get(row["id"], ())),
                finished=row["finished"],
            )
            for row in database.execute("SELECT * FROM matches ORDER BY id")
        }
        return Stored(
            matches=matches,
            accounts={
                row["name"]: (row["rating"], row["experience"]) for row in database.execute("SELECT * FROM accounts")
            },
            histories=dict(database.execute("SELECT match_id, count(*) FROM rating_history GROUP BY match_id")),
        )
    finally:
        database.close()


def table_after(row: MatchRow, count: int) -> Table:
    """The table after the first entries of a journal."""
    return Table.restore(attrs.evolve(row, entries=row.entries[:count]))


def told(lines: Iterable[str]) -> list[str]:
    """The lines that tell of something which is in the journal."""
    return [line for line in lines if TOLD.match(line)]


def expected(row: MatchRow, name: str, start: int) -> list[str]:
    """All that a player is told of the entries from number `start` on; with a board first when he resumes there."""
    table = table_after(row, start)
    lines = list(_resumed(table, name)) if start else []
    for text in row.entries[start:]:
        lines += _lines(table, text, name)
    return lines


def _resumed(table: Table, name: str) -> Iterator[str]:
    """The board, and the double that waits."""
    if table.match.game.resignation is not None:
        table = attrs.evolve(table)
        table.enter(WithdrawResignation(side=table.match.game.resignation.side), 0.0, Result())
    yield _board(table, name)
    if table.match.game.offer is not None:
        offer = table.match.game.offer
        yield _double(table, offer.by, name)


def _board(table: Table, name: str) -> str:
    return raw_board(table.snapshot, table.side_of(UserName(name)), own=True)


def _double(table: Table, side: Side, name: str) -> str:
    if table.names.of(side) == name:
        return f"You double. Please wait for {table.names.of(side.other)} to accept or reject."
    return f"{table.names.of(side)} doubles. Type 'accept' or 'reject'."


def _lines(table: Table, text: str, name: str) -> Iterator[str]:
    """Enter an entry and give what the player is told of it."""
    before = table.snapshot
    entry = from_text(text)
    table.enter(entry, 0.0, Result())
    names, game = table.names, table.match.game
    me = table.side_of(UserName(name))
    match entry:
        case OpeningRoll():
            opponent = names.of(me.other)
            yield f"You rolled {entry.dice.of(me)}, {opponent} rolled {entry.dice.of(me.other)}"
            if game.turn is not None:
                yield _board(table, name)
        case Roll():
            mine, (d1, d2) = entry.side is me, entry.dice
            yield f"You roll {d1} and {d2}." if mine else f"{names.of(entry.side)} rolls {d1} and {d2}."
            if game.phase is Phase.MOVE:
                yield _board(table, name)
            else:
                yield raw_board(before.with_dice(entry.side, entry.dice), me, own=True)
                yield "You can't move." if mine else f"{names.of(entry.side)} can't move."
        case MakePlay():
            if entry.side is not me:
                yield f"{names.of(entry.side)} moves {format_play(entry.play, entry.side)} ."
            if game.result is None:
                yield _board(table, name)
        case Double():
            yield _double(table, entry.side, name)
        case Take():
            who = "You accept" if entry.side is me else f"{names.of(entry.side)} accepts"
            yield f"{who} the double. The cube shows {game.cube.value}."
        case Resign():
            points = _points(game.worth(entry.size))
            opponent = names.of(entry.side.other)
            if entry.side is me:
                yield f"You want to resign. {opponent} will win {points}."
            else:
                yield f"{names.of(entry.side)} wants to resign. You will win {points}. Type 'accept' or 'reject'."
        case RejectResignation():
            yield f"{'You reject' if entry.side is me else f'{names.of(entry.side)} rejects'}. The game continues."
        case Pass() | AcceptResignation():
            pass
    if game.result is not None:
        yield from _end(table, me)


def _end(table: Table, me: Side) -> Iterator[str]:
    result, names = table.match.game.result, table.names
    assert result is not None
    points = _points(result.points)
    winner, won = names.of(result.winner), result.winner is me
    if result.ending is Ending.BEAR_OFF:
        yield (
            f"You win the game and get {points}. Congratulations!"
            if won
            else f"{winner} wins the game and gets {points}. Sorry."
        )
    elif result.ending is Ending.DROP:
        loser = names.of(result.winner.other)
        yield f"{loser} gives up. You win {points}." if won else f"You give up. {winner} wins {points}."
    else:
        yield f"You accept and win {points}." if won else f"{winner} accepts and wins {points}."
    if table.match.over:
        score = table.match.score
        who = "You win" if won else f"{winner} wins"
        yield (
            f"{who} the {table.terms.length} point match {score.of(result.winner)}-{score.of(result.winner.other)} ."
        )


def _points(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"


_BEGINS = re.compile(r"\*\* Player \S+ has joined you for |\*\* You are now playing |.*Your running match was loaded")


def segments(heard: Sequence[str]) -> list[list[str]]:
    """What a player heard, cut into one piece for each match: where one was begun, or taken up again."""
    pieces: list[list[str]] = []
    for line in heard:
        if re.match(
            r"(\*\* (Player \S+ has joined you for|You are now playing) )|.*Your running match was loaded", line
        ):
            pieces.append([])
        if pieces:
            pieces[-1].append(line)
    return pieces
