"""One server on one database, whatever happened to the last one."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fibsd.storage import schema
from fibsd.storage.lock import ServeLock
from fibsd.storage.sql import open_store
from fibsd.storage.store import StoreError, StoreLocked

from . import samples
from .samples import ANN, BOB, Caller


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a database that need not exist for its lock."""
    return tmp_path / "fibsd.db"


def test_second_lock_is_refused_at_once(path: Path) -> None:
    """With the number of the process that has it; after the release it is free."""
    with ServeLock.take(path), pytest.raises(StoreLocked, match=f"process {os.getpid()}"):
        ServeLock.take(path)
    ServeLock.take(path).release()


def test_release_twice_is_harmless(path: Path) -> None:
    """The second one must not close what somebody else opened meanwhile."""
    lock = ServeLock.take(path)
    lock.release()
    with ServeLock.take(path):
        lock.release()
        with pytest.raises(StoreLocked):
            ServeLock.take(path)


def test_other_ways_to_the_same_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A symbolic link to the file or its directory, or a relative path, finds the same lock."""
    path.touch()
    link = path.parent / "link.db"
    link.symlink_to(path)
    directory = path.parent / "directory"
    directory.symlink_to(path.parent)
    monkeypatch.chdir(path.parent)
    with ServeLock.take(link):
        for way in (path, directory / "fibsd.db", Path("fibsd.db"), directory / "link.db"):
            with pytest.raises(StoreLocked):
                ServeLock.take(way)
    assert not (path.parent / "link.db.lock").exists()


def test_lock_file_is_private(path: Path) -> None:
    """Nobody else may hold the lock against the server."""
    with ServeLock.take(path):
        assert path.with_name("fibsd.db.lock").stat().st_mode & 0o777 == 0o600


def test_lock_file_that_cannot_be_made(path: Path) -> None:
    """Says which."""
    path.with_name("fibsd.db.lock").symlink_to(path.parent / "elsewhere")
    with pytest.raises(StoreError, match=r"fibsd\.db\.lock"):
        ServeLock.take(path)


def test_file_system_without_locks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is not mistaken for another server."""

    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(StoreError, match="No locks available") as caught:
        ServeLock.take(path)
    assert not isinstance(caught.value, StoreLocked)


def test_killed_server_leaves_no_lock(path: Path) -> None:
    """Kill -9 is enough to free it; the leftover file is no hindrance."""
    program = (
        "import sys, time; from pathlib import Path; from fibsd.storage.lock import ServeLock;"
        "lock = ServeLock.take(Path(sys.argv[1])); print('locked', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(StoreLocked, match=f"process {holder.pid}"):
            ServeLock.take(path)
        holder.send_signal(signal.SIGKILL)
    ServeLock.take(path).release()


async def test_two_servers_on_one_file(path: Path) -> None:
    """The second is refused, and so is an upgrade; a close makes room."""
    url = f"sqlite:///{path}"
    store = open_store(url, serve=True)
    with pytest.raises(StoreLocked):
        open_store(url, serve=True)
    with pytest.raises(StoreLocked):
        schema.upgrade(url)
    assert await store.close(1.0)
    again = open_store(url, serve=True)
    assert await again.close(1.0)


async def test_short_transaction_beside_a_server(path: Path) -> None:
    """A program that adds an account does not serve; both write, and each sees the other's work."""
    url = f"sqlite:///{path}"
    server = Caller(open_store(url, serve=True)).start()
    await server.register(ANN)
    program = Caller(open_store(url)).start()
    await program.register(BOB)
    assert await program.store.close(1.0)
    await server.run(samples.started(1))
    assert [account.name for account in await server.store.accounts()] == [ANN, BOB]
    assert await server.store.close(1.0)


def test_failed_open_lets_go_of_the_lock(path: Path) -> None:
    """The operator may repair the file without stopping anything."""
    path.write_text("this is no database, and long enough to be seen as none" * 20)
    for _ in range(2):
        with pytest.raises(StoreError, match="not a database"):
            open_store(f"sqlite:///{path}", serve=True)
