"""The laws along plays in which much happens; and leaks of this game's secrets are caught."""

from collections.abc import Mapping
from typing import Any

import pytest
from gavelport_engine.conformance import laws
from gavelport_engine.conformance.laws import LawBroken, check_noninterference, check_play
from gavelport_engine.errors import Fault
from gavelport_engine.game import SPECTATOR, Trace, Viewer
from gavelport_engine.rng import Stream
from gavelport_engine.shipping.actions import Action
from gavelport_engine.shipping.events import Event, Reshuffled
from gavelport_engine.shipping.hidden import twin
from gavelport_engine.shipping.rules import SHIPPING, Shipping
from gavelport_engine.shipping.space import Space
from gavelport_engine.shipping.table import HeldOrder, Observation, State

from tests.engine.shipping.trader import trade

OPTIONS: list[dict[str, Any]] = [{"seats": 3}, {"seats": 5, "years": 5}, {"seats": 4, "no_elimination": True}]


def seed(number: int) -> bytes:
    return number.to_bytes(32, "big")


class Loose(Shipping):
    """Tells everybody what was drawn."""

    def visible(self, event: Event, viewer: Viewer) -> Event | None:
        return event


class OpenHands(Shipping):
    """Shows hidden Orders."""

    def observation(self, state: State, viewer: Viewer) -> Observation:
        seen = super().observation(state, viewer)
        for board, hand in zip(seen.table.boards, state.hands, strict=True):
            board.orders = tuple(HeldOrder(card) for card in hand)
        return seen


class Foreseeing(Shipping):
    """Shows the News to come as if it were drawn."""

    def observation(self, state: State, viewer: Viewer) -> Observation:
        seen = super().observation(state, viewer)
        seen.table.news += state.news_deck[:1]
        return seen


class Whispering(Shipping):
    """Tells with a refusal what the next Order is."""

    def fault(self, state: State, seat: int, action: object) -> Fault | None:
        found = super().fault(state, seat, action)
        return found and Fault(found.code, f"{found.sentence} {state.order_deck[:1]}")


class Babbling(Shipping):
    """Tells at the end of a turn the sum of the Orders in the deck."""

    def apply_in_place(self, state: State, actions: Mapping[int, Action], trace: Trace[Event] | None) -> None:
        super().apply_in_place(state, actions, trace)
        if trace is not None and trace.checkpoints:
            trace.events.append(Reshuffled(sum(state.order_deck)))


@pytest.mark.parametrize(
    ("game", "law"),
    [
        (Loose(), "non-interference: events"),
        (OpenHands(), "non-interference: observation"),
        (Foreseeing(), "non-interference: observation"),
        (Whispering(), "non-interference: legality"),
        (Babbling(), "non-interference: events"),
    ],
)
def test_a_planted_leak_is_caught(game: Shipping, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        _play_all(game)


def _play_all(game: Shipping) -> None:
    for number in range(20):
        check_play(game, game.options({"seats": 3}), seed(number), twin)


def test_twins_do_differ() -> None:
    """The law would hold of equal positions: twins must not be those."""
    state, rng = SHIPPING.initial_state(SHIPPING.options({}), seed(1)), Stream(seed(1), "x")
    others = [twin(state, 0, rng) for _ in range(20)]
    assert all(other.hands[0] == state.hands[0] for other in others)
    assert len({other.hands[1] for other in others}) > 10
    assert len({other.order_deck for other in others}) == 20
    assert len({other.news_deck for other in others}) == 20
    assert len({other.seed for other in others}) == 20
    assert len({twin(state, SPECTATOR, rng).hands[0] for _ in range(20)}) > 10


def walk(given: dict[str, Any], number: int, wanted: int) -> int:
    """Check so many positions of a profitable play, or as many as there are, for every viewer."""
    options, found = SHIPPING.options(given), 0
    everyone = range(options.seats)
    rng = Stream(seed(number), "walk")
    state = SHIPPING.initial_state(options, seed(number))
    while (seats := SHIPPING.to_act(state)) and found < wanted:
        laws.check_notation(SHIPPING, state)
        laws.check_spaces(SHIPPING, state, everyone, rng)
        laws.check_copy(SHIPPING, state)
        laws.check_observations(SHIPPING, state, everyone)
        for viewer in (*everyone, SPECTATOR):
            check_noninterference(SHIPPING, state, twin, viewer, rng)
            found += 1
        space = SHIPPING.decision(state, seats[0]).space
        assert isinstance(space, Space)
        state = laws.check_pure(SHIPPING, state, {seats[0]: trade(space, rng)})
    if not SHIPPING.to_act(state):
        laws.check_end(SHIPPING, state, everyone)
    return found


def test_the_laws_along_a_profitable_play() -> None:
    assert walk({"seats": 2, "years": 3}, 1, 300) > 100


@pytest.mark.long
@pytest.mark.parametrize("given", OPTIONS, ids=str)
def test_the_laws_along_profitable_plays_in_10000_pairs(given: dict[str, Any]) -> None:
    found = number = 0
    while found < 10_000:
        found += walk(given, number, 10_000 - found)
        number += 1
    assert number > 1
