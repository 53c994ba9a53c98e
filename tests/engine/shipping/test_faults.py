"""Every code of section 16, produced by a case each at least; their order; and anything at all may be asked."""

from typing import Any

import pytest
from gavelport_engine.errors import OptionsError
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping.action_notation import FIELDS
from gavelport_engine.shipping.data import GOOD_IDS, ORDER_IDS, REGION_IDS, SPACES
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import State
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.shipping.positions import LAST_ACCOUNTS, OWING, Json, order, ship, state

EUROPE, AFRICA, ASIA = (REGION_IDS.index(name) for name in ("europe", "africa", "east_asia"))
GRAIN, MACHINERY = (GOOD_IDS.index(name) for name in ("grain", "machinery"))
S1, S2, L1 = 0, 1, 3


def path(*names: str) -> tuple[int, ...]:
    return tuple(SPACES.index(name) for name in names)


def card(name: str) -> int:
    return ORDER_IDS.index(name)


TO_NEW_YORK = path("north_sea", "north_atlantic", "us_east_coast", "new_york")
EAST_MED: Json = {"seats.0.ships.S1": ship("east_med")}
GRAIN_IN_SANTOS: Json = {"seats.0.ships.S1": ship("santos", {"grain": 1})}
FIVE: Json = {"seats.0.orders": [order(name) for name in ("O03", "O04", "O05", "O09", "O10")]}
FLEET: Json = {"seats.0.ships": {name: ship("genoa") for name in ("S1", "S2", "S3", "L1", "L2")}}
AFRICAN: Json = {"seats.0.factories": {"africa": {"built": 2, "marked": 0}}}
BROKE: Json = {"seats.0.cash": 0}
IDLE: Json = {"ap": 0}

