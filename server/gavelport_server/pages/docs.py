"""The documents under `docs/` as pages: rendered once, links between them kept whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, zip_longest
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gavelport_server import shipped
from gavelport_server.pages.endpoints import PREFIX
from gavelport_server.pages.errors import PageError
from gavelport_server.pages.rendering import page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

_SECTION = re.compile(r"(\d+\.\d+|[a-d]\.) ")
"""Begins a line of the rules, which are numbered by hand."""
_FOR_AUTHORS = ("first-bot", "protocol", "hosting", "http-api", "cli")
_FOR_ORGANISERS = ("ladder", "collusion")


@dataclass(frozen=True, slots=True)
class Document:
    """A document as HTML, with the headings of its second level: (anchor, text)."""

    name: str
    title: str
    opening: str
    """Its first sentence."""
    html: str
    headings: tuple[tuple[str, str], ...]


def docs_list(request: Request) -> Response:
    """Return the list of all documents."""
    rules = sorted(
        (name for name in _files() if name.startswith("rules/")), key=lambda name: name.endswith("-notation")
    )
    others = [name for name in _files() if name not in {*_FOR_AUTHORS, *_FOR_ORGANISERS, *rules}]
    groups = {"Write a bot": _FOR_AUTHORS, "The games": rules, "Run a ladder": _FOR_ORGANISERS, "How it works": others}
    documents = {title: [document(name) for name in names] for title, names in groups.items()}
    return page(request, "docs.html", groups=documents, openapi=f"{PREFIX}/openapi.json")


def docs_page(request: Request) -> Response:
    """Return one document."""
    name = request.path_params["name"].removesuffix(".md")
    if name not in _files():
        raise PageError.missing("no such document", "The list of documents has all there are.")
    return page(request, "doc.html", document=document(name))


@cache
def _files() -> dict[str, Path]:
    folder = shipped.docs()
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.md"))}


@cache
def document(name: str) -> Document:
    """Return a document by its path below `docs/` without ending. Raises KeyError where there is none."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(_files()[name].read_text("utf-8"))
    title, opening, headings = name, "", []
    for token, inline in pairwise(tokens):
        if token.type == "paragraph_open" and not opening:
            opening = re.split(r"(?<=[.]) ", _text(inline))[0]
        elif token.type == "heading_open":
            text = _text(inline)
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
            token.attrSet("id", anchor)
            if token.tag == "h1":
                title = text
            elif token.tag == "h2":
                headings.append((anchor, text))
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("class", "tbl")
        for child, following in zip_longest(token.children or (), (token.children or ())[1:]):
            if child.type == "link_open":
                child.attrSet("href", _link(name, str(child.attrGet("href") or "")))
            elif child.type == "softbreak" and following is not None and _SECTION.match(following.content):
                child.type = "hardbreak"
        # A column's alignment is told by a style, which the policy does not allow.
        if token.type in ("th_open", "td_open") and token.attrs.pop("style", "") == "text-align:right":
            token.attrSet("class", "n")
    html = markdown.renderer.render(_scrolling(tokens), markdown.options, {})
    return Document(name, title, opening, html, tuple(headings))


def _text(inline: Token) -> str:
    parts = (" " if child.type == "softbreak" else child.content for child in inline.children or ())
    return "".join(parts)


def _link(name: str, href: str) -> str:
    """Return where a link of a document leads: to another's page; what is elsewhere in the repository is not here."""
    target, hash_, anchor = href.partition("#")
    if not target or "://" in target:
        return href
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / target).parts:
        if part == "..":
            if not parts:
                return "/docs"
            parts.pop()
        else:
            parts.append(part)
    found = "/".join(parts).removesuffix(".md")
    return f"/docs/{found}{hash_}{anchor}" if found in _files() else "/docs"


def _scrolling(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with a box around each table and listing, which may be wider than the page."""
    found = []
    for token in tokens:
        is_listing = token.type in ("fence", "code_block")
        if is_listing or token.type == "table_open":
            found.append(Token("div_open", "div", 1, attrs={"class": "scroll", "tabindex": "0"}, block=True))
        found.append(token)
        if is_listing or token.type == "table_close":
            found.append(Token("div_close", "div", -1, block=True))
    return found
