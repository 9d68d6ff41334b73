"""Runs what users type, stores what changed, and tells everybody what he is to see of it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from fibsd.backgammon.side import BySide
from fibsd.commands.admin.act import ADMIN
from fibsd.commands.admin.server import MOTD_KEY
from fibsd.commands.admin.table import perform, prepare_act
from fibsd.commands.call import Call, Passwords, Services
from fibsd.commands.dispatch import Typed, execute, understand
from fibsd.commands.registry import Command
from fibsd.protocol.viewer import View
from fibsd.protocol.views import lines_of
from fibsd.server.commit import Commits, Refused
from fibsd.server.diary import note
from fibsd.server.gate import Gate
from fibsd.server.guard import Guard
from fibsd.server.hosts import memory_bytes
from fibsd.server.passwords import OwnPasswords, new_password
from fibsd.server.readers import Readers
from fibsd.server.room import Room
from fibsd.server.telling import Teller
from fibsd.server.timekeeper import Timekeeper
from fibsd.session.host import Waiting
from fibsd.session.outbox import Backlog
from fibsd.session.output import Output
from fibsd.session.session import End, Session
from fibsd.storage.store import Job, Outcome, Store, StoreError
from fibsd.world.arrivals import depart, load_saved
from fibsd.world.arrivals import take_back as forget_match
from fibsd.world.audience import Result, ToSession
from fibsd.world.changes import (
    AccountCreated,
    Change,
    EntryAdded,
    MatchAdjourned,
    MatchFinished,
    MatchReversed,
    MatchStarted,
    MatchVoided,
    MessagesDelivered,
    PasswordRecovered,
    RollsCounted,
)
from fibsd.world.errors import Refusal
from fibsd.world.errors import Refused as Declined
from fibsd.world.events import Declined as DeclinedEvent
from fibsd.world.events import Farewell
from fibsd.world.ids import MatchId, SessionId, UserName
from fibsd.world.lobby import Presence, SessionKind
from fibsd.world.motd import framed
from fibsd.world.table import Table
from fibsd.world.world import World

if TYPE_CHECKING:
    from fibsd.observe.metrics import Metrics

log = structlog.get_logger()

MATCH_CHANGES = (MatchStarted, EntryAdded, MatchAdjourned, MatchFinished, MatchVoided, MatchReversed)
NAMING_CHANGES = (MatchStarted, MatchFinished, MatchReversed)


@attrs.define(eq=False, kw_only=True)
class Engine:
    """The middle of the server: between sessions, world and store.

    Attributes:
        world: All state.
        store: Where it is kept.
        passwords: Hashing.
        now: Unix seconds.
        ticks: Seconds of a clock that is never set back.
        show_host: What others see of a network address.
        spawn: Starts a task beside the sessions.
        backlog: What waits in all outboxes together.
        guard: Limits of addresses and accounts.
        memory_bytes: Tells how much memory the server uses.
        metrics: Counts for the operator, if he wants it.
        sessions: All connections by number.
        strangers: Those of them on which nobody has logged in yet.
        read: Messages that were delivered, whether or not the store has dropped them yet.
    """

    world: World
    store: Store
    passwords: Passwords
    now: Callable[[], float]
    show_host: Callable[[str], str]
    spawn: Callable[[Callable[[], Awaitable[None]]], None]
    backlog: Backlog
    guard: Guard
    ticks: Callable[[], float] = trio.current_time
    memory_bytes: Callable[[], int] = memory_bytes
    metrics: Metrics | None = None
    sessions: dict[SessionId, Session] = attrs.Factory(dict)
    strangers: dict[SessionId, Session] = attrs.Factory(dict)
    commits: Commits = attrs.Factory(Commits)
    read: set[int] = attrs.Factory(set)
    readers: Readers = attrs.field(init=False)
    teller: Teller = attrs.field(init=False)
    gate: Gate = attrs.field(init=False)
    room: Room = attrs.field(init=False)
    timekeeper: Timekeeper = attrs.field(init=False)
    _services: Services = attrs.field(init=False)
    _delivered: list[int] = attrs.Factory(list)
    _submitting: bool = False

    def __attrs_post_init__(self) -> None:
        self.gate = Gate(engine=self, guard=self.guard)
        self._services = Services(
            store=self.store,
            passwords=self.passwords,
            own_passwords=OwnPasswords(
                passwords=self.passwords, guard=self.guard, now=self.now, refused=self.gate.refused
            ),
            new_password=new_password,
            memory_bytes=self.memory_bytes,
        )
        self.readers = Readers(world=self.world, sessions=self.sessions)
        self.teller = Teller(sessions=self.sessions, readers=self.readers, commits=self.commits, backlog=self.backlog)
        self.timekeeper = Timekeeper(self)
        self.room = Room(
            world=self.world,
            queue=self.teller.queue,
            newest=self.commits.newest,
            flush=self.flush,
            reader=self.readers.outside,
            now=self.now,
        )

    async def start(self) -> None:
        """Begin to take outcomes from the store, and learn which numbers are free."""
        self.store.start(self._on_outcomes)
        world, store = self.world, self.store
        ids = await store.next_ids()
        world.next_match, world.next_message, world.next_ban = ids.match, ids.message, ids.ban
        await self.gate.open()
        world.bans = {ban.id: ban for ban in await store.bans()}
        motd = await store.text(MOTD_KEY)
        if motd is not None:
            world.motd = framed(motd)

    def result(self) -> Result:
        """An empty result of this moment."""
        return Result(now=self.now(), ticks=self.ticks())

    # --- what sessions ask for ---------------------------------------------------------------------------------

    def line(self, session: Session, text: str, ticks: float) -> Waiting | None:
        """Handle a line that a logged-in user typed; what is left of it if something must be looked up first."""
        presence = self.readers.presence(session)
        if presence is None:
            return None
        now = self.now()
        presence.last_input = now
        if session.hidden:
            session.unhide()
        if session.pages is not None and self._turn_page(session, text):
            return None
        typed = understand(text, presence, now, ticks)
        if typed is None:
            if session.output.prompt:
                session.write_bytes(self.teller.prompt(session))
        elif isinstance(typed, Result):
            self.deliver(typed, session)
        else:
            if typed.command.prepare is not None:
                return partial(self._prepared, session, typed)
            self._run(typed.command, typed.call, presence, session, time.perf_counter())
        return None

    async def _prepared(self, session: Session, typed: Typed) -> None:
        """Look up what a command needs, and run it, unless the user has gone meanwhile."""
        began = time.perf_counter()
        self.flush()
        # What this session has just done must be seen by what it asks now; what others do is not waited for.
        await self.commits.wait(session.last_job)
        if typed.command.prepare is not None:
            try:
                facts = await typed.command.prepare(typed.call, self.world, self._services)
            except StoreError:
                log.exception("store cannot be read", command=typed.command.name)
                self._decline(session, Refusal.NOT_READABLE)
                return
            presence = self.readers.presence(session)
            if presence is not None:
                call = attrs.evolve(typed.call, facts=facts, ticks=self.ticks())
                self._run(typed.command, call, presence, session, began)

    def _run(self, command: Command, call: Call, presence: Presence, session: Session, began: float) -> None:
        """Run a command, and tell what has come of it."""
        self.deliver(self._execute(command, call, presence), session)
        if self.metrics is not None:
            self.metrics.command(command.name, time.perf_counter() - began)

    def _execute(self, command: Command, call: Call, presence: Presence) -> Result:
        """Run a command; if it fails halfway, the match goes on from what is stored, without the half."""
        match_id = presence.table
        names = None if match_id is None else self.world.tables[match_id].names
        try:
            return execute(command, call, self.world)
        except Exception:
            if match_id is not None:
                log.warning("match taken back as it is stored", match=match_id, command=command.name)
                self.take_back(match_id, names)
            raise

    def at_table(self, table: Table, deed: Callable[[World, Result], None]) -> None:
        """Do something at a table that nobody has typed; if it fails, the match goes on from what is stored."""
        out, names = self.result(), table.names
        try:
            deed(self.world, out)
            self.deliver(out, None)
        except Exception:
            log.exception("match taken back as it is stored", match=table.id)
            self.take_back(table.id, names)

    def _turn_page(self, session: Session, text: str) -> bool:
        """Enter shows the next page; any other line leaves the pager and is a command."""
        pages, session.pages = session.pages, None
        if pages is None or text.strip():
            return False
        page, session.pages = pages.turn()
        session.write_bytes(page + self.teller.prompt(session))
        return True

    def gone(self, session: Session, how: Farewell) -> None:
        """A session has ended; its user leaves."""
        self.sessions.pop(session.id, None)
        self.strangers.pop(session.id, None)
        self.teller.forget(session.output)
        presence = self.readers.presence(session)
        session.user = None
        if presence is not None:
            out = self.result()
            depart(self.world, presence, how, out)
            self.deliver(out, None)
            self.flush()

    def delivered(self, receipts: tuple[int, ...]) -> None:
        """Messages have reached their receiver and can go from the store."""
        self._delivered.extend(receipts)
        self.read.update(receipts)

    async def store_now(self, *changes: Change) -> bool:
        """Store changes and wait for it; whether the store took them."""
        job = self.commits.open(changes)
        outcome = self.commits.waiter(job.number)
        self._submit(job)
        return await outcome()

    def _submit(self, job: Job) -> None:
        """Hand over a job; if it is stored before this returns, what it tells goes with the next flush."""
        self._submitting = True
        try:
            self.store.submit(job)
        finally:
            self._submitting = False

    # --- telling -----------------------------------------------------------------------------------------------

    def deliver(self, result: Result, typist: Session | None) -> None:
        """Queue what a result tells, for everybody who is concerned at this moment, and submit what it stores."""
        job, waits = None, False
        if result.changes:
            # Nearly always there is one, for which a generator costs more than all else here.
            waits = any([change.durable for change in result.changes])  # noqa: C419
            job = self.commits.open(result.changes, result.announcements if waits else ())
            if typist is not None:
                typist.last_job = job.number
        if not waits:
            for announcement in result.announcements:
                self.room.add(announcement)
        number = job.number if job is not None and waits else 0
        self.teller.tell(result, number, typist)
        if result.clocked is not None:
            self.timekeeper.expect(result.clocked, number or self.commits.newest((result.clocked,)))
        if job is not None:
            note(job.changes)
            self._submit(job)
        for session_id in result.closes:
            closing = self.sessions.get(session_id)
            log.info("session closed", session=session_id, user=None if closing is None else closing.user)
            self._close(session_id, End.AFTER_OUTPUT)
        for session_id in result.drops:
            self._close(session_id, End.AT_ONCE)

    def _close(self, session_id: SessionId, how: End) -> None:
        """End a session whose user is off-line already, or has a newer one."""
        session = self.sessions.get(session_id)
        if session is not None:
            session.user = None
            session.end(how)

    def touch(self, output: Output) -> None:
        """Something was put into an outbox."""
        self.teller.touch(output)

    def flush(self) -> None:
        """Send what was queued, as far as it is stored."""
        self.teller.flush()

    def flush_input(self) -> None:
        """Send what came of what was read, and of what has been stored meanwhile."""
        # While many play, the loop stays with its sockets for a while, and the first answers need not wait for that.
        self.store.catch_up()
        self.flush()

    # --- outcomes of the store ---------------------------------------------------------------------------------

    def _on_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        announcements, refused = self.commits.settle(outcomes)
        for job in refused:
            self._refused(job)
        for announcement in announcements:
            self.room.add(announcement)
        self.teller.release()
        if not self._submitting:
            self.flush()
        if self.timekeeper.waiting:
            self.timekeeper.told()

    def _refused(self, job: Refused) -> None:
        """The store will never take a job: what it tells is dropped, its match is taken back as it is stored."""
        if all(isinstance(change, AccountCreated) for change in job.changes):
            log.info("name taken by somebody quicker", number=job.number)
            return
        if any(isinstance(change, PasswordRecovered) for change in job.changes):
            log.info("recovery code used by somebody quicker", number=job.number)
            return
        matches = {change.id for change in job.changes if isinstance(change, MATCH_CHANGES)}
        log.error("job refused by the store", number=job.number, error=str(job.error), matches=sorted(matches))
        self.teller.drop(job.number)
        names = {change.id: change.names for change in job.changes if isinstance(change, NAMING_CHANGES)}
        for match_id in matches:
            self.take_back(match_id, names.get(match_id))
        if not matches and any(change.durable for change in job.changes):
            # The answer was dropped; who has typed more since has one that is newer.
            for session in [session for session in self.sessions.values() if session.last_job == job.number]:
                self._decline(session, Refusal.NOT_STORED)

    def _decline(self, session: Session, refusal: Refusal) -> None:
        """Tell somebody that what he typed is not done, through no fault of his; nothing, if he has gone."""
        presence = self.readers.presence(session)
        if presence is not None:
            out = self.result()
            out.tell(ToSession(session.id), DeclinedEvent(refusal, {}))
            self.deliver(out, session)

    def take_back(self, match_id: MatchId, names: BySide[UserName] | None) -> None:
        """Let a match go on from what is stored of it."""
        out = self.result()
        players = forget_match(self.world, match_id, out, names)
        self.deliver(out, None)
        self.spawn(partial(self._load_again, players))

    async def _load_again(self, players: tuple[UserName, ...]) -> None:
        """Hold the players' standings, points and saved matches as the store has them."""
        await self.commits.wait(self.commits.last)
        for name in players:
            rows, account = await self.store.unfinished(name), await self.store.account(name)
            points = await self.store.balance(name)
            presence = self.world.users.get(name)
            if presence is None or account is None:
                continue
            rating, experience = account.rating, account.experience
            presence.account = attrs.evolve(presence.account, rating=rating, experience=experience)
            presence.points = presence.points if points is None else points
            for fault in load_saved(self.world, rows):
                log.error("stored match cannot be replayed", fault=str(fault))

    # --- administration at the machine -------------------------------------------------------------------------

    async def administer(self, line: str) -> list[str]:
        """Do what the operator types at the machine itself; the lines of the answer."""
        try:
            prepared = await prepare_act(line, "operator", frozenset({ADMIN}), self.world, self._services, self.now())
            out = self.result()
            lines = perform(prepared, self.world, out)
        except Declined as declined:
            view = View(kind=SessionKind.CONNECT)
            return lines_of(DeclinedEvent(declined.refusal, declined.fields), view)
        self.deliver(out, None)
        self.flush()
        await self.commits.wait(self.commits.last)
        return list(lines)

    # --- from time to time -------------------------------------------------------------------------------------

    def store_counters(self) -> None:
        """Hand over what is stored behind: rolls counted, messages delivered."""
        changes: list[Change] = []
        if self.world.rolls:
            counts = tuple((dice.first, dice.second, count) for dice, count in self.world.rolls.items())
            changes.append(RollsCounted(counts=counts))
            self.world.rolls.clear()
        if self._delivered:
            changes.append(MessagesDelivered(ids=tuple(self._delivered)))
            self._delivered.clear()
        if changes:
            self.deliver(Result(changes=changes, now=self.now()), None)
