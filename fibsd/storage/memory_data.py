"""What the store in memory holds, and what each change does to it."""

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from functools import partial
from typing import Any, TypeVar

import attrs

from fibsd.storage import checks
from fibsd.storage.store import StoreError
from fibsd.storage.tables import ALL_ROLLS
from fibsd.values import frozen
from fibsd.world.account import Account
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    AccountRenamed,
    Audit,
    Audited,
    Ban,
    BanLifted,
    BanSet,
    Booked,
    Change,
    EntryAdded,
    LoggedIn,
    LoggedOut,
    MatchAdjourned,
    MatchFinished,
    MatchReversed,
    MatchRow,
    MatchStarted,
    MatchVoided,
    Message,
    MessageLeft,
    MessagesDelivered,
    MutedUntil,
    PasswordChanged,
    PasswordRecovered,
    RecoveryChanged,
    RightsChanged,
    RollsCounted,
    SettingsChanged,
    TextSet,
)
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import BANK, ERASE, START, PointsMoved, PointsOpened, Transfer

K = TypeVar("K")
V = TypeVar("V")

_NOTHING = object()
"""Stood where something was put that had no place yet."""


@frozen
class LedgerRow:
    """One row of the ledger."""

    account: str
    amount: int
    reason: str
    match: MatchId | None


@attrs.define
class Data:
    """All that a store in memory keeps, by its key; `_make` is its only way to change.

    Attributes:
        _names: The name of each account by itself in lower case.
        _unfinished: Without entries; those are in the journal.
        _finished: Likewise.
        _erased: Names that erased accounts got.
        _audits: In the order of writing, by a number that nobody sees.
        _ledger: Likewise.
        _booked: What finished matches did to ratings.
        _reopened: When the settlement of a match was reversed.
    """

    _accounts: dict[UserName, Account] = attrs.field(factory=dict, init=False)
    _names: dict[str, UserName] = attrs.field(factory=dict, init=False)
    _unfinished: dict[MatchId, MatchRow] = attrs.field(factory=dict, init=False)
    _finished: dict[MatchId, MatchRow] = attrs.field(factory=dict, init=False)
    _journal: dict[MatchId, dict[int, EntryAdded]] = attrs.field(factory=dict, init=False)
    _messages: dict[int, Message] = attrs.field(factory=dict, init=False)
    _rolls: dict[tuple[int, int], int] = attrs.field(factory=lambda: dict.fromkeys(ALL_ROLLS, 0), init=False)
    _erased: dict[UserName, None] = attrs.field(factory=dict, init=False)
    _bans: dict[int, Ban] = attrs.field(factory=dict, init=False)
    _audits: dict[int, Audit] = attrs.field(factory=dict, init=False)
    _ledger: dict[int, LedgerRow] = attrs.field(factory=dict, init=False)
    _booked: dict[MatchId, tuple[Booked, ...]] = attrs.field(factory=dict, init=False)
    _reopened: dict[MatchId, float] = attrs.field(factory=dict, init=False)
    _texts: dict[str, str] = attrs.field(factory=dict, init=False)
    # What stood where something was changed by the present job.
    _undo: list[tuple[MutableMapping[Any, Any], Any, Any]] = attrs.field(factory=list, init=False)

    def _make(self, changes: Iterable[Change]) -> None:
        """Make these changes.

        Raises:
            StoreError: One of them cannot be made; all are taken back.
        """
        try:
            for change in changes:
                _BY_KIND[type(change)](self, change)
        except Exception:
            for table, key, old in reversed(self._undo):
                if old is _NOTHING:
                    del table[key]
                else:
                    table[key] = old
            raise
        finally:
            self._undo.clear()

    def _put(self, table: MutableMapping[K, V], key: K, value: V) -> None:
        """Set a value; `_make` takes it back if a later part of the job is refused."""
        self._undo.append((table, key, table.get(key, _NOTHING)))
        table[key] = value

    def _take(self, table: MutableMapping[K, V], key: K) -> V:
        """Remove a value that is there; likewise."""
        old = table.pop(key)
        self._undo.append((table, key, old))
        return old

    def _add(self, table: MutableMapping[K, V], key: K, value: V, what: str) -> None:
        """Set a value that may not be there yet."""
        if key in table:
            raise StoreError(f"{what} {key!r} is there already")
        self._put(table, key, value)

    def _change_account(self, name: str, change: Callable[[Account], Account]) -> None:
        """Put another account in the place of this one, which must exist."""
        account = _known(self._accounts, UserName(name), "account")
        self._put(self._accounts, account.name, change(account))


