"""What one seat may answer now, from what it may know alone.

The same class serves the referee, which has the whole position, and a bot, which has its
observation: it holds the public table and the seat's own cash, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container import actions as act
from gavelport_engine.container import legal, sampling
from gavelport_engine.container.auction import bidders
from gavelport_engine.container.faults import fault_in
from gavelport_engine.container.seizure import choices, due, seizable_factories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gavelport_engine.container.actions import Action
    from gavelport_engine.container.table import Board, Table
    from gavelport_engine.errors import Fault
    from gavelport_engine.rng import Rng

_Kind = tuple[str, "Callable[[Space], bool]", "Callable[[Space, Rng], Action]"]
_ALWAYS = legal.may_always

_ONLY_TAKE_LOAN: _Kind = ("take_loan", legal.may_take_loan, sampling.take_loan)
_BID: tuple[_Kind, ...] = (("bid", _ALWAYS, sampling.bid),)

_KINDS: dict[str, tuple[_Kind, ...]] = {
    "interest": (
        ("take_loan", _ALWAYS, sampling.take_loan),
        ("default", _ALWAYS, sampling.default),
    ),
    "seize": (("seize", _ALWAYS, sampling.seize),),
    "asset": (("surrender", _ALWAYS, sampling.surrender),),
    "seize_factory": (("seize_factory", _ALWAYS, sampling.seize_factory),),
    "action": (
        _ONLY_TAKE_LOAN,
        ("repay_loan", legal.may_repay_loan, sampling.repay_loan),
        ("domestic_sale", legal.may_sell_domestic, sampling.domestic_sale),
        ("pass", _ALWAYS, sampling.pass_),
        ("buy_factory", legal.may_buy_factory, sampling.buy_factory),
        ("buy_warehouse", legal.may_buy_warehouse, sampling.buy_warehouse),
        ("produce", legal.may_produce, sampling.produce),
        ("buy", legal.may_buy, sampling.buy),
        ("reprice", _ALWAYS, sampling.reprice),
        ("sail", _ALWAYS, sampling.sail),
        ("load", legal.may_load, sampling.load),
    ),
    "bid": _BID,
    "extra_bid": _BID,
    "sale": (
        _ONLY_TAKE_LOAN,
        ("accept", _ALWAYS, sampling.accept),
        ("reject", legal.may_reject, sampling.reject),
    ),
}
"""By phase: each kind's name, whether it is legal, and how one is drawn; in the notation's order."""

_TRIES = 16


def to_act(table: Table, sealed_bids: Sequence[int | None]) -> tuple[int, ...]:
    """Return the seats that must answer, ascending, given which sealed bids have come in."""
    phase = table.phase
    if phase in ("action", "interest", "asset", "sale"):
        return (table.seat,)
    if phase in ("seize", "seize_factory"):
        return ((table.seat - 1) % table.options.seats,)
    if phase == "over":
        return ()
    assert table.auction is not None
    asked = bidders(phase, table.seat, table.auction)
    return tuple(seat for seat in asked if sealed_bids[seat] is None)


class Space:
    """What one seat may answer. It looks at the table that it was given: use it before that changes."""

    __slots__ = ("board", "cash", "seat", "table")

    def __init__(self, table: Table, seat: int, cash: int) -> None:
        self.table = table
        self.seat = seat
        self.cash = cash
        self.board: Board = table.boards[seat]

    @property
    def debtor(self) -> Board:
        """The board of the seat to move, whose containers or factory the neighbour names (3.3)."""
        return self.table.boards[self.table.seat]

    def kinds(self) -> tuple[str, ...]:
        """Return the notation's names of the kinds that are legal, in a fixed order."""
        return tuple([name for name, may, _ in _KINDS[self.table.phase] if may is _ALWAYS or may(self)])

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

    def enumerate(self) -> Iterator[Action] | None:
        """Return all legal actions in a fixed order; None in phases `action`, `bid`, `extra_bid`."""
        lister = _LISTERS.get(self.table.phase)
        return None if lister is None else lister(self)

    def default(self) -> Action:
        """Return what is played for a seat that does not answer (`container-notation.md`, "Defaults")."""
        return _DEFAULTS[self.table.phase](self)


def _interests(space: Space) -> Iterator[Action]:
    yield from (act.TakeLoan(), act.Default())


def _seizures(space: Space) -> Iterator[Action]:
    """Yield every seizure of exactly what is due, lowest price first, then by colour (3.3a, b)."""
    board, taken = space.debtor, due(space.debtor)
    for island in choices(board.island, taken.island):
        for harbour in choices(board.harbour_store, taken.harbour):
            for factory in choices(board.factory_store, taken.factory):
                yield act.Seize(island, harbour, factory)


def _assets(space: Space) -> Iterator[Action]:
    yield from (act.Surrender("factory"), act.Surrender("warehouse"))


def _factories(space: Space) -> Iterator[Action]:
    yield from map(act.SeizeFactory, seizable_factories(space.debtor))


def _sales(space: Space) -> Iterator[Action]:
    """Yield what the seller may do (6.3, 6.5, 7.1)."""
    assert space.table.auction is not None
    if legal.may_take_loan(space):
        yield act.TakeLoan()
    price = legal.sale_price(space)
    for winner in space.table.auction.winners:
        for repay in range(legal.most_repayments(space, space.cash + 2 * price) + 1):
            yield act.Accept(winner, repay)
    if legal.may_reject(space):
        for repay in range(legal.most_repayments(space, space.cash - price) + 1):
            yield act.Reject(repay)


def _first_winner(space: Space) -> Action:
    assert space.table.auction is not None
    return act.Accept(space.table.auction.winners[0])


_LISTERS: dict[str, Callable[[Space], Iterator[Action]]] = {
    "interest": _interests,
    "seize": _seizures,
    "asset": _assets,
    "seize_factory": _factories,
    "sale": _sales,
}

_DEFAULTS: dict[str, Callable[[Space], Action]] = {
    "interest": lambda _: act.TakeLoan(),
    "seize": lambda space: next(_seizures(space)),
    "asset": lambda _: act.Surrender("warehouse"),
    "seize_factory": lambda space: next(_factories(space)),
    "action": lambda _: act.Pass(),
    "bid": lambda _: act.Bid(0),
    "extra_bid": lambda _: act.Bid(0),
    "sale": _first_winner,
}
