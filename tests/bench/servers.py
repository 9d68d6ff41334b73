"""Servers as processes: the floors, and fibsd with a fresh store."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import attrs
import trio

from fibsd.config import Auth
from fibsd.server.passwords import ArgonPasswords
from fibsd.storage.sql import open_store
from fibsd.storage.store import Job, Outcome
from fibsd.world.account import Account
from fibsd.world.changes import AccountCreated
from fibsd.world.ids import UserName
from tests.bench.machine import settle_in
from tests.support.process import environment

PASSWORD = "loadpass"
"""What the load generator takes if it is told nothing else."""
CHEAP_HASH = {"time_cost": 1, "memory_kib": 8}
LIMITS = """[limits]
connections_per_address = 100000
registrations_per_hour = 1000000
commands_per_s = 1000000.0
commands_burst = 1000000
flood_lines = 1000000
shouts_per_minute = 1000000
messages_per_minute = 1000000
invitations_per_minute = 1000000
free_login_failures = 1000000
"""
"""All that is changed of the shipped configuration, beside the cost of a hash: no client may run into a limit."""
START_S = 30.0
STOP_S = 30.0
_JOB = 500


@attrs.define(eq=False)
class Server:
    """A running server.

    Attributes:
        port: Where it listens, on 127.0.0.1.
        directory: Its files.
    """

    port: int
    directory: Path
    _popen: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        """Its number."""
        return self._popen.pid

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._popen.send_signal(number)

    def stop(self) -> None:
        """End it: in order if it does so soon, else at once."""
        self._popen.terminate()
        try:
            self._popen.wait(STOP_S)
        finally:
            _kill(self._popen)


def _kill(popen: subprocess.Popen[str]) -> None:
    if popen.poll() is None:
        popen.kill()
        popen.wait()
    if popen.stdout is not None:
        popen.stdout.close()


@contextmanager
def running(arguments: list[str], directory: Path, cores: set[int]) -> Iterator[Server]:
    """A Python module that prints its port at the end of its first line, for the time of the block.

    Args:
        arguments: Its name, and what it is told.
        directory: Where it runs; its standard error goes to `log` there.
        cores: Where it may run.
    """
    with (directory / "log").open("a") as errors:
        popen = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=directory,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
            preexec_fn=partial(settle_in, cores),
        )
    try:
        assert popen.stdout is not None
        line = popen.stdout.readline()
        found = re.search(r"(\d+)$", line.strip())
        if found is None:
            raise OSError(f"{arguments[0]} does not start: {line}{(directory / 'log').read_text()[-2000:]}")
        server = Server(int(found[1]), directory, popen)
        yield server
        server.stop()
    finally:
        _kill(popen)


@contextmanager
def floor(kind: str, directory: Path, core: int) -> Iterator[Server]:
    """One of the floors."""
    place = directory / kind
    place.mkdir(exist_ok=True)
    with running(["tests.bench.floor", kind], place, {core}) as server:
        yield server


@attrs.frozen(kw_only=True)
class Fibsd:
    """How a server is to run.

    Attributes:
        directory: Where; it must not be there yet.
        cores: On which cores.
        accounts: A database with accounts, to be copied; None for a store in memory.
        auth: The section of that name, empty for the shipped cost of a hash.
        inside: What else goes on in the process, see `tests.bench.inside`; empty for nothing.
    """

    directory: Path
    cores: set[int]
    accounts: Path | None = None
    auth: dict[str, int] = attrs.Factory(lambda: dict(CHEAP_HASH))
    inside: tuple[str, ...] = ()

    @contextmanager
    def run(self) -> Iterator[Server]:
        """The server, for the time of the block."""
        self.directory.mkdir()
        url = "memory:"
        if self.accounts is not None:
            url = "sqlite:///fibsd.db"
            shutil.copy(self.accounts, self.directory / "fibsd.db")
        auth = "".join(f"{key} = {value}\n" for key, value in self.auth.items())
        (self.directory / "bench.toml").write_text(f"[auth]\n{auth}{LIMITS}")
        serve = ("serve", "--config", "bench.toml", "--listen", "127.0.0.1:0", "--database", url)
        program = ["tests.bench.inside", *self.inside] if self.inside else ["fibsd"]
        with running([*program, *serve], self.directory, self.cores) as server:
            yield server


# --- accounts ------------------------------------------------------------------------------------------------------


def letters(number: int) -> str:
    """A number as the load generator writes it in names: base 26, the lowest digit first."""
    text = ""
    while True:
        number, digit = divmod(number, 26)
        text += chr(ord("a") + digit)
        if not number:
            return text


def names(prefix: str, tag: str, count: int) -> list[str]:
    """The first names that the load generator gives to one kind of its connections."""
    return [f"{prefix}_{tag}{letters(number)}" for number in range(count)]


def seed(database: Path, users: list[str], auth: Auth) -> None:
    """Make a database with these accounts, all with the same hash of the load generator's password."""
    password_hash = ArgonPasswords(auth).hash_now(PASSWORD)
    accounts = [Account(name=UserName(name), password_hash=password_hash, created=1.0) for name in users]
    trio.run(_store, f"sqlite:///{database}", accounts)


async def _store(url: str, accounts: list[Account]) -> None:
    store = open_store(url)
    refused: list[Outcome] = []
    store.start(lambda outcomes: refused.extend(outcome for outcome in outcomes if outcome.error))
    for number, first in enumerate(range(0, len(accounts), _JOB), 1):
        some = accounts[first : first + _JOB]
        store.submit(Job(number=number, changes=tuple(AccountCreated(account=one) for one in some)))
    if not await store.close(STOP_S * 4) or refused:
        raise OSError(f"the accounts could not be stored: {refused[:1]}")
