"""Tasks beside the sessions."""

from collections.abc import Awaitable, Callable

import structlog
import trio

from fibsd.observe.log import speak_for

log = structlog.get_logger()


async def guarded(task: Callable[[], Awaitable[None]]) -> None:
    """Do it; a fault of ours in it is logged, and hurts nobody else."""
    # Whoever has started it, what it logs is not his.
    speak_for(None)
    try:
        await task()
    except Exception:
        log.exception("task failed")


async def every(pause_s: float, deed: Callable[[], None]) -> None:
    """Do it after each such time, for ever."""
    while True:
        await trio.sleep(pause_s)
        deed()
