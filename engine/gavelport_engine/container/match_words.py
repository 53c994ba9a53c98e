"""A match of Container in words (`words.Words` of the engine)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.container import actions as act
from gavelport_engine.container import events as ev
from gavelport_engine.container.goods import COLOUR_NAMES, COLOURS, TOP_PRICE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Json

ENDS = {
    "two_colours": "two colours of the supply ran out",
    "max_rounds": "the last round was played",
    "stalled": "nothing moved any more",
}
_PURPOSES = {
    "union": "union wage",
    "containers": "for containers",
    "domestic_sale": "domestic sale",
    "bank_match": "the bank's match",
    "self_purchase": "own lot",
}
# What these tell stands in the action already, or in the payment that goes with them.
_SAID = (
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
)


def bag_words(bag: Sequence[int]) -> str:
    """Return a bag: "2 tan, 1 black"."""
    return ", ".join(f"{count} {COLOUR_NAMES[colour]}" for colour, count in enumerate(bag) if count) or "empty"


def store_words(store: Sequence[int]) -> str:
    """Return a store, cheapest first: "$2: 1 tan, 1 black; $4: 1 tan"."""
    prices = ((price, store[(price - 1) * COLOURS : price * COLOURS]) for price in range(1, TOP_PRICE + 1))
    return "; ".join(f"${price}: {bag_words(bag)}" for price, bag in prices if any(bag)) or "empty"


class ContainerWords:
    """One match of Container in words; see `Words`."""

    def __init__(self, names: Sequence[str]) -> None:
        """Take what to call the seats."""
        self._names = names

    def deal(self, deal: Json) -> tuple[str, dict[str, Sequence[str]]]:
        """Return who starts; factories and cards by seat."""
        start = f"The first turn is that of {self._names[deal['start_seat']]}."
        return start, {"factory": deal["factories"], "card": deal["cards"]}

    def turn(self, event: Any) -> tuple[int, int] | None:
        """Return turn and seat where the event begins a turn."""
        return (event.turn, event.seat) if isinstance(event, ev.TurnBegan) else None

    def holdings(self, state: Any) -> str:
        """Return each seat's cash."""
        return "".join(f"{f'${cash}':>6}" for cash in state.cash)

    def end(self, end: str) -> str:
        """Return why the game ended (8.1, 8.2)."""
        return ENDS.get(end, end)

    def score(self, line: Json) -> dict[str, str]:
        """Return a score line (8.3, 8.4)."""
        return {
            "cash": f"${line['cash']}",
            "island": f"${line['island']}",
            "containers": str(line["island_count"]),
            "all five": "yes" if line["bonus"] else "no",
            "discarded": line["discarded"] or "–",
            "harbour": f"${line['harbour']}",
            "ship": f"${line['ship']}",
            "loans": f"−${line['loans']}" if line["loans"] else "$0",
        }

    def action(self, action: Any, phase: str) -> str:
        """Return what the seat does."""
        match action:
            case act.TakeLoan():
                return "takes a loan"
            case act.Default():
                return "leaves the interest unpaid"
            case act.Seize(island, harbour_store, factory_store):
                return f"chooses what is seized: {self._seized(island, harbour_store, factory_store)}"
            case act.Surrender(asset):
                return f"gives up a {asset}"
            case act.SeizeFactory(colour):
                return f"chooses the factory that is lost: {COLOUR_NAMES[colour]}"
            case act.RepayLoan():
                return "repays a loan"
            case act.DomesticSale(store, price, colour):
                return f"sells 1 {COLOUR_NAMES[colour]} out of the {store} store (${price}) to the supply"
            case act.Pass():
                return "passes"
            case act.Bid(amount, loans):
                return f"{'adds' if phase == 'extra_bid' else 'bids'} ${amount}{_with_loans('taking', loans)}"
            case _:
                return self._trade(action)

    def _trade(self, action: Any) -> str:
        match action:
            case act.BuyFactory(colour):
                return f"buys a factory for {COLOUR_NAMES[colour]}"
            case act.BuyWarehouse():
                return "buys a warehouse"
            case act.Produce(make, factory_store):
                made = f"produces {bag_words(make)}" if any(make) else "re-prices"
                return f"{made} → factory store {store_words(factory_store)}"
            case act.Buy(seller, take, harbour_store):
                return (
                    f"buys from {self._names[seller]} {store_words(take)} → harbour store {store_words(harbour_store)}"
                )
            case act.Reprice(harbour_store):
                return f"re-prices → harbour store {store_words(harbour_store)}"
            case _:
                return self._at_sea(action)

    def _at_sea(self, action: Any) -> str:
        match action:
            case act.Sail(to, take):
                where = {act.SEA: "the open sea", act.ISLAND: "the island"}
                sails = f"sails to {where.get(to) or self._names[to] + '’s harbour'}"
                return f"{sails} and loads {store_words(take)}" if any(take) else sails
            case act.Load(take):
                return f"loads {store_words(take)}"
            case act.Accept(winner, repay):
                return f"sells to {self._names[winner]}{_with_loans('repaying', repay)}"
            case act.Reject(repay):
                return f"keeps the lot{_with_loans('repaying', repay)}"
            case _:
                return str(action)

    def event(self, event: Any) -> str | None:
        """Return what happened, or None where the action says it."""
        names = self._names
        match event:
            case _ if isinstance(event, _SAID):
                return None
            case ev.Payment(payer, payee, amount, purpose):
                return f"${amount} {self._party(payer)} → {self._party(payee)} ({_PURPOSES.get(purpose, purpose)})"
            case ev.LoanCancelled(seat):
                return f"a loan of {names[seat]} is cancelled"
            case ev.Seized(seat, _, island, harbour_store, factory_store):
                return f"{names[seat]} loses {self._seized(island, harbour_store, factory_store)}"
            case ev.FactorySeized(seat, _, colour):
                return f"{names[seat]} loses the {COLOUR_NAMES[colour]} factory"
            case ev.WarehouseSeized(seat):
                return f"{names[seat]} loses a warehouse"
            case ev.Forgiven(seat):
                return f"{names[seat]} is forgiven the interest of a loan"
            case ev.AuctionBegan(_, lot):
                return f"auction of {bag_words(lot)}"
            case ev.BidsRevealed(bids, _):
                return self._tie(bids)
            case ev.ExtraBidsRevealed():
                return None
            case ev.Auctioned(_, to, amount, lot, accepted):
                return f"{bag_words(lot)} to {names[to]} for ${amount}{'' if accepted else ', paid to the bank'}"
            case _:
                return str(event)

    def _tie(self, bids: Sequence[int | None]) -> str | None:
        best = max(bid for bid in bids if bid is not None)
        tied = [self._names[seat] for seat, bid in enumerate(bids) if bid == best]
        return f"{', '.join(tied)} are tied at ${best} and bid what they add" if len(tied) > 1 else None

    def _party(self, seat: int) -> str:
        return "bank" if seat == ev.BANK else self._names[seat]

    def _seized(
        self, island: Sequence[int] | None, harbour: Sequence[int] | None, factory: Sequence[int] | None
    ) -> str:
        parts = []
        if island and any(island):
            parts.append(f"{bag_words(island)} from the island")
        if harbour and any(harbour):
            parts.append(f"{store_words(harbour)} from the harbour store")
        if factory and any(factory):
            parts.append(f"{store_words(factory)} from the factory store")
        return ", and ".join(parts)


def _with_loans(doing: str, loans: int) -> str:
    return f", {doing} {loans} loan{'s' if loans > 1 else ''}" if loans else ""
