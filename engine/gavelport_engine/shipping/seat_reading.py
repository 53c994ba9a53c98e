"""A seat of a position out of the notation (`shipping-notation.md`, "Position")."""

from __future__ import annotations

from gavelport_engine.errors import NotationError
from gavelport_engine.reading import flag, joined, listing, mapping, shown, whole
from gavelport_engine.shipping import forms
from gavelport_engine.shipping.data import HOMES, LIMITS, ORDERS, REGION_IDS, STOCK_VALUES, TRACK
from gavelport_engine.shipping.legal import CAPACITY, MOST_FACTORIES
from gavelport_engine.shipping.money import FLOOR
from gavelport_engine.shipping.orders import MOST_ORDERS
from gavelport_engine.shipping.table import SHIP_NAMES, Board, HeldOrder, Ship

_KEYS = ("cash", "stock", "track", "home", "ships", "factories", "orders", "completed", "bankrupt")


def read_seat(value: object, path: str) -> tuple[Board, tuple[int, ...]]:
    """Return a seat's board, and the cards of its Orders. Raises NotationError with the place."""
    given = mapping(value, path, _KEYS)
    stock = whole(given["stock"], f"{path}.stock")
    if stock not in STOCK_VALUES:
        raise NotationError(f"{path}.stock", f"{shown(stock)} is no value of the Stock Exchange (11.1)")
    home = forms.SPACE.read(given["home"], f"{path}.home")
    if home not in HOMES:
        raise NotationError(f"{path}.home", f"{given['home']} is no home city (5.6)")
    built, marked = _factories(given["factories"], f"{path}.factories")
    orders, hand = _orders(given["orders"], f"{path}.orders")
    board = Board(
        cash=whole(given["cash"], f"{path}.cash"),
        stock=stock,
        track=whole(given["track"], f"{path}.track", 0, len(TRACK)),
        home=home,
        ships=_ships(given["ships"], f"{path}.ships"),
        built=built,
        marked=marked,
        orders=orders,
        completed=whole(given["completed"], f"{path}.completed"),
        bankrupt=None if given["bankrupt"] is None else whole(given["bankrupt"], f"{path}.bankrupt", 1),
    )
    if board.bankrupt is not None and (
        board.cash or board.stock != FLOOR or any(board.ships) or any(built) or board.orders
    ):
        raise NotationError(path, f"a bankrupt seat has cash 0, stock {FLOOR}, no ships, factories and Orders (11.5)")
    return board, hand


def _ships(value: object, path: str) -> tuple[Ship | None, ...]:
    given = mapping(value, path, (), SHIP_NAMES)
    ships: list[Ship | None] = []
    for name, room in zip(SHIP_NAMES, CAPACITY, strict=True):
        if name not in given:
            ships.append(None)
            continue
        place = joined(path, name)
        entry = mapping(given[name], place, ("at", "cargo", "moved"))
        cargo = forms.read_cargo(entry["cargo"], f"{place}.cargo")
        if len(cargo) > room:
            raise NotationError(f"{place}.cargo", f"there is room for {room} (6.1)")
        at = forms.SPACE.read(entry["at"], f"{place}.at")
        ships.append(Ship(at, cargo, flag(entry["moved"], f"{place}.moved")))
    return tuple(ships)


def _factories(value: object, path: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    built, marked = [0] * len(REGION_IDS), [0] * len(REGION_IDS)
    for name, entry in mapping(value, path, (), REGION_IDS).items():
        place, region = joined(path, name), REGION_IDS.index(name)
        given = mapping(entry, place, ("built", "marked"))
        built[region] = whole(given["built"], f"{place}.built", 0, MOST_FACTORIES)
        marked[region] = whole(given["marked"], f"{place}.marked", 0, built[region])
    return tuple(built), tuple(marked)


def _orders(value: object, path: str) -> tuple[tuple[HeldOrder, ...], tuple[int, ...]]:
    entries = listing(value, path)
    if len(entries) > MOST_ORDERS:
        raise NotationError(path, f"at most {LIMITS['active_orders']} Orders are held (10.4)")
    orders, hand = [], []
    for number, entry in enumerate(entries):
        place = joined(path, number)
        given = mapping(entry, place, ("card", "done", "hidden"))
        card = forms.ORDER.read(given["card"], f"{place}.card")
        hidden = flag(given["hidden"], f"{place}.hidden")
        done = whole(given["done"], f"{place}.done", 0, ORDERS[card].count - 1)
        if hidden and done:
            raise NotationError(f"{place}.hidden", "an Order with a container counted is public (10.5)")
        orders.append(HeldOrder(None if hidden else card, done))
        hand.append(card)
    return tuple(orders), tuple(hand)
