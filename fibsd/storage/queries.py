"""What the store is asked: statements built once, and functions that run in a reader's thread."""

import sqlalchemy as sa
from sqlalchemy import bindparam as given

from fibsd.storage import codec
from fibsd.storage.reading import Reading, Row
from fibsd.storage.store import Arrival, Counts, NextIds, Ranked, Settlement, StoreError
from fibsd.storage.tables import accounts, audit, bans, journal, ledger, matches, messages, rating_history, rolls, texts
from fibsd.world.account import Account
from fibsd.world.changes import Audit, Ban, MatchRow, Message
from fibsd.world.ids import MatchId, UserName
from fibsd.world.points import ENDS

_NEXT_MATCH = sa.select(sa.func.coalesce(sa.func.max(matches.c.id), 0) + 1)
_NEXT_MESSAGE = sa.select(sa.func.coalesce(sa.func.max(messages.c.id), 0) + 1)
_NEXT_BAN = sa.select(sa.func.coalesce(sa.func.max(bans.c.id), 0) + 1)

_IS_SOMEBODY = accounts.c.erased.is_(None)
_ACCOUNTS = sa.select(accounts).where(_IS_SOMEBODY).order_by(accounts.c.key)
_ACCOUNT = sa.select(accounts).where(_IS_SOMEBODY, accounts.c.key == given("key_"))

_NEWEST = (
    sa.select(journal.c.at)
    .where(journal.c.match_id == matches.c.id)
    .order_by(journal.c.seq.desc())
    .limit(1)
    .scalar_subquery()
)
_PLAYED = sa.func.coalesce(matches.c.touched, _NEWEST, matches.c.started)
_TOUCHED = sa.case((matches.c.reopened > _PLAYED, matches.c.reopened), else_=_PLAYED)
_MATCH = sa.select(matches, _TOUCHED.label("newest"))
_JOURNAL = sa.select(journal.c.seq, journal.c.entry).where(journal.c.match_id == given("match")).order_by(journal.c.seq)
_ONE_MATCH = _MATCH.where(matches.c.id == given("match"))
_SIDES = (matches.c.name_o, matches.c.name_x)
# `touched` and not `finished`: the indexes have it. Each side by itself: both indexes serve.
_UNFINISHED = tuple(_MATCH.where(name == given("name"), matches.c.touched.is_(None)) for name in _SIDES)
_UNTOUCHED = (
    _MATCH.where(matches.c.id > given("after"), matches.c.touched.is_(None), given("since") > _TOUCHED)
    .order_by(matches.c.id)
    .limit(given("many"))
)
_LAST_FINISHED = tuple(
    _MATCH.where(name == given("name"), matches.c.touched.is_not(None))
    .order_by(matches.c.touched.desc(), matches.c.id.desc())
    .limit(1)
    for name in _SIDES
)

_MESSAGES = sa.select(messages).where(messages.c.recipient == given("name")).order_by(messages.c.id)

_RATED = sa.select(accounts.c.name, accounts.c.rating, accounts.c.experience)
_IS_RANKED = sa.and_(_IS_SOMEBODY, accounts.c.experience >= given("experience"))
_RANKING = (
    _RATED.where(_IS_RANKED)
    .order_by(accounts.c.rating.desc(), accounts.c.key)
    .limit(given("many"))
    .offset(given("before"))
)
_OWN_RANK = _RATED.where(_IS_SOMEBODY, accounts.c.name == given("name"))
_BETTER = (
    sa.select(sa.func.count())
    .select_from(accounts)
    .where(
        _IS_RANKED,
        sa.or_(
            accounts.c.rating > given("rating"),
            sa.and_(accounts.c.rating == given("rating"), accounts.c.key < given("key_")),
        ),
    )
)

_COUNT_ACCOUNTS = sa.select(sa.func.count()).select_from(accounts).where(_IS_SOMEBODY)
_COUNT_SAVED = sa.select(sa.func.count()).select_from(matches).where(matches.c.finished.is_(None))
_COUNT_FINISHED = sa.select(sa.func.count()).select_from(matches).where(matches.c.finished.is_not(None))
_ROLLS = sa.select(rolls).where(rolls.c.times > 0).order_by(rolls.c.first, rolls.c.second)

_BALANCE = sa.select(sa.func.sum(ledger.c.amount).label("points")).where(ledger.c.account == given("account"))
_NET = sa.func.sum(ledger.c.amount)
# Our own words, and not as parameters: their number would be known only when the statement is run.
_ENDS = [sa.literal_column(f"'{word}'", sa.Text) for word in sorted(ENDS)]
_ENDED = (
    sa.select(ledger.c.account, _NET.label("net"))
    .where(ledger.c.match_id == given("match"), ledger.c.reason.in_(_ENDS))
    .group_by(ledger.c.account)
    .having(_NET != 0)
    .order_by(ledger.c.account)
)
_BOOKED = (
    sa.select(rating_history, matches.c.length)
    .join(matches, matches.c.id == rating_history.c.match_id)
    .where(rating_history.c.match_id == given("match"))
    .order_by(rating_history.c.name)
)

_BANS = sa.select(bans).order_by(bans.c.id)
_AUDITS = sa.select(audit).order_by(audit.c.id.desc()).limit(given("many"))
_TEXT = sa.select(texts).where(texts.c.key == given("key_"))


