"""Fast scripted bots for Container straight on the engine, of many habits, some of them in league.

They play by rules of thumb, each with its own prices, bids and taste for factories or ships. Two that are in league
give when they share a table: they buy dear from each other and bid above their own value at each other's auctions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, Any

from gavelport_engine.container import actions as act
from gavelport_engine.container.goods import (
    COLOURS,
    EMPTY_BAG,
    EMPTY_STORE,
    bag,
    colours_of,
    cost,
    pieces,
    piled,
    plus,
    store,
)
from gavelport_engine.container.prices import FACTORY_PRICES, SHIP_CAPACITY, WAREHOUSE_PRICES
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.scoring import card_values
from gavelport_engine.rng import Stream
from gavelport_sdk.container import lot_gain
from gavelport_server.ratings.sittings import Dealing, TableMatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gavelport_engine.container.goods import Bag, Store
    from gavelport_engine.container.table import State

_ALL_FIVE = (1,) * COLOURS
OPTIONS = CONTAINER.options({"seats": 4, "supply_per_player": 3})


@dataclass(frozen=True, slots=True)
class Habits:
    """How a bot plays, with everybody."""

    factory_price: int = 2
    harbour_price: int = 4
    bid_share: float = 0.5
    """Of a lot's full value on its card."""
    spread: float = 0.15
    """How far its bids go up and down around that."""
    factories: int = 2
    warehouses: int = 2
    ships: bool = True
    haste: int = 3
    """Containers aboard with which it makes for the island."""


HONEST = (
    Habits(),
    Habits(factories=4, factory_price=3, ships=False, bid_share=0.45),
    Habits(factories=1, warehouses=4, harbour_price=5, bid_share=0.4),
    Habits(harbour_price=3, bid_share=0.55, haste=2),
    Habits(bid_share=0.95, spread=0.3),  # generous: often bids more than a lot is worth to it
    Habits(factory_price=1, harbour_price=2, bid_share=0.35),  # sells below everybody
    Habits(factories=3, factory_price=4, harbour_price=6),  # dear
    Habits(warehouses=5, factories=1, haste=4, bid_share=0.6),
    Habits(bid_share=0.75, spread=0.4, factory_price=3),  # erratic
    Habits(factories=3, ships=False, bid_share=0.65),
    Habits(haste=5, bid_share=0.5, harbour_price=5),
    Habits(factory_price=1, factories=3, bid_share=0.4, haste=2),
)


def random_habits(rng: Stream) -> Habits:
    """Return habits within what bots may reasonably have, and a little beyond."""
    return Habits(
        factory_price=1 + rng.below(4),
        harbour_price=2 + rng.below(5),
        bid_share=0.3 + rng.below(71) / 100,
        spread=rng.below(41) / 100,
        factories=1 + rng.below(4),
        warehouses=1 + rng.below(5),
        ships=rng.below(4) > 0,
        haste=2 + rng.below(4),
    )


