"""What is counted while a server runs, and how well it says that it is."""

import contextlib
import threading
from collections.abc import AsyncIterator

import attrs
import pytest
import trio

from fibsd.server import measure as measure_module
from fibsd.server import pulse as pulse_module
from fibsd.server.listeners import open_listeners
from fibsd.server.measure import Monitor, figures
from fibsd.server.pulse import Pulse
from fibsd.storage.memory import MemoryStore
from fibsd.storage.store import StoreError
from tests.observe.test_metrics import samples
from tests.server.test_web import Web
from tests.support.ring import Ring, config, running


class Fragile(MemoryStore):
    """A store that can be made to hang or fail."""

    fault: StoreError | None = None
    hang: threading.Event | None = None
    waits: float = 0.0
    asked: int = 0

    async def text(self, key: str) -> str | None:
        """The text, or what was wished for."""
        self.asked += 1
        if self.hang is not None:
            await trio.to_thread.run_sync(self.hang.wait)
        if self.fault is not None:
            raise self.fault
        return await super().text(key)

    def waiting_s(self) -> float:
        """What was wished for."""
        return self.waits


@attrs.frozen
class Watched:
    """A server, and where its pages are."""

    ring: Ring
    monitor: Monitor
    web: Web

    def shown(self) -> dict[tuple[str, tuple[str, ...]], float]:
        """All figures."""
        return samples(self.monitor.metrics, figures(self.ring.app.engine))

    async def page(self, path: str) -> tuple[str, str]:
        """Status line and body of a page."""
        answer = (await self.web.ask(f"GET {path} HTTP/1.0\r\n\r\n".encode())).decode()
        return answer.partition("\r\n")[0].partition(" ")[2], answer.partition("\r\n\r\n")[2]


@contextlib.asynccontextmanager
async def watched(store: MemoryStore | None = None, **limits: float) -> AsyncIterator[Watched]:
    """A server with figures."""
    listeners = open_listeners(("127.0.0.1:0",))
    monitor = Monitor(listeners)
    web = Web(listeners[0].getsockname())
    async with running(config(**limits), store=store, monitor=monitor) as ring:
        yield Watched(ring, monitor, web)


async def test_what_happens_is_counted() -> None:
    async with watched(max_users=3) as server:
        ring = server.ring
        ann, bob = await ring.user("ann"), await ring.user("bob")
        stranger = await ring.connect()
        await stranger.until("login: $")
        await stranger.send("login c 1008 ann wrong", "login c 1008", "connect ann")
        await stranger.rest()
        await ring.sessions_become(2)
        stranger = await ring.connect()
        await stranger.until("login: $")
        await (await ring.connect()).rest()
        await bob.send("toggle ready")
        await bob.until("now ready")
        await ann.send("invite bob 1", "nonsense", "whoi bob")
        await ann.until("Information about bob")
        await bob.until("join ann")
        await bob.send("join ann")
        await ann.until(r"^board:")
        ring.app.engine.store_counters()
        shown = server.shown()
        assert shown["fibsd_connections_total", ()] == 4
        assert shown["fibsd_connections_refused_total", ("too many users",)] == 1
        assert shown["fibsd_logins_refused_total", ("wrong name or password",)] == 1
        assert shown["fibsd_logins_refused_total", ("wrong form",)] == 2
        assert shown["fibsd_command_seconds_count", ("invite",)] == 1
        assert shown["fibsd_command_seconds_count", ("whois",)] == 1
        assert not any("nonsense" in labels for _, labels in shown)
        assert shown["fibsd_sessions", ("clip",)] == 2
        assert shown["fibsd_sessions", ("login",)] == 1
        assert (shown["fibsd_users", ()], shown["fibsd_matches", ()]) == (2, 1)
        assert shown["fibsd_rolls_total", ()] >= 1
        assert shown["fibsd_commit_seconds_count", ()] > 4
        assert shown["fibsd_jobs_waiting", ()] == 0


async def test_page_of_figures() -> None:
    async with watched() as server:
        await server.ring.user("ann")
        status, body = await server.page("/metrics")
        assert status == "200 OK"
        assert "\nfibsd_users 1.0\n" in body


async def test_delay_of_the_loop(autojump_clock: trio.abc.Clock, nursery: trio.Nursery) -> None:
    monitor = Monitor(())
    nursery.start_soon(measure_module.watch_loop, monitor.metrics)
    await trio.sleep(measure_module.LAG_EVERY_S * 10.5)
    async with watched() as server:
        pass
    shown = samples(monitor.metrics, figures(server.ring.app.engine))
    assert shown["fibsd_loop_lag_seconds_count", ()] == 10
    nursery.cancel_scope.cancel()


# --- health ----------------------------------------------------------------------------------------------------


async def test_health(monkeypatch: pytest.MonkeyPatch) -> None:
    """Well; when the store cannot be read, written, or does not answer; and well again."""
    store = Fragile()
    async with watched(store) as server:
        assert await server.page("/healthz") == ("200 OK", "ok\n")
        store.fault = StoreError("no disk")
        assert await server.page("/healthz") == ("503 Service Unavailable", "the store cannot be read\n")
        store.fault, store.waits = None, 0.1
        assert await server.page("/healthz") == ("503 Service Unavailable", "the store cannot be written\n")
        store.waits, store.hang = 0.0, threading.Event()
        monkeypatch.setattr(pulse_module, "STORE_S", 0.05)
        store.asked = 0
        for _ in range(2):
            assert await server.page("/healthz") == ("503 Service Unavailable", "the store does not answer\n")
        assert store.asked == 1
        store.hang.set()
        store.hang = None
        await server.ring.sessions_become(0)
        assert await server.page("/healthz") == ("200 OK", "ok\n")


async def test_health_at_the_start_and_at_the_end() -> None:
    """The pages are there before connections are taken, and until the last job is stored."""
    store = Fragile()
    store.hang = threading.Event()
    words: list[tuple[str, str]] = []
    listeners = open_listeners(("127.0.0.1:0",))
    web = Web(listeners[0].getsockname())
    monitor = Monitor(listeners)

    async with trio.open_nursery() as nursery:

        async def look() -> None:
            words.append(await Watched(None, monitor, web).page("/healthz"))  # type: ignore[arg-type]
            store.hang.set()  # type: ignore[union-attr]

        nursery.start_soon(look)
        async with running(store=store, monitor=monitor) as ring:
            ann = await ring.user("ann")
            words.append(await Watched(ring, monitor, web).page("/healthz"))
            # As if one more session took its time to end.
            ring.app.connections.open += 1
            ring.app._stop.set()
            await ann.rest()
            words.append(await Watched(ring, monitor, web).page("/healthz"))
            ring.app.connections.open -= 1
            ring.app.connections._changed()
    down = "503 Service Unavailable"
    assert words == [(down, "starting\n"), ("200 OK", "ok\n"), (down, "stopping\n")]


async def test_one_question_at_a_time(autojump_clock: trio.abc.Clock, nursery: trio.Nursery) -> None:
    """Whoever asks meanwhile gets the same answer."""
    store = Fragile()
    pulse = Pulse(store, nursery.start_soon)
    answers: list[str | None] = []

    async def ask() -> None:
        answers.append(await pulse.trouble())

    async with trio.open_nursery() as asking:
        for _ in range(5):
            asking.start_soon(ask)
    assert (answers, store.asked) == ([None] * 5, 1)
    assert await pulse.trouble() is None
    assert store.asked == 2
