"""Shipping's events on the wire (`shipping-notation.md`, "Who sees what")."""

from __future__ import annotations

from gavelport.v1 import game_pb2
from gavelport_engine.shipping.data import TRACK
from gavelport_engine.shipping.events import ENDS, KINDS, PURPOSES
from gavelport_engine.shipping.table import BANK, BILLS

from gavelport_codecs.parts import PLAIN, one_of, party
from gavelport_codecs.records import Family
from gavelport_codecs.shipping.actions import ASSET
from gavelport_codecs.shipping.numbered import GOOD, NEWS, ORDER, REGION, SHIP, SPACE

BONUSES = tuple(dict.fromkeys(space.bonus for space in TRACK))
"""The words of the Production Track (9.6)."""

_BILL = one_of(*BILLS)._replace(name="for")
_PURPOSE = one_of(*PURPOSES)._replace(name="for")
_OWNER = party("owner", BANK)

EVENTS = Family(
    game_pb2.GameEvent,
    "shipping",
    "event",
    KINDS,
    {
        "payment": {"payer": party("from", BANK), "payee": party("to", BANK), "purpose": _PURPOSE},
        "moved": {"ship": SHIP.part, "path": SPACE.several},
        "bought": {"ship": SHIP.part, "good": GOOD.part},
        "sold": {"ship": SHIP.part, "good": GOOD.part, "order": ORDER.maybe},
        "order_taken": {"card": ORDER.part},
        "order_open": {"card": ORDER.maybe},
        "order_drawn": {"card": ORDER.maybe},
        "order_counted": {"card": ORDER.part},
        "order_completed": {"card": ORDER.part},
        "ship_bought": {"ship": SHIP.part},
        "built": {"region": REGION.part},
        "produced": {"region": REGION.part},
        "pushed": {"good": GOOD.part, "owner": _OWNER},
        "removed": {"good": GOOD.part, "owner": _OWNER},
        "track": {"bonus": one_of(*BONUSES)},
        "stock": {"before": PLAIN._replace(name="from"), "after": PLAIN._replace(name="to")},
        "news": {"card": NEWS.part},
        "owed": {"purpose": _BILL},
        "asset_sold": ASSET,
        "cargo_lost": {"ship": SHIP.part, "cargo": GOOD.several},
        "bankrupt": {"orders": ORDER.several},
        "over": {"end": one_of(*ENDS)},
    },
)
