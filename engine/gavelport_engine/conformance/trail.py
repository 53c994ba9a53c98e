"""The law of determinism: the same seed and actions in another process, the same events.

`python -m gavelport_engine.conformance.trail MODULE CLASS OPTIONS SEED` prints what a random play
tells; `check_other_process` compares that with this process.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from gavelport_engine.conformance.laws import LawBroken, canonical
from gavelport_engine.rng import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_engine.game import AnyGame, Json


def trail(game: AnyGame, options: Any, seed: bytes) -> Iterator[str]:
    """Yield what a random play tells: every action, event and checkpoint, a line each."""
    rng = Stream(seed, "trail")
    state = game.initial_state(options, seed)
    trace = game.opening(options, seed)
    while True:
        for event in trace.events:
            yield canonical(game.event_to_notation(event))
        for point in trace.checkpoints:
            yield f"{canonical(point.record)} {point.fingerprint.hex()}"
        seats = game.to_act(state)
        if not seats:
            return
        actions = {seat: game.decision(state, seat).space.sample(rng) for seat in seats}
        for seat, action in actions.items():
            yield f"{seat} {canonical(game.action_to_notation(action))}"
        state, trace = game.apply(state, actions)


def check_other_process(game: AnyGame, options: Json, seed: bytes) -> None:
    """Raise LawBroken where another process, with other hash seeds, tells another play.

    The game's class must be importable there and need no arguments.
    """
    kind = type(game)
    names = (kind.__module__, kind.__qualname__, json.dumps(options), seed.hex())
    salt = hashlib.sha256(seed).digest()[0]  # any hash seed that is not this process's
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": str(1 + salt)}
    command = (sys.executable, "-m", __name__, *names)
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise LawBroken(f"{game.id}: the other process failed: {ran.stderr.strip()}")
    here = list(trail(game, game.options(options), seed))
    there = ran.stdout.splitlines()
    for number, (own, other) in enumerate(zip(here, there, strict=False), 1):
        if own != other:
            problem = f"line {number}: here {own}, there {other}"
            raise LawBroken(f"{game.id}: same seed and actions, another play: {problem}")
    if len(here) != len(there):
        raise LawBroken(f"{game.id}: same seed, {len(here)} lines here, {len(there)} there")


def main(module: str, kind: str, options: str, seed: str) -> None:
    """Print the trail of a game's class."""
    game: AnyGame = getattr(importlib.import_module(module), kind)()
    for line in trail(game, game.options(json.loads(options)), bytes.fromhex(seed)):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
