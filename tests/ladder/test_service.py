"""A ladder from end to end: bots come, are paired, play, are rated."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self

import pytest
import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.rng import commitment
from gavelport_server.archive.verify import verify_stored
from gavelport_server.conduct import results as results_module
from gavelport_server.conduct.ladder import hindrances as hindrances_module
from gavelport_server.conduct.ladder import record as record_module
from gavelport_server.conduct.ladder.record import match_seed

from tests.ladder.world import World, settings


async def test_six_bots_play_sixty_matches(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world = World(tmp_path, nursery)
    await world.start()
    clients = {name: world.connect(name) for name in "abcdef"}
    await world.until(lambda: len(world.results()) >= 60)
    results = world.results()
    assert [result.number for result in results] == list(range(len(results)))
    played = Counter(bot for result in results for bot in world.bots_of(result))
    assert max(played.values()) <= 1.3 * min(played.values())
    record = world.record()
    assert [standing.matches for standing in world.store.standings(record.identity)] == [
        played[entrant.bot] for entrant in record.entrants
    ]
    for result in results[:3]:
        replay, _ = verify_stored(world.replays.get(result.match_id))
        assert replay.seed == match_seed(record.secret, result.match_id)
    end = clients["a"].ends[0]
    start = clients["a"].messages("match_start")[0]
    assert start.match_id == end.match_id
    assert commitment(end.reveal.seed, end.match_id) == start.commitment
    assert [seat.version for seat in start.seats] == ["1"] * 4
    nursery.cancel_scope.cancel()


class StoppedClock(datetime):
    """The wall clock of results, which are kept to the second: here none passes from one to the next."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(2030, 1, 1, tzinfo=tz)


async def test_paces_hold_over_a_restart(
    tmp_path: Path,
    nursery: trio.Nursery,
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Else the first match may be a second older than the others, and a bot play again, and be told again, in between.
    monkeypatch.setattr(hindrances_module, "datetime", StoppedClock)
    monkeypatch.setattr(record_module, "datetime", StoppedClock)
    monkeypatch.setattr(results_module, "datetime", StoppedClock)
    world = World(tmp_path, nursery, (replace(settings(), bot_per_hour=3),))
    await world.start()
    for name in "abcd":
        world.connect(name)
    await world.until(lambda: len(world.results()) == 3)
    await trio.sleep(60)
    await world.stop()
    await world.start()
    clients = [world.connect(name) for name in "abcd"]
    await trio.sleep(600)
    assert len(world.results()) == 3
    assert [client.matches for client in clients] == [[], [], [], []]
    (told,) = clients[0].notices
    assert told.kind == pb.NOTICE_KIND_LADDER
    assert told.code == "not_paired"
    assert told.sentence == (
        "a gets no match on main for now: it has played 3 matches in the last hour, and 3 are the most; "
        "stay connected, and it goes on by itself"
    )
    # By the clock that stands still they ended with the start, 600 s ago, and it has been midnight since.
    words = world.service.held_back("a")
    assert words == "a has played its 3 rated matches of the hour on main; the next at 00:50 UTC"
    await trio.sleep(3600)
    assert len(world.results()) == 6
    assert len(clients[0].notices) == 2  # once each time


async def test_practice_has_the_ladders_pace(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world = World(tmp_path, nursery, (replace(settings(), bot_per_hour=2),))
    await world.start()
    clients = [world.connect(name, queue=pb.QUEUE_PRACTICE) for name in "abcd"]
    await trio.sleep(600)
    assert len(world.results("practice")) == 2
    (told,) = clients[0].notices
    assert "it has practised 2 times in the last hour, and 2 are the most" in told.sentence
    words = world.service.held_back("a")
    assert re.fullmatch(r"a has practised 2 times in the hour on main; the next at \d\d:\d\d UTC", words)


async def test_pairs_meet_no_oftener_than_they_may(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world = World(tmp_path, nursery, (replace(settings(), pair_per_day=2),))
    await world.start()
    clients = [world.connect(name) for name in "abcd"]
    await trio.sleep(600)
    assert len(world.results()) == 2
    why = (
        "a gets no match on main for now: it has met 3 of the 3 bots that wait as often as a pair may in 24 hours, 2 "
        "times, and the others are too few for a table"
    )
    assert world.service.held_back("a") == why
    assert [told.sentence for told in clients[0].notices] == [f"{why}; stay connected, and it goes on by itself"]
    clients[0].client.cancel()
    await trio.sleep(1)
    assert world.service.held_back("a") == ""


async def test_two_ladders_of_one_server_share_their_bots(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world = World(tmp_path, nursery, (settings("four"), settings("three", seats=3)))
    await world.start()
    for name in "abcde":
        world.connect(name)
    records = {one.name: one for one in world.store.tournaments() if one.kind == "ladder"}
    counts = dict.fromkeys(records, 0)

    def both_go_on() -> bool:
        counts.update({name: len(world.store.results(one.identity)) for name, one in records.items()})
        return min(counts.values()) >= 10

    await world.until(both_go_on)
    assert max(counts.values()) < 3 * min(counts.values())
    assert {len(result.seats) for result in world.store.results(records["three"].identity)} == {3}


async def test_a_bot_that_plays_several_at_once_is_seated_at_several(
    tmp_path: Path, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    world = World(tmp_path, nursery)
    await world.start()
    busy = world.connect("a", holds=True, max_matches=2)
    for name in "bcdefg":
        world.connect(name)
    await world.until(lambda: len(world.service.running()) == 2, within_s=8)
    assert all("a" in running.bots for running in world.service.running())
    assert len(busy.matches) == 2
