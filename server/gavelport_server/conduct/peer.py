"""What the hub knows of one link: whose it is, what it has said, and how much of it was nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from gavelport_server.conduct.session import Session
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.transport.link import Link

IDLE_PER_S = 50.0
IDLE_BURST = 200.0


@dataclass(eq=False, slots=True)
class Peer:
    """One link."""

    link: Link
    session: Session | None = None
    """Of a tournament's process from the start, of a ladder's bot once it has said Hello."""
    caller: Caller | None = None
    """Whose token it came with; None for a tournament's process, and while the token is being looked up."""
    is_held: bool = False
    """Whether the token is being looked up."""
    held: tuple[bytes, float] | None = None
    """What came meanwhile, and when."""
    has_said_hello: bool = False
    malformed: int = 0
    hello_scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    _idle: float = 0.0
    _idle_at: float = 0.0

    @property
    def bot(self) -> str:
        """Who it is, as far as is known, for the log."""
        if self.session is not None:
            return self.session.name.bot
        return "" if self.caller is None else self.caller.bot

    def count_idle(self, at: float) -> bool:
        """Count a message that is no answer to an open decision; return whether there are too many."""
        self._idle = max(0.0, self._idle - (at - self._idle_at) * IDLE_PER_S) + 1
        self._idle_at = at
        return self._idle > IDLE_BURST

    def complain(self, text: str) -> None:
        """Keep what the bot is told of a message that was none."""
        if self.session is not None:
            self.session.complaint = text
