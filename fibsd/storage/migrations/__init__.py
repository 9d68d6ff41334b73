"""Alembic's environment: how a database of any older version becomes one of the newest."""
