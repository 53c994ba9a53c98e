"""What Shipping's messages number: goods, regions, spaces, ships and cards, in the order of the data file."""

from __future__ import annotations

from gavelport_engine.shipping.data import GOOD_IDS, NEWS_IDS, ORDER_IDS, REGION_IDS, SPACES
from gavelport_engine.shipping.table import SHIP_NAMES

from gavelport_codecs.parts import Numbered

GOOD = Numbered("good", GOOD_IDS)
REGION = Numbered("region", REGION_IDS)
SPACE = Numbered("space", SPACES)
SHIP = Numbered("ship", SHIP_NAMES)
ORDER = Numbered("Order", ORDER_IDS)
NEWS = Numbered("News card", NEWS_IDS)
