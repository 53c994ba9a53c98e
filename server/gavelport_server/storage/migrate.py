"""Brings a database to the schema of today, or refuses one from tomorrow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.schema import HEAD

if TYPE_CHECKING:
    from sqlalchemy import Connection

MIGRATIONS = Path(__file__).with_name("migrations")


def schema_version(connection: Connection, where: str) -> str | None:
    """Return the schema's number, or None for a database without any table.

    A plain query, as alembic takes long to import. Raises StoreError for tables that are not Gavelport's.
    """
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    versions = (
        connection.scalars(text("SELECT version_num FROM alembic_version")).all() if "alembic_version" in tables else []
    )
    if len(versions) != 1 or not versions[0].isdecimal():
        raise StoreError(f"{where} is a database, but not one of Gavelport (no schema number in it); use another one")
    return str(versions[0])


def is_current(connection: Connection, where: str) -> bool:
    """Return whether the schema is that of today. Raises StoreError where it is newer."""
    version = schema_version(connection, where)
    if version is not None and int(version) > int(HEAD):
        raise StoreError(
            f"{where} was written by a newer Gavelport (schema {version}; this one knows up to {HEAD}); "
            "upgrade gavelport, or use another database"
        )
    return version == HEAD


def upgrade(connection: Connection) -> None:
    """Run the missing migrations, all in the connection's transaction."""
    from alembic import command  # noqa: PLC0415  slow to import, and needed once in a database's life
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
