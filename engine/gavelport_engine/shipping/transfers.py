"""What a decision gives to another seat, beyond what the rules set a price for.

Companies trade little with each other (`shipping.md 8.2`, 6.8): what a marked container costs is the row's price, the
same whoever made it, and so no gift. A dock fee is: it is paid for nothing, and where to call is the payer's choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.game import Transfer
from gavelport_engine.shipping.actions import Move
from gavelport_engine.shipping.data import COSTS
from gavelport_engine.shipping.movement import fee_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.shipping.actions import Action
    from gavelport_engine.shipping.table import State


def transfers(state: State, seat: int, action: Action) -> Iterator[Transfer]:
    """Yield the dock fee that a legal action pays to another company, $M."""
    if isinstance(action, Move):
        owner = fee_to(state.table, seat, action.path[-1])
        if owner is not None:
            yield Transfer("dock_fee", seat, owner, COSTS["dock_fee"], 0)
