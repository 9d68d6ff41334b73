"""What experiments share: the machine, the load generator, the accounts, and the place for what they find."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from fibsd.config import Auth
from tests.bench.load import BUSY, SLACK_S, Load, Measured
from tests.bench.machine import Cores
from tests.bench.rows import Sample
from tests.bench.servers import CHEAP_HASH, Fibsd, Server, names, seed

CROWD = 9_000
ROOM = 1_000
BYTES_PER_CONNECTION = 60_000
"""Memory that a connection takes on both sides, the kernel's buffers included, with much to spare."""


@attrs.frozen(kw_only=True)
class Scale:
    """How much is done.

    Attributes:
        seconds: How long each load is measured.
        crowd: Idle users in the rows about many of them.
        passes: How often everything is done.
        repeats: Logins and matches that are watched one by one.
        reconnect_s: How long play is watched while all log in at once.
    """

    seconds: float = 4.0
    crowd: int = CROWD
    passes: int = 3
    repeats: int = 8
    reconnect_s: float = 30.0


QUICK = Scale(seconds=1.5, crowd=1_000, passes=1, repeats=3, reconnect_s=15.0)


@attrs.define(eq=False, kw_only=True)
class Bench:
    """One run of the benchmark.

    Attributes:
        place: A directory for everything, removed at the end.
        program: The load generator.
        cores: Where what runs.
        scale: How much is done.
        wanted: Rows that are wanted.
        samples: What was found, by row.
        faults: Why a row cannot be concluded from.
        notes: What was different from what a row says.
        floors: What the floors cost in this pass, in microseconds, by name and number of connections.
    """

    place: Path
    program: Path
    cores: Cores
    scale: Scale
    wanted: frozenset[str]
    samples: dict[str, list[Sample]] = attrs.Factory(dict)
    faults: dict[str, list[str]] = attrs.Factory(dict)
    notes: dict[str, list[str]] = attrs.Factory(dict)
    floors: dict[tuple[str, int], float] = attrs.Factory(dict)
    _runs: int = 0
    _begun: float = attrs.Factory(time.monotonic)

    # --- what is found ---------------------------------------------------------------------------------------

    def found(self, name: str, value: float, base: float) -> None:
        """A figure of this pass."""
        if name in self.wanted:
            self.samples.setdefault(name, []).append(Sample(value, base))

    def fault(self, text: str, *rows: str) -> None:
        """These rows cannot be concluded from."""
        for name in rows:
            self.faults.setdefault(name, []).append(text)

    def note(self, text: str, *rows: str) -> None:
        """Something was different from what these rows say."""
        for name in rows:
            self.notes.setdefault(name, []).append(text)

    def wants(self, *rows: str) -> bool:
        """Whether any of these is wanted."""
        return not self.wanted.isdisjoint(rows)

    def progress(self, text: str) -> None:
        """Say what goes on."""
        print(f"[{time.monotonic() - self._begun:6.1f} s] {text}", file=sys.stderr, flush=True)

    # --- servers and load ------------------------------------------------------------------------------------

    def directory(self) -> Path:
        """A name for the next server's files."""
        self._runs += 1
        return self.place / f"run-{self._runs}"

    @contextmanager
    def fibsd(self, accounts: Path | None = None, **more: object) -> Iterator[Server]:
        """A server on its core, in memory unless accounts are given; its files go with it."""
        how = Fibsd(directory=self.directory(), cores={self.cores.server}, accounts=accounts)
        how = attrs.evolve(how, **more)  # type: ignore[arg-type] # the caller names fields of it
        with how.run() as server:
            yield server
        shutil.rmtree(how.directory)

    def start(self, server: Server, **given: object) -> Load:
        """Start the load generator; it is known how long it lasts."""
        seconds = float(str(given.get("seconds", 0))) + float(str(given.get("warmup", 0)))
        limit_s = seconds + SLACK_S + float(str(given.get("login_timeout", 0)))
        more = {"port": server.port, "pid": server.pid, **given}
        return Load.start(self.program, {self.cores.load}, limit_s, **more)

    def load(self, server: Server, *rows: str, **given: object) -> Measured:
        """Run the load generator to its end; what is wrong with its run spoils these rows."""
        given = {"seconds": self.scale.seconds, "warmup": 0.5, **given}
        load = self.start(server, **given)
        try:
            return self.checked(load.result(), *rows)
        finally:
            load.stop()

    def checked(self, measured: Measured, *rows: str) -> Measured:
        """The same, after a look at what must not be in it."""
        for fault in measured.faults():
            self.fault(fault, *rows)
        if measured.busy >= BUSY:
            self.fault(f"the load generator was too busy ({measured.busy:.2f} of its core)", *rows)
        return measured

    # --- accounts --------------------------------------------------------------------------------------------

    def accounts(self) -> Path:
        """A database with all accounts that any experiment needs, hashed cheaply."""
        everybody = [
            *(name for tag in "ab" for name in names("load", tag, 1_000)),
            *names("load", "w", ROOM),
            *names("load", "i", ROOM),
            *names("load", "t", 64),
            *names("crowd", "i", max(self.scale.crowd, 5_000)),
            *names("new", "i", 64),
        ]
        return self._seeded("accounts.db", everybody, Auth(**CHEAP_HASH))

    def dear_accounts(self) -> Path:
        """A database with accounts whose passwords are hashed as shipped."""
        everybody = [*(name for tag in "ab" for name in names("load", tag, 32)), *names("back", "i", ROOM)]
        return self._seeded("dear.db", everybody, Auth())

    def _seeded(self, name: str, users: list[str], auth: Auth) -> Path:
        database = self.place / name
        if not database.exists():
            self.progress(f"making {len(users)} accounts")
            seed(database, users, auth)
        return database
