"""Turns, events and flags that the case files do not ask about, by section of container.md."""

from typing import Any

import pytest
from gavelport_engine.container.rules import CONTAINER

from tests.engine.positions import LOT, TO_ISLAND, Json, bid, played, position, state

PASS = (0, {"type": "pass"})
TAKE_LOAN = (0, {"type": "take_loan"})


def told(changes: Json, *steps: tuple[int, Json]) -> list[Json]:
    """The events of the last step."""
    *before, (seat, action) = steps
    at = played(changes, *before)
    value = CONTAINER.action_from_notation(action)
    assert CONTAINER.fault(at, seat, value) is None
    _, trace = CONTAINER.apply(at, {seat: value})
    return [CONTAINER.event_to_notation(event) for event in trace.events]


def paid(payer: int | str, payee: int | str, amount: int, purpose: str) -> Json:
    return {"event": "payment", "from": payer, "to": payee, "amount": amount, "for": purpose}


# -- events in the order in which things happen


def test_the_events_of_an_accepted_bid_and_the_next_turn() -> None:
    """6.3, 6.5, 6.6, 3.1."""
    changes = {**LOT, "seats.0.loans": 1, "seats.1.loans": 1}
    lot = {"white": 1, "tan": 2}
    steps = (TO_ISLAND, bid(1, 12), bid(2, 3), (0, {"type": "accept", "winner": 1, "repay": 1}))
    assert told(changes, *steps) == [
        paid(1, 0, 12, "auction"),
        paid("bank", 0, 12, "bank_match"),
        {"event": "auctioned", "seat": 0, "to": 1, "amount": 12, "lot": lot, "accepted": True},
        {"event": "loan_repaid", "seat": 0},
        paid(0, "bank", 10, "loan"),
        {"event": "turn", "turn": 32, "seat": 1},
        paid(1, "bank", 1, "interest"),
    ]


def test_the_events_of_rejected_bids() -> None:
    steps = (TO_ISLAND, bid(1, 12), bid(2, 3), (0, {"type": "reject"}))
    assert told(LOT, *steps)[:2] == [
        paid(0, "bank", 12, "self_purchase"),
        {
            "event": "auctioned",
            "seat": 0,
            "to": 0,
            "amount": 12,
            "lot": {"white": 1, "tan": 2},
            "accepted": False,
        },
    ]


def test_nothing_is_paid_for_a_bid_of_nothing() -> None:
    """6.7."""
    steps = (TO_ISLAND, bid(1, 0), bid(2, 0), bid(1, 0), bid(2, 0), (0, {"type": "accept", "winner": 2}))
    assert [event["event"] for event in told(LOT, *steps)] == ["auctioned", "turn"]


def test_sealed_bids_are_told_at_the_reveal_with_their_loans() -> None:
    """6.1, 9.2."""
    assert told(LOT, TO_ISLAND, bid(2, 35, 2)) == []
    assert told(LOT, TO_ISLAND, bid(2, 35, 2), bid(1, 4)) == [
        *([{"event": "loan_taken", "seat": 2}, paid("bank", 2, 10, "loan")] * 2),
        {"event": "bids", "bids": [None, 4, 35], "loans": [0, 0, 2]},
    ]
    tie = (TO_ISLAND, bid(1, 5), bid(2, 5), bid(2, 1, 1), bid(1, 0))
    assert told(LOT, *tie) == [
        {"event": "loan_taken", "seat": 2},
        paid("bank", 2, 10, "loan"),
        {"event": "extra_bids", "extra": [None, 0, 1], "loans": [0, 0, 1]},
    ]


def test_the_events_of_a_seizure() -> None:
    """3.3a, b, 3.5."""
    debt = {"phase": "start_turn", "seats.0.cash": 0, "seats.0.loans": 1}
    default = (0, {"type": "default"})
    island = {**debt, "seats.0.island": {"tan": 2}}
    assert told(island, default) == [{"event": "seized", "seat": 0, "by": 2, "island": {"tan": 1}}]
    stores = {**debt, "seats.0.harbour_store": {"3": {"tan": 1}}}
    assert told(stores, default) == [
        {
            "event": "seized",
            "seat": 0,
            "by": 2,
            "harbour_store": {"3": {"tan": 1}},
            "factory_store": {"2": {"black": 1}},
        }
    ]
    assert told({**debt, "seats.0.factory_store": {}}, default) == [{"event": "forgiven", "seat": 0}]


