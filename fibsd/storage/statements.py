"""The statements that write, each rendered once and run with many rows of named parameters.

The sink has no other parameters than those of the rows: what is constant is literal here.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam as given

from fibsd.storage.checks import TOMBSTONE
from fibsd.storage.tables import accounts, audit, bans, journal, ledger, matches, messages, rating_history, rolls, texts
from fibsd.values import frozen
from fibsd.world.points import BANK, ERASE, START


@frozen(kw_only=True, eq=False)
class Statement:
    """One statement of a batch.

    Attributes:
        clause: With a named parameter for everything that varies.
        wanted: What each row of parameters must meet exactly once, for the complaint; None if it need not.
    """

    clause: sa.Insert | sa.Update | sa.Delete | sa.Select[Any]
    wanted: str | None


_ZERO, _ONE = (sa.literal_column(number, sa.Integer) for number in "01")
_NOTHING = sa.literal_column("''", sa.Text)

_NAME = sa.and_(accounts.c.name == given("name_"), accounts.c.erased.is_(None))
_UNFINISHED = sa.and_(matches.c.id == given("id_"), matches.c.finished.is_(None))
_NEWEST = (
    sa.select(journal.c.at)
    .where(journal.c.match_id == given("id_"))
    .order_by(journal.c.seq.desc())
    .limit(_ONE)
    .offset(_ZERO)
    .scalar_subquery()
)


def _players(o: str, x: str) -> sa.ColumnElement[bool]:
    return sa.and_(matches.c.name_o == given(o), matches.c.name_x == given(x))


def _by_name(when_o: str, when_x: str) -> sa.ColumnElement[int]:
    """The score of the row's O player, who may have had the other colour in the last game."""
    return sa.case((matches.c.name_o == given("player_o"), given(when_o)), else_=given(when_x))


def _set_account(*columns: str) -> Statement:
    changed: dict[str, sa.BindParameter[Any]] = {column: given(f"{column}_") for column in columns}
    return Statement(clause=accounts.update().where(_NAME).values(changed), wanted="account")


ADD_ACCOUNT = Statement(
    clause=accounts.insert().values(
        {column.name: given(column.name) for column in accounts.c if column.name != "erased"}
    ),
    wanted="account",
)
SET_PASSWORD = _set_account("password_hash")
SET_RECOVERY = _set_account("recovery_hash")
SET_SETTINGS = _set_account("settings")
SET_LOGIN = _set_account("last_login", "last_host")
SET_LOGOUT = _set_account("last_logout")
SET_RIGHTS = _set_account("rights")
SET_MUTED = _set_account("muted_until")
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
        terms=given("terms"),
        started=given("started"),
    ),
    wanted="match",
)
# An entry without its predecessor is refused, as the predecessor may have been.
_seq = given("seq", type_=sa.Integer)
_PREDECESSOR = sa.select(journal.c.seq).where(
    journal.c.match_id == given("match_id"), journal.c.seq == _seq - sa.literal_column("1")
)
ADD_ENTRY = Statement(
    clause=journal.insert().from_select(
        ["match_id", "seq", "entry", "at"],
        sa.select(
            given("match_id", type_=sa.Integer), _seq, given("entry", type_=sa.Text), given("at", type_=sa.Double)
        ).where(sa.or_(_seq == sa.literal_column("0"), _PREDECESSOR.exists())),
    ),
    wanted="entry before this one",
)
ADJOURN = Statement(
    clause=matches.update().where(_UNFINISHED).values(left_by=given("left_by_")), wanted="unfinished match"
)
FINISH = Statement(
    clause=matches.update()
    # The players again: a score for somebody who has another name by now would go to his opponent.
    .where(_UNFINISHED, sa.or_(_players("player_o", "player_x"), _players("player_x", "player_o")))
    .values(
        finished=given("at_"),
        touched=sa.func.coalesce(_NEWEST, matches.c.started),
        winner=given("winner_"),
        score_o=_by_name("points_o", "points_x"),
        score_x=_by_name("points_x", "points_o"),
        settled=given("settled_"),
    ),
    wanted="unfinished match of these players",
)
ADD_HISTORY = Statement(clause=rating_history.insert(), wanted="match")
ADD_MESSAGE = Statement(clause=messages.insert(), wanted="message")
COUNT_ROLLS = Statement(
    clause=rolls.update()
    .where(rolls.c.first == given("die_1"), rolls.c.second == given("die_2"))
    .values(times=rolls.c.times + given("more")),
    wanted="roll",
)
ADD_BAN = Statement(clause=bans.insert(), wanted="ban")
ADD_AUDIT = Statement(
    # Nobody asks for the number.
    clause=audit.insert()
    .inline()
    .values({column.name: given(column.name) for column in audit.c if column.name != "id"}),
    wanted="audit",
)
DROP_MESSAGE = Statement(clause=messages.delete().where(messages.c.id == given("id_")), wanted=None)
DROP_JOURNAL = Statement(clause=journal.delete().where(journal.c.match_id == given("id_")), wanted=None)
DROP_MATCH = Statement(clause=matches.delete().where(_UNFINISHED), wanted="unfinished match")

