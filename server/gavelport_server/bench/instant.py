"""Bots that answer at once: what they will say is worked out before the match begins.

A benchmark knows its seeds, so a whole match of random legal play is played here beforehand, and each bot just says its
part. Thus the games are real ones, while the load process stays far cheaper than the server that is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_codecs.splice import field
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream

if TYPE_CHECKING:
    from collections.abc import Sequence


GAME = next(iter(GAMES.values()))
"""The referee is measured with the first game there is."""
SEATS = 4
SCRIPTS = 64
"""Different matches, more than a measurement plays: in one that came again, the server would remember pieces."""

_ANSWER = pb.PlayRequest.DESCRIPTOR.fields_by_name["answer"].number
_ACTION = pb.Answer.DESCRIPTOR.fields_by_name["action"].number


def seed(script: int) -> bytes:
    """Return the seed of one of the matches."""
    return script.to_bytes(32)


def match_id(script: int, number: int) -> str:
    """Return the id of a match that follows a script; `number` makes it unique."""
    return f"bench.{script}.{number}"


def parts(script: int) -> list[list[bytes]]:
    """Return what each seat says in a match of random legal play: its answers' action fields, in order."""
    codec = codec_for(GAME.name)
    state = GAME.initial_state(GAME.options({"seats": SEATS}), seed(script))
    rng = Stream(seed(script), "instant")
    said: list[list[bytes]] = [[] for _ in range(SEATS)]
    while seats := GAME.to_act(state):
        actions = {seat: GAME.decision(state, seat).space.sample(rng) for seat in seats}
        for seat, action in actions.items():
            said[seat].append(field(_ACTION, codec.action(action).SerializeToString()))
        GAME.apply_in_place(state, actions, None)
    return said


@dataclass(slots=True)
class Traffic:
    """What passed, as the load saw it."""

    asked: int = 0
    down_bytes: int = 0
    up_bytes: int = 0
    refused: int = 0


class InstantBot:
    """One bot; `answer` takes the server's messages."""

    def __init__(self, scripts: Sequence[list[list[bytes]]], traffic: Traffic) -> None:
        self._scripts = scripts
        self._traffic = traffic
        self._seat = 0

    def answer(self, message: bytes) -> bytes | None:
        """Return the answer to a message, or None."""
        response = pb.PlayResponse.FromString(message)
        kind = response.WhichOneof("message")
        if kind == "match_start":
            self._seat = response.match_start.seat
        elif kind == "refused":
            self._traffic.refused += 1
        if kind != "decision":
            return None
        decision = response.decision
        script = int(decision.match_id.split(".")[1])
        action = self._scripts[script][self._seat][decision.decision_id - 1]
        said = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id).SerializeToString()
        answer = field(_ANSWER, said + action)
        traffic = self._traffic
        traffic.asked += 1
        traffic.down_bytes += len(message)
        traffic.up_bytes += len(answer)
        return answer
