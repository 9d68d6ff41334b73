"""The players' time in a match: who it is taken from, what is written down of it, and what a restart gives back."""

from random import Random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.actions import Double, MakePlay, OpeningRoll, RejectResignation, Resign, Roll, Take
from fibsd.backgammon.dice import Dice
from fibsd.backgammon.play import Move
from fibsd.backgammon.side import BySide, Side
from fibsd.backgammon.variants import TRICTRAC
from fibsd.world.account import Toggle
from fibsd.world.audience import Result
from fibsd.world.changes import EntryAdded, MatchRow, MatchTerms
from fibsd.world.clock import BLITZ, STANDARD, Bank, ClockTerms
from fibsd.world.ids import MatchId, UserName
from fibsd.world.record import NextGame, SeatToggle
from fibsd.world.table import CorruptMatch, Table
from fibsd.world.terms import NO_TERMS, AddedTerms
from tests.backgammon.playing import random_action

NAMES = BySide(o=UserName("alice"), x=UserName("bob"))
START = 1000.0
FIRST = OpeningRoll(dice=BySide(o=3, x=1))
FIRST_PLAY = MakePlay(side=Side.O, play=(Move(8, 5), Move(6, 5)))


def table(clock: ClockTerms | None = BLITZ, added: AddedTerms = NO_TERMS) -> Table:
    terms = MatchTerms(length=None, added=attrs.evolve(added, clock=clock))
    return Table.new(MatchId(7), NAMES, terms, 0.0)


def enter(one: Table, entry, ticks: float) -> list[str]:
    """The journal entries of one job."""
    out = Result(ticks=ticks)
    one.enter(entry, 0.0, out)
    return [change.entry for change in out.changes if isinstance(change, EntryAdded)]


def told(one: Table, ticks: float) -> None:
    """Who is awaited has been told so."""
    if one.clock is not None and one.awaited is not None:
        one.clock = one.clock.start(one.awaited, ticks)


def test_what_is_left_is_written_down_behind_what_ended_the_wait():
    one = table()
    assert enter(one, FIRST, START) == ["o 3 1"], "nobody has used time yet"
    told(one, START)
    assert enter(one, FIRST_PLAY, START + 15) == ["O m 8-5 6-5", "c 15000/0 30000/0"]
    told(one, START + 15)
    assert enter(one, Roll(side=Side.X, dice=Dice(6, 5)), START + 17) == ["X r 6 5", "c 15000/0 28000/2000"]


def test_a_match_without_a_clock_writes_nothing_more():
    one = table(clock=None)
    assert enter(one, FIRST, START) == ["o 3 1"]
    told(one, START)
    out = Result(ticks=START + 15)
    one.enter(FIRST_PLAY, 0.0, out)
    assert [change.entry for change in out.changes] == ["O m 8-5 6-5"]
    assert out.clocked is None
    one.stop_clock(out)
    assert len(out.changes) == 1


def test_time_between_an_entry_and_its_being_told_is_nobodys():
    one = table()
    enter(one, FIRST, START)
    told(one, START + 100)
    enter(one, FIRST_PLAY, START + 105)
    assert one.clock.left(Side.X, START + 200) == 30
    assert one.clock.left(Side.O, START + 200) == 30, "25 seconds, and a bonus"


def test_the_clock_of_who_waits_for_an_answer_stands():
    one = table(STANDARD)
    enter(one, FIRST, START)
    told(one, START)
    enter(one, Resign(side=Side.O, size=1), START + 5)
    told(one, START + 5)
    enter(one, RejectResignation(side=Side.X), START + 12)
    assert one.clock.banks == BySide(o=Bank(left_ms=115_000, used_ms=5000), x=Bank(left_ms=113_000, used_ms=7000))


def test_who_is_awaited_has_no_rest_when_the_other_one_resigns():
    one = table(STANDARD)
    enter(one, FIRST, START)
    told(one, START)
    assert enter(one, Resign(side=Side.X, size=1), START + 5) == ["X R 1"]
    assert one.clock.running is Side.O
    enter(one, RejectResignation(side=Side.O), START + 8)
    assert one.clock.left(Side.O, START + 8) == 112


def test_a_double_is_on_the_time_of_who_answers():
    one = table(STANDARD)
    enter(one, FIRST, START)
    told(one, START)
    enter(one, FIRST_PLAY, START)
    told(one, START)
    enter(one, Double(side=Side.X), START + 2)
    told(one, START + 2)
    enter(one, Take(side=Side.O), START + 9)
    assert one.awaited is Side.X
    assert one.clock.running is None
    assert [one.clock.left(side, START + 99) for side in Side] == [113, 118]