ORDER = (
    ADD_ACCOUNT,
    SET_PASSWORD,
    SET_RECOVERY,
    SET_SETTINGS,
    SET_LOGIN,
    SET_LOGOUT,
    SET_RIGHTS,
    SET_MUTED,
    ADD_MATCH,
    ADD_ENTRY,
    ADJOURN,
    FINISH,
    SET_RATING,
    ADD_HISTORY,
    ADD_MESSAGE,
    COUNT_ROLLS,
    ADD_BAN,
    ADD_AUDIT,
    DROP_MESSAGE,
    DROP_JOURNAL,
    DROP_MATCH,
)
"""Statements for many changes at once, in the order in which they run."""

RECOVER = Statement(
    clause=accounts.update()
    .where(_NAME, accounts.c.recovery_hash == given("used_"))
    .values(password_hash=given("password_hash_"), recovery_hash=sa.null()),
    wanted="account with this recovery code",
)
DROP_BAN = Statement(clause=bans.delete().where(bans.c.id == given("id_")), wanted=None)
REOPEN = Statement(
    clause=matches.update()
    .where(
        matches.c.id == given("id_"),
        matches.c.settled == given("settled_"),
        sa.or_(_players("player_o", "player_x"), _players("player_x", "player_o")),
    )
    .values(
        finished=sa.null(),
        touched=sa.null(),
        winner=sa.null(),
        score_o=sa.null(),
        score_x=sa.null(),
        settled=sa.null(),
        reopened=given("at_"),
    ),
    wanted="match that was settled in this way",
)
CUT_JOURNAL = Statement(
    clause=journal.delete().where(journal.c.match_id == given("id_"), journal.c.seq >= given("settled_")), wanted=None
)
DROP_HISTORY = Statement(clause=rating_history.delete().where(rating_history.c.match_id == given("id_")), wanted=None)
_less = accounts.c.rating - (given("after_", type_=sa.Double) - given("before_", type_=sa.Double))
SET_BACK = Statement(
    # See `Booked.undone`.
    clause=accounts.update()
    .where(_NAME)
    .values(
        rating=sa.case(
            (accounts.c.rating == given("after_", type_=sa.Double), given("before_", type_=sa.Double)),
            (_less < _ZERO, _ZERO),
            else_=_less,
        ),
        experience=accounts.c.experience - given("grown_", type_=sa.Integer),
    ),
    wanted="account",
)


def _word(text: str) -> sa.ColumnElement[str]:
    return sa.literal_column(f"'{text}'", sa.Text)


def _entry(account: sa.ColumnElement[str], amount: sa.ColumnElement[int]) -> tuple[sa.ColumnElement[Any], ...]:
    return (
        given("at", type_=sa.Double),
        account,
        given("match_id", type_=sa.Integer),
        amount,
        given("reason", type_=sa.Text),
    )


_COLUMNS = ["at", "account", "match_id", "amount", "reason"]
_GIVER, _TAKER = given("giver", type_=sa.Text), given("taker", type_=sa.Text)
_AMOUNT = given("amount", type_=sa.BigInteger)
_OWNED = sa.select(sa.func.sum(ledger.c.amount)).where(ledger.c.account == _GIVER).scalar_subquery()
_STARTED = sa.exists().where(ledger.c.account == _TAKER, ledger.c.reason == _word(START), ledger.c.amount > _ZERO)
_IS_SOMEBODY = sa.exists().where(accounts.c.name == _TAKER, accounts.c.erased.is_(None))
_NEW_HERE = sa.and_(_IS_SOMEBODY, sa.not_(_STARTED))
GIVE = Statement(
    clause=ledger.insert().from_select(
        _COLUMNS,
        sa.select(*_entry(_GIVER, -_AMOUNT)).where(sa.or_(_word(BANK) == _GIVER, _OWNED >= _AMOUNT)),
    ),
    wanted="play points",
)
TAKE = Statement(clause=ledger.insert().from_select(_COLUMNS, sa.select(*_entry(_TAKER, _AMOUNT))), wanted="account")
# The row of the bank first: the other one is what tells that there are any.
OPEN = (
    Statement(
        clause=ledger.insert().from_select(_COLUMNS, sa.select(*_entry(_GIVER, -_AMOUNT)).where(_NEW_HERE)),
        wanted=None,
    ),
    Statement(
        clause=ledger.insert().from_select(_COLUMNS, sa.select(*_entry(_TAKER, _AMOUNT)).where(_NEW_HERE)),
        wanted=None,
    ),
)
"""Statements by which a user gets his first points, in the order in which they run."""