def test_the_events_of_lost_assets() -> None:
    """3.3c, d: a factory, then the warehouse, each cancelling a loan."""
    debt = {
        "phase": "start_turn",
        "seats.0.cash": 0,
        "seats.0.loans": 2,
        "seats.0.factory_store": {},
        "seats.0.factories": ["black", "white", "tan", "brown"],
        "seats.0.warehouses": 3,
    }
    surrender = (0, {"type": "surrender", "asset": "factory"})
    assert told(debt, surrender) == []
    assert told(debt, surrender, (2, {"type": "seize_factory", "colour": "brown"})) == [
        {"event": "factory_seized", "seat": 0, "by": 2, "colour": "brown"},
        {"event": "loan_cancelled", "seat": 0},
    ]
    again = (0, {"type": "surrender", "asset": "warehouse"})
    steps = (surrender, (2, {"type": "seize_factory", "colour": "brown"}), again)
    assert told(debt, *steps) == [
        {"event": "warehouse_seized", "seat": 0},
        {"event": "loan_cancelled", "seat": 0},
    ]
    at = played(debt, *steps)
    assert (at.table.boards[0].loans, at.table.loans_repaid, at.table.phase) == (0, 0, "action")


def test_a_freed_factory_slot_is_bought_again_at_its_price() -> None:
    """3.5, 5.1."""
    gap = {"seats.0.factories": ["black", "white", None, "brown"]}
    assert told(gap, (0, {"type": "buy_factory", "colour": "tan"})) == [
        paid(0, "bank", 9, "factory"),
        {"event": "factory_built", "seat": 0, "slot": 2, "colour": "tan"},
    ]


def test_the_events_of_trade() -> None:
    """4.1, 5.2 to 5.5."""
    sale = (0, {"type": "domestic_sale", "store": "factory", "price": 2, "colour": "black"})
    assert told({"options.domestic_sale": True}, sale) == [
        {"event": "sold_domestic", "seat": 0, "store": "factory", "price": 2, "colour": "black"},
        paid("bank", 0, 2, "domestic_sale"),
    ]
    make = (0, {"type": "produce", "make": {"black": 1}, "factory_store": {"1": {"black": 2}}})
    assert told({}, make) == [
        paid(0, 2, 1, "union"),
        {"event": "produced", "seat": 0, "make": {"black": 1}, "factory_store": {"1": {"black": 2}}},
    ]
    harbour = {"5": {"tan": 1}}
    take = {"2": {"tan": 1}}
    buy = (0, {"type": "buy", "seller": 2, "take": take, "harbour_store": harbour})
    assert told({}, buy) == [
        paid(0, 2, 2, "containers"),
        {"event": "bought", "seat": 0, "seller": 2, "take": take, "harbour_store": harbour},
    ]
    sail = (0, {"type": "sail", "to": 1, "take": harbour})
    assert told({"seats.1.harbour_store": harbour}, sail) == [
        {"event": "sailed", "seat": 0, "to": 1},
        paid(0, 1, 5, "containers"),
        {"event": "loaded", "seat": 0, "seller": 1, "take": harbour},
    ]


# -- flags of the turn


QUIET_STEPS: list[tuple[Json, tuple[int, Json]]] = [
    ({}, PASS),
    ({}, TAKE_LOAN),
    ({"seats.0.loans": 1}, (0, {"type": "repay_loan"})),
    ({}, (0, {"type": "reprice", "harbour_store": {}})),
    ({}, (0, {"type": "produce", "make": {}, "factory_store": {"4": {"black": 1}}})),
    ({"seats.1.harbour_store": {"3": {"tan": 1}}}, (0, {"type": "sail", "to": 1})),
    (
        {"options.domestic_sale": True},
        (0, {"type": "domestic_sale", "store": "factory", "price": 2, "colour": "black"}),
    ),
]
BUSY_STEPS: list[tuple[Json, tuple[int, Json]]] = [
    ({}, (0, {"type": "buy_warehouse"})),
    ({}, (0, {"type": "buy_factory", "colour": "tan"})),
    ({}, (0, {"type": "produce", "make": {"black": 1}, "factory_store": {"4": {"black": 2}}})),
    (
        {},
        (0, {"type": "buy", "seller": 2, "take": {"2": {"tan": 1}}, "harbour_store": {"2": {"tan": 1}}}),
    ),
    (
        {"seats.1.harbour_store": {"3": {"tan": 1}}},
        (0, {"type": "sail", "to": 1, "take": {"3": {"tan": 1}}}),
    ),
    (
        {"seats.1.harbour_store": {"3": {"tan": 1}}, "seats.0.ship.at": 1},
        (0, {"type": "load", "take": {"3": {"tan": 1}}}),
    ),
    (LOT, TO_ISLAND),
]


@pytest.mark.parametrize(("changes", "step"), QUIET_STEPS)
def test_what_leaves_a_turn_quiet(changes: Json, step: tuple[int, Json]) -> None:
    """8.2."""
    assert not played({**changes, "quiet_turns": 4}, step).table.busy


