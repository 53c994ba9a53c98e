"""The notation both ways, strictly (shipping-notation.md)."""

import copy
import hashlib
import json
from typing import Any

import pytest
from gavelport_engine.errors import NotationError
from gavelport_engine.game import SPECTATOR, Trace, Viewer
from gavelport_engine.rng import Stream
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.data import GOOD_IDS, ORDER_IDS
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.space import Space

from tests.engine.shipping.positions import (
    ACCOUNTS,
    GONE,
    LAST_ACCOUNTS,
    NEWS,
    OWING,
    Json,
    order,
    position,
    ship,
    state,
)
from tests.engine.shipping.trader import trade

BANKRUPT: Json = {
    "seats.1.cash": 0,
    "seats.1.stock": 60,
    "seats.1.ships": {},
    "seats.1.bankrupt": 1,
}
TWO: Json = {"options.seats": 2, "seats": position()["seats"][:2]}


# -- positions


@pytest.mark.parametrize(
    ("changes", "path", "problem"),
    [
        ({"game": "chess"}, "game", "expected one of shipping, got 'chess'"),
        ({"extra": 1}, "", "unknown key 'extra'"),
        ({"options.speed": 1}, "options", "unknown key 'speed'"),
        ({"options.seats": 6}, "options", "seats: expected a whole number, 2 to 5, got 6"),
        ({"options.years": 6}, "options", "years: expected one of 3, 4, 5, got 6"),
        ({"options.seats": 4}, "seats", "expected 4 entries, got 3"),
        ({"seed": "00"}, "seed", "expected 64 hex digits"),
        ({"seed": "AB" * 32}, "seed", "in small letters"),
        ({"seed": 7}, "seed", "got 7"),
        ({"year": 5}, "year", "1 to 4, got 5"),
        ({"quarter": 0}, "quarter", "1 to 4, got 0"),
        ({"start": 3}, "start", "0 to 2, got 3"),
        ({"turn": 0}, "turn", "at least 1, got 0"),
        ({"turn": True}, "turn", "got True"),
        ({"seat": 3}, "seat", "0 to 2, got 3"),
        ({"phase": "lunch"}, "phase", "expected one of turn, raise, over, start_turn, news, accounts"),
        ({"ap": -1}, "ap", "at least 0, got -1"),
        ({"ap_bought": 1}, "ap_bought", "expected true or false, got 1"),
        ({"produced": {"gold": 0}}, "produced", "unknown key 'gold'"),
        ({"produced": {"grain": 3}}, "produced", "at most 2 of a good in a turn"),
        ({"terminal.gold": []}, "terminal", "unknown key 'gold'"),
        ({"terminal.grain": GONE}, "terminal", "key 'grain' is missing"),
        ({"terminal.grain": [None] * 7}, "terminal.grain", "a row has 6 positions, got 7"),
        ({"terminal.grain": [3]}, "terminal.grain.0", "there is no seat 3"),
        ({"terminal.grain": [-1]}, "terminal.grain.0", "at least 0, got -1"),
        ({"open_orders": ["O06"]}, "open_orders", "expected 4 entries, got 1"),
        ({"open_orders.0": "O49"}, "open_orders.0", "expected one of O01, "),
        ({"open_orders.0": "O01"}, "order_deck.0", "O01 stands also in open_orders.0"),
        ({"order_discard": ["O40", "O39"]}, "order_discard", "is sorted by id"),
        ({"order_discard": ["O01"]}, "order_discard.0", "O01 stands also in order_deck.0"),
        ({"seats.2.orders": [order("O01")]}, "seats.2.orders.0", "O01 stands also in order_deck.0"),
        ({"news_deck": ["N24"]}, "news_deck.0", "N24 stands also in news.0"),
        ({"news_deck": ["N25"]}, "news_deck.0", "expected one of N01, "),
        ({"news_deck": 2}, "news_deck", "expected a list, got 2"),
        ({"reshuffles": -1}, "reshuffles", "got -1"),
        ({"reshuffles": 2**64}, "reshuffles", "got a huge number"),
        ({"pending": {}}, "pending", "is null in phase turn"),
        ({"seats.1": None}, "seats.1", "expected an object, got None"),
        ({"seats.1.cash": -1}, "seats.1.cash", "at least 0, got -1"),
        ({"seats.1.stock": 105}, "seats.1.stock", "105 is no value of the Stock Exchange"),
        ({"seats.1.track": 17}, "seats.1.track", "0 to 16, got 17"),
        ({"seats.1.home": "hamburg"}, "seats.1.home", "hamburg is no home city"),
        ({"seats.1.home": "moon"}, "seats.1.home", "expected one of san_francisco, "),
        ({"seats.1.home": "rotterdam"}, "seats.1.home", "another seat has this home city"),
        ({"seats.1.ships.S4": ship("baja")}, "seats.1.ships", "unknown key 'S4'"),
        ({"seats.1.ships.S1.at": "moon"}, "seats.1.ships.S1.at", "expected one of san_francisco, "),
        ({"seats.1.ships.S1.cargo": {"grain": 2}}, "seats.1.ships.S1.cargo", "there is room for 1"),
        ({"seats.1.ships.S1.cargo": {"grain": 10**30}}, "seats.1.ships.S1.cargo", "there is room for 1"),
        ({"seats.1.ships.S1.moved": 0}, "seats.1.ships.S1.moved", "expected true or false"),
        ({"seats.1.factories": {"asia": {}}}, "seats.1.factories", "unknown key 'asia'"),
        (
            {"seats.1.factories": {"africa": {"built": 4, "marked": 0}}},
            "seats.1.factories.africa.built",
            "0 to 3, got 4",
        ),
        (
            {"seats.1.factories": {"africa": {"built": 1, "marked": 2}}},
            "seats.1.factories.africa.marked",
            "0 to 1, got 2",
        ),
        ({"seats.1.orders": [order(name) for name in ORDER_IDS[8:14]]}, "seats.1.orders", "at most 5 Orders are held"),
        ({"seats.1.orders": [order("O05", 3)]}, "seats.1.orders.0.done", "0 to 2, got 3"),
        ({"seats.1.orders": [order("O05", 1, hidden=True)]}, "seats.1.orders.0.hidden", "is public"),
        ({"seats.1.orders": [{"card": None, "done": 0, "hidden": True}]}, "seats.1.orders.0.card", "got None"),
        ({"seats.1.completed": -1}, "seats.1.completed", "at least 0"),
        ({"seats.1.bankrupt": 1}, "seats.1", "a bankrupt seat has cash 0, stock 60, no ships"),
        ({**BANKRUPT, "seats.1.bankrupt": 2}, "seats", "bankruptcies are numbered from 1"),
        ({**BANKRUPT, "start": 1}, "start", "a bankrupt seat does not have the Start marker"),
        ({**BANKRUPT, "seat": 1}, "seat", "a bankrupt seat has no turn"),
        ({**BANKRUPT, "terminal.grain": [1]}, "terminal", "seat 1 is bankrupt and has no markers"),
        ({**BANKRUPT, "options.no_elimination": True}, "seats.1.bankrupt", "is null where nobody is eliminated"),
        ({**TWO, **BANKRUPT}, "phase", "one seat is left: the game is over"),
        ({"phase": "news"}, "phase", "in phase news ap, boosts, "),
        ({**NEWS, "seat": 1}, "seat", "it is the last one of the quarter"),
        ({**ACCOUNTS, "quarter": 3}, "quarter", "is 4 in phase accounts"),
        ({"phase": "over", "ap": 0}, "phase", "nothing has ended this game"),
        ({**OWING, "options.no_elimination": False}, "phase", "only the no-elimination variant asks"),
        ({**OWING, "pending": None}, "pending", "expected an object, got None"),
        ({**OWING, "pending.due": 600}, "pending.due", "at least 601, got 600"),
        ({**OWING, "pending.for": "tax"}, "pending.for", "expected one of news, maintenance, penalty"),
        ({**OWING, "pending.for": "penalty"}, "pending.for", "penalties are paid in the last year"),
        ({**OWING, "quarter": 1}, "pending.for", "accounts are conducted in quarter 4"),
        ({**OWING, "pending.for": "news", "news": []}, "pending.for", "no News card has been drawn"),
        (
            {**OWING, "seats.0.stock": 60, "seats.0.ships": {}, "seats.0.factories": {}},
            "pending",
            "the seat has nothing to sell",
        ),
    ],
)
def test_a_wrong_position_is_refused_with_its_place(changes: Json, path: str, problem: str) -> None:
    with pytest.raises(NotationError) as caught:
        SHIPPING.from_notation(position(changes))
    assert caught.value.path == path
    assert problem in caught.value.problem