DROP_TEXT = Statement(clause=texts.delete().where(texts.c.key == given("key")), wanted=None)
ADD_TEXT = Statement(clause=texts.insert(), wanted="text")


def _call_otherwise(new: sa.ColumnElement[str]) -> tuple[Statement, ...]:
    """Another name for `name_` where a name is no reference; the references follow the account by themselves."""
    plays = sa.or_(matches.c.name_o == given("name_"), matches.c.name_x == given("name_"))  # has indexes
    return (
        Statement(
            clause=matches.update().where(plays, matches.c.left_by == given("name_")).values(left_by=new), wanted=None
        ),
        Statement(
            clause=matches.update().where(plays, matches.c.winner == given("name_")).values(winner=new), wanted=None
        ),
        Statement(clause=bans.update().where(bans.c.by == given("name_")).values(by=new), wanted=None),
        Statement(clause=ledger.update().where(ledger.c.account == given("name_")).values(account=new), wanted=None),
    )


RENAME = (
    *_call_otherwise(given("new_name_", type_=sa.Text)),
    Statement(
        clause=messages.update().where(messages.c.sender == given("name_")).values(sender=given("new_name_")),
        wanted=None,
    ),
    Statement(
        clause=accounts.update().where(_NAME).values(name=given("new_name_"), key=given("new_key_")), wanted="account"
    ),
)
"""Statements that rename one account, in the order in which they run."""

_others = accounts.alias("others")
_NUMBER = sa.select(sa.func.coalesce(sa.func.max(_others.c.erased), _ZERO) + _ONE).scalar_subquery()
_TOMBSTONE = sa.literal_column(f"'{TOMBSTONE}'", sa.Text) + sa.cast(_NUMBER, sa.Text)


def _give_up(account: sa.ColumnElement[str], amount: sa.ColumnElement[int]) -> Statement:
    """One of the two rows by which all points of `name_` go back to the bank."""
    points = sa.func.sum(ledger.c.amount)
    return Statement(
        clause=ledger.insert().from_select(
            _COLUMNS,
            sa.select(given("at_", type_=sa.Double), account, sa.null(), amount, _word(ERASE))
            .select_from(ledger)
            .where(ledger.c.account == given("name_"))
            .group_by(ledger.c.account)
            .having(points != _ZERO),
        ),
        wanted=None,
    )


def _still_plays() -> sa.ColumnElement[bool]:
    return sa.or_(
        *(
            sa.exists().where(name == given("name_"), matches.c.touched.is_(None))
            for name in (matches.c.name_o, matches.c.name_x)
        )
    )


ERASURE = (
    _give_up(_word(BANK), sa.func.sum(ledger.c.amount)),
    _give_up(given("name_", type_=sa.Text), -sa.func.sum(ledger.c.amount)),
    # Before the account: afterwards the number would be the next one's.
    *_call_otherwise(_TOMBSTONE),
    Statement(
        clause=messages.delete().where(
            sa.or_(messages.c.recipient == given("name_"), messages.c.sender == given("name_"))
        ),
        wanted=None,
    ),
    Statement(clause=bans.delete().where(bans.c.name == given("name_")), wanted=None),
    Statement(
        clause=accounts.update()
        .where(_NAME, sa.not_(_still_plays()))
        .values(
            name=_TOMBSTONE,
            key=_TOMBSTONE,
            erased=_NUMBER,
            password_hash=_NOTHING,
            settings=given("settings_"),
            rights=_NOTHING,
            last_login=sa.null(),
            last_host=sa.null(),
            last_logout=sa.null(),
            muted_until=sa.null(),
            recovery_hash=sa.null(),
        ),
        wanted="account without unfinished matches",
    ),
)
"""Statements that erase one account, in the order in which they run."""

FIND_SETTINGS = Statement(
    # An escape that no name has: PostgreSQL would take the backslashes of JSON for its own.
    clause=sa.select(accounts.c.name, accounts.c.settings).where(
        accounts.c.settings.like(given("pattern_"), escape="!")
    ),
    wanted=None,
)

REVERSAL = (REOPEN, CUT_JOURNAL, DROP_HISTORY)
"""Statements that make a settled match one that can be played on, in the order in which they run."""

ALL = (
    *ORDER,
    RECOVER,
    DROP_BAN,
    DROP_TEXT,
    ADD_TEXT,
    GIVE,
    TAKE,
    *OPEN,
    *REVERSAL,
    SET_BACK,
    *RENAME,
    *ERASURE,
    FIND_SETTINGS,
)
"""Every statement there is."""
