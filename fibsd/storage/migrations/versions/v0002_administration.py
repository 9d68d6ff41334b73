"""Mutes, bans, the audit, texts; accounts that can be renamed and erased."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


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
        sa.Column("name", TEXT),
        sa.Column("network", TEXT),
        sa.Column("until", sa.Double),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("by", TEXT, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bans"),
        sa.ForeignKeyConstraint(["name"], ["accounts.name"], name="fk_bans_name", onupdate="CASCADE"),
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("by", TEXT, nullable=False),
        sa.Column("act", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("details", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )


def _texts() -> None:
    op.create_table(
        "texts",
        sa.Column("key", TEXT, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_texts"),
    )
