"""Not a byte to a seat, nor its time or place among the others, depends on what the seat may not know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import structlog
import trio
from gavelport_server.conduct import match, messages
from gavelport_server.conduct.ladder.spectate import Shown, SpectatorFeed
from gavelport_server.conduct.messages import Encoder
from gavelport_server.referee.commands import Tell
from gavelport_server.referee.core import MatchCore

from tests.games.registry import every_game
from tests.hostile.twins import case, difference, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.games.samples import Samples

QUICK = 25


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    yield
    structlog.reset_defaults()


def compared(samples: Samples, count: int) -> tuple[int, int, list[str]]:
    """Return how many cases and messages were compared, and where twins differed."""
    cases = sent = 0
    found = []
    for number in range(count):
        made = case(samples, number)
        if made is not None:
            cases += 1
            sent += len(tell(made, 0).sent)
            if text := difference(made):
                found.append(f"case {number}: {text}")
    return cases, sent, found


@every_game
def test_some_twins_tell_the_same(samples: Samples) -> None:
    cases, sent, found = compared(samples, QUICK)
    assert found == []
    assert cases > QUICK / 2
    assert sent > 10 * cases


@pytest.mark.long
@every_game
def test_two_thousand_twins_tell_the_same(samples: Samples) -> None:
    cases, sent, found = compared(samples, 2_000)
    print(f"{samples.game.name}: {cases} pairs of matches, {sent} messages, {len(found)} differ")
    assert found == []
    assert cases > 1_200


# -- planted leaks


def secret(state: Any, game: Any) -> int:
    """Return a small number that depends on all that is hidden."""
    return int(game.fingerprint(state)[0])


def extra(content: bytes) -> bytes:
    """Return a field that no message has."""
    return bytes((0xFA, 0x7F, len(content))) + content


def in_a_decision(patch: pytest.MonkeyPatch, game: Any) -> None:
    """A digit of the hidden stands in an observation, where a field of that number was before."""
    observation = Encoder._observation

    def planted(self: Any, step: int, state: Any, seat: int) -> bytes:
        return observation(self, step, state, seat) + extra(bytes([secret(state, game)]))

    patch.setattr(Encoder, "_observation", planted)


def in_the_length(patch: pytest.MonkeyPatch, game: Any) -> None:
    """A message is padded by so many zeros."""
    decision = Encoder.decision

    def planted(self: Any, ask: Any, state: Any, *, with_observation: bool) -> bytes:
        message = decision(self, ask, state, with_observation=with_observation)
        return message + extra(bytes(secret(state, game) % 5))

    patch.setattr(Encoder, "decision", planted)


def in_the_order(patch: pytest.MonkeyPatch, game: Any) -> None:
    """All are told something at each step, beginning with a seat that the hidden decides."""
    advance = MatchCore._advance

    def planted(self: Any, now: float, commands: list[Any]) -> None:
        advance(self, now, commands)
        seats = len(self._seats)
        first = secret(self.state, game) % seats
        order = [(first + seat) % seats for seat in range(seats)]
        commands[:0] = [Tell(seat, [], self._seats[seat].told, self.step) for seat in order]

    patch.setattr(MatchCore, "_advance", planted)


def in_the_time(patch: pytest.MonkeyPatch, game: Any) -> None:
    """What is sent comes a few milliseconds later, by the hidden."""
    sends_of = match._Match.__init__

    def planted(self: Any, *args: Any, **options: Any) -> None:
        sends_of(self, *args, **options)
        self._sends = [_late(self, send, game) for send in self._sends]

    patch.setattr(match._Match, "__init__", planted)


def _late(its_match: Any, send: Callable[[bytes], None], game: Any) -> Callable[[bytes], None]:
    def later(message: bytes) -> None:
        trio.lowlevel.spawn_system_task(after, secret(its_match.core.state, game) % 4, message)

    async def after(late_ms: int, message: bytes) -> None:
        await trio.sleep(late_ms / 1000)
        send(message)

    return later


def in_a_refusal(patch: pytest.MonkeyPatch, game: Any) -> None:
    """The sentence of a refusal names it."""
    refused = messages.refused

    def planted(match_id: str, refuse: Any) -> bytes:
        return refused(match_id, refuse) + extra(bytes(_hidden))

    carry_out = match._Match._carry_out
    _hidden = bytearray(1)

    def noting(self: Any, commands: list[Any]) -> None:
        _hidden[:] = bytes([secret(self.core.state, game)])
        carry_out(self, commands)

    patch.setattr(match, "refused", planted)
    patch.setattr(match._Match, "_carry_out", noting)


def in_the_number(patch: pytest.MonkeyPatch, game: Any) -> None:
    """A seat that nobody asks is told an empty something, or is not."""
    advance = MatchCore._advance

    def planted(self: Any, now: float, commands: list[Any]) -> None:
        advance(self, now, commands)
        if secret(self.state, game) % 2:
            commands.insert(0, Tell(0, [], self._seats[0].told, self.step))

    patch.setattr(MatchCore, "_advance", planted)


def to_spectators(patch: pytest.MonkeyPatch, game: Any) -> None:
    """What spectators are shown counts one decision more or less, by the hidden."""
    shown = SpectatorFeed._shown

    def planted(self: Any, events: tuple[Any, ...]) -> Shown:
        return replace(shown(self, events), decisions=secret(self._state, game))

    patch.setattr(SpectatorFeed, "_shown", planted)


PLANTED: list[Callable[[pytest.MonkeyPatch, Any], None]] = [
    in_a_decision,
    in_the_length,
    in_the_order,
    in_the_time,
    in_a_refusal,
    in_the_number,
    to_spectators,
]


@every_game
@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_caught(
    samples: Samples, plant: Callable[[pytest.MonkeyPatch, Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, samples.game)
    cases = (made for number in range(12) if (made := case(samples, number)) is not None)
    assert any(difference(made) for made in cases)
