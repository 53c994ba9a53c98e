"""What the tests that run for every game need of one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gavelport_codecs.registry import codec_for

from tests.strategies import positions, seed_of_phases, steps

if TYPE_CHECKING:
    from gavelport_codecs.codec import Codec
    from gavelport_engine.game import AnyGame, Json, Viewer
    from hypothesis import strategies as st


@dataclass(frozen=True)
class Samples:
    """One game's values. The strategies give anything that a message can carry, reachable or not."""

    game: AnyGame
    kinds: tuple[Mapping[str, type[Any]], Mapping[str, type[Any]]]
    """Of actions and of events, by name."""
    actions: st.SearchStrategy[Any]
    events: st.SearchStrategy[Any]
    options: st.SearchStrategy[Any]
    observations: st.SearchStrategy[Any]
    long: Any
    """Options with which a random game comes to all `phases`."""
    phases: frozenset[str]
    other_secrets: Callable[[Any, Viewer], Any]
    """Of a position and a viewer: one that differs in all that the viewer may not know."""
    shortened: Callable[[Any], Any]
    """Of any options: options for random games that end soon."""
    deals: Callable[[Json], list[Json]]
    """Of a replay's `deal`: by seat, what `decode_deal` gives."""
    revealed: Callable[[Any, int], Json]
    """Of a finished position and a seat: what `decode_score` adds to the score line."""
    enums: Mapping[str, Sequence[str]]
    """The messages' enums, phases left out, and the notation's words for their values."""
    held_back: str
    """The attribute of an observation that the referee holds back until the block is over."""

    @property
    def codec(self) -> Codec:
        """The game's codec."""
        return codec_for(self.game.id)

    @property
    def seed(self) -> bytes:
        """The seed of a random game that comes to all `phases`."""
        return seed_of_phases(self.game, self.long, self.phases)

    def positions(self, seed: bytes | None = None, options: Any = None) -> Iterator[Any]:
        """Yield the positions of a random game, by default of the one that comes to all `phases`."""
        return positions(self.game, seed or self.seed, options or self.long)

    def steps(self, seed: bytes | None = None, options: Any = None) -> Iterator[tuple[Any, list[Any]]]:
        """Yield the positions of a random game, each with the events that led to it."""
        return steps(self.game, seed or self.seed, options or self.long)

    def withheld(self, observation: Any) -> Any:
        """Return an observation without what the referee holds back until the block is over."""
        return dataclasses.replace(observation, **{self.held_back: None})

    def __repr__(self) -> str:
        """Return the game's name, which pytest shows."""
        return self.game.name
