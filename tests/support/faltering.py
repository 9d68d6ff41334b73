"""A store in memory that can be down, and can refuse jobs."""

from collections.abc import Callable

import attrs
import trio

from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import Job, Outcome, StoreError


@attrs.define
class Faltering(MemoryStore):
    """A store that takes nothing while it is down, and refuses what the test says."""

    down_since: float | None = None
    refuses: Callable[[Job], bool] = attrs.field(default=lambda _: False)
    queue: list[Job] = attrs.Factory(list)

    def submit(self, job: Job) -> None:
        """See `Store.submit`."""
        if self.down_since is not None:
            self.queue.append(job)
        else:
            self._answer(job)

    def _answer(self, job: Job) -> None:
        if self.refuses(job):
            self._last = job.number
            assert self._on_outcomes is not None
            self._on_outcomes((Outcome(number=job.number, error=StoreError("refused by the test")),))
        else:
            MemoryStore.submit(self, job)

    def fall(self) -> None:
        """Be down from now on."""
        self.down_since = trio.current_time()

    def rise(self) -> None:
        """Take what has been waiting."""
        self.down_since = None
        queue, self.queue = self.queue, []
        for job in queue:
            self._answer(job)

    def waiting_s(self) -> float:
        """See `Store.waiting_s`."""
        return trio.current_time() - self.down_since if self.down_since is not None and self.queue else 0.0

    def trouble(self) -> str | None:
        """See `Store.trouble`."""
        return "down" if self.waiting_s() else None
