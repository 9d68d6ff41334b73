"""The arithmetic of the benchmark: medians, verdicts, growth, and what is kept for the next comparison."""

from collections import Counter
from pathlib import Path

import pytest

from tests.bench.__main__ import EXPERIMENTS, ONCE
from tests.bench.load import Measured, options
from tests.bench.play import think_s
from tests.bench.report import NotComparable, as_json, grown, read_ratios, table
from tests.bench.rows import ROWS, Result, Row, Sample
from tests.bench.servers import names

COST = Row(name="cost", title="a cost", unit="us", goal=2.0, base="T1")
SPEED = Row(name="speed", title="a speed", unit="1/s", goal=3.0, base=10.0, at_least=True)


def result(row: Row, value: float, *faults: str) -> Result:
    """One pass in which the value was divided by 10."""
    return Result.of(row, [Sample(value, 10.0)], faults)


def test_the_ratio_is_the_median_of_those_within_each_pass() -> None:
    """Not the ratio of the medians: a pass in which all was slow counts like the others."""
    found = Result.of(COST, [Sample(10, 10), Sample(60, 20), Sample(40, 10)])
    assert (found.value, found.base, found.ratio, found.passes) == (40, 10, 3.0, 3)


@pytest.mark.parametrize(
    ("row", "value", "verdict"),
    [(COST, 20, "ok"), (COST, 20.1, "MISSED"), (SPEED, 30, "ok"), (SPEED, 29.9, "MISSED")],
)
def test_a_goal_is_a_bound_that_may_be_met_exactly(row: Row, value: float, verdict: str) -> None:
    assert result(row, value).verdict == verdict


def test_nothing_is_concluded_from_a_faulty_run() -> None:
    faulty = result(COST, 1, "errors 3")
    assert faulty.verdict == "UNSURE"
    assert "cost: errors 3" in table([faulty])


@pytest.mark.parametrize(("row", "before", "now"), [(COST, 1.0, 12.6), (SPEED, 4.0, 31.9)])
def test_a_ratio_has_grown_beyond_a_quarter(row: Row, before: float, now: float) -> None:
    """Where more is better, what grows is the cost of the same work."""
    (line,) = grown([result(row, now)], {row.name: before})
    assert line.startswith(f"{row.name}: ")


@pytest.mark.parametrize(
    ("row", "before", "now"), [(COST, 1.0, 12.5), (COST, 1.0, 5), (SPEED, 4.0, 32), (SPEED, 4, 90)]
)
def test_a_quarter_more_and_any_gain_pass(row: Row, before: float, now: float) -> None:
    assert grown([result(row, now)], {row.name: before}) == []


def test_a_row_that_was_not_measured_before_has_not_grown() -> None:
    assert grown([result(COST, 1000)], {}) == []


def test_a_file_keeps_the_ratios_that_can_be_concluded_from(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    path.write_text(as_json([result(COST, 15), result(SPEED, 40, "too busy")], {"passes": 1}, {}))
    assert read_ratios(path) == {"cost": 1.5}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 0, "rows": {}}', '{"format": 1, "rows": {"a": {}}}'])
def test_another_file_is_not_compared_with(tmp_path: Path, text: str) -> None:
    path = tmp_path / "figures.json"
    path.write_text(text)
    with pytest.raises(NotComparable):
        read_ratios(path)


def test_every_row_is_filled_by_one_experiment() -> None:
    filled = Counter(row for _, rows in (*EXPERIMENTS, ONCE) for row in rows)
    assert filled == Counter(ROWS.keys())


def test_what_must_be_zero_is_named_if_it_is_not() -> None:
    clean = {"nudges": 0, "forced_resigns": 0, "canmove_mismatch": 0, "errors": {"total": 0}}
    assert Measured(figures=clean).faults() == []
    assert Measured(figures={**clean, "nudges": 2, "errors": {"total": 1}}).faults() == ["nudges 2", "errors 1"]


def test_options_are_written_as_the_load_generator_takes_them() -> None:
    assert options({"cmd_rate": 5, "register": True}) == ["--cmd-rate", "5", "--register"]


def test_accounts_are_named_as_the_load_generator_names_them() -> None:
    named = names("load", "a", 28)
    assert (named[0], named[25], named[26], named[27]) == ("load_aa", "load_az", "load_aab", "load_abb")


def test_bots_wait_so_long_that_the_server_is_half_busy() -> None:
    """A hundred matches, each with a turn of 300 us every 60 ms: half a core."""
    assert think_s(300, load=0.5, pairs=100) == pytest.approx(0.06)
