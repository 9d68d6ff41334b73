"""What the rules cost, in process: `python -m tests.bench.rules` prints one JSON object of microseconds.

The positions are those of the oracle's table of legal plays. Typical ones come from random games; the others were
looked for because they are hard.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import attrs

from fibsd.backgammon.dice import Dice
from fibsd.backgammon.movegen import View, check_play, legal_plays, playable
from fibsd.backgammon.play import Play
from tests.support.oracle import json_rows

T = TypeVar("T")

ROUNDS = 3
"""The best of so many counts: nobody is faster than he can be."""
HARDEST = 40
"""Positions that are timed once more, singly, for the worst case."""
OPEN = (0, *((0,) * 9), *((1,) * 15), 0)
"""A position that the table does not have: nobody in the way, and every checker on a point of its own."""


@attrs.frozen
class Case:
    """A position and a roll, with all plays."""

    view: View
    dice: Dice
    plays: list[Play]
    typical: bool


def cases() -> list[Case]:
    """All positions of the table."""
    return [_case(row) for row in json_rows("legal-plays.jsonl.gz")]


def _case(row: dict[str, Any]) -> Case:
    view = (-row["bar"][1], *row["pts"], row["bar"][0])
    dice = Dice(*row["dice"])
    return Case(view, dice, legal_plays(view, dice), row["src"] == "random")


def mean_us(work: Callable[[T], object], things: Iterable[T]) -> float:
    """Microseconds of CPU for one thing, in the best of some rounds over all of them."""
    things = list(things)
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for thing in things:
            work(thing)
        best = min(best, time.process_time() - begun)
    return best / len(things) * 1e6


def _generate(case: Case) -> object:
    return legal_plays(case.view, case.dice)


def measure() -> dict[str, float]:
    """All figures."""
    everything = cases()
    typical = [case for case in everything if case.typical]
    hardest = sorted(everything, key=lambda case: len(case.plays))[-HARDEST:]
    hardest += [Case(OPEN, dice, legal_plays(OPEN, dice), False) for dice in map(Dice, (1, 2, 3), (1, 2, 3))]
    chosen = [(case.view, case.dice, case.plays[len(case.plays) // 2]) for case in typical if case.plays]
    figures = {
        "generate": mean_us(_generate, typical),
        "generate-worst": max(mean_us(_generate, [case] * 20) for case in hardest),
        "check": mean_us(lambda one: check_play(*one), chosen),
        "playable": mean_us(lambda case: playable(case.view, case.dice), typical),
    }
    peer = peer_us(typical)
    return figures if peer is None else {**figures, "gnubg-nn": peer}


def peer_us(typical: list[Case]) -> float | None:
    """What the package gnubg-nn takes for the same positions; None if it is not installed."""
    try:
        import gnubg_nn  # type: ignore[import-not-found] # nobody needs it
    except ImportError:
        return None
    asked = [(_for_peer(case.view), *case.dice) for case in typical]
    return mean_us(lambda one: gnubg_nn.moves(*one), asked)


def _for_peer(view: View) -> list[list[int]]:
    """The position as two lists, the mover's last: 24 points and the bar, each as its owner counts them."""
    own = [max(n, 0) for n in view[1:26]]
    other = [max(-view[25 - point], 0) for point in range(1, 26)]
    return [other, own]


if __name__ == "__main__":
    print(json.dumps(measure()))
