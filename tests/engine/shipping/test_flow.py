"""What happens within a step: events in their order, checkpoints, and what the case files do not say."""

import hashlib
import json
from typing import Any

import pytest
from gavelport_engine.game import SPECTATOR, Trace
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.table import State

from tests.engine.shipping.positions import (
    ACCOUNTS,
    LAST_ACCOUNTS,
    NEWS,
    OWING,
    Json,
    act_on,
    order,
    position,
    ship,
    state,
    told,
)

END_TURN: Json = {"type": "end_turn"}
SHARE: Json = {"type": "sell_asset", "asset": "share"}


def digest(written: Json) -> bytes:
    return hashlib.sha256(json.dumps(written, sort_keys=True, separators=(",", ":")).encode()).digest()


def records(trace: Trace[Any]) -> list[Json]:
    return [point.record for point in trace.checkpoints]


def kinds(trace: Trace[Any]) -> list[str]:
    return [event["event"] for event in told(trace)]


# -- checkpoints


def test_within_a_quarter_a_turn_s_record_is_of_the_next_turn() -> None:
    at = state()
    trace = act_on(at, 0, END_TURN)
    assert records(trace) == [{"record": "turn", "turn": 4}]
    assert trace.checkpoints[0].fingerprint == SHIPPING.fingerprint(at)
    assert (at.table.turn, at.table.seat) == (5, 1)


def test_at_a_quarter_s_end_the_news_are_pinned_too() -> None:
    at = state({"seat": 2, "turn": 6})
    trace = act_on(at, 2, END_TURN)
    assert records(trace) == [
        {"record": "turn", "turn": 6},
        {"record": "news", "year": 1, "quarter": 2, "card": "N06"},
    ]
    between = position({"seat": 2, "turn": 6, "phase": "news", "ap": 0})
    assert trace.checkpoints[0].fingerprint == digest(between)
    assert trace.checkpoints[1].fingerprint == SHIPPING.fingerprint(at)
    assert at.table.quarter == 3


def test_at_a_year_s_end_three_positions_are_pinned_in_one_step() -> None:
    changes: Json = {"seat": 2, "turn": 12, "quarter": 4, "news_deck": ["N24"], "news": []}
    at = state(changes)
    trace = act_on(at, 2, END_TURN)
    assert records(trace) == [
        {"record": "turn", "turn": 12},
        {"record": "news", "year": 1, "quarter": 4, "card": "N24"},
        {"record": "accounts", "year": 1},
    ]
    between = position({**changes, "phase": "accounts", "ap": 0, "news_deck": [], "news": ["N24"]})
    for good in ("minerals", "machinery"):
        between["terminal"][good].append(None)
    assert trace.checkpoints[1].fingerprint == digest(between)
    assert trace.checkpoints[2].fingerprint == SHIPPING.fingerprint(at)
    assert (at.table.year, at.table.quarter, at.table.turn) == (2, 1, 13)


def test_the_last_accounts_are_pinned_at_the_end() -> None:
    changes: Json = {"year": 4, "seat": 2, "turn": 48, "quarter": 4, "news_deck": ["N24"], "news": []}
    at = state(changes)
    trace = act_on(at, 2, END_TURN)
    assert records(trace)[-1] == {"record": "accounts", "year": 4}
    assert trace.checkpoints[-1].fingerprint == SHIPPING.fingerprint(at)
    assert kinds(trace)[-1] == "over"


def test_a_game_that_ends_early_has_no_later_record() -> None:
    """11.6, notation: the record of the step in which it ended, with the final position."""
    broke: Json = {"seats.0.cash": 5, "seats.0.stock": 60, "seats.1.cash": 5, "seats.1.stock": 60}
    at = state({"seat": 2, "quarter": 4, "news_deck": ["N07"], "news": [], **broke})
    trace = act_on(at, 2, END_TURN)
    assert [record["record"] for record in records(trace)] == ["turn", "news"]
    assert trace.checkpoints[-1].fingerprint == SHIPPING.fingerprint(at)
    assert kinds(trace)[-1] == "over"
    at = state({"seat": 2, "quarter": 4, "news_deck": ["N24"], "news": [], **broke})
    trace = act_on(at, 2, END_TURN)
    assert [record["record"] for record in records(trace)] == ["turn", "news", "accounts"]
    assert SHIPPING.outcome(at).end == "last_player"


