"""What the replay viewer shows of each game beyond its positions and words, one module a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_server.pages.tables.container import ContainerTable
from gavelport_server.pages.tables.shipping import ShippingTable

if TYPE_CHECKING:
    from gavelport_server.pages.tables.table import TableOf

TABLES: dict[str, TableOf] = {"container": ContainerTable, "shipping": ShippingTable}
"""By the game's name."""
