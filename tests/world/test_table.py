"""A match and its journal."""

import attrs
import pytest

from fibsd.backgammon.actions import MakePlay, OpeningRoll, Resign, Roll
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.errors import IllegalAction, IllegalPlay
from fibsd.backgammon.play import Move
from fibsd.backgammon.side import BySide, Side
from fibsd.world.account import Toggle
from fibsd.world.audience import Result
from fibsd.world.changes import EntryAdded, MatchRow, MatchTerms
from fibsd.world.ids import MatchId, UserName
from fibsd.world.record import GhostSeat, NextGame, SeatToggle
from fibsd.world.table import CorruptMatch, Table

NAMES = BySide(o=UserName("alice"), x=UserName("bob"))
TERMS = MatchTerms(length=5)
ENTRIES = ("o 3 1", "O m 8-5 6-5", "X r 6 5", "X + greedy", "X R 1", "O A", "n", "o 1 2", "O + moves", "X m 24-22 6-5")


def table() -> Table:
    return Table.new(MatchId(7), NAMES, TERMS, 0.0)


def row(*entries: str) -> MatchRow:
    return MatchRow(id=MatchId(7), names=NAMES, terms=TERMS, started=0.0, entries=entries, touched=9.0)


def test_restored_table_is_as_the_journal_says():
    restored = Table.restore(row(*ENTRIES))
    assert restored.seq == len(ENTRIES)
    assert restored.names == NAMES.swap()
    assert restored.match.score == BySide(o=0, x=1), "alice, who has X now, won the first game"
    assert restored.start_score == restored.match.score
    assert restored.toggles == BySide(o=frozenset({Toggle.DOUBLE, Toggle.MOVES}), x=frozenset({Toggle.DOUBLE}))
    assert restored.moved == {"alice"}
    assert restored.match.game.turn is Side.O
    assert restored.previous is not None
    assert (restored.previous.winner, restored.previous.points, restored.previous.names) == (Side.O, 1, NAMES)


def test_what_is_entered_is_stored_and_restores_to_the_same():
    live, out = table(), Result()
    for entry in (
        OpeningRoll(dice=BySide(o=3, x=1)),
        MakePlay(side=Side.O, play=(Move(8, 5), Move(6, 5))),
        SeatToggle(Side.X, Toggle.GREEDY, True),
        Roll(side=Side.X, dice=Dice(6, 5)),
        Resign(side=Side.O, size=2),
    ):
        live.enter(entry, 5.0, out)
    entries = [change for change in out.changes if isinstance(change, EntryAdded)]
    assert [entry.seq for entry in entries] == list(range(5))
    again = Table.restore(attrs.evolve(row(*(entry.entry for entry in entries)), touched=5.0))
    assert again == live


def test_refused_entry_changes_and_stores_nothing():
    live, out = table(), Result()
    live.enter(OpeningRoll(dice=BySide(o=3, x=1)), 0.0, out)
    before = attrs.evolve(live, actions=list(live.actions))
    with pytest.raises(IllegalAction):
        live.enter(Roll(side=Side.X, dice=Dice(6, 5)), 1.0, out)
    with pytest.raises(IllegalPlay):
        live.enter(MakePlay(side=Side.O, play=(Move(8, 5),)), 1.0, out)
    assert live == before
    assert len(out.changes) == 1


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        (("o 3 1", "rubbish"), "entry 1"),
        (("O r 3 1",), "entry 0"),
        (("o 3 1", "O m 8-5 6-1"), "entry 1"),
        (("o 3 1", "O + bell"), "entry 1"),
        (("n",), "entry 0"),
        (("o 3 1", "n"), "entry 1"),
        (("o 3 1", "a"), "entry 1"),
        (("o 3 1", "X R 1", "O A", "a", "a"), "entry 4"),
        (("o 3 1", "O - ghost"), "entry 1"),
        (("o 3 1", "O + ghost", "X - ghost"), "entry 2"),
        (("o 3 1", "O + ghost", "X + ghost"), "entry 2"),
        (("o 3 1", "X R 1", "O A", "O + ghost"), "entry 3"),
        (("o 3 1", "Y + ghost"), "entry 1"),
    ],
)
def test_journal_that_cannot_be_replayed_is_named(entries, fault):
    with pytest.raises(CorruptMatch, match=f"match 7, {fault}"):
        Table.restore(row(*entries))


def test_next_game_swaps_colours_and_resets_the_switches_of_a_game():
    live, out = Table.restore(row(*ENTRIES[:6])), Result()
    assert live.paused
    assert live.toggles.x == {Toggle.DOUBLE, Toggle.GREEDY}
    live.joined = frozenset({UserName("alice")})
    live.enter(NextGame(), 1.0, out)
    assert live.names == NAMES.swap()
    assert live.toggles == BySide.both(frozenset({Toggle.DOUBLE}))
    assert (live.actions, live.joined, live.paused) == ([], frozenset(), False)


def test_journal_tells_who_played_and_which_game_does_not_count():
    entries = ("o 3 1", "O m 8-5 6-5", "X + ghost", "X r 6 5", "X m 24-18 18-13")
    playing = Table.restore(row(*entries))
    assert (playing.ghost, playing.ghost_from) == (Side.X, 2)
    assert Table.restore(row(*entries, "X - ghost")).ghost is None
    won = Table.restore(row(*entries, "O R 2", "X A", "a"))
    assert (won.ghost, won.paused, won.match.score, won.match.games) == (Side.X, True, BySide.both(0), 0)
    following = Table.restore(row(*entries, "O R 2", "X A", "a", "n"))
    assert (following.ghost, following.ghost_from, following.start_score) == (None, 0, BySide.both(0))


def test_ghost_that_takes_a_seat_is_stored():
    live, out = table(), Result()
    live.enter(OpeningRoll(dice=BySide(o=3, x=1)), 0.0, out)
    live.enter(GhostSeat(Side.O, True), 1.0, out)
    live.enter(GhostSeat(Side.O, False), 2.0, out)
    assert [change.entry for change in out.changes if isinstance(change, EntryAdded)][1:] == ["O + ghost", "O - ghost"]
