"""The notation both ways, strictly (container-notation.md)."""

import hashlib
import json
from typing import Any

import pytest
from gavelport_engine.container import actions as act
from gavelport_engine.container.canonical import canonical
from gavelport_engine.container.goods import Colour, bag, store
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.space import Space
from gavelport_engine.errors import NotationError
from gavelport_engine.game import SPECTATOR, Viewer
from gavelport_engine.playout import playout
from gavelport_engine.rng import Stream

from tests.engine.positions import LOT, TO_ISLAND, Json, bid, played, position, state

BIDDING = {**LOT, "seats.0.ship.at": "island", "phase": "bid", "actions_left": 1}


def auction(bids: Any, extra: Any = (None, None, None), winners: Any = ()) -> Json:
    return {"bids": list(bids), "extra": list(extra), "winners": list(winners)}


# -- positions


@pytest.mark.parametrize(
    ("changes", "path", "problem"),
    [
        ({"game": "chess"}, "game", "expected one of container, got 'chess'"),
        ({"extra": 1}, "", "unknown key 'extra'"),
        ({"options.speed": 1}, "options", "unknown key 'speed'"),
        ({"options.seats": 2}, "options", "seats: expected a whole number, 3 to 5, got 2"),
        ({"options.seats": 4}, "seats", "expected 4 entries, got 3"),
        ({"turn": 0}, "turn", "at least 1, got 0"),
        ({"turn": True}, "turn", "expected a whole number, at least 1, got True"),
        ({"seat": 3}, "seat", "0 to 2, got 3"),
        ({"phase": "lunch"}, "phase", "expected one of interest, "),
        ({"actions_left": 3}, "actions_left", "0 to 2, got 3"),
        ({"actions_left": 0}, "actions_left", "is 1 or 2 in phase action"),
        ({"produced": 1}, "produced", "expected true or false, got 1"),
        ({"sold_domestic": True}, "sold_domestic", "is false where the option is off"),
        ({"quiet_turns": -1}, "quiet_turns", "at least 0"),
        ({"supply": {"pink": 0}}, "supply", "unknown key 'pink'"),
        ({"supply": {"tan": 1.0}}, "supply.tan", "got 1.0"),
        ({"removed": []}, "removed", "expected an object, got a list"),
        ({"seats": {}}, "seats", "expected a list, got an object"),
        ({"seats.1": None}, "seats.1", "expected an object, got None"),
        ({"seats.1.cash": -1}, "seats.1.cash", "at least 0, got -1"),
        ({"seats.1.cash": None}, "seats.1.cash", "got None"),
        ({"seats.1.loans": 3}, "seats.1.loans", "0 to 2, got 3"),
        ({"seats.1.card": "F"}, "seats.1.card", "expected one of A, B, C, D, E"),
        ({"seats.1.card": "A"}, "seats.1.card", "another seat has this card"),
        ({"seats.1.factories": ["tan"]}, "seats.1.factories", "expected 4 entries, got 1"),
        ({"seats.1.factories.1": "white"}, "seats.1.factories.1", "a second factory of this colour"),
        ({"seats.1.warehouses": 6}, "seats.1.warehouses", "1 to 5, got 6"),
        ({"seats.1.factory_store": {"5": {}}}, "seats.1.factory_store", "unknown key '5'"),
        ({"seats.1.factory_store": {"1": {"tan": 3}}}, "seats.1.factory_store", "holds 3 containers"),
        ({"seats.1.harbour_store": {"1": {}}}, "seats.1.harbour_store", "unknown key '1'"),
        ({"seats.1.harbour_store": {"02": {}}}, "seats.1.harbour_store", "unknown key '02'"),
        ({"seats.1.harbour_store": {"2": {"tan": 2}}}, "seats.1.harbour_store", "there is room for 1"),
        ({"seats.1.ship.at": 1}, "seats.1.ship.at", "no other seat's harbour"),
        ({"seats.1.ship.at": 3}, "seats.1.ship.at", "no other seat's harbour"),
        ({"seats.1.ship.at": "moon"}, "seats.1.ship.at", 'expected "sea", "island" or a seat number'),
        ({"seats.1.ship.cargo": {"tan": 6}}, "seats.1.ship.cargo", "there is room for 5"),
        ({"unpaid": 1}, "unpaid", "stands in the phases seize, asset, seize_factory"),
        ({"phase": "seize"}, "unpaid", "stands in the phases"),
        ({"phase": "interest"}, "phase", "has no choice about its interest"),
        ({"phase": "seize", "unpaid": 1}, "unpaid", "1 to 0"),
        ({"phase": "seize", "unpaid": 1, "seats.0.loans": 1}, "phase", "nothing is to be decided"),
        (
            {"phase": "asset", "unpaid": 1, "seats.0.loans": 1, "seats.0.island": {"tan": 1, "white": 1}},
            "phase",
            "the question is seize",
        ),
        ({"phase": "over", "actions_left": 0}, "phase", "nothing has ended this game"),
        ({"phase": "over"}, "actions_left", "is 0 when the game is over"),
        ({"auction": {}}, "auction", "is null in phase action"),
        ({"phase": "bid"}, "seats.0.ship", "an auction needs a lot at the island"),
        ({**BIDDING, "auction": None}, "auction", "expected an object"),
        ({**BIDDING, "auction": auction([1, None, None])}, "auction.bids.0", "this seat does not bid"),
        ({**BIDDING, "auction": auction([None, 21, None])}, "auction.bids.1", "0 to 20, got 21"),
        ({**BIDDING, "auction": auction([None, 2, 3])}, "auction", "the phase is sale"),
        ({**BIDDING, "auction": auction([None, 3, 3])}, "auction", "the phase is extra_bid"),
        (
            {**BIDDING, "phase": "extra_bid", "auction": auction([None, 15, 15], [None, 6, None])},
            "auction.extra.1",
            "0 to 5, got 6",
        ),
        (
            {**BIDDING, "phase": "sale", "auction": auction([None, 2, 3], winners=[1])},
            "auction.winners",
            "that is [2]",
        ),
    ],
)
def test_a_wrong_position_is_refused_with_its_place(changes: Json, path: str, problem: str) -> None:
    with pytest.raises(NotationError) as caught:
        CONTAINER.from_notation(position(changes))
    assert caught.value.path == path
    assert problem in caught.value.problem