# code, section, position, seat, action
CASES: list[tuple[str, str, State, Any, Any]] = [
    ("E01", "3.6", state(LAST_ACCOUNTS), 0, act.EndTurn()),
    ("E01", "3.6 before E02", state(LAST_ACCOUNTS), 7, act.EndTurn()),
    ("E02", "3.2", state(), 1, act.EndTurn()),
    ("E02", "no seat", state(), 7, act.EndTurn()),
    ("E02", "no number", state(), "0", act.EndTurn()),
    ("E02", "true is not seat 1", state({"seat": 1}), True, act.EndTurn()),
    ("E02", "before E03", state(), 2, "junk"),
    ("E02", "13.5 others", state(OWING), 2, act.SellAsset("share")),
    ("E03", "notation", state(), 0, "end_turn"),
    ("E03", "notation", state(), 0, None),
    ("E03", "notation", state(), 0, act.Move(5, ())),
    ("E03", "notation", state(), 0, act.Move(S1, [40])),  # type: ignore[arg-type]
    ("E03", "notation", state(), 0, act.Move(S1, (48,))),
    ("E03", "notation", state(), 0, act.Move(S1, (20,), boost=1)),  # type: ignore[arg-type]
    ("E03", "n < 1", state(), 0, act.Buy(S1, 0)),
    ("E03", "n < 1", state(), 0, act.BuyAp(-1)),
    ("E03", "true is no number", state(), 0, act.BuyAp(True)),
    ("E03", "notation", state(), 0, act.BuyShip("huge")),
    ("E03", "slot", state(), 0, act.BuyOrder(4)),
    ("E03", "notation", state(), 0, act.Sell(S1, 0, 48)),
    ("E03", "a field was never set", state(), 0, act.Build.__new__(act.Build)),
    ("E03", "13.5 no ship named", state(OWING), 0, act.SellAsset("ship")),
    ("E03", "13.5 two named", state(OWING), 0, act.SellAsset("factory", ship=S1, region=EUROPE)),
    ("E03", "before E04", state(), 0, act.SellAsset("share", ship=S1)),
    ("E04", "13.5", state(), 0, act.SellAsset("share")),
    ("E04", "13.5", state(OWING), 0, act.EndTurn()),
    ("E10", "6", state(), 0, act.Move(S2, path("north_sea"))),
    ("E10", "8.1", state(), 0, act.Buy(L1)),
    ("E10", "8.4", state(), 0, act.Sell(L1, GRAIN)),
    ("E11", "6.2", state({"seats.0.ships.S1.moved": True}), 0, act.Move(S1, ())),
    ("E12", "6.4", state(), 0, act.Move(S1, ())),
    ("E12", "6.4", state(), 0, act.Move(S1, path("hamburg"))),
    ("E12", "6.4 back to the start", state(), 0, act.Move(S1, path("north_sea", "rotterdam"))),
    ("E12", "before E13", state(), 0, act.Move(S1, path("north_sea", "hamburg", "north_sea"))),
    (
        "E13",
        "6.5",
        state({"seats.0.ships.S1": ship("java_sea")}),
        0,
        act.Move(S1, path("singapore", "south_china_sea")),
    ),
    ("E14", "6.3", state(), 0, act.Move(S1, TO_NEW_YORK)),
    ("E14", "6.6 boost without need", state(), 0, act.Move(S1, TO_NEW_YORK[:3], boost=True)),
    (
        "E14",
        "6.6 above limit + 1",
        state(),
        0,
        act.Move(S1, path("north_sea", "north_atlantic", "us_east_coast", "caribbean", "houston"), boost=True),
    ),
    ("E15", "12.5", state({**EAST_MED, "news": ["N09"]}), 0, act.Move(S1, path("red_sea"))),
    ("E15", "before E51", state({**EAST_MED, **BROKE, "news": ["N09"]}), 0, act.Move(S1, path("red_sea"))),
    ("E20", "8.1", state(EAST_MED), 0, act.Buy(S1)),
    ("E20", "8.4", state(EAST_MED), 0, act.Sell(S1, GRAIN)),
    ("E21", "5.6", state({"seats.0.ships.S1": ship("sydney")}), 0, act.Buy(S1)),
    ("E21", "5.6 before E24", state(), 0, act.Sell(S1, MACHINERY)),
    ("E22", "8.1", state(), 0, act.Buy(S1, 4)),
    ("E22", "empty row", state({"terminal.machinery": []}), 0, act.Buy(S1)),
    ("E22", "huge", state(), 0, act.Buy(S1, 10**5000)),
    ("E23", "6.1", state(), 0, act.Buy(S1, 2)),
    ("E24", "8.4", state(), 0, act.Sell(S1, GRAIN)),
    ("E25", "8.5 not own", state(GRAIN_IN_SANTOS), 0, act.Sell(S1, GRAIN, card("O01"))),
    (
        "E25",
        "8.5 does not match",
        state({**GRAIN_IN_SANTOS, "seats.0.orders": [order("O03")]}),
        0,
        act.Sell(S1, GRAIN, card("O03")),
    ),
    ("E30", "10.1", state(FLEET), 0, act.BuyShip("small")),
    ("E30", "10.1 before E50", state({**FLEET, **IDLE}), 0, act.BuyShip("large")),
    ("E31", "10.4", state(FIVE), 0, act.DrawOrder()),
    ("E31", "10.4 before E32", state({**FIVE, "open_orders.0": None}), 0, act.BuyOrder(0)),
    ("E32", "10.2", state({"open_orders.0": None}), 0, act.BuyOrder(0)),
    ("E32", "10.8", state({"order_deck": []}), 0, act.DrawOrder()),
    (
        "E33",
        "9.1",
        state({"seats.0.factories": {"africa": {"built": 3, "marked": 0}}}),
        0,
        act.Build(AFRICA),
    ),
    ("E34", "9.2", state(), 0, act.Build(AFRICA)),
    ("E34", "9.2 at sea", state({"seats.0.ships.S1": ship("north_sea")}), 0, act.Build(EUROPE)),
    ("E35", "9.3", state(), 0, act.Produce(EUROPE)),
    ("E35", "9.3", state({"seats.0.factories": {"europe": {"built": 1, "marked": 1}}}), 0, act.Produce(EUROPE)),
    ("E36", "9.3", state({**AFRICAN, "terminal.minerals": [None] * 6}), 0, act.Produce(AFRICA)),
    ("E37", "9.5", state({**AFRICAN, "produced": {"minerals": 1}}), 0, act.Produce(AFRICA)),
    ("E37", "9.5", state({**AFRICAN, **FLEET, "produced": {"minerals": 2}}), 0, act.Produce(AFRICA)),
    ("E40", "11.2", state({"seats.0.stock": 360}), 0, act.BuyShare()),
    ("E40", "11.3 before E41", state({"seats.0.stock": 60, "share_sold": True}), 0, act.SellShare()),
    ("E40", "13.5", state({**OWING, "seats.0.stock": 60}), 0, act.SellAsset("share")),
    ("E41", "11.3", state({"share_sold": True}), 0, act.SellShare()),
    ("E42", "4.4 before E51", state({**BROKE, "ap_bought": True}), 0, act.BuyAp()),
    ("E50", "6.6", state(IDLE), 0, act.Move(S1, TO_NEW_YORK, boost=True)),
    ("E50", "8.1", state(IDLE), 0, act.Buy(S1)),
    ("E50", "R26", state(IDLE), 0, act.BuyShip("small")),
    ("E50", "10.2 before E51", state({**IDLE, **BROKE}), 0, act.BuyOrder(0)),
    ("E50", "10.3", state(IDLE), 0, act.DrawOrder()),
    ("E50", "9.1", state(IDLE), 0, act.Build(EUROPE)),
    ("E50", "9.4", state({**IDLE, **AFRICAN}), 0, act.Produce(AFRICA)),
    ("E50", "11.2", state({"ap": 1, "seats.0.cash": 1000}), 0, act.BuyShare()),
    ("E51", "6.9", state({**EAST_MED, "seats.0.cash": 19}), 0, act.Move(S1, path("red_sea"))),
    ("E51", "8.2", state({"seats.0.cash": 159}), 0, act.Buy(S1)),
    ("E51", "10.1", state({"seats.0.cash": 199}), 0, act.BuyShip("large")),
    ("E51", "10.2", state({"seats.0.cash": 49}), 0, act.BuyOrder(0)),
    ("E51", "10.3", state({"seats.0.cash": 19}), 0, act.DrawOrder()),
    ("E51", "9.1", state({"seats.0.cash": 49}), 0, act.Build(EUROPE)),
    ("E51", "9.4", state({**AFRICAN, "seats.0.cash": 19}), 0, act.Produce(AFRICA)),
    ("E51", "11.2", state({"seats.0.cash": 999}), 0, act.BuyShare()),
    ("E51", "4.4", state(), 0, act.BuyAp(3)),
    ("E51", "4.4 huge", state(), 0, act.BuyAp(10**5000)),
    ("E60", "13.5", state(OWING), 0, act.SellAsset("ship", ship=4)),
    ("E60", "13.5", state(OWING), 0, act.SellAsset("factory", region=ASIA)),
]


