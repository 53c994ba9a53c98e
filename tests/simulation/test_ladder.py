"""Whatever happens to a ladder, what was promised holds; and the same seed brings the same archive."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from gavelport_server.conduct.journalling import Journal
from gavelport_server.conduct.ladder import service
from gavelport_server.conduct.ladder.queues import Pool
from gavelport_server.ratings import elo
from gavelport_server.referee.core import MatchCore
from gavelport_server.storage.memory import MemoryStore

from tests.simulation.ladder import SimulationFailed, simulate, simulate_in_processes, simulate_many

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_server.storage.store import Result

QUICK = 3


def test_some_seeds() -> None:
    done = simulate_many(range(1, 1 + QUICK))
    assert done["matches"] > 20 * QUICK
    assert done["crash"] >= 1


@pytest.mark.long
def test_two_thousand_seeds() -> None:
    began = time.perf_counter()
    done = simulate_in_processes(2_000, workers=2)
    print(f"2,000 seeds in {time.perf_counter() - began:.0f} s: {dict(done.most_common())}")
    for kind in ("crash", "cut", "bad", "late", "silent", "store failed", "newer version", "start failed"):
        assert done[kind] > 100


@pytest.mark.parametrize("seed", [1, pytest.param(10, marks=pytest.mark.long)])
def test_the_same_seed_brings_the_same_archive(seed: int) -> None:
    first, second = simulate(seed), simulate(seed)
    assert first.done["matches"] > 5
    assert (first.digest, first.done) == (second.digest, second.done)


def test_another_seed_brings_another_archive() -> None:
    assert simulate(1).digest != simulate(2).digest


# -- planted faults, each of which must be found


def a_result_is_lost(patch: pytest.MonkeyPatch) -> None:
    append = MemoryStore.append_result
    seen: list[str] = []

    def planted(self: MemoryStore, identity: str, result: Result) -> Result | None:
        seen.append(result.match_id)
        return result if len(seen) == 7 else append(self, identity, result)

    patch.setattr(MemoryStore, "append_result", planted)


def a_result_is_counted_twice(patch: pytest.MonkeyPatch) -> None:
    results = MemoryStore.results

    def planted(self: MemoryStore, identity: str) -> list[Result]:
        found = list(results(self, identity))
        return found + found[-1:]

    patch.setattr(MemoryStore, "results", planted)


def answers_are_told_before_they_are_on_disk(patch: pytest.MonkeyPatch) -> None:
    def planted(self: Any, call: Callable[[], None]) -> None:
        call()

    patch.setattr(Journal, "when_synced", planted)


def the_default_is_kept_instead_of_an_answer(patch: pytest.MonkeyPatch) -> None:
    answer = MatchCore.answer

    def planted(self: MatchCore, seat: int, decision_id: int, action: Any, *rest: Any) -> Any:
        if decision_id == 2 and self.asks(seat, 2):
            action = self.setup.game.default(self.state, seat)
        return answer(self, seat, decision_id, action, *rest)

    patch.setattr(MatchCore, "answer", planted)


def a_rating_drifts(patch: pytest.MonkeyPatch) -> None:
    expected = elo.expected_score
    patch.setattr(elo, "expected_score", lambda own, other: expected(own, other) + 1e-7)


def one_bot_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    rated = Pool.rated

    def planted(self: Pool, players: Any) -> Any:
        return {bot: player for bot, player in rated(self, players).items() if bot != "c"}

    patch.setattr(Pool, "rated", planted)


def interrupted_matches_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    async def planted(self: Any, left: Any) -> None: ...

    patch.setattr(service.LadderService, "_take_up", planted)


PLANTED: list[Any] = [
    pytest.param(a_result_is_lost, marks=pytest.mark.long),
    pytest.param(a_result_is_counted_twice, marks=pytest.mark.long),
    answers_are_told_before_they_are_on_disk,
    pytest.param(the_default_is_kept_instead_of_an_answer, marks=pytest.mark.long),
    pytest.param(a_rating_drifts, marks=pytest.mark.long),
    pytest.param(one_bot_is_forgotten, marks=pytest.mark.long),
    pytest.param(interrupted_matches_are_forgotten, marks=pytest.mark.long),
]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(SimulationFailed, match="seed"):
        simulate_many(range(1, 40))
