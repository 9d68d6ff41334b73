"""Starting and stopping: listeners, tasks that go on for ever, and the order in which everything ends."""

import signal
import socket
import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import resources

import attrs
import structlog
import trio

from fibsd import __version__
from fibsd.commands.admin.server import countdown_text
from fibsd.commands.call import Passwords
from fibsd.config import Config
from fibsd.protocol.help import load_pages
from fibsd.protocol.lines import LineSplitter
from fibsd.protocol.messages import news, own
from fibsd.server.countdown import due
from fibsd.server.engine import Engine
from fibsd.server.entrance import Entrance
from fibsd.server.files import Files, read_files
from fibsd.server.guard import Guard
from fibsd.server.hosts import memory_bytes, shown_host
from fibsd.server.listeners import take_in
from fibsd.server.operator import serve_operator
from fibsd.session.limits import Bucket
from fibsd.session.login import LoginDialog
from fibsd.session.outbox import Backlog, Outbox
from fibsd.session.session import End, Session
from fibsd.session.transport import Transport
from fibsd.storage.store import Store
from fibsd.world.arrivals import depart
from fibsd.world.audience import Everybody, Result
from fibsd.world.events import Attention, Farewell, Text
from fibsd.world.ids import SessionId
from fibsd.world.motd import framed
from fibsd.world.world import Chance, HouseRules, ServerFacts, World

log = structlog.get_logger()

SWEEP_S = 5.0
COUNTERS_S = 5.0
SAMPLE_S = 600.0
COUNTDOWN_S = 1.0
SHUTDOWN_S = 10.0
"""Seconds in which everybody must have been told and everything been stored."""


def wall_clock() -> float:
    """Unix seconds."""
    return datetime.now(UTC).timestamp()


def _plain(name: str) -> str:
    """A name in ASCII, its letters without their marks."""
    letters = unicodedata.normalize("NFKD", name.replace("\u2019", "'"))
    return letters.encode("ascii", "ignore").decode()


def load_countries() -> tuple[str, ...]:
    """Codes of countries with their names, from the zone database."""
    text = resources.files("tzdata.zoneinfo").joinpath("iso3166.tab").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(f"  {code.lower()}  {_plain(name)}" for code, name in rows)


