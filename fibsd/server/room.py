"""News for the whole room: gathered, and sent once a tick to each session in one piece."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator

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
        send: Sends bytes to a user, behind the job that must be stored first.
        newest: The newest job, not stored yet, that concerns one of these users.
        flush: Sends what was queued.
        view: The view of a user who has nothing to do with the news.
    """

    world: World
    send: Callable[[Presence, bytes, int], None]
    newest: Callable[[Iterable[UserName]], int]
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
        """Send all news gathered so far, in slices, so that a move waits for no more than one of them."""
        self._wake = trio.Event()
        news, self._pending = self._pending, deque()
        if not news:
            return
        gathered = _Gathered(news)
        shows = tuple({name for _, item in news for name in item.users})
        # By the place of the view, which is interned; kept with it, so that no other takes that place.
        rendered: dict[tuple[int, int], tuple[View, bytes]] = {}
        users = self.world.users
        names = list(users)
        for start in range(0, len(names), SLICE):
            after = self.newest(shows)
            for name in names[start : start + SLICE]:
                presence = users.get(name)
                if presence is None:
                    continue
                view = self.view(presence)
                wanted = gathered.wanted_by(presence)
                made = rendered.get((id(view), wanted))
                if made is None:
                    made = rendered[id(view), wanted] = (view, self._render(gathered.chosen(wanted), view))
                if made[1]:
                    self.send(presence, made[1], after)
            self.flush()
            await trio.lowlevel.checkpoint()

    def _render(self, items: Iterable[Announcement], view: View) -> bytes:
        parts = []
        for item in items:
            lines = b"".join(render(line, view) for line in item.lines)
            pairs = render(UsersChanged(self.world.rows(item.users, self.now())), view)
            parts += [pairs, lines] if item.pairs_first else [lines, pairs]
        return b"".join(parts)


class _Gathered:
    """The news of one tick, and which of them each user is to get: a number with a bit for each of them."""

    def __init__(self, news: Iterable[tuple[int, Announcement]]) -> None:
        self.items = [item for _, item in news]
        self._logins = [logins for logins, _ in news]
        self._oldest = min(self._logins)
        self._all = (1 << len(self.items)) - 1
        self._told: dict[UserName, int] = {}
        for bit, item in enumerate(self.items):
            for name in item.besides:
                self._told[name] = self._told.get(name, 0) | 1 << bit

    def wanted_by(self, presence: Presence) -> int:
        """Those that he was not told already, and that came when he was on-line.

        Who logged in after the news has seen them in his list of users.
        """
        wanted = self._all & ~self._told.get(presence.name, 0)
        if presence.number > self._oldest:
            for bit, logins in enumerate(self._logins):
                if presence.number > logins:
                    wanted &= ~(1 << bit)
        return wanted

    def chosen(self, wanted: int) -> Iterator[Announcement]:
        """The news of these bits, in order."""
        return (item for bit, item in enumerate(self.items) if wanted >> bit & 1)
