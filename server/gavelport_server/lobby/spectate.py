"""A running match for spectators, as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport.v1 import game_pb2, referee_pb2
from gavelport.v1 import spectate_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.rng import commitment

from gavelport_server.conduct.ladder.spectate import Moment, Over, Shown
from gavelport_server.lobby.own import quoted
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_codecs.codec import Codec

    from gavelport_server.conduct.ladder.spectate import SpectatorFeed
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.lobby.live import Live
    from gavelport_server.transport.link import Link


class SpectateDesk:
    """SpectateService. `watch` is called in the trio thread."""

    def __init__(self, live: Live) -> None:
        """Take the ladders that run."""
        self._live = live
        self._latest: tuple[object, bytes] = (None, b"")
        """What was encoded last: all who watch a match are told the same."""

    def watch(self, caller: Caller, request: pb.WatchRequest, link: Link) -> Callable[[], None]:
        """Tell a link of a match from the present on, until its end; return how to stop that."""
        feed = self._live.spectate(request.match_id)
        if feed is None:
            text = f"no match {quoted(request.match_id)} is running; ListRunning tells which are"
            raise ServiceError(StatusCode.NOT_FOUND, text)
        codec = codec_for(feed.setup.game.id)

        def tell(what: Shown | Over) -> None:
            link.send(self._encoded(codec, what))
            if isinstance(what, Over):
                link.close(StatusCode.OK, "")

        present = feed.attach(tell)
        try:
            link.send(start(feed, codec, present))
        except BaseException:
            feed.detach(tell)
            raise
        return lambda: feed.detach(tell)

    def _encoded(self, codec: Codec, what: Shown | Over) -> bytes:
        if self._latest[0] is not what:
            message = end(what) if isinstance(what, Over) else events(codec, what)
            self._latest = (what, message.SerializeToString())
        return self._latest[1]


def start(feed: SpectatorFeed, codec: Codec, present: Shown, past: Sequence[Moment] = ()) -> bytes:
    """Return the beginning: which match it is, the public table now, and what became public before."""
    setup = feed.setup
    begun = pb.WatchStart(
        match_id=setup.match_id,
        game=setup.game.id,
        options=codec.options(setup.options),
        seats=[referee_pb2.Seat(bot=seat.bot, version=seat.version) for seat in setup.seats],
        commitment=commitment(setup.seed, setup.match_id),
        decisions=present.decisions,
        observation=codec.observation(present.observation),
        past=[_happened(codec, one) for one in past],
    )
    return pb.WatchResponse(start=begun).SerializeToString()


def events(codec: Codec, shown: Shown) -> pb.WatchResponse:
    """Return what has happened, and the public table after it."""
    happened = _happened(codec, shown)
    happened.observation.MergeFrom(codec.observation(shown.observation))
    return pb.WatchResponse(events=happened)


def _happened(codec: Codec, what: Shown | Moment) -> pb.WatchEvents:
    return pb.WatchEvents(
        events=[game_pb2.GameEvent.FromString(codec.event(event)) for event in what.events],
        decisions=what.decisions,
        faults=[pb.WatchFault(decision=one.decision, seat=one.seat, reason=one.reason) for one in what.faults],
    )


def end(over: Over) -> pb.WatchResponse:
    """Return the end."""
    outcome = over.outcome
    if outcome is None:
        return pb.WatchResponse(end=pb.WatchEnd(is_void=True))
    return pb.WatchResponse(end=pb.WatchEnd(end=outcome.end, ranks=outcome.ranks, totals=outcome.totals))
