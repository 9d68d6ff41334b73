"""When Python looks for cycles that nobody can reach any more.

It stops everything while it looks, and there are about 45 objects for each user on-line: with thousands of users a look
at all of them takes a fraction of a second. So no look but the day's covers more than some thousands: young objects are
looked at unasked, those that have outlived that every two seconds, once more, and what lives on then is set aside.
Little is found in all this: what a match or a session leaves behind is freed at once, without looking.
"""

import gc
from collections.abc import Callable

import attrs

ROUND_S = 2.0
"""Seconds between two moments at which a look may be taken at what has outlived the looks at young objects."""
DAY_S = 86_400.0
"""Seconds after which, while nobody plays, what was set aside is looked at, too."""
YOUNG = 1_000
"""New objects after which the new ones are looked at: less than half a millisecond if all of them live on."""
MIDDLE = 2
"""Such looks after which those that outlived one are looked at again."""
MOST = 1
"""Such second looks of which one more look covers all that was left: some 3,000 objects, a millisecond or two.

If there were more, since so many users came within a round, what they have left is set aside unseen.
"""
NEVER = 1_000_000_000


@attrs.define(eq=False)
class Collector:
    """Chooses the moments.

    Attributes:
        now: Seconds of a clock that is not set back.
    """

    now: Callable[[], float]
    _last_of_all: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._last_of_all = self.now()

    def begin(self) -> None:
        """Set aside what the program itself consists of, and look at older objects only when told to."""
        self._look()
        gc.set_threshold(YOUNG, MIDDLE, NEVER)

    def look(self, *, quiet: bool) -> None:
        """Look at what is new among the older objects, if there may be something, and set aside what lives on.

        Args:
            quiet: Whether nobody plays, so that it may be the day's look at everything.
        """
        now = self.now()
        left = gc.get_count()[2]
        if quiet and now - self._last_of_all >= DAY_S:
            gc.unfreeze()
            self._last_of_all = now
            self._look()
        elif left > MOST:
            gc.freeze()
        elif left:
            self._look()

    @staticmethod
    def _look() -> None:
        gc.collect()
        gc.freeze()
