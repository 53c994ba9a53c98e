"""What a rogue's match must be: the match in which a bot without fault does what was accepted of the rogue.

The script of that bot comes from the rogue's replay: each action that was taken of it, and the default wherever the
referee played for it.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

from gavelport_engine.game import Json
from gavelport_server.archive.playback import Difference, Playback, Step
from gavelport_server.archive.record import Replay

Script: TypeAlias = "list[Json | None]"


def script_of(replay: Replay, seat: int) -> Script:
    """Return the seat's actions in the notation, in their order; None where the default was played for it."""
    to_notation = replay.header.game.action_to_notation
    own = [step.choice for step in Playback(replay) if step.seat == seat]
    return [None if choice.fault else to_notation(choice.action) for choice in own]


def differences(rogue: Replay, control: Replay, seat: int) -> list[str]:
    """Return in what two matches differ beyond who was slow, at fault or retired; a fault in the control counts too.

    `seat` is the rogue's: of ranks, only the others' among themselves are compared.
    """
    try:
        played, repeated = list(Playback(rogue)), list(Playback(control))
    except Difference as difference:
        return [f"no match of these rules: {difference}"]
    found = [f"control: {step.place}: {step.choice.fault}" for step in repeated if step.choice.fault is not None]
    found += [
        f"{one.place}: {_told(rogue, one)} against {other.place}: {_told(control, other)}"
        for one, other in zip(played, repeated, strict=False)
        if (one.turn, one.seat, one.phase, one.choice.action)
        != (other.turn, other.seat, other.phase, other.choice.action)
    ][:1]
    for what, one, other in (
        ("number of decisions", len(rogue.choices), len(control.choices)),
        ("checkpoints", rogue.prefixes, control.prefixes),
        ("final position", rogue.fingerprint, control.fingerprint),
        ("end", rogue.end.end, control.end.end),
        ("money", rogue.end.totals, control.end.totals),
        ("order of the honest seats", _order(rogue, seat), _order(control, seat)),
    ):
        if one != other:
            found.append(f"{what}: {one!r} against {other!r}")
    return found


def _told(replay: Replay, step: Step) -> Json:
    return replay.header.game.action_to_notation(step.choice.action)


def _order(replay: Replay, without: int) -> list[int]:
    """By pairs of honest seats: -1, 0 or 1 for ahead, level or behind."""
    ranks = [rank for seat, rank in enumerate(replay.end.ranks) if seat != without]
    return [(one > other) - (one < other) for one, other in combinations(ranks, 2)]
