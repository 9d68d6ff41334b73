"""An announced stop: when everybody is reminded of it."""

MARKS_S = (3600, 1800, 900, 600, 300, 240, 180, 120, 60, 30, 10)
"""Seconds before the stop at which everybody is told again."""


def due(before_s: float, left_s: float) -> bool:
    """Whether a mark lies between two moments, given as the seconds that are left at each."""
    return any(left_s <= mark < before_s for mark in MARKS_S)
