"""Starting and stopping: listeners, tasks that go on for ever, and the order in which everything ends."""

from __future__ import annotations

import signal
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from fibsd.commands.admin.server import MOTD_KEY
from fibsd.commands.call import Passwords
from fibsd.config import Config, ConfigError, Log
from fibsd.protocol.messages import news
from fibsd.server.collector import ROUND_S, Collector
from fibsd.server.connections import Connections
from fibsd.server.countdown import count_down
from fibsd.server.engine import Engine
from fibsd.server.entrance import Entrance
from fibsd.server.files import Files, read_files
from fibsd.server.ghosts import Ghosts
from fibsd.server.guard import Guard
from fibsd.server.hosts import memory_bytes, shown_host
from fibsd.server.listeners import take_in
from fibsd.server.notify import Notifier
from fibsd.server.operator import serve_operator
from fibsd.server.pulse import Pulse
from fibsd.server.residents import Resident, house
from fibsd.server.rounds import Rounds
from fibsd.server.settings import house_rules, needs_restart, proxies, server_facts
from fibsd.server.settling import settle_abandoned
from fibsd.server.tasks import every, guarded
from fibsd.session.outbox import Backlog
from fibsd.session.session import End
from fibsd.session.transport import Transport
from fibsd.storage.store import Store, StoreError
from fibsd.world.arrivals import depart
from fibsd.world.audience import Everybody
from fibsd.world.events import Farewell, Text
from fibsd.world.motd import framed
from fibsd.world.world import Chance, World

if TYPE_CHECKING:
    from fibsd.server.measure import Monitor

log = structlog.get_logger()

SWEEP_S = 5.0
COUNTERS_S = 5.0
SAMPLE_S = 600.0
SHUTDOWN_S = 10.0
"""Seconds in which everybody must have been told and everything been stored."""


def wall_clock() -> float:
    """Unix seconds."""
    return time.time()  # noqa: TID251 - this is that clock


