"""Clocks: banks, the bonus for quick turns, and what is kept of them."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fibsd.backgammon.side import BySide, Side
from fibsd.world.clock import BLITZ, STANDARD, WARNING_S, Bank, Clock, ClockTerms
from tests.support.strategies import examples, sides

O, X = Side.O, Side.X  # noqa: E741 - FIBS calls this side O
NOW = 1_593_792_267.125


def after_turns(terms: ClockTerms, *turns: float) -> list[float]:
    """What O has left after each turn of so many seconds; X takes a second in between."""
    clock, now, left = Clock.new(terms), NOW, []
    for used in turns:
        clock = clock.start(O, now).stop(now + used, turn_ended=True)
        left.append(clock.left(O, now + used))
        clock = clock.start(X, now + used).stop(now + used + 1, turn_ended=True)
        now += used + 1
    return left


# -- Terms ---------------------------------------------------------------------------------------------------


def test_the_terms_that_have_names() -> None:
    assert attrs.astuple(BLITZ) == (30, 10, 30)
    assert attrs.astuple(STANDARD) == (120, 20, 120)


def test_terms_of_ones_own_are_capped_by_their_bank() -> None:
    assert ClockTerms(bank_s=10, bonus_s=0).cap_s == 10
    assert ClockTerms(bank_s=3600, bonus_s=600).cap_s == 3600
    assert ClockTerms(bank_s=60, bonus_s=5, cap_s=90).cap_s == 90


@pytest.mark.parametrize(
    ("bank_s", "bonus_s", "cap_s"),
    [(9, 0, 9), (3601, 0, 3601), (10, -1, 10), (10, 601, 10), (30, 0, 29), (30, 0, 3601)],
)
def test_terms_out_of_bounds_are_refused(bank_s: int, bonus_s: int, cap_s: int) -> None:
    with pytest.raises(ValueError, match=r"cap|bank_s|bonus_s"):
        ClockTerms(bank_s=bank_s, bonus_s=bonus_s, cap_s=cap_s)


# -- A turn --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "turns", "left"),
    [
        (BLITZ, [15, 5], [15, 20]),
        (STANDARD, [30, 5], [90, 105]),
        (BLITZ, [10], [30]),
        (BLITZ, [10.001], [19.999]),
        (BLITZ, [0], [30]),  # never above the cap
        (BLITZ, [12, 12, 2], [18, 6, 14]),
        (STANDARD, [20, 21, 100], [120, 99, 0]),
        (ClockTerms(bank_s=10, bonus_s=600), [9, 9], [10, 10]),
        (ClockTerms(bank_s=10, bonus_s=600), [10], [0]),  # too late for a bonus
        (ClockTerms(bank_s=60, bonus_s=0), [0, 10], [60, 50]),
        (ClockTerms(bank_s=60, bonus_s=5, cap_s=62), [1, 1], [62, 62]),
    ],
)
def test_what_is_left_after_turns(terms: ClockTerms, turns: list[float], left: list[float]) -> None:
    assert after_turns(terms, *turns) == left


def test_only_the_side_that_the_game_waits_for_loses_time() -> None:
    clock = Clock.new(BLITZ)
    assert (clock.left(O, NOW), clock.left(X, NOW + 99)) == (30, 30)
    clock = clock.start(X, NOW)
    assert (clock.left(O, NOW + 7), clock.left(X, NOW + 7)) == (30, 23)
    assert clock.start(X, NOW + 5) == clock  # told again, it does not begin anew


@pytest.mark.parametrize("side", Side)
def test_the_waits_of_one_turn_are_added_up(side: Side) -> None:
    clock = Clock.new(BLITZ).start(side, NOW).stop(NOW + 6, turn_ended=False)
    clock = clock.start(side, NOW + 50).stop(NOW + 55, turn_ended=True)
    assert clock.left(side, NOW + 99) == 19  # 11 seconds in all: no bonus
    clock = clock.start(side, NOW + 60).stop(NOW + 65, turn_ended=True)
    assert clock.left(side, NOW + 99) == 24  # the next turn has its own


@pytest.mark.parametrize("side", Side)
def test_while_the_other_side_answers_a_double_the_turn_stands_still(side: Side) -> None:
    clock = Clock.new(BLITZ).start(side, NOW).start(side.other, NOW + 4)
    clock = clock.stop(NOW + 12, turn_ended=False).start(side, NOW + 12)
    clock = clock.stop(NOW + 18, turn_ended=True)
    assert (clock.left(side, NOW + 18), clock.left(side.other, NOW + 18)) == (30, 22)
    # What the answer took counts in the next turn of the side that gave it.
    clock = clock.start(side.other, NOW + 18).stop(NOW + 21, turn_ended=True)
    assert clock.left(side.other, NOW + 21) == 19


@pytest.mark.parametrize("side", Side)
def test_a_turn_can_end_while_its_clock_stands_or_the_other_runs(side: Side) -> None:
    clock = Clock.new(BLITZ).start(side, NOW).start(side.other, NOW + 5)
    ended = clock.end_turn(side, NOW + 8)
    assert (ended.left(side, NOW + 8), ended.left(side.other, NOW + 10)) == (30, 25)
    assert ended.running is side.other
    stands = clock.stop(NOW + 8, turn_ended=False).end_turn(side, NOW + 9)
    assert (stands.left(side, NOW + 20), stands.left(side.other, NOW + 20), stands.running) == (30, 27, None)


def test_a_clock_that_stands_ends_no_turn() -> None:
    clock = Clock.new(BLITZ).start(O, NOW).stop(NOW + 5, turn_ended=False)
    assert clock.stop(NOW + 9, turn_ended=True) == clock


def test_a_clock_of_the_machine_that_was_set_back_gives_no_time() -> None:
    assert Clock.new(BLITZ).start(O, NOW).stop(NOW - 50, turn_ended=False).left(O, NOW) == 30


# -- The end of a bank ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", Side)
def test_a_bank_is_empty_when_it_was_foretold_to_be(side: Side) -> None:
    clock = Clock.new(BLITZ)
    assert (clock.expires_at, clock.expired(NOW)) == (None, None)
    clock = clock.start(side, NOW)
    assert clock.expires_at == NOW + 30
    assert clock.expired(NOW + 29.99) is None
    assert clock.expired(NOW + 30) is side
    assert clock.left(side, NOW + 31) == 0
    assert clock.stop(NOW + 31, turn_ended=True).left(side, NOW) == 0


def test_the_warning_comes_once_in_a_game() -> None:
    clock = Clock.new(BLITZ)
    assert clock.warns_at is None
    clock = clock.start(O, NOW)
    assert clock.warns_at == NOW + 20
    told = clock.warned(O)
    assert told.warns_at is None
    assert told.start(X, NOW + 21).warns_at == NOW + 41
    again = told.stop(NOW + 25, turn_ended=True).start(O, NOW + 30)
    assert again.warns_at is None
    assert again.next_game().start(O, NOW).warns_at == NOW + 20


def test_with_little_time_the_warning_is_due_at_once() -> None:
    clock = Clock.new(BLITZ).start(O, NOW).stop(NOW + 25, turn_ended=True).start(O, NOW + 30)
    assert clock.warns_at == NOW + 30
    assert Clock.new(ClockTerms(bank_s=WARNING_S, bonus_s=0)).start(O, NOW).warns_at == NOW


def test_a_new_game_fills_both_banks() -> None:
    clock = Clock.new(STANDARD).start(O, NOW).start(X, NOW + 50).warned(X)
    assert clock.next_game() == Clock.new(STANDARD)


# -- Kept as text --------------------------------------------------------------------------------------------


def test_the_text_of_a_clock() -> None:
    clock = Clock.new(BLITZ).start(O, NOW).stop(NOW + 15.5, turn_ended=True).warned(X)
    assert clock.start(X, NOW + 20).to_text(NOW + 23) == "14500/0 27000/3000/w"
    restored = Clock.from_text("14500/0 27000/3000/w", BLITZ)
    banks = BySide(o=Bank(left_ms=14500), x=Bank(left_ms=27000, used_ms=3000, warned=True))
    assert restored == Clock(terms=BLITZ, banks=banks)
    # The turn goes on with what it has used: with 7.5 seconds more it is too long for a bonus.
    assert restored.start(X, NOW + 500).stop(NOW + 507.5, turn_ended=True).left(X, NOW) == 19.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "30000/0",
        "30000/0 30000",
        "30000/0  30000/0",
        "30000/0 30000/0 ",
        "30000/0 30000/0\n",
        "030000/0 30000/0",
        "30000/0/x 30000/0",
        "-1/0 30000/0",
        "1.5/0 30000/0",
        "३/0 30000/0",  # a three, but not in ASCII
        "30001/0 30000/0",
        "30000/0 99999999999/0",
    ],
)
def test_a_text_that_is_none_of_a_clock_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"text of a clock|more time"):
        Clock.from_text(text, BLITZ)


times = st.floats(0, 40)
steps = st.lists(
    st.tuples(st.sampled_from(["start", "stop", "end", "warned"]), sides, st.booleans(), times), max_size=12
)
some_terms = st.sampled_from([BLITZ, STANDARD, ClockTerms(bank_s=20, bonus_s=7, cap_s=25)])


def run(clock: Clock, step: str, side: Side, ended: bool, now: float) -> Clock:
    if step == "start":
        return clock.start(side, now)
    if step == "stop":
        return clock.stop(now, ended)
    return clock.end_turn(side, now) if step == "end" else clock.warned(side)


@given(some_terms, steps)
@examples(200)
def test_what_holds_however_a_clock_is_run(terms: ClockTerms, todo: list[tuple[str, Side, bool, float]]) -> None:
    clock, now = Clock.new(terms), NOW
    for step, side, ended, pause in todo:
        before, now = clock, now + pause
        waited = {one: before.left(one, now) for one in Side}
        clock = run(clock, step, side, ended, now)
        for one in Side:
            assert 0 <= clock.left(one, now) <= terms.cap_s
            gain = round(clock.left(one, now) - waited[one], 3)
            assert 0 <= gain <= terms.bonus_s
            if waited[one] == 0:
                assert gain == 0
            if before.running is not one:
                assert waited[one] == before.banks.of(one).left_ms / 1000
        if clock.expires_at is not None:
            assert clock.expired(clock.expires_at) is clock.running
            assert clock.expires_at <= now or clock.expired(now) is None
        # A restart loses nothing but the wait itself, which is counted up to it.
        restored = Clock.from_text(clock.to_text(now), terms)
        assert restored == clock.stop(now, turn_ended=False)


@given(st.text("0123456789/w -", max_size=24))
@examples(200)
def test_any_text_that_is_read_is_written_again(text: str) -> None:
    try:
        clock = Clock.from_text(text, STANDARD)
    except ValueError:
        return
    assert clock.to_text(NOW) == text