@pytest.mark.parametrize("key", [*position(), *(f"seats.0.{key}" for key in position()["seats"][0])])
def test_every_key_must_be_there(key: str) -> None:
    with pytest.raises(NotationError, match=f"key '{key.rpartition('.')[2]}' is missing"):
        SHIPPING.from_notation(position({key: GONE}))


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, {"game": "shipping"}])
def test_what_is_no_position_is_refused(junk: object) -> None:
    with pytest.raises(NotationError):
        SHIPPING.from_notation(junk)


def test_options_left_out_have_their_defaults() -> None:
    assert SHIPPING.to_notation(state({"options": {}})) == position()


def test_zero_counts_and_regions_without_factories_mean_nothing() -> None:
    odd: Json = {
        "produced": {"grain": 0},
        "seats.1.factories": {"africa": {"built": 0, "marked": 0}},
        "seats.1.ships.S1.cargo": {"coffee": 0},
    }
    assert SHIPPING.to_notation(state(odd)) == position()
    assert SHIPPING.fingerprint(state(odd)) == SHIPPING.fingerprint(state())


def test_the_fingerprint_is_of_the_canonical_text() -> None:
    text = json.dumps(position(), sort_keys=True, separators=(",", ":"))
    assert SHIPPING.fingerprint(state()) == hashlib.sha256(text.encode()).digest()


