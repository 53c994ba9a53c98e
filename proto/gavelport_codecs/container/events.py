"""Container's events on the wire (`container-notation.md`, "Who sees what")."""

from __future__ import annotations

from typing import Any

from gavelport.v1 import game_pb2
from gavelport_engine.container.events import BANK, KINDS, PURPOSES

from gavelport_codecs.container.actions import BAG, COLOUR, OWN_STORE, PLACE, STORE
from gavelport_codecs.container.goods import amount_messages, read_amounts
from gavelport_codecs.container.records import Family, Part, one_of, optional


def _read_party(message: Any, name: str, path: str) -> int:
    return int(getattr(message, name)) if message.HasField(name) else BANK


def _read_numbers(message: Any, name: str, path: str) -> tuple[int, ...]:
    return tuple(getattr(message, name))


def _party(name: str) -> Part:
    return Part(lambda party: None if party == BANK else party, _read_party, name)


AMOUNTS = Part(amount_messages, read_amounts)
NUMBERS = Part(read=_read_numbers)
PURPOSE = one_of(*PURPOSES)._replace(name="for")

EVENTS = Family(
    game_pb2.GameEvent,
    "container",
    "event",
    KINDS,
    {
        "payment": {"payer": _party("from"), "payee": _party("to"), "purpose": PURPOSE},
        "seized": {
            "island": optional(BAG),
            "harbour_store": optional(STORE),
            "factory_store": optional(STORE),
        },
        "factory_seized": {"colour": COLOUR},
        "sold_domestic": {"store": OWN_STORE, "colour": COLOUR},
        "factory_built": {"colour": COLOUR},
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
