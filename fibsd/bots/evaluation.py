"""What a position is worth: a sum of hand-made terms, all of them in pips.

A view is that of `Board.seen_by`. The side that sees it has just moved, and the other side is about to roll.
"""

import math
from collections.abc import Sequence

from fibsd.backgammon.board import CHECKERS
from fibsd.backgammon.movegen import View
from fibsd.backgammon.play import BAR
from fibsd.bots.shots import ROLLS, shots
from fibsd.values import frozen

ON_ROLL = 4.0
"""Half an average roll: what it is worth to be about to roll."""

_WASTE = (0.0, 2.5, 1.6, 1.2, 0.9, 0.8, 0.75, *[0.75 + 0.08 * (point > 12) + 0.05 for point in range(7, 26)])
"""Pips that a checker on each point will waste until it is off: many are lost on low points."""
_TRAVEL = tuple(point + waste for point, waste in enumerate(_WASTE))
_HOME_POINT = (0.0, 0.6, 1.6, 3.0, 4.2, 5.0, 4.0, 3.2, 1.2, 0.8, 0.6, 0.4, 0.2)
"""A point held by two checkers or more, by its number, while men of the other side are still to pass it."""
_PRIME = (0.0, 0.0, 0.5, 2.5, 7.0, 13.0, 20.0)
"""That many points held in a row, before men of the other side."""
_ANCHOR = {18: 3.5, 19: 2.5, 20: 6.5, 21: 5.5, 22: 3.5, 23: 2.0, 24: 1.5}
_TRAPPED = (0.0, 0.2, 0.6, 1.3, 2.6, 4.8, 9.0)
"""A rear checker, by how many of the six points before it the other side holds."""
_SHUT = (0.0, 0.6, 1.6, 3.2, 6.0, 11.0, 22.0)
"""A checker on the bar or sent there, by how many points of its entry the other side holds."""
_HIT = 3.0
_MENACE = 0.3
"""Share of the danger of the other side's blots that counts: it rolls first."""
_STACK = 0.6
_BUILDER = 0.5
_CONTACT_SPREAD = 1.25
_LEAST_SPREAD = 10.0
FIRST_OFF = 3.0
"""Pips that the first checker to be borne off needs, more or less, once all are home."""
_GAMMON_SHARE = 0.6
"""Share of an advantage in position, by which gammons become more likely."""


@frozen
class Half:
    """One side's checkers by its own numbering, with what is asked of them often.

    Attributes:
        counts: How many checkers stand on each of the points 0 to 25 (0 has none).
        pips: Their pips.
        travel: Their pips with what will be wasted.
        rear: The last point that has one, 0 if all are off.
    """

    counts: Sequence[int]
    pips: int
    travel: float
    rear: int


def halves(view: View) -> tuple[Half, Half]:
    """The side that sees the view, and the other one."""
    return (
        _half([count if count > 0 else 0 for count in view]),
        _half([-count if count < 0 else 0 for count in reversed(view)]),
    )


def _half(counts: list[int]) -> Half:
    pips, travel, rear = 0, 0.0, 0
    for point, count in enumerate(counts):
        if count:
            pips += point * count
            travel += _TRAVEL[point] * count
            rear = point
    return Half(counts, pips, travel, rear)


def in_contact(own: Half, other: Half) -> bool:
    """Whether a checker can still meet one of the other side."""
    return own.rear + other.rear > BAR


@frozen
class Outlook:
    """What may be expected of a game.

    Attributes:
        win: Chance (0 to 1) of the side that has just moved to win.
        gammon: Chance that it wins at least a gammon if it wins.
        gammoned: Chance that it loses at least a gammon if it loses.
    """

    win: float
    gammon: float
    gammoned: float

    @property
    def equity(self) -> float:
        """Expected points, with the cube at 1 and never turned."""
        return self.win * (1 + self.gammon) - (1 - self.win) * (1 + self.gammoned)


