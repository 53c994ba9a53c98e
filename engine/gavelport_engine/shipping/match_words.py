"""A match of Shipping in words (`words.Words` of the engine)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.data import DATA, GOODS, NEWS, ORDER_IDS, ORDERS, REGIONS, SPACES
from gavelport_engine.shipping.table import BANK, SHIP_NAMES
from gavelport_engine.shipping.words import goods_in_words, order_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import Json

ENDS = {"years": "the last year's accounts were made", "last_player": "one company was left"}
_PURPOSES = {
    "dock_fee": "dock fee",
    "containers": "for containers",
    "ap": "for AP",
    "news": "the News",
    "asset": "an asset sold",
}
# What these tell stands in the action already, or in the payment that goes with them.
_SAID = (
    ev.TurnBegan,
    ev.Moved,
    ev.Sold,
    ev.Built,
    ev.Produced,
    ev.ApBought,
    ev.AssetSold,
    ev.Over,
)


class ShippingWords:
    """One match of Shipping in words; see `Words`."""

    def __init__(self, names: Sequence[str]) -> None:
        """Take what to call the seats."""
        self._names = names

    def deal(self, deal: Json) -> tuple[str, dict[str, Sequence[str]]]:
        """Return who starts; home cities and hidden Orders by seat, of which events tell more."""
        homes = [DATA.space_names[SPACES.index(home)] for home in deal["homes"]]
        orders = deal["orders"][: len(homes)]
        return f"The first turn is that of {self._names[deal['start_seat']]}.", {"home": homes, "Order": orders}

    def turn(self, event: Any) -> tuple[int, int] | None:
        """Return turn and seat where the event begins a turn."""
        return (event.turn, event.seat) if isinstance(event, ev.TurnBegan) else None

    def holdings(self, state: Any) -> str:
        """Return each seat's cash."""
        return "".join(f"{f'${board.cash}M':>8}" for board in state.table.boards)

    def end(self, end: str) -> str:
        """Return why the game ended (3.6, 11.6)."""
        return ENDS.get(end, end)

    def score(self, line: Json) -> dict[str, str]:
        """Return a score line (14.1)."""
        return {
            "stock": str(line["stock"]),
            "cash": f"${line['cash']}M",
            "for cash": str(line["cash_points"]),
            "Orders": str(line["completed"]),
            "bankrupt": "–" if line["bankrupt"] is None else str(line["bankrupt"]),
        }

    def action(self, action: Any, phase: str) -> str:
        """Return what the seat does."""
        match action:
            case act.Move(ship, path, boost):
                *by, to = (DATA.space_names[space] for space in path)
                way = f"by {', '.join(by)} to {to}" if by else f"to {to}"
                return f"moves {SHIP_NAMES[ship]} {way}{' with a boost' if boost else ''}"
            case act.Buy(ship, count):
                return f"buys {count} {'container' if count == 1 else 'containers'} for {SHIP_NAMES[ship]}"
            case act.Sell(ship, good, order):
                goal = "" if order is None else f" for {ORDER_IDS[order]}"
                return f"sells {GOODS[good].name} from {SHIP_NAMES[ship]}{goal}"
            case act.BuyShip(kind):
                return f"buys a {kind} ship"
            case act.BuyOrder(slot):
                return f"takes the Order in slot {slot}"
            case act.DrawOrder():
                return "draws a hidden Order"
            case act.Build(region):
                return f"builds a factory in {REGIONS[region].name}"
            case act.Produce(region):
                return f"produces {GOODS[REGIONS[region].good].name} in {REGIONS[region].name}"
            case _:
                return self._business(action)

    def _business(self, action: Any) -> str:
        match action:
            case act.BuyShare():
                return "buys a share"
            case act.SellShare():
                return "sells a share"
            case act.BuyAp(count):
                return f"buys {count} AP"
            case act.EndTurn():
                return "ends the turn"
            case act.SellAsset("ship", int(ship)):
                return f"must sell {SHIP_NAMES[ship]}"
            case act.SellAsset("factory", None, int(region)):
                return f"must sell a factory in {REGIONS[region].name}"
            case act.SellAsset():
                return "must sell a share"
            case _:
                return str(action)

    def event(self, event: Any) -> str | None:
        """Return what happened, or None where the action says it."""
        names = self._names
        match event:
            case _ if isinstance(event, _SAID):
                return None
            case ev.Payment(payer, payee, amount, purpose):
                said = _PURPOSES.get(purpose, purpose)
                return f"${amount}M {self._party(payer)} → {self._party(payee)} ({said})"
            case ev.Bought(_, ship, good, count):
                return f"{goods_in_words((good,) * count)} aboard {SHIP_NAMES[ship]}"
            case ev.ShipBought(_, ship):
                return f"{SHIP_NAMES[ship]} is launched"
            case ev.Pushed(good, owner):
                return f"{GOODS[good].name} of {self._party(owner)} comes in"
            case ev.Removed(good, owner):
                return f"{GOODS[good].name} of {self._party(owner)} is taken away"
            case ev.TrackMoved(seat, space, bonus):
                return f"{names[seat]} is on track space {space} ({bonus})"
            case ev.StockMoved(seat, before, after):
                return f"stock of {names[seat]} {before} → {after}"
            case ev.NewsDrawn(card):
                return f"News: {NEWS[card].title}"
            case ev.AccountsBegan(year):
                return f"accounts of year {year}"
            case ev.YearBegan(year):
                return f"year {year} begins"
            case _:
                return self._order(event)

    def _order(self, event: Any) -> str:
        names = self._names
        match event:
            case ev.OrderTaken(seat, _, card):
                return f"{names[seat]} gets {order_in_words(card)}"
            case ev.OrderOpened(slot, int(card)):
                return f"slot {slot}: {order_in_words(card)}"
            case ev.OrderOpened(slot):
                return f"slot {slot} is empty"
            case ev.OrderDrawn(seat, int(card)):
                return f"{names[seat]} gets {order_in_words(card)}"
            case ev.OrderDrawn(seat):
                return f"{names[seat]} gets a hidden Order"
            case ev.OrderCounted(_, card, done):
                return f"{done} of {ORDERS[card].count} for {ORDER_IDS[card]}"
            case ev.OrderCompleted(seat, card):
                return f"{names[seat]} completes {ORDER_IDS[card]}"
            case ev.Reshuffled(cards):
                return f"{cards} discarded Orders are the new deck"
            case _:
                return self._trouble(event)

    def _trouble(self, event: Any) -> str:
        names = self._names
        match event:
            case ev.Owed(seat, due, purpose):
                return f"{names[seat]} must raise ${due}M ({_PURPOSES.get(purpose, purpose)})"
            case ev.Waived(seat, amount):
                return f"${amount}M are waived for {names[seat]}"
            case ev.CargoLost(seat, ship, cargo):
                return f"{names[seat]} loses {goods_in_words(cargo)} with {SHIP_NAMES[ship]}"
            case ev.Bankrupt(seat, orders):
                shown = f", holding {', '.join(ORDER_IDS[card] for card in orders)}" if orders else ""
                return f"{names[seat]} is bankrupt{shown}"
            case _:
                return str(event)

    def _party(self, seat: int) -> str:
        return "the Bank" if seat == BANK else self._names[seat]