def test_the_news_are_pinned_after_what_was_asked_of_payers() -> None:
    """13.5: D2 decisions stand before the record."""
    at = state({**NEWS, "options.no_elimination": True, "news_deck": ["N07"], "seats.0.cash": 0, "seats.2.cash": 0})
    assert SHIPPING.to_act(at) == (0,)
    assert records(act_on(at, 0, SHARE)) == []
    trace = act_on(at, 2, SHARE)
    assert records(trace) == [{"record": "news", "year": 1, "quarter": 2, "card": "N07"}]
    assert trace.checkpoints[0].fingerprint == SHIPPING.fingerprint(at)


# -- events


def test_a_deal_is_told() -> None:
    """2.7: hidden Orders by seat, then the slots, then the first turn."""
    options, seed = SHIPPING.options({"seats": 2}), bytes(32)
    trace = SHIPPING.opening(options, seed)
    deal = SHIPPING.deal_to_notation(options, seed)
    events = told(trace)
    assert [event["event"] for event in events] == [*["order_drawn"] * 2, *["order_open"] * 4, "turn"]
    assert [event["card"] for event in events[:6]] == deal["orders"][:6]
    assert events[6] == {"event": "turn", "turn": 1, "seat": deal["start_seat"], "ap": 2}
    assert trace.checkpoints == []


def test_a_hidden_order_s_card_is_told_to_its_seat_alone() -> None:
    (payment, drawn) = act_on(state(), 0, {"type": "draw_order"}).events
    seen = {viewer: SHIPPING.visible(drawn, viewer) for viewer in (0, 1, SPECTATOR)}
    cards = {viewer: event and SHIPPING.event_to_notation(event)["card"] for viewer, event in seen.items()}
    assert cards == {0: "O01", 1: None, SPECTATOR: None}
    assert SHIPPING.visible(payment, 1) == payment


def test_a_move_is_told_with_its_costs() -> None:
    at = state({"seats.0.ships.S1": ship("east_med"), "seats.2.home": "mumbai", "boosts": 1})
    path = ["red_sea", "gulf_aden", "arabian_sea", "mumbai"]
    trace = act_on(at, 0, {"type": "move", "ship": "S1", "path": path, "boost": True})
    assert told(trace) == [
        {"event": "moved", "seat": 0, "ship": "S1", "path": path, "boost": True},
        {"event": "payment", "from": 0, "to": "bank", "amount": 20, "for": "toll"},
        {"event": "payment", "from": 0, "to": 2, "amount": 20, "for": "dock_fee"},
    ]
    assert (at.table.boosts, at.table.ap) == (0, 3)


def test_own_containers_cost_nothing_and_are_paid_to_nobody() -> None:
    """8.2."""
    at = state({"seats.0.ships": {"L1": ship("rotterdam")}, "terminal.machinery": [1, 0]})
    trace = act_on(at, 0, {"type": "buy", "ship": "L1", "count": 2})
    assert told(trace) == [
        {"event": "bought", "seat": 0, "ship": "L1", "good": "machinery", "count": 2},
        {"event": "payment", "from": 0, "to": 1, "amount": 180, "for": "containers"},
    ]


def test_a_sale_that_completes_a_hidden_order_names_it() -> None:
    at = state({"seats.0.ships.S1": ship("new_york", {"machinery": 1}), "seats.0.orders": [order("O33", hidden=True)]})
    trace = act_on(at, 0, {"type": "sell", "ship": "S1", "good": "machinery", "order": "O33"})
    assert told(trace) == [
        {"event": "sold", "seat": 0, "ship": "S1", "good": "machinery", "price": 260, "order": "O33"},
        {"event": "payment", "from": "bank", "to": 0, "amount": 260, "for": "sale"},
        {"event": "order_counted", "seat": 0, "card": "O33", "done": 1},
        {"event": "order_completed", "seat": 0, "card": "O33"},
        {"event": "payment", "from": "bank", "to": 0, "amount": 220, "for": "reward"},
    ]


