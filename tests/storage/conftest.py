"""The stores that are held to the same tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.storage.sql import SqlStore

AnyStore = MemoryStore | SqlStore

STORES: dict[str, Callable[[Path], AnyStore]] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda folder: SqlStore.in_folder(folder, create=True),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyStore]:
    opened = STORES[request.param](tmp_path / "data")
    yield opened
    opened.close()
