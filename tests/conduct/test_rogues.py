"""Bots that break the rules of the protocol in a running match: it costs them, and nobody else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import structlog.testing
import trio
from gavelport.v1 import container_pb2, game_pb2
from gavelport.v1 import referee_pb2 as pb
from gavelport_engine.container.actions import Bid, Sail
from gavelport_engine.rng import Stream
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.codes import Code
from gavelport_server.referee.report import MatchReport, Played
from gavelport_server.transport.memory import MemoryClient, StreamEnded

from tests.conduct.bots import CODEC, CONTAINER, Bot, Table, hello, match_setup

ROGUE = 2


def answer(decision: pb.Decision, **fields: Any) -> bytes:
    """An answer to a decision, with some fields otherwise."""
    defaults: dict[str, Any] = {"match_id": decision.match_id, "decision_id": decision.decision_id}
    return pb.PlayRequest(answer=pb.Answer(**(defaults | fields))).SerializeToString()


class Rogue(Bot):
    """A bot that sends whatever `says` makes of a decision, and then a good answer if it is `sorry`."""

    def __init__(self, client: MemoryClient, says: Callable[[pb.Decision], list[bytes]], *, sorry: bool) -> None:
        super().__init__(client, decide=self._misbehave)
        self._says = says
        self._sorry = sorry
        self.outbox: list[bytes] = []

    def _misbehave(self, bot: Bot, decision: pb.Decision) -> None:
        self.outbox += self._says(decision)
        if self._sorry:
            self.outbox.append(answer(decision, action=CODEC.action(self.sample(decision))))

    async def go_on(self, matches: int = 1) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._post)
            await super().go_on(matches)
            nursery.cancel_scope.cancel()

    async def _post(self) -> None:
        while True:
            await trio.sleep(0.01)
            batch, self.outbox = self.outbox, []
            with contextlib.suppress(StreamEnded):  # the server has had enough
                for message in batch:
                    await self.client.send(message)


async def play(says: Callable[[pb.Decision], list[bytes]], *, sorry: bool) -> tuple[MatchReport, Rogue]:
    """A match between three honest bots and a rogue. Fails if anything at all is logged as a fault of ours."""
    table = Table()
    bots: list[Bot] = [Bot(table.connect(seat)) for seat in range(4)]
    rogue = bots[ROGUE] = Rogue(table.connect(ROGUE), says, sorry=sorry)
    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            for bot in bots:
                nursery.start_soon(bot.play)
            for session in table.sessions:
                await session.wait_connected()
            report = await conduct_match(match_setup(), table.sessions, reveal=True)
            await trio.sleep(1)
            nursery.cancel_scope.cancel()
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []
    for figures in (each for seat, each in enumerate(report.figures) if seat != ROGUE):
        assert (figures.faults, figures.refusals) == ((), 0)
    return report, rogue


def codes(rogue: Rogue) -> set[str]:
    return {each.code for each in rogue.messages("refused") + rogue.messages("notice")}


GIBBERISH = game_pb2.GameAction(container=container_pb2.ContainerAction(sail=container_pb2.ContainerSail()))

# What is said before a good answer, and what the bot hears.
SLIPS: dict[str, tuple[Callable[[pb.Decision], list[bytes]], set[str]]] = {
    "an older decision": (lambda d: [answer(d, decision_id=d.decision_id - 1)], {Code.ALREADY_ANSWERED}),
    "no decision": (lambda d: [answer(d, decision_id=0)], {Code.WRONG_DECISION}),
    "a decision to come": (lambda d: [answer(d, decision_id=d.decision_id + 1)], {Code.WRONG_DECISION}),
    "another match": (lambda d: [answer(d, match_id="match-2")], {Code.UNKNOWN_MATCH}),
    "no match": (lambda d: [answer(d, match_id="")], {Code.UNKNOWN_MATCH}),
    "no action": (lambda d: [answer(d)], {Code.UNREADABLE}),
    "an empty action": (lambda d: [answer(d, action=game_pb2.GameAction())], {Code.UNREADABLE}),
    "an unreadable action": (lambda d: [answer(d, action=GIBBERISH)], {Code.UNREADABLE}),
    "too long a note": (
        lambda d: [answer(d, action=CODEC.action(Bid(0)), note="ü" * 513)],
        {Code.NOTE_TOO_LONG},
    ),
    "junk": (lambda d: [b"\xff\xff"] if d.decision_id < 10 else [], {Code.MALFORMED}),
    "hello again": (lambda _: [pb.PlayRequest(hello=pb.Hello()).SerializeToString()], {Code.HELLO_TWICE}),
}


@pytest.mark.parametrize("slip", SLIPS)
async def test_a_slip_before_a_good_answer_is_refused_and_forgiven(
    slip: str, autojump_clock: trio.testing.MockClock
) -> None:
    says, heard = SLIPS[slip]
    report, rogue = await play(says, sorry=True)
    assert codes(rogue) >= heard
    assert report.figures[ROGUE].faults == ()
    assert report.retired == ()
    assert len(rogue.messages("match_end")) == 1


async def test_answering_twice_is_harmless(autojump_clock: trio.testing.MockClock) -> None:
    report, rogue = await play(lambda d: [answer(d, action=CODEC.action(rogues_choice(d)))] * 2, sorry=False)
    assert codes(rogue) == {Code.ALREADY_ANSWERED}
    assert report.figures[ROGUE].faults == ()
    played = [each for each in report.record if isinstance(each, Played) and each.seat == ROGUE]
    decisions = rogue.messages("decision")
    assert [each.action for each in played] == [rogues_choice(decision) for decision in decisions]


def rogues_choice(decision: pb.Decision) -> Any:
    """An action that the decision allows."""
    observed = CODEC.decode_observation(decision.observation, match_setup().options)
    asked = CONTAINER.observed_decision(observed)
    assert asked is not None
    return asked.space.sample(Stream(b"", str(decision.decision_id)))


# What is said instead of a good answer, and what it is recorded as.
CRIMES: dict[str, tuple[Callable[[pb.Decision], list[bytes]], str]] = {
    "silence": (lambda _: [], "timeout"),
    "unreadable three times": (lambda d: [answer(d)] * 3, "unreadable"),
    "long notes three times": (lambda d: [answer(d, note="n" * 2000)] * 3, "unreadable"),
    "illegal three times": (lambda d: [answer(d, action=CODEC.action(Sail(ROGUE)))] * 3, "illegal"),
    "a flood": (
        lambda _: [pb.PlayRequest(heartbeat=pb.Heartbeat(number=n)).SerializeToString() for n in range(500)],
        "disconnected",
    ),
    "junk without end": (lambda _: [b"\xff"] * 100, "disconnected"),
    "too big a message": (lambda _: [b"\0" * 70_000], "disconnected"),
}


@pytest.mark.parametrize("crime", CRIMES)
async def test_a_crime_costs_its_seat_alone(crime: str, autojump_clock: trio.testing.MockClock) -> None:
    says, reason = CRIMES[crime]
    report, _ = await play(says, sorry=False)
    assert report.figures[ROGUE].faults == ((reason, 5),)
    assert report.figures[ROGUE].first_fault.startswith(f"decision 1: {reason}: ")
    assert report.retired == (ROGUE,)
    assert report.outcome.ranks[ROGUE] == 4


async def test_a_late_answer_is_too_late(autojump_clock: trio.testing.MockClock) -> None:
    table = Table()
    late: list[pb.Decision] = []
    asked = trio.Event()

    def wait(bot: Bot, decision: pb.Decision) -> Any:
        late.append(decision)
        asked.set()

    bots = [Bot(table.connect(seat), decide=wait if seat == ROGUE else None) for seat in range(4)]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.play)
        for session in table.sessions:
            await session.wait_connected()
        nursery.start_soon(lambda: conduct_match(match_setup(), table.sessions, reveal=True))
        await asked.wait()
        await trio.sleep(5.2)
        await bots[ROGUE].client.send(answer(late[0], action=CODEC.action(Bid(0))))
        await trio.testing.wait_all_tasks_blocked()
        assert [each.code for each in bots[ROGUE].messages("refused")] == [Code.TIMEOUT, Code.TOO_LATE]
        nursery.cancel_scope.cancel()


async def test_answers_for_another_seat_go_nowhere(autojump_clock: trio.testing.MockClock) -> None:
    table = Table(5)
    outsider = table.connect(4)
    await hello(outsider)
    seen: list[pb.Decision] = []

    def note(bot: Bot, decision: pb.Decision) -> Any:
        seen.append(decision)
        return bot.sample(decision)

    bots = [Bot(table.connect(seat), decide=note) for seat in range(4)]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.play)
        for session in table.sessions:
            await session.wait_connected()

        async def meddle() -> None:
            for number in range(40):
                guess = pb.Answer(match_id="match-1", decision_id=number, action=CODEC.action(Bid(0)))
                await outsider.send(pb.PlayRequest(answer=guess).SerializeToString())

        nursery.start_soon(meddle)
        report = await conduct_match(match_setup(), table.sessions[:4], reveal=True)
    for _ in range(40):
        notice = pb.PlayResponse.FromString(await outsider.receive()).notice
        assert notice.code == Code.UNKNOWN_MATCH
    assert all(figures.refusals == 0 for figures in report.figures)
