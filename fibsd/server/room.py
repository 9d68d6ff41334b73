"""News for the whole room: gathered, and sent once a tick to each session in one piece."""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence

import attrs
import trio

from fibsd.protocol.viewer import View
from fibsd.protocol.views import render_all
from fibsd.server.readers import Reader
from fibsd.session.output import Output
from fibsd.world.audience import Announcement
from fibsd.world.events import Arrived, Departed, UsersChanged, WhoRow
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
        newest: The newest job, not stored yet, that concerns one of these users; 0 if none.
        flush: Sends what was queued.
        reader: A user as a reader who has nothing to do with the news; None if he has gone.
        now: Unix seconds.
    """

    world: World
    queue: Callable[[Output, bytes], None]
    newest: Callable[[Collection[UserName]], int]
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
        """Send what news may be told by now, for a moment at a time, so that a move waits for no more than that."""
        self._wake = trio.Event()
        news = self._take()
        if not news:
            return
        gathered = _Gathered(news)
        texts = _Texts(gathered.items, self._look)
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
                if texts.outdated():
                    seen = None
                began = clock()
            # Nearly always it is kept of who has nothing to do with the news.
            reader: Reader | None = presence.reader
            if reader is None or reader.side is not None or reader.playing:
                reader = reader_of(presence)
            while reader is not None and reader.view is not seen:
                seen = reader.view
                made = texts.of(seen)
                if made.unwritten:
                    await made.write(texts.render)
                    # What is told may be newer by now, and he may have gone or read otherwise.
                    if texts.outdated():
                        seen = None
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

    def _take(self) -> list[tuple[int, Announcement]]:
        """The news that may be told by now, in order.

        News of a user who is not stored as he is wait for a later tick, and so do all behind them that are about one
        of the same users. Nobody else's wait: a store that hangs keeps back what it has to store, and no more. If they
        were queued behind the job instead, all of them would be sent in one turn of the loop when that is stored.
        """
        news, self._pending = self._pending, deque()
        if not self.newest({name for _, item in news for name in item.users}):
            return list(news)
        may: list[tuple[int, Announcement]] = []
        waiting: set[UserName] = set()
        for logins, item in news:
            about = _about(item)
            if waiting.isdisjoint(about) and not self.newest(item.users):
                may.append((logins, item))
            else:
                waiting |= about
                self._pending.append((logins, item))
        self._wake.set()
        return may

    def _look(self, name: UserName, item: Announcement) -> tuple[Presence, WhoRow] | None:
        """A user as he may be shown by this piece of news; None if he has gone, or will be shown later."""
        presence = self.world.users.get(name)
        if presence is None:
            return None
        if self.newest((name,)):
            # He has changed since the tick began. What he was must not be told any more, what he is not yet.
            self.add(Announcement(users=(name,), besides=item.besides))
            return None
        return presence, self.world.row(presence, self.now())


def _about(item: Announcement) -> set[UserName]:
    """The users whom a piece of news is about; one who comes or goes may have no pair."""
    return {*item.users, *[UserName(line.name) for line in item.lines if isinstance(line, Arrived | Departed)]}


class _Texts:
    """The news of one tick for every kind of reader, written with its users as they are.

    Some are told of a user past the room: the players and watchers of a match when it begins or ends, whoever asks for
    the list, the user himself. What the room tells one of them must not be older than that: where the room's news of
    the change leave him out, it would stay his last word. So when others have had their turn, all that shows a user
    who has changed meanwhile is written anew.
    """

    def __init__(
        self,
        items: Sequence[Announcement],
        look: Callable[[UserName, Announcement], tuple[Presence, WhoRow] | None],
    ) -> None:
        self._items = items
        self._look = look
        self._shown: dict[UserName, tuple[Presence, WhoRow]] = {}
        # By the place of the view, which is interned; what writes for it keeps it, so that no other takes that place.
        self._written: dict[int, _Written] = {}

    def of(self, view: View) -> "_Written":
        """What readers of this kind are sent; it may have to be written yet."""
        made = self._written.get(id(view))
        if made is None:
            made = self._written[id(view)] = _Written(self._items, view)
        return made

    def outdated(self) -> bool:
        """Whether something must be written anew, since the users whom it shows are not any more as they were."""
        # A card is made anew when something on it changes.
        changed = {
            name
            for name, (presence, row) in self._shown.items()
            if presence.card is not row[0] or presence.neighbours is None
        }
        if not changed:
            return False
        for name in changed:
            del self._shown[name]
        numbers = [number for number, item in enumerate(self._items) if not changed.isdisjoint(item.users)]
        for made in self._written.values():
            made.forget(numbers)
        return True

    def render(self, item: Announcement, view: View) -> bytes:
        """A piece of news as it is true now."""
        shown = self._shown
        rows: list[WhoRow] = []
        for name in item.users:
            looked = shown.get(name) or self._look(name, item)
            if looked is not None:
                shown[name] = looked
                rows.append(looked[1])
        pairs = UsersChanged(tuple(rows))
        return render_all((pairs, *item.lines) if item.pairs_first else (*item.lines, pairs), view)


class _Written:
    """The news of one tick as one kind of reader is sent them.

    Each is written once, as long as it is true. Those who play are not to get their own again, so that in a busy room
    nearly everybody has a choice of his own: only the joining is done for each of them.

    Attributes:
        unwritten: The numbers of those that are not written yet, or no longer true.
        whole: All of them, which is what nearly everybody gets in a room where few play.
    """

    def __init__(self, items: Sequence[Announcement], view: View) -> None:
        self._items = items
        self._view = view
        self._pieces = [b""] * len(items)
        self._joined: dict[int, bytes] = {}
        self.unwritten = list(range(len(items)))
        self.whole = b""

    async def write(self, render: Callable[[Announcement, View], bytes]) -> None:
        """Write what is not written, by steps between which others have their turn."""
        while True:
            step, self.unwritten = self.unwritten[:STEP], self.unwritten[STEP:]
            for number in step:
                self._pieces[number] = render(self._items[number], self._view)
            if not self.unwritten:
                break
            await trio.lowlevel.checkpoint()
        self._joined = {}
        self.whole = b"".join(self._pieces)

    def forget(self, numbers: Iterable[int]) -> None:
        """These are to be written anew."""
        self.unwritten = sorted({*self.unwritten, *numbers})

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
