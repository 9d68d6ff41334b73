"""An announced stop: everybody is reminded of it, and then it comes."""

from collections.abc import Callable

import structlog
import trio

from fibsd.commands.admin.server import countdown_text
from fibsd.server.engine import Engine
from fibsd.world.audience import Everybody, Result
from fibsd.world.events import Attention

log = structlog.get_logger()

COUNTDOWN_S = 1.0
MARKS_S = (3600, 1800, 900, 600, 300, 240, 180, 120, 60, 30, 10)
"""Seconds before the stop at which everybody is told again."""


def due(before_s: float, left_s: float) -> bool:
    """Whether a mark lies between two moments, given as the seconds that are left at each."""
    return any(left_s <= mark < before_s for mark in MARKS_S)


async def count_down(engine: Engine, stop: Callable[[], None]) -> None:
    """Remind everybody, and stop when it is time; until then for ever."""
    before = float("inf")
    while True:
        await trio.sleep(COUNTDOWN_S)
        coming = engine.world.shutdown
        if coming is None:
            before = float("inf")
            continue
        now = engine.now()
        left = coming.at - now
        if left <= 0:
            log.info("stopping", by=coming.by, reason=coming.reason)
            stop()
            return
        if before != float("inf") and due(before, left):
            out = Result(now=now)
            out.tell(Everybody(), Attention(countdown_text(coming, now)))
            engine.deliver(out, None)
            engine.flush()
        before = left