@pytest.mark.parametrize("key", [*position(), *(f"seats.0.{key}" for key in position()["seats"][0])])
def test_every_key_must_be_there(key: str) -> None:
    found = position()
    *inner, last = key.split(".")
    part: Any = found["seats"][0] if inner else found
    del part[last]
    with pytest.raises(NotationError, match=f"key '{last}' is missing"):
        CONTAINER.from_notation(found)


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, {"game": "container"}])
def test_what_is_no_position_is_refused(junk: object) -> None:
    with pytest.raises(NotationError):
        CONTAINER.from_notation(junk)


def test_zero_counts_and_empty_bags_mean_nothing() -> None:
    odd = position({"seats.1.harbour_store": {"2": {}, "3": {"tan": 0}}, "removed": {"tan": 0}})
    assert CONTAINER.to_notation(CONTAINER.from_notation(odd)) == position()
    assert CONTAINER.fingerprint(CONTAINER.from_notation(odd)) == CONTAINER.fingerprint(state())


def test_start_turn_is_played_on() -> None:
    """3.1: interest is taken, and what an earlier turn left behind is reset."""
    at = state({"phase": "start_turn", "seats.0.loans": 1, "produced": True, "loans_taken": 2, "busy": True})
    position_now = CONTAINER.to_notation(at)
    assert position_now["seats"][0]["cash"] == 19
    assert (position_now["phase"], position_now["produced"], position_now["loans_taken"]) == ("action", False, 0)


def test_the_fingerprint_is_of_the_canonical_text() -> None:
    text = json.dumps(position(), sort_keys=True, separators=(",", ":"))
    assert CONTAINER.fingerprint(state()) == hashlib.sha256(text.encode()).digest()


@pytest.mark.parametrize("number", range(12))
def test_the_canonical_text_is_that_of_the_notation_all_along_a_play(number: int) -> None:
    """Single bids included, which change sealed loans; positions are changed in place, as the referee does."""
    seed = number.to_bytes(32)
    given = {"seats": 3 + number % 3, "domestic_sale": bool(number % 2), "seized_to": ("box", "supply")[number % 2]}
    at, rng = CONTAINER.initial_state(CONTAINER.options(given), seed), Stream(seed, "canonical")
    phases = set()
    while seats := CONTAINER.to_act(at):
        for seat in seats:
            CONTAINER.apply_in_place(at, {seat: CONTAINER.decision(at, seat).space.sample(rng)}, None)
            phases.add(at.table.phase)
            text = json.dumps(CONTAINER.to_notation(at), sort_keys=True, separators=(",", ":"))
            assert canonical(at) == text
            assert CONTAINER.fingerprint(at) == hashlib.sha256(text.encode()).digest()
    assert {"bid", "sale", "action", "over"} <= phases


