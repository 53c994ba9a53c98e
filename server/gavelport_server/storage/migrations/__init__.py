"""Alembic's folder: the database's way from nothing to the schema of today."""
