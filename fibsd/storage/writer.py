"""One thread that writes jobs to a sink, all that wait in one commit."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import attrs
import trio

from fibsd.storage.store import Job, Outcome, StoreError

MAX_BATCH = 500
"""Jobs in one commit at most, so that the first of them does not wait long for the last."""

GATHER_S = 0.001
"""Seconds in which jobs are gathered for one commit while many come, and twice as long while very many do.

One commit for more of them costs the processor much less, and each of them no more than that. While very many play they
do not even wait longer: what the thread does not use of the processor goes to those who are to be answered.
"""

BUSY_BATCH = 6
"""Jobs in the commit before from which on that is done; whoever plays alone never waits for it."""

VERY_BUSY_BATCH = 12
"""Jobs in the commit before from which on it is done for twice as long."""

LEISURE_S = 0.02
"""Seconds for which jobs lie of which nobody is told, so that more of them share a commit; any other takes them along.

Logins after a restart are such jobs: some hundred a second, and nothing that is played meanwhile.
"""

FIRST_DELAY_S = 0.05
LAST_DELAY_S = 1.0
"""Waits between attempts start with the first and double up to the last."""

STALL_S = 1.0
"""A batch that is longer in work counts as failing, though its first attempt has not ended (slow disk)."""

REST_S = 5.0
"""After so long without a job the sink is given the time to mend itself."""

GRACE_S = 2.0
"""How long `close` waits for the thread after it told it to give up."""


class Unavailable(Exception):
    """The store cannot take anything now (locked, full, gone); the same batch may succeed later."""


class Sink(Protocol):
    """Where the writer's thread puts its jobs; all methods are called in that thread."""

    def write(self, jobs: Sequence[Job]) -> None:
        """Store all these jobs, or none of them.

        Raises:
            Unavailable: Worth another attempt.
            Exception: Anything else means that one of the jobs can never be stored.
        """

    def rest(self) -> None:
        """Called now and then while there is nothing to write: the time to mend what is broken.

        It raises nothing: whether it helped shows with the next batch.
        """

    def close(self) -> None:
        """Let go of everything."""


class _GaveUp(Exception):
    """`close` lost its patience."""