def test_a_bid_that_came_in_stands_in_the_position_with_its_loans() -> None:
    at = played(LOT, TO_ISLAND, bid(1, 25, 1))
    found = CONTAINER.to_notation(at)
    assert found["auction"] == auction([None, 25, None])
    assert (found["seats"][1]["cash"], found["seats"][1]["loans"]) == (30, 1)
    assert CONTAINER.to_notation(CONTAINER.from_notation(found)) == found


def test_the_second_round_stands_beside_the_first() -> None:
    at = played(LOT, TO_ISLAND, bid(1, 5), bid(2, 5), bid(2, 11, 1))
    found = CONTAINER.to_notation(at)
    assert found["auction"] == auction([None, 5, 5], [None, None, 11])
    assert (found["seats"][2]["cash"], found["seats"][2]["loans"]) == (30, 1)
    assert CONTAINER.to_notation(CONTAINER.from_notation(found)) == found


# -- observations


def seen(at: Any, viewer: Viewer) -> Json:
    return CONTAINER.observation_to_notation(CONTAINER.observation(at, viewer))


@pytest.mark.parametrize("viewer", [0, 1, 2, SPECTATOR])
def test_an_observation_masks_cash_and_cards_of_others_and_nothing_else(viewer: Viewer) -> None:
    expected = position()
    expected["viewer"] = None if viewer is SPECTATOR else viewer
    for seat, entry in enumerate(expected["seats"]):
        if seat != viewer:
            entry["cash"] = entry["card"] = None
    assert seen(state(), viewer) == expected


def test_a_sealed_bid_is_seen_by_its_own_seat_only() -> None:
    at = played(LOT, TO_ISLAND, bid(1, 25, 1))
    own = seen(at, 1)
    assert own["auction"]["bids"] == [None, 25, None]
    assert (own["seats"][1]["loans"], own["seats"][1]["cash"]) == (1, 30)
    other_viewers: tuple[Viewer, ...] = (0, 2, SPECTATOR)
    for viewer in other_viewers:
        other = seen(at, viewer)
        assert other["auction"]["bids"] == [None, None, None]
        assert other["seats"][1]["loans"] == 0


def test_first_bids_are_open_while_the_tied_bid_again() -> None:
    """9.1: bids are public once revealed."""
    at = played(LOT, TO_ISLAND, bid(1, 5), bid(2, 5), bid(2, 11, 1))
    assert seen(at, 0)["auction"] == auction([None, 5, 5])
    assert seen(at, 2)["auction"] == auction([None, 5, 5], [None, None, 11])
    assert [seen(at, viewer)["seats"][2]["loans"] for viewer in (0, 1, 2)] == [0, 0, 1]


def test_a_finished_game_shows_everything() -> None:
    final = playout(CONTAINER, CONTAINER.options({"seats": 3}), bytes(32)).state
    found = seen(final, 0)
    del found["viewer"]
    assert found == CONTAINER.to_notation(final)


def test_a_held_back_end_shows_no_secrets() -> None:
    final = playout(CONTAINER, CONTAINER.options({"seats": 3}), bytes(32)).state
    view = CONTAINER.observation(final, 0)
    view.everyone = None
    found = CONTAINER.observation_to_notation(view)
    assert [entry["card"] is None for entry in found["seats"]] == [False, True, True]
    assert CONTAINER.observation_from_notation(found) == view


@pytest.mark.parametrize("number", range(3))
def test_observations_and_events_are_read_back(number: int) -> None:
    options = CONTAINER.options({"seats": 3 + number, "max_rounds": 20, "domestic_sale": True})
    rng = Stream(number.to_bytes(32, "big"), "x")
    at = CONTAINER.initial_state(options, number.to_bytes(32, "big"))
    viewers: tuple[Viewer, ...] = (*range(3 + number), SPECTATOR)
    while True:
        for viewer in viewers:
            view = CONTAINER.observation(at, viewer)
            text = json.dumps(CONTAINER.observation_to_notation(view))
            assert CONTAINER.observation_from_notation(json.loads(text)) == view
        seats = CONTAINER.to_act(at)
        if not seats:
            break
        seat = seats[rng.below(len(seats))]
        at, trace = CONTAINER.apply(at, {seat: CONTAINER.decision(at, seat).space.sample(rng)})
        for event in trace.events:
            text = json.dumps(CONTAINER.event_to_notation(event))
            assert CONTAINER.event_from_notation(json.loads(text)) == event


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"viewer": 3}, "viewer"),
        ({"viewer": True}, "viewer"),
        ({"seats": 1}, "seats"),
        ({"phase": "lunch"}, "phase"),
    ],
)
def test_a_wrong_observation_is_refused(change: Json, path: str) -> None:
    with pytest.raises(NotationError) as caught:
        CONTAINER.observation_from_notation({**seen(state(), 0), **change})
    assert caught.value.path == path


