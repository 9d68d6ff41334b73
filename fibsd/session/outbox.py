"""What a session is still to be sent, in order, each piece held back until what it tells is stored."""

import sys
from collections.abc import Iterator

import attrs
import trio

from fibsd.values import frozen

PIECE = 65_536
"""Bytes that are taken out at once for a slow peer; what is not taken counts as waiting."""


@frozen
class Chunk:
    """A piece of output.

    Attributes:
        data: Its bytes.
        after: Number of the job that must be durable first; 0 for none.
        receipts: Messages that are delivered with it.
        more: What follows, each part written when the one before it is sent; for lists that take long to write.
    """

    data: bytes
    after: int = 0
    receipts: tuple[int, ...] = ()
    more: Iterator[bytes] | None = None


@attrs.define
class Backlog:
    """Bytes that wait in all outboxes together.

    Attributes:
        limit: Beyond it, the fullest outbox has to go.
        size: Bytes that wait.
    """

    limit: int
    size: int = 0

    @property
    def overflowing(self) -> bool:
        """Whether more waits than the server may hold."""
        return self.size > self.limit


@attrs.define(eq=False, weakref_slot=False)
class Outbox:
    """A queue of chunks with a bound in bytes. Only the order within one session is kept.

    Attributes:
        limit: Bytes that may wait; one chunk more is taken, then the session is `overflowing`.
        backlog: What waits in all outboxes.
        size: Bytes that wait.
        unwritten: There while a list is not written to its end; happens when none is left.
    """

    limit: int
    backlog: Backlog
    size: int = 0
    unwritten: trio.Event | None = None
    # The first stands by itself: nearly always there is no other, and a list would be one more place in memory.
    _first: Chunk | None = None
    _others: list[Chunk] | None = None

    def put(self, chunk: Chunk) -> None:
        """Append a piece."""
        if self._first is None:
            self._first = chunk
        elif self._others is None:
            self._others = [chunk]
        else:
            self._others.append(chunk)
        # As `_grow` does it, without a call: each watcher of each turn comes by here.
        size = len(chunk.data)
        self.size += size
        self.backlog.size += size
        if chunk.more is not None and self.unwritten is None:
            self.unwritten = trio.Event()

    def _all(self) -> list[Chunk]:
        """All pieces, in order."""
        return [] if self._first is None else [self._first, *(self._others or ())]

    def _become(self, chunks: list[Chunk]) -> None:
        """Hold these pieces."""
        self._first = chunks[0] if chunks else None
        self._others = chunks[1:] or None

    def _grow(self, size: int) -> None:
        self.size += size
        self.backlog.size += size

    @property
    def overflowing(self) -> bool:
        """Whether more waits than the reader may leave unread."""
        return self.size > self.limit

    @property
    def held(self) -> bool:
        """Whether something waits for a job."""
        return any(chunk.after for chunk in self._all())

    def take(self, durable: int, most: int = sys.maxsize) -> Chunk | None:
        """Take from the front what waits for no job above `durable`, as one piece; `more` tells that it goes on.

        Args:
            durable: The newest job that is stored.
            most: Bytes after which no further chunk is added; the first is taken whatever its size.
        """
        first = self._first
        if first is None or first.after > durable:
            return None
        if self._others is None and first.more is None:
            self._first = None
            size = len(first.data)
            self.size -= size
            self.backlog.size -= size
            return first
        return self._taken(durable, most)

    def _taken(self, durable: int, most: int) -> Chunk:
        """What is taken if there is more than one simple piece; the first may go."""
        chunks = self._all()
        count = 0
        size = 0
        for chunk in chunks:
            if chunk.after > durable or (count and size + len(chunk.data) > most):
                break
            count += 1
            size += len(chunk.data)
            if chunk.more is not None:
                break
        taken = chunks[:count]
        self._become(chunks[count:])
        self._grow(-size)
        data = b"".join([chunk.data for chunk in taken])
        receipts = tuple([receipt for chunk in taken for receipt in chunk.receipts])
        return self._first_part(Chunk(data, 0, receipts, taken[-1].more))

    def _first_part(self, chunk: Chunk) -> Chunk:
        """What there is of a chunk that is written by parts; the next part takes its place, with the receipts."""
        following = None if chunk.more is None else next(chunk.more, None)
        if following is None:
            self._see_to_lists()
            return Chunk(chunk.data, 0, chunk.receipts)
        self._become([Chunk(following, 0, chunk.receipts, chunk.more), *self._all()])
        self._grow(len(following))
        return Chunk(chunk.data, 0, (), chunk.more)

    def give_back(self, data: bytes, receipts: tuple[int, ...]) -> None:
        """Put what could not be sent to the front again, in pieces; it waits for nothing any more."""
        pieces = [Chunk(data[start : start + PIECE]) for start in range(0, len(data), PIECE)]
        pieces[-1] = Chunk(pieces[-1].data, 0, receipts)
        self._become([*pieces, *self._all()])
        self._grow(len(data))

    def slip_in(self, data: bytes) -> None:
        """Put a piece that waits for nothing before the first that waits for a job."""
        chunks = self._all()
        place = next((place for place, chunk in enumerate(chunks) if chunk.after), len(chunks))
        chunks.insert(place, Chunk(data))
        self._become(chunks)
        self._grow(len(data))

    def drop(self, number: int) -> None:
        """Forget the chunks that tell of a job that was refused."""
        kept = [chunk for chunk in self._all() if chunk.after != number]
        self._become(kept)
        self._grow(sum(len(chunk.data) for chunk in kept) - self.size)
        self._see_to_lists()

    def clear(self) -> None:
        """Forget everything."""
        self._first = self._others = None
        self._grow(-self.size)
        self._see_to_lists()

    def _see_to_lists(self) -> None:
        """Tell that no list is left that is still to be written, if so."""
        if self.unwritten is not None and all(chunk.more is None for chunk in self._all()):
            self.unwritten.set()
            self.unwritten = None

    def __bool__(self) -> bool:
        return self._first is not None
