"""What may be answered: kinds, random draws, lists and defaults (container-notation.md, "Defaults")."""

from collections import Counter
from itertools import combinations

import pytest
from gavelport_engine.container import actions as act
from gavelport_engine.container.action_notation import NAMES
from gavelport_engine.container.goods import EMPTY_STORE, Colour, bag, pieces, piled, store
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.seizure import choices
from gavelport_engine.container.space import Space
from gavelport_engine.container.table import State
from gavelport_engine.rng import Stream

from tests.engine.positions import LOT, TO_ISLAND, Json, bid, played, state

RICH: Json = {
    **LOT,
    "options.domestic_sale": True,
    "seats.0.loans": 1,
    "seats.0.warehouses": 2,
    "seats.1.harbour_store": {"2": {"tan": 1}},
    "seats.0.ship.at": 1,
}
STORE_DEBT: Json = {
    "seats.0.cash": 0,
    "seats.0.loans": 2,
    "seats.0.warehouses": 3,
    "seats.0.harbour_store": {"3": {"tan": 1, "white": 1}, "5": {"tan": 1}},
    "phase": "seize",
    "unpaid": 1,
}
ASSET_DEBT: Json = {
    "seats.0.cash": 0,
    "seats.0.loans": 2,
    "seats.0.factories": ["black", "white", "tan", "brown"],
    "seats.0.warehouses": 3,
    "seats.0.factory_store": {},
    "phase": "asset",
    "unpaid": 2,
}
INTEREST: Json = {"seats.0.cash": 0, "seats.0.loans": 1, "phase": "interest"}


def space(at: State) -> Space:
    seat = CONTAINER.to_act(at)[0]
    found = CONTAINER.decision(at, seat).space
    assert isinstance(found, Space)
    return found


SPACES = {
    "quiet": state(),
    "rich": state(RICH),
    "broke": state({"seats.0.cash": 0}),
    "interest": state(INTEREST),
    "seize": state(STORE_DEBT),
    "asset": state(ASSET_DEBT),
    "bid": played(LOT, TO_ISLAND),
    "extra_bid": played(LOT, TO_ISLAND, bid(1, 5), bid(2, 5)),
    "sale": played({**LOT, "seats.0.loans": 1}, TO_ISLAND, bid(1, 5), bid(2, 5), bid(1, 1), bid(2, 1)),
}


@pytest.mark.parametrize("name", SPACES)
def test_draws_are_uniform_over_the_legal_kinds(name: str) -> None:
    asked, rng = space(SPACES[name]), Stream(bytes(32), name)
    kinds = asked.kinds()
    drawn = Counter(NAMES[type(asked.sample(rng))] for _ in range(400 * len(kinds)))
    assert set(drawn) == set(kinds)
    assert all(320 <= count <= 480 for count in drawn.values()), drawn


def test_the_kinds_of_a_rich_turn_are_all_there() -> None:
    expected = [NAMES[kind] for kind in (*act.KINDS.values(),) if NAMES[kind] not in NOT_IN_ACTION]
    assert list(space(state(RICH)).kinds()) == expected


NOT_IN_ACTION = ("default", "seize", "surrender", "seize_factory", "bid", "accept", "reject")


class _Stuck:
    """A broken source: always the same end of the range."""

    def __init__(self, high: bool) -> None:
        self.high = high

    def below(self, k: int) -> int:
        return k - 1 if self.high else 0


@pytest.mark.parametrize("high", [False, True])
@pytest.mark.parametrize("name", SPACES)
def test_a_broken_source_still_draws_what_is_legal(name: str, high: bool) -> None:
    asked = space(SPACES[name])
    assert asked.fault(asked.sample(_Stuck(high))) is None


def test_every_seizure_due_is_listed_once_cheapest_first() -> None:
    """3.3b: two of three containers, those of one colour at other prices being different."""
    listed = list(space(SPACES["seize"]).enumerate() or ())
    tan3, white3, tan5 = ({3: {3: 1}}, {3: {1: 1}}, {5: {3: 1}})
    expected = [
        act.Seize(harbour_store=store({3: {1: 1, 3: 1}})),
        act.Seize(harbour_store=store({**white3, **tan5})),
        act.Seize(harbour_store=store({**tan3, **tan5})),
    ]
    assert listed == expected


def test_every_sale_is_listed() -> None:
    """6.3, 6.5: seller with one loan and $20, two tied at $6."""
    listed = list(space(SPACES["sale"]).enumerate() or ())
    assert listed == [
        act.TakeLoan(),
        *(act.Accept(winner, repay) for winner in (1, 2) for repay in (0, 1)),
        *(act.Reject(repay) for repay in (0, 1)),
    ]


def test_large_spaces_are_not_listed() -> None:
    assert [space(SPACES[name]).enumerate() for name in ("quiet", "bid", "extra_bid")] == [None] * 3


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("quiet", act.Pass()),
        ("interest", act.TakeLoan()),
        ("seize", act.Seize(harbour_store=store({3: {Colour.WHITE: 1, Colour.TAN: 1}}))),
        ("asset", act.Surrender("warehouse")),
        ("bid", act.Bid(0, 0)),
        ("extra_bid", act.Bid(0, 0)),
        ("sale", act.Accept(1, 0)),
    ],
)
def test_the_defaults_are_those_of_the_notation(name: str, default: act.Action) -> None:
    assert space(SPACES[name]).default() == default
    assert CONTAINER.default(SPACES[name], space(SPACES[name]).seat) == default


def test_the_default_for_a_factory_is_the_lower_slot() -> None:
    at = played(ASSET_DEBT, (0, {"type": "surrender", "asset": "factory"}))
    assert space(at).default() == act.SeizeFactory(Colour.TAN)


@pytest.mark.parametrize("count", range(4))
def test_choices_are_all_ways_to_take_so_many(count: int) -> None:
    goods = bag({Colour.BLACK: 2, Colour.TAN: 1, Colour.ORANGE: 1})
    expected = {piled(taken, goods) for taken in combinations(pieces(goods), count)}
    found = list(choices(goods, count))
    assert set(found) == expected
    assert len(found) == len(expected)


def test_take_that_costs_more_than_the_cash_is_put_aside() -> None:
    """sampling.py: drawn containers that the cash left does not cover are left out."""
    at = state(
        {"seats.2.factory_store": {"1": {"tan": 1}, "4": {"tan": 1}}, "seats.0.warehouses": 2, "seats.0.cash": 4}
    )
    rng, seen = Stream(bytes(32), "x"), set()
    for _ in range(600):
        action = space(at).sample(rng)
        if isinstance(action, act.Buy) and action.seller == 2:
            seen.add(action.take)
    assert seen == {store({1: {3: 1}}), store({4: {3: 1}})}
    assert EMPTY_STORE not in seen
