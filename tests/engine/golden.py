"""Golden play-throughs: whole plays as readable text, in tests/golden/<game>/.

`python -m tests.engine.golden` draws and writes them all anew. Do so only when rules or notation change,
and then raise the game's version: these files are what the version means.

A line says what it is by its start: `#` a comment, `options`, `seed`, `deal`; `turn/seat phase: ACTION` a
decision; two blanks an event in words; `=` a checkpoint's record with its fingerprint; `result` and `score`
the end. Only options, seed and decisions are read back; all the rest is told again by the rules.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gavelport_engine.game import AnyGame, Json, Trace
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream

from tests.engine.shipping.trader import trade

FOLDER = Path(__file__).parents[1] / "golden"
HEAD = "# A golden play-through: see tests/engine/golden.py"
DECISION = re.compile(r"\d+/(\d+) \w+: (\{.*\})")


def at_random(space: Any, rng: Stream) -> Any:
    return space.sample(rng)


class Play(NamedTuple):
    """What a play-through is drawn from; `number` is the seed's."""

    options: Json
    number: int
    draw: Callable[[Any, Stream], Any] = at_random


# The seeds were searched for many kinds of events in few decisions.
PLAYS: dict[str, dict[str, Play]] = {
    "container": {
        "seats-3": Play({"seats": 3, "supply_per_player": 2}, 730),
        "seats-4": Play({"seats": 4, "supply_per_player": 1}, 1112),
        "seats-5": Play({"seats": 5, "supply_per_player": 1}, 85),
        "domestic-sale": Play({"seats": 3, "supply_per_player": 2, "domestic_sale": True}, 233),
        "seized-to-supply": Play({"seats": 3, "supply_per_player": 1, "seized_to": "supply"}, 414),
        "max-rounds": Play({"seats": 3, "max_rounds": 12}, 189),
        "stalled": Play({"seats": 4, "supply_per_player": 2, "stall_rounds": 2}, 852),
    },
    "shipping": {
        "last-player": Play({"seats": 2}, 501),
        "years-3": Play({"seats": 3, "years": 3}, 370, trade),
        "seats-4": Play({"seats": 4, "years": 3}, 78, trade),
        "seats-5": Play({"seats": 5, "years": 5}, 432, trade),
        "waived": Play({"seats": 2, "years": 3, "no_elimination": True}, 175),
        "raised": Play({"seats": 2, "no_elimination": True}, 436, trade),
    },
}


def _json(value: Any) -> str:
    return json.dumps(value)


def _told(game: AnyGame, trace: Trace[Any]) -> Iterator[str]:
    for event in trace.events:
        yield f"  {game.event_in_words(event)}"
    for point in trace.checkpoints:
        yield f"= {_json(point.record)} {point.fingerprint.hex()}"


def told(
    game: AnyGame,
    options: Json,
    seed: bytes,
    answers: Iterator[Json] | None,
    draw: Callable[[Any, Stream], Any] = at_random,
) -> Iterator[str]:
    """The lines of a play with given answers; without any they are drawn."""
    chosen = game.options(options)
    rng = Stream(seed, "golden")
    yield HEAD
    yield f"options {_json(game.options_to_notation(chosen))}"
    yield f"seed {seed.hex()}"
    yield f"deal {_json(game.deal_to_notation(chosen, seed))}"
    state = game.initial_state(chosen, seed)
    yield from _told(game, game.opening(chosen, seed))
    while seats := game.to_act(state):
        actions = {}
        for seat in seats:
            asked = game.decision(state, seat)
            if answers is None:
                action = draw(asked.space, rng)
            else:
                action = game.action_from_notation(next(answers))
            fault = game.fault(state, seat, action)
            assert fault is None, (seat, action, fault)
            actions[seat] = action
            yield f"{game.turn(state)}/{seat} {asked.phase}: {_json(game.action_to_notation(action))}"
        state, trace = game.apply(state, actions)
        yield from _told(game, trace)
    outcome = game.outcome(state)
    yield f"result {outcome.end} {game.total_unit} {list(outcome.totals)} ranks {list(outcome.ranks)}"
    for seat, score in enumerate(outcome.scores):
        yield f"score {seat} {_json(score)}"


def retold(game: AnyGame, text: str) -> Iterator[str]:
    """The lines that the rules make of a play-through's options, seed and decisions."""
    lines = text.splitlines()
    heads = dict(line.split(" ", 1) for line in lines[1:3])
    found = (json.loads(match[2]) for match in map(DECISION.fullmatch, lines) if match)
    return told(game, json.loads(heads["options"]), bytes.fromhex(heads["seed"]), found)


def main() -> None:
    for name, plays in PLAYS.items():
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
        for title, (options, number, draw) in plays.items():
            lines = told(GAMES[name], options, number.to_bytes(32, "big"), None, draw)
            path = FOLDER / name / f"{title}.txt"
            path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            print(path)


if __name__ == "__main__":
    main()