@attrs.define(eq=False, kw_only=True)
class App:
    """One server.

    Attributes:
        config: What the operator has set, as it was last read.
        store: Where everything is kept.
        passwords: Hashing.
        chance: Dice.
        now: Unix seconds.
        memory_bytes: Tells how much memory the server uses.
        read_again: Reads the configuration anew; raises `ConfigError`.
        log_as: Makes the log as it is configured.
        notifier: Tells the service manager.
        monitor: Counts and shows figures, if the operator wants them.
        collector: Decides when all objects are looked at, if the process is the server's own.
        engine: Set when the server runs.
        connections: Set when the server runs.
    """

    config: Config
    store: Store
    passwords: Passwords
    chance: Chance
    now: Callable[[], float] = wall_clock
    memory_bytes: Callable[[], int] = memory_bytes
    read_again: Callable[[], Config] | None = None
    log_as: Callable[[Log], None] | None = None
    notifier: Notifier = attrs.Factory(Notifier)
    monitor: Monitor | None = None
    collector: Collector | None = None
    engine: Engine = attrs.field(init=False)
    connections: Connections = attrs.field(init=False)
    _started_with: Config = attrs.field(init=False)
    _entrance: Entrance = attrs.field(init=False)
    _busy_with: str | None = "starting"
    _pulse: Pulse = attrs.field(init=False)
    _tasks: trio.Nursery | None = None
    _stop: trio.Event = attrs.Factory(trio.Event)

    def __attrs_post_init__(self) -> None:
        self._pulse = Pulse(self.store, self.spawn)

    # --- life --------------------------------------------------------------------------------------------------

    async def run(
        self,
        listeners: list[socket.socket],
        operator: socket.socket | None = None,
        *,
        tls: Sequence[socket.socket] = (),
        ready: Callable[[], None] = lambda: None,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> bool:
        """Serve until cancelled or told to stop by a signal; whether everything was stored at the end.

        Args:
            listeners: For plain connections.
            operator: For the operator's own.
            tls: For encrypted ones.
            ready: Called when connections are accepted.
            task_status: Told the same.

        Raises:
            ConfigError: A file that the configuration names cannot be used, or a bot has a name of somebody else.
        """

        def started() -> None:
            ready()
            task_status.started()

        files = read_files(self.config)
        self._started_with = self.config
        fault: ConfigError | None = None
        async with trio.open_nursery() as tasks:
            self._tasks = tasks
            self.engine = self._make_engine(files)
            self.connections = Connections(
                engine=self.engine,
                config=lambda: self.config,
                metrics=None if self.monitor is None else self.monitor.metrics,
            )
            if self.monitor is not None:
                tasks.start_soon(self.monitor.run, self.engine, self.trouble)
            await self.engine.start()
            tasks.start_soon(self.connections.sockets.run)
            tasks.start_soon(self.connections.see_off)
            tasks.start_soon(self.engine.room.run)
            tasks.start_soon(self.engine.teller.spreading.run)
            tasks.start_soon(self.engine.timekeeper.run)
            tasks.start_soon(Ghosts(self.engine).run)
            tasks.start_soon(self._sweep)
            tasks.start_soon(settle_abandoned, self.engine)
            self._sample()
            tasks.start_soon(every, SAMPLE_S, self._sample)
            tasks.start_soon(every, COUNTERS_S, self.engine.store_counters)
            tasks.start_soon(count_down, self.engine, self._stop.set)
            tasks.start_soon(self.notifier.run, self._status)
            if self.collector is not None:
                self.collector.begin()
                tasks.start_soon(every, ROUND_S, self._collect)
            try:
                residents = await house(self.engine, self.config, listeners)
                await self._accept(listeners, operator, tls, files.tls, residents, started)
            except ConfigError as error:
                fault = error
            finally:
                # Also after a fault of ours everybody is told, and all that can be stored is stored.
                for listener in (*listeners, *tls):
                    listener.close()
                with trio.CancelScope(shield=True):
                    stored = await self._shut_down()
            tasks.cancel_scope.cancel()
        self.connections.sockets.close()
        if fault is not None:
            raise fault
        return stored

    async def _accept(
        self,
        listeners: Sequence[socket.socket],
        operator: socket.socket | None,
        tls: Sequence[socket.socket],
        context: ssl.SSLContext | None,
        residents: Sequence[Resident],
        started: Callable[[], None],
    ) -> None:
        """Take connections until told to stop."""
        async with trio.open_nursery() as acceptors:
            entrance = self._entrance = Entrance(
                tasks=acceptors,
                sockets=self.connections.sockets,
                begin=self.serve,
                refused=self.connections.count_refused,
                guard=self.engine.guard,
                proxies=proxies(self.config),
                tls=context,
            )
            for listener in listeners:
                acceptors.start_soon(take_in, listener, entrance.arrive)
            for listener in tls:
                acceptors.start_soon(take_in, listener, partial(entrance.arrive, encrypted=True))
            if operator is not None:
                acceptors.start_soon(serve_operator, operator, self.engine.administer)
            try:
                async with trio.open_nursery() as waiting:
                    # Who is told that the server runs may tell it to stop at once.
                    await waiting.start(self._until_signal, waiting.cancel_scope)
                    self._busy_with = None
                    self.notifier.ready()
                    started()
                    for resident in residents:
                        acceptors.start_soon(guarded, resident.live)
                    await self._stop.wait()
                    waiting.cancel_scope.cancel()
            finally:
                self._busy_with = "stopping"
                self.notifier.stopping()
                acceptors.cancel_scope.cancel()

    def _make_engine(self, files: Files) -> Engine:
        config = self.config
        return Engine(
            world=World(
                house=house_rules(config),
                chance=self.chance,
                server=server_facts(config, self.now()),
                motd=framed(files.motd),
            ),
            store=self.store if self.monitor is None else self.monitor.store(self.store),
            passwords=self.passwords,
            now=self.now,
            show_host=lambda peer: shown_host(peer, self.config.server.show_hosts),
            spawn=self.spawn,
            backlog=Backlog(config.limits.outbox_total_bytes),
            guard=Guard(config.limits),
            metrics=None if self.monitor is None else self.monitor.metrics,
            memory_bytes=self.memory_bytes,
        )

    def spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the sessions; a fault of it is logged, not spread."""
        if self._tasks is not None:
            self._tasks.start_soon(guarded, task)

    async def trouble(self) -> str | None:
        """Why the server does not do its work at this moment, in a few words; None if all is well."""
        return self._busy_with or await self._pulse.trouble()

    def _status(self) -> str:
        """The server in a line, for people."""
        world = self.engine.world
        return f"{len(world.users)} users on-line, {len(world.tables)} matches"

    async def _until_signal(
        self, scope: trio.CancelScope, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        try:
            with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
                task_status.started()
                async for number in signals:
                    if number == signal.SIGHUP:
                        self.notifier.reloading()
                        await guarded(self.reload)
                        self.notifier.ready()
                    else:
                        log.info("stopping", signal=signal.Signals(number).name)
                        scope.cancel()
        except RuntimeError:
            # Signals reach only the main thread; in tests the server may run elsewhere.
            task_status.started()
            await trio.sleep_forever()

    # --- other settings ----------------------------------------------------------------------------------------

    async def reload(self) -> None:
        """Read the configuration and its files anew; with a fault in any of them all stays as it was."""
        try:
            config, files = await trio.to_thread.run_sync(self._read_all)
        except ConfigError as error:
            for fault in error.faults:
                log.error("configuration not reloaded", fault=fault)
            return
        self._adopt(config, files)
        world = self.engine.world
        shown = world.motd
        try:
            # What was set by `admin motd` counts instead of the file.
            if await self.store.text(MOTD_KEY) is None and world.motd is shown:
                world.motd = framed(files.motd)
        except StoreError as error:
            log.warning("message of the day not reloaded", reason=str(error))
        log.info("configuration reloaded")
        if keys := needs_restart(self._started_with, config):
            log.warning("needs a restart", keys=keys)

    def _read_all(self) -> tuple[Config, Files]:
        config = self.config if self.read_again is None else self.read_again()
        return config, read_files(config)

    def _adopt(self, config: Config, files: Files) -> None:
        """Go on with other settings; what sessions have got at their beginning they keep."""
        self.config = config
        engine, world = self.engine, self.engine.world
        had_points, world.house = world.house.play_points, house_rules(config)
        if world.house.play_points and not had_points:
            self.spawn(engine.gate.open_points)
        world.server = server_facts(config, world.server.started)
        engine.backlog.limit = config.limits.outbox_total_bytes
        engine.guard.adopt(config.limits)
        self._entrance.proxies = proxies(config)
        # Its ports stay open until the restart, if TLS was taken out of the file.
        self._entrance.tls = files.tls or self._entrance.tls
        if self.log_as is not None:
            self.log_as(config.log)

    # --- the end -----------------------------------------------------------------------------------------------

    async def _shut_down(self) -> bool:
        """Tell everybody, save all matches, let the last words be sent and the last jobs be stored."""
        engine = self.engine
        out = engine.result()
        out.tell(Everybody(), Text((news.SHUTDOWN_1(), news.SHUTDOWN_2(), news.SHUTDOWN_3())))
        engine.deliver(out, None)
        engine.teller.spreading.finish()
        for presence in list(engine.world.users.values()):
            out = engine.result()
            depart(engine.world, presence, Farewell.NETWORK_ERROR, out)
            out.envelopes.clear()
            out.announcements.clear()
            engine.deliver(out, None)
        engine.store_counters()
        engine.flush()
        for session in list(engine.sessions.values()):
            session.user = None
            session.end(End.AFTER_OUTPUT)
        with trio.move_on_after(SHUTDOWN_S):
            await self.connections.all_closed()
        return await self.store.close(SHUTDOWN_S)

    # --- connections -------------------------------------------------------------------------------------------

    def serve(self, transport: Transport, peer: str) -> None:
        """Begin a session on a connection."""
        if self._tasks is None:
            raise RuntimeError("the server does not run")
        self.connections.begin(transport, peer)

    # --- from time to time -------------------------------------------------------------------------------------

    async def _sweep(self) -> None:
        rounds = Rounds(self.engine)
        while True:
            await trio.sleep(SWEEP_S)
            rounds.watch_store()
            await rounds.sweep(self.config.limits.idle_s, self.config.limits.login_s)
            self.engine.gate.guard.tidy(self.now())

    def _collect(self) -> None:
        if self.collector is not None:
            self.collector.look(quiet=not self.engine.world.tables)

    def _sample(self) -> None:
        self.engine.world.sample(self.now())
