"""What stands in front of all that is served by HTTP: it is only read, not too often, and errors tell nothing.

Rates count by the client's address; behind a proxy that is not trusted (`proxy.py`) all clients have one.
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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

RATE = Rate(burst=200.0, per_s=20.0)
"""Requests of one address. A page asks for a dozen files."""
LARGEST_FORM = 1024
"""Bytes."""
MOST_DIGITS = 9
HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
"""Unless what is served sets its own."""
_log = structlog.get_logger(__name__)


class Shield:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, rate: Rate = RATE, forms: re.Pattern[str] | None = None) -> None:
        """Take what stands behind.

        Args:
            app: the application.
            rate: of one address.
            forms: the paths that take a form; any other is only read.
        """
        self._app = app
        self._forms = forms
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
                answer = error(HTTPStatus.INTERNAL_SERVER_ERROR, f"the server failed; its log has error {error_id}")
                await answer(scope, receive, sending)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        is_form = scope["method"] == "POST" and self._forms is not None and self._forms.fullmatch(scope["path"])
        if scope["method"] not in ("GET", "HEAD") and not is_form:
            text = "there is only GET and HEAD here; what changes something is a service of gRPC"
            return error(HTTPStatus.METHOD_NOT_ALLOWED, text, {"allow": "GET, HEAD"})
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        is_number = length.isascii() and length.isdecimal() and len(length) <= MOST_DIGITS
        if not is_number or int(length) > (LARGEST_FORM if is_form else 0) or "transfer-encoding" in headers:
            text = f"a form has {LARGEST_FORM} bytes at most here" if is_form else "a request has no body here"
            return error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{text}; leave it out")
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            # PostgreSQL fails at it, and that would read as a failure of the database.
            return error(HTTPStatus.NOT_FOUND, "nothing here has the sign NUL (%00) in its name; leave it out")
        address = scope["client"][0] if scope.get("client") else ""
        if wait_s := self._buckets.take(address, trio.current_time()):
            text = f"too many requests from this address; the next is answered in {wait_s:.1f} s"
            return error(HTTPStatus.TOO_MANY_REQUESTS, text, {"retry-after": str(int(wait_s) + 1)})
        return None


def error(status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an error as JSON: `code`, a word for programs, and `message`, for people."""
    return JSONResponse({"code": status.name.lower(), "message": message}, status, headers)