@pytest.mark.parametrize(("changes", "step"), BUSY_STEPS)
def test_what_does_not(changes: Json, step: tuple[int, Json]) -> None:
    """8.2."""
    assert played(changes, step).table.busy


def test_quiet_turns_are_counted_in_a_row() -> None:
    """8.2."""
    assert played({"quiet_turns": 4}, PASS, PASS).table.quiet_turns == 5
    assert played({"quiet_turns": 4}, (0, {"type": "buy_warehouse"}), PASS).table.quiet_turns == 0


def test_the_flags_of_a_turn_begin_anew() -> None:
    """2.1, 7.3."""
    make = (0, {"type": "produce", "make": {}, "factory_store": {"4": {"black": 1}}})
    table = played({}, TAKE_LOAN, make, PASS).table
    assert (table.seat, table.turn, table.actions_left) == (1, 32, 2)
    assert (table.produced, table.loans_taken, table.busy) == (False, 0, False)


def test_the_loan_in_place_of_a_default_counts_for_the_turn() -> None:
    """3.2, 7.3."""
    debt = {"phase": "start_turn", "seats.0.cash": 0, "seats.0.loans": 1}
    at = played(debt, TAKE_LOAN)
    assert (at.table.loans_taken, at.cash[0], at.table.phase) == (1, 9, "action")


def test_the_first_action_closes_the_domestic_sale() -> None:
    """4.1; the notation: always false where the option is off."""
    assert played({"options.domestic_sale": True}, PASS).table.sold_domestic
    assert not played({"options.domestic_sale": True}, TAKE_LOAN).table.sold_domestic
    assert not played({}, PASS).table.sold_domestic
    assert played({"options.domestic_sale": True, **LOT}, TO_ISLAND).table.sold_domestic


# -- the end


def ended(changes: Json) -> Any:
    at = played({"actions_left": 1, **changes}, PASS)
    return at.table.end


ROUND_END: Json = {"turn": 300, "seat": 0}
TWO_GONE: Json = {"supply": {"tan": 3, "black": 1, "white": 1}}


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({}, None),
        (TWO_GONE, "two_colours"),
        ({"supply": {"tan": 3, "black": 1, "white": 1, "brown": 1}}, None),
        (ROUND_END, "max_rounds"),
        ({**ROUND_END, "turn": 299}, None),
        ({**ROUND_END, "options.max_rounds": 0}, None),
        ({"quiet_turns": 29}, "stalled"),
        ({"quiet_turns": 28}, None),
        ({"quiet_turns": 99, "options.stall_rounds": 0}, None),
        ({**ROUND_END, **TWO_GONE}, "two_colours"),
        ({**ROUND_END, "quiet_turns": 29}, "max_rounds"),
    ],
)
def test_why_a_game_ends(changes: Json, end: str | None) -> None:
    """8.1 before the caps of 8.2, and those in their order."""
    assert ended(changes) == end


def test_the_final_position_keeps_the_last_turn() -> None:
    """container-notation.md, "Position"; a checkpoint pins it."""
    at = state({"actions_left": 1, "produced": True, **TWO_GONE})
    after, trace = CONTAINER.apply(at, {0: CONTAINER.default(at, 0)})
    expected = position({"phase": "over", "actions_left": 0, "produced": True, "quiet_turns": 1, **TWO_GONE})
    assert CONTAINER.to_notation(after) == expected
    assert CONTAINER.event_to_notation(trace.events[-1]) == {"event": "over", "end": "two_colours"}
    (point,) = trace.checkpoints
    assert (point.record, point.fingerprint) == ({"record": "turn", "turn": 31}, CONTAINER.fingerprint(after))


def test_a_checkpoint_is_of_the_position_in_which_the_next_turn_has_begun() -> None:
    """Interest already taken where no question is asked."""
    at = state({"actions_left": 1, "seats.1.loans": 2})
    after, trace = CONTAINER.apply(at, {0: CONTAINER.default(at, 0)})
    assert after.cash[1] == 18
    assert trace.checkpoints[0].fingerprint == CONTAINER.fingerprint(after)


def test_there_is_no_outcome_before_the_end() -> None:
    with pytest.raises(ValueError, match="not over"):
        CONTAINER.outcome(state())


def test_retired_seats_rank_below_all_others() -> None:
    """container-notation.md, "retired": among themselves by the rules."""
    over = position({"phase": "over", "actions_left": 0, **TWO_GONE, "seats.2.cash": 50})
    at = CONTAINER.from_notation(over)
    assert CONTAINER.outcome(at).ranks == (2, 2, 1)
    assert CONTAINER.outcome(at, retired=(2,)).ranks == (1, 1, 3)
    assert CONTAINER.outcome(at, retired=(0, 2)).ranks == (3, 1, 2)
