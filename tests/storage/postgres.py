"""A PostgreSQL server for the tests: the one of `FIBSD_TEST_POSTGRES`, or a private one for this session."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs
import pytest

from fibsd.storage.sql import open_store
from fibsd.storage.store import Store
from fibsd.storage.tables import metadata

GIVEN = "FIBSD_TEST_POSTGRES"
"""Environment variable: the URL of a database, in which the tests make schemas and drop them again."""

BINARIES = "/usr/lib/postgresql/*/bin/postgres"
"""Where Debian has the servers of all versions."""

SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",  # the data are thrown away
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "40",
    "autovacuum": "off",
}

_numbers = count(1)


@attrs.define(eq=False)
class Server:
    """A server that answers.

    Attributes:
        url: Of a database for us.
        programs: Where its programs are; None if it is not ours to stop.
        directory: Of the private server.
    """

    url: str
    programs: Path | None = None
    directory: Path = Path()

    def connect(self) -> Any:
        """A connection in autocommit mode."""
        import psycopg

        return psycopg.connect(self.url, autocommit=True)

    def url_of(self, schema: str) -> str:
        """A URL for the tables of this schema only; its connections have the schema's name."""
        and_ = "&" if "?" in self.url else "?"
        return f"{self.url}{and_}application_name={schema}&options={quote(f'-csearch_path={schema}')}"

    @contextmanager
    def new_schema(self) -> Iterator[str]:
        """The URL of a new, empty schema, which is dropped afterwards."""
        schema = f"fibsd_test_{os.getpid()}_{next(_numbers)}"
        with self.connect() as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        yield self.url_of(schema)
        with self.connect() as connection:
            connection.execute("SET client_min_messages = warning; SET lock_timeout = 2000")
            connection.execute(f"DROP SCHEMA {schema} CASCADE")

    def hang_up(self, url: str, *, locked: bool = False) -> None:
        """End all connections with the schema of this URL, or the one that holds the lock."""
        which = "SELECT pid FROM pg_locks WHERE locktype = 'advisory'" if locked else "SELECT pid FROM pg_stat_activity"
        with self.connect() as connection:
            connection.execute(
                f"SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE pid IN ({which})"
                f" AND application_name = '{schema_of(url)}' AND datname = current_database()"
            )

    def control(self, *arguments: str) -> None:
        """Have `pg_ctl` do something with the private server."""
        assert self.programs is not None
        _run(self.programs / "pg_ctl", *arguments, directory=self.directory)


def schema_of(url: str) -> str:
    """The schema that `Server.url_of` put into this URL."""
    return url.rpartition("%3D")[2]


@contextmanager
def running() -> Iterator[Server]:
    """The server; the test is skipped if there can be none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: the extra `postgres` brings it")
    if given := os.environ.get(GIVEN):
        yield Server(given)
        return
    found = sorted(Path("/").glob(BINARIES[1:]), key=lambda path: int(path.parts[-3]))
    if not found:
        pytest.skip(f"no PostgreSQL: {GIVEN} is not set, and there is no {BINARIES}")
    # A short path: that of a socket may have about 100 characters.
    directory = Path(tempfile.mkdtemp(prefix="fibsd-pg-"))
    server = Server(
        f"postgresql:///postgres?host={quote(str(directory), safe='')}&user=fibsd", found[-1].parent, directory
    )
    try:
        if user := _other_user():
            os.chown(directory, int(user["user"]), int(user["group"]))
        settings = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
        _run(
            server.programs / "initdb",
            *("--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--username=fibsd"),
            directory=directory,
        )
        server.control("-w", "-l", "log", "-o", f"{settings} -c unix_socket_directories='{directory}'", "start")
        try:
            yield server
        finally:
            server.control("-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(directory)


def _other_user() -> Mapping[str, Any]:
    """Whom to run the server as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    pytest.skip("no user to run PostgreSQL as")


def _run(program: Path, *arguments: str, directory: Path) -> None:
    with open(directory / "output", "ab") as output:
        done = subprocess.run(
            [program, "-D", "data", *arguments],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=40,
            check=False,
            **_other_user(),
        )
    assert done.returncode == 0, (directory / "output").read_text()[-2000:]


def empty(url: str) -> None:
    """Make the tables as new."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET lock_timeout = 2000")
        for table in reversed(metadata.sorted_tables):
            if table.name != "rolls":
                connection.execute(f'DELETE FROM "{table.name}"')
        connection.execute("UPDATE rolls SET times = 0 WHERE times > 0")


async def make(url: str) -> None:
    """Make the tables."""
    store: Store = open_store(url)
    assert await store.close(1.0)
