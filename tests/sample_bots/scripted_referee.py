"""A small referee on plain grpcio for one bot process: it plays whole matches, the other seats at random.

It exists so that a bot in another language can be tested by itself. What it does beside playing by the rules is
scripted: refuse an answer that was fine, or lose the stream in the middle of a match.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import gavelport
import grpc
from gavelport.v1 import game_pb2, referee_pb2, referee_pb2_grpc
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.game import Trace
from gavelport_engine.rng import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a token for tests"
SESSION = "a session for tests"


@dataclass
class Played:
    """What one bot did."""

    ranks: list[int] = field(default_factory=list)
    first_alone: int = 0
    """Matches in which it shared the first place with nobody."""
    ends: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    """Of answers that were really wrong; what the script refuses is not among them."""
    hellos: list[referee_pb2.Hello] = field(default_factory=list)


class ScriptedReferee(referee_pb2_grpc.RefereeServiceServicer):
    """Plays `matches` matches with each session; the bot's seat goes round.

    Matches differ in deal; `in_blocks` as many in a row have the same deal as there are seats.
    """

    def __init__(
        self,
        matches: int,
        seats: int,
        *,
        game: str = "container",
        in_blocks: bool = False,
        refuse_decision: int | None = None,
        lose_at_decision: int | None = None,
    ) -> None:
        self.played = Played()
        self._codec = codec_for(game)
        self._game = self._codec.game
        self._options = self._game.options({"seats": seats})
        self._left = list(range(matches))
        self._matches_a_deal = seats if in_blocks else 1
        self._refuse_decision = refuse_decision
        self._lose_at_decision = lose_at_decision
        self._open: tuple[Any, Stream, int] | None = None
        """Of the match that goes on after a lost stream: its state, the others' chance, decisions asked."""

    def Play(  # noqa: N802  the name is the contract's
        self, requests: Iterator[referee_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[referee_pb2.PlayResponse]:
        assert dict(context.invocation_metadata())["authorization"] == f"Bearer {TOKEN}"
        hello = next(requests).hello
        self.played.hellos.append(hello)
        resumed = hello.session_token == SESSION
        yield referee_pb2.PlayResponse(welcome=referee_pb2.Welcome(session_token=SESSION, resumed=resumed))
        try:
            while self._left:
                yield from self._match(self._left[0], requests, context)
                self._left.pop(0)
        except (AssertionError, CodecError) as error:
            self.played.faults.append(f"what came is no answer: {error}")
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))  # no bot comes back after that

    def _match(
        self, number: int, requests: Iterator[referee_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[referee_pb2.PlayResponse]:
        name, seat = f"match {number}", number % self._options.seats
        if self._open is None:
            seed = (number // self._matches_a_deal).to_bytes(32)
            self._open = self._game.initial_state(self._options, seed), Stream(seed, "others"), 0
        state, chance, asked = self._open
        start = referee_pb2.MatchStart(
            match_id=name,
            game=self._game.id,
            options=self._codec.options(self._options),
            seat=seat,
            seats=[referee_pb2.Seat(bot=f"bot {each}") for each in range(self._options.seats)],
            deal=self._codec.deal(state, seat),
        )
        yield referee_pb2.PlayResponse(match_start=start)
        while to_act := self._game.to_act(state):
            answers = {each: self._game.decision(state, each).space.sample(chance) for each in to_act if each != seat}
            if seat in to_act:
                asked += 1
                phase = self._game.decision(state, seat).phase
                observation = self._codec.observed(self._codec.public(state), state, seat)
                yield referee_pb2.PlayResponse(
                    decision=referee_pb2.Decision(
                        match_id=name,
                        decision_id=asked,
                        phase=phase,
                        observation=game_pb2.GameObservation.FromString(observation),
                        last_event=asked,
                    )
                )
                if asked == self._lose_at_decision:
                    self._lose_at_decision = None
                    context.abort(grpc.StatusCode.UNAVAILABLE, "lost, as the script has it")
                action = self._answer(requests, name, asked)
                if asked == self._refuse_decision:
                    self._refuse_decision = None
                    refused = referee_pb2.Refused(
                        match_id=name, decision_id=asked, code="scripted", sentence="try again", tries_left=2
                    )
                    yield referee_pb2.PlayResponse(refused=refused)
                    action = self._answer(requests, name, asked)
                fault = self._game.fault(state, seat, action)
                if fault is not None:
                    self.played.faults.append(f"{phase}: {fault.sentence}: {action}")
                    action = self._game.default(state, seat)
                self.played.actions[self._game.action_to_notation(action)["type"]] += 1
                answers[seat] = action
            self._game.apply_in_place(state, answers, Trace())
            self._open = state, chance, asked
        outcome = self._game.outcome(state)
        self.played.ranks.append(outcome.ranks[seat])
        self.played.first_alone += outcome.ranks[seat] == 1 and outcome.ranks.count(1) == 1
        self.played.ends[outcome.end] += 1
        self._open = None
        over = referee_pb2.MatchEnd(match_id=name, end=outcome.end, ranks=outcome.ranks, totals=outcome.totals)
        yield referee_pb2.PlayResponse(match_end=over)

    def _answer(self, requests: Iterator[referee_pb2.PlayRequest], match: str, decision: int) -> Any:
        answer = next(request.answer for request in requests if request.HasField("answer"))
        assert (answer.match_id, answer.decision_id) == (match, decision)
        return self._codec.decode_action(answer.action)


@contextmanager
def serving(referee: ScriptedReferee) -> Iterator[str]:
    """Serve on a unix socket; yields the target. Its folder has a short name: a socket's path is at most 107 bytes."""
    server = grpc.server(ThreadPoolExecutor(4))
    referee_pb2_grpc.add_RefereeServiceServicer_to_server(referee, server)
    with TemporaryDirectory() as folder:
        target = f"unix:{folder}/referee"
        server.add_insecure_port(target)
        server.start()
        try:
            yield target
        finally:
            server.stop(None).wait()


def run_bot(command: list[str], folder: Path, target: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
    """Run a bot's process to its end, with the environment in which a referee starts it."""
    environment = os.environ | {
        "GAVELPORT_TARGET": target,
        "GAVELPORT_TOKEN": TOKEN,
        "GAVELPORT_PROTO_DIR": str(Path(next(iter(gavelport.__path__))).parent),
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False
    )
