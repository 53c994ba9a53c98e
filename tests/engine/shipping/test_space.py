"""What may be answered: kinds, random draws, lists and defaults (shipping.md 15.3, shipping-notation.md "Defaults")."""

from collections import Counter

import pytest
from gavelport_engine.rng import Stream
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import legal
from gavelport_engine.shipping.action_notation import NAMES
from gavelport_engine.shipping.data import EDGES, PORTS, SPACES
from gavelport_engine.shipping.movement import is_path, ways
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.space import Space
from gavelport_engine.shipping.table import State

from tests.engine.shipping.positions import OWING, Json, order, ship, state

RICH: Json = {
    "ap": 5,
    "seats.0.cash": 1500,
    "seats.0.ships": {"S1": ship("rotterdam"), "L1": ship("new_york", {"machinery": 2})},
    "seats.0.orders": [order("O33", hidden=True)],
    "seats.0.factories": {"africa": {"built": 1, "marked": 0}},
}
SPACES_OF = {
    "quiet": state(),
    "rich": state(RICH),
    "broke": state({"seats.0.cash": 0, "ap": 0}),
    "closed": state({"seats.0.ships.S1": ship("east_med"), "news": ["N09"], "seats.0.cash": 19}),
    "raise": state(OWING),
}


def space(at: State) -> Space:
    (seat,) = SHIPPING.to_act(at)
    found = SHIPPING.decision(at, seat).space
    assert isinstance(found, Space)
    return found


@pytest.mark.parametrize("name", SPACES_OF)
def test_draws_are_uniform_over_the_legal_kinds(name: str) -> None:
    asked, rng = space(SPACES_OF[name]), Stream(bytes(32), name)
    kinds = asked.kinds()
    drawn = Counter(NAMES[type(asked.sample(rng))] for _ in range(400 * len(kinds)))
    assert set(drawn) == set(kinds)
    assert all(320 <= count <= 480 for count in drawn.values()), drawn


def test_the_kinds_of_a_rich_turn_are_all_there() -> None:
    assert space(state(RICH)).kinds() == tuple(name for name in act.KINDS if name != "sell_asset")


class _Stuck:
    """A broken source: always the same end of the range."""

    def __init__(self, high: bool) -> None:
        self.high = high

    def below(self, k: int) -> int:
        return k - 1 if self.high else 0


@pytest.mark.parametrize("high", [False, True])
@pytest.mark.parametrize("name", SPACES_OF)
def test_a_broken_source_still_draws_what_is_legal(name: str, high: bool) -> None:
    asked = space(SPACES_OF[name])
    assert asked.fault(asked.sample(_Stuck(high))) is None


def everything() -> list[act.Action]:
    """Every action that is not malformed, but for paths out of other ports than here."""
    found: list[act.Action] = [act.DrawOrder(), act.BuyShare(), act.SellShare(), act.EndTurn()]
    for number in range(5):
        for at in (SPACES.index(name) for name in ("rotterdam", "new_york", "east_med")):
            found += [act.Move(number, way.path, boost) for way in ways(at, 5) for boost in (False, True)]
        found += [act.Buy(number, count) for count in (1, 2, 3)]
        found += [act.Sell(number, good, card) for good in range(6) for card in (None, *range(48))]
        found.append(act.SellAsset("ship", ship=number))
    found += [act.BuyShip("small"), act.BuyShip("large"), act.SellAsset("share")]
    found += [act.BuyOrder(slot) for slot in range(4)]
    for region in range(6):
        found += [act.Build(region), act.Produce(region), act.SellAsset("factory", region=region)]
    return found + [act.BuyAp(count) for count in range(1, 9)]


@pytest.mark.parametrize("name", SPACES_OF)
def test_what_is_listed_is_what_is_without_fault(name: str) -> None:
    asked = space(SPACES_OF[name])
    listed = list(asked.enumerate())
    assert len(set(listed)) == len(listed)
    assert set(listed) == {action for action in everything() if asked.contains(action)}
    assert asked.kinds() == tuple(dict.fromkeys(NAMES[type(action)] for action in listed))


def test_a_closed_canal_and_a_toll_beyond_the_cash_leave_the_other_ways() -> None:
    red_sea = SPACES.index("red_sea")
    for changes in ({"news": ["N09"]}, {"seats.0.cash": 19}):
        at = state({"seats.0.ships.S1": ship("east_med"), **changes})
        paths = [action.path for action in space(at).enumerate() if isinstance(action, act.Move)]
        assert paths
        assert not any(red_sea in path for path in paths)


def test_boosted_ways_are_there_exactly_with_ap_or_a_free_boost() -> None:
    for changes, longest in (({"ap": 0}, 3), ({"ap": 0, "boosts": 1}, 4), ({"ap": 1}, 4)):
        moves = [action for action in space(state(changes)).enumerate() if isinstance(action, act.Move)]
        assert max(len(move.path) for move in moves) == longest
        assert all(move.boost == (len(move.path) == 4) for move in moves)


def test_ways_are_all_simple_paths_and_no_ship_is_ever_stuck() -> None:
    """6.4, 6.5, and what `legal.movable` rests on."""
    for at in range(len(SPACES)):
        found = [way.path for way in ways(at, 4)]
        assert len(set(found)) == len(found)
        assert all(is_path(at, path) and min((*path[:-1], PORTS)) >= PORTS for path in found)
        assert any(kind in ("route", "loop") and to >= PORTS for to, kind in EDGES[at])
    square = {(a, b) for a in range(20, 48) for b, _ in EDGES[a]}
    longer = {(a, b, c) for a, b in square if b >= PORTS for c, _ in EDGES[b] if c != a}
    assert sum(len(way.path) == 2 for at in range(20, 48) for way in ways(at, 2)) == len(longer)


def test_an_order_of_another_kind_or_city_is_not_offered() -> None:
    at = state(RICH)
    assert legal.sales(space(at)) == [act.Sell(3, 4, None), act.Sell(3, 4, 32)]


@pytest.mark.parametrize(
    ("name", "default"), [("quiet", act.EndTurn()), ("rich", act.EndTurn()), ("raise", act.SellAsset("share"))]
)
def test_the_defaults_are_those_of_the_notation(name: str, default: act.Action) -> None:
    assert space(SPACES_OF[name]).default() == default
    assert SHIPPING.default(SPACES_OF[name], 0) == default
