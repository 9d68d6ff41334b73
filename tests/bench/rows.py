"""The figures: what each is called, what it is compared with, and how good it has to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import attrs

GROWTH = 1.25
"""A ratio that is larger than this many times the one it is compared with has grown."""
PEER_TURNS_PER_S = 900.0
"""Turns per second of another server of this kind, written in Go, on one core."""


@attrs.frozen(kw_only=True)
class Row:
    """One figure.

    Attributes:
        name: For `--only` and in files.
        title: For people.
        unit: Of the value.
        goal: The ratio may be at most this, or has to be at least this.
        base: What the value is divided by: the name of a floor, or a number.
        at_least: Whether more is better.
        digits: Decimal places of the value.
    """

    name: str
    title: str
    unit: str
    goal: float
    base: str | float
    at_least: bool = False
    digits: int = 1


def _bounded(name: str, title: str, bound: float, unit: str, digits: int = 1) -> Row:
    """A figure with a goal of its own; the ratio then tells how much of what is allowed is used up."""
    return Row(name=name, title=title, unit=unit, goal=1.0, base=bound, digits=digits)


_MEASURED = (
    Row(name="time", title="trivial command (`time`), 64 clients", unit="us", goal=1.3, base="T1"),
    Row(name="turn", title="turn, 20 matches, in memory", unit="us", goal=5.0, base="T1"),
    Row(name="turn-sqlite", title="turn, 20 matches, SQLite", unit="us", goal=6.5, base="T1"),
    Row(
        name="turns",
        title="turns in a second of CPU, in memory",
        unit="1/s",
        goal=3.5,
        base=PEER_TURNS_PER_S,
        at_least=True,
        digits=0,
    ),
    Row(name="watch-100", title="each of 100 watchers, per turn", unit="us", goal=1.4, base="T0"),
    Row(name="watch-1000", title="each of 1,000 watchers, per turn", unit="us", goal=1.4, base="T0"),
    Row(name="shout", title="shout, each of 1,000 listeners", unit="us", goal=1.5, base="T0"),
    _bounded("move-p50", "answer to `move`, half load, p50", 3.0, "ms", 2),
    _bounded("move-p99", "answer to `move`, half load, p99", 10.0, "ms", 2),
    Row(name="move-tail", title="the same p99 against a floor as busy", unit="ms", goal=3.0, base="T1", digits=2),
    _bounded("memory", "idle CLIP connection, 9,000 of them", 7.0, "KB"),
    _bounded("idle", "CPU of 9,000 idle connections", 0.5, "%", 2),
    _bounded("crowd-p99", "answer to `move`, 9,000 on-line, p99", 25.0, "ms", 2),
    _bounded("crowd-turn", "longest turn of the loop, 9,000 on-line", 10.0, "ms", 2),
    _bounded("login", "login without the hash, 1,000 on-line", 2.0, "ms", 2),
    Row(name="announce", title="telling of a login, each of 1,000", unit="us", goal=1.4, base="T0"),
    _bounded("match", "match starts or ends, 1,000 on-line", 16.0, "ms"),
    _bounded("reconnect", "1,000 logins at once, real hashes", 60.0, "s"),
    _bounded("reconnect-move", "slowest answer to a `move` meanwhile", 250.0, "ms"),
    _bounded("generate", "all legal plays, typical", 35.0, "us"),
    _bounded("generate-worst", "all legal plays, worst", 1500.0, "us", 0),
    _bounded("check", "checking a play", 5.0, "us"),
    _bounded("playable", "playable dice", 6.0, "us"),
    Row(name="generate-peer", title="all legal plays, against gnubg-nn", unit="us", goal=12.0, base="gnubg-nn"),
)
ROWS: Mapping[str, Row] = {row.name: row for row in _MEASURED}


@attrs.frozen
class Sample:
    """What one pass found: a value in the row's unit, and what it is to be divided by."""

    value: float
    base: float

    @property
    def ratio(self) -> float:
        """The one divided by the other."""
        return self.value / self.base


@attrs.frozen(kw_only=True)
class Result:
    """A row with its figures.

    Attributes:
        row: Which.
        value: Median of the passes.
        base: The same of what it is compared with.
        ratio: The same of the ratios, each taken within its own pass.
        passes: How many there were.
        faults: Why nothing can be concluded.
        notes: What was different from what the row says.
    """

    row: Row
    value: float
    base: float
    ratio: float
    passes: int
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: Row, samples: Sequence[Sample], faults: Sequence[str] = (), notes: Sequence[str] = ()) -> Result:
        """Medians of at least one sample."""
        return cls(
            row=row,
            value=median(sample.value for sample in samples),
            base=median(sample.base for sample in samples),
            ratio=median(sample.ratio for sample in samples),
            passes=len(samples),
            faults=tuple(dict.fromkeys(faults)),
            notes=tuple(dict.fromkeys(notes)),
        )

    @property
    def reached(self) -> bool:
        """Whether the goal is."""
        return self.ratio >= self.row.goal if self.row.at_least else self.ratio <= self.row.goal

    @property
    def verdict(self) -> str:
        """`ok`, `MISSED`, or `UNSURE` if nothing can be concluded."""
        if self.faults:
            return "UNSURE"
        return "ok" if self.reached else "MISSED"


def growth(result: Result, ratio_before: float) -> float:
    """How many times as much it costs as before; less than 1 means less."""
    if result.row.at_least:
        return ratio_before / result.ratio if result.ratio else float("inf")
    return result.ratio / ratio_before if ratio_before else float("inf")
