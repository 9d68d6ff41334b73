"""When Python looks for cycles that nobody can reach any more.

It stops everything while it looks at all objects, and there are about 45 for each user on-line: with thousands of
users that takes a fraction of a second, at a moment that nobody has chosen. So only young objects are looked at
unasked, and the older ones while nobody plays. What has lived on then is set aside, so that the next look is a short
one. Little is found in all this: what a match or a session leaves behind is freed at once, without looking.
"""

import gc
from collections.abc import Callable

import attrs

ROUND_S = 60.0
"""Seconds between two moments at which a look at everything may be taken."""
LATEST_S = 3600.0
"""Seconds after which it is taken even while matches are being played."""
DAY_S = 86_400.0
"""Seconds after which, while nobody plays, what was set aside is looked at, too."""
YOUNG = 2_500
"""New objects after which the new ones are looked at: a millisecond's work if all of them live on."""
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
    _last_of_all: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._last = self._last_of_all = self.now()

    def begin(self) -> None:
        """Set aside what the program itself consists of, and look at older objects only when told to."""
        self._look()
        gc.set_threshold(YOUNG, MIDDLE, NEVER)

    def look(self, *, quiet: bool) -> None:
        """Look at older objects if this is a good moment, or the last one is too long ago, and there may be something.

        Args:
            quiet: Whether nobody plays.
        """
        now = self.now()
        if quiet and now - self._last_of_all >= DAY_S:
            gc.unfreeze()
            self._last_of_all = now
            self._look()
        elif gc.get_count()[2] > 0 and (quiet or now - self._last >= LATEST_S):
            self._look()

    def _look(self) -> None:
        gc.collect()
        gc.freeze()
        self._last = self.now()
