"""Nothing that a viewer may not know is in its observation's bytes, in any game."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from gavelport.v1 import container_pb2, game_pb2, shipping_pb2
from gavelport_codecs.container.codec import ContainerCodec
from gavelport_codecs.container.position import encode_own
from gavelport_codecs.shipping.codec import ShippingCodec
from gavelport_codecs.splice import field
from gavelport_engine.game import SPECTATOR

from tests.games.registry import SAMPLES, every_game

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_codecs.codec import Codec
    from gavelport_engine.game import Viewer

    from tests.games.samples import Samples


def leaks(samples: Samples, codec: Codec) -> list[tuple[str, Viewer]]:
    """Return where, in a random game, a viewer's bytes depend on what it may not know."""
    found: list[tuple[str, Viewer]] = []
    phases = set()
    for state in samples.positions():
        phases.add(state.table.phase)
        for viewer in (SPECTATOR, *range(samples.game.seats(samples.long))):
            other = samples.other_secrets(state, viewer)
            assert other != state
            assert other.table == state.table
            seen = codec.observed(codec.public(state), state, viewer)
            if seen != codec.observed(codec.public(other), other, viewer):
                found.append((state.table.phase, viewer))
    assert samples.phases <= phases
    return found


@every_game
def test_observations_do_not_depend_on_what_is_hidden(samples: Samples) -> None:
    assert leaks(samples, samples.codec) == []


class _ShowsBids(ContainerCodec):
    """Plants a leak: the bids that have come in stand in the public part."""

    def public(self, state: Any) -> bytes:
        bids = container_pb2.ContainerTable(quiet_turns=sum(bid is not None for bid in state.sealed_bids))
        return super().public(state) + field(1, bids.SerializeToString())


class _ShowsCash(ContainerCodec):
    """Plants a leak: seat 0's secrets stand beside everybody's own."""

    def observed(self, public: bytes, state: Any, viewer: Any) -> bytes:
        return super().observed(public, state, viewer) + encode_own(0, state.cash[0], state.cards[0], 0, None)


class _ShowsDeck(ShippingCodec):
    """Plants a leak: the next News card stands in the public part."""

    def public(self, state: Any) -> bytes:
        table = shipping_pb2.ShippingTable(news=[card + 1 for card in state.news_deck[:1]])
        return super().public(state) + field(1, table.SerializeToString())


class _ShowsHands(ShippingCodec):
    """Plants a leak: everybody gets the hand of seat 0, too."""

    def observed(self, public: bytes, state: Any, viewer: Any) -> bytes:
        return super().observed(public + super().observed(b"", state, 0), state, viewer)


PLANTED: dict[str, tuple[Callable[[Any], Codec], ...]] = {
    "container": (_ShowsBids, _ShowsCash),
    "shipping": (_ShowsDeck, _ShowsHands),
}


@every_game
def test_planted_leaks_are_caught(samples: Samples) -> None:
    for codec in PLANTED[samples.game.name]:
        assert leaks(samples, codec(samples.game))


def test_a_leak_of_sealed_bids_shows_while_they_are_sealed() -> None:
    samples = SAMPLES["container"]
    assert {phase for phase, _ in leaks(samples, _ShowsBids(samples.game))} <= {"bid", "extra_bid"}


@every_game
def test_the_end_is_held_back(samples: Samples) -> None:
    """The match of a block may be over while others of the same deal are still played."""
    game, codec = samples.game, samples.codec
    *_, state = samples.positions()
    for viewer in (SPECTATOR, 0, game.seats(samples.long) - 1):
        assert getattr(game.observation(state, viewer), samples.held_back) is not None
        message = game_pb2.GameObservation.FromString(codec.observed(codec.public(state), state, viewer))
        seen = codec.decode_observation(message, samples.long)
        assert getattr(seen, samples.held_back) is None
        assert seen == dataclasses.replace(game.observation(state, viewer), **{samples.held_back: None})
