"""What one seat may answer now, from what it may know alone.

The same class serves the referee, which has the whole position, and a bot, which has its
observation: it holds the public table and the seat's own Orders, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import legal, sampling
from gavelport_engine.shipping.faults import fault_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gavelport_engine.errors import Fault
    from gavelport_engine.rng import Rng
    from gavelport_engine.shipping.actions import Action
    from gavelport_engine.shipping.table import Board, Table

_Kind = tuple[str, "Callable[[Space], bool]", "Callable[[Space, Rng], Action]"]

_KINDS: dict[str, tuple[_Kind, ...]] = {
    "turn": (
        ("move", legal.may_move, sampling.move),
        ("buy", legal.may_buy, sampling.buy),
        ("sell", legal.may_sell, sampling.sell),
        ("buy_ship", legal.may_buy_ship, sampling.buy_ship),
        ("buy_order", legal.may_buy_order, sampling.buy_order),
        ("draw_order", legal.may_draw_order, sampling.draw_order),
        ("build", legal.may_build, sampling.build),
        ("produce", legal.may_produce, sampling.produce),
        ("buy_share", legal.may_buy_share, sampling.buy_share),
        ("sell_share", legal.may_sell_share, sampling.sell_share),
        ("buy_ap", legal.may_buy_ap, sampling.buy_ap),
        ("end_turn", legal.may_always, sampling.end_turn),
    ),
    "raise": (("sell_asset", legal.may_always, sampling.sell_asset),),
}
"""By phase: each kind's name, whether it is legal, and how one is drawn; in the notation's order."""

_TRIES = 24


def to_act(table: Table) -> tuple[int, ...]:
    """Return the seat that must answer; none when the game is over."""
    if table.phase == "turn":
        return (table.seat,)
    return () if table.pending is None else (table.pending.seat,)


class Space:
    """What one seat may answer. It looks at the table that it was given: use it before that changes."""

    __slots__ = ("board", "hand", "seat", "table")

    def __init__(self, table: Table, seat: int, hand: tuple[int, ...]) -> None:
        self.table = table
        self.seat = seat
        self.hand = hand
        self.board: Board = table.boards[seat]

    def kinds(self) -> tuple[str, ...]:
        """Return the notation's names of the kinds that are legal, in a fixed order."""
        return tuple(name for name, may, _ in _KINDS[self.table.phase] if may(self))

    def fault(self, action: object) -> Fault | None:
        """Return why an action cannot be taken, or None; anything at all may be asked."""
        return fault_in(self, action)

    def contains(self, action: object) -> bool:
        """Return whether an action is legal; anything at all may be asked."""
        return fault_in(self, action) is None

    def sample(self, rng: Rng) -> Action:
        """Return a legal action: uniform over the legal kinds, then as `sampling.py` tells."""
        kinds = _KINDS[self.table.phase]
        count = len(kinds)
        for _ in range(_TRIES):  # cheaper than asking which are legal, and as uniform
            _, may, draw = kinds[rng.below(count)]
            if may(self):
                return draw(self, rng)
        legal_draws = [draw for _, may, draw in kinds if may(self)]
        return legal_draws[rng.below(len(legal_draws))](self, rng)

    def enumerate(self) -> Iterator[Action]:
        """Return all legal actions in a fixed order, kind by kind; a few hundred at most."""
        return legal.assets(self) if self.table.phase == "raise" else _everything(self)

    def default(self) -> Action:
        """Return what is played for a seat that does not answer (`shipping-notation.md`, "Defaults")."""
        return next(legal.assets(self)) if self.table.phase == "raise" else sampling.END_TURN


def _everything(space: Space) -> Iterator[Action]:
    for number in legal.movable(space):
        yield from legal.moves(space, number)
    for number, most in legal.buyers(space):
        yield from (act.Buy(number, count) for count in range(1, most + 1))
    yield from legal.sales(space)
    yield from map(act.BuyShip, legal.kinds_of_ship(space))
    if legal.may_buy_order(space):
        yield from map(act.BuyOrder, legal.filled_slots(space))
    if legal.may_draw_order(space):
        yield sampling.DRAW_ORDER
    yield from map(act.Build, legal.building_regions(space))
    yield from map(act.Produce, legal.producing_regions(space))
    if legal.may_buy_share(space):
        yield sampling.BUY_SHARE
    if legal.may_sell_share(space):
        yield sampling.SELL_SHARE
    yield from map(act.BuyAp, range(1, legal.most_ap(space) + 1))
    yield sampling.END_TURN
