"""What the service manager is told."""

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
import trio

from fibsd.server import notify as notify_module
from fibsd.server.notify import Notifier
from tests.support.client import captured_logs
from tests.support.process import Process


@attrs.define
class Manager:
    """A service manager's end of the talk."""

    address: str
    sock: socket.socket

    def told(self) -> list[str]:
        """What it was told since the last time, one text for each datagram."""
        texts = []
        while True:
            try:
                texts.append(self.sock.recv(4096).decode())
            except BlockingIOError:
                return texts

    async def wait(self, timeout_s: float = 20.0) -> str:
        """The next datagram."""
        with trio.fail_after(timeout_s):
            await trio.lowlevel.wait_readable(self.sock)
        return self.sock.recv(4096).decode()


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    """One with a socket in the file system, and one with a name in the abstract space."""
    address = str(tmp_path / "notify") if request.param == "path" else f"@fibsd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(address.replace("@", "\0") if address.startswith("@") else address)
        sock.setblocking(False)
        yield Manager(address, sock)


def test_states(manager: Manager) -> None:
    notifier = Notifier(manager.address)
    notifier.ready()
    before = time.monotonic_ns() // 1000
    notifier.reloading()
    after = time.monotonic_ns() // 1000
    notifier.stopping()
    ready, reloading, stopping = manager.told()
    assert (ready, stopping) == ("READY=1", "STOPPING=1")
    first, _, second = reloading.partition("\n")
    key, _, moment = second.partition("=")
    assert (first, key) == ("RELOADING=1", "MONOTONIC_USEC")
    assert before <= int(moment) <= after


async def test_signs_of_life_come_twice_as_often_as_wanted(
    manager: Manager, autojump_clock: trio.abc.Clock, nursery: trio.Nursery
) -> None:
    status = iter(["1 users on-line, 0 matches", "2 users on-line, 1 matches", *["many"] * 10])
    nursery.start_soon(Notifier(manager.address, watchdog_s=10).run, lambda: next(status))
    await trio.sleep(19)
    assert manager.told() == [
        "WATCHDOG=1\nSTATUS=1 users on-line, 0 matches",
        "WATCHDOG=1\nSTATUS=2 users on-line, 1 matches",
        *["WATCHDOG=1\nSTATUS=many"] * 2,
    ]
    nursery.cancel_scope.cancel()


async def test_without_a_watchdog_only_the_status_is_told(
    manager: Manager, autojump_clock: trio.abc.Clock, nursery: trio.Nursery
) -> None:
    nursery.start_soon(Notifier(manager.address).run, lambda: "fine")
    await trio.sleep(notify_module.STATUS_S * 1.5)
    assert manager.told() == ["STATUS=fine"] * 2
    nursery.cancel_scope.cancel()


async def test_without_an_address_nothing_is_done() -> None:
    with captured_logs() as logs:
        Notifier().ready()
        await Notifier(watchdog_s=1).run(lambda: "")
    assert logs == []


def test_manager_that_has_gone_does_no_harm(tmp_path: Path) -> None:
    with captured_logs() as logs:
        Notifier(str(tmp_path / "nothing")).ready()
    assert [entry["event"] for entry in logs] == ["service manager not told"]


@pytest.mark.parametrize(
    ("environment", "notifier"),
    [
        ({}, Notifier()),
        ({"NOTIFY_SOCKET": ""}, Notifier()),
        ({"NOTIFY_SOCKET": "/run/x"}, Notifier("/run/x")),
        ({"NOTIFY_SOCKET": "@x"}, Notifier("@x")),
        ({"NOTIFY_SOCKET": "vsock:2:1"}, Notifier()),
        ({"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "30000000"}, Notifier("/run/x", 30.0)),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": str(os.getpid())}, Notifier("", 0.5)),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": "1"}, Notifier()),
        ({"WATCHDOG_USEC": "0"}, Notifier()),
        ({"WATCHDOG_USEC": "soon"}, Notifier()),
    ],
)
def test_wishes_of_the_manager(environment: dict[str, str], notifier: Notifier) -> None:
    assert Notifier.from_environment(environment) == notifier


async def test_server_from_start_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the service manager sees it."""
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(address)
        sock.setblocking(False)
        manager = Manager(address, sock)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        monkeypatch.setenv("WATCHDOG_USEC", "60000000")
        with Process.start(tmp_path, "--database", "memory:") as process:
            first = {await manager.wait(), await manager.wait()}
            assert first == {"READY=1", "WATCHDOG=1\nSTATUS=0 users on-line, 0 matches"}
            process.reload()
            assert (await manager.wait()).startswith("RELOADING=1\nMONOTONIC_USEC=")
            assert await manager.wait() == "READY=1"
            assert await trio.to_thread.run_sync(process.terminate) == 0
            assert await manager.wait() == "STOPPING=1"
            assert manager.told() == []
