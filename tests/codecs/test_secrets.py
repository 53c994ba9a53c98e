"""Nothing that a viewer may not know is in its observation's bytes (`container.md 9`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import container_pb2
from gavelport_codecs.container.codec import ContainerCodec
from gavelport_codecs.container.position import encode_own
from gavelport_codecs.registry import codec_for
from gavelport_codecs.splice import field
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Options, State
from gavelport_engine.game import SPECTATOR

from tests import strategies as some

if TYPE_CHECKING:
    from gavelport_codecs.codec import Codec
    from gavelport_engine.game import Viewer


OPTIONS = Options(max_rounds=25)
SEED = some.seed_of_many_phases(OPTIONS)


def with_other_secrets(state: State, viewer: Viewer) -> State:
    """Return a position that differs in all that the viewer may not know: others' cash, cards and sealed bids."""
    other = CONTAINER.copy(state)
    hidden = [seat for seat in range(len(state.cash)) if seat != viewer]
    cards = list(other.cards)
    unused = [card for card in range(5) if card not in cards]
    for seat in hidden:
        other.cash[seat] += 7 + seat
        if other.sealed_bids and other.sealed_bids[seat] is not None:
            other.sealed_bids[seat] = None
            other.sealed_loans[seat] = 0
        elif other.sealed_bids:
            other.sealed_bids[seat] = 3
            other.sealed_loans[seat] = 1
    swapped = [cards[seat] for seat in hidden] + unused
    for seat, card in zip(hidden, swapped[1:] + swapped[:1], strict=False):
        cards[seat] = card
    other.cards = tuple(cards)
    return other


def leaks(codec: Codec, seed: bytes) -> list[tuple[str, Viewer]]:
    """Return where, in a random game, a viewer's bytes depend on what it may not know."""
    found: list[tuple[str, Viewer]] = []
    phases = set()
    for state in some.positions(seed, OPTIONS):
        phases.add(state.table.phase)
        for viewer in (SPECTATOR, *range(4)):
            other = with_other_secrets(state, viewer)
            assert other.cash != state.cash
            assert other.cards != state.cards
            seen = codec.observed(codec.public(state), state, viewer)
            if seen != codec.observed(codec.public(other), other, viewer):
                found.append((state.table.phase, viewer))
    assert {"action", "bid", "extra_bid", "sale", "over"} <= phases
    return found


def test_observations_do_not_depend_on_what_is_hidden() -> None:
    assert leaks(codec_for("container"), SEED) == []


class _ShowsBids(ContainerCodec):
    """Plants a leak: the bids that have come in stand in the public part."""

    def public(self, state: State) -> bytes:
        bids = container_pb2.ContainerTable(quiet_turns=sum(bid is not None for bid in state.sealed_bids))
        return super().public(state) + field(1, bids.SerializeToString())


class _ShowsCash(ContainerCodec):
    """Plants a leak: seat 0's secrets stand beside everybody's own."""

    def observed(self, public: bytes, state: State, viewer: Any) -> bytes:
        return super().observed(public, state, viewer) + encode_own(0, state.cash[0], state.cards[0], 0, None)


def test_planted_leaks_are_caught() -> None:
    bids = leaks(_ShowsBids(CONTAINER), SEED)
    assert bids
    assert {phase for phase, _ in bids} <= {"bid", "extra_bid"}
    assert leaks(_ShowsCash(CONTAINER), SEED)


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 3])
def test_the_end_is_held_back(viewer: Viewer) -> None:
    *_, state = some.positions(SEED, Options(max_rounds=5))
    codec = codec_for("container")
    assert CONTAINER.observation(state, viewer).everyone is not None
    message = container_pb2.ContainerObservation.FromString(codec.public(state))
    assert not message.everyone
    assert not message.HasField("own")
