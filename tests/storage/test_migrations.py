"""The migrations lead to the schema that the statements are written for."""

import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from gavelport_server.storage import migrate, schema
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.sql import FILE, SqlStore
from sqlalchemy import Column, Connection, Integer, MetaData, Table, inspect

from tests.storage.build import result, schedule, tournament
from tests.storage.test_store import standings_of

OLD = Path(__file__).with_name("schema_0001.sql")
"""A database as the first schema's own program wrote it: seven results, and one that waits behind a gap."""


@pytest.fixture(params=["sqlite", "postgres"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a database is to be made, as `SqlStore` takes it."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return tmp_path / FILE


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / FILE
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD.read_text())
    return path


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump())


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


def test_migrations_make_what_the_schema_says(fresh: Path | str) -> None:
    store = SqlStore(fresh)
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


def test_a_migration_that_fails_leaves_nothing(fresh: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(connection: object) -> None:
        migrate.upgrade(connection)  # type: ignore[arg-type]
        raise StoreError("planted")

    with monkeypatch.context() as patched:
        patched.setattr("gavelport_server.storage.database.upgrade", half)
        with pytest.raises(StoreError, match="planted"):
            SqlStore(fresh)
        left: list[Connection] = []
        patched.setattr("gavelport_server.storage.database.upgrade", left.append)
        with closing(SqlStore(fresh)) as store, store._reading() as connection:
            assert len(left) == 1
            assert inspect(connection).get_table_names() == []
    store = SqlStore(fresh)
    assert list(store.tournaments()) == []
    store.close()


def test_an_old_database_is_upgraded_and_goes_on(old: Path) -> None:
    with closing(SqlStore(old)) as store:
        assert list(store.tournaments()) == [tournament()]
        assert list(store.results("t1")) == [*schedule(7), result(9)]
        assert list(store.standings("t1")) == standings_of(schedule(7), 4)
        assert store.add_result("t1", result(7))
        store.open_tournament(tournament("l1", kind="ladder"))
        assert store.append_result("l1", result(0, match_id="first"))
        assert store.claim("one") == 1
        assert store.members_revision() == 0
        assert differences(store, schema.metadata) == []
        store.check()


UPGRADE = """
import os, signal, sys
from pathlib import Path
from alembic import op
from gavelport_server.storage.sql import SqlStore

made = op.create_table

def create_table(name, *columns):
    if name == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
    return made(name, *columns)

op.create_table = create_table
SqlStore(Path(sys.argv[1]))
"""


def test_a_process_killed_inside_a_migration_leaves_the_old_schema(old: Path) -> None:
    before = dump(old)
    run = subprocess.run([sys.executable, "-c", UPGRADE, old, "serving"], check=False, timeout=60)
    assert run.returncode == -signal.SIGKILL
    assert dump(old) == before
    with closing(SqlStore(old)) as store:
        assert list(store.results("t1")) == [*schedule(7), result(9)]


def test_processes_that_open_a_new_database_at_once_make_it_once(fresh: Path | str) -> None:
    def opened(_: int) -> int:
        with closing(SqlStore(fresh)) as store:
            return store.members_revision()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(opened, range(4))) == [0] * 4


def test_an_open_database_is_opened_without_alembic(tmp_path: Path) -> None:
    SqlStore(tmp_path / FILE).close()

    def never(connection: object) -> None:
        raise AssertionError("a current schema needs no upgrade")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gavelport_server.storage.database.upgrade", never)
        SqlStore(tmp_path / FILE).close()
