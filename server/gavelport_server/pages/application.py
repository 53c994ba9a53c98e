"""All that is served by HTTP, as one application: health, metrics, JSON, and the pages."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from gavelport_server.pages import api, owners
from gavelport_server.pages.endpoints import PREFIX
from gavelport_server.pages.metrics import CONTENT_TYPE
from gavelport_server.pages.shield import Shield, error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from gavelport_server.lobby.door import Door
    from gavelport_server.pages.metrics import Metrics


class Health(Protocol):
    """Whoever knows whether the server is well."""

    def problems(self) -> Sequence[str]:
        """Return what is wrong, each in words; nothing while all is well."""
        ...

    def notices(self) -> Sequence[str]:
        """Return what should be known of a server that is well all the same, each in words."""
        ...


def application(
    desks: api.Desks, health: Health, metrics: Metrics, pages: Sequence[BaseRoute] = (), door: Door | None = None
) -> Shield:
    """Return the application.

    Args:
        desks: of the services whose answers the API gives.
        health: is asked by whoever looks at `/health`.
        metrics: are shown at `/metrics`.
        pages: further routes, for people.
        door: lets owners in; without, their form is not served.
    """

    async def well(_request: Request) -> Response:
        problems = list(health.problems())
        status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
        told = {"status": "failing" if problems else "ok", "problems": problems, "notices": list(health.notices())}
        return JSONResponse(told, status)

    async def figures(_request: Request) -> Response:
        return Response(metrics.text(), headers={"content-type": CONTENT_TYPE})

    async def nothing(request: Request) -> Response:
        return error(HTTPStatus.NOT_FOUND, f"there is nothing at this path; {PREFIX}/openapi.json lists the API")

    forms = [] if door is None else [owners.route(desks, door)]
    routes = [Route("/health", well), Route("/metrics", figures), *api.routes(desks), *forms, *pages]
    # No Starlette around it: that would answer failures itself, before the shield.
    router = Router([*routes, Route("/{rest:path}", nothing)])
    return Shield(router, forms=None if door is None else owners.FORMS, has_live=True)
