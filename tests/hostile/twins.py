"""Two matches that differ in what one seat may not know, driven by the same public doings, byte by byte.

Both begin at the same place of a random game, but in the second all that the viewer may not know is drawn anew. Ids and
commitment are the same. What is kept of a match is every message that leaves the hub, in the order in which it does,
with its time: of the viewer's own stream whole, of all others that something was sent. Doings go on up to where the
rules themselves show a difference (a payment that cannot be made, a card that is turned up).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import trio
import trio.testing
from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.container import hidden as container_hidden
from gavelport_engine.game import SPECTATOR, Trace
from gavelport_engine.rng import Stream
from gavelport_engine.shipping import hidden as shipping_hidden
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.ladder.spectate import SpectatorFeed
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName
from gavelport_server.transport.memory import MemoryTransport

from tests.strategies import positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import AnyGame
    from gavelport_server.transport.link import Link, LostReason, StatusCode

    from tests.games.samples import Samples

TWINS: dict[str, Any] = {"container": container_hidden.twin, "shipping": shipping_hidden.twin}
CLOCK = ClockSetting(bank_ms=100_000, increment_ms=100, cap_ms=2000, allowance_ms=50)
MOST_STEPS = 30
TRIES = 4
SYNC_S = 0.004


@dataclass
class Doing:
    """What one seat does when it is asked: mistakes first, then its answer; None lets its time run out."""

    seat: int
    mistakes: list[Any]
    action: Any
    delay_s: float


@dataclass
class Case:
    """A game's two positions, the viewer, and what is done in both, step by step."""

    game: AnyGame
    options: Any
    states: tuple[Any, Any]
    viewer: int
    steps: list[list[Doing]] = field(default_factory=list)
    is_logged: bool = False
    """Whether what is told waits for a disk."""
    returns_at: int = -1
    """The step before which the viewer loses its stream and comes back with no memory."""


def case(samples: Samples, number: int) -> Case | None:
    """Return a case of a game, or None where nothing can be done that is the same in both."""
    game, options = samples.game, samples.long
    rng = Stream(number.to_bytes(8), "twins")
    start = number.to_bytes(32)
    places = [game.copy(state) for state in positions(game, start, options)][:-1]
    sealed = [state for state in places if len(game.to_act(state)) > 1]
    chosen = sealed if sealed and rng.below(2) else places
    state = chosen[rng.below(len(chosen))]
    viewer = rng.below(game.seats(options))
    other = TWINS[game.name](state, viewer, rng)
    if game.name == "shipping" and rng.below(2):
        other.news_deck = state.news_deck  # else News soon shows the difference
    if game.to_notation(other) == game.to_notation(state) or not _look_alike(game, state, other, viewer):
        return None
    made = Case(game, options, (game.copy(state), game.copy(other)), viewer)
    made.is_logged = number % 2 == 1
    made.returns_at = rng.below(MOST_STEPS)
    while len(made.steps) < MOST_STEPS:
        after = next((found for _ in range(TRIES) if (found := _after(made, state, other, rng, places))), None)
        if after is None:
            break
        doings, state, other = after
        made.steps.append(doings)
    return made if made.steps else None


def _after(
    made: Case, state: Any, other: Any, rng: Stream, places: Sequence[Any]
) -> tuple[list[Doing], Any, Any] | None:
    """Return doings and the positions after them; None where they would show a difference, or end the match."""
    game = made.game
    doings = _step(game, state, other, made.viewer, rng, places)
    if doings is None:
        return None
    actions = {doing.seat: doing.action or game.default(state, doing.seat) for doing in doings}
    (state, one), (other, two) = game.apply(state, actions), game.apply(other, actions)
    for viewer in (made.viewer, SPECTATOR):
        seen = [[game.visible(event, viewer) for event in trace.events] for trace in (one, two)]
        if seen[0] != seen[1]:
            return None
    if not _look_alike(game, state, other, made.viewer) or not game.to_act(state):
        return None
    return doings, state, other


