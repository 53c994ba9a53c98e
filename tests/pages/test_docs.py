"""The documents as pages: all are listed, in words, and lead to one another."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import pytest
from gavelport_server import shipped
from gavelport_server.pages import docs
from gavelport_server.pages.site import site
from gavelport_server.pages.source import StoreSource
from gavelport_server.storage.memory import MemoryStore
from starlette.testclient import TestClient

NAMES = sorted(path.relative_to(shipped.docs()).with_suffix("").as_posix() for path in shipped.docs().rglob("*.md"))


@pytest.fixture
def visitor(tmp_path: Path) -> TestClient:
    return TestClient(site(StoreSource(MemoryStore(), tmp_path)), backend="trio")


def test_every_document_is_listed_with_what_it_is_about(visitor: TestClient) -> None:
    html = visitor.get("/docs").text
    listed = dict(re.findall(r'<a href="/docs/([^"]+)">[^<]+</a>(?:<p class="s ink2">([^<]*)</p>)?', html))
    assert sorted(listed) == NAMES
    assert all(20 < len(opening) < 200 for name, opening in listed.items() if not name.startswith("rules/")), listed
    assert listed["ladder"] == "A tournament ends; a ladder goes on."


def test_the_api_is_described_where_it_is_served(visitor: TestClient) -> None:
    link = 'href="/api/v1/openapi.json"'
    assert link not in visitor.get("/docs").text
    visitor.app.state.is_served = True  # type: ignore[attr-defined]
    assert link in visitor.get("/docs").text


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_a_page_and_its_links_stay_here(visitor: TestClient, name: str) -> None:
    answer = visitor.get(f"/docs/{name}")
    assert answer.status_code == 200
    for target in set(re.findall(r'href="(/docs[^"#]*)', answer.text)):
        assert visitor.get(target).status_code == 200, target
    assert escape(docs.document(name).title) in answer.text
