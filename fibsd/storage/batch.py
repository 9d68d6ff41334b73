"""What a batch of jobs does to the tables: a few statements, each with many rows of parameters.

The statements run in the order of `ORDER`, whatever the order of the changes, each with its rows in the order
of the changes. That is right because a row that others refer to comes first, a removal last, and two changes
of one column (two results of one player) are made by one statement, so that the later one wins.

It would be wrong for changes after which a name or a key means something else, and for those that depend on what
is stored by then: those are made in their turn,
after everything before them and before everything behind them. They are rare.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from fibsd.storage import checks, codec
from fibsd.storage.statements import (
    ADD_ACCOUNT,
    ADD_AUDIT,
    ADD_BAN,
    ADD_ENTRY,
    ADD_HISTORY,
    ADD_MATCH,
    ADD_MESSAGE,
    ADD_TEXT,
    ADJOURN,
    COUNT_ROLLS,
    DROP_BAN,
    DROP_JOURNAL,
    DROP_MATCH,
    DROP_MESSAGE,
    DROP_TEXT,
    ERASURE,
    FIND_SETTINGS,
    FINISH,
    GIVE,
    OPEN,
    ORDER,
    RECOVER,
    RENAME,
    REVERSAL,
    SET_BACK,
    SET_LOGIN,
    SET_LOGOUT,
    SET_MUTED,
    SET_PASSWORD,
    SET_RATING,
    SET_RECOVERY,
    SET_RIGHTS,
    SET_SETTINGS,
    TAKE,
    Statement,
)
from fibsd.storage.steps import Parameters, Rewrite, Step, Write
from fibsd.storage.store import Job
from fibsd.world.account import Settings
from fibsd.world.changes import (
    AccountCreated,
    AccountErased,
    AccountRenamed,
    Audited,
    BanLifted,
    BanSet,
    EntryAdded,
    LoggedIn,
    LoggedOut,
    MatchAdjourned,
    MatchFinished,
    MatchReversed,
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
from fibsd.world.ids import UserName
from fibsd.world.points import PointsMoved, PointsOpened, Transfer

Rows = defaultdict[Statement, list[Parameters]]


def gather(jobs: Iterable[Job]) -> Sequence[Step]:
    """The steps that store these jobs, in the order in which they must be taken.

    Raises:
        StoreError: A value is none that the store may hold.
    """
    steps: list[Step] = []
    rows: Rows = defaultdict(list)
    for job in jobs:
        for change in job.changes:
            kind = type(change)
            if kind in _IN_TURN:
                steps += _in_order(rows)
                rows.clear()
                steps += _IN_TURN[kind](change)
            else:
                _GATHERED[kind](rows, change)
    return [*steps, *_in_order(rows)]


def _in_order(rows: Rows) -> list[Step]:
    return [Write(statement, rows[statement]) for statement in ORDER if statement in rows]


def _account_created(rows: Rows, change: AccountCreated) -> None:
    account = change.account
    rows[ADD_ACCOUNT].append(
        {
            "name": checks.name(account.name),
            "key": account.name.lower(),
            "password_hash": account.password_hash,
            "rating": checks.rating(account.name, account.rating),
            "experience": account.experience,
            "created": account.created,
            "last_login": account.last_login,
            "last_host": account.last_host,
            "last_logout": account.last_logout,
            "settings": codec.encode_settings(account.settings),
            "rights": codec.encode_rights(account.rights),
            "muted_until": checks.until(account.muted_until),
            "recovery_hash": account.recovery_hash,
        }
    )


def _password_changed(rows: Rows, change: PasswordChanged) -> None:
    rows[SET_PASSWORD].append({"name_": change.name, "password_hash_": change.password_hash})


def _recovery_changed(rows: Rows, change: RecoveryChanged) -> None:
    rows[SET_RECOVERY].append({"name_": change.name, "recovery_hash_": change.recovery_hash})


def _settings_changed(rows: Rows, change: SettingsChanged) -> None:
    rows[SET_SETTINGS].append({"name_": change.name, "settings_": codec.encode_settings(change.settings)})


def _logged_in(rows: Rows, change: LoggedIn) -> None:
    rows[SET_LOGIN].append({"name_": change.name, "last_login_": change.at, "last_host_": change.host})


def _logged_out(rows: Rows, change: LoggedOut) -> None:
    rows[SET_LOGOUT].append({"name_": change.name, "last_logout_": change.at})


def _match_started(rows: Rows, change: MatchStarted) -> None:
    terms = change.terms
    rows[ADD_MATCH].append(
        {
            "id": change.id,
            "name_o": change.names.o,
            "name_x": change.names.x,
            "started": change.at,
            "length": terms.length,
            "crawford": terms.crawford,
            "redoubles": terms.redoubles,
            "autodoubles": terms.autodoubles,
            "terms": terms.added.words,
        }
    )


def _entry_added(rows: Rows, change: EntryAdded) -> None:
    rows[ADD_ENTRY].append({"match_id": change.id, "seq": change.seq, "entry": change.entry, "at": change.at})


def _match_adjourned(rows: Rows, change: MatchAdjourned) -> None:
    rows[ADJOURN].append({"id_": change.id, "left_by_": change.left_by})


def _match_finished(rows: Rows, change: MatchFinished) -> None:
    rows[FINISH].append(
        {
            "id_": change.id,
            "at_": change.at,
            "winner_": None if change.winner is None else change.names.of(change.winner),
            "player_o": change.names.o,
            "player_x": change.names.x,
            "points_o": change.score.o,
            "points_x": change.score.x,
            "settled_": change.settled,
        }
    )
    for player in () if change.rating is None else (change.rating.winner, change.rating.loser):
        after = checks.rating(player.name, player.rating_after)
        rows[SET_RATING].append({"name_": player.name, "rating_": after, "experience_": player.experience_after})
        rows[ADD_HISTORY].append(
            {
                "match_id": change.id,
                "name": player.name,
                "rating_before": player.rating_before,
                "rating_after": after,
                "experience": player.experience_after,
            }
        )
    for notice in change.notices:
        _left(rows, notice)


def _match_voided(rows: Rows, change: MatchVoided) -> None:
    rows[DROP_JOURNAL].append({"id_": change.id})
    rows[DROP_MATCH].append({"id_": change.id})


def _message_left(rows: Rows, change: MessageLeft) -> None:
    _left(rows, change.message)


def _left(rows: Rows, message: Message) -> None:
    rows[ADD_MESSAGE].append(
        {
            "id": message.id,
            "recipient": message.to,
            "sender": message.sender,
            "at": message.at,
            "text": message.text,
        }
    )


def _messages_delivered(rows: Rows, change: MessagesDelivered) -> None:
    rows[DROP_MESSAGE].extend({"id_": number} for number in change.ids)


def _rolls_counted(rows: Rows, change: RollsCounted) -> None:
    rows[COUNT_ROLLS].extend({"die_1": first, "die_2": second, "more": times} for first, second, times in change.counts)


def _rights_changed(rows: Rows, change: RightsChanged) -> None:
    rows[SET_RIGHTS].append({"name_": change.name, "rights_": codec.encode_rights(change.rights)})


def _muted_until(rows: Rows, change: MutedUntil) -> None:
    rows[SET_MUTED].append({"name_": change.name, "muted_until_": checks.until(change.until)})


def _ban_set(rows: Rows, change: BanSet) -> None:
    rows[ADD_BAN].append(attrs.asdict(checks.ban(change.ban)))


def _audited(rows: Rows, change: Audited) -> None:
    rows[ADD_AUDIT].append(attrs.asdict(change.audit))


_GATHERED: Mapping[type, Callable[[Rows, Any], None]] = {
    AccountCreated: _account_created,
    PasswordChanged: _password_changed,
    RecoveryChanged: _recovery_changed,
    SettingsChanged: _settings_changed,
    LoggedIn: _logged_in,
    LoggedOut: _logged_out,
    MatchStarted: _match_started,
    EntryAdded: _entry_added,
    MatchAdjourned: _match_adjourned,
    MatchFinished: _match_finished,
    MatchVoided: _match_voided,
    MessageLeft: _message_left,
    MessagesDelivered: _messages_delivered,
    RollsCounted: _rolls_counted,
    RightsChanged: _rights_changed,
    MutedUntil: _muted_until,
    BanSet: _ban_set,
    Audited: _audited,
}


def _password_recovered(change: PasswordRecovered) -> Sequence[Step]:
    # Whether the code still counts depends on the changes before, and what it sets has statements of its own.
    row = {"name_": change.name, "used_": change.recovery_hash, "password_hash_": change.password_hash}
    return [Write(RECOVER, [row])]


def _account_renamed(change: AccountRenamed) -> Sequence[Step]:
    new = checks.name(change.new_name)
    row = {"name_": change.name, "new_name_": new, "new_key_": new.lower()}
    return [*(Write(statement, [row]) for statement in RENAME), _in_settings(change.name, new)]


def _account_erased(change: AccountErased) -> Sequence[Step]:
    row = {"name_": change.name, "settings_": codec.encode_settings(Settings()), "at_": change.at}
    return [*(Write(statement, [row]) for statement in ERASURE), _in_settings(change.name, None)]


def _in_settings(old: UserName, new: UserName | None) -> Rewrite:
    """Replaces or removes a name in the lists of all users."""

    def again(name: str, settings: str) -> Parameters | None:
        changed = codec.replace_name(settings, old, new)
        return None if changed == settings else {"name_": name, "settings_": changed}

    # That the name is somewhere in the text is only the first sieve: it may be the word for something else.
    return Rewrite(find=FIND_SETTINGS, sought={"pattern_": f"%{json.dumps(old)}%"}, again=again, statement=SET_SETTINGS)


def _ban_lifted(change: BanLifted) -> Sequence[Step]:
    # Nobody checked that there is one: the next to be set may get this number.
    return [Write(DROP_BAN, [{"id_": change.id}])]


def _text_set(change: TextSet) -> Sequence[Step]:
    row = {"key": change.key, "text": change.text}
    return [Write(statement, [row]) for statement in ((DROP_TEXT, ADD_TEXT) if change.text else (DROP_TEXT,))]


def _match_reversed(change: MatchReversed) -> Sequence[Step]:
    # Ratings are changed by so much, not set: what else is booked must have been before, or come behind.
    row = {
        "id_": change.id,
        "settled_": change.settled,
        "player_o": change.names.o,
        "player_x": change.names.x,
        "at_": change.at,
    }
    ratings = [
        {"name_": one.name, "before_": one.before, "after_": one.after, "grown_": one.experience}
        for one in change.ratings
    ]
    return [*(Write(statement, [row]) for statement in REVERSAL), Write(SET_BACK, ratings)]


def _points_opened(change: PointsOpened) -> Sequence[Step]:
    return [Write(statement, [_transfer(change.transfer)]) for statement in OPEN]


def _points_moved(change: PointsMoved) -> Sequence[Step]:
    # Who gives must have got before, perhaps by the transfer before.
    rows = [_transfer(transfer) for transfer in change.transfers]
    return [Write(statement, [row]) for row in rows for statement in (GIVE, TAKE)]


def _transfer(transfer: Transfer) -> Parameters:
    checks.transfer(transfer)
    return {
        "at": transfer.at,
        "giver": transfer.giver,
        "taker": transfer.taker,
        "match_id": transfer.match,
        "amount": transfer.amount,
        "reason": transfer.reason,
    }


_IN_TURN: Mapping[type, Callable[[Any], Sequence[Step]]] = {
    PasswordRecovered: _password_recovered,
    MatchReversed: _match_reversed,
    PointsOpened: _points_opened,
    PointsMoved: _points_moved,
    AccountRenamed: _account_renamed,
    AccountErased: _account_erased,
    BanLifted: _ban_lifted,
    TextSet: _text_set,
}
