"""Sequences of whatever bots may do, each drawn from its number: `python -m tests.hostile.sequences --count 20000`.

A sequence plays two matches at once between four bots, each match with one bot that is not in the other, and draws its
own habits: how honest the bots are, how tight the clock, how often streams break. Every second one keeps a log of the
matches' inputs, from which they must come out the same again. After each step everything that the server has sent is
compared with `world.py` and `oracle.py`; then time alone must bring both matches to their end.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import structlog
import trio
import trio.testing
from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.container.actions import ISLAND, SEA, Buy, Load, Produce, Sail
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName

from tests.hostile.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.hostile.oracle import Oracle
    from tests.hostile.world import Bot, Wire

STEPS = (10, 70)
VERIFIED = 3
"""The replays of every so many sequences are verified."""
SEATINGS = ((0, 1, 2), (3, 1, 0))
GAMES_PLAYED = (("container", "container"), ("container", "container"), ("container", "shipping"))
OPTIONS: dict[str, dict[str, object]] = {
    "container": {"seats": 3, "max_rounds": 7},
    "shipping": {"seats": 3, "years": 3},
}


class SequenceFailed(AssertionError):  # noqa: N818 - reads as what it says
    """A sequence went wrong; the text says which, and at which of its steps."""


class Sequence:
    """One sequence: `play` it, and what it did is in `done`."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rng = random.Random(number)
        self.actions = Stream(number.to_bytes(8), "sequence")
        self.done: Counter[str] = Counter()
        self.last = "the beginning"
        self.steps = 0
        rng = self.rng
        self.games = rng.choice(GAMES_PLAYED)
        self.clock = ClockSetting(
            bank_ms=rng.choice((0, 300, 2000, 20_000)),
            increment_ms=rng.choice((0, 50, 200)),
            cap_ms=rng.choice((100, 1000, 5000)),
            allowance_ms=rng.choice((0, 20, 100)),
        )
        honesty, unrest = rng.choice((1, 4, 12)), rng.choice((0, 1, 3))
        hostile: list[tuple[Callable[[], Any], float]] = [
            (self.illegal, 3),
            (self.unreadable, 2),
            (self.old, 2),
            (self.strange_id, 1),
            (self.foreign, 2),
            (self.duplicate, 2),
            (self.junk, 1),
            (self.mutated, 2),
            (self.heartbeat, 0.3),
            (self.hello_twice, 0.3),
            (self.flood, 0.05),
            (self.wait, 2),
            (self.deadline, 1),
            (self.late, 1),
        ]
        restless: list[tuple[Callable[[], Any], float]] = [
            (self.lose, 1),
            (self.come_back, 2),
            (self.second_stream, 0.7),
            (self.first_words, 0.5),
            (self.intruder, 0.3),
            (self.leave, 0.06),
        ]
        self.moves: list[Callable[[], Any]] = [self.legal, *(move for move, _ in hostile + restless)]
        self.weights = [8.0 * honesty, *(weight for _, weight in hostile), *(unrest * weight for _, weight in restless)]

    async def play(self, clock: trio.testing.MockClock) -> None:
        """Play it. Raises SequenceFailed."""
        self.world = world = World(4, clock, is_logged=self.number % 2 == 0)
        try:
            async with trio.open_nursery() as nursery:
                for bot in world.bots:
                    self.hello(world.connect(bot))
                await world.check()
                for bot in world.bots:
                    if (wire := bot.wire()) is not None and self.rng.random() < 0.05:
                        world.lose(wire, politely=False)
                await world.check()
                for place, name in enumerate(self.games):
                    bots = [world.bots[number] for number in SEATINGS[place]]
                    await world.begin(nursery, self.setup(place, name), bots)
                for step in range(self.rng.randint(*STEPS)):
                    if not self.running():
                        break
                    self.steps = step
                    (move,) = self.rng.choices(self.moves, self.weights)
                    self.last = move.__name__
                    await self.step(move)
                self.last = "waiting for the end"
                await self.finish()
            self.last = "the reports"
            world.check_reports(verify=self.number % VERIFIED == 0)
        except (Exception, ExceptionGroup) as error:
            raise SequenceFailed(f"sequence {self.number}, step {self.steps}, {self.last}: {error!r}") from error

    async def step(self, move: Callable[[], Any]) -> None:
        """Do one thing, and look at everything after it."""
        sealed = {match_id: self.waited_for(oracle) for match_id, oracle in self.world.oracles.items() if oracle.sealed}
        done = move()
        if done is not None:
            await done
        self.done[self.last] += 1
        self.quiet_while_sealed(sealed)
        await self.world.check()

    def quiet_while_sealed(self, before: dict[str, set[tuple[int, int]]]) -> None:
        """While somebody of those who bid is waited for, nobody hears anything but in answer to what it did itself."""
        for match_id, waited in before.items():
            oracle = self.world.oracles[match_id]
            if len(waited) > 1 and waited & self.waited_for(oracle) and self.last in ("legal", "illegal", "unreadable"):
                heard = [bot for bot in self.world.seated[match_id] if bot.hears_of(match_id)]
                assert len(heard) <= 1, f"{len(heard)} hear of a sealed answer"
                self.done["sealed"] += 1

    async def finish(self) -> None:
        """Let time alone end the matches."""
        for _ in range(1000):
            running = self.running()
            if not running:
                return
            deadline = min(oracle.deadline() or 0.0 for oracle in running)
            await self.world.wait(max(0.0, deadline - trio.current_time()))
            await self.world.check()
        raise AssertionError("the matches do not end")

    def setup(self, place: int, name: str) -> MatchSetup:
        """One of the matches."""
        game, seed = GAMES[name], self.rng.randbytes(32)
        names = tuple(SeatName(f"bot{number}", "1") for number in SEATINGS[place])
        return MatchSetup(f"{place}-{name}", game, game.options(OPTIONS[name]), seed, names, self.clock)

    # -- who and what

    def running(self) -> list[Oracle]:
        return [oracle for oracle in self.world.oracles.values() if not oracle.is_over]

    def waited_for(self, oracle: Oracle) -> set[tuple[int, int]]:
        """Seats, and the decisions that they are asked."""
        return {(seat, oracle.seats[seat].asked) for seat in oracle.acting if oracle.seats[seat].is_asked}

    def any_wire(self) -> Wire | None:
        wires = [wire for bot in self.world.bots for wire in bot.wires if wire.status is None]
        return self.rng.choice(wires) if wires else None

    def asked(self) -> tuple[Oracle, int, Bot, Wire] | None:
        """A seat that is waited for and can be heard."""
        found: list[tuple[Oracle, int, Bot, Wire]] = []
        for oracle in self.running():
            for seat, _ in self.waited_for(oracle):
                bot = self.world.seated[oracle.setup.match_id][seat]
                wire = bot.wire()
                if wire is not None:
                    found.append((oracle, seat, bot, wire))
        return self.rng.choice(found) if found else None

    def action(self, oracle: Oracle, seat: int) -> Any:
        """A legal action; in Container one that leads to auctions, if several are drawn."""
        space = oracle.game.decision(oracle.state, seat).space
        if oracle.game.name != "container":
            return space.sample(self.actions)
        boards = oracle.state.table.boards

        def worth(action: Any) -> int:
            if isinstance(action, Sail):
                if sum(boards[seat].cargo):
                    return 5 if action.to == ISLAND else 3 if boards[seat].ship_at != SEA else 0
                return 3 if action.to >= 0 and sum(boards[action.to].harbour_store) else 0
            return {Load: 4, Buy: 2, Produce: 1}.get(type(action), 0)

        return max((space.sample(self.actions) for _ in range(8)), key=worth)

    def answer(self, oracle: Oracle, decision_id: int, action: Any, note: str = "") -> pb.PlayRequest:
        codec = oracle.codec
        message = pb.Answer(match_id=oracle.setup.match_id, decision_id=decision_id, note=note)
        if action is not None:
            message.action.CopyFrom(codec.action(action))
        return pb.PlayRequest(answer=message)

    # -- answers

    def legal(self) -> None:
        if (asked := self.asked()) is not None:
            oracle, seat, _, wire = asked
            request = self.answer(
                oracle, oracle.seats[seat].asked, self.action(oracle, seat), self.rng.choice(("", "é"))
            )
            content = request.SerializeToString()
            if self.rng.random() < 0.1:
                content += bytes((0xFA, 0x7F, 3, 1, 2, 3))  # a field of a later version
            self.world.send(wire, content)

    def illegal(self) -> None:
        """An action of this game, hardly ever legal."""
        if (asked := self.asked()) is not None:
            oracle, seat, _, wire = asked
            state = oracle.game.initial_state(oracle.setup.options, self.rng.randbytes(32))
            for _ in range(self.rng.randrange(20)):
                acting = oracle.game.to_act(state)
                if not acting:
                    break
                drawn = {each: oracle.game.decision(state, each).space.sample(self.actions) for each in acting}
                oracle.game.apply_in_place(state, drawn, None)
            else:
                acting = oracle.game.to_act(state)
            if acting:
                action = oracle.game.decision(state, acting[0]).space.sample(self.actions)
                self.world.send(wire, self.answer(oracle, oracle.seats[seat].asked, action).SerializeToString())

    def unreadable(self) -> None:
        """No action, one of another game, a note that is too long."""
        if (asked := self.asked()) is not None:
            oracle, seat, _, wire = asked
            request = self.answer(oracle, oracle.seats[seat].asked, None)
            kind = self.rng.randrange(3)
            if kind == 1:
                other = GAMES["shipping" if oracle.game.name == "container" else "container"]
                request.answer.action.CopyFrom(codec_for(other.name).action(other.pass_type()))
            elif kind == 2:
                note = "é" * self.rng.choice((300, 512, 513, 1025))
                request = self.answer(oracle, oracle.seats[seat].asked, self.action(oracle, seat), note)
            self.world.send(wire, request.SerializeToString())

    def old(self) -> None:
        """An action that would be legal, for a decision that is over."""
        self.named(lambda oracle, seat: self.rng.randint(1, max(1, oracle.seats[seat].asked - 1)))

    def strange_id(self) -> None:
        """A decision that nobody was ever asked."""
        self.named(lambda oracle, seat: self.rng.choice((0, oracle.seats[seat].asked + 1, 2**32, 2**64 - 1)))

    def named(self, decision_id: Callable[[Oracle, int], int]) -> None:
        if (asked := self.asked()) is not None:
            oracle, seat, _, wire = asked
            request = self.answer(oracle, decision_id(oracle, seat), self.action(oracle, seat))
            self.world.send(wire, request.SerializeToString())

    def foreign(self) -> None:
        """What another seat, or another match, is asked: right for them, from somebody else's stream."""
        wire, asked = self.any_wire(), self.asked()
        if wire is None or asked is None:
            return
        oracle, seat, _, _ = asked
        request = self.answer(oracle, oracle.seats[seat].asked, self.action(oracle, seat))
        if self.rng.random() < 0.3:
            request.answer.match_id = self.rng.choice(("", "of yore", *self.world.oracles))
        self.world.send(wire, request.SerializeToString())

    def duplicate(self) -> None:
        wires = [wire for bot in self.world.bots for wire in bot.wires if wire.status is None and wire.sent]
        if wires:
            wire = self.rng.choice(wires)
            self.world.send(wire, self.rng.choice(wire.sent[-5:]))

    def junk(self) -> None:
        if (wire := self.any_wire()) is not None:
            self.world.send(
                wire, self.rng.choice((b"", b"\xff", b"\x7a\x00", self.rng.randbytes(self.rng.randrange(80))))
            )

    def mutated(self) -> None:
        """A real answer with bytes changed, left out or added."""
        if (asked := self.asked()) is not None:
            oracle, seat, _, wire = asked
            request = self.answer(oracle, oracle.seats[seat].asked, self.action(oracle, seat), "n")
            content = bytearray(request.SerializeToString())
            for _ in range(self.rng.randint(1, 3)):
                place = self.rng.randrange(len(content))
                content[place : place + self.rng.randrange(2)] = self.rng.randbytes(self.rng.randrange(3))
            self.world.send(wire, bytes(content))

    def heartbeat(self) -> None:
        if (wire := self.any_wire()) is not None:
            request = pb.PlayRequest(heartbeat=pb.Heartbeat(number=self.rng.randrange(9)))
            self.world.send(wire, request.SerializeToString())

    def hello_twice(self) -> None:
        if (wire := self.any_wire()) is not None:
            self.hello(wire)

    def flood(self) -> None:
        if (wire := self.any_wire()) is not None:
            for _ in range(210):
                self.world.send(wire, pb.PlayRequest(heartbeat=pb.Heartbeat(number=1)).SerializeToString())

    # -- time

    async def wait(self) -> None:
        await self.world.wait(self.rng.choice((0.001, 0.05, 0.3, 1.0, 6.0)) * self.rng.random())

    async def deadline(self) -> None:
        """Wait for a deadline: nearly, to the instant, or by a hair too long."""
        deadlines = [deadline for oracle in self.running() if (deadline := oracle.deadline()) is not None]
        if deadlines:
            left = self.rng.choice(deadlines) + self.rng.choice((-0.001, 0.0, 0.001)) - trio.current_time()
            await self.world.wait(max(0.0, left))

    def late(self) -> None:
        """An answer that arrives at the deadline or after it, before the server has noticed that the time is out."""
        if (asked := self.asked()) is not None:
            oracle, seat, _, wire = asked
            request = self.answer(oracle, oracle.seats[seat].asked, self.action(oracle, seat))
            left = oracle.seats[seat].deadline + self.rng.choice((0.0, 0.001, 2.0)) - trio.current_time()
            self.world.clock.jump(max(0.0, left))
            self.world.send(wire, request.SerializeToString())

    # -- streams

    def hello(self, wire: Wire) -> None:
        """Say Hello, with whatever session and events."""
        bot, rng = wire.bot, self.rng
        hello = pb.Hello(protocol_version=1, sdk="hostile", max_matches=2, events_only=rng.random() < 0.2)
        if bot.resume_tokens:
            hello.session_token = rng.choice(("", "wrong", bot.resume_tokens[0], *[bot.resume_tokens[-1]] * 6))
        for match_id in (*self.world.oracles, "of yore"):
            seen = bot.last_events.get(match_id, 0)
            if rng.random() < 0.6:
                hello.resume.add(
                    match_id=match_id, last_event=rng.choice((seen, seen, 0, seen // 2, seen + 1, 2**32 - 1))
                )
        self.world.send(wire, pb.PlayRequest(hello=hello).SerializeToString())

    def lose(self) -> None:
        if (wire := self.any_wire()) is not None:
            self.world.lose(wire, politely=self.rng.random() < 0.5)

    def come_back(self) -> None:
        away = [bot for bot in self.world.bots if bot.wire() is None and not bot.is_gone]
        bot = self.rng.choice(away or self.world.bots)
        self.hello(self.world.connect(bot))

    def second_stream(self) -> None:
        """Another stream with the same token, which says nothing yet."""
        self.world.connect(self.rng.choice(self.world.bots))

    def first_words(self) -> None:
        """A stream that has said nothing says something."""
        silent = [w for bot in self.world.bots for w in bot.wires if w.status is None and not w.said_hello]
        if not silent:
            return
        wire = self.rng.choice(silent)
        kind = self.rng.randrange(4)
        if kind == 0:
            self.world.send(wire, pb.PlayRequest(hello=pb.Hello(protocol_version=2)).SerializeToString())
        elif kind == 1:
            self.world.send(wire, pb.PlayRequest(heartbeat=pb.Heartbeat()).SerializeToString())
        else:
            self.hello(wire)

    def intruder(self) -> None:
        bot = self.rng.choice(self.world.bots)
        self.world.connect(bot, self.rng.choice(("", "Bearer wrong", f"Basic {bot.token}", "Bearer")))

    def leave(self) -> None:
        staying = [bot for bot in self.world.bots if not bot.is_gone]
        if staying:
            self.world.leave(self.rng.choice(staying))


def play_sequence(number: int) -> Counter[str]:
    """Play one sequence; return what was done how often. Raises SequenceFailed."""
    clock = trio.testing.MockClock()
    sequence = Sequence(number)
    trio.run(sequence.play, clock, clock=clock)
    sequence.done["messages"] = sequence.world.messages
    return sequence.done


def play_many(numbers: Iterable[int]) -> Counter[str]:
    """Play sequences one after the other; return what was done in all."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        return sum((play_sequence(number) for number in numbers), Counter())
    finally:
        structlog.reset_defaults()


def play_in_processes(count: int, workers: int) -> Counter[str]:
    """Play sequences 0 to `count` in processes of their own."""
    parts = [range(first, min(first + 100, count)) for first in range(0, count, 100)]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return sum(pool.map(play_many, parts), Counter())


def main() -> None:
    """Play sequences and print what was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--only", type=int, help="play this sequence alone")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    began = time.perf_counter()
    done = play_many([args.only]) if args.only is not None else play_in_processes(args.count, args.workers)
    print(f"{args.count} sequences in {time.perf_counter() - began:.0f} s: {dict(done.most_common())}")


if __name__ == "__main__":
    main()
