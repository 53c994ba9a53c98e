"""How fast the engine plays a game, against catanatron's random players (the figures of `gavelport bench engine`).

Both play four seats at random on one core, in turns within one run, so that whatever else the machine does meets both;
CPU time counts. A decision is one answer of one seat; catanatron's include forced ones.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gavelport_engine.playout import bench

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_engine.game import AnyGame

ROUNDS = 5
SECONDS = 1.0
"""CPU seconds for each side in each round."""
SEATS = 4


@dataclass(frozen=True, slots=True)
class YardstickReading:
    """What a round of catanatron counted."""

    decisions: int
    seconds: float

    @property
    def rate(self) -> float:
        """Decisions per CPU second."""
        return self.decisions / self.seconds


def run_engine_bench(game: AnyGame, rounds: int = ROUNDS, seconds: float = SECONDS) -> dict[str, Any]:
    """Return the engine's figures for a game; with catanatron installed, its rate and the ratio too.

    Keys: `game`, `decisions_per_second` (median over the rounds), `decisions_per_game`, `pass_share` (of the decisions
    those with which a seat does no more), `games`, `ends` (how many games ended how); `catanatron` (its decisions per
    second, or null where it is not installed) and `ratio` (median of the rounds' ratios, or null).
    """
    options = game.options({"seats": SEATS})
    play_yardstick = yardstick()
    rates: list[float] = []
    ratios: list[float] = []
    others: list[float] = []
    kinds: Counter[type] = Counter()
    ends: Counter[str] = Counter()
    games = 0
    for _ in range(rounds):
        read = bench(game, options, seconds, first_seed=games)
        rates.append(read.decisions / read.seconds)
        games += read.games
        kinds += read.kinds
        ends += read.ends
        if play_yardstick is not None:
            others.append(play_yardstick(seconds).rate)
            ratios.append(rates[-1] / others[-1])
    decisions = kinds.total()
    return {
        "game": game.id,
        "decisions_per_second": round(statistics.median(rates)),
        "decisions_per_game": round(decisions / games, 1),
        "pass_share": round(kinds[game.pass_type] / decisions, 4),
        "games": games,
        "ends": dict(sorted(ends.items())),
        "catanatron": round(statistics.median(others)) if others else None,
        "ratio": round(statistics.median(ratios), 2) if ratios else None,
    }


def yardstick() -> Callable[[float], YardstickReading] | None:
    """Return what plays catanatron for so many CPU seconds; None where it is not installed."""
    try:
        from catanatron import Color, Game, RandomPlayer  # noqa: PLC0415  # only where a bench asks
        from catanatron.game import TURNS_LIMIT  # noqa: PLC0415
    except ImportError:
        return None

    def play(seconds: float) -> YardstickReading:
        decisions = number = 0
        start = time.process_time()
        spent = 0.0
        while spent < seconds:
            number += 1
            game = Game([RandomPlayer(color) for color in list(Color)[:SEATS]], seed=number)
            while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
                game.play_tick()
                decisions += 1
            spent = time.process_time() - start
        return YardstickReading(decisions, spent)

    return play