def _look_alike(game: AnyGame, state: Any, other: Any, viewer: int) -> bool:
    if game.to_act(state) != game.to_act(other) or game.observation(state, viewer) != game.observation(other, viewer):
        return False
    return bool(game.observation(state, SPECTATOR) == game.observation(other, SPECTATOR))


def _step(game: AnyGame, state: Any, other: Any, viewer: int, rng: Stream, places: Sequence[Any]) -> list[Doing] | None:
    doings = []
    for seat in game.to_act(state):
        mistakes: list[Any] = []
        if seat == viewer and rng.below(2):
            for place in (places[rng.below(len(places))] for _ in range(6)):
                acting = game.to_act(place)
                action = game.decision(place, acting[0]).space.sample(rng)
                if len(mistakes) < 2 and game.fault(state, seat, action) and game.fault(other, seat, action):
                    mistakes.append(action)
        drawn = (game.decision(state, seat).space.sample(rng) for _ in range(20))
        action = next((one for one in drawn if game.fault(other, seat, one) is None), None)
        if game.default(state, seat) == game.default(other, seat) and rng.below(12) == 0:
            action = None
        elif action is None:
            return None
        doings.append(Doing(seat, mistakes, action, rng.below(20) / 100))
    rng.shuffle(doings)
    return doings


# -- what leaves the hub


@dataclass(frozen=True)
class Sent:
    """One message: when, to which seat, and if that is the viewer's, what."""

    at: float
    seat: int
    content: bytes | None


class _Tap:
    """A link that notes what is sent on it."""

    def __init__(self, inner: Link, seat: int, tape: list[tuple[float, int, bytes]]) -> None:
        self._inner = inner
        self._seat = seat
        self._tape = tape
        self.peer = inner.peer
        self.metadata = inner.metadata

    def send(self, message: bytes) -> None:
        self._tape.append((trio.current_time(), self._seat, message))
        self._inner.send(message)

    def close(self, code: StatusCode, text: str) -> None:
        self._tape.append((trio.current_time(), self._seat, f"{code} {text}".encode()))
        self._inner.close(code, text)

    def cancel(self) -> None:
        self._inner.cancel()


class _Tapped:
    """A listener in front of the hub whose links are tapped."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._taps: dict[Link, _Tap] = {}
        self.tape: list[tuple[float, int, bytes]] = []

    def opened(self, link: Link) -> None:
        seat = int(link.metadata["authorization"].rpartition("-")[2])
        tap = self._taps[link] = _Tap(link, seat, self.tape)
        self._hub.opened(tap)

    def received(self, link: Link, message: bytes, at: float) -> None:
        self._hub.received(self._taps[link], message, at)

    def lost(self, link: Link, reason: LostReason) -> None:
        self._hub.lost(self._taps.pop(link), reason)


@dataclass
class Told:
    """What a match told: all that left the hub, and what spectators were shown."""

    sent: list[Sent]
    shown: list[tuple[float, Any]]
    everything: list[tuple[float, int, bytes]]


def tell(made: Case, which: int) -> Told:
    """Play one of a case's two matches and return what was told."""
    return trio.run(_play, made, which, clock=trio.testing.MockClock(autojump_threshold=0))


class _SlowLog:
    """A match's log whose disk takes some milliseconds, always as many."""

    def __init__(self) -> None:
        self._calls, self._synced = trio.open_memory_channel[tuple[float, Callable[[], None]]](math.inf)

    def put(self, entry: bytes) -> None:
        """Nothing: nobody reads it again."""

    def when_synced(self, call: Callable[[], None]) -> None:
        self._calls.send_nowait((trio.current_time() + SYNC_S, call))

    def when_broken(self, call: Callable[[], None]) -> None:
        """Nothing: it never is."""

    async def run(self) -> None:
        async for at, call in self._synced:
            await trio.sleep_until(at)
            call()


