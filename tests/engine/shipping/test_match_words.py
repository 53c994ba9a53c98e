"""Shipping in words: every action, and every event that its action does not tell."""

from typing import Any

import pytest
from gavelport_engine.game import Trace
from gavelport_engine.rng import Stream
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.data import DATA, GOOD_IDS, NEWS_IDS, ORDER_IDS, REGION_IDS, SPACES
from gavelport_engine.shipping.match_words import ShippingWords
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import BANK, Options

NAMES = ("ann", "bob", "cat")
GRAIN, COFFEE = GOOD_IDS.index("grain"), GOOD_IDS.index("coffee")
EUROPE = REGION_IDS.index("europe")
O02, O33 = ORDER_IDS.index("O02"), ORDER_IDS.index("O33")
WAY = (SPACES.index("north_sea"), SPACES.index("rotterdam"))

ACTIONS: dict[Any, str] = {
    act.Move(0, WAY): "moves S1 by North Sea to Rotterdam",
    act.Move(3, WAY, boost=True): "moves L1 by North Sea to Rotterdam with a boost",
    act.Move(0, WAY[:1]): "moves S1 to North Sea",
    act.Buy(0, 1): "buys 1 container for S1",
    act.Buy(4, 2): "buys 2 containers for L2",
    act.Sell(0, GRAIN): "sells Grain from S1",
    act.Sell(0, GRAIN, O02): "sells Grain from S1 for O02",
    act.BuyShip("large"): "buys a large ship",
    act.BuyOrder(2): "takes the Order in slot 2",
    act.DrawOrder(): "draws a hidden Order",
    act.Build(EUROPE): "builds a factory in Europe",
    act.Produce(EUROPE): "produces Machinery in Europe",
    act.BuyShare(): "buys a share",
    act.SellShare(): "sells a share",
    act.BuyAp(3): "buys 3 AP",
    act.EndTurn(): "ends the turn",
    act.SellAsset("share"): "must sell a share",
    act.SellAsset("ship", ship=1): "must sell S2",
    act.SellAsset("factory", region=EUROPE): "must sell a factory in Europe",
}
EVENTS: dict[Any, str] = {
    ev.Payment(0, BANK, 20, "toll"): "$20M ann → the Bank (toll)",
    ev.Payment(1, 2, 20, "dock_fee"): "$20M bob → cat (dock fee)",
    ev.Bought(0, 0, GRAIN, 1): "1 Grain aboard S1",
    ev.Bought(0, 3, GRAIN, 2): "2 Grain aboard L1",
    ev.ShipBought(0, 1): "S2 is launched",
    ev.OrderTaken(0, 1, O33): "ann gets O33 (1 Machinery to New York, $220M)",
    ev.Pushed(GRAIN, 1): "Grain of bob comes in",
    ev.Removed(COFFEE, BANK): "Coffee of the Bank is taken away",
    ev.TrackMoved(0, 4, "boost"): "ann is on track space 4 (boost)",
    ev.StockMoved(0, 100, 110): "stock of ann 100 → 110",
    ev.NewsDrawn(NEWS_IDS.index("N09")): "News: Suez blocked",
    ev.AccountsBegan(2): "accounts of year 2",
    ev.YearBegan(2): "year 2 begins",
    ev.OrderOpened(1, None): "slot 1 is empty",
    ev.OrderOpened(1, O33): "slot 1: O33 (1 Machinery to New York, $220M)",
    ev.OrderDrawn(0, None): "ann gets a hidden Order",
    ev.OrderDrawn(0, O33): "ann gets O33 (1 Machinery to New York, $220M)",
    ev.OrderCounted(0, O02, 1): "1 of 2 for O02",
    ev.OrderCompleted(0, O02): "ann completes O02",
    ev.Reshuffled(12): "12 discarded Orders are the new deck",
    ev.Owed(2, 130, "maintenance"): "cat must raise $130M (maintenance)",
    ev.Waived(2, 30): "$30M are waived for cat",
    ev.CargoLost(0, 3, (GRAIN, GRAIN)): "ann loses 2 Grain with L1",
    ev.Bankrupt(1, ()): "bob is bankrupt",
    ev.Bankrupt(1, (O02, O33)): "bob is bankrupt, holding O02, O33",
}
SILENT = {
    ev.TurnBegan,
    ev.Moved,
    ev.Sold,
    ev.Built,
    ev.Produced,
    ev.ApBought,
    ev.AssetSold,
    ev.Over,
}


@pytest.mark.parametrize("action", ACTIONS)
def test_actions_in_words(action: Any) -> None:
    assert ShippingWords(NAMES).action(action, "turn") == ACTIONS[action]


@pytest.mark.parametrize("event", EVENTS)
def test_events_in_words(event: Any) -> None:
    assert ShippingWords(NAMES).event(event) == EVENTS[event]


def test_no_action_and_no_event_is_without_words() -> None:
    assert {type(action) for action in ACTIONS} == set(act.KINDS.values())
    assert {type(event) for event in EVENTS} | SILENT == set(ev.KINDS.values())


def test_what_the_action_or_a_payment_tells_is_not_said_twice() -> None:
    """In a random game only kinds that are silent by the list have no words."""
    words, rng, quiet = ShippingWords(NAMES), Stream(bytes(32), "players"), set()
    options = Options(no_elimination=True)
    state = SHIPPING.initial_state(options, bytes(32))
    while seats := SHIPPING.to_act(state):
        trace = Trace[ev.Event]()
        SHIPPING.apply_in_place(state, {seats[0]: SHIPPING.decision(state, seats[0]).space.sample(rng)}, trace)
        quiet |= {type(event) for event in trace.events if words.event(event) is None}
    assert quiet <= SILENT
    assert ev.TurnBegan in quiet


def test_the_deal_is_a_sentence_and_what_each_seat_has() -> None:
    options = Options(seats=3)
    sentence, columns = ShippingWords(NAMES).deal(SHIPPING.deal_to_notation(options, bytes(32)))
    state = SHIPPING.initial_state(options, bytes(32))
    assert sentence == f"The first turn is that of {NAMES[state.table.start]}."
    assert columns["Order"] == [ORDER_IDS[hand[0]] for hand in state.hands]
    assert columns["home"] == [DATA.space_names[board.home] for board in state.table.boards]
