"""What a session is still to be sent, in order, each piece held back until what it tells is stored."""

from collections import deque

import attrs


@attrs.frozen
class Chunk:
    """A piece of output.

    Attributes:
        data: Its bytes.
        after: Number of the job that must be durable first; 0 for none.
        receipts: Messages that are delivered with it.
    """

    data: bytes
    after: int = 0
    receipts: tuple[int, ...] = ()


@attrs.define
class Outbox:
    """A queue of chunks with a bound in bytes. Only the order within one session is kept.

    Attributes:
        limit: Bytes that may wait; one chunk more is taken, then the session is `overflowing`.
        size: Bytes that wait.
    """

    limit: int
    size: int = 0
    _chunks: deque[Chunk] = attrs.Factory(deque)

    def put(self, chunk: Chunk) -> None:
        """Append a piece."""
        self._chunks.append(chunk)
        self.size += len(chunk.data)

    @property
    def overflowing(self) -> bool:
        """Whether more waits than the reader may leave unread."""
        return self.size > self.limit

    @property
    def held(self) -> bool:
        """Whether something waits for a job."""
        return any(chunk.after for chunk in self._chunks)

    def take(self, durable: int) -> list[Chunk]:
        """Take all chunks from the front that wait for no job above `durable`."""
        taken: list[Chunk] = []
        while self._chunks and self._chunks[0].after <= durable:
            chunk = self._chunks.popleft()
            self.size -= len(chunk.data)
            taken.append(chunk)
        return taken

    def give_back(self, data: bytes, receipts: tuple[int, ...]) -> None:
        """Put what could not be sent to the front again; it waits for nothing any more."""
        self._chunks.appendleft(Chunk(data, 0, receipts))
        self.size += len(data)

    def drop(self, number: int) -> None:
        """Forget the chunks that tell of a job that was refused."""
        kept = [chunk for chunk in self._chunks if chunk.after != number]
        self._chunks = deque(kept)
        self.size = sum(len(chunk.data) for chunk in kept)

    def clear(self) -> None:
        """Forget everything."""
        self._chunks.clear()
        self.size = 0

    def __bool__(self) -> bool:
        return bool(self._chunks)