def test_an_observation_that_shows_too_much_is_refused() -> None:
    found = seen(state(), 0)
    found["seats"][1]["cash"] = 20
    with pytest.raises(NotationError, match="is null for all seats but the viewer's own"):
        CONTAINER.observation_from_notation(found)
    with pytest.raises(NotationError, match="with the key 'viewer'"):
        CONTAINER.observation_from_notation(position())


def test_a_viewer_is_a_seat() -> None:
    with pytest.raises(ValueError, match="the seats are 0 to 2"):
        CONTAINER.observation(state(), 3)


# -- actions and events


@pytest.mark.parametrize(
    ("action", "written"),
    [
        (act.Sail(act.ISLAND), {"type": "sail", "to": "island"}),
        (act.Sail(1), {"type": "sail", "to": 1, "take": {}}),
        (act.Seize(island=bag({Colour.TAN: 1})), {"type": "seize", "island": {"tan": 1}}),
        (act.Bid(7), {"type": "bid", "amount": 7, "loans": 0}),
        (act.Load(store({3: {Colour.TAN: 2}})), {"type": "load", "take": {"3": {"tan": 2}}}),
    ],
)
def test_actions_are_written_as_in_the_notation(action: act.Action, written: Json) -> None:
    assert CONTAINER.action_to_notation(action) == written
    assert CONTAINER.action_from_notation(written) == action


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ({"type": "sail", "to": 1}, act.Sail(1)),
        ({"type": "sail", "to": "sea", "take": {}}, act.Sail(act.SEA)),
        ({"type": "bid", "amount": 3}, act.Bid(3, 0)),
        ({"type": "accept", "winner": 2}, act.Accept(2, 0)),
        ({"type": "reject"}, act.Reject(0)),
        ({"type": "seize"}, act.Seize()),
        ({"type": "reprice", "harbour_store": {"2": {}, "3": {"tan": 0}}}, act.Reprice(store({}))),
    ],
)
def test_what_may_be_left_out(given: Json, action: act.Action) -> None:
    assert CONTAINER.action_from_notation(given) == action


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (None, ""),
        ([], ""),
        ({}, ""),
        ({"type": "fly"}, "type"),
        ({"type": ["pass"]}, "type"),
        ({"type": "pass", "why": "x"}, ""),
        ({"type": "bid", "amount": True}, "amount"),
        ({"type": "bid", "amount": 1.0}, "amount"),
        ({"type": "bid", "amount": "1"}, "amount"),
        ({"type": "bid", "amount": -1}, "amount"),
        ({"type": "load", "take": {"1": {}}}, "take"),
        ({"type": "load", "take": {"2": {"pink": 0}}}, "take.2"),
        ({"type": "load", "take": {"2": {"tan": -1}}}, "take.2.tan"),
        ({"type": "buy", "seller": 1, "take": {"5": {}}, "harbour_store": {}}, "take"),
        ({"type": "sail", "to": True}, "to"),
        ({"type": "surrender", "asset": "ship"}, "asset"),
        ({"type": "seize_factory", "colour": 3}, "colour"),
    ],
)
def test_an_unreadable_action_is_refused_with_its_place(given: object, path: str) -> None:
    with pytest.raises(NotationError) as caught:
        CONTAINER.action_from_notation(given)
    assert (caught.value.path, caught.value.code) == (path, "malformed")


@pytest.mark.parametrize(
    "given",
    [None, {}, {"event": "rain"}, {"event": "turn", "turn": 1}, {"event": "over", "end": "bored"}],
)
def test_an_unreadable_event_is_refused(given: object) -> None:
    with pytest.raises(NotationError):
        CONTAINER.event_from_notation(given)


def test_a_decision_is_for_who_is_to_act() -> None:
    with pytest.raises(ValueError, match="seat 1 is not to act"):
        CONTAINER.decision(state(), 1)
    space = CONTAINER.decision(state(), 0).space
    assert isinstance(space, Space)
    assert space.kinds() == (
        *("take_loan", "pass", "buy_factory", "buy_warehouse"),
        *("produce", "buy", "reprice", "sail"),
    )
