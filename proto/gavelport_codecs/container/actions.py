"""Container's actions on the wire (`container-notation.md`, "Decisions and actions")."""

from __future__ import annotations

from gavelport.v1 import game_pb2
from gavelport_engine.container.actions import KINDS

from gavelport_codecs.container.goods import BAG, COLOUR, PLACE, STORE
from gavelport_codecs.parts import one_of
from gavelport_codecs.records import Family

OWN_STORE = one_of("factory", "harbour")

ACTIONS = Family(
    game_pb2.GameAction,
    "container",
    "action",
    KINDS,
    {
        "seize": {"island": BAG, "harbour_store": STORE, "factory_store": STORE},
        "surrender": {"asset": one_of("factory", "warehouse")},
        "seize_factory": {"colour": COLOUR.part},
        "domestic_sale": {"store": OWN_STORE, "colour": COLOUR.part},
        "buy_factory": {"colour": COLOUR.part},
        "produce": {"make": BAG, "factory_store": STORE},
        "buy": {"take": STORE, "harbour_store": STORE},
        "reprice": {"harbour_store": STORE},
        "sail": {"to": PLACE, "take": STORE},
        "load": {"take": STORE},
    },
)
