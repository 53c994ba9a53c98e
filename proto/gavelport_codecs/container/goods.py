"""Bags, stores, colours and places: the small values that everything else is made of.

Readers take the message, the field's name and the path of the message, and raise CodecError with the field's full path.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gavelport.v1 import container_pb2
from gavelport_engine.container.actions import ISLAND, SEA
from gavelport_engine.container.goods import COLOUR_NAMES, COLOURS, EMPTY_STORE, TOP_PRICE

from gavelport_codecs.errors import CodecError
from gavelport_codecs.parts import Numbered, Part

if TYPE_CHECKING:
    from gavelport_engine.container.goods import Bag, Store

_AT_SEA = container_pb2.ContainerPlace(sea=container_pb2.ContainerSea())
_AT_ISLAND = container_pb2.ContainerPlace(island=container_pb2.ContainerIsland())

COLOUR = Numbered("colour", COLOUR_NAMES)


# Messages out of these caches are shared: they are only ever copied into others.
@lru_cache(maxsize=4096)
def bag_message(bag: Bag) -> container_pb2.ContainerBag:
    """Return a bag as a message, which must not be changed."""
    black, white, brown, tan, orange = bag
    return container_pb2.ContainerBag(black=black, white=white, brown=brown, tan=tan, orange=orange)


def _bag(message: container_pb2.ContainerBag) -> Bag:
    return (message.black, message.white, message.brown, message.tan, message.orange)


def read_bag(message: Any, name: str, path: str) -> Bag:
    """Return the bag in a field; an absent one is empty."""
    return _bag(getattr(message, name))


@lru_cache(maxsize=4096)
def store_message(store: Store) -> container_pb2.ContainerStore:
    """Return a store as a message, which must not be changed; prices at which nothing stands are left out."""
    if len(store) != TOP_PRICE * COLOURS:
        raise ValueError(f"a store has {TOP_PRICE * COLOURS} counts, not {len(store)}")
    message = container_pb2.ContainerStore()
    if store != EMPTY_STORE:
        for start in range(0, TOP_PRICE * COLOURS, COLOURS):
            bag = store[start : start + COLOURS]
            if any(bag):
                message.prices[start // COLOURS + 1].CopyFrom(bag_message(bag))
    return message


@lru_cache(maxsize=4096)
def bag_bytes(bag: Bag) -> bytes:
    """Return a bag as a serialised message."""
    return bag_message(bag).SerializeToString()


@lru_cache(maxsize=4096)
def store_bytes(store: Store) -> bytes:
    """Return a store as a serialised message."""
    return store_message(store).SerializeToString(deterministic=True)


def read_store(message: Any, name: str, path: str) -> Store:
    """Return the store in a field; an absent one is empty. Raises CodecError for a price outside $1 to $6."""
    prices = getattr(message, name).prices
    if not prices:
        return EMPTY_STORE
    counts = list(EMPTY_STORE)
    for price, bag in prices.items():
        if not 1 <= price <= TOP_PRICE:
            raise CodecError(f"{path}.{name}.prices", f"price {price}: a store has prices 1 to {TOP_PRICE}")
        counts[(price - 1) * COLOURS : price * COLOURS] = _bag(bag)
    return tuple(counts)


def place_message(place: int) -> container_pb2.ContainerPlace:
    """Return SEA, ISLAND or a harbour's seat as a message."""
    if place == SEA:
        return _AT_SEA
    if place == ISLAND:
        return _AT_ISLAND
    return container_pb2.ContainerPlace(harbour=place)


def read_place(message: Any, name: str, path: str) -> int:
    """Return SEA, ISLAND or a harbour's seat. Raises CodecError where none of them is set."""
    place: container_pb2.ContainerPlace = getattr(message, name)
    match place.WhichOneof("place"):
        case "harbour":
            return place.harbour
        case "sea":
            return SEA
        case "island":
            return ISLAND
        case _:
            raise CodecError(f"{path}.{name}", "is not set; set sea, island or harbour (the harbour's seat)")


def amount_messages(amounts: tuple[int | None, ...]) -> list[container_pb2.ContainerAmount]:
    """Return amounts by seat as messages, absent where there is none."""
    return [container_pb2.ContainerAmount(amount=amount) for amount in amounts]


def read_amounts(message: Any, name: str, path: str) -> tuple[int | None, ...]:
    """Return amounts by seat, None where there is none."""
    return tuple(entry.amount if entry.HasField("amount") else None for entry in getattr(message, name))


BAG = Part(bag_message, read_bag, form=f"a bag, a tuple of {COLOURS} counts ({', '.join(COLOUR_NAMES)})")
STORE = Part(
    store_message,
    read_store,
    form=f"a store, a tuple of {TOP_PRICE * COLOURS} counts ({COLOURS} colours at each price from $1 to ${TOP_PRICE})",
)
PLACE = Part(place_message, read_place, form="SEA, ISLAND or the seat whose harbour it is")
AMOUNTS = Part(amount_messages, read_amounts)
