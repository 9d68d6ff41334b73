"""News for the whole room: gathered, and sent once a tick to each session in one piece."""

from collections import deque
from collections.abc import Callable

import attrs
import trio

from fibsd.protocol.viewer import View
from fibsd.protocol.views import render
from fibsd.world.audience import Announcement
from fibsd.world.events import UsersChanged
from fibsd.world.ids import UserName
from fibsd.world.lobby import Presence
from fibsd.world.world import World

TICK_S = 0.25
"""How long news may be gathered: short enough to seem at once, long enough to join what belongs together."""
SLICE = 100
"""Users that are sent news before other tasks get their turn."""


@attrs.define
class Room:
    """The news that everybody on-line is to get.

    Attributes:
        world: Whose users are told.
        send: Queues bytes for a user: name, bytes, and the users whose newest change they show.
        flush: Sends what was queued.
        view: The view of a user who has nothing to do with the news.
    """

    world: World
    send: Callable[[Presence, bytes, tuple[UserName, ...]], None]
    flush: Callable[[], None]
    view: Callable[[Presence], View]
    now: Callable[[], float]
    _pending: deque[tuple[int, Announcement]] = attrs.Factory(deque)
    _wake: trio.Event = attrs.Factory(trio.Event)

    def add(self, announcement: Announcement) -> None:
        """Take news. A pair without a line is dropped if one of the same users is waiting anyway."""
        if not announcement.lines and any(
            not other.lines and other.users == announcement.users and other.besides == announcement.besides
            for _, other in self._pending
        ):
            return
        self._pending.append((self.world.logins, announcement))
        self._wake.set()

    async def run(self) -> None:
        """Send news at each tick, for ever."""
        while True:
            await self._wake.wait()
            await trio.sleep(TICK_S)
            await self.tick()

    async def tick(self) -> None:
        """Send all news gathered so far."""
        self._wake = trio.Event()
        news, self._pending = self._pending, deque()
        rendered: dict[tuple[View, int], bytes] = {}
        shows = tuple({name for _, item in news for name in item.users})
        for count, name in enumerate(list(self.world.users), 1):
            presence = self.world.users.get(name)
            if presence is None:
                continue
            view = self.view(presence)
            # Who logged in after the news has seen them in his list of users.
            parts = [
                self._render(item, index, view, rendered)
                for index, (logins, item) in enumerate(news)
                if presence.number <= logins and name not in item.besides
            ]
            data = b"".join(parts)
            if data:
                self.send(presence, data, shows)
            if count % SLICE == 0:
                self.flush()
                await trio.lowlevel.checkpoint()
        self.flush()

    def _render(self, item: Announcement, index: int, view: View, rendered: dict[tuple[View, int], bytes]) -> bytes:
        data = rendered.get((view, index))
        if data is None:
            lines = b"".join(render(line, view) for line in item.lines)
            pairs = render(UsersChanged(self.world.rows(item.users, self.now())), view)
            data = pairs + lines if item.pairs_first else lines + pairs
            rendered[view, index] = data
        return data
