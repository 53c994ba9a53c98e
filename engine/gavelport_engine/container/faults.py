"""Why an action cannot be taken (`container.md 3` to 7), a code and a sentence each.

Every check asks a `Space`, that is what the acting seat may know, so no sentence can tell it more.
Nothing here raises, whatever is given as an action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gavelport_engine.container import actions as act
from gavelport_engine.container import legal
from gavelport_engine.container.action_notation import FIELDS, NAMES
from gavelport_engine.container.forms import write_bag
from gavelport_engine.container.goods import (
    COLOUR_NAMES,
    COLOURS,
    FACTORY_PRICES,
    HARBOUR_PRICES,
    TOP_PRICE,
    Bag,
    Store,
    colours_of,
    cost,
    plus,
    within,
)
from gavelport_engine.container.money import LOAN, MOST_LOANS
from gavelport_engine.container.prices import FACTORY_PRICES as SLOT_PRICES
from gavelport_engine.container.prices import UNION_WAGE, WAREHOUSE_PRICES
from gavelport_engine.container.seizure import due, seizable_factories
from gavelport_engine.errors import Fault
from gavelport_engine.reading import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_engine.container.space import Space

CODES = {
    "not_to_act": "the seat is not asked for anything now",
    "not_an_action": "what was answered is no action of this game",
    "malformed": "the action cannot be read, or a value in it is of the wrong kind",
    "wrong_phase": "this kind of action does not answer the question that is asked",
    "no_cash": "the cash does not cover it (5.7, 6.1, 6.3, 7.2)",
    "loan_limit": "at most two loans are held at a time (7.1)",
    "loan_turn_limit": "the seat to move takes at most two loans in a turn (7.3)",
    "no_loan": "more loans are repaid than are held (7.2)",
    "repay_turn_limit": "the seat to move repays at most two loans in a turn (7.3)",
    "not_due": "a seizure takes exactly what is due (3.3)",
    "not_there": "the containers named do not lie there",
    "not_seizable": "only factories in the $9 and $12 slots can be taken (3.3c)",
    "sale_off": "the domestic sale is switched off (4)",
    "sale_first_turn": "there is no domestic sale in a seat's first turn (4.2)",
    "sale_closed": "one domestic sale a turn, before the first action (4.1)",
    "sale_wrong_store": "a domestic sale is from the factory store while anything is in it (4.1)",
    "colour_owned": "no two factories of one colour (1.6)",
    "no_slot": "no slot is free (1.6)",
    "produced_already": "Produce only once a turn (2.2)",
    "wrong_make": "all that fits must be produced, or nothing (5.2)",
    "wrong_price": "the store has no such price (1.6)",
    "store_mismatch": "the store afterwards does not hold exactly what it must (5.2, 5.3)",
    "no_such_seat": "there is no such seat",
    "own_seat": "nobody buys from oneself (5.3)",
    "nothing_taken": "at least one container must be bought (5.3, 5.5)",
    "no_room": "there is not enough room (1.6)",
    "not_reachable": "the ship sails from the open sea to a harbour or the island, or back (5.4)",
    "own_harbour": "no ship sails into its own harbour (5.4)",
    "empty_ship": "an empty ship does not sail to the island (5.6)",
    "take_at_sea": "containers are taken aboard in a harbour only (5.4)",
    "not_in_harbour": "the ship lies in no harbour (5.5)",
    "not_a_winner": "only a highest bidder can be accepted (6.3)",
}
"""Every code there is, with what it means."""

_MISSING = object()

PHASE_KINDS: dict[str, tuple[type, ...]] = {
    "interest": (act.TakeLoan, act.Default),
    "seize": (act.Seize,),
    "asset": (act.Surrender,),
    "seize_factory": (act.SeizeFactory,),
    "action": (
        act.TakeLoan,
        act.RepayLoan,
        act.DomesticSale,
        act.Pass,
        act.BuyFactory,
        act.BuyWarehouse,
        act.Produce,
        act.Buy,
        act.Reprice,
        act.Sail,
        act.Load,
    ),
    "bid": (act.Bid,),
    "extra_bid": (act.Bid,),
    "sale": (act.TakeLoan, act.Accept, act.Reject),
}
"""What answers each question, in the notation's order."""


def fault_in(space: Space, action: object) -> Fault | None:
    """Return why an action cannot be taken in a space, or None."""
    kind = type(action)
    fields = FIELDS.get(kind)
    if fields is None:
        return Fault("not_an_action", f"{shown(action)} is no action of this game")
    for field in fields:
        value = getattr(action, field.key, _MISSING)
        if not field.form.holds(value):
            got = "nothing" if value is _MISSING else shown(value)
            problem = f"{NAMES[kind]}: {field.key} must be {field.form.what}, got {got}"
            return Fault("malformed", problem)
    allowed = PHASE_KINDS[space.table.phase]
    if kind not in allowed:
        names = ", ".join(NAMES[other] for other in allowed)
        problem = f"{NAMES[kind]} is no answer in phase {space.table.phase}: {names}"
        return Fault("wrong_phase", problem)
    return _CHECKS[kind](space, action)


