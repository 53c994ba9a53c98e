"""As many matches as can be are watched: what is said of one more."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from gavelport_server.pages.live import hall
from gavelport_server.pages.rendering import POLICY
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource
from starlette.types import ASGIApp

from tests.pages.folders import report_of
from tests.pages.live import Stage, halls


async def test_one_match_more_than_can_be_watched_is_said_to_run(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(hall, "MOST_WATCHED", 1)
    watched = report_of("shipping", 1)
    other = replace(watched, setup=replace(watched.setup, match_id="other"))
    with closing(DataFolderSource(folder)) as source:
        async with halls(Stage(watched, other)) as lobby:
            app = site(source, lobby)
            assert (await got(app, "/matches/shipping-1"))[0] == 200
            status, headers, text = await got(app, "/matches/other")
            assert (status, headers["retry-after"]) == (503, "30")
            assert headers["content-security-policy"] == POLICY
            assert "<h1>Too many matches are watched just now</h1>" in text
            assert "see its replay when it has ended" in text
            status, headers, text = await got(app, "/matches/other/stream")
            assert (status, headers["retry-after"]) == (503, "30")
            assert "see its replay when it has ended" in json.loads(text)["message"]
            # What is over has its page, and what is not has none.
            assert (await got(app, "/matches/container-0"))[0] == 200
            status, _, text = await got(app, "/matches/nothing")
            assert (status, "<h1>No such match</h1>" in text) == (404, True)
            assert (await got(app, "/matches/nothing/stream"))[0] == 204


async def got(app: ASGIApp, path: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and text of an answer."""
    told: list[Any] = []

    async def receive() -> Any:
        await trio.sleep_forever()

    async def send(message: Any) -> None:
        told.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
    }
    await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in told[0]["headers"]}
    return told[0]["status"], headers, b"".join(one["body"] for one in told[1:]).decode()
