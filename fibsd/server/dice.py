"""Where dice come from."""

import secrets

from fibsd.backgammon.dice import Dice


class SystemChance:
    """The operating system's generator: nobody, the operator included, can foresee a roll."""

    def roll(self) -> Dice:
        """Two independent dice."""
        return Dice(secrets.randbelow(6) + 1, secrets.randbelow(6) + 1)

    def coin(self) -> bool:
        """A fair draw."""
        return bool(secrets.randbelow(2))
