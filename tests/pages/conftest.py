"""One data folder for all tests that only look, and a client for it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource
from starlette.testclient import TestClient

from tests.pages.folders import make


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def client(folder: Path) -> Iterator[TestClient]:
    with closing(DataFolderSource(folder)) as source:
        yield TestClient(site(source), backend="trio", raise_server_exceptions=False)
