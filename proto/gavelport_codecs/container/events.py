"""Container's events on the wire (`container-notation.md`, "Who sees what")."""

from __future__ import annotations

from gavelport.v1 import game_pb2
from gavelport_engine.container.events import BANK, KINDS, PURPOSES

from gavelport_codecs.container.actions import OWN_STORE
from gavelport_codecs.container.goods import AMOUNTS, BAG, COLOUR, PLACE, STORE
from gavelport_codecs.parts import NUMBERS, one_of, optional, party
from gavelport_codecs.records import Family

PURPOSE = one_of(*PURPOSES)._replace(name="for")

EVENTS = Family(
    game_pb2.GameEvent,
    "container",
    "event",
    KINDS,
    {
        "payment": {"payer": party("from", BANK), "payee": party("to", BANK), "purpose": PURPOSE},
        "seized": {
            "island": optional(BAG),
            "harbour_store": optional(STORE),
            "factory_store": optional(STORE),
        },
        "factory_seized": {"colour": COLOUR.part},
        "sold_domestic": {"store": OWN_STORE, "colour": COLOUR.part},
        "factory_built": {"colour": COLOUR.part},
        "produced": {"make": BAG, "factory_store": STORE},
        "bought": {"take": STORE, "harbour_store": STORE},
        "repriced": {"harbour_store": STORE},
        "sailed": {"to": PLACE},
        "loaded": {"take": STORE},
        "auction": {"lot": BAG},
        "bids": {"bids": AMOUNTS, "loans": NUMBERS},
        "extra_bids": {"extra": AMOUNTS, "loans": NUMBERS},
        "auctioned": {"lot": BAG},
    },
)
