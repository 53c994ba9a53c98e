"""`gavelport play --open`: the match in a browser while it is played, and its replay afterwards."""

from __future__ import annotations

import webbrowser
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
import trio
from starlette.routing import Mount, Router

from gavelport_server.conduct.failures import first_failure
from gavelport_server.conduct.ladder.listing import RunningMatch
from gavelport_server.conduct.ladder.spectate import SpectatorFeed
from gavelport_server.pages.elsewhere import HOST, Elsewhere
from gavelport_server.pages.server import serve_http
from gavelport_server.pages.shield import Shield

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from gavelport_engine.game import Checkpoint, Outcome

    from gavelport_server.referee.report import MatchSetup, Played

BROWSER_S = 10.0
"""So long a match waits for its first spectator."""


class OneMatch:
    """A match for its own sake, as whoever looks on is told of it; see `pages.live.broadcast.Live`."""

    def __init__(self, setup: MatchSetup) -> None:
        self.is_awaited = trio.Event()
        """Set once somebody looks, or nobody is going to."""
        self._setup = setup
        self._started_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._record: Sequence[Played | Checkpoint] = ()
        self._feed = SpectatorFeed(setup, ())
        self._is_over = False

    def running(self) -> Sequence[RunningMatch]:
        """Return it, until it is over."""
        if self._is_over:
            return []
        bots = tuple(seat.bot for seat in self._setup.seats)
        return [RunningMatch(self._setup.match_id, "", False, bots, self._started_at, len(self._record))]

    def spectate(self, match_id: str) -> SpectatorFeed | None:
        """Return what spectators are told by."""
        if match_id != self._setup.match_id or self._is_over:
            return None
        self.is_awaited.set()
        return self._feed

    def watch(self, record: Sequence[Any]) -> None:
        """Hear of the record, as it grows."""
        self._record = record
        self._feed.follow(record)

    def end(self, outcome: Outcome | None) -> None:
        """Tell the end; without an outcome it is void."""
        self._is_over = True
        self._feed.end(outcome)


async def watched(data: Path, one: OneMatch, match_id: str, play: Callable[[], Awaitable[None]]) -> None:
    """Open a browser on a match, play it once somebody looks, and show its replay until cancelled.

    Raises what `play` raises, and TransportError where no port can be had.
    """
    with first_failure():
        async with trio.open_nursery() as nursery:
            pages = Elsewhere(data, live=one)
            nursery.start_soon(pages.run)
            url = await nursery.start(serve_http, Shield(Router([Mount("/", pages)]), has_live=True), f"{HOST}:0")
            address = f"{url}/matches/{match_id}"
            click.echo(f"Open    {address}; Ctrl-C ends it", err=True)
            nursery.start_soon(_browse, address, one)
            with trio.move_on_after(BROWSER_S):
                await one.is_awaited.wait()
            await play()
            await trio.sleep_forever()


async def _browse(address: str, one: OneMatch) -> None:
    """Open the address; some browsers return from that when they are closed."""
    if not await trio.to_thread.run_sync(webbrowser.open, address, abandon_on_cancel=True):
        one.is_awaited.set()
