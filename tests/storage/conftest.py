"""The stores that are held to the same tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from gavelport_server.storage import schema
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.sql import FILE, SqlStore
from sqlalchemy import delete, insert

from tests.postgres import postgres_schema

AnyStore = MemoryStore | SqlStore


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all tables; to make them for every test takes long."""
    path = tmp_path_factory.mktemp("empty") / FILE
    SqlStore(path).close()
    return path


@pytest.fixture(scope="session")
def shared_url() -> Iterator[str]:
    """The URL of a database of PostgreSQL with all tables, to be emptied before use."""
    with postgres_schema() as url:
        SqlStore(url).close()
        yield url


def emptied(url: str) -> str:
    store = SqlStore(url)
    with store._writing() as connection:
        for table in reversed(schema.metadata.sorted_tables):
            connection.execute(delete(table))
        connection.execute(insert(schema.members_revision).values(revision=0))
        connection.execute(insert(schema.serving).values(epoch=0, holder="", since=""))
    store.close()
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path) -> Path | str:
    """Where an empty SQL database is, as `SqlStore` takes it."""
    if request.param == "postgres":
        return emptied(request.getfixturevalue("shared_url"))
    return Path(shutil.copy(empty_file, tmp_path / FILE))


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path) -> Iterator[AnyStore]:
    """Each kind of store, empty."""
    opened: AnyStore
    if request.param == "memory":
        opened = MemoryStore()
    elif request.param == "postgres":
        opened = SqlStore(emptied(request.getfixturevalue("shared_url")))
    else:
        opened = SqlStore(Path(shutil.copy(empty_file, tmp_path / FILE)))
    yield opened
    opened.close()
