"""Matches of Shipping between sample bots straight on the engine: no clocks, no processes, no gRPC.

A block is one deal played as often as there are seats, the company moving round by one seat each time, so that each bot
plays each hand, each home city and each place in the turn order.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from gavelport_engine.rng import Stream
from gavelport_engine.shipping.data import SPACES
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_sdk.bot import Clock, DecisionInfo, MatchInfo, SeatInfo

from tests.balance.node_bot import shipping_trader
from tests.sample_bots.bots import bot_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gavelport_engine.shipping.table import Options

CLOCK = Clock(bank_ms=20_000, increment_ms=200, cap_ms=5_000, allowance_ms=0)

Job = tuple[tuple[str, ...], int]
"""Of a block: the bots that sit down, and the number of the deal."""


@dataclass(frozen=True, slots=True)
class Match:
    """A finished match; tuples are by seat."""

    bots: tuple[str, ...]
    deal: int
    homes: tuple[str, ...]
    places: tuple[int, ...]
    """In the first turn order: 0 has the Start marker."""
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    bankrupt: tuple[bool, ...]


class IllegalAnswerError(Exception):
    """A bot answered what the rules do not allow."""


def play_match(bots: Sequence[str], deal: int, name: str) -> Match:
    """Return a match of standard length; the deal is a number that stands for a seed. Raises IllegalAnswerError."""
    options = SHIPPING.options({"seats": len(bots)})
    state = SHIPPING.initial_state(options, deal.to_bytes(32, "big"))
    start = state.table.start
    homes = tuple(SPACES[board.home] for board in state.table.boards)
    answers = [_player(bot, seat, bots, options, name) for seat, bot in enumerate(bots)]
    while seats := SHIPPING.to_act(state):
        (seat,) = seats
        action = answers[seat](state)
        fault = SHIPPING.fault(state, seat, action)
        if fault is not None:
            raise IllegalAnswerError(f"{bots[seat]} in {name}, seat {seat}: {fault.sentence}: {action}")
        SHIPPING.apply_in_place(state, {seat: action}, None)
    outcome = SHIPPING.outcome(state)
    places = tuple((seat - start) % len(bots) for seat in range(len(bots)))
    broke = tuple(score["bankrupt"] is not None for score in outcome.scores)
    return Match(tuple(bots), deal, homes, places, outcome.totals, outcome.ranks, broke)


def _player(bot: str, seat: int, bots: Sequence[str], options: Options, name: str) -> Callable[[Any], Any]:
    if bot == "shipping_trader":
        return shipping_trader(seat, options.years)
    player = bot_class(bot)()
    seats = tuple(SeatInfo(other, "1") for other in bots)
    player.match = MatchInfo(name, SHIPPING.id, options, seat, seats, CLOCK, "", {})
    player.rng = Stream(f"{name}/{seat}".encode(), "bot")
    player.start(player.match)

    def decide(state: Any) -> Any:
        observation = SHIPPING.observation(state, seat)
        asked = SHIPPING.observed_decision(observation)
        assert asked is not None
        space: Any = asked.space
        player.decision = DecisionInfo(1, asked.phase, space.kinds(), asked.sealed, 5_000, 20_000, 0, space)
        return player.decide(observation)

    return decide


def play_block(job: Job) -> list[Match]:
    """Return the matches of one block."""
    bots, deal = job
    return [play_match([*bots[turn:], *bots[:turn]], deal, f"{deal}-{turn}") for turn in range(len(bots))]


def play_blocks(jobs: Sequence[Job], workers: int | None = None) -> Iterator[list[Match]]:
    """Yield the matches block by block, in the order of the jobs, played by as many processes as processors."""
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        yield from pool.map(play_block, jobs)
