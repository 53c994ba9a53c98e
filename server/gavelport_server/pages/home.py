"""The first page: what is played here, who leads, what happened last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_server.pages.matchlist import rows_of
from gavelport_server.pages.rendering import page
from gavelport_server.pages.standings import leading
from gavelport_server.storage.store import ResultFilter

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from gavelport_server.pages.shelf import Shelf

SHOWN, LEADERS = 4, 5
LATEST = 8


def home(request: Request, shelf: Shelf) -> Response:
    """Return the first page."""
    competitions = sorted(shelf.competitions(), key=lambda one: not one.is_ladder)[:SHOWN]
    accounts = shelf.source.accounts()
    shown = [(one, leading(one, accounts)[:LEADERS]) for one in competitions]
    latest = shelf.source.find_results(ResultFilter(with_unrated=True), limit=LATEST)
    return page(request, "home.html", competitions=shown, latest=rows_of(shelf, latest))
