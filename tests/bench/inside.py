"""fibsd with something that watches it from inside: `python -m tests.bench.inside WHAT FILE serve ...`.

`turns` measures the turns of trio's loop, `profile` where the time goes. The signal USR1 begins anew, USR2 writes
what was seen since into the file.
"""

from __future__ import annotations

import cProfile
import json
import os
import signal
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from types import FrameType

import trio

from fibsd.cli import main


class Turns(trio.abc.Instrument):
    """The longest time in which the loop looked at no socket: in CPU time, so that nobody else's work counts."""

    def __init__(self) -> None:
        self._since = time.thread_time()
        self.begin()

    def begin(self, *_: object) -> None:
        """Forget what was."""
        self._longest = 0.0
        self._count = self._over = 0
        self._tasks: Counter[str] = Counter()
        self._busy_with = ""

    def after_io_wait(self, timeout: float) -> None:
        """See trio."""
        self._since = time.thread_time()
        self._tasks.clear()

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """See trio."""
        self._step_of = _name(task)
        self._step_since = time.thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """See trio."""
        # Not its name now: if that was its last step, it has nothing left that tells.
        self._tasks[self._step_of] += time.thread_time() - self._step_since  # type: ignore[assignment] # seconds

    def before_io_wait(self, timeout: float) -> None:
        """See trio."""
        took = time.thread_time() - self._since
        self._count += 1
        self._over += took > 0.010
        if took > self._longest:
            self._longest = took
            self._busy_with = ", ".join(f"{name} {s * 1000:.1f}" for name, s in self._tasks.most_common(4))

    def write(self, path: Path) -> None:
        """Put down what was seen."""
        seen = {
            "turns": self._count,
            "longest_ms": self._longest * 1000,
            "over_10ms": self._over,
            "busy_with": self._busy_with,
        }
        _write(path, json.dumps(seen))


def _name(task: trio.lowlevel.Task) -> str:
    """What a task does: those beside the sessions all run by way of a few functions, which say nothing."""
    frame = task.coro.cr_frame
    doing = None if frame is None else frame.f_locals.get("task") or frame.f_locals.get("deed")
    doing = getattr(doing, "func", doing)
    return getattr(doing, "__qualname__", task.coro.__qualname__)


def _write(path: Path, text: str) -> None:
    """Write a file in one piece: who waits for it finds it whole."""
    fresh = path.with_suffix(".part")
    fresh.write_text(text)
    fresh.replace(path)


def watch_turns(path: Path) -> None:
    """Measure turns of the loop."""
    turns = Turns()

    def end(number: int, frame: FrameType | None) -> None:
        turns.write(path)

    signal.signal(signal.SIGUSR1, turns.begin)
    signal.signal(signal.SIGUSR2, end)
    # The program gives no way to add one, and needs none.
    trio.run = partial(trio.run, instruments=[turns])  # type: ignore[assignment] # the same function, with an argument


def watch_calls(path: Path) -> None:
    """Measure calls."""
    # CPU time of the thread: by the clock, whoever took the core away would be charged to the function of that moment.
    profile = cProfile.Profile(time.thread_time)

    def begin(number: int, frame: FrameType | None) -> None:
        profile.enable()

    def end(number: int, frame: FrameType | None) -> None:
        profile.disable()
        fresh = path.with_suffix(".part")
        profile.dump_stats(fresh)
        os.replace(fresh, path)

    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)


if __name__ == "__main__":
    {"turns": watch_turns, "profile": watch_calls}[sys.argv[1]](Path(sys.argv[2]))
    main(sys.argv[3:])
