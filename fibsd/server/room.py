"""News for the whole room: gathered, and sent once a tick to each session in one piece."""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from functools import cached_property, partial

import attrs
import trio

from fibsd.protocol.viewer import View
from fibsd.protocol.views import render_all
from fibsd.server.readers import Reader
from fibsd.session.output import Output
from fibsd.world.audience import Announcement
from fibsd.world.events import UsersChanged
from fibsd.world.ids import UserName
from fibsd.world.lobby import Presence
from fibsd.world.world import World

TICK_S = 0.25
"""How long news may be gathered: short enough to seem at once, long enough to join what belongs together."""
TURN_S = 0.002
"""Seconds in which users are sent news before other tasks get their turn: some hundred and fifty users."""
STEP = 50
"""Pieces of news that are written before that: half a millisecond."""


@attrs.define
class Room:
    """The news that everybody on-line is to get.

    Attributes:
        world: Whose users are told.
        queue: Takes for a user what cannot be sent to him at once.
        newest: The newest job, not stored yet, that concerns one of these users.
        stored: Waits until a job has its outcome; whether it was stored.
        flush: Sends what was queued.
        reader: A user as a reader who has nothing to do with the news; None if he has gone.
    """

    world: World
    queue: Callable[[Output, bytes], None]
    newest: Callable[[Collection[UserName]], int]
    stored: Callable[[int], Awaitable[bool]]
    flush: Callable[[], None]
    reader: Callable[[Presence], Reader | None]
    now: Callable[[], float]
    # Each with how many had logged in when it came.
    _pending: deque[tuple[int, Announcement]] = attrs.Factory(deque)
    _wake: trio.Event = attrs.Factory(trio.Event)

    def add(self, announcement: Announcement) -> None:
        """Take news. A pair without a line is dropped if one of the same users is waiting anyway."""
        self._wake.set()
        if not announcement.lines:
            for place, (_, other) in enumerate(self._pending):
                if not other.lines and other.users == announcement.users and other.besides == announcement.besides:
                    # It is written when it is sent. Who logged in since it came has not seen this change.
                    self._pending[place] = (self.world.logins, other)
                    return
        self._pending.append((self.world.logins, announcement))

    async def run(self) -> None:
        """Send news at each tick, for ever."""
        while True:
            await self._wake.wait()
            await trio.sleep(TICK_S)
            await self.tick()

    async def tick(self) -> None:
        """Send all news gathered so far, for a moment at a time, so that a move waits for no more than that."""
        self._wake = trio.Event()
        news, self._pending = self._pending, deque()
        if not news:
            return
        gathered = _Gathered(news)
        shows = frozenset({name for _, item in news for name in item.users})
        # By the place of the view, which is interned; what writes for it keeps it, so that no other takes that place.
        written: dict[int, _Written] = {}
        seen: View | None = None
        # Looked up once: there may be thousands to be told.
        reader_of, oldest, clock = self.reader, gathered.oldest, time.perf_counter
        everybody = list(self.world.users.values())
        # By their places, so that nobody's name is looked at.
        choosing = {id(presence) for name in gathered.told if (presence := self.world.users.get(name))}
        began = clock()
        for presence in everybody:
            if clock() - began > TURN_S:
                self.flush()
                await trio.lowlevel.checkpoint()
                if not await self._all_stored(shows):
                    written, seen = {}, None
                began = clock()
            # Nearly always it is kept of who has nothing to do with the news.
            reader: Reader | None = presence.reader
            if reader is None or reader.side is not None or reader.playing:
                reader = reader_of(presence)
            while reader is not None and reader.view is not seen:
                seen = reader.view
                if id(seen) in written:
                    made = written[id(seen)]
                else:
                    made = written[id(seen)] = _Written(gathered.items, partial(self._render, seen))
                    await made.write()
                    # What is told may be newer by now, and he may have gone or read otherwise.
                    if not await self._all_stored(shows):
                        written, seen = {}, None
                    reader = reader_of(presence)
            if reader is None:
                continue
            if presence.number > oldest or id(presence) in choosing:
                data = made.of(gathered.wanted_by(presence))
            else:
                data = made.whole
            if data and not reader.output.send(data, 0):
                self.queue(reader.output, data)
        self.flush()

    async def _all_stored(self, shows: Collection[UserName]) -> bool:
        """Wait until all that news of these users may show is stored.

        If they were queued behind a job instead, all of them would be sent in one turn of the loop when that is stored.

        Returns:
            False if the store has refused some of it: what was written before may show that.
        """
        right = True
        while number := self.newest(shows):
            right = await self.stored(number) and right
        return right

    def _render(self, view: View, item: Announcement) -> bytes:
        pairs = UsersChanged(self.world.rows(item.users, self.now()))
        return render_all((pairs, *item.lines) if item.pairs_first else (*item.lines, pairs), view)


class _Written:
    """The news of one tick as one kind of reader is sent them.

    Each is written once. Those who play are not to get their own again, so that in a busy room nearly everybody has a
    choice of his own: only the joining is done for each of them.
    """

    def __init__(self, items: Sequence[Announcement], render: Callable[[Announcement], bytes]) -> None:
        self._items = items
        self._render = render
        self._pieces: list[bytes] = []
        # Who logged in behind all news is told nothing: nothing needs to be written for his kind of reader.
        self._joined: dict[int, bytes] = {0: b""}

    async def write(self) -> None:
        """Write all of it, by steps between which others have their turn; to be called first."""
        for start in range(0, len(self._items), STEP):
            if start:
                await trio.lowlevel.checkpoint()
            self._pieces += [self._render(item) for item in self._items[start : start + STEP]]

    @cached_property
    def whole(self) -> bytes:
        """All of it, which is what nearly everybody gets in a room where few play."""
        return b"".join(self._pieces)

    def of(self, wanted: int) -> bytes:
        """The news of these bits, in order."""
        data = self._joined.get(wanted)
        if data is None:
            # Nearly all of them are wanted: to leave the others out is less work than to ask for each.
            pieces = self._pieces.copy()
            unwanted = (1 << len(pieces)) - 1 & ~wanted
            while unwanted:
                bit = unwanted.bit_length() - 1
                pieces[bit] = b""
                unwanted ^= 1 << bit
            data = self._joined[wanted] = b"".join(pieces)
        return data


class _Gathered:
    """The news of one tick, and which of them each user is to get: a number with a bit for each of them.

    Attributes:
        items: The news.
        told: Who was told some of them already, and which.
        oldest: How many had logged in when the first of them came; who is among those gets all that he was not told.
    """

    def __init__(self, news: Iterable[tuple[int, Announcement]]) -> None:
        self.items = [item for _, item in news]
        self.told: dict[UserName, int] = {}
        for bit, item in enumerate(self.items):
            for name in item.besides:
                self.told[name] = self.told.get(name, 0) | 1 << bit
        self._logins = [logins for logins, _ in news]
        self.oldest = min(self._logins)

    def wanted_by(self, presence: Presence) -> int:
        """Those that he was not told already, and that came when he was on-line.

        Who logged in after the news has seen them in his list of users.
        """
        wanted = ~self.told.get(presence.name, 0) & (1 << len(self.items)) - 1
        if presence.number > self.oldest:
            for bit, logins in enumerate(self._logins):
                if presence.number > logins:
                    wanted &= ~(1 << bit)
        return wanted
