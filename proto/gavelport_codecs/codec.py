"""The codec's interface: one game's engine values to messages and back (design 3).

What a server does for every answer (`public`, `observed`, `event`, `decode_action`) works on serialised bytes and is
quick. Everything that decodes judges outside input: it raises `CodecError` and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gavelport.v1 import game_pb2
    from gavelport_engine.game import AnyGame, Json, Viewer


class Codec(Protocol):
    """One game's codec. Options, states, actions, events and observations are the game's own typed values."""

    game: AnyGame

    def options(self, options: Any) -> game_pb2.GameOptions:
        """Return the options as a message."""
        ...

    def decode_options(self, message: game_pb2.GameOptions) -> Any:
        """Return validated options. Raises CodecError."""
        ...

    def deal(self, state: Any, seat: int) -> game_pb2.GameDeal:
        """Return what was dealt to one seat in secret; `state` is the position at the beginning."""
        ...

    def decode_deal(self, message: game_pb2.GameDeal) -> Json:
        """Return the deal with the notation's names. Raises CodecError."""
        ...

    def action(self, action: Any) -> game_pb2.GameAction:
        """Return an action as a message. Raises CodecError for what is no action or does not fit into one."""
        ...

    def action_content(self, action: Any) -> tuple[int, bytes]:
        """Return the number of the action's kind in the game's message, and that kind's serialised message.

        Equal actions give equal bytes. Raises CodecError like `action`.
        """
        ...

    def decode_action(self, message: game_pb2.GameAction) -> Any:
        """Return an action; whether it is legal is `fault`'s matter. Raises CodecError."""
        ...

    def event(self, event: Any) -> bytes:
        """Return an event as a serialised GameEvent."""
        ...

    def decode_event(self, message: game_pb2.GameEvent) -> Any:
        """Return an event. Raises CodecError."""
        ...

    def public(self, state: Any) -> bytes:
        """Return the part of an observation that is the same for every viewer, for `observed` to go on with."""
        ...

    def observed(self, public: bytes, state: Any, viewer: Viewer) -> bytes:
        """Return the viewer's observation as a serialised GameObservation; `public` must be that of the same state.

        Nothing of other seats' secrets is in it, also once the play is over.
        """
        ...

    def observation(self, observation: Any) -> game_pb2.GameObservation:
        """Return an observation as a message."""
        ...

    def decode_observation(self, message: game_pb2.GameObservation, options: Any) -> Any:
        """Return an observation of a match that is played with the given options. Raises CodecError."""
        ...

    def score(self, line: Json, state: Any, seat: int) -> game_pb2.GameScore:
        """Return a seat's score line (`Outcome.scores`) of a finished play, and what was hidden of it."""
        ...

    def decode_score(self, message: game_pb2.GameScore) -> Json:
        """Return the score line with the notation's names, and what was hidden. Raises CodecError."""
        ...
