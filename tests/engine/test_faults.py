"""Every fault code, produced by a case each at least; and anything at all may be asked."""

from typing import Any

import pytest
from gavelport_engine.container import actions as act
from gavelport_engine.container.action_notation import FIELDS
from gavelport_engine.container.goods import EMPTY_BAG, EMPTY_STORE, Colour, at_price, bag, store
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import State
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.positions import LOT, TO_ISLAND, Json, bid, played, state

TAN: dict[int, int] = {Colour.TAN: 1}
STOCKED: Json = {"seats.1.harbour_store": {"3": {"tan": 1}}, "seats.1.warehouses": 2}
DOCKED: Json = {**STOCKED, "seats.0.ship.at": 1}
ISLAND_DEBT: Json = {
    "seats.0.cash": 0,
    "seats.0.loans": 2,
    "seats.0.island": {"tan": 1, "white": 2},
    "phase": "seize",
    "unpaid": 1,
}
FACTORY_DEBT: Json = {
    "seats.0.cash": 0,
    "seats.0.loans": 2,
    "seats.0.factories": ["black", "white", "tan", "brown"],
    "seats.0.factory_store": {},
    "phase": "seize_factory",
    "unpaid": 1,
}
SALE: Json = {"options.domestic_sale": True}
FULL_SHIP: Json = {**DOCKED, "seats.0.ship.cargo": {"tan": 5}}


def sale(changes: Json | None = None) -> State:
    return played({**LOT, **(changes or {})}, TO_ISLAND, bid(1, 12), bid(2, 3))


