"""Matches of random play, as the referee reports them."""

from collections.abc import Mapping
from typing import Any

from gavelport_engine.game import AnyGame, Checkpoint, Trace
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream
from gavelport_server.referee.report import (
    ClockSetting,
    FaultReason,
    MatchReport,
    MatchSetup,
    Played,
    SeatFigures,
    SeatName,
)

CONTAINER = GAMES["container"]


def played_match(
    number: int = 0,
    *,
    seats: int = 4,
    game: AnyGame = CONTAINER,
    options: Mapping[str, object] | None = None,
    match_id: str = "",
    faults: Mapping[int, FaultReason] | None = None,
    notes: Mapping[int, str] | None = None,
    retired: tuple[int, ...] = (),
) -> MatchReport:
    """Return a match of random play, the same for the same number.

    `faults` and `notes` are by decision, from 0; a fault makes the default be played.
    """
    match_id = match_id or f"match-{number}"
    seed = Stream(str(number).encode(), "match").word().to_bytes(32, "big")
    typed = game.options({"seats": seats, **(options or {})})
    rng = Stream(seed, "players")
    record: list[Played | Checkpoint] = list(game.opening(typed, seed).checkpoints)
    state = game.initial_state(typed, seed)
    charged = [0] * seats
    asked = [0] * seats
    slowest = [0] * seats
    first_faults = [""] * seats
    decisions = 0
    while acting := game.to_act(state):
        trace = Trace[Any]()
        for seat in acting:
            fault = (faults or {}).get(decisions)
            decision = game.decision(state, seat)
            action = game.default(state, seat) if fault else decision.space.sample(rng)
            ms = min(rng.below(4), rng.below(60))
            record.append(
                Played(game.turn(state), seat, decision.phase, action, ms, fault, (notes or {}).get(decisions, ""))
            )
            charged[seat] += ms
            asked[seat] += 1
            slowest[seat] = max(slowest[seat], ms)
            if fault and fault != "retired" and not first_faults[seat]:
                first_faults[seat] = f"decision {asked[seat]}: {fault}: planted"
            decisions += 1
            game.apply_in_place(state, {seat: action}, trace)
        record.extend(trace.checkpoints)
    figures = tuple(
        SeatFigures(
            asked[seat], charged[seat], slowest[seat], seat if first_faults[seat] else 0, (), first_faults[seat]
        )
        for seat in range(seats)
    )
    setup = MatchSetup(
        match_id=match_id,
        game=game,
        options=typed,
        seed=seed,
        seats=tuple(SeatName(f"bot_{'abcde'[seat]}", f"1.{seat}") for seat in range(seats)),
        clock=ClockSetting(),
    )
    return MatchReport(setup, tuple(record), game.outcome(state, retired), retired, figures)
