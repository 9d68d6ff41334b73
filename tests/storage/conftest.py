"""A store of each kind, for tests of what every `Store` does."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fibsd.storage.sql import open_store

from .samples import ANN, BOB, EVE, Caller


@pytest.fixture(params=["memory", "sqlite"])
async def caller(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Caller]:
    """A started store of each kind, without accounts."""
    store = open_store("memory:" if request.param == "memory" else f"sqlite:///{tmp_path / 'fibsd.db'}")
    yield Caller(store).start()
    assert await store.close(1.0)


@pytest.fixture
async def players(caller: Caller) -> Caller:
    """The same with the accounts Ann, bob and Eve."""
    await caller.register(ANN, BOB, EVE)
    return caller
