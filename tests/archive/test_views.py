"""What a seat saw is what its bot was told, and tells nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count, zip_longest
from typing import TYPE_CHECKING, Any

import pytest
from gavelport_engine.container import deal as container_deal
from gavelport_engine.container.actions import Bid
from gavelport_engine.container.rules import CONTAINER, Container
from gavelport_engine.rng import Stream
from gavelport_engine.shipping.hidden import twin
from gavelport_engine.shipping.rules import Shipping
from gavelport_server.archive.playback import Difference, Playback
from gavelport_server.archive.public import public_copy
from gavelport_server.archive.record import Replay, chain_of
from gavelport_server.archive.replay import decode_replay, encode_replay, replay_of
from gavelport_server.archive.views import seat_view

from tests.archive.folder import SHORT
from tests.archive.play import played_match
from tests.archive.test_every_game import match
from tests.games.registry import SAMPLES, every_game

if TYPE_CHECKING:
    from gavelport_engine.game import Json

    from tests.games.samples import Samples

REVEALS = {"bids", "extra_bids", "order_open", "order_drawn", "order_counted", "news", "bankrupt"}
"""Events that make something public, or known to the seat."""
KEY = bytes(16)


def lines(replay: Replay, seat: int) -> list[Json]:
    """A seat's view; of a replay that does not play to its end, what there is of it."""
    found = []
    try:
        for line in seat_view(replay, seat):
            found.append(line)  # noqa: PERF402  # what came before a Difference is wanted
    except Difference:
        pass
    return found


def first_difference(one: Replay, other: Replay, seat: int) -> int | None:
    """The first line that tells two views apart, byte by byte; the other may not play to its end."""
    ours, theirs = lines(one, seat), lines(other, seat)
    pairs = zip_longest(ours, theirs) if theirs[-1]["record"] == "end" else zip(ours, theirs, strict=False)
    for number, (left, right) in enumerate(pairs):
        if json.dumps(left) != json.dumps(right):
            return number
    return None


def interference(one: Replay, other: Replay, seat: int) -> str | None:
    """Where views differ before anything was revealed, of replays that differ in what the seat may not know."""
    number = first_difference(one, other, seat)
    if number is None:
        return None
    line = lines(one, seat)[number]
    is_revealed = line["record"] == "end" or any(event["event"] in REVEALS for event in line.get("events", ()))
    return None if is_revealed else f"line {number}: {line}"


@every_game
@pytest.mark.parametrize("number", range(3))
def test_a_view_is_what_the_game_shows_the_seat(samples: Samples, number: int) -> None:
    """Played along with the engine alone: every question with its observation, every event, in order, once."""
    game, replay = samples.game, replay_of(match(samples, number))
    options, seats = replay.header.options, len(replay.header.seats)
    for seat in range(seats):
        header, *decisions, end = json.loads(json.dumps(list(seat_view(replay, seat))))
        assert (header["match"], header["seat"]) == (replay.header.match_id, seat)
        state, due = game.initial_state(options, replay.seed), iter(decisions)
        happened, told = [*game.opening(options, replay.seed).events], []
        choices = iter(replay.choices)
        while acting := game.to_act(state):
            answers = {each: next(choices) for each in acting}
            if seat in acting:
                line, choice = next(due), answers[seat]
                assert line["observation"] == game.observation_to_notation(game.observation(state, seat))
                assert line["action"] == game.action_to_notation(choice.action)
                assert (line["ms"], line["fault"], line["note"]) == (choice.charged_ms, choice.fault, choice.note)
                assert line["phase"] == game.decision(state, seat).phase
                told += line["events"]
            state, trace = game.apply(state, {each: choice.action for each, choice in answers.items()})
            happened += trace.events
        assert next(due, None) is None
        seen = [game.event_to_notation(event) for one in happened if (event := game.visible(one, seat)) is not None]
        assert told + end["events"] == seen
        assert end["ranks"] == list(replay.end.ranks)
        assert [line["asked"] for line in decisions] == list(range(1, len(decisions) + 1))


@every_game
def test_nothing_private_of_others_is_in_a_view(samples: Samples) -> None:
    """Notes, times, faults' words and refusals of other seats change nothing of a view."""
    replay = replay_of(match(samples, 1))
    seats = [step.seat for step in Playback(replay)]
    for viewer in range(len(replay.header.seats)):
        others = {seat for seat in seats if seat != viewer}
        choices = tuple(
            replace(choice, note="else", charged_ms=777) if seat in others else choice
            for seat, choice in zip(seats, replay.choices, strict=True)
        )
        words = tuple("else" if seat in others else said for seat, said in enumerate(replay.end.first_faults))
        refusals = tuple(99 if seat in others else count for seat, count in enumerate(replay.end.refusals))
        other = replace(replay, choices=choices, end=replace(replay.end, first_faults=words, refusals=refusals))
        assert other != replay
        assert first_difference(replay, other, viewer) is None


