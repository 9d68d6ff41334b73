"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """From nothing."""
    _accounts()
    _matches()
    _journal()
    _rating_history()
    _messages()
    _rolls()


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("name", TEXT, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("password_hash", TEXT, nullable=False),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("experience", sa.Integer, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("last_login", sa.Double),
        sa.Column("last_host", TEXT),
        sa.Column("last_logout", sa.Double),
        sa.Column("settings", TEXT, nullable=False),
        sa.Column("rights", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_accounts"),
        sa.UniqueConstraint("key", name="uq_accounts_key"),
    )
    op.create_index("ix_accounts_rating", "accounts", ["rating"])


def _matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("name_o", TEXT, nullable=False),
        sa.Column("name_x", TEXT, nullable=False),
        sa.Column("length", sa.Integer),
        sa.Column("crawford", sa.Boolean, nullable=False),
        sa.Column("redoubles", sa.Integer, nullable=False),
        sa.Column("autodoubles", sa.Integer, nullable=False),
        sa.Column("started", sa.Double, nullable=False),
        sa.Column("finished", sa.Double),
        sa.Column("touched", sa.Double),
        sa.Column("left_by", TEXT),
        sa.Column("winner", TEXT),
        sa.Column("score_o", sa.Integer),
        sa.Column("score_x", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.ForeignKeyConstraint(["name_o"], ["accounts.name"], name="fk_matches_name_o"),
        sa.ForeignKeyConstraint(["name_x"], ["accounts.name"], name="fk_matches_name_x"),
    )
    op.create_index("ix_matches_name_o", "matches", ["name_o", "touched"])
    op.create_index("ix_matches_name_x", "matches", ["name_x", "touched"])


def _journal() -> None:
    op.create_table(
        "journal",
        sa.Column("match_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("seq", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("entry", TEXT, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seq", name="pk_journal"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_journal_match_id"),
        sqlite_with_rowid=False,
    )


def _rating_history() -> None:
    op.create_table(
        "rating_history",
        sa.Column("match_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("rating_before", sa.Double, nullable=False),
        sa.Column("rating_after", sa.Double, nullable=False),
        sa.Column("experience", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "name", name="pk_rating_history"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_rating_history_match_id"),
        sa.ForeignKeyConstraint(["name"], ["accounts.name"], name="fk_rating_history_name"),
    )


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("recipient", TEXT, nullable=False),
        sa.Column("sender", TEXT, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        sa.ForeignKeyConstraint(["recipient"], ["accounts.name"], name="fk_messages_recipient"),
    )
    op.create_index("ix_messages_recipient", "messages", ["recipient"])


def _rolls() -> None:
    rolls = op.create_table(
        "rolls",
        sa.Column("first", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("second", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("times", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("first", "second", name="pk_rolls"),
    )
    op.bulk_insert(
        rolls,
        [{"first": first, "second": second, "times": 0} for first in range(1, 7) for second in range(1, 7)],
    )
