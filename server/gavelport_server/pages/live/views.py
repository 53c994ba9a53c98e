"""The pages of running matches: the list of them, one match, and the streams by which they move."""

from __future__ import annotations

from http import HTTPStatus
from itertools import groupby
from typing import TYPE_CHECKING

import trio
from starlette.responses import Response
from starlette.routing import Route

from gavelport_server.pages import matches
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.live.channel import EventStream
from gavelport_server.pages.live.hall import FullError
from gavelport_server.pages.rendering import page, rendered
from gavelport_server.pages.shield import error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from gavelport_server.conduct.ladder.listing import RunningMatch
    from gavelport_server.pages.live.hall import Hall, LiveMatch
    from gavelport_server.pages.replays import Replays
    from gavelport_server.pages.shelf import Shelf

NO_STORE = {"cache-control": "no-store"}
LATER_S = 30
"""After so long it is worth asking again, where too many matches are looked at."""
FULL = "too many matches are watched just now"


def list_as_text(rows: Sequence[RunningMatch]) -> str:
    """Return the list of running matches as HTML, by ladder."""
    return rendered("running.html", groups=_by_ladder(rows))


def _by_ladder(rows: Sequence[RunningMatch]) -> list[tuple[str, list[RunningMatch]]]:
    ordered = sorted(rows, key=lambda one: one.ladder)
    return [(name, list(group)) for name, group in groupby(ordered, lambda one: one.ladder)]


def routes(hall: Hall, shelf: Shelf, replays: Replays) -> list[Route]:
    """Return the routes, among them that of all matches' pages."""

    async def live_list(request: Request) -> Response:
        answer = page(request, "live.html", groups=_by_ladder(await hall.rows()))
        answer.headers.update(NO_STORE)
        return answer

    async def live_list_stream(request: Request) -> Response:
        await hall.rows()
        return EventStream(hall.list)

    async def match_page(request: Request) -> Response:
        try:
            found = await hall.match(request.path_params["match"])
        except FullError:
            text = f"This one cannot be watched as well. Try again in {LATER_S} s, or see its replay when it has ended."
            raise PageError(HTTPStatus.SERVICE_UNAVAILABLE, FULL, text, LATER_S) from None
        if found is None or found.over is not None:
            try:
                return await trio.to_thread.run_sync(matches.match_page, request, shelf, replays)
            except PageError as problem:
                if found is None or problem.status is not HTTPStatus.NOT_FOUND:
                    raise
                # It has ended just now, and its replay is being kept.
        answer = _live_page(request, found, hall)
        answer.headers.update(NO_STORE)
        return answer

    async def match_stream(request: Request) -> Response:
        try:
            found = await hall.match(request.path_params["match"])
        except FullError:
            text = f"{FULL}; try again in {LATER_S} s, or see its replay when it has ended"
            return error(HTTPStatus.SERVICE_UNAVAILABLE, text, {"retry-after": str(LATER_S)})
        return Response(status_code=204) if found is None else EventStream(found.channel)

    return [
        Route("/live", live_list),
        Route("/live/stream", live_list_stream),
        Route("/matches/{match}", match_page),
        Route("/matches/{match}/stream", match_stream),
    ]


def _live_page(request: Request, match: LiveMatch, hall: Hall) -> Response:
    scene = match.scene
    assert scene is not None
    row = next((one for one in hall.running if one.match_id == match.match_id), None)
    return page(
        request,
        "live_match.html",
        scene=scene,
        row=row,
        options=scene.game.options_to_notation(scene.options),
    )
