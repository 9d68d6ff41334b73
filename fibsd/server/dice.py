"""Where dice come from."""

import os
import secrets
from collections.abc import Iterator

from fibsd.backgammon.dice import Dice

BLOCK = 1024
"""Bytes asked for at once: each call of the system lets another thread go first, which costs more than the dice."""

_ROLLS = tuple(Dice(first, second) for first in range(1, 7) for second in range(1, 7))
_FAIR = 256 - 256 % len(_ROLLS)
"""Bytes from here on are thrown away: the rolls below it come up equally often."""


class SystemChance:
    """The operating system's generator: nobody, the operator included, can foresee a roll."""

    def __init__(self) -> None:
        self._rolls = _fair_rolls()

    def roll(self) -> Dice:
        """Two independent dice."""
        return next(self._rolls)

    def coin(self) -> bool:
        """A fair draw."""
        return bool(secrets.randbelow(2))


def _fair_rolls() -> Iterator[Dice]:
    """Rolls without end, of the system's random bytes, each byte used once."""
    while True:
        for byte in os.urandom(BLOCK):
            if byte < _FAIR:
                yield _ROLLS[byte % len(_ROLLS)]