def outlook(view: View, checkers: int = CHECKERS) -> Outlook:
    """Estimated chances of the side that has just moved.

    Args:
        view: The position.
        checkers: How many each side began with: who has borne none of them off may lose a gammon.
    """
    own, other = halves(view)
    if not own.rear or not other.rear:
        return _decided(own, other, checkers)
    ahead = race = other.travel - own.travel - ON_ROLL
    spread = math.sqrt(2 * max(own.travel + other.travel - ON_ROLL, 1.0))
    if in_contact(own, other):
        turned = tuple([-count for count in reversed(view)])
        ahead += _structure(own, other) - _structure(other, own)
        ahead += _MENACE * _danger(turned, other, own) - _danger(view, own, other)
        spread = _CONTACT_SPREAD * max(spread, _LEAST_SPREAD)
    extra = _GAMMON_SHARE * (ahead - race)
    return Outlook(
        normal(ahead / spread),
        _gammon(own, other, extra - ON_ROLL, spread, checkers),
        _gammon(other, own, ON_ROLL - extra, spread, checkers),
    )


def _decided(own: Half, other: Half, checkers: int) -> Outlook:
    """The game is over: one side has borne off its last checker."""
    won = not own.rear
    loser = other if won else own
    gammon = float(sum(loser.counts) == checkers)
    return Outlook(float(won), gammon if won else 0.0, 0.0 if won else gammon)


def _gammon(winner: Half, loser: Half, extra: float, spread: float, checkers: int) -> float:
    """Chance of a gammon if that side wins: whether the loser comes home and bears one off in time."""
    if sum(loser.counts) < checkers:
        return 0.0
    needs = sum([(point - 6) * loser.counts[point] for point in range(7, BAR + 1)]) + FIRST_OFF
    return normal((needs - winner.travel + extra) / spread)


def normal(x: float) -> float:
    """Share of a normal distribution below x standard deviations."""
    return 0.5 + 0.5 * math.erf(x / math.sqrt(2))


# --- terms -----------------------------------------------------------------------------------------------------


def _structure(own: Half, other: Half) -> float:
    """What points, primes, anchors, stacks and trapped men are worth to one side."""
    worth = 0.0
    run = 0
    counts, others = own.counts, other.counts
    last = other.rear
    for point in range(1, 13):
        count = counts[point]
        # Men of the other side that have not passed this point: they are before it.
        faces = last > BAR - point
        if count >= 2:
            worth += _HOME_POINT[point] if faces else 0.3 * _HOME_POINT[point]
            run = run + 1 if faces else 0
            if count > 3:
                worth -= _STACK * (count - 3)
        else:
            if run > 1:
                worth += _PRIME[min(run, 6)]
            run = 0
            if count and 7 <= point <= 11:
                worth += _BUILDER
    if run > 1:
        worth += _PRIME[min(run, 6)]
    anchor = 0.0
    for point in range(13, BAR):
        count = counts[point]
        if count >= 2:
            if count > 3:
                worth -= _STACK * (count - 3)
            if point >= 18:
                anchor = max(anchor, _ANCHOR[point])
    worth += anchor
    worth -= _trapped(counts, others)
    if counts[BAR]:
        worth -= counts[BAR] * (_HIT + _SHUT[held_home(others)])
    return worth


def _trapped(counts: Sequence[int], others: Sequence[int]) -> float:
    """What rear men lose because they stand behind points of the other side."""
    lost = 0.0
    for point in range(16, BAR):
        count = counts[point]
        if count:
            # The points before it are, in the other side's numbering, those above 25 - point.
            base = BAR - point
            before = sum([men >= 2 for men in others[base + 1 : base + 7]])
            lost += _TRAPPED[before] * min(count, 3)
    return lost


def held_home(counts: Sequence[int]) -> int:
    """How many of its six home points a side holds."""
    return sum([men >= 2 for men in counts[1:7]])


def _danger(view: View, own: Half, other: Half) -> float:
    """What blots may be expected to lose by the next roll of the other side."""
    blots = [point for point in range(1, BAR) if view[point] == 1]
    if not blots:
        return 0.0
    hitters = [point for point in range(BAR) if view[point] < 0]
    shut = _HIT + _SHUT[held_home(other.counts)]
    lost, seen = 0.0, 0
    # The foremost blot has most to lose; a roll that hits two of them is counted for that one.
    for point in blots:
        rolls = shots(view, point, hitters) & ~seen
        if rolls:
            seen |= rolls
            lost += rolls.bit_count() * (BAR - point + (shut if point < 19 else 0.6 * shut))
    return lost / ROLLS
