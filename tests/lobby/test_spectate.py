"""Spectators: from the present to the end, public things only, and no slower than they may be."""

from __future__ import annotations

from typing import Any

import pytest
from gavelport.v1 import spectate_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.game import SPECTATOR
from gavelport_server.conduct.ladder.spectate import SpectatorFeed
from gavelport_server.lobby.spectate import SpectateDesk, events, start
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import ServiceError, StatusCode
from gavelport_server.transport.memory import MemoryTransport, StreamEnded

from tests.lobby.world import VISITOR, DoubleLive, report_of
from tests.transport.worlds import Recorder

REPORT = report_of("r1", ("ant", "bee", "cow"), 0)
CODEC = codec_for("container@1")
HALF = len(REPORT.record) // 2


class Gallery:
    """A running match, and whoever looks on."""

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008
        self.live = DoubleLive()
        self.feed = self.live.feeds["r1"] = SpectatorFeed(REPORT.setup, REPORT.record[:HALF])
        self.desk = SpectateDesk(self.live)
        self.recorder = Recorder()
        self.transport = MemoryTransport(self.recorder, limits)

    def watch(self, match_id: str = "r1") -> Any:
        client = self.transport.connect()
        self.recorder.links[-1]
        stop = self.desk.watch(VISITOR, pb.WatchRequest(match_id=match_id), client.link)
        return client, stop

    def go_on(self) -> None:
        for upto in range(HALF, len(REPORT.record) + 1):
            self.feed.follow(REPORT.record[:upto])
        self.feed.end(REPORT.outcome)


async def read(client: Any) -> tuple[list[pb.WatchResponse], StatusCode]:
    found = []
    try:
        while True:
            found.append(pb.WatchResponse.FromString(await client.receive()))
    except StreamEnded as ended:
        return found, ended.status.code


async def test_a_spectator_sees_the_match_from_the_present_to_its_end() -> None:
    gallery = Gallery(Limits(max_queued_messages=1000))
    client, _ = gallery.watch()
    gallery.go_on()
    messages, code = await read(client)
    assert code is StatusCode.OK
    start, *middle, end = messages
    assert start.start.match_id == "r1"
    assert [seat.bot for seat in start.start.seats] == ["ant", "bee", "cow"]
    assert 0 < start.start.decisions < middle[0].events.decisions <= middle[-1].events.decisions
    assert (end.end.end, list(end.end.ranks), list(end.end.totals)) == (
        REPORT.outcome.end, list(REPORT.outcome.ranks), list(REPORT.outcome.totals),
    )  # fmt: skip
    for message in middle:
        options = CODEC.decode_options(start.start.options)
        observation = CODEC.decode_observation(message.events.observation, options)
        assert observation.viewer == SPECTATOR
        assert (observation.cash, observation.card) == (None, None)


def test_faults_are_told_with_what_came_of_them_and_to_whoever_asks_for_the_past() -> None:
    first = SpectatorFeed(REPORT.setup, ())
    shown: list[Any] = []
    first.attach(shown.append)
    for upto in range(len(REPORT.record) + 1):
        first.follow(REPORT.record[:upto])
    told = [events(CODEC, one).events for one in shown]
    assert [(one.decisions, fault.decision, fault.reason) for one in told for fault in one.faults] == [
        (5, 5, "illegal")
    ]
    late = SpectatorFeed(REPORT.setup, REPORT.record[:HALF])
    begun = pb.WatchResponse.FromString(start(late, CODEC, late.attach(shown.append), late.past)).start
    assert [one.decisions for one in begun.past if one.faults] == [5]
    assert [event for one in begun.past for event in one.events] == [
        event for one in told if one.decisions <= begun.decisions for event in one.events
    ]
    assert not any(one.HasField("observation") for one in begun.past)


async def test_two_spectators_are_told_the_same_and_encoding_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = Gallery(Limits(max_queued_messages=1000))
    one, _ = gallery.watch()
    other, _ = gallery.watch()
    encoded: list[Any] = []
    event = type(CODEC).event

    def counted(codec: Any, what: Any) -> bytes:
        encoded.append(what)
        return event(codec, what)

    monkeypatch.setattr(type(CODEC), "event", counted)
    gallery.go_on()
    first, second = await read(one), await read(other)
    assert first == second
    assert len(encoded) == sum(len(message.events.events) for message in first[0])


async def test_a_void_match_ends_as_such() -> None:
    gallery = Gallery()
    client, _ = gallery.watch()
    gallery.feed.end(None)
    messages, code = await read(client)
    assert code is StatusCode.OK
    assert messages[-1].end.is_void


async def test_who_stopped_is_told_nothing_more() -> None:
    gallery = Gallery(Limits(max_queued_messages=1000))
    client, stop = gallery.watch()
    stop()
    stop()
    gallery.go_on()
    client.link.close(StatusCode.OK, "")
    messages, _ = await read(client)
    assert len(messages) == 1


async def test_a_slow_spectator_is_cut_and_the_match_goes_on() -> None:
    gallery = Gallery(Limits(max_queued_messages=5))
    client, _ = gallery.watch()
    gallery.go_on()
    _, code = await read(client)
    assert code is StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("match_id", ["", "m0", "x" * 10_000, "\0"])
async def test_a_match_that_does_not_run_is_not_found(match_id: str) -> None:
    with pytest.raises(ServiceError) as refused:
        Gallery().watch(match_id)
    assert refused.value.code is StatusCode.NOT_FOUND
    assert len(refused.value.text) < 200
