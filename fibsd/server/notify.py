"""Tells the service manager how the server is (systemd: sd_notify)."""

import os
import socket
import time
from collections.abc import Callable, Mapping

import attrs
import structlog
import trio

log = structlog.get_logger()

STATUS_S = 30.0
"""Seconds between two reports, if the service manager does not watch for signs of life more often."""


@attrs.define
class Notifier:
    """Sends datagrams to the service manager; does nothing without an address.

    Attributes:
        address: A path, or a name in the abstract space after an `@`; empty for none.
        watchdog_s: Seconds without a sign of life after which the service manager takes the server for dead.
    """

    address: str = ""
    watchdog_s: float | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Notifier":
        """As the service manager wishes it; a wish that is for another process, or none at all, is passed over."""
        address = environment.get("NOTIFY_SOCKET", "")
        microseconds = environment.get("WATCHDOG_USEC", "")
        mine = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        wanted = mine and microseconds.isdecimal() and int(microseconds) > 0
        return cls(
            address=address if address.startswith(("/", "@")) else "",
            watchdog_s=int(microseconds) / 1e6 if wanted else None,
        )

    def ready(self) -> None:
        """The server does its work, or does it again after it has read its configuration."""
        self._send("READY=1")

    def reloading(self) -> None:
        """The server reads its configuration again."""
        # Not trio's clock: the service manager compares it with its own.
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")

    def stopping(self) -> None:
        """The server has begun to end."""
        self._send("STOPPING=1")

    async def run(self, status: Callable[[], str]) -> None:
        """Give signs of life, twice as often as is wanted, with a line for people, for ever.

        It does so by the same loop that serves everybody, so it stops when that hangs.
        """
        if not self.address:
            return
        pause_s = STATUS_S if self.watchdog_s is None else min(STATUS_S, self.watchdog_s / 2)
        signs = () if self.watchdog_s is None else ("WATCHDOG=1",)
        while True:
            self._send(*signs, f"STATUS={status()}")
            await trio.sleep(pause_s)

    def _send(self, *lines: str) -> None:
        if not self.address:
            return
        name = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.setblocking(False)
                sock.sendto("\n".join(lines).encode(), name)
        except OSError as error:
            log.warning("service manager not told", reason=str(error))
