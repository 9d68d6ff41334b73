"""What somebody says to everybody on-line, where so many are that not all can be told at a stretch."""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

import attrs
import trio

from fibsd.session.outbox import Chunk
from fibsd.world.audience import Everybody
from fibsd.world.events import Event
from fibsd.world.lobby import Presence

AT_ONCE = 100
"""Users who are told at once: a millisecond. With no more on-line all happens in the order in which it is done."""
TURN_S = 0.002
"""Seconds in which the others are told before other tasks get their turn."""
FEW = 25
"""Users who are told before the time is looked at."""
MOST = 20
"""So many things may be on their way to everybody; for one more the oldest is told to its end before all else.

If more is said than can be told, whoever says it waits, and what waits to be told does not fill the memory.
"""


@attrs.define(eq=False)
class Said:
    """Something that is said to everybody.

    Attributes:
        audience: To whom of them.
        events: What.
        after: The job that must be stored before.
        users: Who of all on-line is still to be told; who comes later has not been there.
        written: What each kind of reader is sent, by the number of his view.
    """

    audience: Everybody
    events: Sequence[Event]
    after: int
    users: deque[Presence]
    written: dict[int, Chunk] = attrs.Factory(dict)


@attrs.define(eq=False)
class Spreading:
    """Tells those who were not told at once, in the order of what was said.

    A shout to 9,000 takes a tenth of a second, in which nobody's move would be looked at. Whoever is told later than
    others may see first what is said to him alone.

    Attributes:
        tell: Tells some users, and queues what cannot be sent.
        flush: Sends what was queued.
        stored: Waits until a job has its outcome; what is queued behind one is all sent in one turn of the loop.
    """

    tell: Callable[[Said, Sequence[Presence]], None]
    flush: Callable[[], None]
    stored: Callable[[int], Awaitable[object]]
    _waiting: deque[Said] = attrs.Factory(deque)
    _wake: trio.Event = attrs.Factory(trio.Event)

    @property
    def busy(self) -> bool:
        """Whether something that was said before has not reached everybody: what is said now must stay behind it."""
        return bool(self._waiting)

    def add(self, said: Said) -> None:
        """Tell these users soon."""
        self._waiting.append(said)
        if len(self._waiting) > MOST:
            self._go_on(float("inf"))
        self._wake.set()

    def drop(self, number: int) -> None:
        """Tell nothing of a job that was refused."""
        self._waiting = deque([said for said in self._waiting if said.after != number])

    async def run(self) -> None:
        """Tell them, for ever."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            while self._waiting:
                await self.stored(self._waiting[0].after)
                # Meanwhile it may have been told to its end.
                if self._waiting:
                    self._go_on(time.perf_counter() + TURN_S)
                await trio.lowlevel.checkpoint()

    def finish(self) -> None:
        """Tell everybody now: the server ends."""
        while self._waiting:
            self._go_on(float("inf"))

    def _go_on(self, until: float) -> None:
        """Tell the oldest of it, to its end if there is time."""
        said = self._waiting[0]
        while said.users:
            self.tell(said, [said.users.popleft() for _ in range(min(FEW, len(said.users)))])
            if time.perf_counter() > until:
                break
        if not said.users:
            self._waiting.popleft()
        self.flush()