def _no_cash(space: Space, needed: int, what: str, cash: int | None = None) -> Fault | None:
    held = space.cash if cash is None else cash
    if needed <= held:
        return None
    return Fault("no_cash", f"{what} costs ${shown(needed)}, there is ${held} in hand")


def _nothing_wrong(space: Space, action: object) -> Fault | None:
    return None


def _take_loan(space: Space, action: act.TakeLoan) -> Fault | None:
    """7.1, 7.3."""
    return _loans(space, 1) or (
        Fault("loan_turn_limit", "two loans were taken this turn already (7.3)")
        if space.table.loans_taken >= MOST_LOANS
        else None
    )


def _loans(space: Space, count: int) -> Fault | None:
    held = space.board.loans
    if held + count <= MOST_LOANS:
        return None
    return Fault("loan_limit", f"{shown(count)} more with {held} held is above two loans (7.1)")


def _repay(space: Space, count: int, cash: int) -> Fault | None:
    """7.2, 7.3."""
    held = space.board.loans
    if count > held:
        return Fault("no_loan", f"{shown(count)} to repay, {held} held (7.2)")
    if count > MOST_LOANS - space.table.loans_repaid:
        return Fault("repay_turn_limit", "at most two loans are repaid in a turn (7.3)")
    return _no_cash(space, LOAN * count, f"repaying {count}", cash)


def _repay_loan(space: Space, action: act.RepayLoan) -> Fault | None:
    return _repay(space, 1, space.cash)


def _seize(space: Space, action: act.Seize) -> Fault | None:
    """3.3a, b."""
    board, taken = space.debtor, due(space.debtor)
    for name, part, whole, count in (
        ("island", action.island, board.island, taken.island),
        ("harbour_store", action.harbour_store, board.harbour_store, taken.harbour),
        ("factory_store", action.factory_store, board.factory_store, taken.factory),
    ):
        if sum(part) != count:
            problem = f"{name}: {count} due, {shown(sum(part))} named (3.3)"
            return Fault("not_due", problem)
        if not within(part, whole):
            return Fault("not_there", f"{name}: the debtor does not hold what is named (3.3)")
    return None


def _seize_factory(space: Space, action: act.SeizeFactory) -> Fault | None:
    """3.3c."""
    colours = seizable_factories(space.debtor)
    if action.colour in colours:
        return None
    names = ", ".join(COLOUR_NAMES[colour] for colour in colours)
    return Fault("not_seizable", f"the factories that can be taken are {names} (3.3c)")


def _domestic_sale(space: Space, action: act.DomesticSale) -> Fault | None:
    """4.1, 4.2."""
    board = space.board
    if not space.table.options.domestic_sale:
        return Fault("sale_off", "this game has no domestic sale (4)")
    if legal.is_first_turn(space):
        return Fault("sale_first_turn", "no domestic sale in a seat's first turn (4.2)")
    if space.table.sold_domestic:
        return Fault("sale_closed", "one domestic sale a turn, before the first action (4.1)")
    goods = board.factory_store
    if action.store == "harbour":
        if any(goods):
            return Fault("sale_wrong_store", "sell from the factory store while it has any (4.1)")
        goods = board.harbour_store
    if not 1 <= action.price <= TOP_PRICE or not goods[(action.price - 1) * COLOURS + action.colour]:
        name = COLOUR_NAMES[action.colour]
        problem = f"no {name} container at ${shown(action.price)} in the {action.store} store"
        return Fault("not_there", problem)
    return None


def _buy_factory(space: Space, action: act.BuyFactory) -> Fault | None:
    """5.1."""
    factories = space.board.factories
    if action.colour in factories:
        return Fault("colour_owned", f"a {COLOUR_NAMES[action.colour]} factory is owned (1.6)")
    if None not in factories:
        return Fault("no_slot", "all four factory slots are taken (1.6)")
    return _no_cash(space, SLOT_PRICES[factories.index(None)], "the factory")


def _buy_warehouse(space: Space, action: act.BuyWarehouse) -> Fault | None:
    """5.1."""
    owned = space.board.warehouses
    if owned >= len(WAREHOUSE_PRICES):
        return Fault("no_slot", "all five warehouse slots are taken (1.6)")
    return _no_cash(space, WAREHOUSE_PRICES[owned], "the warehouse")


def _produce(space: Space, action: act.Produce) -> Fault | None:
    """2.2, 5.2."""
    if space.table.produced:
        return Fault("produced_already", "Produce only once a turn (2.2)")
    short = _no_cash(space, UNION_WAGE, "Produce")
    if short is not None:
        return short
    if any(action.make):
        full, room = legal.producible(space), legal.factory_room(space.board)
        due_count = min(room, sum(full))
        if not within(action.make, full) or sum(action.make) != due_count:
            problem = f"{due_count} of {write_bag(full)} must be made, or nothing (5.2)"
            return Fault("wrong_make", problem)
    held = plus(colours_of(space.board.factory_store), action.make)
    return _restocked("factory_store", action.factory_store, held, FACTORY_PRICES)


