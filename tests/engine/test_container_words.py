"""Container in words: every action, and every event that its action does not tell."""

import pytest
from gavelport_engine.container import actions as act
from gavelport_engine.container import events as ev
from gavelport_engine.container.match_words import ContainerWords

NAMES = ("ann", "bob", "cat")
STORE = (0,) * 5 + (1, 0, 0, 2, 0) + (0,) * 15 + (0, 1, 0, 0, 0)
BAG = (1, 0, 0, 2, 0)

ACTIONS = {
    act.TakeLoan(): "takes a loan",
    act.Default(): "leaves the interest unpaid",
    act.Seize(BAG): "chooses what is seized: 1 black, 2 tan from the island",
    act.Surrender("warehouse"): "gives up a warehouse",
    act.SeizeFactory(3): "chooses the factory that is lost: tan",
    act.RepayLoan(): "repays a loan",
    act.DomesticSale("factory", 2, 3): "sells 1 tan out of the factory store ($2) to the supply",
    act.Pass(): "passes",
    act.BuyFactory(0): "buys a factory for black",
    act.BuyWarehouse(): "buys a warehouse",
    act.Produce(BAG, STORE): "produces 1 black, 2 tan → factory store $2: 1 black, 2 tan; $6: 1 white",
    act.Produce((0,) * 5, (0,) * 30): "re-prices → factory store empty",
    act.Buy(1, STORE, STORE): "buys from bob $2: 1 black, 2 tan; $6: 1 white → harbour store $2: 1 black, 2 tan; "
    "$6: 1 white",
    act.Reprice(STORE): "re-prices → harbour store $2: 1 black, 2 tan; $6: 1 white",
    act.Sail(act.SEA): "sails to the open sea",
    act.Sail(act.ISLAND): "sails to the island",
    act.Sail(0, STORE): "sails to ann’s harbour and loads $2: 1 black, 2 tan; $6: 1 white",
    act.Load(STORE): "loads $2: 1 black, 2 tan; $6: 1 white",
    act.Bid(5, 2): "bids $5, taking 2 loans",
    act.Accept(2, 1): "sells to cat, repaying 1 loan",
    act.Reject(): "keeps the lot",
}
EVENTS = {
    ev.Payment(0, ev.BANK, 3, "interest"): "$3 ann → bank (interest)",
    ev.Payment(ev.BANK, 2, 7, "bank_match"): "$7 bank → cat (the bank's match)",
    ev.LoanCancelled(1): "a loan of bob is cancelled",
    ev.Seized(0, 1, BAG, None, None): "ann loses 1 black, 2 tan from the island",
    ev.Seized(0, 1, None, STORE, STORE): "ann loses $2: 1 black, 2 tan; $6: 1 white from the harbour store, and "
    "$2: 1 black, 2 tan; $6: 1 white from the factory store",
    ev.FactorySeized(0, 1, 4): "ann loses the orange factory",
    ev.WarehouseSeized(0): "ann loses a warehouse",
    ev.Forgiven(0): "ann is forgiven the interest of a loan",
    ev.AuctionBegan(0, BAG): "auction of 1 black, 2 tan",
    ev.BidsRevealed((None, 4, 4), (0, 0, 0)): "bob, cat are tied at $4 and bid what they add",
    ev.Auctioned(0, 1, 4, BAG, accepted=True): "1 black, 2 tan to bob for $4",
    ev.Auctioned(0, 0, 4, BAG, accepted=False): "1 black, 2 tan to ann for $4, paid to the bank",
}
SILENT = {
    ev.LoanTaken,
    ev.LoanRepaid,
    ev.SoldDomestic,
    ev.FactoryBuilt,
    ev.WarehouseBuilt,
    ev.Produced,
    ev.Bought,
    ev.Repriced,
    ev.Sailed,
    ev.Loaded,
    ev.Passed,
    ev.TurnBegan,
    ev.Over,
    ev.ExtraBidsRevealed,
}


@pytest.mark.parametrize("action", ACTIONS)
def test_actions_in_words(action: act.Action) -> None:
    assert ContainerWords(NAMES).action(action, "action") == ACTIONS[action]


def test_an_additional_bid_is_added() -> None:
    assert ContainerWords(NAMES).action(act.Bid(1), "extra_bid") == "adds $1"


@pytest.mark.parametrize("event", EVENTS)
def test_events_in_words(event: ev.Event) -> None:
    assert ContainerWords(NAMES).event(event) == EVENTS[event]


def test_no_action_and_no_event_is_without_words() -> None:
    assert {type(action) for action in ACTIONS} == set(act.KINDS.values())
    assert {type(event) for event in EVENTS} | SILENT == set(ev.KINDS.values())
    assert ContainerWords(NAMES).event(ev.Sailed(0, 1)) is None
    assert ContainerWords(NAMES).event(ev.BidsRevealed((None, 4, 5), (0, 0, 0))) is None