@dataclass(slots=True)
class Player:
    """A bot at a table."""

    habits: Habits
    seat: int
    rng: Stream
    partner: int | None = None
    """The seat to which it gives."""
    left: int = 0
    """Dollars that it still means to give in this match."""

    def answer(self, state: State) -> act.Action:
        """Return what it does; where that is not legal, the default is played."""
        match state.table.phase:
            case "action":
                return self.turn(state)
            case "bid" | "extra_bid":
                return self.bid(state)
            case _:
                return CONTAINER.default(state, self.seat)

    def gain(self, state: State, lot: Bag) -> int:
        """Return what a lot adds to its island area."""
        return lot_gain(state.table.boards[self.seat].island, lot, state.cards[self.seat])

    def bid(self, state: State) -> act.Bid:
        table, spare = state.table, max(0, state.cash[self.seat] - 1)
        if table.phase == "extra_bid":
            return act.Bid(min(1, spare))
        lot = table.boards[table.seat].cargo
        full = sum(map(mul, lot, card_values(state.cards[self.seat], _ALL_FIVE)))
        share = self.habits.bid_share + self.habits.spread * (self.rng.below(2001) / 1000 - 1)
        amount = int(share * full)
        if table.seat == self.partner and self.left > 0:
            amount = max(amount, (self.gain(state, lot) + full) // 2) + self.left
        return act.Bid(max(0, min(amount, spare)))

    def turn(self, state: State) -> act.Action:
        for action in self.wishes(state):
            if CONTAINER.fault(state, self.seat, action) is None:
                return action
        return act.Pass()

    def wishes(self, state: State) -> Iterable[act.Action]:
        table, seat, habits = state.table, self.seat, self.habits
        board, spare = table.boards[seat], state.cash[seat] - 2
        owned = [colour for colour in board.factories if colour is not None]
        if board.loans and spare >= 11 and table.loans_repaid < 2:
            yield act.RepayLoan()
        aboard = sum(board.cargo)
        if aboard >= habits.haste:
            if board.ship_at != act.SEA:
                yield act.Sail(act.SEA)
            elif table.actions_left == 1:
                yield act.Sail(act.ISLAND)
        if habits.ships and aboard < habits.haste:
            harbour, take = self.offer(state, "harbour", SHIP_CAPACITY - aboard, spare, 5)
            if harbour is not None:
                if board.ship_at == harbour:
                    yield act.Load(take)
                elif board.ship_at == act.SEA:
                    yield act.Sail(harbour, take)
                else:
                    yield act.Sail(act.SEA)
        if not table.produced and state.cash[seat] >= 1:
            yield self.production(state)
        room = board.warehouses - sum(board.harbour_store)
        if room > 0:
            seller, take = self.offer(state, "factory", room, spare, habits.harbour_price - 1)
            if seller is not None:
                goods = plus(colours_of(take), colours_of(board.harbour_store))
                yield act.Buy(seller, take, store({self.price(): dict(enumerate(goods))}))
        if len(owned) < habits.factories and FACTORY_PRICES[len(owned)] <= spare - 3:
            yield act.BuyFactory(max(set(range(COLOURS)) - set(owned), key=lambda colour: table.supply[colour]))
        if board.warehouses < habits.warehouses and WAREHOUSE_PRICES[board.warehouses] <= spare - 3:
            yield act.BuyWarehouse()
        if aboard and board.ship_at == act.SEA and table.actions_left == 1 and self.rng.below(3) == 0:
            yield act.Sail(act.ISLAND)

    def price(self) -> int:
        """What it asks in its harbour."""
        return self.habits.harbour_price

    def production(self, state: State) -> act.Produce:
        table, board = state.table, state.table.boards[self.seat]
        room = 2 * (len(board.factories) - board.factories.count(None)) - sum(board.factory_store)
        made = [colour for colour in board.factories if colour is not None and table.supply[colour]][: max(0, room)]
        goods = plus(bag(Counter(made)), colours_of(board.factory_store)) if made else colours_of(board.factory_store)
        price = self.habits.factory_price
        return act.Produce(bag(Counter(made)) if made else EMPTY_BAG, store({price: dict(enumerate(goods))}))

    def offer(self, state: State, kind: str, room: int, spare: int, most: int) -> tuple[int | None, Store]:
        """Return from whom it buys, and what: the most at the lowest price, its partner's goods at any."""
        best, best_take, best_key = None, EMPTY_STORE, (0.0, 0)
        for seller, board in enumerate(state.table.boards):
            if seller == self.seat:
                continue
            goods = board.factory_store if kind == "factory" else board.harbour_store
            is_partner = seller == self.partner and self.left > 0
            take = cheapest(goods, room, spare, 6 if is_partner else most)
            count = sum(take)
            key = (count * (most + 0.5) - cost(take) + 100 * is_partner, self.rng.below(100))
            if count and key > best_key:
                best, best_take, best_key = seller, take, key
        return best, best_take


def cheapest(goods: Store, room: int, money: int, most: int) -> Store:
    """Return the cheapest containers of a store that room and money allow, none above a price."""
    taken: list[int] = []
    for place in pieces(goods):
        price = place // COLOURS + 1
        if len(taken) == room or price > money or price > most:
            break
        taken.append(place)
        money -= price
    return piled(taken, EMPTY_STORE) if taken else EMPTY_STORE


def play(
    bots: Sequence[int], habits: Mapping[int, Habits], seed: bytes, league: tuple[int, int] | None = None, gift: int = 5
) -> TableMatch:
    """Return a match of bots, given by number; of a league, the first means to give the other so many dollars."""
    players = [Player(habits[bot], seat, Stream(seed, "player", bot)) for seat, bot in enumerate(bots)]
    if league is not None and set(league) <= set(bots):
        giver = players[bots.index(league[0])]
        giver.partner, giver.left = bots.index(league[1]), gift
    state: Any = CONTAINER.initial_state(OPTIONS, seed)
    sums: dict[tuple[str, int, int], list[int]] = {}
    while acting := CONTAINER.to_act(state):
        seat = acting[0]
        action = players[seat].answer(state)
        if CONTAINER.fault(state, seat, action) is not None:
            action = CONTAINER.default(state, seat)
        for kind, giving, taking, amount, goods in CONTAINER.transfers(state, seat, action):
            entry = sums.setdefault((kind, giving, taking), [0, 0])
            entry[0] += amount
            entry[1] += goods
            if players[giving].partner == taking:
                players[giving].left -= amount
        CONTAINER.apply_in_place(state, {seat: action}, None)
    dealings = tuple(Dealing(*between, *sums[between]) for between in sums)
    names = tuple(f"bot_{bot:02}" for bot in bots)
    return TableMatch(int.from_bytes(seed[-8:]), names, dealings, CONTAINER.outcome(state).ranks)
