"""Bots that misbehave, on the bare protocol; `folders.py` makes folders of them.

Each plays legally at random but for what its kind says. No SDK here: it would not let a bot do most of this.
"""

import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.rng import Stream

PLAY = "/gavelport.v1.RefereeService/Play"
CODEC = codec_for("container")


class Rogue:
    """A bot on one stream; subclasses change what is sent."""

    def __init__(self) -> None:
        self.outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.options: dict[str, Any] = {}
        self.decisions = 0

    def hello(self) -> bytes:
        hello = pb.Hello(protocol_version=1, sdk="rogue", games=["container@1"], max_matches=1)
        return pb.PlayRequest(hello=hello).SerializeToString()

    def play(self) -> None:
        """Play until the server ends the stream."""
        channel = grpc.insecure_channel(os.environ["GAVELPORT_TARGET"])
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(PLAY)
        call = play(self.sent(), metadata=(("authorization", f"Bearer {os.environ['GAVELPORT_TOKEN']}"),))
        for received in call:
            message = pb.PlayResponse.FromString(received)
            kind = message.WhichOneof("message")
            if kind == "match_start":
                self.options[message.match_start.match_id] = CODEC.decode_options(message.match_start.options)
            elif kind == "decision":
                self.decisions += 1
                self.decide(message.decision)
            elif kind == "refused":
                self.refused(message.refused)

    def sent(self) -> Iterator[bytes]:
        yield self.hello()
        while (message := self.outgoing.get()) is not None:
            yield message

    def decide(self, decision: pb.Decision) -> None:
        """Answer; here legally."""
        self.send(self.answer(decision))

    def refused(self, refused: pb.Refused) -> None:
        """Hear of a refusal; here nothing more is tried."""

    def answer(self, decision: pb.Decision) -> pb.Answer:
        observation = CODEC.decode_observation(decision.observation, self.options[decision.match_id])
        asked = CODEC.game.observed_decision(observation)
        assert asked is not None
        action = asked.space.sample(Stream(decision.match_id.encode(), f"rogue {decision.decision_id}"))
        return pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, action=CODEC.action(action))

    def send(self, answer: pb.Answer) -> None:
        self.outgoing.put(pb.PlayRequest(answer=answer).SerializeToString())


class CrashesLater(Rogue):
    """Ends without a word at its fourth decision of each process."""

    def decide(self, decision: pb.Decision) -> None:
        if self.decisions == 4:
            print("ZeroDivisionError: planted", file=sys.stderr, flush=True)
            os._exit(3)
        super().decide(decision)


class CrashesInAuction(Rogue):
    """Ends while sealed bids are open."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.sealed:
            os._exit(4)
        super().decide(decision)


class Hangs(Rogue):
    """Stays connected and never answers."""

    def decide(self, decision: pb.Decision) -> None:
        """Do nothing."""


class AnswersLate(Rogue):
    """Answers after the time is out."""

    def decide(self, decision: pb.Decision) -> None:
        time.sleep(decision.time_ms / 1000 + 0.05)
        super().decide(decision)


class SendsJunk(Rogue):
    """Sends bytes that are no message in place of its answers."""

    def decide(self, decision: pb.Decision) -> None:
        self.outgoing.put(b"\xff\x00 no protobuf" * 10)


class SendsHuge(Rogue):
    """Sends a message far above the limit."""

    def decide(self, decision: pb.Decision) -> None:
        self.send(pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, note="x" * 1_000_000))


class SendsEmptyActions(Rogue):
    """Answers without an action, as often as it may."""

    def decide(self, decision: pb.Decision) -> None:
        self.send(pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id))

    def refused(self, refused: pb.Refused) -> None:
        if refused.tries_left:
            self.send(pb.Answer(match_id=refused.match_id, decision_id=refused.decision_id))


class PlaysIllegally(Rogue):
    """Bids more than anybody has, whatever it is asked, as often as it may."""

    def decide(self, decision: pb.Decision | pb.Refused) -> None:
        bid = CODEC.action(CODEC.game.action_from_notation({"type": "bid", "amount": 9_999}))
        self.send(pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, action=bid))

    def refused(self, refused: pb.Refused) -> None:
        if refused.tries_left:
            self.decide(refused)


class Floods(PlaysIllegally):
    """Answers every refusal again, long after the decision is over."""

    def refused(self, refused: pb.Refused) -> None:
        self.decide(refused)


class AnswersElsewhere(Rogue):
    """Answers to other matches and decisions, and everything twice; the right answer is among it."""

    def decide(self, decision: pb.Decision) -> None:
        right = self.answer(decision)
        for wrong in (
            pb.Answer(match_id="0" * 20, decision_id=decision.decision_id, action=right.action),
            pb.Answer(match_id=right.match_id, decision_id=right.decision_id + 1000, action=right.action),
            right,
            right,
        ):
            self.send(wrong)


class DoesNotStart(Rogue):
    """Fails before it connects."""

    def play(self) -> None:
        raise ModuleNotFoundError("No module named 'planted'")


class SaysNoHello(Rogue):
    """Connects and plays another protocol."""

    def hello(self) -> bytes:
        return pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString()


class NeverConnects(Rogue):
    """Runs, and does nothing at all."""

    def play(self) -> None:
        time.sleep(3600)


KINDS: dict[str, Callable[[], Rogue]] = {
    "crashes_later": CrashesLater,
    "crashes_in_auction": CrashesInAuction,
    "hangs": Hangs,
    "answers_late": AnswersLate,
    "sends_junk": SendsJunk,
    "sends_huge": SendsHuge,
    "sends_empty_actions": SendsEmptyActions,
    "plays_illegally": PlaysIllegally,
    "floods": Floods,
    "answers_elsewhere": AnswersElsewhere,
    "does_not_start": DoesNotStart,
    "says_no_hello": SaysNoHello,
    "never_connects": NeverConnects,
}
