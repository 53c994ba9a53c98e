"""What stands in front of all that is served by HTTP: it is only read, not too often, and errors tell nothing.

A browser is told what is refused here by a page, as of all that goes wrong behind it; everybody else by JSON. Rates
count by the client's address; behind a proxy that is not trusted (`proxy.py`) all clients have one.
"""

from __future__ import annotations

import re
import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING

import structlog
import trio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from gavelport_server.lobby.limits import Buckets, Rate
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.rendering import error_alone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

RATE = Rate(burst=200.0, per_s=20.0)
"""Requests of one address. A page asks for a dozen files."""
LARGEST_FORM = 1024
"""Bytes."""
MOST_DIGITS = 9
API = "/api"
"""Below it programs ask."""
HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
"""Unless what is served sets its own."""
_WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")
_log = structlog.get_logger(__name__)


class Shield:
    """An ASGI application around another."""

    def __init__(
        self, app: ASGIApp, rate: Rate = RATE, forms: re.Pattern[str] | None = None, *, has_live: bool = False
    ) -> None:
        """Take what stands behind.

        Args:
            app: the application.
            rate: of one address.
            forms: the paths that take a form; any other is only read.
            has_live: whether there are pages of running matches behind it.
        """
        self._app = app
        self._forms = forms
        self._has_live = has_live
        self._buckets = Buckets(rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application do so."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def sending(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, sending)
            return
        try:
            await self._app(scope, receive, sending)
        except Exception:  # noqa: BLE001  logged; whoever asked is told its number alone
            error_id = secrets.token_hex(8)
            _log.exception("http_failed", path=scope["path"], error_id=error_id)
            if not has_begun:
                text = f"the server failed; its log has error {error_id}"
                answer = self._refused(scope, HTTPStatus.INTERNAL_SERVER_ERROR, text)
                await answer(scope, receive, sending)

    def _refusal(self, scope: Scope) -> Response | None:
        is_form = scope["method"] == "POST" and self._forms is not None and self._forms.fullmatch(scope["path"])
        if scope["method"] not in ("GET", "HEAD") and not is_form:
            text = "there is only GET and HEAD here; what changes something is a service of gRPC"
            return self._refused(scope, HTTPStatus.METHOD_NOT_ALLOWED, text, {"allow": "GET, HEAD"})
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        is_number = length.isascii() and length.isdecimal() and len(length) <= MOST_DIGITS
        if not is_number or int(length) > (LARGEST_FORM if is_form else 0) or "transfer-encoding" in headers:
            text = f"a form has {LARGEST_FORM} bytes at most here" if is_form else "a request has no body here"
            return self._refused(scope, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{text}; leave it out")
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            # PostgreSQL fails at it, and that would read as a failure of the database.
            text = "nothing here has the sign NUL (%00) in its name; leave it out"
            return self._refused(scope, HTTPStatus.NOT_FOUND, text)
        address = scope["client"][0] if scope.get("client") else ""
        if wait_s := self._buckets.take(address, trio.current_time()):
            later = int(wait_s) + 1
            text = f"this address asks too often; try again in {later} s"
            return self._refused(scope, HTTPStatus.TOO_MANY_REQUESTS, text, {"retry-after": str(later)})
        return None

    def _refused(
        self, scope: Scope, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        return refusal(scope, status, message, headers, has_live=self._has_live)


def refusal(
    scope: Scope, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None, *, has_live: bool
) -> Response:
    """Return an error as whoever asked reads it: the page of errors for a browser, JSON for a program.

    Args:
        scope: of the request.
        status: of the answer.
        message: for people, beginning with a small letter and without a full stop.
        headers: of the answer.
        has_live: whether there are pages of running matches, for the page to lead to.
    """
    accept = ",".join(Headers(scope=scope).getlist("accept"))
    if scope["path"] == API or scope["path"].startswith(f"{API}/") or not prefers_html(accept):
        return error(status, message, headers)
    text = f"{message[:1].upper()}{message[1:]}."
    return error_alone(PageError(status, status.phrase.lower(), text), headers, has_live=has_live)


def prefers_html(accept: str) -> bool:
    """Return whether an `Accept` header likes HTML better than JSON, as those of browsers do that open a page."""
    liked: dict[str, float] = {}
    for one in accept.lower().split(","):
        kind, *parameters = (part.strip() for part in one.split(";"))
        weights = [text[2:] for text in parameters if text.startswith("q=")]
        liked[kind] = float(weights[0]) if weights and _WEIGHT.fullmatch(weights[0]) else 1.0
    anything = liked.get("*/*", 0.0)
    html = liked.get("text/html", liked.get("text/*", anything))
    return html > liked.get("application/json", liked.get("application/*", anything))


def error(status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an error as JSON: `code`, a word for programs, and `message`, for people."""
    return JSONResponse({"code": status.name.lower(), "message": message}, status, headers)
