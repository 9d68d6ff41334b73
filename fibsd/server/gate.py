"""The way in: passwords, registration, and what a login needs from the store."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import attrs
import structlog
import trio

from fibsd.protocol.messages import own
from fibsd.protocol.words import code_letters
from fibsd.server.guard import Guard
from fibsd.session.login import Proven, WayIn
from fibsd.session.session import Session
from fibsd.storage.store import Arrival
from fibsd.world.account import Account
from fibsd.world.arrivals import NONE_REPLAYED, Newcomer, enter, held
from fibsd.world.audience import Subject
from fibsd.world.changes import AccountCreated, MatchRow, PasswordChanged
from fibsd.world.ids import MatchId, UserName
from fibsd.world.lobby import Connection, SessionKind
from fibsd.world.recovery import know_recovered, recover
from fibsd.world.stakes import open_points
from fibsd.world.table import CorruptMatch, Table
from fibsd.world.world import SHEETS

if TYPE_CHECKING:
    from fibsd.server.engine import Engine

log = structlog.get_logger()

T = TypeVar("T")

REPLAY_S = 0.001
"""Seconds for which matches are replayed before others get their turn."""

PACE = 48
"""For so many sheets of the list (3,000 users) everybody else has a turn before the next one is let in: with 9,000
users on-line a list has eight parts, of which three are written in each turn of the loop, not all eight.
"""

Replayed = Mapping[MatchId, Table | CorruptMatch]
"""Unfinished matches as they are played on, or what is wrong with them."""


@attrs.define(eq=False, kw_only=True)
class Gate:
    """What login dialogs ask of the server.

    Attributes:
        engine: The middle of the server.
        guard: Limits of addresses and accounts.
        entering: Users whose matches and messages are being looked up on their way in.
        no_hash: Stands in for an unknown user's hash, so that his login takes as long as a wrong password.
    """

    engine: Engine
    guard: Guard
    entering: Counter[UserName] = attrs.Factory(Counter)
    no_hash: str = ""
    _door: trio.Lock = attrs.Factory(trio.Lock)

    async def open(self) -> None:
        """Make ready for the first login."""
        self.no_hash = await self.engine.passwords.hash("the password of nobody")

    def now(self) -> float:
        """Unix seconds."""
        return self.engine.now()

    def looking(self) -> AbstractContextManager[int]:
        """See `Commits.looking`."""
        return self.engine.commits.looking()

    async def authenticate(self, name: str, password: str, peer: str, since: int) -> Proven | None:
        """Who it is, if the password is right; who guesses waits longer each time."""
        return await self.guard.tried(name, peer, self.now, partial(self._verified, name, password, since))

    async def owner(self, name: str, code: str, peer: str) -> Account | None:
        """The account, if the recovery code is right; who guesses waits as with passwords."""
        return await self.guard.tried(name, peer, self.now, partial(self._with_code, name, code))

    async def _verified(self, name: str, password: str, since: int) -> Proven | None:
        """Who it is, if the password is right; an unknown name takes as long as a wrong password.

        Hashing takes a while: whether the password still counts is seen when the user is let in.
        """
        found = await self._newest(self.engine.store.arrival, name, _account_in)
        account = None if found is None else found.account
        fits = await self.engine.passwords.verify(account.password_hash if account else self.no_hash, password)
        if account is None or not fits:
            return None
        if not self.engine.passwords.outdated(account.password_hash):
            return Proven(account, found, since)
        renewed = await self.engine.passwords.hash(password)
        fresh = await self._account(account.name)
        if fresh is None or not _counts_for(account, fresh):
            # It must not come back in place of a newer one.
            return None
        await self.engine.store_now(PasswordChanged(name=account.name, password_hash=renewed))
        return Proven(attrs.evolve(fresh, password_hash=renewed))

    async def _with_code(self, name: str, code: str) -> Account | None:
        """The account, if the code is right; without a name or a code it takes as long as with a wrong one."""
        account = await self._account(name)
        recovery_hash = None if account is None else account.recovery_hash
        fits = await self.engine.passwords.verify(recovery_hash or self.no_hash, code_letters(code))
        return account if fits and recovery_hash else None

    async def recover(self, account: Account, password: str) -> Account | None:
        """Give an account another password for its recovery code; None if the code does not count any more.

        All of it is one job, which the store refuses if the code was used or replaced meanwhile.
        """
        password_hash = await self.engine.passwords.hash(password)
        world, out = self.engine.world, self.engine.result()
        if not recover(world, account, password_hash, own.OWN_RECOVERED(), out):
            return None
        if not await self.engine.store_now(*out.changes):
            return None
        # Somebody may have come in with the old password while it was stored.
        know_recovered(world, account.name, password_hash)
        log.warning("password changed by recovery code", user=account.name)
        return await self._account(account.name)

    async def _account(self, name: str) -> Account | None:
        """An account as it is when all that is on its way to the store has arrived there."""
        return await self._newest(self.engine.store.account, name, lambda account: account)

    async def _newest(
        self, read: Callable[[str], Awaitable[T | None]], name: str, account: Callable[[T], Account]
    ) -> T | None:
        """What is read of a name when all that is on its way to the store about its account has arrived there."""
        found = await read(name)
        number = 0 if found is None else self.engine.commits.newest_about(account(found).name)
        if not number:
            return found
        await self.engine.commits.wait(number)
        return await read(name)

    def refused(self, reason: str) -> None:
        """Count a login that was refused, or a wrong password of a user on-line."""
        if self.engine.metrics is not None:
            self.engine.metrics.login_refused(reason)

    def banned(self, name: str, peer: str) -> bool:
        """Whether this user, or anybody from this address, is kept out now."""
        return self.engine.world.ban_on(name, peer, self.now()) is not None

    def may_register(self, peer: str) -> bool:
        """Whether one more new account may come from this address."""
        return self.guard.may_register(peer, self.now())

    async def name_is_free(self, name: str) -> bool:
        """Whether nobody has this name, in any letter case, unless somebody is just taking it."""
        return await self.engine.store.account(name) is None

    async def register(self, name: UserName, password: str) -> Account | None:
        """Create an account; None if somebody else was quicker."""
        password_hash = await self.engine.passwords.hash(password)
        account = Account(name=name, password_hash=password_hash, created=self.now())
        return account if await self.engine.store_now(AccountCreated(account=account)) else None

    async def enter(self, session: Session, proven: Proven, way: WayIn, *, registered: bool = False) -> bool:
        """Put a user on-line, with his saved matches and messages.

        Returns:
            False, and nothing was done, if by now the name is another's, or the password another one.
        """
        account = proven.account
        self.entering[account.name] += 1
        try:
            async with self._arrival(proven) as (arrival, replayed):
                if arrival is None or not _counts_for(account, arrival.account):
                    self.guard.login_failed(session.peer, account.name, self.now())
                    return False
                if session.ending is None:
                    self._let_in(session, arrival, way, replayed=replayed, registered=registered)
                return True
        finally:
            self.entering[account.name] -= 1
            self.entering += Counter()

    def _let_in(self, session: Session, arrival: Arrival, way: WayIn, *, replayed: Replayed, registered: bool) -> None:
        """Put a user on-line with what was found; nothing is waited for any more."""
        account, world = arrival.account, self.engine.world
        if way.kind is SessionKind.CONNECT:
            session.write("\r\n")
        if arrival.fault is not None:
            # A damaged row must not keep him out; nothing of it is touched.
            log.error("saved matches cannot be read", user=account.name, error=str(arrival.fault))
        old = world.users.get(account.name)
        if old is not None and (replaced := self.engine.sessions.get(old.connection.id)) is not None:
            replaced.user = None
        session.welcome(way.kind, account.name)
        self.engine.strangers.pop(session.id, None)
        connection = Connection(
            id=session.id,
            kind=way.kind,
            host=self.engine.show_host(session.peer),
            client=way.client,
            peer=session.peer,
            alerts=way.alerts,
        )
        out = self.engine.result()
        newcomer = Newcomer(
            connection=connection, account=account, registered=registered, points=arrival.points, replayed=replayed
        )
        faults = enter(world, newcomer, arrival.unfinished, arrival.messages, out)
        for fault in faults:
            log.error("stored match cannot be replayed", fault=str(fault))
        log.info("login", kind=way.kind.value)
        self.engine.deliver(out, session)

    @asynccontextmanager
    async def _arrival(self, proven: Proven) -> AsyncIterator[tuple[Arrival | None, Replayed]]:
        """See `_settled`; what was read for the password's sake is good enough, if nothing about it has changed."""
        found = proven.found
        crowded = self._door.locked()
        async with self._door:
            if crowded:
                await self._pause()
            replayed = NONE_REPLAYED if found is None else await self._replay(found.unfinished)
            await self._prepare_list()
            self._see_off(proven.account.name)
            if found is not None:
                about: list[Subject] = [found.account.name, *(row.id for row in found.unfinished)]
                if self.engine.commits.unchanged(proven.since, about):
                    yield self._unread(found), replayed
                    return
        async with self._settled(proven.account.name) as settled:
            yield settled

    async def _pause(self) -> None:
        """Do not let one in right behind the other: the lists of those before him are still being written."""
        for _ in range(len(self.engine.world.neighbours) // PACE):
            await trio.lowlevel.checkpoint()

    async def _prepare_list(self) -> None:
        """Make the list of everybody anew as far as that is too much for the step in which somebody is let in."""
        world = self.engine.world
        for _ in range(len(world.neighbours) // SHEETS):
            if world.prepare_list():
                break
            await trio.lowlevel.checkpoint()

    async def _replay(self, rows: Sequence[MatchRow]) -> Replayed:
        """Replay matches that are not in memory; a long one takes many milliseconds, and others play meanwhile."""
        replayed: dict[MatchId, Table | CorruptMatch] = {}
        began = time.perf_counter()
        for row in rows:
            if held(self.engine.world, row):
                continue
            try:
                for table in Table.replayed(row):
                    replayed[row.id] = table
                    if time.perf_counter() - began > REPLAY_S:
                        await trio.lowlevel.checkpoint()
                        began = time.perf_counter()
            except CorruptMatch as fault:
                replayed[row.id] = fault
        return replayed

    def _see_off(self, name: UserName) -> None:
        """Somebody whose connection has ended leaves before he comes again, though others leave before him."""
        presence = self.engine.world.users.get(name)
        session = None if presence is None else self.engine.sessions.get(presence.connection.id)
        if session is not None and session.leaving:
            session.depart()

    @asynccontextmanager
    async def _settled(self, name: UserName) -> AsyncIterator[tuple[Arrival | None, Replayed]]:
        """What is kept of him, when all that is on its way to the store has arrived there; None if he is erased.

        In the block only one is let in at a time: the list of all users is long, and play goes on between.
        """
        commits, absent = self.engine.commits, self.engine.world.absent
        number = commits.newest_about(name)
        while True:
            # What was on its way before may arrive while it is read; nobody else waits for that.
            await commits.wait(number)
            async with self._door:
                plays_on = name in absent
                found = await self.engine.store.arrival(name)
                matches = () if found is None else found.unfinished
                replayed = await self._replay(matches)
                await self._prepare_list()
                number = max(commits.newest_about(name), commits.newest([row.id for row in matches]))
                # A match that has ended without him while this was read makes it one of two times.
                if not number and plays_on == (name in absent):
                    yield None if found is None else self._unread(found), replayed
                    return

    async def open_points(self) -> None:
        """Play points have been switched on: everybody on-line gets his first ones, or has those back that he had."""
        world = self.engine.world
        for name in list(world.users):
            async with self._settled(name) as (found, _):
                presence = world.users.get(name)
                if found is not None and presence is not None and presence.points is None:
                    out = self.engine.result()
                    open_points(world, presence, found.points, out)
                    self.engine.deliver(out, None)

    def _unread(self, found: Arrival) -> Arrival:
        """The same without messages that were delivered, and without points where nobody has any now."""
        unread = tuple(message for message in found.messages if message.id not in self.engine.read)
        return attrs.evolve(
            found, messages=unread, points=found.points if self.engine.world.house.play_points else None
        )


def _account_in(found: Arrival) -> Account:
    return found.account


def _counts_for(checked: Account, fresh: Account) -> bool:
    """Whether a password that was checked is still the one of this user."""
    return (fresh.name, fresh.password_hash) == (checked.name, checked.password_hash)
