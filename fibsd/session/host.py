"""What a session needs of the server around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

import attrs
import trio

from fibsd.world.events import Farewell

if TYPE_CHECKING:
    from fibsd.session.output import Output
    from fibsd.session.session import Session

Waiting = Callable[[], Awaitable[None]]
"""What is left to be done of a line, and must wait for something: the store, a hash, its turn."""


class Stored(Protocol):
    """Knows what is stored.

    Attributes:
        durable: Number of the newest job that is stored, all before it included.
    """

    durable: int


class Host(Protocol):
    """What a session needs of the server around it."""

    @property
    def commits(self) -> Stored:
        """What is stored."""

    def line(self, session: Session, text: str, ticks: float) -> Waiting | None:
        """Handle a line of a logged-in user, as far as nothing must be waited for; what is left of it.

        Args:
            session: Where it was typed.
            text: Without its end.
            ticks: The present, in seconds of a clock that is never set back.
        """

    def touch(self, output: Output) -> None:
        """Something was put into an outbox: it is sent at the next flush."""

    def flush(self) -> None:
        """Send what waits in the outboxes that were touched."""

    def delivered(self, receipts: tuple[int, ...]) -> None:
        """Messages were sent to their receiver."""

    def gone(self, session: Session, how: Farewell) -> None:
        """The session has ended; whoever is still logged in on it leaves."""

    def spawn(self, task: Waiting) -> None:
        """Run a task beside the sessions."""


class Door(Protocol):
    """Where sessions leave."""

    def leaves(self, session: Session) -> None:
        """Let a session depart when it is its turn."""

    def closed(self, session: Session) -> None:
        """Take note that nothing of a session is left."""


class Dialog(Protocol):
    """What a session says before somebody is logged in."""

    def greet(self) -> None:
        """Say the first words."""

    async def line(self, text: str) -> None:
        """Handle a line."""

    def line_too_long(self) -> None:
        """Answer a line that was too long."""


@attrs.define(eq=False)
class Turnstile:
    """Lets those who have much to be handled go on one at a time, however many they are.

    Nobody waits in it whose lines are handled in one turn.
    """

    _lock: trio.Lock = attrs.Factory(trio.Lock)

    async def turn(self) -> None:
        """Let others have their turn, and wait for one's own."""
        async with self._lock:
            await trio.lowlevel.checkpoint()
