"""What a batch of jobs does to the tables: a few statements, each with many rows of parameters.

The statements run in the order of `ORDER`, whatever the order of the changes, each with its rows in the order
of the changes. That is right because a row that others refer to comes first, a removal last, and two changes
of one column (two results of one player) are made by one statement, so that the later one wins.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs
import sqlalchemy as sa
from sqlalchemy import bindparam as given

from fibsd.storage import codec
from fibsd.storage.store import Job, StoreError
from fibsd.storage.tables import accounts, journal, matches, messages, rating_history, rolls
from fibsd.world.changes import (
    AccountCreated,
    EntryAdded,
    LoggedIn,
    LoggedOut,
    MatchAdjourned,
    MatchFinished,
    MatchStarted,
    MatchVoided,
    Message,
    MessageLeft,
    MessagesDelivered,
    PasswordChanged,
    RollsCounted,
    SettingsChanged,
)


@attrs.frozen(kw_only=True, eq=False)
class Statement:
    """One statement of a batch.

    Attributes:
        clause: With a named parameter for everything that varies.
        wanted: What each row of parameters must meet exactly once, for the complaint; None if it need not.
    """

    clause: sa.Insert | sa.Update | sa.Delete
    wanted: str | None


_NAME = accounts.c.name == given("name_")
_UNFINISHED = sa.and_(matches.c.id == given("id_"), matches.c.finished.is_(None))
_NEWEST = (
    sa.select(journal.c.at)
    .where(journal.c.match_id == given("id_"))
    .order_by(journal.c.seq.desc())
    # Literal, both: there are no other parameters than the named ones.
    .limit(sa.literal_column("1"))
    .offset(sa.literal_column("0"))
    .scalar_subquery()
)


def _by_name(when_o: str, when_x: str) -> sa.ColumnElement[int]:
    """The score of the row's O player, who may have had the other colour in the last game."""
    return sa.case((matches.c.name_o == given("player_o"), given(when_o)), else_=given(when_x))


def _set_account(*columns: str) -> Statement:
    changed: dict[str, sa.BindParameter[Any]] = {column: given(f"{column}_") for column in columns}
    return Statement(clause=accounts.update().where(_NAME).values(changed), wanted="account")


ADD_ACCOUNT = Statement(clause=accounts.insert(), wanted="account")
SET_PASSWORD = _set_account("password_hash")
SET_SETTINGS = _set_account("settings")
SET_LOGIN = _set_account("last_login", "last_host")
SET_LOGOUT = _set_account("last_logout")
SET_RATING = _set_account("rating", "experience")
ADD_MATCH = Statement(
    clause=matches.insert().values(
        id=given("id"),
        name_o=given("name_o"),
        name_x=given("name_x"),
        length=given("length"),
        crawford=given("crawford"),
        redoubles=given("redoubles"),
        autodoubles=given("autodoubles"),
        started=given("started"),
    ),
    wanted="match",
)
ADD_ENTRY = Statement(clause=journal.insert(), wanted="match")
ADJOURN = Statement(
    clause=matches.update().where(_UNFINISHED).values(left_by=given("left_by_")), wanted="unfinished match"
)
FINISH = Statement(
    clause=matches.update()
    .where(_UNFINISHED)
    .values(
        finished=given("at_"),
        touched=sa.func.coalesce(_NEWEST, matches.c.started),
        winner=given("winner_"),
        score_o=_by_name("points_o", "points_x"),
        score_x=_by_name("points_x", "points_o"),
    ),
    wanted="unfinished match",
)
ADD_HISTORY = Statement(clause=rating_history.insert(), wanted="match")
ADD_MESSAGE = Statement(clause=messages.insert(), wanted="message")
COUNT_ROLLS = Statement(
    clause=rolls.update()
    .where(rolls.c.first == given("die_1"), rolls.c.second == given("die_2"))
    .values(times=rolls.c.times + given("more")),
    wanted="roll",
)
DROP_MESSAGE = Statement(clause=messages.delete().where(messages.c.id == given("id_")), wanted=None)
DROP_JOURNAL = Statement(clause=journal.delete().where(journal.c.match_id == given("id_")), wanted=None)
DROP_MATCH = Statement(clause=matches.delete().where(_UNFINISHED), wanted="unfinished match")

ORDER = (
    ADD_ACCOUNT,
    SET_PASSWORD,
    SET_SETTINGS,
    SET_LOGIN,
    SET_LOGOUT,
    ADD_MATCH,
    ADD_ENTRY,
    ADJOURN,
    FINISH,
    SET_RATING,
    ADD_HISTORY,
    ADD_MESSAGE,
    COUNT_ROLLS,
    DROP_MESSAGE,
    DROP_JOURNAL,
    DROP_MATCH,
)

Parameters = Mapping[str, Any]
Rows = defaultdict[Statement, list[Parameters]]


def gather(jobs: Iterable[Job]) -> list[tuple[Statement, Sequence[Parameters]]]:
    """The statements that store these jobs, in the order in which they must run, with their parameters.

    Raises:
        StoreError: A value is none that the store may hold.
    """
    rows: Rows = defaultdict(list)
    for job in jobs:
        for change in job.changes:
            _BY_KIND[type(change)](rows, change)
    return [(statement, rows[statement]) for statement in ORDER if statement in rows]


def _account_created(rows: Rows, change: AccountCreated) -> None:
    account = change.account
    rows[ADD_ACCOUNT].append(
        {
            "name": account.name,
            "key": account.name.lower(),
            "password_hash": account.password_hash,
            "rating": _rating(account.name, account.rating),
            "experience": account.experience,
            "created": account.created,
            "last_login": account.last_login,
            "last_host": account.last_host,
            "last_logout": account.last_logout,
            "settings": codec.encode_settings(account.settings),
            "rights": codec.encode_rights(account.rights),
        }
    )


def _rating(name: str, rating: float) -> float:
    if not codec.is_rating(rating):
        raise StoreError(f"{rating!r} is no rating for {name}")
    return rating


def _password_changed(rows: Rows, change: PasswordChanged) -> None:
    rows[SET_PASSWORD].append({"name_": change.name, "password_hash_": change.password_hash})


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
            "points_o": change.score.o,
            "points_x": change.score.x,
        }
    )
    for player in () if change.rating is None else (change.rating.winner, change.rating.loser):
        after = _rating(player.name, player.rating_after)
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


_BY_KIND: Mapping[type, Callable[[Rows, Any], None]] = {
    AccountCreated: _account_created,
    PasswordChanged: _password_changed,
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
}
