"""Matches on terms that FIBS does not have."""

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
