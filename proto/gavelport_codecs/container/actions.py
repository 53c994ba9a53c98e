"""Container's actions on the wire (`container-notation.md`, "Decisions and actions")."""

from __future__ import annotations

from gavelport.v1 import game_pb2
from gavelport_engine.container.actions import KINDS

from gavelport_codecs.container.goods import (
    bag_message,
    colour_number,
    place_message,
    read_bag,
    read_colour,
    read_place,
    read_store,
    store_message,
)
from gavelport_codecs.container.records import Family, Part, one_of

BAG = Part(bag_message, read_bag)
STORE = Part(store_message, read_store)
COLOUR = Part(colour_number, read_colour)
PLACE = Part(place_message, read_place)
OWN_STORE = one_of("factory", "harbour")

ACTIONS = Family(
    game_pb2.GameAction,
    "container",
    "action",
    KINDS,
    {
        "seize": {"island": BAG, "harbour_store": STORE, "factory_store": STORE},
        "surrender": {"asset": one_of("factory", "warehouse")},
        "seize_factory": {"colour": COLOUR},
        "domestic_sale": {"store": OWN_STORE, "colour": COLOUR},
        "buy_factory": {"colour": COLOUR},
        "produce": {"make": BAG, "factory_store": STORE},
        "buy": {"take": STORE, "harbour_store": STORE},
        "reprice": {"harbour_store": STORE},
        "sail": {"to": PLACE, "take": STORE},
        "load": {"take": STORE},
    },
)
