"""The migrations lead to the schema that the statements are written for."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from gavelport_server.storage import migrate, schema
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.sql import FILE, SqlStore
from sqlalchemy import Column, Integer, MetaData, Table


def differences(store: SqlStore, metadata: MetaData) -> list[object]:
    with store._reading() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_head_is_the_newest_migration_and_numbers_ascend() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_current_head() == schema.HEAD
    numbers = [script.revision for script in scripts.walk_revisions()]
    assert numbers == [f"{number:04}" for number in range(len(numbers), 0, -1)]


def test_migrations_make_what_the_schema_says(tmp_path: Path) -> None:
    store = SqlStore(tmp_path / FILE)
    assert differences(store, schema.metadata) == []
    store.close()


def test_a_forgotten_migration_is_caught(tmp_path: Path) -> None:
    store = SqlStore(tmp_path / FILE)
    planted = MetaData()
    for table in schema.metadata.tables.values():
        table.to_metadata(planted)
    planted.tables["result"].append_column(Column("planted", Integer))
    Table("planted", planted, Column("id", Integer, primary_key=True))
    assert {difference[0] for difference in differences(store, planted)} == {"add_column", "add_table"}  # type: ignore[index]
    store.close()


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(connection: object) -> None:
        migrate.upgrade(connection)  # type: ignore[arg-type]
        raise StoreError("planted")

    with monkeypatch.context() as patched:
        patched.setattr("gavelport_server.storage.database.upgrade", half)
        with pytest.raises(StoreError, match="planted"):
            SqlStore(tmp_path / FILE)
    store = SqlStore(tmp_path / FILE)
    assert list(store.tournaments()) == []
    store.close()


def test_an_open_database_is_opened_without_alembic(tmp_path: Path) -> None:
    SqlStore(tmp_path / FILE).close()

    def never(connection: object) -> None:
        raise AssertionError("a current schema needs no upgrade")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gavelport_server.storage.database.upgrade", never)
        SqlStore(tmp_path / FILE).close()
