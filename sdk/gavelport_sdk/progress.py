"""What an author who started the bot at a terminal is told: that it is connected, and each match's end.

Where stderr is no terminal nothing is written, so that the logs of bots that a server or a check runs hold what the bot
itself prints.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gavelport_sdk.channel import say

if TYPE_CHECKING:
    from gavelport.v1 import referee_pb2 as wire


class Progress:
    """Hears the server's messages after the bot's side of the protocol has taken them."""

    def __init__(self, target: str, version: str) -> None:
        """Take where the server is, and the bot's version as it says it, empty where it names none."""
        self._target = target
        self._version = version
        self._is_shown = sys.stderr.isatty()
        self._starts: dict[str, wire.MatchStart] = {}

    def hear(self, response: wire.PlayResponse) -> None:
        """Write a line to stderr where the message tells of a connection, or of a match that is over."""
        if not self._is_shown:
            return
        match response.WhichOneof("message"):
            case "welcome":
                self._welcome(response.welcome)
            case "match_start":
                self._starts[response.match_start.match_id] = response.match_start
            case "match_end":
                self._match_end(response.match_end)

    def _welcome(self, message: wire.Welcome) -> None:
        if message.resumed:
            say(f"connected to {self._target} again")
            return
        self._starts.clear()
        version = f" as version {self._version} of the token's bot" if self._version else ""
        say(f"connected to {self._target}{version}; waiting for matches (Ctrl-C ends the bot)")

    def _match_end(self, message: wire.MatchEnd) -> None:
        start = self._starts.pop(message.match_id, None)
        became = "is over"
        if message.is_void:
            became = "counts for nothing, by a fault of the server"
        elif start is not None and start.seat < len(message.ranks):
            own = start.seats[start.seat]
            name = f"{own.bot} {own.version}".rstrip()
            became += f": {name} has place {message.ranks[start.seat]} of {len(message.ranks)}"
        say(f"match {message.match_id} {became}")
