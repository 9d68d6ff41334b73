"""The machine: its cores, its limits, and what processes use of it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import time
from contextlib import suppress
from pathlib import Path

import attrs

PRIORITY = -5
"""Niceness of servers and load, where that is allowed: others on the machine disturb less."""
SPARE_FILES = 200
"""Files that a server needs beside its connections."""
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


@attrs.frozen
class Cores:
    """Which cores run what.

    Attributes:
        server: The core of the server that is measured.
        load: The core of everything that talks to it; the same one on a machine that has only one.
    """

    server: int
    load: int

    @classmethod
    def choose(cls) -> Cores:
        """The first two cores that this process may use."""
        allowed = sorted(os.sched_getaffinity(0))
        return cls(allowed[0], allowed[1] if len(allowed) > 1 else allowed[0])

    @property
    def apart(self) -> bool:
        """Whether server and load have a core each."""
        return self.server != self.load


def raise_file_limit() -> int:
    """Allow as many open files as we may; how many connections one process can then hold."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard - SPARE_FILES


def settle_in(cores: set[int]) -> None:
    """Prepare a new process, before its program starts: its cores, its priority, and its end with our own end."""
    os.sched_setaffinity(0, cores)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def cpu_s(pid: int) -> float:
    """CPU seconds, user and system, that a process has used in all its threads.

    The kernel's clock of the process counts in nanoseconds, /proc/PID/stat only in hundredths of a second.
    """
    # What clock_getcpuclockid(3) makes of a process number.
    return time.clock_gettime((~pid << 3) | 2)


def rss_bytes(pid: int) -> int:
    """Memory of a process that is in use now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def free_bytes() -> int:
    """Memory of the machine that can still be had."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise OSError("no MemAvailable in /proc/meminfo")
