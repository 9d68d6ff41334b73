"""What Alembic runs for each command; `fibsd.storage.schema` gives it the connection."""

from alembic import context

from fibsd.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite cannot change a column in place: Alembic then rebuilds the table.
    render_as_batch=True,
    # All versions in the caller's transaction: an upgrade that breaks off changes nothing.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
