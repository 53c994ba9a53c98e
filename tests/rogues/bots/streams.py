"""Rogues by what they do to their streams."""

import queue
import secrets
import threading
import time
from typing import Any

from gavelport.v1 import referee_pb2 as pb

from .rogue import Rogue


class SaysNoHello(Rogue):
    """Connects and plays another protocol."""

    def hello(self) -> bytes:
        return pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString()


class SaysNothing(Rogue):
    """Opens its stream, and waits for the server to begin."""

    def sent(self, outgoing: "queue.SimpleQueue[bytes | None]") -> Any:
        time.sleep(3600)
        yield b""


class SaysHelloAgain(Rogue):
    """Says Hello before every answer."""

    def decide(self, decision: pb.Decision) -> None:
        self.put(self.hello())
        super().decide(decision)


class SpeaksAnotherVersion(Rogue):
    """Says Hello in a version of the protocol that is not there."""

    def greeting(self) -> pb.Hello:
        return pb.Hello(protocol_version=99, sdk="rogue", games=["container@1"])


class HasAnotherToken(Rogue):
    """Makes a token up."""

    def token(self) -> str:
        return secrets.token_urlsafe(32)


class NeverReads(Rogue):
    """Says Hello and never reads a message."""

    def read(self) -> None:
        time.sleep(3600)


class NeverReadsAndAsks(Rogue):
    """Says Hello again and again, so that there is more and more to be read, and never reads it."""

    def read(self) -> None:
        while True:
            for _ in range(40):
                self.put(self.hello())
            time.sleep(1)


class HalfCloses(Rogue):
    """Closes its side of the stream at its fifth decision, and reads on."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id < 5:
            super().decide(decision)
        else:
            self.put(None)

    def play(self) -> None:
        self.stream()
        time.sleep(3600)


class DisconnectsInAuction(Rogue):
    """Drops its stream when it is asked for a sealed bid, and comes back after the time for it is out."""

    def __init__(self) -> None:
        super().__init__()
        self.away_s = 0.0

    def play(self) -> None:
        while self.come_back():
            time.sleep(self.away_s)
            self.away_s = 0.0

    def decide(self, decision: pb.Decision) -> None:
        if decision.sealed:
            self.away_s = decision.time_ms / 1000 + 0.1
            self.call.cancel()
        else:
            super().decide(decision)


class DropsItsAnswers(Rogue):
    """Drops its stream right behind every answer, and comes back at once."""

    def play(self) -> None:
        while self.come_back():
            pass

    def decide(self, decision: pb.Decision) -> None:
        super().decide(decision)
        self.call.cancel()


class Reconnects(Rogue):
    """Comes in on a fresh stream for every decision, and answers on that."""

    def __init__(self) -> None:
        super().__init__()
        self.ready = 0

    def play(self) -> None:
        while self.come_back():
            pass

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id > self.ready:
            self.ready = decision.decision_id
            self.call.cancel()
        else:
            super().decide(decision)


class ReconnectsOnly(Rogue):
    """Does nothing but connect, as fast as it can, on many threads."""

    def play(self) -> None:
        threads = [threading.Thread(target=type(self)().hammer, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def hammer(self) -> None:
        while self.come_back():
            pass

    def read(self) -> None:
        for received in self.call:
            if pb.PlayResponse.FromString(received).WhichOneof("message") != "welcome":
                self.call.cancel()


class ReturnsToMadeUpMatches(Reconnects):
    """Comes back as somebody who was in three thousand matches that never were."""

    def greeting(self) -> pb.Hello:
        hello = super().greeting()
        if self.ready:
            hello.resume.extend(pb.Resume(match_id=f"{number:08x}", last_event=2**32 - 1) for number in range(3000))
        return hello


class OpensManyStreams(Rogue):
    """Opens fifty streams beside its own, each with a Hello of its own, before its third decision is answered."""

    def play(self) -> None:
        while self.come_back():
            pass

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == 3 and len(self.others) < 50:
            self.others += [self.open(iter([self.hello()])) for _ in range(50)]
        super().decide(decision)

    def __init__(self) -> None:
        super().__init__()
        self.others: list[Any] = []
