"""A first sight of a position, quick and rough: which of many plays deserve to be weighed."""

from fibsd.backgammon.movegen import View

_MADE = (
    0.0,
    0.0,
    1.0,
    2.5,
    4.0,
    5.0,
    4.0,
    3.5,
    2.0,
    1.0,
    1.0,
    1.0,
    1.0,
    *[0.5] * 5,
    4.0,
    3.0,
    6.0,
    5.0,
    3.0,
    2.0,
    1.0,
    -8.0,
)


def _worth(point: int, count: int) -> float:
    """Checkers of one side on one point: pips, a point that is held, a blot that can be hit, a stack."""
    if not count or not point:
        return 0.0
    held = _MADE[point] if count >= 2 else -0.12 * (25 - point)
    return held - 1.0 * point * count - 0.6 * max(count - 3, 0) - 1.5 * count


_WORTHS = tuple(tuple(_worth(point, max(count, 0)) for count in (*range(16), *range(-15, 0))) for point in range(26))


def sketch(view: View) -> float:
    """A rough number: the higher, the better for the side that sees the view. A checker sent to the bar counts much."""
    worth = -10.0 * view[0]
    for worths, count in zip(_WORTHS, view, strict=True):
        worth += worths[count]
    return worth