@pytest.mark.parametrize(("code", "section", "at", "seat", "action"), CASES)
def test_the_code_of_a_wrong_action(code: str, section: str, at: State, seat: Any, action: Any) -> None:
    before = SHIPPING.to_notation(at)
    fault = SHIPPING.fault(at, seat, action)
    assert fault is not None, section
    assert (fault.code, len(fault.sentence) > 10) == (code, True), fault
    assert len(fault.sentence) < 200
    assert SHIPPING.to_notation(at) == before


def test_every_code_has_a_case_and_every_case_a_code() -> None:
    """E70 is for what describes no game at all."""
    with pytest.raises(OptionsError) as caught:
        SHIPPING.options({"years": 2})
    assert {code for code, *_ in CASES} | {caught.value.code} == set(SHIPPING.fault_codes)


def test_a_path_is_judged_however_long_it_is() -> None:
    fault = SHIPPING.fault(state(), 0, act.Move(S1, path("north_sea", "gibraltar") * 100_000))
    assert fault is not None
    assert fault.code == "E12"


# Numbers as a careless or hostile sender makes them: of the wrong type, negative, huge.
_ODD = st.one_of(
    st.integers(-3, 50),
    st.sampled_from([10**30, 10**5000, -(10**5000), True, False, None, 1.0, "1", float("nan"), b"x"]),
    st.sampled_from(["small", "large", "share", "ship", "factory", "", "S1"]),
    st.text(max_size=3),
)
_VALUE = st.one_of(
    _ODD,
    st.integers(0, 5),
    st.lists(_ODD, max_size=6),
    st.lists(st.one_of(st.integers(18, 47), _ODD), max_size=6).map(tuple),
    st.sampled_from([path("north_sea"), TO_NEW_YORK]),
)
STATES = [
    state(),
    state(FLEET),
    state({**AFRICAN, **FIVE}),
    state({"seats.0.ships.S1": ship("new_york", {"machinery": 1}), "seats.0.orders": [order("O33", hidden=True)]}),
    state(OWING),
    state(LAST_ACCOUNTS),
]


def _built(kind: type) -> st.SearchStrategy[Any]:
    return st.builds(kind, *(_VALUE for _ in FIELDS[kind]))


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.data())
def test_whatever_is_asked_nothing_is_raised(data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(STATES))
    action = data.draw(st.one_of(*map(_built, FIELDS), _ODD))
    seat: Any = data.draw(st.one_of(st.integers(0, 2), _ODD))
    fault = SHIPPING.fault(at, seat, action)
    assert fault is None or fault.code in SHIPPING.fault_codes
    if type(seat) is int and seat in SHIPPING.to_act(at):
        assert SHIPPING.decision(at, seat).space.contains(action) == (fault is None)
        if fault is None:  # what is called legal can be played
            SHIPPING.apply(at, {seat: action})


def test_a_sentence_tells_no_secret() -> None:
    """15.1: whose an Order is, or whether it lies in the deck, changes no sentence."""
    sentences = set()
    elsewhere: list[Json] = [
        {},
        {"order_deck": []},
        {"order_deck": [], "seats.2.orders": [order("O01", hidden=True)]},
    ]
    for changes in elsewhere:
        fault = SHIPPING.fault(state({**GRAIN_IN_SANTOS, **changes}), 0, act.Sell(S1, GRAIN, card("O01")))
        assert fault is not None
        sentences.add(fault)
    assert len(sentences) == 1