@pytest.mark.parametrize("changes", [{"seed": "11" * 32}, {"order_deck": ["O02", "O01"]}, {"news_deck": []}])
def test_the_fingerprint_covers_what_is_hidden(changes: Json) -> None:
    assert SHIPPING.fingerprint(state(changes)) != SHIPPING.fingerprint(state())


def test_what_is_pending_is_read_back() -> None:
    at = state(OWING)
    assert SHIPPING.to_notation(at)["pending"] == {"seat": 0, "due": 700, "for": "maintenance"}
    assert SHIPPING.from_notation(SHIPPING.to_notation(at)) == at


# -- observations


HIDDEN: Json = {"seats.0.orders": [order("O03", hidden=True), order("O05", 1)], "seats.1.orders": [order("O09")]}


def seen(at: Any, viewer: Viewer) -> Json:
    return SHIPPING.observation_to_notation(SHIPPING.observation(at, viewer))


@pytest.mark.parametrize("viewer", [0, 1, 2, SPECTATOR])
def test_an_observation_masks_seed_decks_and_others_hidden_orders_and_nothing_else(viewer: Viewer) -> None:
    expected = position(HIDDEN)
    del expected["seed"]
    expected |= {"viewer": None if viewer is SPECTATOR else viewer, "order_deck": 4, "news_deck": 2}
    if viewer != 0:
        expected["seats"][0]["orders"][0]["card"] = None
    assert seen(state(HIDDEN), viewer) == expected


def test_when_the_game_is_over_everything_is_shown() -> None:
    at = state({**LAST_ACCOUNTS, "seats.0.orders": [order("O03", hidden=True)]})
    assert seen(at, 2) == {**SHIPPING.to_notation(at), "viewer": 2}
    back = SHIPPING.observation_from_notation(seen(at, 2))
    assert back == SHIPPING.observation(at, 2)
    back.everything = None
    held_back = SHIPPING.observation_to_notation(back)
    assert held_back["seats"][0]["orders"][0] == {"card": None, "done": 0, "hidden": True}
    assert SHIPPING.observation_from_notation(held_back) == back


def test_observations_and_events_of_a_play_are_read_back() -> None:
    options = SHIPPING.options({"seats": 3, "years": 3, "no_elimination": True})
    at = SHIPPING.initial_state(options, bytes(32))
    rng = Stream(bytes(32), "notation")
    read = 0
    while seats := SHIPPING.to_act(at):
        viewers: tuple[Viewer, ...] = (0, 1, 2, SPECTATOR)
        for viewer in viewers:
            observation = SHIPPING.observation(at, viewer)
            written = json.loads(json.dumps(SHIPPING.observation_to_notation(observation)))
            assert SHIPPING.observation_from_notation(written) == observation
        space = SHIPPING.decision(at, seats[0]).space
        assert isinstance(space, Space)
        trace = Trace[ev.Event]()
        SHIPPING.apply_in_place(at, {seats[0]: trade(space, rng)}, trace)
        for event in trace.events:
            written = json.loads(json.dumps(SHIPPING.event_to_notation(event)))
            assert SHIPPING.event_from_notation(written) == event
            assert SHIPPING.event_in_words(event)
            read += 1
    assert read > 200


@pytest.mark.parametrize(
    ("change", "path", "problem"),
    [
        ({"viewer": 3}, "viewer", "0 to 2, got 3"),
        ({"viewer": "0"}, "viewer", "got '0'"),
        ({"seed": "00" * 32}, "seed", "is shown only when the game is over"),
        ({"order_deck": ["O01"]}, "order_deck", "expected a whole number"),
        ({"order_deck": 48}, "order_deck", "48 cards are hidden here, 41 are not seen elsewhere"),
        ({"news_deck": 24}, "news_deck", "24 cards are hidden here, 23 are not seen"),
        ({"phase": "news"}, "phase", "expected one of turn, raise, over"),
        ({"ap": "x"}, "ap", "got 'x'"),
        ({"seats": None}, "seats", "expected a list"),
    ],
)
def test_a_wrong_observation_is_refused_with_its_place(change: Json, path: str, problem: str) -> None:
    with pytest.raises(NotationError) as caught:
        SHIPPING.observation_from_notation({**seen(state(HIDDEN), 2), **change})
    assert caught.value.path == path
    assert problem in caught.value.problem


