"""Which output waits for which job: nothing is told before it is stored, and nothing waits for a stranger's job."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import TypeVar

import attrs
import trio

from fibsd.storage.store import Job, Outcome, StoreError
from fibsd.values import frozen
from fibsd.world.audience import Announcement, Subject
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    AccountRenamed,
    Change,
    EntryAdded,
    LoggedIn,
    LoggedOut,
    MatchAdjourned,
    MatchFinished,
    MatchReversed,
    MatchStarted,
    MatchVoided,
    MessageLeft,
    MutedUntil,
    PasswordChanged,
    PasswordRecovered,
    RecoveryChanged,
    RightsChanged,
    SettingsChanged,
)
from fibsd.world.ids import UserName
from fibsd.world.points import PointsMoved, PointsOpened

Key = TypeVar("Key")


def subjects(change: Change) -> tuple[Subject, ...]:
    """The match and the users of whom a durable change tells."""
    match change:
        case EntryAdded() | MatchAdjourned() | MatchVoided() | MatchReversed():
            return (change.id,)
        case MatchStarted() | MatchFinished():
            return (change.id, change.names.o, change.names.x)
        case AccountCreated():
            return (change.account.name,)
        case PasswordChanged():
            return (change.name,)
        case _:
            return ()


_ABOUT_ONE = (
    PasswordChanged,
    RecoveryChanged,
    PasswordRecovered,
    SettingsChanged,
    RightsChanged,
    MutedUntil,
    LoggedIn,
    LoggedOut,
    AccountErased,
)


def concerned(change: Change) -> tuple[UserName, ...]:
    """The users whom the store does not know as they are before the change, durable or not, has arrived there."""
    match change:
        case AccountCreated():
            return (change.account.name,)
        case AccountRenamed():
            return (change.name, change.new_name)
        case MatchStarted() | MatchFinished():
            return (change.names.o, change.names.x)
        case MatchReversed():
            return tuple(booked.name for booked in change.ratings)
        case PointsOpened():
            return (UserName(change.transfer.taker),)
        case PointsMoved():
            # The accounts among them that are no users' are asked for by nobody.
            return tuple(UserName(account) for moved in change.transfers for account in (moved.giver, moved.taker))
        case MessageLeft():
            return (change.message.to,)
        case _:
            return (change.name,) if isinstance(change, _ABOUT_ONE) else ()


_ABOUT_MANY = (AccountRenamed, AccountErased)
"""The name stands in rows of others, too, and nobody knows in which."""

REMEMBERED = 10_000
"""Matches and users of whom it is remembered at most that a job of theirs was stored while somebody looked."""


def _let_go(newest: dict[Key, int], key: Key, number: int) -> None:
    """Forget that something waits for this job, unless it waits for a newer one by now."""
    if newest.get(key) == number:
        del newest[key]


@frozen
class Refused:
    """A job that the store will never take: a fault of ours, or a name that somebody quicker has taken."""

    number: int
    error: StoreError
    changes: tuple[Change, ...]


@attrs.define(eq=False)
class _Waiter:
    """Somebody who waits for one job."""

    number: int
    event: trio.Event = attrs.Factory(trio.Event)
    refused: bool = False


@attrs.define
class Commits:
    """Numbers of jobs, and what waits for them.

    Attributes:
        durable: All jobs up to this number have their outcome.
        last: Number of the newest job.
    """

    durable: int = 0
    last: int = 0
    _newest: dict[Subject, int] = attrs.Factory(dict)
    _about: dict[Subject, int] = attrs.Factory(dict)
    _jobs: dict[int, tuple[tuple[Change, ...], tuple[Announcement, ...]]] = attrs.Factory(dict)
    _waiters: list[_Waiter] = attrs.Factory(list)
    # Only while somebody looks: the newest job of each match and user that got its outcome meanwhile.
    _looking: int = 0
    _settled: dict[Subject, int] = attrs.Factory(dict)
    _forgotten: int = 0

    def open(self, changes: Sequence[Change], announcements: Sequence[Announcement] = ()) -> Job:
        """A job for these changes; the announcements are given back when it is stored."""
        self.last += 1
        job = Job(self.last, tuple(changes))
        self._jobs[job.number] = (job.changes, tuple(announcements))
        for change in job.changes:
            if type(change) is EntryAdded:
                # Nearly all of them: neither list is asked for, here and below.
                self._newest[change.id] = job.number
                continue
            for subject in subjects(change):
                self._newest[subject] = job.number
            for name in concerned(change):
                self._about[name] = job.number
            if isinstance(change, _ABOUT_MANY):
                self._forgotten = job.number
        return job

    def newest(self, shows: Collection[Subject]) -> int:
        """The newest job that these subjects wait for; 0 if none."""
        newest = self._newest
        if not newest:
            return 0
        if len(shows) > len(newest):
            # Of all users on-line only a few have anything on its way.
            among = shows if isinstance(shows, Set) else frozenset(shows)
            return max((number for subject, number in newest.items() if subject in among), default=0)
        return max([newest.get(subject, 0) for subject in shows], default=0)

    def newest_about(self, name: UserName) -> int:
        """The newest job, durable or not, without which the store does not know the user as he is; 0 if none."""
        return self._about.get(name, 0)

    def settle(self, outcomes: Sequence[Outcome]) -> tuple[list[Announcement], list[Refused]]:
        """Take note of outcomes.

        Returns:
            Announcements that may go out now, and the jobs that were refused.
        """
        announcements: list[Announcement] = []
        refused: list[Refused] = []
        for outcome in outcomes:
            changes, waiting = self._jobs.pop(outcome.number)
            if outcome.error is None:
                announcements += waiting
            else:
                refused.append(Refused(outcome.number, outcome.error, changes))
            for change in changes:
                if self._looking:
                    self._remember(change, outcome.number)
                if type(change) is EntryAdded:
                    _let_go(self._newest, change.id, outcome.number)
                    continue
                for subject in subjects(change):
                    _let_go(self._newest, subject, outcome.number)
                for name in concerned(change):
                    _let_go(self._about, name, outcome.number)
            self.durable = outcome.number
        if self._waiters:
            self._wake({job.number for job in refused})
        return announcements, refused

    # --- what was read before ----------------------------------------------------------------------------------

    @contextmanager
    def looking(self) -> Iterator[int]:
        """Within the block it is known whether what is read from the store in it is still all there is.

        Gives:
            The job up to which all that is read in the block is stored; for `unchanged`.
        """
        self._looking += 1
        try:
            yield self.durable
        finally:
            self._looking -= 1
            if not self._looking:
                self._settled.clear()

    def unchanged(self, since: int, about: Iterable[Subject]) -> bool:
        """Whether no job about these users and matches was opened, was on its way or had its outcome after that one."""
        if since < self._forgotten:
            return False
        newest = (self._newest, self._about, self._settled)
        return not any(jobs.get(subject, 0) > since for subject in about for jobs in newest)

    def _remember(self, change: Change, number: int) -> None:
        if len(self._settled) >= REMEMBERED:
            # Whoever looks reads again.
            self._settled.clear()
            self._forgotten = number
        for subject in (*subjects(change), *concerned(change)):
            self._settled[subject] = number

    def _wake(self, refused: set[int]) -> None:
        for waiter in self._waiters:
            if waiter.number <= self.durable:
                waiter.refused = waiter.number in refused
                waiter.event.set()
        self._waiters = [waiter for waiter in self._waiters if waiter.number > self.durable]

    async def wait(self, number: int) -> bool:
        """Wait until a job has its outcome; whether it was stored, as far as that is still known."""
        return await self.waiter(number)()

    def waiter(self, number: int) -> Callable[[], Awaitable[bool]]:
        """What waits for a job, taken before the job is submitted so that no outcome is missed."""
        waiter = _Waiter(number)
        if number > self.durable:
            self._waiters.append(waiter)
        else:
            waiter.event.set()

        async def wait() -> bool:
            if not waiter.event.is_set():
                await waiter.event.wait()
            return not waiter.refused

        return wait
