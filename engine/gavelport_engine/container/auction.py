"""The auction at the island (`container.md 6`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.events import (
    BANK,
    AuctionBegan,
    Auctioned,
    BidsRevealed,
    ExtraBidsRevealed,
    LoanTaken,
    Payment,
)
from gavelport_engine.container.goods import EMPTY_BAG, plus
from gavelport_engine.container.money import LOAN, pay, repay_loans
from gavelport_engine.container.table import Auction
from gavelport_engine.container.turn import end_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.container.actions import Accept, Bid, Reject
    from gavelport_engine.container.money import MaybeTrace
    from gavelport_engine.container.table import State


def begin_auction(state: State, trace: MaybeTrace) -> None:
    """Ask every other seat for a sealed bid on the lot aboard (5.6, 6.1)."""
    table = state.table
    nobody = (None,) * table.options.seats
    table.busy = True
    table.phase = "bid"
    table.auction = Auction(bids=nobody, extra=nobody)
    _seal(state)
    if trace is not None:
        trace.events.append(AuctionBegan(table.seat, table.boards[table.seat].cargo))


def _seal(state: State) -> None:
    seats = state.table.options.seats
    state.sealed_bids = [None] * seats
    state.sealed_loans = [0] * seats


def highest(amounts: Sequence[int | None]) -> tuple[int, ...]:
    """Return the seats whose amount is the highest, ascending (6.1); there is at least one."""
    top = max(amount for amount in amounts if amount is not None)
    return tuple(seat for seat, amount in enumerate(amounts) if amount == top)


def final_bid(auction: Auction, seat: int) -> int:
    """Return a seat's first bid and what it added (6.2)."""
    return (auction.bids[seat] or 0) + (auction.extra[seat] or 0)


def bidders(phase: str, seller: int, auction: Auction) -> tuple[int, ...]:
    """Return the seats that bid in a phase: all but the seller, or the tied ones (6.1, 6.2)."""
    if phase == "bid":
        return tuple(seat for seat in range(len(auction.bids)) if seat != seller)
    return highest(auction.bids)


def submit(state: State, seat: int, bid: Bid, trace: MaybeTrace) -> None:
    """Take in a sealed bid and pay out its loans; with the last one all are revealed (6.1, 6.2)."""
    table = state.table
    auction = table.auction
    assert auction is not None
    state.sealed_bids[seat] = bid.amount
    state.sealed_loans[seat] = bid.loans
    state.cash[seat] += LOAN * bid.loans
    missing = state.sealed_bids.count(None)
    if missing == table.options.seats - len(bidders(table.phase, table.seat, auction)):
        _reveal(state, auction, trace)


def _reveal(state: State, auction: Auction, trace: MaybeTrace) -> None:
    """Lay all bids and the loans taken for them open, and go on to the tie or the sale."""
    table = state.table
    amounts, loans = tuple(state.sealed_bids), tuple(state.sealed_loans)
    for seat, count in enumerate(loans):
        table.boards[seat].loans += count
        if trace is not None:
            for _ in range(count):
                trace.events += (LoanTaken(seat), Payment(BANK, seat, LOAN, "loan"))
    if table.phase == "bid":
        auction.bids = amounts
        if trace is not None:
            trace.events.append(BidsRevealed(amounts, loans))
        auction.winners = highest(amounts)
        if len(auction.winners) > 1:
            auction.winners = ()
            table.phase = "extra_bid"
            _seal(state)
            return
    else:
        auction.extra = amounts
        if trace is not None:
            trace.events.append(ExtraBidsRevealed(amounts, loans))
        auction.winners = highest(amounts)  # all tied: the highest addition is the highest sum
    table.phase = "sale"
    state.sealed_bids, state.sealed_loans = [], []


def accept(state: State, seat: int, action: Accept, trace: MaybeTrace) -> None:
    """Sell the lot: the winner pays, the bank pays the same again (6.3 to 6.6)."""
    auction = state.table.auction
    assert auction is not None
    amount = final_bid(auction, action.winner)
    pay(state, action.winner, seat, amount, "auction", trace)
    pay(state, BANK, seat, amount, "bank_match", trace)
    _hand_over(state, action.winner, amount, action.repay, trace)


def reject(state: State, seat: int, action: Reject, trace: MaybeTrace) -> None:
    """Keep the lot for the highest final bid, paid to the bank (6.3 to 6.6)."""
    auction = state.table.auction
    assert auction is not None
    amount = final_bid(auction, auction.winners[0])
    pay(state, seat, BANK, amount, "self_purchase", trace)
    _hand_over(state, seat, amount, action.repay, trace)


def _hand_over(state: State, to: int, amount: int, repay: int, trace: MaybeTrace) -> None:
    """Bring the lot to an island area, repay loans (6.5) and end the turn (6.6)."""
    table = state.table
    seller = table.boards[table.seat]
    lot, seller.cargo = seller.cargo, EMPTY_BAG
    table.boards[to].island = plus(table.boards[to].island, lot)
    if trace is not None:
        trace.events.append(Auctioned(table.seat, to, amount, lot, to != table.seat))
    repay_loans(state, repay, trace)
    end_turn(state, trace)
