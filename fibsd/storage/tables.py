"""The tables, in terms that SQLite and PostgreSQL both understand.

Times are Unix seconds. A change here needs a new version in `migrations/versions` and a new `schema.HEAD`.
"""

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


# In PostgreSQL compared byte by byte, as SQLite does: lists have the same order, and an index outlives a new
# version of the system's locales.
_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _user() -> sa.ForeignKey:
    """A reference to an account, which follows it to another name."""
    return sa.ForeignKey("accounts.name", onupdate="CASCADE")


accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("name", _TEXT, primary_key=True),
    # The name in lower case: two accounts may not differ by letter case alone.
    sa.Column("key", _TEXT, nullable=False, unique=True),
    sa.Column("password_hash", _TEXT, nullable=False),
    sa.Column("rating", sa.Double, nullable=False, index=True),
    sa.Column("experience", sa.Integer, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("last_login", sa.Double),
    sa.Column("last_host", _TEXT),
    sa.Column("last_logout", sa.Double),
    # One JSON object, see `codec`.
    sa.Column("settings", _TEXT, nullable=False),
    # Words with a space between.
    sa.Column("rights", _TEXT, nullable=False),
    sa.Column("muted_until", sa.Double),
    # NULL, or the number in the name of an account that was erased: it stays because finished matches refer to it.
    sa.Column("erased", sa.Integer),
    # NULL while there is no recovery code.
    sa.Column("recovery_hash", _TEXT),
)

matches = sa.Table(
    "matches",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    # Who had which colour in the first game.
    sa.Column("name_o", _TEXT, _user(), nullable=False),
    sa.Column("name_x", _TEXT, _user(), nullable=False),
    # NULL: unlimited.
    sa.Column("length", sa.Integer),
    sa.Column("crawford", sa.Boolean, nullable=False),
    sa.Column("redoubles", sa.Integer, nullable=False),
    sa.Column("autodoubles", sa.Integer, nullable=False),
    sa.Column("started", sa.Double, nullable=False),
    # NULL while it can still be played.
    sa.Column("finished", sa.Double),
    # The time of the newest entry, written when the match is finished and NULL until then: the journal knows
    # it, and a second write with every entry would only repeat it. So it tells the indexes what is saved.
    sa.Column("touched", sa.Double),
    sa.Column("left_by", _TEXT),
    # A name, not a colour: colours change from game to game.
    sa.Column("winner", _TEXT),
    # Points of `name_o` and `name_x`, whatever colour they had in the last game.
    sa.Column("score_o", sa.Integer),
    sa.Column("score_x", sa.Integer),
    # Words of the terms that FIBS does not have, as they are typed; empty for most matches.
    sa.Column("terms", _TEXT, nullable=False, server_default=""),
    # How many entries the journal had when the match was settled; NULL for one that is or was played to its end.
    sa.Column("settled", sa.Integer),
    # When its settlement was reversed last.
    sa.Column("reopened", sa.Double),
    sa.Index("ix_matches_name_o", "name_o", "touched"),
    sa.Index("ix_matches_name_x", "name_x", "touched"),
)

journal = sa.Table(
    "journal",
    metadata,
    sa.Column("match_id", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True, autoincrement=False),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("entry", _TEXT, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    # One tree instead of a table and its index: half the pages to write for an entry.
    sqlite_with_rowid=False,
)

rating_history = sa.Table(
    "rating_history",
    metadata,
    sa.Column("match_id", sa.Integer, sa.ForeignKey("matches.id"), primary_key=True, autoincrement=False),
    sa.Column("name", _TEXT, _user(), primary_key=True),
    sa.Column("rating_before", sa.Double, nullable=False),
    sa.Column("rating_after", sa.Double, nullable=False),
    # After the match.
    sa.Column("experience", sa.Integer, nullable=False),
)

messages = sa.Table(
    "messages",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("recipient", _TEXT, _user(), nullable=False, index=True),
    sa.Column("sender", _TEXT, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("text", _TEXT, nullable=False),
)

ledger = sa.Table(
    "ledger",
    metadata,
    # Given by the database, in the order of writing.
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    # A user, or an account of the server or of a match, whose names no user can have: no reference.
    sa.Column("account", _TEXT, nullable=False),
    # No reference either: a match that is made void leaves no trace but this.
    sa.Column("match_id", sa.Integer, index=True),
    # Play points; the sum of all rows is 0.
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.Column("reason", _TEXT, nullable=False),
    sa.Index("ix_ledger_account", "account", "amount"),
    # Nobody gets his first points twice.
    sa.Index(
        "ix_ledger_start",
        "account",
        unique=True,
        sqlite_where=sa.text("reason = 'start' AND amount > 0"),
        postgresql_where=sa.text("reason = 'start' AND amount > 0"),
    ),
)

rolls = sa.Table(
    "rolls",
    metadata,
    sa.Column("first", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("second", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("times", sa.BigInteger, nullable=False),
)

bans = sa.Table(
    "bans",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    # One of the two.
    sa.Column("name", _TEXT, _user()),
    sa.Column("network", _TEXT),
    # NULL: for ever.
    sa.Column("until", sa.Double),
    sa.Column("reason", _TEXT, nullable=False),
    # No reference: it need not be an account.
    sa.Column("by", _TEXT, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)

audit = sa.Table(
    "audit",
    metadata,
    # Given by the database, in the order of writing.
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    # Names as they were then: a record is not rewritten.
    sa.Column("by", _TEXT, nullable=False),
    sa.Column("act", _TEXT, nullable=False),
    sa.Column("subject", _TEXT, nullable=False),
    sa.Column("details", _TEXT, nullable=False),
)

texts = sa.Table(
    "texts",
    metadata,
    sa.Column("key", _TEXT, primary_key=True),
    sa.Column("text", _TEXT, nullable=False),
)

ALL_ROLLS = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
"""The rows of `rolls`: a new schema has them all with 0 times, so counting is an update and nothing else."""
