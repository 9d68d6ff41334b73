"""Accounts that are recovered by a code."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """From '0002'."""
    op.add_column("accounts", sa.Column("recovery_hash", TEXT))
