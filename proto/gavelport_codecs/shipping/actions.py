"""Shipping's actions on the wire (`shipping-notation.md`, "Actions")."""

from __future__ import annotations

from gavelport.v1 import game_pb2
from gavelport_engine.shipping.actions import KINDS
from gavelport_engine.shipping.table import ASSETS, SHIP_KINDS

from gavelport_codecs.parts import one_of
from gavelport_codecs.records import Family
from gavelport_codecs.shipping.numbered import GOOD, ORDER, REGION, SHIP, SPACE

ASSET = {"asset": one_of(*ASSETS), "ship": SHIP.maybe, "region": REGION.maybe}

ACTIONS = Family(
    game_pb2.GameAction,
    "shipping",
    "action",
    KINDS,
    {
        "move": {"ship": SHIP.part, "path": SPACE.several},
        "buy": {"ship": SHIP.part},
        "sell": {"ship": SHIP.part, "good": GOOD.part, "order": ORDER.maybe},
        "buy_ship": {"kind": one_of(*SHIP_KINDS)},
        "build": {"region": REGION.part},
        "produce": {"region": REGION.part},
        "sell_asset": ASSET,
    },
)