@attrs.define(eq=False, kw_only=True)
class App:
    """One server.

    Attributes:
        config: What the operator has set.
        store: Where everything is kept.
        passwords: Hashing.
        chance: Dice.
        now: Unix seconds.
        memory_bytes: Tells how much memory the server uses.
        engine: Set when the server runs.
    """

    config: Config
    store: Store
    passwords: Passwords
    chance: Chance
    now: Callable[[], float] = wall_clock
    memory_bytes: Callable[[], int] = memory_bytes
    engine: Engine = attrs.field(init=False)
    _next_session: int = 1
    _tasks: trio.Nursery | None = None
    _running: int = 0
    _all_ended: trio.Event = attrs.Factory(trio.Event)
    _stop: trio.Event = attrs.Factory(trio.Event)

    # --- life --------------------------------------------------------------------------------------------------

    async def run(
        self,
        listeners: list[socket.socket],
        operator: socket.socket | None = None,
        *,
        tls: Sequence[socket.socket] = (),
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> bool:
        """Serve until cancelled or told to stop by a signal; whether everything was stored at the end.

        Args:
            listeners: For plain connections.
            operator: For the operator's own.
            tls: For encrypted ones.
            task_status: Told when connections are accepted.

        Raises:
            ConfigError: A file that the configuration names cannot be used.
        """
        files = read_files(self.config)
        async with trio.open_nursery() as tasks:
            self._tasks = tasks
            self.engine = self._make_engine(files)
            await self.engine.start()
            tasks.start_soon(self.engine.room.run)
            tasks.start_soon(self._sweep)
            tasks.start_soon(self._count)
            tasks.start_soon(self._sample)
            tasks.start_soon(self._count_down)
            async with trio.open_nursery() as acceptors:
                entrance = Entrance(
                    tasks=acceptors, begin=self.serve, most=self.config.limits.max_connections, tls=files.tls
                )
                for listener in listeners:
                    acceptors.start_soon(take_in, listener, entrance.arrive)
                for listener in tls:
                    acceptors.start_soon(take_in, listener, partial(entrance.arrive, encrypted=True))
                if operator is not None:
                    acceptors.start_soon(serve_operator, operator, self.engine.administer)
                task_status.started()
                try:
                    await self._until_told()
                finally:
                    acceptors.cancel_scope.cancel()
            for listener in (*listeners, *tls):
                listener.close()
            with trio.CancelScope(shield=True):
                stored = await self._shut_down()
            tasks.cancel_scope.cancel()
        return stored

    def _make_engine(self, files: Files) -> Engine:
        config = self.config
        facts = ServerFacts(
            version=__version__,
            started=self.now(),
            max_users=config.limits.max_users,
            operator=f"{config.server.operator} ({config.server.email})",
            help=load_pages(),
            countries=load_countries(),
        )
        house = HouseRules(
            long_match=config.play.long_match,
            long_match_experience=config.play.long_match_experience,
            max_saved=config.play.max_saved,
            max_messages=config.limits.max_messages,
            shouts_per_minute=config.limits.shouts_per_minute,
            messages_per_minute=config.limits.messages_per_minute,
            invitations_per_minute=config.limits.invitations_per_minute,
        )
        return Engine(
            world=World(house=house, chance=self.chance, server=facts, motd=framed(files.motd)),
            store=self.store,
            passwords=self.passwords,
            now=self.now,
            show_host=lambda peer: shown_host(peer, config.server.show_hosts),
            spawn=self.spawn,
            backlog=Backlog(config.limits.outbox_total_bytes),
            guard=Guard(config.limits),
            memory_bytes=self.memory_bytes,
        )

    def spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the sessions; a fault of it is logged, not spread."""
        if self._tasks is not None:
            self._tasks.start_soon(_guarded, task)

    async def _until_told(self) -> None:
        """Wait for a signal, or for an announced stop."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._until_signal, nursery.cancel_scope)
            await self._stop.wait()
            nursery.cancel_scope.cancel()

    async def _until_signal(self, scope: trio.CancelScope) -> None:
        try:
            with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
                async for number in signals:
                    log.info("stopping", signal=signal.Signals(number).name)
                    scope.cancel()
        except RuntimeError:
            # Signals reach only the main thread; in tests the server may run elsewhere.
            await trio.sleep_forever()

    async def _shut_down(self) -> bool:
        """Tell everybody, save all matches, let the last words be sent and the last jobs be stored."""
        engine = self.engine
        out = Result(now=self.now())
        out.tell(Everybody(), Text((news.SHUTDOWN_1(), news.SHUTDOWN_2(), news.SHUTDOWN_3())))
        engine.deliver(out, None)
        for presence in list(engine.world.users.values()):
            out = Result(now=self.now())
            depart(engine.world, presence, Farewell.NETWORK_ERROR, out)
            out.envelopes.clear()
            out.announcements.clear()
            engine.deliver(out, None)
        engine.store_counters()
        engine.flush()
        for session in list(engine.sessions.values()):
            session.user = None
            session.end(End.AFTER_OUTPUT)
        self._all_ended = trio.Event()
        if self._running:
            with trio.move_on_after(SHUTDOWN_S):
                await self._all_ended.wait()
        return await self.store.close(SHUTDOWN_S)

    # --- connections -------------------------------------------------------------------------------------------

    def serve(self, transport: Transport, peer: str) -> None:
        """Begin a session on a connection."""
        if self._tasks is None:
            raise RuntimeError("the server does not run")
        self._tasks.start_soon(self._session, transport, peer)

    async def _session(self, transport: Transport, peer: str) -> None:
        """Live one session; a fault of ours in it is logged here and ends nobody else's."""
        limits = self.config.limits
        session = Session(
            id=SessionId(self._next_session),
            transport=transport,
            host=self.engine,
            peer=peer,
            outbox=Outbox(limits.outbox_bytes, self.engine.backlog),
            splitter=LineSplitter(limits.line_bytes),
            pace=Bucket.full(limits.commands_per_s, limits.commands_burst, trio.current_time()),
            flood_lines=limits.flood_lines,
            started=self.now(),
        )
        self._next_session += 1
        session.dialog = LoginDialog(
            session=session,
            gate=self.engine.gate,
            operator=self.config.server.operator,
            email=self.config.server.email,
            attempts=limits.login_attempts,
        )
        self.engine.sessions[session.id] = session
        log.info("connection", session=session.id, peer=peer)
        self._running += 1
        try:
            refusal = self.engine.gate.guard.arrive(peer)
            if refusal is not None or len(self.engine.sessions) > limits.max_users:
                log.warning("connection refused", session=session.id, reason=refusal or "too many users")
                line = own.OWN_SERVER_FULL() if refusal is None else own.OWN_TOO_MANY(what=refusal)
                session.write(line + "\r\n")
                session.dialog = None
                session.end(End.AFTER_OUTPUT)
            await session.run()
        except Exception:
            log.exception("session failed", session=session.id)
            self.engine.gone(session, Farewell.NETWORK_ERROR)
        finally:
            self.engine.gate.guard.leave(peer)
            self._running -= 1
            if not self._running:
                self._all_ended.set()
            log.info("connection ended", session=session.id)

    # --- from time to time -------------------------------------------------------------------------------------

    async def _sweep(self) -> None:
        limits = self.config.limits
        while True:
            await trio.sleep(SWEEP_S)
            self.engine.watch_store()
            self.engine.sweep(limits.idle_s, limits.login_s)
            self.engine.gate.guard.tidy(self.now())

    async def _sample(self) -> None:
        while True:
            self.engine.world.sample(self.now())
            await trio.sleep(SAMPLE_S)

    async def _count_down(self) -> None:
        """Remind everybody of an announced stop, and stop when it is time."""
        world = self.engine.world
        before = float("inf")
        while True:
            await trio.sleep(COUNTDOWN_S)
            coming = world.shutdown
            if coming is None:
                before = float("inf")
                continue
            left = coming.at - self.now()
            if left <= 0:
                log.info("stopping", by=coming.by, reason=coming.reason)
                self._stop.set()
                return
            if before != float("inf") and due(before, left):
                out = Result(now=self.now())
                out.tell(Everybody(), Attention(countdown_text(coming, self.now())))
                self.engine.deliver(out, None)
                self.engine.flush()
            before = left

    async def _count(self) -> None:
        while True:
            await trio.sleep(COUNTERS_S)
            self.engine.store_counters()


async def _guarded(task: Callable[[], Awaitable[None]]) -> None:
    try:
        await task()
    except Exception:
        log.exception("task failed")