# code, section, position, seat, action
CASES: list[tuple[str, str, State, Any, Any]] = [
    ("not_to_act", "2.1", state(), 1, act.Pass()),
    ("not_to_act", "6.1 the seller", played(LOT, TO_ISLAND), 0, act.Bid(1)),
    ("not_to_act", "6.1 twice", played(LOT, TO_ISLAND, bid(1, 1)), 1, act.Bid(1)),
    ("not_to_act", "no seat", state(), 7, act.Pass()),
    ("not_to_act", "no number", state(), "0", act.Pass()),
    ("not_to_act", "true is not seat 1", state({"seat": 1}), True, act.Pass()),
    ("not_an_action", "notation", state(), 0, "pass"),
    ("not_an_action", "notation", state(), 0, None),
    ("malformed", "notation", state(), 0, act.BuyFactory(5)),
    ("malformed", "notation", state(), 0, act.BuyFactory(True)),
    ("malformed", "notation", state(), 0, act.Load((0,) * 29)),
    ("malformed", "notation", state(), 0, act.Load([0] * 30)),  # type: ignore[arg-type]
    ("malformed", "notation", state(), 0, act.Load((-1,) + (0,) * 29)),
    ("malformed", "notation", state(), 0, act.Produce((True, 0, 0, 0, 0), EMPTY_STORE)),
    ("malformed", "notation", state(), 0, act.Sail(-3)),
    ("malformed", "notation", state(), 0, act.Surrender("ship")),
    ("malformed", "a field was never set", state(), 0, act.Buy.__new__(act.Buy)),
    ("wrong_phase", "5", state(), 0, act.Bid(1)),
    ("wrong_phase", "6.3", sale(), 0, act.Pass()),
    ("wrong_phase", "3.3", state(ISLAND_DEBT), 2, act.Pass()),
    ("no_cash", "5.1", state({"seats.0.cash": 5}), 0, act.BuyFactory(Colour.TAN)),
    ("no_cash", "5.1", state({"seats.0.cash": 3}), 0, act.BuyWarehouse()),
    ("no_cash", "5.2", state({"seats.0.cash": 0}), 0, act.Produce(EMPTY_BAG, at_price(2, bag({0: 1})))),
    ("no_cash", "5.3", state({"seats.0.cash": 1}), 0, act.Buy(2, store({2: TAN}), store({3: TAN}))),
    ("no_cash", "5.4", state({**STOCKED, "seats.0.cash": 2}), 0, act.Sail(1, store({3: TAN}))),
    ("no_cash", "5.5", state({**DOCKED, "seats.0.cash": 2}), 0, act.Load(store({3: TAN}))),
    ("no_cash", "6.1", played(LOT, TO_ISLAND), 1, act.Bid(21)),
    ("no_cash", "6.1", played(LOT, TO_ISLAND), 1, act.Bid(10**5000, 2)),
    ("no_cash", "6.2", played(LOT, TO_ISLAND, bid(1, 15), bid(2, 15)), 1, act.Bid(6)),
    ("no_cash", "6.3", sale({"seats.0.cash": 11}), 0, act.Reject()),
    ("no_cash", "7.2", state({"seats.0.loans": 1, "seats.0.cash": 9}), 0, act.RepayLoan()),
    ("loan_limit", "7.1", state({"seats.0.loans": 2}), 0, act.TakeLoan()),
    ("loan_limit", "7.1", played(LOT, TO_ISLAND), 1, act.Bid(1, 3)),
    ("loan_limit", "7.1", sale({"seats.0.loans": 2}), 0, act.TakeLoan()),
    ("loan_turn_limit", "7.3", state({"loans_taken": 2}), 0, act.TakeLoan()),
    ("no_loan", "7.2", state(), 0, act.RepayLoan()),
    ("no_loan", "6.5", sale({"seats.0.loans": 1}), 0, act.Accept(1, 2)),
    ("repay_turn_limit", "7.3", state({"seats.0.loans": 1, "loans_repaid": 2}), 0, act.RepayLoan()),
    ("repay_turn_limit", "6.5", sale({"seats.0.loans": 2, "loans_repaid": 1}), 0, act.Accept(1, 2)),
    ("not_due", "3.3a", state(ISLAND_DEBT), 2, act.Seize(bag({3: 1, 1: 1}))),
    ("not_due", "3.3a", state(ISLAND_DEBT), 2, act.Seize()),
    ("not_there", "3.3a", state(ISLAND_DEBT), 2, act.Seize(bag({0: 1}))),
    ("not_there", "5.3", state(), 0, act.Buy(2, store({1: TAN}), store({3: TAN}))),
    ("not_there", "5.4", state(STOCKED), 0, act.Sail(1, store({2: TAN}))),
    ("not_there", "4.1", state(SALE), 0, act.DomesticSale("factory", 3, 0)),
    ("not_there", "4.1", state(SALE), 0, act.DomesticSale("factory", 10**5000, 0)),
    ("not_seizable", "3.3c", state(FACTORY_DEBT), 2, act.SeizeFactory(Colour.WHITE)),
    ("not_seizable", "3.3c", state(FACTORY_DEBT), 2, act.SeizeFactory(Colour.ORANGE)),
    ("sale_off", "4", state(), 0, act.DomesticSale("factory", 2, 0)),
    ("sale_first_turn", "4.2", state({**SALE, "turn": 3}), 0, act.DomesticSale("factory", 2, 0)),
    ("sale_closed", "4.1", state({**SALE, "sold_domestic": True}), 0, act.DomesticSale("factory", 2, 0)),
    ("sale_closed", "4.1", played(SALE, (0, {"type": "pass"})), 0, act.DomesticSale("factory", 2, 0)),
    (
        "sale_wrong_store",
        "4.1",
        state({**SALE, "seats.0.harbour_store": {"2": {"tan": 1}}}),
        0,
        act.DomesticSale("harbour", 2, Colour.TAN),
    ),
    ("colour_owned", "5.1", state(), 0, act.BuyFactory(Colour.BLACK)),
    (
        "no_slot",
        "5.1",
        state({"seats.0.factories": ["black", "white", "tan", "brown"]}),
        0,
        act.BuyFactory(Colour.ORANGE),
    ),
    ("no_slot", "5.1", state({"seats.0.warehouses": 5}), 0, act.BuyWarehouse()),
    ("produced_already", "2.2", state({"produced": True}), 0, act.Produce(EMPTY_BAG, store({2: {0: 1}}))),
    ("wrong_make", "5.2", state(), 0, act.Produce(bag({0: 2}), store({2: {0: 3}}))),
    ("wrong_make", "5.2", state(), 0, act.Produce(bag(TAN), store({2: {0: 1, 3: 1}}))),
    (
        "wrong_make",
        "5.2 all that fits",
        state({"seats.0.factories": ["black", "white", None, None]}),
        0,
        act.Produce(bag({0: 1}), store({2: {0: 2}})),
    ),
    ("wrong_price", "1.6", state(), 0, act.Produce(EMPTY_BAG, store({5: {0: 1}}))),
    ("wrong_price", "1.6", state(), 0, act.Buy(2, store({2: TAN}), store({1: TAN}))),
    ("store_mismatch", "5.2", state(), 0, act.Produce(EMPTY_BAG, EMPTY_STORE)),
    ("store_mismatch", "5.3", state(), 0, act.Reprice(store({2: TAN}))),
    ("store_mismatch", "5.3", state(), 0, act.Buy(2, store({2: TAN}), EMPTY_STORE)),
    ("no_such_seat", "5.3", state(), 0, act.Buy(3, store({2: TAN}), store({2: TAN}))),
    ("no_such_seat", "5.4", state(), 0, act.Sail(10**5000)),
    ("own_seat", "5.3", state(), 0, act.Buy(0, store({2: {0: 1}}), store({2: {0: 1}}))),
    ("nothing_taken", "5.3", state(), 0, act.Buy(2, EMPTY_STORE, EMPTY_STORE)),
    ("nothing_taken", "5.5", state(DOCKED), 0, act.Load(EMPTY_STORE)),
    (
        "no_room",
        "1.6",
        state({"seats.0.harbour_store": {"2": {"tan": 1}}}),
        0,
        act.Buy(2, store({2: TAN}), store({2: {3: 2}})),
    ),
    ("no_room", "1.6", state(FULL_SHIP), 0, act.Load(store({3: TAN}))),
    ("not_reachable", "5.4", state(), 0, act.Sail(act.SEA)),
    ("not_reachable", "5.4", state(DOCKED), 0, act.Sail(2)),
    ("not_reachable", "5.4", state({**DOCKED, **LOT}), 0, act.Sail(act.ISLAND)),
    ("own_harbour", "5.4", state(), 0, act.Sail(0)),
    ("empty_ship", "5.6", state(), 0, act.Sail(act.ISLAND)),
    ("take_at_sea", "5.4", state(DOCKED), 0, act.Sail(act.SEA, store({3: TAN}))),
    ("not_in_harbour", "5.5", state(STOCKED), 0, act.Load(store({3: TAN}))),
    ("not_a_winner", "6.3", sale(), 0, act.Accept(2)),
    ("not_a_winner", "6.3", sale(), 0, act.Accept(0)),
]


