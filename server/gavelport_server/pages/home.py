"""The first page: what is played here, who leads, what happened last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_server.pages.matchlist import rows_of
from gavelport_server.pages.rendering import page
from gavelport_server.pages.standings import leading
from gavelport_server.storage.store import ResultFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from gavelport_server.pages.shelf import Competition, Shelf
    from gavelport_server.storage.store import Kind

SHOWN, LEADERS = 4, 5
LATEST = 8
KINDS: tuple[Kind, ...] = ("ladder", "tournament", "practice")


def home(request: Request, shelf: Shelf) -> Response:
    """Return the first page."""
    accounts = shelf.source.accounts()
    shown = [(one, leading(one, accounts)[:LEADERS]) for one in _first(shelf.competitions())]
    latest = shelf.source.find_results(ResultFilter(with_unrated=True), limit=LATEST)
    return page(request, "home.html", competitions=shown, latest=rows_of(shelf, latest))


def _first(competitions: Sequence[Competition]) -> list[Competition]:
    """Return those for the first page: ladders before all else, and where something was played before the others."""
    worth = [one for one in competitions if one.matches or one.record.kind != "practice"]
    worth.sort(key=lambda one: (KINDS.index(one.record.kind), not one.matches))
    return worth[:SHOWN]
