"""Matches of Container between sample bots straight on the engine: no messages, no clocks, as fast as the bots think.

A block is one deal played as often as there are seats, the company moving round by one seat each time, so that each bot
plays each hand. Blocks go to as many processes as there are processors; the results do not depend on how many.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from gavelport_engine.container.options import options
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import CARD_NAMES
from gavelport_engine.game import Trace
from gavelport_engine.rng import Stream
from gavelport_sdk.bot import Clock, DecisionInfo, MatchInfo, SeatInfo

from tests.sample_bots.bots import bot_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gavelport_engine.container.actions import Action
    from gavelport_engine.container.events import Event
    from gavelport_engine.container.table import State
    from gavelport_sdk import Bot

    Job = tuple[tuple[str, ...], int]
    """A company, by seat, and the number of a deal."""

CLOCK = Clock(bank_ms=20_000, increment_ms=200, cap_ms=5_000, allowance_ms=100)


@dataclass(slots=True)
class Played:
    """A finished match; sequences are by seat."""

    bots: tuple[str, ...]
    deal: int
    ranks: tuple[int, ...]
    totals: tuple[int, ...]
    end: str
    thinking_s: list[float]
    """CPU time."""
    decisions: list[int]
    faults: list[str] = field(default_factory=list)


def play_match(bots: tuple[str, ...], deal: int, name: str) -> Played:
    """Return a match on a deal, a number that stands for a seed. Where an action is illegal the default is played."""
    chosen, seed = options({"seats": len(bots)}), deal.to_bytes(32, "big")
    state = CONTAINER.initial_state(chosen, seed)
    players = [_seated(bots, seat, name, state) for seat in range(len(bots))]
    unheard: list[list[Event]] = [[*CONTAINER.opening(chosen, seed).events] for _ in bots]
    thinking_s, decisions, faults = [0.0] * len(bots), [0] * len(bots), []
    while seats := CONTAINER.to_act(state):
        answers: dict[int, Action] = {}
        for seat in seats:
            decisions[seat] += 1
            begun_s = time.process_time()
            answers[seat] = _answer(players[seat], state, seat, decisions[seat], unheard[seat])
            thinking_s[seat] += time.process_time() - begun_s
            fault = CONTAINER.fault(state, seat, answers[seat])
            if fault is not None:
                faults.append(f"{bots[seat]}, match {name}, decision {decisions[seat]}: {fault.sentence}")
                answers[seat] = CONTAINER.default(state, seat)
        trace: Trace[Event] = Trace()
        CONTAINER.apply_in_place(state, answers, trace)
        unheard = [[*events, *trace.events] for events in unheard]
    outcome = CONTAINER.outcome(state)
    return Played(bots, deal, outcome.ranks, outcome.totals, outcome.end, thinking_s, decisions, faults)


def _seated(bots: tuple[str, ...], seat: int, name: str, state: State) -> Bot:
    player = bot_class(bots[seat])()
    player.rng = Stream(f"{name} {seat}".encode(), "bot")
    player.match = MatchInfo(
        match_id=name,
        game=CONTAINER.id,
        options=state.table.options,
        seat=seat,
        seats=tuple(SeatInfo(bot, "") for bot in bots),
        clock=CLOCK,
        commitment="",
        deal={"card": CARD_NAMES[state.cards[seat]]},
    )
    player.start(player.match)
    return player


def _answer(player: Bot, state: State, seat: int, number: int, unheard: list[Event]) -> Any:
    """Return the action for a decision; what was not heard before is told first, and the list is emptied."""
    player.events(unheard.copy())
    unheard.clear()
    observation = CONTAINER.observation(state, seat)
    asked = CONTAINER.observed_decision(observation)
    assert asked is not None
    space: Any = asked.space
    player.decision = DecisionInfo(
        number=number,
        phase=asked.phase,
        kinds=space.kinds(),
        sealed=asked.sealed,
        time_ms=CLOCK.cap_ms + CLOCK.allowance_ms,
        bank_ms=CLOCK.bank_ms,
        charged_ms=0,
        space=space,
    )
    return player.decide(observation)


def play_block(job: Job) -> list[Played]:
    """Return the matches of one block."""
    bots, deal = job
    return [play_match((*bots[turn:], *bots[:turn]), deal, f"{deal}-{turn}") for turn in range(len(bots))]


def play_blocks(jobs: Iterable[Job], workers: int | None = None) -> list[Played]:
    """Return the matches of many blocks, in order."""
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        return [match for block in pool.map(play_block, jobs) for match in block]
