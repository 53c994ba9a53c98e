"""The list of matches, the page of one with its replay, and the files that it is made of."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from gavelport_engine.registry import GAMES
from starlette.responses import Response

from gavelport_server.archive.export import jsonl
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.public import public_copy
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.figures import amount
from gavelport_server.pages.matchlist import row_of, rows_of
from gavelport_server.pages.rendering import page, unchanged
from gavelport_server.pages.tables.table import FULL
from gavelport_server.storage.store import ResultFilter

if TYPE_CHECKING:
    from starlette.requests import Request

    from gavelport_server.archive.record import Replay
    from gavelport_server.pages.replays import Replays
    from gavelport_server.pages.shelf import Shelf
    from gavelport_server.storage.store import Place

PAGE = 50
MOST_TEXT = 100
GIVEN = ("bot", "against", "of", "game", "beyond")
"""What the address of the list may ask for."""
UNCHANGING = "private, max-age=300"
"""A replay never changes, but whether it may be seen does, and so does the program that tells it."""


def match_list(request: Request, shelf: Shelf) -> Response:
    """Return the list of matches, latest first, with its filters."""
    given = {name: request.query_params.get(name, "").strip()[:MOST_TEXT] for name in GIVEN}
    wanted = ResultFilter(
        bot=given["bot"], against=given["against"], tournament=given["of"], game=given["game"], with_unrated=True
    )
    found = shelf.source.find_results(wanted, beyond=_place(given["beyond"]), limit=PAGE + 1)
    beyond = ""
    if len(found) > PAGE:
        found = found[:PAGE]
        beyond = " ".join(found[-1].place)
    return page(
        request,
        "matches.html",
        rows=rows_of(shelf, found),
        given=given,
        beyond=beyond,
        records=shelf.records(),
        games=sorted(GAMES),
    )


def _place(text: str) -> Place | None:
    """Return where a list goes on. Raises PageError for what is no place."""
    if not text:
        return None
    time, _, match_id = text.partition(" ")
    if not time or not match_id:
        raise PageError(HTTPStatus.BAD_REQUEST, "no such page", "Go back to the beginning of the list.")
    return time, match_id


@dataclass(frozen=True, slots=True)
class FinalSeat:
    """A seat in the head of a match's page."""

    seat: int
    bot: str
    version: str
    rank: int
    amount: str


def match_page(request: Request, shelf: Shelf, replays: Replays) -> Response:
    """Return the page of one match: the viewer, or its result alone while the replay is sealed."""
    match_id = request.path_params["match"]
    found = replays.result(match_id)
    if found is not None and shelf.source.is_sealed(found):
        return page(request, "sealed.html", match=row_of(found, is_sealed=True))
    replay = replays.replay(match_id)
    header, end = replay.header, replay.end
    final = [
        FinalSeat(seat, name.bot, name.version, end.ranks[seat], amount(end.totals[seat], header.game.total_unit))
        for seat, name in enumerate(header.seats)
    ]
    view = request.query_params.get("view", FULL)
    return page(
        request,
        "match.html",
        replay=replay,
        listed=None if found is None else row_of(found, is_sealed=False),
        found=found,
        options=header.game.options_to_notation(header.options),
        final=sorted(final, key=lambda one: (one.rank, one.seat)),
        view=view if view in (FULL, "spectator") or view.isdecimal() else FULL,
        decisions=len(replay.choices),
    )


def scene_json(request: Request, replays: Replays) -> Response:
    """Return what the viewer draws: a match for one pair of eyes."""
    packed = replays.packed(request.path_params["match"], request.query_params.get("view", FULL))
    headers = {"etag": packed.tag, "cache-control": UNCHANGING, "vary": "accept-encoding"}
    if answer := unchanged(request, packed.tag):
        return answer
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed.body), media_type="application/json", headers=headers)
    return Response(packed.body, media_type="application/json", headers={**headers, "content-encoding": "gzip"})


def replay_file(request: Request, replays: Replays) -> Response:
    """Return the replay's file, without what its bots noted for their owners."""
    match_id = request.path_params["match"]
    replays.replay(match_id)
    return _download(public_copy(replays.stored(match_id)), f"{match_id}.zst", "application/zstd")


def replay_lines(request: Request, replays: Replays) -> Response:
    """Return the replay in the notation, one record a line. Raises PageError where it is not true."""
    match_id = request.path_params["match"]
    replay: Replay = replays.replay(match_id)
    try:
        text = jsonl(replay)
    except Difference as difference:
        heading = "the stored replay is not true"
        raise PageError(HTTPStatus.INTERNAL_SERVER_ERROR, heading, f"{difference}.") from difference
    return _download(text.encode(), f"{match_id}.jsonl", "application/jsonl")


def _download(body: bytes, name: str, kind: str) -> Response:
    # A match id holds nothing that a header could not (`archive/files.py`).
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": UNCHANGING}
    return Response(body, media_type=kind, headers=headers)