def _restocked(name: str, after: Store, held: Bag, prices: tuple[int, ...]) -> Fault | None:
    """Judge a store as it is to stand afterwards: the right containers at prices it has."""
    lowest, highest = prices[0], prices[-1]
    if any(after[: (lowest - 1) * COLOURS]) or any(after[highest * COLOURS :]):
        return Fault("wrong_price", f"{name}: its prices are ${lowest} to ${highest} (1.6)")
    if colours_of(after) != held:
        problem = f"{name}: it must hold exactly {write_bag(held) or 'nothing'} afterwards"
        return Fault("store_mismatch", problem)
    return None


def _purchase(space: Space, take: Store, offered: Store, room: int) -> Fault | None:
    """Judge what is bought out of a store: there, fitting, affordable (5.3 to 5.7)."""
    if not within(take, offered):
        return Fault("not_there", "take: the seller does not have that at those prices")
    if sum(take) > room:
        return Fault("no_room", f"{sum(take)} containers do not fit, there is room for {room}")
    return _no_cash(space, cost(take), "what is taken")


def _buy(space: Space, action: act.Buy) -> Fault | None:
    """5.3."""
    if action.seller >= space.table.options.seats:
        return Fault("no_such_seat", f"seller: there is no seat {shown(action.seller)}")
    if action.seller == space.seat:
        return Fault("own_seat", "nobody buys from the own factory store (5.3)")
    if not any(action.take):
        return Fault("nothing_taken", "at least one container must be bought (5.3)")
    offered = space.table.boards[action.seller].factory_store
    held = plus(colours_of(space.board.harbour_store), colours_of(action.take))
    return _purchase(space, action.take, offered, legal.harbour_room(space.board)) or _restocked(
        "harbour_store", action.harbour_store, held, HARBOUR_PRICES
    )


def _reprice(space: Space, action: act.Reprice) -> Fault | None:
    """5.3."""
    held = colours_of(space.board.harbour_store)
    return _restocked("harbour_store", action.harbour_store, held, HARBOUR_PRICES)


def _sail(space: Space, action: act.Sail) -> Fault | None:
    """5.4, 5.6."""
    to = action.to
    if to >= space.table.options.seats:
        return Fault("no_such_seat", f"to: there is no seat {shown(to)}")
    if to == space.seat:
        return Fault("own_harbour", "no ship sails into its own harbour (5.4)")
    if (to == act.SEA) == (space.board.ship_at == act.SEA):
        return Fault("not_reachable", "one step: from the open sea, or to it (5.4)")
    if to == act.ISLAND and not any(space.board.cargo):
        return Fault("empty_ship", "an empty ship does not sail to the island (5.6)")
    if to >= 0:
        offered = space.table.boards[to].harbour_store
        return _purchase(space, action.take, offered, legal.ship_room(space.board))
    if any(action.take):
        return Fault("take_at_sea", "take: nothing can be bought at sea or at the island (5.4)")
    return None


def _load(space: Space, action: act.Load) -> Fault | None:
    """5.5."""
    at = space.board.ship_at
    if at < 0:
        return Fault("not_in_harbour", "the ship lies in no harbour (5.5)")
    if not any(action.take):
        return Fault("nothing_taken", "at least one container must be bought (5.5)")
    offered = space.table.boards[at].harbour_store
    return _purchase(space, action.take, offered, legal.ship_room(space.board))


def _bid(space: Space, action: act.Bid) -> Fault | None:
    """6.1, 6.2, 7.1."""
    left = space.cash - legal.first_bid(space) + LOAN * action.loans
    return _loans(space, action.loans) or _no_cash(space, action.amount, "the bid", left)


def _accept(space: Space, action: act.Accept) -> Fault | None:
    """6.3, 6.5."""
    auction = space.table.auction
    assert auction is not None
    if action.winner not in auction.winners:
        names = ", ".join(map(str, auction.winners))
        return Fault("not_a_winner", f"winner: only {names} can be accepted (6.3)")
    return _repay(space, action.repay, space.cash + 2 * legal.sale_price(space))


def _reject(space: Space, action: act.Reject) -> Fault | None:
    """6.3, 6.5."""
    price = legal.sale_price(space)
    short = _no_cash(space, price, "keeping the lot")
    return short or _repay(space, action.repay, space.cash - price)


_CHECKS: dict[type, Callable[[Space, Any], Fault | None]] = {
    act.TakeLoan: _take_loan,
    act.Default: _nothing_wrong,
    act.Seize: _seize,
    act.Surrender: _nothing_wrong,
    act.SeizeFactory: _seize_factory,
    act.RepayLoan: _repay_loan,
    act.DomesticSale: _domestic_sale,
    act.Pass: _nothing_wrong,
    act.BuyFactory: _buy_factory,
    act.BuyWarehouse: _buy_warehouse,
    act.Produce: _produce,
    act.Buy: _buy,
    act.Reprice: _reprice,
    act.Sail: _sail,
    act.Load: _load,
    act.Bid: _bid,
    act.Accept: _accept,
    act.Reject: _reject,
}