def test_an_observation_that_shows_too_much_or_too_little_is_refused() -> None:
    for viewer, card in ((2, "O03"), (0, None)):
        found = copy.deepcopy(seen(state(HIDDEN), viewer))
        found["seats"][0]["orders"][0]["card"] = card
        with pytest.raises(NotationError, match="is null for the hidden Orders of other seats"):
            SHIPPING.observation_from_notation(found)
    with pytest.raises(NotationError, match="with the key 'viewer'"):
        SHIPPING.observation_from_notation(position())


def test_a_viewer_is_a_seat() -> None:
    with pytest.raises(ValueError, match="the seats are 0 to 2"):
        SHIPPING.observation(state(), 3)


# -- actions and events


@pytest.mark.parametrize(
    ("action", "written"),
    [
        (act.Move(0, (20,)), {"type": "move", "ship": "S1", "path": ["north_sea"], "boost": False}),
        (act.Buy(3, 2), {"type": "buy", "ship": "L1", "count": 2}),
        (act.Sell(0, 0, None), {"type": "sell", "ship": "S1", "good": "grain", "order": None}),
        (act.Sell(0, 0, 2), {"type": "sell", "ship": "S1", "good": "grain", "order": "O03"}),
        (act.SellAsset("share"), {"type": "sell_asset", "asset": "share"}),
        (act.SellAsset("ship", ship=1), {"type": "sell_asset", "asset": "ship", "ship": "S2"}),
        (act.SellAsset("factory", region=3), {"type": "sell_asset", "asset": "factory", "region": "africa"}),
    ],
)
def test_actions_are_written_as_in_the_notation(action: act.Action, written: Json) -> None:
    assert SHIPPING.action_to_notation(action) == written
    assert SHIPPING.action_from_notation(written) == action


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ({"type": "move", "ship": "S1", "path": []}, act.Move(0, ())),
        ({"type": "buy", "ship": "S1"}, act.Buy(0, 1)),
        ({"type": "sell", "ship": "S1", "good": "grain"}, act.Sell(0, 0)),
        ({"type": "buy_ap"}, act.BuyAp(1)),
    ],
)
def test_what_may_be_left_out(given: Json, action: act.Action) -> None:
    assert SHIPPING.action_from_notation(given) == action


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (None, ""),
        ({}, ""),
        ({"type": "fly"}, "type"),
        ({"type": ["move"]}, "type"),
        ({"type": "move", "ship": "S1", "path": ["north_sea", "moon"]}, "path.1"),
        ({"type": "buy", "ship": "S1", "count": None}, "count"),
        ({"type": "buy_order", "slot": 4}, "slot"),
        ({"type": "sell_asset"}, ""),
        ({"type": "sell_asset", "asset": "crew"}, "asset"),
        ({"type": "sell_asset", "asset": "ship", "ship": None}, "ship"),
        ({"type": "sell_asset", "asset": "ship", "region": "africa"}, ""),
        ({"type": "sell_asset", "asset": "share", "ship": "S1"}, ""),
    ],
)
def test_an_unreadable_action_is_refused_with_its_place(given: object, path: str) -> None:
    with pytest.raises(NotationError) as caught:
        SHIPPING.action_from_notation(given)
    assert (caught.value.path, caught.value.code) == (path, "E03")


@pytest.mark.parametrize(
    "given",
    [
        None,
        {},
        {"event": "rain"},
        {"event": "turn", "turn": 1},
        {"event": "over", "end": "bored"},
        {"event": "payment", "from": "bank", "to": 0, "amount": 5, "for": "fun"},
        {"event": "pushed", "good": "gold", "owner": None},
    ],
)
def test_an_unreadable_event_is_refused(given: object) -> None:
    with pytest.raises(NotationError):
        SHIPPING.event_from_notation(given)


def test_every_kind_has_a_line_in_words() -> None:
    events: list[ev.Event] = [
        ev.OrderOpened(0, None),
        ev.OrderDrawn(0, None),
        ev.AssetSold(0, "factory", None, 3),
        ev.Bankrupt(1, ()),
        ev.CargoLost(1, 3, (0, 0)),
        ev.Removed(GOOD_IDS.index("coffee"), -1),
    ]
    assert [SHIPPING.event_in_words(event) for event in events] == [
        "slot 0: empty",
        "seat 0 draws a hidden Order",
        "seat 0 must sell a factory in Africa",
        "seat 1 is bankrupt",
        "seat 1 loses L1's cargo: 2 Grain",
        "Coffee: a container of the Bank is taken away",
    ]
