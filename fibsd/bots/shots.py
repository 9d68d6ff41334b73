"""Which rolls hit a blot."""

import itertools
from collections.abc import Iterator, Sequence

from fibsd.backgammon.movegen import View
from fibsd.values import frozen

ROLLS = 36
_DIES = range(1, 7)


def _bits(first: int, second: int) -> int:
    """A roll as a set of the 36 that can fall, in either order."""
    return 1 << 6 * (first - 1) + second - 1 | 1 << 6 * (second - 1) + first - 1


@frozen
class _Way:
    """Rolls that cover a distance with more than one die, and where their checker may touch down on the way."""

    rolls: int
    stops: tuple[tuple[int, ...], ...]


def _ways(distance: int) -> Iterator[_Way]:
    for low, high in itertools.combinations(_DIES, 2):
        if low + high == distance:
            yield _Way(_bits(low, high), ((low,), (high,)))
    for die in _DIES:
        if distance in (2 * die, 3 * die, 4 * die):
            yield _Way(_bits(die, die), (tuple(range(die, distance, die)),))


_PAIRS = tuple(tuple(_bits(die, other) if die and other else 0 for other in range(7)) for die in range(7))
_DIRECT = tuple(sum(1 << bit for bit in range(ROLLS) if die in (bit // 6 + 1, bit % 6 + 1)) for die in range(7))
_WAYS = tuple(tuple(_ways(distance)) for distance in range(25))


def shots(view: View, blot: int, hitters: Sequence[int]) -> int:
    """The rolls of the other side that hit a blot, as a set of bits.

    A checker of the other side on the bar enters first, with one die; a second one there leaves no die to hit
    with but those that enter.

    Args:
        view: The position as its owner sees it.
        blot: The point where it stands, in the numbering of its owner.
        hitters: The points of the other side's checkers in the same numbering, each once, from its bar (0) up.
    """
    on_bar = -view[0]
    found = 0
    for hitter in hitters:
        distance = blot - hitter
        if distance <= 0:
            break
        if on_bar and hitter:
            if on_bar == 1 and distance <= 6:
                for die in _DIES:
                    if view[die] < 2:
                        found |= _PAIRS[distance][die]
            continue
        if distance <= 6:
            found |= _DIRECT[distance]
        if on_bar > 1:
            continue
        for way in _WAYS[distance]:
            if way.rolls & ~found:
                for stops in way.stops:
                    if all(view[hitter + stop] < 2 for stop in stops):
                        found |= way.rolls
                        break
    return found
