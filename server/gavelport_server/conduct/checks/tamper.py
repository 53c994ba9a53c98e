"""Between the transport and the hub: what some bots send and are sent can be withheld, repeated, or cut off.

For `gavelport check`, which shows a bot all that can happen to it on a real network (design 12). Everybody else's
links pass untouched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport.v1 import referee_pb2 as pb
from google.protobuf.message import DecodeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gavelport_server.transport.link import Link, Listener, LostReason, StatusCode


class Trick:
    """What is done to a bot's messages; this one does nothing to them."""

    def to_bot(self, link: TamperedLink, message: bytes, response: pb.PlayResponse) -> None:
        """Take a message of the referee, `message` and `response` being the same; whether it is delivered is up to us.

        Never called for a link that has been cut.
        """
        link.deliver(message)

    def from_bot(self, link: TamperedLink, request: pb.PlayRequest) -> bool:
        """Return whether a message of the bot goes on to the referee."""
        return True


class Tap:
    """One bot's links, now and later: the trick that is played on them, and what was seen passing."""

    def __init__(self) -> None:
        self.trick = Trick()
        """May be changed at any time."""
        self.refusals: list[pb.Refused] = []
        """Answers that the referee itself refused, or defaults that it played, in order."""


class TamperedLink:
    """A link of a tapped bot, as the hub has it."""

    def __init__(self, link: Link, tap: Tap) -> None:
        self._link = link
        self.tap = tap
        self.is_cut = False

    @property
    def peer(self) -> str:
        """As `Link.peer`."""
        return self._link.peer

    @property
    def metadata(self) -> Mapping[str, str]:
        """As `Link.metadata`."""
        return self._link.metadata

    def send(self, message: bytes) -> None:
        """As `Link.send`, but for the trick."""
        if self.is_cut:
            return
        response = pb.PlayResponse.FromString(message)
        if response.WhichOneof("message") == "refused":
            self.tap.refusals.append(response.refused)
        self.tap.trick.to_bot(self, message, response)

    def close(self, code: StatusCode, text: str) -> None:
        """As `Link.close`."""
        self._link.close(code, text)

    def cancel(self) -> None:
        """As `Link.cancel`."""
        self._link.cancel()

    # -- for tricks

    def deliver(self, message: bytes) -> None:
        """Send a message past the trick."""
        self._link.send(message)

    def cut(self, code: StatusCode) -> None:
        """End the stream under the bot, with what a bot would see of a network that broke or a server that stopped."""
        self.is_cut = True
        self._link.close(code, "cut on purpose")


class Tamperer:
    """The listener of the transport, in front of the real one."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._taps: dict[str, Tap] = {}
        self._links: dict[Link, TamperedLink] = {}

    def tap(self, token: str) -> Tap:
        """Return the tap on all links that come with this token."""
        return self._taps.setdefault(token, Tap())

    def opened(self, link: Link) -> None:
        """As `Listener.opened`."""
        tap = self._taps.get(link.metadata.get("authorization", "").partition(" ")[2])
        if tap is None:
            self._listener.opened(link)
        else:
            self._links[link] = TamperedLink(link, tap)
            self._listener.opened(self._links[link])

    def received(self, link: Link, message: bytes, at: float) -> None:
        """As `Listener.received`, but for the trick."""
        tampered = self._links.get(link)
        if tampered is None:
            self._listener.received(link, message, at)
            return
        try:
            request = pb.PlayRequest.FromString(message)
        except DecodeError:
            pass  # the referee will say what is wrong with it
        else:
            if not tampered.tap.trick.from_bot(tampered, request):
                return
        self._listener.received(tampered, message, at)

    def lost(self, link: Link, reason: LostReason) -> None:
        """As `Listener.lost`."""
        self._listener.lost(self._links.pop(link, link), reason)