def _known(table: Mapping[K, V], key: K, what: str) -> V:
    try:
        return table[key]
    except KeyError:
        raise StoreError(f"no such {what}: {key!r}") from None


def _account_created(data: Data, change: AccountCreated) -> None:
    account = change.account
    checks.name(account.name)
    checks.rating(account.name, account.rating)
    checks.until(account.muted_until)
    data._add(data._names, account.name.lower(), account.name, "account")
    data._put(data._accounts, account.name, account)


def _password_changed(data: Data, change: PasswordChanged) -> None:
    data._change_account(change.name, lambda account: attrs.evolve(account, password_hash=change.password_hash))


def _recovery_changed(data: Data, change: RecoveryChanged) -> None:
    data._change_account(change.name, partial(attrs.evolve, recovery_hash=change.recovery_hash))


def _password_recovered(data: Data, change: PasswordRecovered) -> None:
    account = _known(data._accounts, change.name, "account")
    if account.recovery_hash != change.recovery_hash:
        raise StoreError(f"{change.name!r} has another recovery code, or none")
    recovered = attrs.evolve(account, password_hash=change.password_hash, recovery_hash=None)
    data._put(data._accounts, change.name, recovered)


def _settings_changed(data: Data, change: SettingsChanged) -> None:
    data._change_account(change.name, lambda account: attrs.evolve(account, settings=change.settings))


def _logged_in(data: Data, change: LoggedIn) -> None:
    data._change_account(
        change.name, lambda account: attrs.evolve(account, last_login=change.at, last_host=change.host)
    )


def _logged_out(data: Data, change: LoggedOut) -> None:
    data._change_account(change.name, lambda account: attrs.evolve(account, last_logout=change.at))


def _match_started(data: Data, change: MatchStarted) -> None:
    for name in (change.names.o, change.names.x):
        _known(data._accounts, name, "account")
    data._add(data._journal, change.id, {}, "match")
    row = MatchRow(id=change.id, names=change.names, terms=change.terms, started=change.at)
    data._put(data._unfinished, change.id, row)


def _entry_added(data: Data, change: EntryAdded) -> None:
    journal, seq = _known(data._journal, change.id, "match"), change.seq
    if (seq and seq - 1 not in journal) or seq in journal:
        raise StoreError(f"match {change.id} has {len(journal)} entries: no place for number {seq}")
    data._put(journal, seq, change)


def _match_adjourned(data: Data, change: MatchAdjourned) -> None:
    row = _known(data._unfinished, change.id, "unfinished match")
    data._put(data._unfinished, change.id, attrs.evolve(row, left_by=change.left_by))


def _match_finished(data: Data, change: MatchFinished) -> None:
    row = _known(data._unfinished, change.id, "unfinished match")
    if change.names not in (row.names, row.names.swap()):
        raise StoreError(f"match {change.id} is not of these players: {change.names}")
    data._take(data._unfinished, change.id)
    data._put(data._finished, change.id, attrs.evolve(row, finished=change.at, settled=change.settled))
    booked = []
    for player in () if change.rating is None else (change.rating.winner, change.rating.loser):
        checks.rating(player.name, player.rating_after)
        after, experience = player.rating_after, player.experience_after
        data._change_account(player.name, partial(attrs.evolve, rating=after, experience=experience))
        grown = row.terms.length or 0
        name = UserName(player.name)
        booked.append(Booked(name=name, before=player.rating_before, after=after, experience=grown))
    data._put(data._booked, change.id, tuple(booked))
    for notice in change.notices:
        _left(data, notice)


