"""A log of inputs, cut anywhere and played again, gives the core that was: position, decisions, clocks, deadlines."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import pytest
from gavelport_codecs.registry import codec_for
from gavelport_engine.game import AnyGame
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream
from gavelport_server.archive.journal_entries import InputKind, PastInput, input_bytes, input_of
from gavelport_server.archive.journal_format import Entry, EntryKind, record_bytes
from gavelport_server.conduct.resume import give, rebuilt
from gavelport_server.referee.core import MatchCore
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName
from gavelport_server.referee.states import Duty, Presence
from hypothesis import given, settings
from hypothesis import strategies as st

CLOCK = ClockSetting(bank_ms=4_000, increment_ms=150, cap_ms=2_000, allowance_ms=100)
SEATS = 3


def setup_of(game: AnyGame, seed: bytes) -> MatchSetup:
    names = tuple(SeatName(f"bot{seat}", "1") for seat in range(SEATS))
    return MatchSetup("m", game, game.options({"seats": SEATS}), seed, names, CLOCK)


def facts(core: MatchCore) -> Any:
    """All that a core knows."""
    seats = [
        {name: getattr(seat, name) for name in seat.__slots__ if name not in {"clock", "decision"}}
        | {name: getattr(seat.clock, name) for name in seat.clock.__slots__ if name != "_setting"}
        | {"phase": seat.decision and (seat.decision.phase, seat.decision.space.kinds(), seat.decision.sealed)}
        for seat in core._seats
    ]
    game, state = core.setup.game, core.state
    return seats, game.fingerprint(state), core.step, core.deadline(), list(core.record), core.report, core.has_started


class Play:
    """Random inputs, faults of every kind among them, as a match would put them."""

    def __init__(self, setup: MatchSetup, rng: Stream, trouble: int) -> None:
        self.core = MatchCore(setup)
        self.codec = codec_for(setup.game.id)
        self.inputs: list[bytes] = []
        self.rng = rng
        self.trouble = trouble
        """Of a hundred inputs, so many are no legal answers."""
        self.now = 17.25

    def put(self, past: PastInput) -> None:
        self.inputs.append(input_bytes(past))
        give(self.core, self.codec, past)

    def start(self) -> None:
        if self.rng.below(3) == 0:
            self.put(PastInput(InputKind.LOST, self.now, self.rng.below(SEATS)))
        self.put(PastInput(InputKind.START, self.now))

    def step(self) -> None:
        rng, core = self.rng, self.core
        self.now += rng.below(1000) / 7_001
        seats = core._seats
        asked = [seat for seat in seats if seat.duty is Duty.ASKED]
        seat = asked[rng.below(len(asked))]
        answer = partial(PastInput, InputKind.ANSWER, self.now, seat.number, 0)
        arrived = self.now - rng.below(50) / 997
        if rng.below(100) >= self.trouble:
            assert seat.decision is not None
            wire = self.codec.action(seat.decision.space.sample(rng)).SerializeToString()
            self.put(answer(arrived, seat.decision_id, "a note" if rng.below(9) == 0 else "", wire))
            return
        legal = self.codec.action(core.setup.game.default(core.state, asked[0].number)).SerializeToString()
        match rng.below(6):
            case 0:
                self.put(answer(arrived, seat.decision_id, "", b"", "unreadable", "junk"))
            case 1:  # legal for somebody, some time
                self.put(answer(arrived, seat.decision_id, "", legal))
            case 2:
                self.now = max(self.now, core.deadline())
                self.put(PastInput(InputKind.TICK, self.now))
            case 3:
                self.now += 3
                self.put(answer(self.now, seat.decision_id, "", legal))  # too late
            case 4:
                if seat.presence is Presence.HERE:
                    self.put(PastInput(InputKind.LOST, self.now, seat.number))
                elif seat.presence is Presence.AWAY:
                    self.put(PastInput(InputKind.BACK, self.now, seat.number, rng.below(30)))
            case _:
                if seat.presence is not Presence.GONE and rng.below(8) == 0:
                    self.put(PastInput(InputKind.GONE, self.now, seat.number, sentence="it was killed"))


def check_cuts(game: AnyGame, seed: bytes, trouble: int, cuts: int, *, most: int = 10_000) -> Play:
    """Play, and compare at so many places with the core that the inputs so far give."""
    setup = setup_of(game, seed)
    rng = Stream(seed, "cuts")
    play = Play(setup, Stream(seed, "play"), trouble)
    play.start()
    each = max(1, (min(most, 150)) // cuts)
    while play.core.report is None and len(play.inputs) < most:
        if rng.below(each) == 0:
            assert facts(rebuilt(setup, map(input_of, play.inputs))) == facts(play.core)
        play.step()
    assert facts(rebuilt(setup, map(input_of, play.inputs))) == facts(play.core)
    return play


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=8, deadline=None)
@given(seed=st.binary(min_size=32, max_size=32), trouble=st.sampled_from([0, 5, 30]))
def test_inputs_that_are_cut_anywhere_give_the_core_that_was(game: AnyGame, seed: bytes, trouble: int) -> None:
    check_cuts(game, seed, trouble, 4, most=150)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=60, deadline=None)
@given(seed=st.binary(min_size=32, max_size=32), trouble=st.sampled_from([0, 2, 5, 30]))
def test_whole_matches_that_are_cut_anywhere(game: AnyGame, seed: bytes, trouble: int) -> None:
    check_cuts(game, seed, trouble, 10)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_past_that_lacks_an_input_is_another(game: AnyGame) -> None:
    setup = setup_of(game, bytes(32))
    play = Play(setup, Stream(b"", "play"), 0)
    play.start()
    for _ in range(30):
        play.step()
    start = next(n for n, stored in enumerate(play.inputs) if input_of(stored).kind is InputKind.START)
    for missing in range(start + 1, len(play.inputs)):
        left = play.inputs[:missing] + play.inputs[missing + 1 :]
        assert facts(rebuilt(setup, map(input_of, left))) != facts(play.core)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_what_an_answer_costs_the_journal(game: AnyGame) -> None:
    setup = setup_of(game, bytes(32))
    play = Play(setup, Stream(b"", "play"), 0)
    play.start()
    while play.core.report is None:
        play.step()
    pasts = [input_of(stored) for stored in play.inputs]
    began = time.process_time()
    for past in pasts:
        input_bytes(past)
    encoded = time.process_time()
    size = sum(len(record_bytes(1, [Entry(EntryKind.INPUT, 1, stored)])) for stored in play.inputs)
    written = time.process_time()
    answers = sum(past.kind is InputKind.ANSWER for past in pasts)
    print(
        f"{game.id}: {answers} answers, {size / answers:.1f} bytes each in a record of its own, "
        f"{(size - 20 * len(pasts)) / answers:.1f} in a large group; {1e6 * (encoded - began) / answers:.1f} µs to "
        f"encode, {1e6 * (written - encoded) / answers:.1f} µs to frame"
    )
    assert size / answers < 100
