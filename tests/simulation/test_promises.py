"""The checker of promises finds what is wrong with an archive, and nothing where it is right."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
import structlog
from gavelport_server.archive.replay import decode_replay, encode
from gavelport_server.storage.store import Result, Standing

from tests.simulation.ladder import Simulation, simulate
from tests.simulation.promises import broken, wrong_ratings
from tests.simulation.scripted import Ledger


@dataclass
class Kept:
    """What is looked at, ready to be tampered with."""

    results: list[Result]
    voids: set[str]
    replays: dict[str, bytes]
    ledgers: list[Ledger]
    entrants: list[tuple[str, str]]
    standings: list[Standing]

    def problems(self) -> list[str]:
        ratings = wrong_ratings(self.entrants, self.results, self.standings)
        return [*broken(self.results, self.voids, self.replays.__getitem__, self.ledgers), *ratings]


@pytest.fixture(scope="module")
def kept() -> Kept:
    found: list[Kept] = []

    def look(simulation: Simulation) -> None:
        world = simulation.world
        record, results = world.record(), world.results()
        found.append(
            Kept(
                results,
                {void.match_id for void in world.store.voids(record.identity)},
                {result.match_id: world.replays.get(result.match_id) for result in results},
                [bot.ledger for bot in simulation.bots.values()],
                [(one.bot, one.version) for one in record.entrants],
                list(world.store.standings(record.identity)),
            )
        )

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    simulate(1, look)
    structlog.reset_defaults()
    return found[0]


def test_nothing_is_wrong(kept: Kept) -> None:
    assert kept.problems() == []
    assert len(kept.results) > 10
    assert sum(len(one) for ledger in kept.ledgers for one in ledger.acknowledged.values()) > 200


def a_result_removed(kept: Kept) -> None:
    del kept.results[3]


def a_result_doubled(kept: Kept) -> None:
    kept.results.append(kept.results[3])


def two_results_swapped(kept: Kept) -> None:
    kept.results[0], kept.results[-1] = kept.results[-1], kept.results[0]


def a_counted_match_void(kept: Kept) -> None:
    kept.voids.add(kept.results[0].match_id)


def a_rating_changed(kept: Kept) -> None:
    kept.standings[0] = replace(kept.standings[0], elo=kept.standings[0].elo + 1e-6)


def ranks_changed(kept: Kept) -> None:
    first, *others = kept.results[0].seats
    kept.results[0] = replace(kept.results[0], seats=(replace(first, rank=5 - first.rank), *others))


def a_replay_missing(kept: Kept) -> None:
    del kept.replays[kept.results[0].match_id]


def a_replay_cut(kept: Kept) -> None:
    match_id = kept.results[0].match_id
    kept.replays[match_id] = kept.replays[match_id][:-1]


def an_answer_changed_in_a_replay(kept: Kept) -> None:
    match_id = kept.results[0].match_id
    replay = decode_replay(kept.replays[match_id])
    choices = list(replay.choices)
    choices[4] = replace(choices[4], action=replay.header.game.pass_type())
    kept.replays[match_id] = encode(replace(replay, choices=tuple(choices)))


def an_answer_told_otherwise(kept: Kept) -> None:
    counted = {result.match_id for result in kept.results}
    for ledger in kept.ledgers:
        for (match_id, _), answers in ledger.acknowledged.items():
            if match_id in counted and answers:
                answers[min(answers)] += b"\x00"
                return


def an_end_told_of_a_match_that_is_not_there(kept: Kept) -> None:
    kept.ledgers[0].ends["f" * 20] = b""


def a_match_begun_and_forgotten(kept: Kept) -> None:
    kept.ledgers[0].begun.add(("f" * 20, 1))


TAMPERINGS: list[Callable[[Kept], Any]] = [
    a_result_removed,
    a_result_doubled,
    two_results_swapped,
    a_counted_match_void,
    a_rating_changed,
    ranks_changed,
    a_replay_missing,
    a_replay_cut,
    an_answer_changed_in_a_replay,
    an_answer_told_otherwise,
    an_end_told_of_a_match_that_is_not_there,
    a_match_begun_and_forgotten,
]


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda tamper: tamper.__name__)
def test_what_is_tampered_with_is_found(kept: Kept, tamper: Callable[[Kept], Any]) -> None:
    tampered = copy.deepcopy(kept)
    tamper(tampered)
    assert tampered.problems()
