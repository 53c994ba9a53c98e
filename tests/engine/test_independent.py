"""The engine against `independent_container.py`, position by position, over random games of random options."""

from __future__ import annotations

import pkgutil
import random
from typing import TYPE_CHECKING, Any

import pytest
from gavelport_engine.container.actions import Pass, Reprice
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.rng import Stream

from tests.engine.independent_container import Match
from tests.engine.independent_goods import scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.independent_goods import Json


AUCTION = CONTAINER.action_from_notation({"type": "sail", "to": "island"})


def options_of(chance: random.Random) -> Json:
    return {
        "seats": chance.choice([3, 4, 5]),
        "supply_per_player": chance.choice([1, 2, 3, 4, 6]),
        "domestic_sale": chance.random() < 0.4,
        "seized_to": chance.choice(["box", "supply"]),
        "max_rounds": chance.choice([100, 0, 7, 25]),
        "stall_rounds": chance.choice([10, 1, 2, 3]),
    }


def compare(number: int) -> set[str]:
    """Play one game in both, and return the phases that it came to."""
    chance = random.Random(number)
    options, seed = options_of(chance), chance.randbytes(32)
    rng = Stream(seed, "play")
    state = CONTAINER.initial_state(CONTAINER.options(options), seed)
    match = Match(options, seed)
    fingerprints: list[str] = []
    phases: set[str] = set()
    while True:
        assert CONTAINER.to_notation(state) == match.position
        acting = list(CONTAINER.to_act(state))
        assert acting == match.to_act()
        phases.add(match.position["phase"])
        if not acting:
            break
        if chance.random() < 0.5:  # of sealed answers, some first or all together
            acting = acting[:1]
        actions: dict[int, Any] = {}
        for seat in acting:
            actions[seat] = chosen(state, seat, chance, rng)
        if match.position["phase"] == "seize":
            compare_seizures(state, match, acting[0])
        state, trace = CONTAINER.apply(state, actions)
        fingerprints += [one.fingerprint.hex() for one in trace.checkpoints]
        for seat, action in sorted(actions.items()):
            match.act(seat, CONTAINER.action_to_notation(action))
    assert fingerprints == match.fingerprints
    outcome = CONTAINER.outcome(state)
    found = (list(outcome.scores), list(outcome.totals), list(outcome.ranks))
    assert found == scores(match.position["seats"])
    assert outcome.end == match.end
    return phases


def chosen(state: Any, seat: int, chance: random.Random, rng: Stream) -> Any:
    """A random answer; ships with cargo are bent on the island, so that there is something to score; few turns idle."""
    space = CONTAINER.decision(state, seat).space
    if chance.random() < 0.1:
        return CONTAINER.default(state, seat)
    if space.contains(AUCTION) and chance.random() < 0.7:
        return AUCTION
    action = space.sample(rng)
    return space.sample(rng) if isinstance(action, Pass | Reprice) else action


def compare_seizures(state: Any, match: Match, seat: int) -> None:
    """The ways to seize are as many, and the default is the first of them."""
    ways = match.seizures()
    assert ways
    every = CONTAINER.decision(state, seat).space.enumerate()
    assert every is not None
    assert len(list(every)) == len(ways)
    named = zip(("island", "harbour_store", "factory_store"), ways[0], strict=True)
    first = {"type": "seize", **{name: part for name, part in named if part}}
    assert CONTAINER.action_to_notation(CONTAINER.default(state, seat)) == first


GAMES = range(16)
PHASES = {"interest", "seize", "asset", "seize_factory", "action", "bid", "extra_bid", "sale", "over"}


def compare_all() -> set[str]:
    return set().union(*map(compare, GAMES))


def test_both_play_the_same_games() -> None:
    assert compare_all() == PHASES


def one_loan_is_free(real: Callable[..., Any]) -> Callable[..., Any]:
    return lambda state, loans, trace: real(state, max(0, loans - 1), trace)


@pytest.mark.parametrize(
    ("place", "fault"),
    [
        ("turn._pay_interest", one_loan_is_free),
        ("scoring.discarded", lambda real: lambda card, island: None if max(island) == 2 else real(card, island)),
        ("scoring.card_values", lambda real: lambda card, island: real((card + 1) % 5, island)),
        ("turn.end_reason", lambda real: lambda table: None if real(table) == "stalled" else real(table)),
    ],
    ids=["interest", "discard", "card", "end"],
)
def test_a_planted_fault_of_a_rule_is_caught(monkeypatch: pytest.MonkeyPatch, place: str, fault: Any) -> None:
    where = f"gavelport_engine.container.{place}"
    monkeypatch.setattr(where, fault(pkgutil.resolve_name(where)))
    with pytest.raises(AssertionError):
        compare_all()


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_both_play_the_same_of_many_games(first: int) -> None:
    for number in range(first, first + 25):
        compare(1000 + number)
