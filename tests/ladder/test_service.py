"""A ladder from end to end: bots come, are paired, play, are rated."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import trio
from gavelport_engine.rng import commitment
from gavelport_server.archive.verify import verify_stored
from gavelport_server.conduct.ladder.record import match_seed

from tests.ladder.world import World


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
