"""Mutes, bans, the audit, texts; accounts that can be renamed and erased."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From '0001'."""
    op.add_column("accounts", sa.Column("muted_until", sa.Double))
    op.add_column("accounts", sa.Column("erased", sa.Integer))
    _let_follow("matches", "name_o", "name_x")
    _let_follow("rating_history", "name")
    _let_follow("messages", "recipient")
    _bans()
    _audit()
    _texts()


def _let_follow(table: str, *columns: str) -> None:
    """These references to accounts from now on follow them to another name; SQLite makes the table anew for that."""
    with op.batch_alter_table(table) as batch:
        for column in columns:
            name = f"fk_{table}_{column}"
            batch.drop_constraint(name, type_="foreignkey")
            batch.create_foreign_key(name, "accounts", [column], ["name"], onupdate="CASCADE")


def _bans() -> None:
    op.create_table(
        "bans",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("name", sa.Text),
        sa.Column("network", sa.Text),
        sa.Column("until", sa.Double),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bans"),
        sa.ForeignKeyConstraint(["name"], ["accounts.name"], name="fk_bans_name", onupdate="CASCADE"),
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("act", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )


def _texts() -> None:
    op.create_table(
        "texts",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_texts"),
    )