@pytest.mark.parametrize(("code", "section", "at", "seat", "action"), CASES)
def test_the_code_of_a_wrong_action(code: str, section: str, at: State, seat: Any, action: Any) -> None:
    before = CONTAINER.to_notation(at)
    fault = CONTAINER.fault(at, seat, action)
    assert fault is not None, section
    assert (fault.code, len(fault.sentence) > 10) == (code, True), fault
    assert len(fault.sentence) < 200
    assert CONTAINER.to_notation(at) == before


def test_every_code_has_a_case_and_every_case_a_code() -> None:
    assert {code for code, *_ in CASES} == set(CONTAINER.fault_codes)


# Numbers as a careless or hostile sender makes them: of the wrong type, negative, huge.
_ODD = st.one_of(
    st.integers(-3, 8),
    st.sampled_from([10**30, 10**5000, -(10**5000), True, False, None, 1.0, "1", float("nan"), b"x"]),
    st.text(max_size=3),
    st.sampled_from(list(Colour)),
)
_PILE = st.one_of(
    _ODD,
    st.sampled_from([EMPTY_BAG, EMPTY_STORE, store({2: TAN})]),
    st.lists(_ODD, max_size=31),
    st.lists(_ODD, max_size=31).map(tuple),
    st.lists(st.integers(0, 2), min_size=5, max_size=5).map(tuple),
    st.lists(st.integers(0, 1), min_size=30, max_size=30).map(tuple),
)
STATES = [
    state(),
    state(DOCKED),
    state(SALE),
    state(ISLAND_DEBT),
    state(FACTORY_DEBT),
    played(LOT, TO_ISLAND),
    played(LOT, TO_ISLAND, bid(1, 5), bid(2, 5)),
    sale(),
]


def _built(kind: type) -> st.SearchStrategy[Any]:
    return st.builds(kind, *(_PILE for _ in FIELDS[kind]))


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.data())
def test_whatever_is_asked_nothing_is_raised(data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(STATES))
    action = data.draw(st.one_of(*map(_built, FIELDS), _ODD))
    seat: Any = data.draw(st.one_of(st.integers(0, 2), _ODD))
    fault = CONTAINER.fault(at, seat, action)
    assert fault is None or fault.code in CONTAINER.fault_codes
    if type(seat) is int and seat in CONTAINER.to_act(at):
        assert CONTAINER.decision(at, seat).space.contains(action) == (fault is None)
        if fault is None:  # what is called legal can be played
            CONTAINER.apply(at, {seat: action})


def test_a_sentence_tells_no_secret() -> None:
    """9.2: the seller's cash and card, changed, change no sentence for the buyer."""
    rich, poor = state({"seats.1.cash": 90}), state({"seats.1.cash": 0, "seats.1.card": "E"})
    for action in (act.Buy(1, store({2: {1: 9}}), EMPTY_STORE), act.Sail(1, store({3: TAN}))):
        assert CONTAINER.fault(rich, 0, action) == CONTAINER.fault(poor, 0, action) is not None
