"""What a bot's owner is told of its faults on a page, for a token that is sent in a form.

It is answered by the serving process, which has accounts and desks; the pages' process never sees a token. The token
opens this one answer: nothing keeps it, no cookie stands for it, and the answer must not be stored. It goes through the
door that calls of the services go through, whose limits hold here too.
"""

from __future__ import annotations

import re
import time
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

import trio
from gavelport.v1.lobby_pb2 import ListFaultsRequest
from google.protobuf.message import Message
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from gavelport_server.conduct.results import printable
from gavelport_server.lobby import mishaps
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.rendering import error_page, page
from gavelport_server.transport.link import ServiceError, StatusCode
from gavelport_server.transport.methods import method_name, method_taking, scopes_of
from gavelport_server.transport.services import REST, Call

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from gavelport_server.lobby.door import Door
    from gavelport_server.lobby.gate import Caller

M = TypeVar("M", bound=Message)
PATH = "/bots/{bot:path}/faults"
FORMS = re.compile(r"/bots/.+/faults")
"""Where forms are taken."""
MOST_FIELDS = 4
FORM_S = 10.0
"""So long a form may take to come; whoever sends a part of one would keep its connection for ever."""
NOT_STORED = {"cache-control": "no-store"}
_OPENS_NOTHING = PageError(
    HTTPStatus.FORBIDDEN,
    "this token does not open that",
    "What a bot saw and printed is told to its owner alone: with a token of the bot's own, or of its owner.",
)
"""One text for all that can be wrong with it, whether or not there is such a token, or such a bot."""
_KEPT_FROM = (StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED)
_STATUS = {
    StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
}


class AtDesks:
    """The services as their desks answer in this process, asked by one caller in a worker thread."""

    def __init__(self, desks: Mapping[str, object], caller: Caller) -> None:
        self._desks, self._caller = desks, caller

    def call(self, request: Message, response: type[M]) -> M:
        """Return the answer to a request. Raises ServiceError."""
        answer: M = self._asked(request)
        return answer

    def stream(self, request: Message, response: type[M]) -> Iterator[M]:
        """Yield the answers to a request, at the pace of its RPC (`REST`). Raises ServiceError."""
        answers: Iterator[M] = self._asked(request)
        while True:
            began = time.monotonic()
            answer = next(answers, None)
            if answer is None:
                return
            yield answer
            time.sleep(REST * (time.monotonic() - began))

    def _asked(self, request: Message) -> Any:
        method = method_taking(request)
        if self._caller.scope not in scopes_of(method):
            raise ServiceError(StatusCode.PERMISSION_DENIED, f"{method.name} takes no token of this scope")
        return getattr(self._desks[method.containing_service.name], method_name(method.name))(self._caller, request)


def route(desks: Mapping[str, object], door: Door) -> Route:
    """Return the route that takes the form."""
    threads = trio.CapacityLimiter(1)

    async def answer(request: Request) -> Response:
        bot = request.path_params["bot"]
        given = await _given(request)
        try:
            caller = await door.admit(_call(request, given.get("token", "").strip()))
            told = await trio.to_thread.run_sync(
                partial(_told, AtDesks(desks, caller), bot, given.get("match", "").strip()), limiter=threads
            )
        except ServiceError as problem:
            if problem.code in _KEPT_FROM:
                raise _OPENS_NOTHING from None
            status = _STATUS.get(problem.code, HTTPStatus.SERVICE_UNAVAILABLE)
            raise PageError(status, "nothing to be told", f"{problem.text}.") from None
        return page(request, "owner_faults.html", name=bot, **told)

    async def without_storing(request: Request) -> Response:
        try:
            response = await answer(request)
        except PageError as problem:
            response = error_page(request, problem)
        response.headers.update(NOT_STORED)
        return response

    # Its page asks the application what there is beside; errors pass through it to the shield.
    app = Starlette(routes=[Route(PATH, without_storing, methods=["POST"])])
    app.state.live = app.state.is_served = True
    return Route(PATH, app, methods=["POST"])


async def _given(request: Request) -> dict[str, str]:
    """Return what a form brings. Raises PageError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind != "application/x-www-form-urlencoded":
            raise ValueError(kind)
        with trio.fail_after(FORM_S):
            body = await request.body()
        if b"%00" in body or b"\0" in body:
            raise ValueError("NUL")
        return dict(parse_qsl(body.decode("ascii"), max_num_fields=MOST_FIELDS))
    except trio.TooSlowError:
        text = f"It has to be here within {FORM_S:g} s."
        raise PageError(HTTPStatus.REQUEST_TIMEOUT, "the form did not come", text) from None
    except (ValueError, ClientDisconnect):
        raise PageError(
            HTTPStatus.BAD_REQUEST, "this is no form of ours", "Go back to the bot's page, and send its form."
        ) from None


def _call(request: Request, token: str) -> Call:
    method = method_taking(ListFaultsRequest)
    host = request.client.host if request.client else ""
    return Call(method.name, scopes_of(method), f"Bearer {token}", host)


def _told(asked: mishaps.Asked, bot: str, match_id: str) -> dict[str, Any]:
    """Return what there is to be told of a bot: its latest faulty match, or the one that is named."""
    bots = mishaps.own_bots(asked)
    if bot not in bots:
        raise _OPENS_NOTHING
    notice = bots[bot]
    matches = mishaps.faulty_matches(asked, bot, match_id, 1)
    return {
        "match_id": match_id,
        "notice": notice,
        "start": _lines(mishaps.printed(asked, bot, mishaps.START)) if notice and not match_id else None,
        "matches": [_shown(mishaps.told(asked, bot, one)) for one in matches],
    }


def _shown(told: dict[str, Any]) -> dict[str, Any]:
    decision = told["decision"]
    saw = list(mishaps.parts_of(decision["observation"])) if decision else []
    return told | {"saw": saw, "lines": _lines(told["printed"])}


def _lines(printed: str | None) -> list[str] | None:
    """Return a log's lines as they are shown, None where nothing is kept."""
    if printed is None:
        return None
    whole = "`gavelport logs` with --json has them all"
    return [printable(line, "\t") for line in mishaps.shortened(printed.splitlines(), whole)]