@attrs.define
class Writer:
    """Writes jobs in the order of their numbers and tells what became of them.

    The queue has no bound of its own: each session waits for its outcomes before it takes more input, so
    there are at most a few jobs for each session.

    A batch that the sink refuses is written again job by job, so that one bad job fails alone. A batch for
    which the store is not available is written again and again until it is stored or `close` gives up.
    """

    _sink: Sink
    _queue: queue.SimpleQueue[Job | None] = attrs.field(factory=queue.SimpleQueue, init=False)
    _thread: threading.Thread | None = attrs.field(default=None, init=False)
    _last: int = attrs.field(default=0, init=False)
    _accepting: bool = attrs.field(default=False, init=False)
    _complete: bool = attrs.field(default=True, init=False)
    _impatient: threading.Event = attrs.field(factory=threading.Event, init=False)
    _on_outcomes: Callable[[Sequence[Outcome]], None] = attrs.field(default=lambda _: None, init=False)
    _wake: Callable[[], None] = attrs.field(default=lambda: None, init=False)
    # Filled by the thread, emptied by trio.
    _outcomes: deque[Sequence[Outcome]] = attrs.field(factory=deque, init=False)
    # Written by the thread, read by trio: one reference each, so no lock.
    _began: float | None = attrs.field(default=None, init=False)
    _trouble: str | None = attrs.field(default=None, init=False)
    _gather_s: float = attrs.field(default=0.0, init=False)

    def start(self, on_outcomes: Callable[[Sequence[Outcome]], None]) -> None:
        """Start the thread; to be called once, inside trio, in whose thread `on_outcomes` will be called.

        Raises:
            RuntimeError: It was started before.
        """
        if self._thread is not None:
            raise RuntimeError("the writer can be started once")
        token = trio.lowlevel.current_trio_token()

        def wake() -> None:
            token.run_sync_soon(self.catch_up)

        self._on_outcomes, self._wake = on_outcomes, wake
        self._complete = False
        self._accepting = True
        # A daemon: a thread that hangs in a dead disk must not keep the process from ending.
        self._thread = threading.Thread(target=self._main, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue a job.

        Raises:
            RuntimeError: Not started, or closed.
            ValueError: The job's number is not the next one.
        """
        if not self._accepting:
            raise RuntimeError("the store takes no jobs: it was not started, or is closed")
        if job.number != self._last + 1:
            raise ValueError(f"job {job.number} came after job {self._last}")
        self._last = job.number
        self._queue.put(job)

    def catch_up(self) -> None:
        """See `Store.catch_up`."""
        while self._outcomes:
            self._on_outcomes(self._outcomes.popleft())

    def waiting_s(self) -> float:
        """See `Store.waiting_s`."""
        began = self._began
        if began is None:
            return 0.0
        waited = time.monotonic() - began
        return waited if self._trouble is not None or waited > STALL_S else 0.0

    def trouble(self) -> str | None:
        """See `Store.trouble`."""
        if self._trouble is None and self.waiting_s() > 0:
            return "the store does not answer"
        return self._trouble

    async def close(self, timeout_s: float) -> bool:
        """Write what is queued and end the thread; False if something is left that was not written."""
        thread = self._thread
        if thread is None:
            return True
        if self._accepting:
            self._accepting = False
            self._queue.put(None)
        # Not abandoned when cancelled: whoever shields this call gets the whole truth.
        limiter = trio.CapacityLimiter(1)
        await trio.to_thread.run_sync(thread.join, timeout_s, limiter=limiter)
        if thread.is_alive():
            self._impatient.set()
            await trio.to_thread.run_sync(thread.join, GRACE_S, limiter=limiter)
        return self._complete

    @property
    def running(self) -> bool:
        """Whether the thread may still write."""
        return self._thread is not None and self._thread.is_alive()

    def _main(self) -> None:
        try:
            while batch := self._next_batch():
                self._write(batch)
            self._complete = True
        except (_GaveUp, trio.RunFinishedError):
            pass  # `close` answers False; without trio there is nobody left to tell
        finally:
            self._sink.close()

    def _next_batch(self) -> list[Job]:
        """All that wait, at least one; empty when the queue is closed and everything is written."""
        batch: list[Job] = []
        job = self._first_job()
        if self._gather_s:
            time.sleep(self._gather_s)
        leisure_ends = time.monotonic() + LEISURE_S
        while job is not None:
            batch.append(job)
            if len(batch) == MAX_BATCH:
                return batch
            if leisure_ends and any(change.durable for change in job.changes):
                leisure_ends = 0.0
            try:
                job = self._next_job(leisure_ends)
            except queue.Empty:
                self._gather_s = gather_s(len(batch))
                return batch
        if batch:
            self._queue.put(None)  # met the end after some jobs: meet it again after they are written
        return batch

    def _next_job(self, leisure_ends: float) -> Job | None:
        """One more job for a batch, for which there is time until then.

        Raises:
            queue.Empty: There is none.
        """
        rest_s = leisure_ends and leisure_ends - time.monotonic()
        return self._queue.get(timeout=rest_s) if rest_s > 0 else self._queue.get_nowait()

    def _first_job(self) -> Job | None:
        while True:
            try:
                return self._queue.get(timeout=REST_S)
            except queue.Empty:
                # A job that comes meanwhile waits for the store, too.
                self._began = time.monotonic()
                self._sink.rest()
                self._began = None

    def _write(self, batch: Sequence[Job]) -> None:
        try:
            self._attempt(batch)
        except _GaveUp:
            raise
        except Exception as error:
            if len(batch) > 1:
                for job in batch:
                    self._write((job,))
                return
            outcomes = [Outcome(number=batch[0].number, error=_refusal(batch[0], error))]
        else:
            outcomes = [Outcome(number=job.number) for job in batch]
        self._outcomes.append(outcomes)
        self._wake()

    def _attempt(self, batch: Sequence[Job]) -> None:
        """Write the batch as soon as the store is available.

        Raises:
            _GaveUp: `close` is waiting no longer.
            Exception: The sink refused the batch.
        """
        delay = FIRST_DELAY_S
        self._began = time.monotonic()
        while not self._impatient.is_set():
            try:
                self._sink.write(batch)
            except Unavailable as error:
                self._trouble = str(error)
                self._impatient.wait(delay)
                delay = min(2 * delay, LAST_DELAY_S)
            except Exception:
                self._all_is_well()
                raise
            else:
                self._all_is_well()
                return
        raise _GaveUp

    def _all_is_well(self) -> None:
        self._began = None
        self._trouble = None


def gather_s(before: int) -> float:
    """Seconds in which jobs are gathered for a commit if so many were in the one before."""
    if before < BUSY_BATCH:
        return 0.0
    return GATHER_S if before < VERY_BUSY_BATCH else 2 * GATHER_S


def _refusal(job: Job, error: Exception) -> StoreError:
    kinds = ", ".join(dict.fromkeys(type(change).__name__ for change in job.changes))
    refusal = StoreError(f"job {job.number} ({kinds}) refused: {' '.join(str(error).split()) or type(error).__name__}")
    refusal.__cause__ = error
    return refusal
