"""Whether the server does its work, in a word, for whoever watches over it."""

from collections.abc import Awaitable, Callable

import attrs
import trio

from fibsd.storage.store import Store, StoreError

STORE_S = 1.0
"""Seconds in which the store must answer."""
_KEY = "pulse"
"""A text that nobody sets: asking for it costs next to nothing."""


@attrs.define(eq=False)
class Pulse:
    """Asks the store whether it answers.

    Only one question is on its way at a time: a thread that hangs in a dead disk cannot be called back.

    Attributes:
        store: Which one.
        spawn: Runs the question beside whoever asks.
    """

    store: Store
    spawn: Callable[[Callable[[], Awaitable[None]]], None]
    _answered: trio.Event | None = None
    _fault: str | None = None

    async def trouble(self) -> str | None:
        """What is wrong with the store, or None."""
        if self.store.waiting_s() > 0:
            return "the store cannot be written"
        if self._answered is None:
            self._answered = trio.Event()
            self.spawn(self._ask)
        with trio.move_on_after(STORE_S) as patience:
            await self._answered.wait()
        return "the store does not answer" if patience.cancelled_caught else self._fault

    async def _ask(self) -> None:
        self._fault = "the store cannot be read"
        try:
            await self.store.text(_KEY)
            self._fault = None
        except StoreError:
            pass
        finally:
            if self._answered is not None:
                self._answered.set()
            self._answered = None