def _match_voided(data: Data, change: MatchVoided) -> None:
    _known(data._unfinished, change.id, "unfinished match")
    data._take(data._unfinished, change.id)
    data._take(data._journal, change.id)


def _match_reversed(data: Data, change: MatchReversed) -> None:
    row = _known(data._finished, change.id, "settled match")
    if change.names not in (row.names, row.names.swap()) or row.settled != change.settled:
        raise StoreError(f"match {change.id} was not settled in this way")
    data._take(data._finished, change.id)
    data._put(data._unfinished, change.id, attrs.evolve(row, finished=None, settled=None))
    kept = {seq: added for seq, added in data._journal[change.id].items() if seq < change.settled}
    data._put(data._journal, change.id, kept)
    data._take(data._booked, change.id)
    data._put(data._reopened, change.id, change.at)
    for booked in change.ratings:
        data._change_account(booked.name, partial(_undo, booked))


def _undo(booked: Booked, account: Account) -> Account:
    rating = booked.undone(account.rating)
    return attrs.evolve(account, rating=rating, experience=account.experience - booked.experience)


def _points_opened(data: Data, change: PointsOpened) -> None:
    taker = change.transfer.taker
    known = taker in data._accounts
    if known and not any((row.account, row.reason) == (taker, START) for row in data._ledger.values()):
        _transfer(data, change.transfer)


def _points_moved(data: Data, change: PointsMoved) -> None:
    for transfer in change.transfers:
        _transfer(data, transfer)


def _transfer(data: Data, transfer: Transfer) -> None:
    checks.transfer(transfer)
    if transfer.giver != BANK and _balance(data, transfer.giver) < transfer.amount:
        raise StoreError(f"{transfer.giver!r} does not have {transfer.amount} points")
    for account, amount in ((transfer.giver, -transfer.amount), (transfer.taker, transfer.amount)):
        data._put(data._ledger, len(data._ledger), LedgerRow(account, amount, transfer.reason, transfer.match))


def _balance(data: Data, account: str) -> int:
    return sum(row.amount for row in data._ledger.values() if row.account == account)


def _message_left(data: Data, change: MessageLeft) -> None:
    _left(data, change.message)


def _left(data: Data, message: Message) -> None:
    _known(data._accounts, message.to, "account")
    data._add(data._messages, message.id, message, "message")


def _messages_delivered(data: Data, change: MessagesDelivered) -> None:
    for number in change.ids:
        if number in data._messages:
            data._take(data._messages, number)


def _rolls_counted(data: Data, change: RollsCounted) -> None:
    for first, second, times in change.counts:
        dice = first, second
        data._put(data._rolls, dice, _known(data._rolls, dice, "roll") + times)


def _rights_changed(data: Data, change: RightsChanged) -> None:
    data._change_account(change.name, partial(attrs.evolve, rights=change.rights))


def _muted_until(data: Data, change: MutedUntil) -> None:
    data._change_account(change.name, partial(attrs.evolve, muted_until=checks.until(change.until)))


def _account_renamed(data: Data, change: AccountRenamed) -> None:
    old, new = change.name, checks.name(change.new_name)
    account = _known(data._accounts, old, "account")
    data._take(data._names, old.lower())
    data._add(data._names, new.lower(), new, "account")
    data._take(data._accounts, old)
    data._put(data._accounts, new, attrs.evolve(account, name=new))
    _call_otherwise(data, old, new)
    _replace_in_settings(data, old, new)


def _account_erased(data: Data, change: AccountErased) -> None:
    name = change.name
    _known(data._accounts, name, "account")
    if any(name in (row.names.o, row.names.x) for row in data._unfinished.values()):
        raise StoreError(f"{name!r} has unfinished matches")
    for message in [*data._messages.values()]:
        if name in (message.to, message.sender):
            data._take(data._messages, message.id)
    for ban in [*data._bans.values()]:
        if ban.name == name:
            data._take(data._bans, ban.id)
    data._take(data._accounts, name)
    data._take(data._names, name.lower())
    if points := _balance(data, name):
        back = Transfer(giver=name, taker=BANK, amount=points, reason=ERASE, match=None, at=change.at)
        _transfer(data, back)
    tombstone = UserName(f"{checks.TOMBSTONE}{len(data._erased) + 1}")
    data._put(data._erased, tombstone, None)
    _call_otherwise(data, name, tombstone)
    _replace_in_settings(data, name, None)