def test_a_turn_that_goes_on_after_doubles_gets_no_bonus_yet():
    """Trictrac: who has played all of his doubles rolls again."""
    one = table(ClockTerms(bank_s=100, bonus_s=50), AddedTerms(variant=TRICTRAC))
    enter(one, FIRST, START)
    rules = TRICTRAC.rules
    plays = rules.legal_plays(one.match.game.board.seen_by(Side.O), Dice(3, 1))
    told(one, START)
    enter(one, MakePlay(side=Side.O, play=plays[0]), START + 10)
    told(one, START + 10)
    enter(one, Roll(side=Side.X, dice=Dice(1, 1)), START + 20)
    plays = [play for play in rules.legal_plays(one.match.game.board.seen_by(Side.X), Dice(1, 1)) if len(play) == 4]
    told(one, START + 20)
    enter(one, MakePlay(side=Side.X, play=plays[0]), START + 30)
    assert one.match.game.turn is Side.X, "he rolls again"
    assert one.clock.banks.x == Bank(left_ms=80_000, used_ms=20_000)


def test_a_switch_of_the_game_does_not_touch_the_clock():
    one = table()
    enter(one, FIRST, START)
    told(one, START)
    assert enter(one, SeatToggle(Side.O, Toggle.GREEDY, True), START + 5) == ["O + greedy"]
    assert one.clock.since == START


def test_a_stopped_clock_is_written_down_once():
    one = table()
    enter(one, FIRST, START)
    told(one, START)
    out = Result(ticks=START + 4)
    one.stop_clock(out)
    one.stop_clock(out)
    assert [change.entry for change in out.changes] == ["c 26000/4000 30000/0"]


@pytest.mark.parametrize("entry", ["c ", "c 1/1", "c 30001/0 0/0", "c 1/1 2/2 3/3", "c -1/0 0/0"])
def test_time_that_cannot_be_is_corrupt(entry):
    row = MatchRow(id=MatchId(7), names=NAMES, terms=table().terms, started=0.0, entries=(entry,))
    with pytest.raises(CorruptMatch, match="entry 0"):
        Table.restore(row)


def test_time_in_a_match_without_a_clock_is_corrupt():
    row = MatchRow(id=MatchId(7), names=NAMES, terms=MatchTerms(length=5), started=0.0, entries=("c 30000/0 30000/0",))
    with pytest.raises(CorruptMatch, match="without a clock"):
        Table.restore(row)


CLOCKS = st.builds(ClockTerms, bank_s=st.integers(10, 60), bonus_s=st.integers(0, 20))


@given(CLOCKS, st.integers(0, 2**32))
def test_every_second_is_accounted_for(terms: ClockTerms, seed: int):
    """Through whole games: no bank is below 0 or above the cap; what is left is what was given less what was used.

    After any entry the journal gives back the banks as they were when the wait ended.
    """
    one, ticks, rng = table(terms), START, Random(seed)
    left = BySide.both(1000 * terms.bank_s)
    used = BySide.both(0)
    journal: list[str] = []
    for _ in range(60):
        if one.paused:
            journal += enter(one, NextGame(), ticks)
            left, used = BySide.both(1000 * terms.bank_s), BySide.both(0)
        spent = rng.choice([0, 1, 999, 1000 * terms.bonus_s, rng.randint(0, 9000)])
        ticks = round(ticks + spent / 1000, 3)
        awaited, turn = one.clock.running, one.match.game.turn
        action = random_action(rng, one.match.game)
        if awaited is not None:
            left = left.put(awaited, max(left.of(awaited) - spent, 0))
            used = used.put(awaited, used.of(awaited) + spent)
        journal += enter(one, action, ticks)
        if turn is not None and one.match.game.turn is not turn:
            if used.of(turn) <= 1000 * terms.bonus_s and left.of(turn) > 0:
                left = left.put(turn, min(left.of(turn) + 1000 * terms.bonus_s, 1000 * terms.cap_s))
            used = used.put(turn, 0)
        for side in Side:
            assert round(one.clock.left(side, ticks) * 1000) == left.of(side)
            assert 0 <= left.of(side) <= 1000 * terms.cap_s
        if one.clock.running is not None:
            assert one.clock.running is one.awaited
            assert getattr(action, "side", None) is one.awaited.other
            continue
        if rng.random() < 0.1:
            row = MatchRow(id=one.id, names=NAMES, terms=one.terms, started=0.0, entries=tuple(journal))
            assert Table.restore(row).clock == one.clock
        # What the server needs to tell of it.
        ticks = round(ticks + rng.choice([0.0, 7.0]), 3)
        told(one, ticks)
