"""Helpers for bots that play Container: what things cost, what fits, what is worth what, and who has how much cash.

All work on the engine's own values (`gavelport_engine.container`): a bag is 5 counts by colour, a store 30 counts by
price and colour, a board what lies openly before a seat. Nothing here knows more than the bot does.
"""

from __future__ import annotations

from itertools import compress
from operator import mul
from typing import TYPE_CHECKING

from gavelport_engine.container.actions import Produce
from gavelport_engine.container.events import BANK, Event, Payment
from gavelport_engine.container.goods import (
    COLOURS,
    EMPTY_BAG,
    EMPTY_STORE,
    PLACE_PRICES,
    PLACES,
    at_price,
    colours_of,
    plus,
)
from gavelport_engine.container.legal import factory_room, harbour_room, ship_room
from gavelport_engine.container.observe import copy_table
from gavelport_engine.container.prices import FACTORY_PRICES, WAREHOUSE_PRICES
from gavelport_engine.container.scoring import HARBOUR_VALUE, LOAN_COST, SHIP_VALUE, card_values, discarded
from gavelport_engine.container.table import CARD_NAMES, State
from gavelport_engine.game import SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gavelport_engine.container.goods import Bag, Store
    from gavelport_engine.container.table import Board, Observation, Table

ALL_FIVE = (1,) * COLOURS
"""A container of each colour."""
START_CASH = 20
"""What every seat begins with (`container.md 1.2`)."""


class CashTracker:
    """Every seat's exact cash, from public events alone (`container.md 9.2`).

    Give it all events of a match from the first on, in order: in a bot, from `Bot.events`. While sealed bids are being
    made it shows the cash before the loans that are taken with them; nobody else can know of these either.
    """

    def __init__(self, seats: int) -> None:
        """Begin a match of so many seats."""
        self.cash = [START_CASH] * seats
        """By seat, in dollars."""

    def see(self, events: Iterable[Event]) -> None:
        """Take in what has happened."""
        for event in events:
            if isinstance(event, Payment):
                if event.payer != BANK:
                    self.cash[event.payer] -= event.amount
                if event.payee != BANK:
                    self.cash[event.payee] += event.amount


# -- room and prices, container.md 1.6


def factory_space(board: Board) -> int:
    """Return how many containers the factory store still takes."""
    return factory_room(board)


def harbour_space(board: Board) -> int:
    """Return how many containers the harbour store still takes."""
    return harbour_room(board)


def ship_space(board: Board) -> int:
    """Return how many containers the ship still takes."""
    return ship_room(board)


def next_factory_price(board: Board) -> int | None:
    """Return what the cheapest free factory slot costs, in dollars; None when there is none."""
    free = [price for price, colour in zip(FACTORY_PRICES, board.factories, strict=True) if colour is None]
    return min(free, default=None)


def next_warehouse_price(board: Board) -> int | None:
    """Return what the cheapest free warehouse slot costs, in dollars; None when there is none."""
    return WAREHOUSE_PRICES[board.warehouses] if board.warehouses < len(WAREHOUSE_PRICES) else None


# -- whole stores, as Produce, Buy and Reprice take them


def placed(store: Store, goods: Bag, price: int) -> Store:
    """Return the whole store with a bag of goods added at one price."""
    return plus(store, at_price(price, goods))


def repriced(store: Store, price: int) -> Store:
    """Return the store with everything in it at one price."""
    return at_price(price, colours_of(store))


