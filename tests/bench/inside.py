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

    def after_io_wait(self, timeout: float) -> None:
        """See trio."""
        self._since = time.thread_time()

    def before_io_wait(self, timeout: float) -> None:
        """See trio."""
        took = time.thread_time() - self._since
        self._count += 1
        self._over += took > 0.010
        self._longest = max(self._longest, took)

    def write(self, path: Path) -> None:
        """Put down what was seen."""
        _write(path, json.dumps({"turns": self._count, "longest_ms": self._longest * 1000, "over_10ms": self._over}))


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
