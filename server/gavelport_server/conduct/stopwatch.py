"""How long what follows from a bot's answer takes to be sent: the referee's overhead, the journal's sync included."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import trio

from gavelport_server.conduct.journalling import Journal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gavelport_server.transport.link import Link, Listener, LostReason


class Stopwatch:
    """Stands between transport and hub, and counts streams."""

    def __init__(self, listener: Listener) -> None:
        self.streams = 0
        """That are open."""
        self.arrived: float | None = None
        """When the message came that is being dealt with; None while none is."""
        self._listener = listener

    def opened(self, link: Link) -> None:
        """See `Listener`."""
        self.streams += 1
        self._listener.opened(link)

    def received(self, link: Link, message: bytes, at: float) -> None:
        """See `Listener`."""
        self.arrived = at
        try:
            self._listener.received(link, message, at)
        finally:
            self.arrived = None

    def lost(self, link: Link, reason: LostReason) -> None:
        """See `Listener`."""
        self.streams -= 1
        self._listener.lost(link, reason)


class TimedJournal(Journal):
    """A journal that says of each message that waits for it how long it took, all in all."""

    def __init__(self, data: Path, followed: Callable[[float], None]) -> None:
        """Open the journal of a data folder; `followed` is told the seconds from an answer to what follows from it."""
        super().__init__(data)
        self.stopwatch: Stopwatch | None = None
        self._followed = followed
        self._now = trio.current_time

    def when_synced(self, call: Callable[[], None]) -> None:
        """As `Journal.when_synced`."""
        arrived = None if self.stopwatch is None else self.stopwatch.arrived
        super().when_synced(call if arrived is None else partial(self._timed, call, arrived))

    def _timed(self, call: Callable[[], None], arrived: float) -> None:
        call()
        self._followed(self._now() - arrived)