def next_ids(reading: Reading) -> NextIds:
    """See `Store.next_ids`."""
    return NextIds(
        match=reading.number(_NEXT_MATCH),
        message=reading.number(_NEXT_MESSAGE),
        ban=reading.number(_NEXT_BAN),
    )


def account(reading: Reading, name: str) -> Account | None:
    """See `Store.account`; there is only one account for a name in whatever letter case."""
    for row in reading.rows(_ACCOUNT, key_=name.lower()):
        return codec.account(row)
    return None


def all_accounts(reading: Reading) -> tuple[Account, ...]:
    """See `Store.accounts`."""
    return tuple(codec.account(row) for row in reading.rows(_ACCOUNTS))


def arrival(reading: Reading, name: str) -> Arrival | None:
    """See `Store.arrival`."""
    found = account(reading, name)
    if found is None:
        return None
    saved: tuple[MatchRow, ...] = ()
    fault = None
    try:
        saved = unfinished(reading, found.name)
    except StoreError as error:
        fault = error
    return Arrival(
        account=found,
        unfinished=saved,
        fault=fault,
        messages=messages_for(reading, found.name),
        points=balance(reading, found.name),
    )


def unfinished(reading: Reading, name: UserName) -> tuple[MatchRow, ...]:
    """See `Store.unfinished`."""
    rows = _unfinished_rows(reading, name)
    rows.sort(key=lambda row: (row["started"], row["id"]))
    return tuple(_with_journal(reading, row) for row in rows)


def last_match(reading: Reading, name: UserName) -> MatchRow | None:
    """See `Store.last_match`."""
    rows = _unfinished_rows(reading, name)
    for statement in _LAST_FINISHED:
        rows += reading.rows(statement, name=name)
    if not rows:
        return None
    return _with_journal(reading, max(rows, key=lambda row: (row["newest"], row["id"])))


def match(reading: Reading, match_id: MatchId) -> MatchRow | None:
    """See `Store.match`."""
    for row in reading.rows(_ONE_MATCH, match=match_id):
        return _with_journal(reading, row)
    return None


def untouched(reading: Reading, since: float, after: int, most: int) -> tuple[MatchRow, ...]:
    """See `Store.untouched`."""
    rows = reading.rows(_UNTOUCHED, since=since, after=after, many=most)
    return tuple(_with_journal(reading, row) for row in rows)


def balance(reading: Reading, account: str) -> int | None:
    """See `Store.balance`."""
    (row,) = reading.rows(_BALANCE, account=account)
    found = row["points"]
    # PostgreSQL adds up in a type of its own.
    return None if found is None else int(found)


def settlement(reading: Reading, match_id: MatchId) -> Settlement:
    """See `Store.settlement`."""
    return Settlement(
        ratings=tuple(codec.booked(row) for row in reading.rows(_BOOKED, match=match_id)),
        points=tuple((row["account"], int(row["net"])) for row in reading.rows(_ENDED, match=match_id)),
    )


def _unfinished_rows(reading: Reading, name: UserName) -> list[Row]:
    return [row for statement in _UNFINISHED for row in reading.rows(statement, name=name)]


def _with_journal(reading: Reading, row: Row) -> MatchRow:
    entries = [(entry["seq"], entry["entry"]) for entry in reading.rows(_JOURNAL, match=row["id"])]
    return codec.match(row, entries)


def messages_for(reading: Reading, name: UserName) -> tuple[Message, ...]:
    """See `Store.messages`."""
    return tuple(codec.message(row) for row in reading.rows(_MESSAGES, name=name))


def ranking(reading: Reading, first: int, last: int, min_experience: int) -> tuple[Ranked, ...]:
    """See `Store.ranking`; equal ratings are in the order of the names."""
    first = max(first, 1)
    many = max(last - first + 1, 0)
    rows = reading.rows(_RANKING, experience=min_experience, many=many, before=first - 1)
    return tuple(codec.ranked(row, rank) for rank, row in enumerate(rows, start=first))


def rank(reading: Reading, name: UserName, min_experience: int) -> Ranked | None:
    """See `Store.rank`."""
    for row in reading.rows(_OWN_RANK, name=name):
        own = codec.ranked(row, None)
        if own.experience < min_experience:
            return own
        better = reading.number(_BETTER, experience=min_experience, rating=own.rating, key_=own.name.lower())
        return codec.ranked(row, better + 1)
    return None


def counts(reading: Reading) -> Counts:
    """See `Store.counts`."""
    return Counts(
        accounts=reading.number(_COUNT_ACCOUNTS),
        saved_matches=reading.number(_COUNT_SAVED),
        finished_matches=reading.number(_COUNT_FINISHED),
    )


def all_bans(reading: Reading) -> tuple[Ban, ...]:
    """See `Store.bans`."""
    return tuple(codec.ban(row) for row in reading.rows(_BANS))


def audits(reading: Reading, last: int) -> tuple[Audit, ...]:
    """See `Store.audits`."""
    return tuple(codec.audit(row) for row in reversed(reading.rows(_AUDITS, many=max(last, 0))))


def text(reading: Reading, key: str) -> str | None:
    """See `Store.text`."""
    for row in reading.rows(_TEXT, key_=key):
        return codec.text(row)
    return None


def all_rolls(reading: Reading) -> tuple[tuple[int, int, int], ...]:
    """See `Store.rolls`."""
    return tuple((row["first"], row["second"], row["times"]) for row in reading.rows(_ROLLS))
