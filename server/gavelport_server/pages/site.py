"""All pages as one application: addresses, errors, files.

It is mounted at the root, behind whatever else the same port serves.
"""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeAlias

import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.pages import bots, docs, faults, home, matches, standings
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.live import views as live
from gavelport_server.pages.rendering import FOR_A_YEAR, STATIC, error_page, static
from gavelport_server.pages.replays import Replays
from gavelport_server.pages.shelf import Shelf
from gavelport_server.storage.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from gavelport_server.pages.live.hall import Hall
    from gavelport_server.pages.source import Source

    Handler: TypeAlias = Callable[[Request], Response]

_log = structlog.get_logger(__name__)
LEAST_PACKED = 600
"""Shorter answers are sent as they are."""


def routes(source: Source) -> list[BaseRoute]:
    """Return the pages over a source, as one mount at the root: to be the last of an application's routes."""
    return [Mount("/", app=site(source))]


def site(source: Source, hall: Hall | None = None, *, is_served: bool = False) -> Starlette:
    """Return the pages over a source as an application.

    Args:
        source: what they are made of.
        hall: has running matches; without, there are no pages of these.
        is_served: whether the API and the owners' form are served beside.
    """
    shelf, replays = Shelf(source), Replays(source)

    def curves(request: Request) -> Response:
        return JSONResponse(standings.curves_json(request, shelf))

    def bot_curves(request: Request) -> Response:
        return JSONResponse(bots.curves_json(request, shelf))

    pages: list[BaseRoute] = [
        Route("/", lambda request: home.home(request, shelf)),
        Route("/standings", lambda request: standings.standings_list(request, shelf)),
        Route("/bots", lambda request: bots.bot_list(request, shelf)),
        Route("/bots/{bot:path}/money", lambda request: bots.bot_money(request, shelf, replays)),
        Route("/bots/{bot:path}/faults", lambda request: faults.bot_faults(request, shelf, replays)),
        Route("/bots/{bot:path}/curves.json", bot_curves),
        Route("/bots/{bot:path}", lambda request: bots.bot_page(request, shelf)),
        Route("/matches", lambda request: matches.match_list(request, shelf)),
        Route("/matches/{match}", lambda request: matches.match_page(request, shelf, replays)),
        Route("/matches/{match}/scene.json", lambda request: matches.scene_json(request, replays)),
        Route("/matches/{match}/replay.zst", lambda request: matches.replay_file(request, replays)),
        Route("/matches/{match}/replay.jsonl", lambda request: matches.replay_lines(request, replays)),
        Route("/docs", docs.docs_list),
        Route("/docs/{name:path}", docs.docs_page),
        Route("/static/{name:path}", _file),
    ]
    for kind in ("ladders", "tournaments"):
        pages += [
            Route(f"/{kind}/{{key}}", lambda request: standings.competition_page(request, shelf)),
            Route(f"/{kind}/{{key}}/curves.json", curves),
        ]
    app = Starlette(
        routes=pages if hall is None else [*live.routes(hall, shelf, replays), *pages],
        middleware=[Middleware(GZipMiddleware, minimum_size=LEAST_PACKED, compresslevel=6)],
        exception_handlers={
            PageError: _answer_page_error,
            HTTPException: _answer_http_error,
            StoreError: _answer_unreachable,
            ArchiveError: _answer_unreachable,
            Exception: _answer_failure,
        },
    )
    app.state.live = hall is not None
    app.state.is_served = is_served
    app.state.shelf = shelf
    return app


@cache
def _files() -> frozenset[str]:
    return frozenset(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file())


def _file(request: Request) -> Response:
    """Return a file of `static/`; under its address with a version it never changes."""
    name = request.path_params["name"]
    if name not in _files():
        raise PageError.missing("no such file", "Pages have links to all files that there are.")
    current = static(name).partition("?v=")[2]
    is_current = request.query_params.get("v") == current
    return FileResponse(STATIC / name, headers={"cache-control": FOR_A_YEAR if is_current else "no-cache"})


def _answer_page_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, PageError)
    return error_page(request, error)


def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    if status is HTTPStatus.NOT_FOUND:
        return error_page(request, PageError.missing("no such page", "The link may be wrong, or of another server."))
    return error_page(request, PageError(status, status.phrase.lower(), "This cannot be asked here."))


def _answer_unreachable(request: Request, error: Exception) -> Response:
    """Say that data cannot be read; why is for the log, as it names places on the server."""
    _log.error("pages_without_data", path=request.url.path, error=str(error))
    text = "Try again in a while, or tell whoever runs this."
    return error_page(request, PageError(HTTPStatus.SERVICE_UNAVAILABLE, "the data cannot be read now", text))


def _answer_failure(request: Request, error: Exception) -> Response:
    """Say that something failed; whoever serves the pages gets the error itself, and logs it."""
    text = "It has been noted. Try another page, or this one again in a while."
    return error_page(request, PageError(HTTPStatus.INTERNAL_SERVER_ERROR, "the server failed", text))
