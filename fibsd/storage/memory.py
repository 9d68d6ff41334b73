"""A store that lasts as long as the process: for tests, and for servers that need not remember."""

from collections.abc import Callable, Sequence

import attrs

from fibsd.storage import codec
from fibsd.storage.memory_data import Data
from fibsd.storage.store import Arrival, Counts, Job, NextIds, Outcome, Ranked, Settlement, StoreError
from fibsd.world.account import Account
from fibsd.world.changes import Audit, Ban, MatchRow, Message
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import ENDS


@attrs.define
class MemoryStore(Data):
    """A `Store` that commits inside `submit` and refuses what a database would refuse."""

    _last: int = attrs.field(default=0, init=False)
    _closed: bool = attrs.field(default=False, init=False)
    _on_outcomes: Callable[[Sequence[Outcome]], None] | None = attrs.field(default=None, init=False)

    def start(self, on_outcomes: Callable[[Sequence[Outcome]], None]) -> None:
        """See `Store.start`."""
        if self._on_outcomes is not None:
            raise RuntimeError("the store can be started once")
        self._on_outcomes = on_outcomes

    def submit(self, job: Job) -> None:
        """See `Store.submit`; the outcome has been told when this returns."""
        if self._on_outcomes is None or self._closed:
            raise RuntimeError("the store takes no jobs: it was not started, or is closed")
        if job.number != self._last + 1:
            raise ValueError(f"job {job.number} came after job {self._last}")
        self._last = job.number
        error = None
        try:
            self._make(job.changes)
        except StoreError as refusal:
            error = refusal
        self._on_outcomes((Outcome(job.number, error),))

    def catch_up(self) -> None:
        """See `Store.catch_up`: there never are any."""

    def waiting_s(self) -> float:
        """Never: 0.0."""
        return 0.0

    def trouble(self) -> str | None:
        """Never: None."""
        return None

    async def close(self, timeout_s: float) -> bool:
        """See `Store.close`."""
        self._closed = True
        return True

    async def next_ids(self) -> NextIds:
        """See `Store.next_ids`."""
        return NextIds(
            match=max([0, *self._journal]) + 1,
            message=max([0, *self._messages]) + 1,
            ban=max([0, *self._bans]) + 1,
        )

    async def account(self, name: str) -> Account | None:
        """See `Store.account`."""
        found = self._names.get(name.lower())
        return None if found is None else self._accounts[found]

    async def arrival(self, name: str) -> Arrival | None:
        """See `Store.arrival`; what is held in memory is never damaged."""
        account = await self.account(name)
        if account is None:
            return None
        return Arrival(
            account=account,
            unfinished=await self.unfinished(account.name),
            messages=await self.messages(account.name),
            points=await self.balance(account.name),
        )

    async def accounts(self) -> tuple[Account, ...]:
        """See `Store.accounts`."""
        return tuple(sorted(self._accounts.values(), key=lambda account: account.name.lower()))

    async def unfinished(self, name: UserName) -> tuple[MatchRow, ...]:
        """See `Store.unfinished`."""
        rows = [row for row in self._unfinished.values() if name in (row.names.o, row.names.x)]
        rows.sort(key=lambda row: (row.started, row.id))
        return tuple(self._with_journal(row) for row in rows)

    async def last_match(self, name: UserName) -> MatchRow | None:
        """See `Store.last_match`."""
        rows = [
            row
            for rows in (self._unfinished, self._finished)
            for row in rows.values()
            if name in (row.names.o, row.names.x)
        ]
        if not rows:
            return None
        return self._with_journal(max(rows, key=lambda row: (self._touched(row), row.id)))

    async def messages(self, name: UserName) -> tuple[Message, ...]:
        """See `Store.messages`."""
        return tuple(self._messages[number] for number in sorted(self._messages) if self._messages[number].to == name)

    async def ranking(self, first: int, last: int, *, min_experience: int) -> tuple[Ranked, ...]:
        """See `Store.ranking`; equal ratings are in the order of the names."""
        return self._ranked(min_experience)[max(first, 1) - 1 : max(last, 0)]

    async def rank(self, name: UserName, *, min_experience: int) -> Ranked | None:
        """See `Store.rank`."""
        account = self._accounts.get(name)
        if account is None:
            return None
        unranked = Ranked(rank=None, name=name, rating=account.rating, experience=account.experience)
        return next((row for row in self._ranked(min_experience) if row.name == name), unranked)

    async def counts(self) -> Counts:
        """See `Store.counts`."""
        return Counts(
            accounts=len(self._accounts),
            saved_matches=len(self._unfinished),
            finished_matches=len(self._finished),
        )

    async def bans(self) -> tuple[Ban, ...]:
        """See `Store.bans`."""
        return tuple(ban for _, ban in sorted(self._bans.items()))

    async def audits(self, last: int) -> tuple[Audit, ...]:
        """See `Store.audits`."""
        audits = tuple(self._audits.values())
        return audits[max(len(audits) - max(last, 0), 0) :]

    async def text(self, key: str) -> str | None:
        """See `Store.text`."""
        return self._texts.get(key)

    async def match(self, match_id: MatchId) -> MatchRow | None:
        """See `Store.match`."""
        row = self._unfinished.get(match_id) or self._finished.get(match_id)
        return None if row is None else self._with_journal(row)

    async def balance(self, account: str) -> int | None:
        """See `Store.balance`."""
        amounts = [row.amount for row in self._ledger.values() if row.account == account]
        return sum(amounts) if amounts else None

    async def settlement(self, match_id: MatchId) -> Settlement:
        """See `Store.settlement`."""
        points: dict[str, int] = {}
        for row in self._ledger.values():
            if row.match == match_id and row.reason in ENDS:
                points[row.account] = points.get(row.account, 0) + row.amount
        return Settlement(
            ratings=tuple(sorted(self._booked.get(match_id, ()), key=lambda one: one.name)),
            points=tuple(sorted((account, amount) for account, amount in points.items() if amount)),
        )

    async def untouched(self, since: float, after: int, most: int) -> tuple[MatchRow, ...]:
        """See `Store.untouched`."""
        rows = [row for number, row in sorted(self._unfinished.items()) if number > after]
        return tuple(self._with_journal(row) for row in rows if self._touched(row) < since)[:most]

    async def rolls(self) -> tuple[tuple[int, int, int], ...]:
        """See `Store.rolls`."""
        return tuple((*dice, times) for dice, times in self._rolls.items() if times > 0)

    def _ranked(self, min_experience: int) -> tuple[Ranked, ...]:
        accounts = [account for account in self._accounts.values() if account.experience >= min_experience]
        accounts.sort(key=lambda account: (-account.rating, account.name.lower()))
        return tuple(
            Ranked(rank=rank, name=account.name, rating=account.rating, experience=account.experience)
            for rank, account in enumerate(accounts, start=1)
        )

    def _touched(self, row: MatchRow) -> float:
        entries = self._journal[row.id]
        newest = entries[max(entries)].at if entries else row.started
        return max(newest, self._reopened.get(row.id, newest))

    def _with_journal(self, row: MatchRow) -> MatchRow:
        entries = [(seq, added.entry) for seq, added in sorted(self._journal[row.id].items())]
        return attrs.evolve(row, entries=codec.whole_journal(row.id, entries), touched=self._touched(row))
