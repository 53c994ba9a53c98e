"""A bot on the bare protocol, that plays legally at random; what each rogue does otherwise is in the modules beside.

No SDK here: it would not let a bot do most of this.
"""

import os
import queue
import sys
from collections.abc import Iterator
from typing import Any

import grpc
from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.rng import Stream

PLAY = "/gavelport.v1.RefereeService/Play"
CODEC = codec_for("container")
ENDED = (grpc.StatusCode.OK, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNAVAILABLE)
"""Codes after which nothing is gained by coming back."""


class Rogue:
    """A bot with one stream at a time; subclasses change what is sent."""

    def __init__(self) -> None:
        self.channel = grpc.insecure_channel(os.environ["GAVELPORT_TARGET"])
        self.outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.call: Any = None
        self.options: dict[str, Any] = {}
        self.decisions = 0
        """Decisions asked so far."""

    def main(self) -> None:
        """Live, and tell what ended it if the server did."""
        try:
            self.play()
        except grpc.RpcError as error:
            code, details = error.code(), error.details()
            say(f"RpcError: {code.name}: {details}")
            sys.exit(1)

    def play(self) -> None:
        """Play; here on one stream."""
        self.stream()

    def stream(self) -> None:
        """Play on a stream until it ends. Raises grpc.RpcError where its end is not OK."""
        self.outgoing = queue.SimpleQueue()
        self.call = self.open(self.sent(self.outgoing))
        self.read()

    def open(self, messages: Iterator[bytes]) -> Any:
        """Open a stream and return it."""
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = self.channel.stream_stream(PLAY)
        return play(messages, metadata=(("authorization", f"Bearer {self.token()}"),))

    def token(self) -> str:
        return os.environ["GAVELPORT_TOKEN"]

    def sent(self, outgoing: "queue.SimpleQueue[bytes | None]") -> Iterator[bytes]:
        yield self.hello()
        while (message := outgoing.get()) is not None:
            yield message

    def hello(self) -> bytes:
        return pb.PlayRequest(hello=self.greeting()).SerializeToString()

    def greeting(self) -> pb.Hello:
        return pb.Hello(protocol_version=1, sdk="rogue", games=["container@1"], max_matches=1)

    def read(self) -> None:
        for received in self.call:
            message = pb.PlayResponse.FromString(received)
            kind = message.WhichOneof("message")
            if kind == "match_start":
                self.options[message.match_start.match_id] = CODEC.decode_options(message.match_start.options)
            elif kind == "decision":
                self.decisions = max(self.decisions, message.decision.decision_id)
                self.decide(message.decision)
            elif kind == "refused":
                self.refused(message.refused)

    def decide(self, decision: pb.Decision) -> None:
        """Answer; here legally."""
        self.send(self.answer(decision))

    def refused(self, refused: pb.Refused) -> None:
        """Hear of a refusal; here nothing more is tried."""

    def answer(self, decision: pb.Decision) -> pb.Answer:
        """Return a legal answer, the same for the same decision."""
        observation = CODEC.decode_observation(decision.observation, self.options[decision.match_id])
        asked = CODEC.game.observed_decision(observation)
        assert asked is not None
        action = asked.space.sample(Stream(decision.match_id.encode(), f"rogue {decision.decision_id}"))
        return pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, action=CODEC.action(action))

    def send(self, answer: pb.Answer) -> None:
        self.put(pb.PlayRequest(answer=answer).SerializeToString())

    def put(self, message: bytes | None) -> None:
        """Send bytes; None closes this side of the stream."""
        self.outgoing.put(message)

    def come_back(self) -> bool:
        """Play on one more stream; return whether another is worth the while."""
        try:
            self.stream()
        except grpc.RpcError as error:
            return error.code() not in ENDED
        finally:
            self.put(None)
        return False


def say(line: str) -> None:
    """Print a line on stderr, at once."""
    print(line, file=sys.stderr, flush=True)
