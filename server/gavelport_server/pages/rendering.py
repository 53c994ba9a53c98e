"""From templates to answers: the one place that makes HTML, with the headers that every answer has.

Jinja escapes all that it is given, so a bot may be called whatever it likes. Nothing inline is allowed by the policy:
neither scripts nor styles, which is why bars are drawn in SVG, whose places are attributes.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache, partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from gavelport_server.pages import figures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from gavelport_server.pages.errors import PageError

HERE = Path(__file__).parent
STATIC = HERE / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
FOR_A_YEAR = "public, max-age=31536000, immutable"
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def page(request: Request, template: str, *, status: HTTPStatus = HTTPStatus.OK, **given: Any) -> HTMLResponse:
    """Return a page made of a template."""
    has_live = request.app.state.live
    html = rendered(template, request=request, path=request.url.path, has_live=has_live, **given)
    return HTMLResponse(html, status, headers={"content-security-policy": POLICY})


def rendered(template: str, **given: Any) -> str:
    """Return a template as it reads with what is given."""
    return _environment().get_template(template).render(**given)


def error_page(request: Request, error: PageError) -> Response:
    """Return the page that says what is wrong."""
    answer = page(request, "error.html", status=error.status, error=error)
    if error.retry_s is not None:
        answer.headers["retry-after"] = str(error.retry_s)
    return answer


def error_alone(error: PageError, headers: Mapping[str, str] | None = None, *, has_live: bool) -> Response:
    """Return the page that says what is wrong with a request that has come to no page."""
    html = rendered("error.html", error=error, path="", has_live=has_live)
    return HTMLResponse(html, error.status, headers={**(headers or {}), "content-security-policy": POLICY})


def unchanged(request: Request, tag: str) -> Response | None:
    """Return the empty answer for who has this state of things already."""
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"etag": tag}) if tag in known else None


@cache
def static(name: str) -> str:
    """Return the address of a file under `static/`, which changes with its content."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={digest}"


def when(time: str) -> str:
    """Return an ISO time in UTC for people: "28 Nov 2030, 13:47"."""
    found = _TIME.match(time)
    if not found:
        return time
    year, month, day, clock = found.groups()
    return f"{int(day)} {_MONTHS[int(month) - 1]} {year}, {clock}"


def bot_path(name: str) -> str:
    """Return the address of a bot's page."""
    return f"/bots/{quote(name, safe='')}"


def with_query(path: str, /, **given: object) -> str:
    """Return an address with what of the query is not empty; a list stands there one by one."""
    query = {key: value for key, value in given.items() if value not in (None, "", False, [])}
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"static": static, "bot_path": bot_path, "with_query": with_query, "NONE": figures.NONE}
    environment.filters |= {
        "minus": figures.minus,
        "rating": figures.rating,
        "signed": figures.signed,
        "amount": figures.amount,
        "percent": figures.percent,
        "when": when,
        "json": partial(json.dumps, ensure_ascii=False),
    }
    return environment
