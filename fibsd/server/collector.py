"""When Python looks for cycles that nobody can reach any more.

It stops everything while it looks at all objects, and there are about 45 for each user on-line: with thousands of
users that takes a fraction of a second, at a moment that nobody has chosen. So only young objects are looked at
unasked, and all of them while nobody plays. Little is found there: what a match or a session leaves behind is freed
at once, without looking.
"""

import gc
from collections.abc import Callable

import attrs

ROUND_S = 60.0
"""Seconds between two moments at which a look at everything may be taken."""
LATEST_S = 3600.0
"""Seconds after which it is taken even while matches are being played."""
YOUNG = 5_000
"""New objects after which the new ones are looked at: two or three milliseconds' work if all of them live on."""
MIDDLE = 2
"""Such looks after which those that outlived one are looked at again; more would take tens of milliseconds."""
NEVER = 1_000_000_000


@attrs.define(eq=False)
class Collector:
    """Chooses the moments.

    Attributes:
        now: Seconds of a clock that is not set back.
    """

    now: Callable[[], float]
    _last: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._last = self.now()

    def begin(self) -> None:
        """Leave out for ever what the program itself consists of, and look at everything only when told to."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(YOUNG, MIDDLE, NEVER)

    def look(self, *, quiet: bool) -> None:
        """Look at everything if this is a good moment, or the last one is too long ago, and there may be something.

        Args:
            quiet: Whether nobody plays.
        """
        grown = gc.get_count()[2] > 0
        if grown and (quiet or self.now() - self._last >= LATEST_S):
            gc.collect()
            self._last = self.now()
