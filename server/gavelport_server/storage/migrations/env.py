"""What alembic runs around the migrations; the connection, in a transaction already, comes from `migrate.py`."""

from __future__ import annotations

from alembic import context

from gavelport_server.storage.schema import metadata

# One transaction holds the whole upgrade, the caller's; SQLite takes part in it like PostgreSQL.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