@pytest.mark.parametrize(
    ("track", "space", "bonus", "further"),
    [
        (0, 1, "cash", ["payment"]),
        (1, 2, "ap", []),
        (3, 4, "boost", []),
        (6, 7, "order", ["order_drawn"]),
        (9, 10, "stock", ["stock"]),
        (16, 16, "cash", ["payment"]),
    ],
)
def test_production_is_told_in_its_order(track: int, space: int, bonus: str, further: list[str]) -> None:
    """9.4."""
    at = state({"seats.0.factories": {"africa": {"built": 1, "marked": 0}}, "seats.0.track": track})
    trace = act_on(at, 0, {"type": "produce", "region": "africa"})
    assert kinds(trace) == ["produced", "payment", "pushed", "track", *further]
    assert told(trace)[3] == {"event": "track", "seat": 0, "space": space, "bonus": bonus}


def test_at_the_top_of_the_stock_track_nothing_rises() -> None:
    """9.7, 12.4."""
    at = state({"seats.0.factories": {"africa": {"built": 1, "marked": 0}}, "seats.0.track": 9, "seats.0.stock": 360})
    assert "stock" not in kinds(act_on(at, 0, {"type": "produce", "region": "africa"}))
    top: Json = {f"seats.{seat}.stock": 360 for seat in range(3)}
    assert [board.stock for board in state({**NEWS, **top, "news_deck": ["N17"]}).table.boards] == [360] * 3


def test_space_7_pays_where_no_card_can_be_drawn() -> None:
    """9.7."""
    at = state({"seats.0.factories": {"africa": {"built": 1, "marked": 0}}, "seats.0.track": 6, "order_deck": []})
    trace = act_on(at, 0, {"type": "produce", "region": "africa"})
    assert told(trace)[-1] == {"event": "payment", "from": "bank", "to": 0, "amount": 20, "for": "track"}


def test_bankruptcy_is_told_with_the_orders_it_shows() -> None:
    """11.5."""
    at = state(
        {
            "seat": 2,
            "news_deck": ["N07"],
            "seats.1.cash": 5,
            "seats.1.stock": 60,
            "seats.1.ships.S1": ship("baja", {"grain": 1}),
            "seats.1.orders": [order("O03", hidden=True)],
        }
    )
    events = told(act_on(at, 2, END_TURN))
    place = events.index({"event": "bankrupt", "seat": 1, "orders": ["O03"]})
    assert events[place + 1 : place + 3] == [
        {"event": "payment", "from": 1, "to": "bank", "amount": 5, "for": "bankruptcy"},
        {"event": "cargo_lost", "seat": 1, "ship": "S1", "cargo": {"grain": 1}},
    ]


def test_forced_sales_come_before_the_bankruptcy_they_do_not_prevent() -> None:
    """11.4, 11.5."""
    changes: Json = {**ACCOUNTS, "seats.1.cash": 0, "seats.1.stock": 70}
    fleet = {f"L{number}": ship("baja") for number in (1, 2)}
    board = state({**changes, "seats.1.ships": fleet}).table.boards[1]
    assert (board.stock, board.cash, board.bankrupt) == (60, 0, 1)


def test_raising_money_is_told() -> None:
    """13.5."""
    at = state({**OWING, "pending.due": 20, "seats.0.cash": 10, "seats.1.cash": 0})
    trace = act_on(at, 0, {"type": "sell_asset", "asset": "ship", "ship": "S1"})
    assert told(trace) == [
        {"event": "asset_sold", "seat": 0, "asset": "ship", "ship": "S1"},
        {"event": "cargo_lost", "seat": 0, "ship": "S1", "cargo": {"grain": 1}},
        {"event": "payment", "from": "bank", "to": 0, "amount": 50, "for": "asset"},
        {"event": "payment", "from": 0, "to": "bank", "amount": 20, "for": "maintenance"},
        {"event": "owed", "seat": 1, "due": 30, "for": "maintenance"},
    ]
    assert SHIPPING.to_act(at) == (1,)