def _call_otherwise(data: Data, old: UserName, new: UserName) -> None:
    """Another name in matches, messages, bans and the ledger."""

    def called(name: UserName) -> UserName:
        return new if name == old else name

    def match(row: MatchRow) -> MatchRow:
        if old not in (row.names.o, row.names.x):
            return row
        left_by = None if row.left_by is None else called(row.left_by)
        return attrs.evolve(row, names=row.names.map(called), left_by=left_by)

    def ban(row: Ban) -> Ban:
        name = None if row.name is None else called(row.name)
        return attrs.evolve(row, name=name, by=called(UserName(row.by)))

    _change_all(data, data._unfinished, match)
    _change_all(data, data._finished, match)
    _change_all(data, data._messages, lambda row: attrs.evolve(row, to=called(row.to), sender=called(row.sender)))
    _change_all(data, data._bans, ban)
    _change_all(data, data._booked, lambda rows: tuple(attrs.evolve(row, name=called(row.name)) for row in rows))
    _change_all(data, data._ledger, lambda row: attrs.evolve(row, account=called(UserName(row.account))))


def _replace_in_settings(data: Data, old: UserName, new: UserName | None) -> None:
    """Another name, or none, in the lists of all users."""

    def replaced(names: frozenset[UserName]) -> frozenset[UserName]:
        others = names - {old}
        return others if new is None or old not in names else others | {new}

    def account(row: Account) -> Account:
        gagged, blinded = replaced(row.settings.gagged), replaced(row.settings.blinded)
        return attrs.evolve(row, settings=attrs.evolve(row.settings, gagged=gagged, blinded=blinded))

    _change_all(data, data._accounts, account)


def _change_all(data: Data, table: MutableMapping[K, V], change: Callable[[V], V]) -> None:
    for key, value in [*table.items()]:
        changed = change(value)
        if changed != value:
            data._put(table, key, changed)


def _ban_set(data: Data, change: BanSet) -> None:
    ban = checks.ban(change.ban)
    if ban.name is not None:
        _known(data._accounts, ban.name, "account")
    data._add(data._bans, ban.id, ban, "ban")


def _ban_lifted(data: Data, change: BanLifted) -> None:
    if change.id in data._bans:
        data._take(data._bans, change.id)


def _audited(data: Data, change: Audited) -> None:
    data._put(data._audits, len(data._audits), change.audit)


def _text_set(data: Data, change: TextSet) -> None:
    if change.text:
        data._put(data._texts, change.key, change.text)
    elif change.key in data._texts:
        data._take(data._texts, change.key)


_BY_KIND: Mapping[type, Callable[[Data, Any], None]] = {
    AccountCreated: _account_created,
    PasswordChanged: _password_changed,
    RecoveryChanged: _recovery_changed,
    PasswordRecovered: _password_recovered,
    SettingsChanged: _settings_changed,
    LoggedIn: _logged_in,
    LoggedOut: _logged_out,
    MatchStarted: _match_started,
    EntryAdded: _entry_added,
    MatchAdjourned: _match_adjourned,
    MatchFinished: _match_finished,
    MatchVoided: _match_voided,
    MatchReversed: _match_reversed,
    PointsOpened: _points_opened,
    PointsMoved: _points_moved,
    MessageLeft: _message_left,
    MessagesDelivered: _messages_delivered,
    RollsCounted: _rolls_counted,
    RightsChanged: _rights_changed,
    MutedUntil: _muted_until,
    AccountRenamed: _account_renamed,
    AccountErased: _account_erased,
    BanSet: _ban_set,
    BanLifted: _ban_lifted,
    Audited: _audited,
    TextSet: _text_set,
}