class _Match:
    def __init__(self, made: Case, which: int) -> None:
        self.made = made
        self.codec = codec_for(made.game.id)
        self.hub = Hub()
        self.tapped = _Tapped(self.hub)
        self.transport = MemoryTransport(self.tapped)
        seats = range(made.game.seats(made.options))
        self.sessions = [self.hub.admit(f"token-{seat}", SeatName(f"bot{seat}", "1")) for seat in seats]
        self.links = [self.connect(seat) for seat in seats]
        self.asked = [0 for _ in seats]
        self.shown: list[tuple[float, Any]] = []
        game = _midway(made.game, made.states[which])
        names = tuple(session.name for session in self.sessions)
        self.setup = MatchSetup("the match", game, made.options, bytes(32), names, CLOCK)

    def connect(self, seat: int) -> Any:
        link: Any = self.transport.connect({"authorization": f"Bearer token-{seat}"}).link
        hello = pb.Hello(protocol_version=1, sdk="twin")
        link.receive(pb.PlayRequest(hello=hello).SerializeToString())
        return link

    async def conduct(self) -> None:
        feed = SpectatorFeed(self.setup, ())
        feed.attach(lambda what: self.shown.append((trio.current_time(), what)))
        async with trio.open_nursery() as nursery:
            log = _SlowLog() if self.made.is_logged else None
            if log is not None:
                nursery.start_soon(log.run)
            await conduct_match(self.setup, self.sessions, reveal=False, watch=feed.follow, log=log)

    def answer(self, seat: int, action: Any) -> None:
        answer = pb.Answer(match_id="the match", decision_id=self.asked[seat], action=self.codec.action(action))
        self.links[seat].receive(pb.PlayRequest(answer=answer).SerializeToString())

    async def wait(self, seconds: float) -> None:
        await trio.sleep(seconds)
        for link in self.links:
            while link.queue:
                link.taken(link.queue.popleft())

    async def do(self, doings: list[Doing]) -> None:
        for doing in doings:
            self.asked[doing.seat] += 1
        for doing in doings:
            await self.wait(doing.delay_s + 2 * SYNC_S)
            for mistake in doing.mistakes:
                self.answer(doing.seat, mistake)
            if doing.action is not None:
                self.answer(doing.seat, doing.action)
        if any(doing.action is None for doing in doings):
            await self.wait((CLOCK.cap_ms + CLOCK.allowance_ms) / 1000)


async def _play(made: Case, which: int) -> Told:
    match = _Match(made, which)
    await match.wait(0.01)
    match.tapped.tape.clear()  # Welcome has a random token
    async with trio.open_nursery() as nursery:
        nursery.start_soon(match.conduct)
        await match.wait(0.01)
        for number, doings in enumerate(made.steps):
            if number == made.returns_at:
                at = len(match.tapped.tape)
                match.links[made.viewer] = match.connect(made.viewer)
                match.tapped.tape[at : at + 3] = []  # the older stream's notice and end, and Welcome
            await match.do(doings)
        await match.wait(0.01)
        tape = list(match.tapped.tape)
        nursery.cancel_scope.cancel()
    sent = [Sent(at, seat, message if seat == made.viewer else None) for at, seat, message in tape]
    return Told(sent, match.shown, tape)


def _midway(game: AnyGame, state: Any) -> AnyGame:
    """Return the game as one that begins at a position."""
    kind: Any = type(game)

    class Midway(kind):  # type: ignore[misc]
        def initial_state(self, options: Any, seed: bytes) -> Any:
            return self.copy(state)

        def opening(self, options: Any, seed: bytes) -> Trace[Any]:
            return Trace()

    midway: AnyGame = Midway()
    return midway


def difference(made: Case) -> str:
    """Return the first difference between a case's two matches, empty where there is none."""
    one, other = tell(made, 0), tell(made, 1)
    for number, (mine, theirs) in enumerate(zip(one.sent, other.sent, strict=False)):
        if mine != theirs:
            return f"message {number}: {_words(mine)} against {_words(theirs)}"
    if len(one.sent) != len(other.sent):
        return f"{len(one.sent)} messages against {len(other.sent)}"
    if one.shown != other.shown:
        return "what spectators are shown differs"
    return ""


def _words(sent: Sent) -> str:
    what = "" if sent.content is None else f" {len(sent.content)} bytes {sent.content!r}"
    return f"at {sent.at:.3f} to seat {sent.seat}{what}"
