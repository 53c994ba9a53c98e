"""A real Chromium on the pages of a small data folder."""

import shutil
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import trio
from gavelport_server.lobby.limits import Rate
from gavelport_server.pages.server import serve_http
from gavelport_server.pages.shield import Shield
from gavelport_server.pages.site import site
from gavelport_server.pages.source import DataFolderSource
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.types import ASGIApp

CHROMIUM = shutil.which("chromium")
WIDTHS = (390, 1280, 1600)
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")


@contextmanager
def served(data: Path) -> Iterator[str]:
    """Serve a folder's pages, for a client that is faster than people are."""
    with closing(DataFolderSource(data)) as source, running(Shield(site(source), Rate(burst=1e6, per_s=1e6))) as url:
        yield url


@contextmanager
def running(app: ASGIApp, *beside: Callable[[], Awaitable[object]]) -> Iterator[str]:
    """Serve an application from a thread of its own, with what is to run beside it."""
    ready, urls = threading.Event(), list[str]()
    over: list[tuple[trio.lowlevel.TrioToken, trio.CancelScope]] = []

    async def serve() -> None:
        async with trio.open_nursery() as nursery:
            for one in beside:
                nursery.start_soon(one)
            urls.append(await nursery.start(serve_http, app, "127.0.0.1:0"))
            over.append((trio.lowlevel.current_trio_token(), nursery.cancel_scope))
            ready.set()

    thread = threading.Thread(target=trio.run, args=(serve,))
    thread.start()
    try:
        assert ready.wait(30)
        yield urls[0]
    finally:
        token, scope = over[0]
        token.run_sync_soon(scope.cancel)
        thread.join(30)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page as it was loaded, and what the console said since."""

    page: Page
    said: list[str] = field(default_factory=list)
    bytes_: int = 0
    """Transferred, headers left aside."""

    def open(self, url: str) -> None:
        """Load a page and wait until it is still."""
        self.page.goto(url)
        self.page.wait_for_load_state("networkidle")
        if "/matches/" in url:
            self.page.wait_for_selector(".transport")


@contextmanager
def visit(browser: Browser, width: int = 1280, theme: Theme = "light") -> Iterator[Visit]:
    """Open a window of that width."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(20_000)
    found = Visit(page)
    page.on(
        "console", lambda message: found.said.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: found.said.append(str(error)))

    def weigh(response: object) -> None:
        sizes = response.request.sizes()  # type: ignore[attr-defined]
        if "scene.json" not in response.url:  # type: ignore[attr-defined]
            found.bytes_ += max(0, sizes["responseBodySize"])

    page.on("requestfinished", lambda request: weigh(request.response()))
    yield found
    context.close()
