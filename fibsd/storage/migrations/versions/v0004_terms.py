"""Matches on terms that FIBS does not have, play points, and matches that are settled."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """From '0003'."""
    op.add_column("matches", sa.Column("terms", TEXT, nullable=False, server_default=""))
    op.add_column("matches", sa.Column("settled", sa.Integer))
    op.add_column("matches", sa.Column("reopened", sa.Double))
    op.create_table(
        "ledger",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("account", TEXT, nullable=False),
        sa.Column("match_id", sa.Integer),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ledger"),
    )
    op.create_index("ix_ledger_match_id", "ledger", ["match_id"])
    op.create_index("ix_ledger_account", "ledger", ["account", "amount"])
    first = sa.text("reason = 'start' AND amount > 0")
    op.create_index("ix_ledger_start", "ledger", ["account"], unique=True, sqlite_where=first, postgresql_where=first)