def cheapest(store: Store, most: int, cash: int, wanted: Bag | None = None) -> Store:
    """Return the cheapest containers of a store within a count and an amount of cash, as they stand in it.

    `wanted` has the most of each colour to take; without it any colour will do. At one price colours come in their
    order.
    """
    taken = list(EMPTY_STORE)
    left = list(wanted) if wanted is not None else list(colours_of(store))
    for place in compress(PLACES, store):  # bots that look ahead ask often, and most places are empty
        price, colour = PLACE_PRICES[place], place % COLOURS
        number = max(0, min(store[place], left[colour], most, cash // price))
        taken[place] = number
        left[colour] -= number
        most -= number
        cash -= number * price
    return tuple(taken)


# -- production, container.md 5.2


def producible(table: Table, seat: int) -> Bag:
    """Return what the seat's factories can make of the supply, room in the store left aside."""
    factories = table.boards[seat].factories
    return tuple(int(colour in factories and table.supply[colour] > 0) for colour in range(COLOURS))


def produce(table: Table, seat: int, price: int) -> Produce:
    """Return the action that makes as much as fits, all of it at one price; what is in the store stays as it stands.

    Where room is short, the colours that the store has least of are made, in colour order among equals.
    """
    board = table.boards[seat]
    stocked = colours_of(board.factory_store)
    colours = [colour for colour, count in enumerate(producible(table, seat)) if count]
    colours.sort(key=lambda colour: stocked[colour])
    made = list(EMPTY_BAG)
    for colour in colours[: factory_room(board)]:
        made[colour] = 1
    return Produce(tuple(made), placed(board.factory_store, tuple(made), price))


# -- worth, container.md 8.3 and 8.4


def island_value(island: Bag, card: int) -> int:
    """Return what an island area is worth to the holder of a card, in dollars, after the discard (8.3)."""
    values, gone = card_values(card, island), discarded(card, island)
    return sum(count * values[colour] for colour, count in enumerate(island) if colour != gone)


def lot_gain(island: Bag, lot: Bag, card: int) -> int:
    """Return what a lot would add to an island area's worth as it is now; negative where it moves the discard badly."""
    return island_value(plus(island, lot), card) - island_value(island, card)


def lot_worth(island: Bag, lot: Bag, card: int, hope: float) -> float:
    """Return what a lot may be worth to the holder of a card, in dollars, long before the end.

    Half of it is what the lot adds to the island area as it is now, half what it may add once all five colours are
    there: `hope` (0 to 1) of its full value, for some of what is won will be discarded.
    """
    full: int = sum(map(mul, lot, card_values(card, ALL_FIVE)))
    return (lot_gain(island, lot, card) + hope * full) / 2


def money(board: Board, cash: int, card: int) -> int:
    """Return a seat's money as if the game were over now (8.4)."""
    return (
        cash
        + island_value(board.island, card)
        + HARBOUR_VALUE * sum(board.harbour_store)
        + SHIP_VALUE * sum(board.cargo)
        - LOAN_COST * board.loans
    )


# -- looking ahead


def imagined(observation: Observation, cash: Sequence[int], cards: Sequence[int]) -> State:
    """Return a whole position that may be the true one: what is observed, and a guess at every seat's cash and card.

    The engine plays on from it (`CONTAINER.apply`); it shares nothing with the observation. Cash comes from a
    CashTracker, cards are indices into CARD_NAMES; both are by seat. Raises ValueError where the guess cannot be true:
    a card held twice, or the observer's own cash or card changed; and while the observer's own bid is sealed, since
    an observation does not tell which of its loans came with that bid.
    """
    seats, viewer = observation.table.options.seats, observation.viewer
    if len(cash) != seats or len(cards) != seats:
        raise ValueError(f"there are {seats} seats, and {len(cash)} amounts of cash and {len(cards)} cards are given")
    if min(cash) < 0 or len(set(cards)) < seats or not set(cards) <= set(range(len(CARD_NAMES))):
        raise ValueError(f"no seats can have the cash {list(cash)} and the cards {list(cards)}")
    if viewer is not SPECTATOR and (cash[viewer], cards[viewer]) != (observation.cash, observation.card):
        own = f"${observation.cash} and card {observation.card}"
        raise ValueError(f"seat {viewer} has {own}, not ${cash[viewer]} and card {cards[viewer]}")
    if observation.sealed_bid is not None:
        raise ValueError("the own bid is sealed: look ahead when something is to be decided")
    state = State(copy_table(observation.table), list(cash), tuple(cards))
    if observation.table.phase in ("bid", "extra_bid"):
        state.sealed_bids, state.sealed_loans = [None] * seats, [0] * seats
    return state
