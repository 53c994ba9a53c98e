"""Container in the viewer: auctions with what lots were worth, seizures, the score as it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gavelport_engine.container import actions as act
from gavelport_engine.container import events as ev
from gavelport_engine.container.forms import write_bag
from gavelport_engine.container.goods import COLOUR_NAMES, FACTORY_PRICES, HARBOUR_PRICES, plus
from gavelport_engine.container.match_words import bag_words
from gavelport_engine.container.prices import FACTORY_PRICES as FACTORY_SLOTS
from gavelport_engine.container.prices import SHIP_CAPACITY, WAREHOUSE_PRICES
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.scoring import card_values, discarded, money, score, special_colour
from gavelport_engine.container.space import to_act
from gavelport_engine.container.table import CARD_NAMES, Observation

from gavelport_server.pages.tables.table import FULL, Mark, ScoreLine, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_engine.container.goods import Bag
    from gavelport_engine.container.table import Options, State
    from gavelport_engine.game import Json, Outcome

    from gavelport_server.archive.playback import Step

_PROMPTS = {
    "interest": "must pay interest: take a loan or default?",
    "seize": "chooses what is seized",
    "asset": "chooses what to give up",
    "seize_factory": "chooses the factory that is lost",
    "action": "acts",
    "bid": "bids",
    "extra_bid": "bids what it adds",
    "sale": "sells: accept or reject?",
}
_COSTS = {
    "interest": "interest",
    "union": "union wages",
    "factory": "factories",
    "warehouse": "warehouses",
    "domestic_sale": "domestic sales",
    "loan": "loans",
    "auction": "auctions",
    "bank_match": "auctions",
    "self_purchase": "own lots",
}


@dataclass(slots=True)
class _Auction:
    """An auction as it is being told."""

    first: int
    seller: int
    lot: Bag
    worth: list[int | None]
    face: list[int | None]
    bids: list[int | None] = field(default_factory=list)
    extra: list[int | None] = field(default_factory=list)
    loans: list[int] = field(default_factory=list)
    open_at: int = 0
    """The first decision before which the bids are known."""
    extra_open_at: int = 0
    last: int = 0
    to: int = -1
    amount: int = 0
    accepted: bool = False
    text: list[str] = field(default_factory=list)

    @property
    def final(self) -> list[int | None]:
        """What each seat bids at last; those with the most are the ones that the seller may choose from."""
        extra = self.extra or [None] * len(self.bids)
        return [None if bid is None else bid + (more or 0) for bid, more in zip(self.bids, extra, strict=True)]


class ContainerTable:
    """See `Table`."""

    LEFT: ClassVar[Mapping[str, str]] = {
        "Island": "island value at the end",
        "Harbour store": "left in the harbour store",
        "Ship": "left on the ship",
        "Loans": "loans",
    }

    def __init__(self, options: Options, names: Sequence[str], view: View) -> None:
        """Take the options, what to call the seats, and whose eyes."""
        self._options, self._names, self._view = options, names, view
        self._auctions: list[_Auction] = []
        self._marks: list[Mark] = []

    def fixed(self) -> Json:
        """Return the printed figures, and the cards with their colours by falling value."""
        return {
            "colours": list(COLOUR_NAMES),
            "factory_slots": list(FACTORY_SLOTS),
            "warehouse_slots": list(WAREHOUSE_PRICES),
            "factory_prices": list(FACTORY_PRICES),
            "harbour_prices": list(HARBOUR_PRICES),
            "ship": SHIP_CAPACITY,
            "supply": self._options.supply_per_player * self._options.seats,
            "cards": {name: _card(card) for card, name in enumerate(CARD_NAMES)},
        }

    def prompt(self, phase: str) -> str:
        """Return what is asked in a phase."""
        return _PROMPTS.get(phase, phase)

    def band(self, turn: int, state: State) -> tuple[str, str]:
        """Return the round."""
        number = (turn - 1) // self._options.seats + 1
        return f"round {number}", str(number)

    def now(self, state: State | Observation) -> Json:
        """Return what each seat would score if the game ended now, and what its island area is worth."""
        seats = range(self._options.seats)
        if isinstance(state, Observation):
            return {"score": [None for _ in seats], "island": [None for _ in seats]}
        return {
            "score": [money(score(state, seat)) if self._sees(seat, state) else None for seat in seats],
            "island": [
                _island(state.cards[seat], state.table.boards[seat].island) if self._sees(seat, state) else None
                for seat in seats
            ],
        }

    def payment(self, event: Any) -> tuple[int, int, int] | None:
        """Return a payment."""
        return (event.payer, event.payee, event.amount) if isinstance(event, ev.Payment) else None

    def shown(self, step: Step) -> Json:
        """Return nothing: positions tell all."""
        return {}

    def take(self, step: Step, state: State) -> None:
        """Take note of auctions and seizures."""
        for event in step.events:
            match event:
                case ev.AuctionBegan(seller, lot):
                    self._begin(step.number + 1, seller, lot, state)
                case ev.BidsRevealed(bids, loans):
                    auction = self._auctions[-1]
                    auction.bids, auction.loans, auction.open_at = list(bids), list(loans), step.number + 1
                case ev.ExtraBidsRevealed(extra, loans):
                    auction = self._auctions[-1]
                    auction.extra, auction.extra_open_at = list(extra), step.number + 1
                    auction.loans = [one + more for one, more in zip(auction.loans, loans, strict=True)]
                case ev.Auctioned(_, to, amount, _, accepted):
                    auction = self._auctions[-1]
                    auction.last, auction.to, auction.amount, auction.accepted = step.number, to, amount, accepted
                    self._conclude(auction)
                case ev.Seized(seat) | ev.FactorySeized(seat) | ev.WarehouseSeized(seat):
                    self._marks.append(Mark(step.number, "seizure", f"{self._names[seat]} loses what interest it owes"))
        if state.table.phase == "sale" and self._auctions and state.table.auction is not None:
            self._weigh(self._auctions[-1], state)

    def asked(self, seen: Observation) -> Sequence[int]:
        """Return the seats that must answer."""
        return to_act(seen.table, [None] * self._options.seats)

    def marks(self) -> Sequence[Mark]:
        """Return auctions, by the decision that ends them, and seizures."""
        found = list(self._marks)
        for auction in self._auctions:
            if auction.last:
                kind = "tie" if any(one is not None for one in auction.extra) else "auction"
                found.append(Mark(auction.last, kind, f"{bag_words(auction.lot)}, {self._ending(auction)}"))
        return sorted(found, key=lambda mark: mark.number)

    def extras(self) -> Json:
        """Return the auctions."""
        return {"auctions": [self._written(auction) for auction in self._auctions]}

    def scoring(self, outcome: Outcome, state: State) -> Sequence[ScoreLine]:
        """Return the final scoring (8.3, 8.4)."""
        lines, boards = outcome.scores, state.table.boards
        nothing = [""] * len(lines)
        return [
            ScoreLine("Cash", [line["cash"] for line in lines], nothing),
            ScoreLine(
                "Island",
                [line["island"] for line in lines],
                [_island_reason(state, seat, line) for seat, line in enumerate(lines)],
            ),
            ScoreLine(
                "Harbour store",
                [line["harbour"] for line in lines],
                [f"{sum(board.harbour_store)} × $2" for board in boards],
            ),
            ScoreLine("Ship", [line["ship"] for line in lines], [f"{sum(board.cargo)} × $3" for board in boards]),
            ScoreLine(
                "Loans",
                [-line["loans"] for line in lines],
                [f"{board.loans} × $11" if board.loans else "none" for board in boards],
            ),
        ]

    def income(self, events: Sequence[Any]) -> Sequence[tuple[int, str, int]]:
        """Return what money came and went for; containers by the store that they were bought from."""
        kinds = {type(event) for event in events}
        store = "harbour store" if ev.Loaded in kinds else "factory store"
        found = []
        for event in events:
            if not isinstance(event, ev.Payment):
                continue
            for seat, amount in ((event.payee, event.amount), (event.payer, -event.amount)):
                if seat == ev.BANK:
                    continue
                if event.purpose == "containers":
                    what = f"sales from the {store}" if amount > 0 else "containers bought"
                elif event.purpose == "auction":
                    what = "auctions held" if amount > 0 else "lots bought"
                elif event.purpose == "bank_match":
                    what = "auctions held"
                elif event.purpose == "union":
                    what = "wages received" if amount > 0 else "wages paid"
                else:
                    what = _COSTS.get(event.purpose, event.purpose)
                found.append((seat, what, amount))
        return found

    def _sees(self, seat: int, state: State) -> bool:
        return self._view in (FULL, seat) or state.table.phase == "over"

    def _begin(self, first: int, seller: int, lot: Bag, state: State) -> None:
        worth: list[int | None] = []
        face: list[int | None] = []
        for seat, board in enumerate(state.table.boards):
            if self._view not in (FULL, seat):
                worth.append(None)
                face.append(None)
                continue
            card = state.cards[seat]
            worth.append(_island(card, plus(board.island, lot)) - _island(card, board.island))
            values = card_values(card, plus(board.island, lot))
            face.append(sum(count * value for count, value in zip(lot, values, strict=True)))
        self._auctions.append(_Auction(first, seller, lot, worth, face))

    def _weigh(self, auction: _Auction, state: State) -> None:
        """Take note of what the seller could do; its cash is for its own eyes."""
        if auction.text or self._view not in (FULL, auction.seller):
            return
        seller, cash = auction.seller, state.cash[auction.seller]
        reject = CONTAINER.fault(state, seller, act.Reject(0))
        loan = CONTAINER.fault(state, seller, act.TakeLoan())
        if reject is not None:
            price = max(bid or 0 for bid in auction.final)
            name = self._names[seller]
            if loan is not None:
                held = state.table.boards[seller].loans
                auction.text.append(
                    f"Keeping the lot costs ${price}; {name} has ${cash}, holds {held} loans and can take no more: "
                    "it can only accept."
                )
            else:
                auction.text.append(f"Keeping the lot costs ${price}; {name} has ${cash} and would need a loan.")

    def _conclude(self, auction: _Auction) -> None:
        names = self._names
        seller, to, amount = auction.seller, auction.to, auction.amount
        said = []
        if auction.accepted:
            said.append(f"{names[to]} pays ${amount}, and the bank adds ${amount} for {names[seller]}.")
            if others := [names[seat] for seat, bid in enumerate(auction.final) if bid == amount and seat != to]:
                said.append(f"Still tied: {names[to]} was chosen before {', '.join(others)}.")
        else:
            said.append(f"{names[seller]} pays the bank ${amount} and keeps the lot.")
        worth = auction.worth[to]
        if worth is not None:
            gap = amount - worth
            more = f"${abs(gap)} {'more' if gap > 0 else 'less'} than" if gap else "just what"
            said.append(f"{names[to]} pays {more} the lot adds to its area now (${worth}).".replace("$-", "−$"))
        auction.text = [*said, *auction.text]

    def _ending(self, auction: _Auction) -> str:
        if auction.accepted:
            return f"{self._names[auction.seller]} sells to {self._names[auction.to]} for ${auction.amount}"
        return f"{self._names[auction.seller]} keeps it for ${auction.amount}"

    def _written(self, auction: _Auction) -> Json:
        return {
            "first": auction.first,
            "last": auction.last,
            "seller": auction.seller,
            "lot": write_bag(auction.lot),
            "lot_words": bag_words(auction.lot),
            "bids": auction.bids,
            "extra": auction.extra or [None] * len(auction.bids),
            "final": auction.final,
            "loans": auction.loans,
            "open_at": auction.open_at,
            "extra_open_at": auction.extra_open_at,
            "worth": auction.worth,
            "face": auction.face,
            "winner": auction.to,
            "amount": auction.amount,
            "accepted": auction.accepted,
            "tie": any(one is not None for one in auction.extra),
            "ending": self._ending(auction) if auction.last else "",
            "text": auction.text,
        }


def _island(card: int, island: Bag) -> int:
    """Return what an island area is worth to the holder of a card if the game ended now (8.3)."""
    gone = discarded(card, island)
    values = card_values(card, island)
    return sum(count * values[colour] for colour, count in enumerate(island) if colour != gone)


def _island_reason(state: State, seat: int, line: Json) -> str:
    card, island = state.cards[seat], state.table.boards[seat].island
    values = card_values(card, island)
    if not any(island):
        return f"card {CARD_NAMES[card]}; nothing there"
    counted = [
        f"{count} {COLOUR_NAMES[colour]} × ${values[colour]}"
        for colour, count in enumerate(island)
        if count and COLOUR_NAMES[colour] != line["discarded"]
    ]
    gone = f"{island[COLOUR_NAMES.index(line['discarded'])]} {line['discarded']} discarded"
    bonus = ", all five colours" if line["bonus"] else ""
    return f"card {CARD_NAMES[card]}{bonus}: {', '.join([*counted, gone])}"


def _card(card: int) -> list[list[Any]]:
    """Return a card's colours by falling value: [colour, worth in words]."""
    special = special_colour(card)
    values = card_values(card, (0,) * len(COLOUR_NAMES))
    order = sorted((colour for colour in range(len(values)) if colour != special), key=lambda one: -values[one])
    order.insert(1, special)
    return [[COLOUR_NAMES[one], "$5 or $10" if one == special else f"${values[one]}"] for one in order]
