"""Do 95 % intervals hold the truth in 95 of 100 tournaments? Measured on simulated tournaments of known ratings.

The truth that an interval should hold is what the fit's rating tends to as rounds of the same tournament grow without
end. The simulated worlds are not quite of the fitted model, as no real game is.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from gavelport_server.ratings import standing
from gavelport_server.ratings.results import Floats, Results
from gavelport_server.ratings.standing import whole_history

from tests.ratings.simulated import World

TOURNAMENTS = 500
REPETITIONS = 500
NEAR = (-0.8, -0.3, 0.0, 0.3, 0.8)
NINE = (-1.2, -0.8, -0.5, -0.2, 0.0, 0.2, 0.5, 0.8, 1.2)
WORLDS = {
    "5 bots, 5 seats, 100 rounds": (World(NEAR, 5), 100),
    "9 bots, 5 seats, 100 rounds": (World(NINE, 5), 100),
    "9 bots, 4 seats, 100 rounds": (World(NINE, 4), 100),
    "9 bots far apart, 5 seats, 100 rounds": (World((-5, -2.5, -0.5, 0, 0.1, 0.5, 1, 1.2, 3), 5), 100),
    "9 bots all but equal, 4 seats, 100 rounds": (World(tuple(0.01 * i for i in range(9)), 4), 100),
    "5 bots, 5 seats, 30 rounds": (World(NEAR, 5), 30),
    "5 bots, 4 seats, 38 rounds, last block cut": (World(NEAR, 4), 38),
    "3 bots, 3 seats, 100 rounds": (World((-0.5, 0.0, 0.5), 3), 100),
}


@dataclass(frozen=True)
class Coverage:
    """Shares of intervals that held the truth, over all entrants (or pairs) and tournaments."""

    ratings: float
    ranks: float
    chances: float


def coverage(
    world: World,
    rounds: int,
    tournaments: int,
    truth: Floats,
    seen: Callable[[Results], Results] = lambda results: results,
) -> Coverage:
    """Return the measured coverage; `seen` is how results look to the one who computes the intervals."""
    rng = np.random.default_rng(11)
    entrants = len(truth)
    place = 1 + (truth[:, None] < truth).sum(axis=1)
    chance = 1 / (1 + 10 ** ((truth - truth[:, None]) / 400))
    ratings, ranks, chances = [], [], []
    for _ in range(tournaments):
        fit = whole_history(seen(world.play(rounds, rng)), REPETITIONS)
        for i, one in enumerate(fit.entrants):
            assert one.interval is not None
            ratings.append(one.interval[0] <= truth[i] <= one.interval[1])
            ranks.append(one.rank_interval[0] <= place[i] <= one.rank_interval[1])
            chances += [fit.beats[i][j].low <= chance[i, j] <= fit.beats[i][j].high for j in range(entrants) if j != i]
    return Coverage(float(np.mean(ratings)), float(np.mean(ranks)), float(np.mean(chances)))


def without_blocks(results: Results) -> Results:
    """The planted fault: every match as if it were independent of all others."""
    return Results(results.entrants, results.seated, results.ranks, np.arange(len(results.blocks)))


def halve_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: intervals half as wide as they are."""
    monkeypatch.setattr(standing, "widening", lambda _: 0.5)


def nominal(share: float) -> bool:
    return 0.93 <= share <= 0.97


def test_a_short_measurement_tells_good_intervals_from_halved_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    world, rounds = World((-0.7, 0.0, 0.2, 0.5), 4), 40
    truth = world.true_ratings(8_000)
    good = coverage(world, rounds, 40, truth)
    assert 0.9 <= good.ratings <= 1
    assert good.ranks >= 0.9
    assert 0.9 <= good.chances <= 1
    halve_intervals(monkeypatch)
    assert coverage(world, rounds, 40, truth).ratings < 0.85


def test_a_short_measurement_finds_out_ranks_closed_too_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    world, rounds = World((-0.7, 0.0, 0.2, 0.5), 4), 40
    truth = world.true_ratings(8_000)
    # The planted fault: every other bot is taken for surely ahead or surely behind, as the repetitions' median says.
    monkeypatch.setattr(standing, "_open_ranks", lambda leads, *_: (1 + (np.median(leads, axis=0) < 0).sum(),) * 2)
    assert coverage(world, rounds, 40, truth).ranks < 0.85


@pytest.mark.long
@pytest.mark.parametrize("name", WORLDS)
def test_coverage_is_nominal(name: str) -> None:
    world, rounds = WORLDS[name]
    measured = coverage(world, rounds, TOURNAMENTS, world.true_ratings())
    print(f"{name}: {measured}")
    assert nominal(measured.ratings)
    assert nominal(measured.chances)
    assert measured.ranks >= 0.93


@pytest.mark.long
def test_intervals_that_ignore_blocks_are_found_out() -> None:
    world, rounds = World(NEAR, 5, liking=1.5), 100
    truth = world.true_ratings()
    good, bad = (
        coverage(world, rounds, TOURNAMENTS, truth, seen) for seen in (lambda results: results, without_blocks)
    )
    print(f"strong liking of deals: {good}; blocks ignored: {bad}")
    assert nominal(good.ratings)
    assert not nominal(bad.ratings)


@pytest.mark.long
def test_halved_intervals_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    world, rounds = WORLDS["5 bots, 5 seats, 100 rounds"]
    halve_intervals(monkeypatch)
    bad = coverage(world, rounds, TOURNAMENTS, world.true_ratings())
    print(f"halved: {bad}")
    assert not nominal(bad.ratings)
