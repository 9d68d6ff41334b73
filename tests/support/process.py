"""The server as a process of its own, to be stopped or killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import attrs
import trio

import fibsd

ROOT = Path(fibsd.__file__).parents[1]
CHEAP = """[auth]
time_cost = 1
memory_kib = 8
[limits]
connections_per_address = 10000
registrations_per_hour = 1000000
commands_per_s = 1000000.0
commands_burst = 1000000
flood_lines = 1000000
shouts_per_minute = 1000000
messages_per_minute = 1000000
invitations_per_minute = 1000000
free_login_failures = 1000000
"""
"""A configuration with password hashes that take no time."""
EXIT_S = 30.0


def environment() -> dict[str, str]:
    """What a process of ours runs with: nothing of the tester's own configuration."""
    return {**{key: value for key, value in os.environ.items() if key != "FIBSD_CONFIG"}, "PYTHONPATH": str(ROOT)}


def fibsd_once(directory: Path, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    return subprocess.run(
        [sys.executable, "-m", "fibsd", *arguments],
        cwd=directory,
        env=environment(),
        input=typed,
        capture_output=True,
        text=True,
        timeout=EXIT_S,
        check=False,
    )


@attrs.define(eq=False)
class Process:
    """A running server.

    Attributes:
        addresses: Where it listens.
        log: The file that gets its standard error.
    """

    addresses: list[tuple[str, int]]
    log: Path
    _popen: subprocess.Popen[str]

    @classmethod
    def start(cls, directory: Path, *arguments: str, listeners: int = 1, config: str = "cheap.toml") -> Process:
        """Start a server on free ports and wait until it listens.

        Args:
            directory: Where it runs; its database is `fibsd.db` there, its log is appended to `log`.
            arguments: Further ones for `serve`.
            listeners: How many ports it is to listen on.
            config: Name of its configuration there; `cheap.toml` is written, any other one must be there.
        """
        (directory / "cheap.toml").write_text(CHEAP)
        log = directory / "log"
        with log.open("a") as errors:
            popen = subprocess.Popen(
                [
                    *(sys.executable, "-m", "fibsd", "serve", "--config", config),
                    *("--listen", "127.0.0.1:0") * listeners,
                    *arguments,
                ],
                cwd=directory,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert popen.stdout is not None
        addresses = []
        for _ in range(listeners):
            line = popen.stdout.readline()
            found = re.search(r"listens on (127\.0\.0\.1):(\d+)$", line)
            assert found is not None, f"{line!r} {log.read_text()[-2000:]}"
            addresses.append((found[1], int(found[2])))
        return cls(addresses, log, popen)

    def kill(self) -> None:
        """End it without any warning."""
        self._popen.kill()
        self._end()

    def terminate(self) -> int:
        """Ask it to stop; its exit status."""
        self._popen.send_signal(signal.SIGTERM)
        return self._end()

    def reload(self) -> None:
        """Ask it to read its configuration again."""
        self._popen.send_signal(signal.SIGHUP)

    async def logs(self, pattern: str) -> str:
        """Wait for a line of its log."""
        with trio.fail_after(EXIT_S):
            # Nothing tells when a file grows.
            while (found := re.search(pattern, self.log.read_text(), re.MULTILINE)) is None:  # noqa: ASYNC110
                await trio.sleep(0.01)
        return found[0]

    def wait(self) -> int:
        """Wait for its end; its exit status."""
        return self._end()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._popen.pid

    @property
    def cpu_s(self) -> float:
        """Seconds of processor time that all its threads have used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def resident_kib(self) -> int:
        """Memory that it uses, as Linux counts it."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    @property
    def faults(self) -> list[str]:
        """Lines of its log that should not be there."""
        return [line for line in self.log.read_text().splitlines() if re.search(r"Traceback|\[(error|critical)", line)]

    def _end(self) -> int:
        status = self._popen.wait(EXIT_S)
        assert self._popen.stdout is not None
        self._popen.stdout.close()
        return status

    def __enter__(self) -> Process:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it if it still runs."""
        if self.running:
            self.kill()
