"""One data folder for all tests that only look, a client for it, and a browser."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource
from playwright.sync_api import Browser
from starlette.testclient import TestClient

from tests.pages.browser import Visit, chromium, served, visit
from tests.pages.folders import make


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def client(folder: Path) -> Iterator[TestClient]:
    with closing(DataFolderSource(folder)) as source:
        yield TestClient(site(source), backend="trio", raise_server_exceptions=False)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with served(folder) as found:
        yield found


@pytest.fixture
def window(browser: Browser) -> Iterator[Visit]:
    with visit(browser) as found:
        yield found
        assert found.said == []
