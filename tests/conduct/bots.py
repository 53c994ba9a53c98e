"""Bots for the tests that speak the protocol by themselves, without the SDK, over the memory transport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.registry import game_named
from gavelport_engine.rng import Stream
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.session import Session
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName
from gavelport_server.transport.memory import MemoryClient, MemoryTransport, StreamEnded

CONTAINER = game_named("container")
CODEC = codec_for("container")
CLOCK = ClockSetting(bank_ms=20_000, increment_ms=200, cap_ms=5_000, allowance_ms=100)


def match_setup(seats: int = 4, match_id: str = "match-1", *, max_rounds: int = 12) -> MatchSetup:
    """A match of Container, a short one."""
    options = CONTAINER.options({"seats": seats, "max_rounds": max_rounds})
    names = tuple(SeatName(f"bot{seat}", "1") for seat in range(seats))
    return MatchSetup(match_id, CONTAINER, options, bytes(32), names, CLOCK)


class Table:
    """A hub with a place for each seat, and the transport to it."""

    def __init__(self, seats: int = 4) -> None:
        self.hub = Hub()
        self.transport = MemoryTransport(self.hub)
        self.sessions: list[Session] = [
            self.hub.admit(f"token-{seat}", SeatName(f"bot{seat}", "1")) for seat in range(seats)
        ]

    def connect(self, seat: int) -> MemoryClient:
        """A client with the seat's token that has not said Hello."""
        return self.transport.connect({"authorization": f"Bearer token-{seat}"})


async def receive(client: MemoryClient) -> pb.PlayResponse:
    """The next message."""
    return pb.PlayResponse.FromString(await client.receive())


async def hello(client: MemoryClient, **fields: Any) -> pb.Welcome:
    """Say Hello and return the Welcome."""
    defaults: dict[str, Any] = {"protocol_version": 1, "sdk": "test", "games": ["container@1"]}
    said = pb.Hello(**(defaults | fields))
    await client.send(pb.PlayRequest(hello=said).SerializeToString())
    message = await receive(client)
    assert message.WhichOneof("message") == "welcome"
    return message.welcome


async def send_answer(client: MemoryClient, match_id: str, decision_id: int, action: Any, note: str = "") -> None:
    """Answer a decision."""
    answer = pb.Answer(match_id=match_id, decision_id=decision_id, action=CODEC.action(action), note=note)
    await client.send(pb.PlayRequest(answer=answer).SerializeToString())


class Bot:
    """A bot that plays legally at random and keeps all that it received."""

    def __init__(self, client: MemoryClient, *, decide: Callable[[Bot, pb.Decision], Any] | None = None) -> None:
        self.client = client
        self.received: list[bytes] = []
        self.decide = decide or Bot.sample
        self.options: Any = None
        self.rng = Stream(b"", "test")
        self.welcome = pb.Welcome()
        self.end: pb.MatchEnd | None = None

    def sample(self, decision: pb.Decision) -> Any:
        """A legal action."""
        observed = CODEC.decode_observation(decision.observation, self.options)
        asked = CONTAINER.observed_decision(observed)
        assert asked is not None
        return asked.space.sample(self.rng)

    async def play(self, matches: int = 1, **fields: Any) -> None:
        """Say Hello and play some matches to their end, or until the stream ends."""
        self.welcome = await hello(self.client, **fields)
        await self.go_on(matches)

    async def go_on(self, matches: int = 1) -> None:
        """Play until so many matches are over, or the stream is."""
        while matches:
            try:
                self.received.append(await self.client.receive())
            except StreamEnded:
                return
            message = pb.PlayResponse.FromString(self.received[-1])
            kind = message.WhichOneof("message")
            if kind == "match_start":
                start = message.match_start
                self.options = CODEC.decode_options(start.options)
                self.rng = Stream(start.match_id.encode(), str(start.seat))
            elif kind == "decision":
                action = self.decide(self, message.decision)
                if action is not None:
                    await send_answer(self.client, message.decision.match_id, message.decision.decision_id, action)
            elif kind == "match_end":
                self.end = message.match_end
                matches -= 1

    def messages(self, kind: str) -> list[Any]:
        """All received of one kind."""
        parsed = map(pb.PlayResponse.FromString, self.received)
        return [getattr(message, kind) for message in parsed if message.WhichOneof("message") == kind]