def test_what_is_waived_is_told() -> None:
    at = state({**OWING, "seats.0.ships": {}, "seats.0.factories": {}, "seats.0.cash": 10})
    trace = act_on(at, 0, SHARE)
    assert told(trace)[2:5] == [
        {"event": "payment", "from": "bank", "to": 0, "amount": 100, "for": "asset"},
        {"event": "payment", "from": 0, "to": "bank", "amount": 110, "for": "maintenance"},
        {"event": "waived", "seat": 0, "amount": 590},
    ]


def test_a_new_year_is_told_in_its_order() -> None:
    """3.5."""
    at = state({"seat": 2, "quarter": 4, "turn": 12, "news": [], "news_deck": ["N24"], "terminal.grain": []})
    found = kinds(act_on(at, 2, END_TURN))
    expected = ["news", "pushed", "pushed", "accounts", "payment", "payment", "payment", "order_open"]
    assert found == [*expected, "order_open", "order_open", "order_open", "year", "pushed", "pushed", "turn"]


# -- the rest


def test_a_deck_of_news_that_has_run_out_changes_nothing() -> None:
    """Only positions with fewer cards get there (12.3): the quarter ends without one."""
    at = state({"seat": 2, "news_deck": [], "news": ["N15"]})
    trace = act_on(at, 2, END_TURN)
    assert kinds(trace) == ["turn"]
    assert records(trace)[-1] == {"record": "news", "year": 1, "quarter": 2, "card": "N15"}
    assert (at.table.quarter, at.table.ap) == (3, 3)


def test_several_turns_and_quarters_by_default_alone() -> None:
    """Notation, "Defaults": whoever never answers ends turns, and pays until nothing is left."""
    at = state({"options.no_elimination": True, "year": 4, "quarter": 4, "turn": 46})
    steps = 0
    while seats := SHIPPING.to_act(at):
        SHIPPING.apply_in_place(at, {seats[0]: SHIPPING.default(at, seats[0])}, None)
        steps += 1
    assert (steps, at.table.phase, SHIPPING.outcome(at).end) == (3, "over", "years")


@pytest.mark.parametrize(
    ("changes", "default"),
    [
        ({}, SHARE),
        ({"seats.0.stock": 60}, {"type": "sell_asset", "asset": "ship", "ship": "S2"}),
        (
            {"seats.0.stock": 60, "seats.0.ships": {"L1": ship("baja"), "L2": ship("baja")}},
            {"type": "sell_asset", "asset": "ship", "ship": "L2"},
        ),
        (
            {"seats.0.stock": 60, "seats.0.ships": {}},
            {"type": "sell_asset", "asset": "factory", "region": "europe"},
        ),
    ],
)
def test_the_defaults_of_raising_money(changes: Json, default: Json) -> None:
    at = state({**OWING, **changes})
    assert SHIPPING.action_to_notation(SHIPPING.default(at, 0)) == default


def scores(at: State) -> list[int]:
    return [line["bankrupt"] or 0 for line in SHIPPING.outcome(at).scores]


def test_a_retired_seat_ranks_below_a_bankrupt_one() -> None:
    at = state({**LAST_ACCOUNTS, "seats.1.cash": 0, "seats.1.stock": 60})
    assert scores(at) == [0, 1, 0]
    assert SHIPPING.outcome(at).ranks == (1, 3, 1)
    assert SHIPPING.outcome(at, retired=(0,)).ranks == (3, 2, 1)


def test_there_is_no_outcome_before_the_end() -> None:
    with pytest.raises(ValueError, match="not over"):
        SHIPPING.outcome(state())
    with pytest.raises(ValueError, match="seat 1 is not to act"):
        SHIPPING.decision(state(), 1)
