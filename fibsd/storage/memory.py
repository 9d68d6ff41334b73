"""A store that lasts as long as the process: for tests, and for servers that need not remember."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any, TypeVar

import attrs

from fibsd.storage import codec
from fibsd.storage.store import Counts, Job, NextIds, Outcome, Ranked, StoreError
from fibsd.storage.tables import ALL_ROLLS
from fibsd.world.account import Account
from fibsd.world.changes import (
    AccountCreated,
    EntryAdded,
    LoggedIn,
    LoggedOut,
    MatchAdjourned,
    MatchFinished,
    MatchRow,
    MatchStarted,
    MatchVoided,
    Message,
    MessageLeft,
    MessagesDelivered,
    PasswordChanged,
    RollsCounted,
    SettingsChanged,
)
from fibsd.world.ids import MatchId, UserName

K = TypeVar("K")
V = TypeVar("V")


@attrs.define
class MemoryStore:
    """A `Store` that commits inside `submit` and refuses what a database would refuse."""

    _accounts: dict[UserName, Account] = attrs.field(factory=dict, init=False)
    _names: dict[str, UserName] = attrs.field(factory=dict, init=False)
    # Rows have no entries here; those are in the journal.
    _unfinished: dict[MatchId, MatchRow] = attrs.field(factory=dict, init=False)
    _finished: dict[MatchId, MatchRow] = attrs.field(factory=dict, init=False)
    _journal: dict[MatchId, dict[int, EntryAdded]] = attrs.field(factory=dict, init=False)
    _messages: dict[int, Message] = attrs.field(factory=dict, init=False)
    _rolls: dict[tuple[int, int], int] = attrs.field(factory=lambda: dict.fromkeys(ALL_ROLLS, 0), init=False)
    _undo: list[Callable[[], None]] = attrs.field(factory=list, init=False)
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
            for change in job.changes:
                _BY_KIND[type(change)](self, change)
        except StoreError as refusal:
            error = refusal
            while self._undo:
                self._undo.pop()()
        self._undo.clear()
        self._on_outcomes((Outcome(number=job.number, error=error),))

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
        return NextIds(match=max([0, *self._unfinished, *self._finished]) + 1, message=max([0, *self._messages]) + 1)

    async def account(self, name: str) -> Account | None:
        """See `Store.account`."""
        found = self._names.get(name.lower())
        return None if found is None else self._accounts[found]

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
        return entries[max(entries)].at if entries else row.started

    def _with_journal(self, row: MatchRow) -> MatchRow:
        entries = [(seq, added.entry) for seq, added in sorted(self._journal[row.id].items())]
        return attrs.evolve(row, entries=codec.whole_journal(row.id, entries), touched=self._touched(row))

    def _put(self, table: MutableMapping[K, V], key: K, value: V) -> None:
        """Set a value; `submit` takes it back if a later part of the job is refused."""
        if key in table:
            old = table[key]
            self._undo.append(lambda: table.__setitem__(key, old))
        else:
            self._undo.append(lambda: table.__delitem__(key))
        table[key] = value

    def _take(self, table: MutableMapping[K, V], key: K) -> V:
        """Remove a value that is there, likewise."""
        old = table.pop(key)
        self._undo.append(lambda: table.__setitem__(key, old))
        return old

    def _add(self, table: MutableMapping[K, V], key: K, value: V, what: str) -> None:
        """Set a value that may not be there yet."""
        if key in table:
            raise StoreError(f"{what} {key!r} is there already")
        self._put(table, key, value)

    def _change_account(self, name: str, change: Callable[[Account], Account]) -> None:
        account = _known(self._accounts, UserName(name), "account")
        self._put(self._accounts, account.name, change(account))

    def _account_created(self, change: AccountCreated) -> None:
        account = change.account
        _check_rating(account.name, account.rating)
        self._add(self._names, account.name.lower(), account.name, "account")
        self._put(self._accounts, account.name, account)

    def _password_changed(self, change: PasswordChanged) -> None:
        self._change_account(change.name, lambda account: attrs.evolve(account, password_hash=change.password_hash))

    def _settings_changed(self, change: SettingsChanged) -> None:
        self._change_account(change.name, lambda account: attrs.evolve(account, settings=change.settings))

    def _logged_in(self, change: LoggedIn) -> None:
        self._change_account(
            change.name, lambda account: attrs.evolve(account, last_login=change.at, last_host=change.host)
        )

    def _logged_out(self, change: LoggedOut) -> None:
        self._change_account(change.name, lambda account: attrs.evolve(account, last_logout=change.at))

    def _match_started(self, change: MatchStarted) -> None:
        for name in (change.names.o, change.names.x):
            _known(self._accounts, name, "account")
        self._add(self._journal, change.id, {}, "match")
        row = MatchRow(id=change.id, names=change.names, terms=change.terms, started=change.at)
        self._put(self._unfinished, change.id, row)

    def _entry_added(self, change: EntryAdded) -> None:
        self._add(_known(self._journal, change.id, "match"), change.seq, change, f"match {change.id}: entry")

    def _match_adjourned(self, change: MatchAdjourned) -> None:
        row = _known(self._unfinished, change.id, "unfinished match")
        self._put(self._unfinished, change.id, attrs.evolve(row, left_by=change.left_by))

    def _match_finished(self, change: MatchFinished) -> None:
        row = _known(self._unfinished, change.id, "unfinished match")
        self._take(self._unfinished, change.id)
        self._put(self._finished, change.id, attrs.evolve(row, finished=change.at))
        for player in () if change.rating is None else (change.rating.winner, change.rating.loser):
            _check_rating(player.name, player.rating_after)
            after, experience = player.rating_after, player.experience_after
            self._change_account(player.name, partial(attrs.evolve, rating=after, experience=experience))
        for notice in change.notices:
            self._left(notice)

    def _match_voided(self, change: MatchVoided) -> None:
        _known(self._unfinished, change.id, "unfinished match")
        self._take(self._unfinished, change.id)
        self._take(self._journal, change.id)

    def _message_left(self, change: MessageLeft) -> None:
        self._left(change.message)

    def _left(self, message: Message) -> None:
        _known(self._accounts, message.to, "account")
        self._add(self._messages, message.id, message, "message")

    def _messages_delivered(self, change: MessagesDelivered) -> None:
        for number in change.ids:
            if number in self._messages:
                self._take(self._messages, number)

    def _rolls_counted(self, change: RollsCounted) -> None:
        for first, second, times in change.counts:
            dice = first, second
            self._put(self._rolls, dice, _known(self._rolls, dice, "roll") + times)


def _known(table: Mapping[K, V], key: K, what: str) -> V:
    try:
        return table[key]
    except KeyError:
        raise StoreError(f"no such {what}: {key!r}") from None


def _check_rating(name: str, rating: float) -> None:
    if not codec.is_rating(rating):
        raise StoreError(f"{rating!r} is no rating for {name}")


_BY_KIND: Mapping[type, Callable[[MemoryStore, Any], None]] = {
    AccountCreated: MemoryStore._account_created,
    PasswordChanged: MemoryStore._password_changed,
    SettingsChanged: MemoryStore._settings_changed,
    LoggedIn: MemoryStore._logged_in,
    LoggedOut: MemoryStore._logged_out,
    MatchStarted: MemoryStore._match_started,
    EntryAdded: MemoryStore._entry_added,
    MatchAdjourned: MemoryStore._match_adjourned,
    MatchFinished: MemoryStore._match_finished,
    MatchVoided: MemoryStore._match_voided,
    MessageLeft: MemoryStore._message_left,
    MessagesDelivered: MemoryStore._messages_delivered,
    RollsCounted: MemoryStore._rolls_counted,
}
