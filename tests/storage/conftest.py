"""A store of each kind, for tests of what every `Store` does, and the PostgreSQL server."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import trio

from fibsd.storage.sql import open_store

from . import postgres as servers
from .samples import ANN, BOB, EVE, Caller


@pytest.fixture(scope="session")
def postgres() -> Iterator[servers.Server]:
    """A PostgreSQL server, or the test is skipped."""
    with servers.running() as server:
        yield server


@pytest.fixture
def new_postgres(postgres: servers.Server) -> Iterator[str]:
    """The URL of an empty PostgreSQL database, without tables."""
    with postgres.new_schema() as url:
        yield url


@pytest.fixture(scope="session")
def made_postgres(postgres: servers.Server) -> Iterator[str]:
    """The URL of a PostgreSQL database with tables, which have whatever the last test left in them."""
    with postgres.new_schema() as url:
        trio.run(servers.make, url)
        yield url


@pytest.fixture
def empty_postgres(made_postgres: str) -> str:
    """The URL of a PostgreSQL database with empty tables: to make them for each test would take too long."""
    servers.empty(made_postgres)
    return made_postgres


def _url(kind: str, request: pytest.FixtureRequest, directory: Path) -> str:
    if kind == "postgres":
        url: str = request.getfixturevalue("empty_postgres")
        return url
    return "memory:" if kind == "memory" else f"sqlite:///{directory / 'fibsd.db'}"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new store of each kind."""
    return _url(request.param, request, tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def sql_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new database of each kind."""
    return _url(request.param, request, tmp_path)


@pytest.fixture
async def caller(store_url: str) -> AsyncIterator[Caller]:
    """A started store of each kind, without accounts."""
    store = open_store(store_url)
    yield Caller(store).start()
    assert await store.close(1.0)


@pytest.fixture
async def players(caller: Caller) -> Caller:
    """The same with the accounts Ann, bob and Eve."""
    await caller.register(ANN, BOB, EVE)
    return caller
