"""docs/http-api.md lists what there is, and its examples are answered."""

from __future__ import annotations

import json
import re
import shlex
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import trio
from gavelport_server.pages.api import routes
from gavelport_server.pages.endpoints import ENDPOINTS, PREFIX, request_fields
from gavelport_server.pages.server import serve_http
from gavelport_server.pages.shield import Shield
from starlette.routing import Router

from tests.architecture.sources import ROOT
from tests.serve.test_openapi import house_with_matches

DOCUMENT = (ROOT / "docs/http-api.md").read_text("utf-8")


def listed(document: str) -> dict[str, tuple[str, set[str]]]:
    """Return by path what it is, and what may be asked with it."""
    rows = re.findall(r"^\| `(/[^`]*)` \| (.*?) \| ?(.*?) ?\|$", document, re.MULTILINE)
    return {path: (what, set(re.findall(r"`(\w+)`", parameters))) for path, what, parameters in rows}


def there() -> dict[str, tuple[str, set[str]]]:
    return {
        one.path: (
            one.what,
            {name for name, _ in request_fields(one)} - set(re.findall(r"{(\w+)}", one.path)),
        )
        for one in ENDPOINTS
    }


async def said(url: str) -> dict[str, Any]:
    """Return the JSON at an address, an error's too."""

    def ask() -> Any:
        try:
            with urllib.request.urlopen(url, timeout=20) as response:
                return json.load(response)
        except HTTPError as error:
            return json.load(error)

    told: dict[str, Any] = await trio.to_thread.run_sync(ask)
    return told


def test_every_path_is_listed_with_its_parameters() -> None:
    assert listed(DOCUMENT) == there()
    assert listed(DOCUMENT.replace(", `with_unrated`", "")) != there()


async def test_examples_are_answered(tmp_path: Path) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", DOCUMENT, re.DOTALL)
    house = house_with_matches(tmp_path)
    told: list[dict[str, Any]] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.gate.run)
        url = await nursery.start(serve_http, Shield(Router(routes(house.desks.by_name))), "127.0.0.1:0")
        for line in block.splitlines():
            *command, address = shlex.split(line)
            assert command == ["curl", "-s"]
            asked = address.replace("localhost:7879", url).replace("bot=trader", "bot=ant")
            told.append(await said(asked))
        nursery.cancel_scope.cancel()
    ladders, standings, matches = told
    assert [one["name"] for one in ladders["ladders"]] == ["main"]
    assert [one["bot"] for one in standings["standings"]] == ["cow", "bee", "ant"]
    assert len(matches["matches"]) == 3
    assert PREFIX in block


async def test_the_error_that_is_shown_is_the_one_that_comes(tmp_path: Path) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", DOCUMENT, re.DOTALL)
    house = house_with_matches(tmp_path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.gate.run)
        url = await nursery.start(serve_http, Shield(Router(routes(house.desks.by_name))), "127.0.0.1:0")
        told = await said(f"{url}{PREFIX}/ladders/main/standings?limit=-1")
        nursery.cancel_scope.cancel()
    assert told == json.loads(block)