def same_deal(seed: bytes, viewer: int, options: Any) -> bytes:
    """Another seed that deals the same but for the other seats' cards."""
    deal = container_deal.deal(options, seed)
    for number in count():
        other = number.to_bytes(32, "big")
        dealt = container_deal.deal(options, other)
        public = (dealt.factories, dealt.start_seat, dealt.cards[viewer])
        same = sum(one == card for one, card in zip(dealt.cards, deal.cards, strict=True))
        if same == 1 and public == (deal.factories, deal.start_seat, deal.cards[viewer]):
            return other
    raise AssertionError


def other_cards(viewer: int, game: Any = CONTAINER) -> tuple[Replay, Replay]:
    """Two replays of the same play of Container, in which the other seats hold other cards."""
    one = replay_of(played_match(3, seats=3, options=SHORT), KEY)
    one = replace(one, header=replace(one.header, game=game))
    return one, replace(one, seed=same_deal(one.seed, viewer, one.header.options))


@pytest.mark.parametrize("viewer", range(3))
def test_other_seats_cards_do_not_interfere(viewer: int) -> None:
    one, other = other_cards(viewer)
    assert lines(other, viewer)[-1]["record"] == "end"
    assert first_difference(one, other, viewer) is None  # ranks and totals are the replay's own


def changed_bids() -> tuple[list[str], int]:
    """Where a bid told of itself before it was revealed, among many that were changed; and how often it did later."""
    found, differing = [], 0
    for number in range(6):
        one = replay_of(played_match(number, seats=4, options=SHORT))
        for step in Playback(one):
            if not isinstance(step.choice.action, Bid):
                continue
            amount = 0 if step.choice.action.amount else 1
            changed = [*one.choices]
            changed[step.number - 1] = replace(step.choice, action=Bid(amount))
            other = replace(one, choices=tuple(changed))
            for viewer in {0, 1, 2, 3} - {step.seat}:
                found += [where] if (where := interference(one, other, viewer)) else []
                differing += first_difference(one, other, viewer) is not None
    return found, differing


def test_a_bid_does_not_interfere_until_it_is_revealed() -> None:
    found, differing = changed_bids()
    assert found == []
    assert differing > 5


class OtherDecks(Shipping):
    """Shipping whose hidden Orders and decks are others than the seed says, in all that a viewer does not know."""

    def __init__(self, viewer: int) -> None:
        self.viewer = viewer

    def initial_state(self, options: Any, seed: bytes) -> Any:
        return twin(super().initial_state(options, seed), self.viewer, Stream(seed, "twin"))


@pytest.mark.parametrize("viewer", range(3))
def test_hidden_orders_and_decks_do_not_interfere(viewer: int) -> None:
    shipping = SAMPLES["shipping"].game
    differing = compared = 0
    for number in range(12):
        one = replay_of(played_match(number, seats=3, game=shipping))
        other = replace(one, header=replace(one.header, game=OtherDecks(viewer)))
        assert interference(one, other, viewer) is None
        compared += len(lines(other, viewer)) - 1
        differing += first_difference(one, other, viewer) is not None
    assert compared > 30
    assert differing > 2  # sooner or later News come out, or an Order


# -- planted leaks


class Leaky(Container):
    """Shows the next seat's card in place of one's own."""

    def observation(self, state: Any, viewer: Any) -> Any:
        seen = super().observation(state, viewer)
        return replace(seen, card=state.cards[(viewer + 1) % len(state.cards)])


def test_a_leaked_card_is_caught() -> None:
    one, other = other_cards(0, Leaky())
    assert interference(one, other, 0) is not None


def test_a_leaked_bid_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(self: Container, state: Any, viewer: Any) -> Any:
        seen = observation(self, state, viewer)
        return replace(seen, sealed_bid=next((bid for bid in state.sealed_bids if bid is not None), None))

    def asked_late(self: Container, state: Any) -> tuple[int, ...]:
        return to_act(self, state)[:1]  # one after the other, so that there is a bid to be leaked

    observation, to_act = Container.observation, Container.to_act
    monkeypatch.setattr(Container, "observation", leaky)
    monkeypatch.setattr(Container, "to_act", asked_late)
    found, _ = changed_bids()
    assert any("'phase': 'bid'" in where for where in found)


# -- copies, and what is refused


def test_a_copy_without_the_seat_s_texts_has_none() -> None:
    notes = dict.fromkeys(range(60), "mine")
    stored = encode_replay(played_match(2, seats=3, options=SHORT, notes=notes, faults={4: "timeout"}))
    whole, bare = decode_replay(stored), decode_replay(public_copy(stored))
    for seat in range(3):
        own = decode_replay(public_copy(stored, (seat,)))
        assert list(seat_view(own, seat)) == list(seat_view(whole, seat))
        assert all(line["note"] is None for line in seat_view(bare, seat) if line["record"] == "decision")
    assert chain_of(bare) == whole.chain


@pytest.mark.parametrize("seat", [-1, 3])
def test_a_seat_that_there_is_not_is_told(seat: int) -> None:
    with pytest.raises(ValueError, match=f"seat {seat}: match match-0 has seats 0 to 2"):
        next(seat_view(replay_of(played_match(0, seats=3, options=SHORT)), seat))
