"""What the codecs of all games have in common: options, actions and events in the game's field of each envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gavelport.v1 import game_pb2
from gavelport_engine.errors import OptionsError

from gavelport_codecs.errors import CodecError

if TYPE_CHECKING:
    from gavelport_engine.game import AnyGame

    from gavelport_codecs.records import Family


class BaseCodec:
    """The part of `codec.Codec` that follows from two tables. The game's name is the name of the envelopes' field."""

    actions: ClassVar[Family]
    events: ClassVar[Family]

    def __init__(self, game: AnyGame) -> None:
        """Take the engine's game."""
        self.game = game

    def inner(self, envelope: Any, what: str) -> Any:
        """Return what an envelope holds of this game. Raises CodecError where it holds another's, or nothing."""
        if envelope.WhichOneof("game") != self.game.name:
            raise CodecError(what, f"is not one of the game {self.game.name}")
        return getattr(envelope, self.game.name)

    def options(self, options: Any) -> game_pb2.GameOptions:
        """Return the options as a message."""
        message = game_pb2.GameOptions()
        given = getattr(message, self.game.name)
        given.SetInParent()
        for name, value in self.game.options_to_notation(options).items():
            setattr(given, name, value)
        return message

    def decode_options(self, message: game_pb2.GameOptions) -> Any:
        """Return validated options. Raises CodecError."""
        given = self.inner(message, "options")
        try:
            return self.game.options({field.name: getattr(given, field.name) for field in given.DESCRIPTOR.fields})
        except OptionsError as error:
            raise CodecError(f"options.{self.game.name}", str(error)) from None

    def action(self, action: Any) -> game_pb2.GameAction:
        """Return an action as a message. Raises CodecError for what is no action or does not fit into one."""
        return game_pb2.GameAction.FromString(self.actions.encode(action))

    def action_content(self, action: Any) -> tuple[int, bytes]:
        """Return the number of the action's kind and its serialised message. Raises CodecError like `action`."""
        return self.actions.content(action)

    def decode_action(self, message: game_pb2.GameAction) -> Any:
        """Return an action. Raises CodecError."""
        return self.actions.decode(message)

    def event(self, event: Any) -> bytes:
        """Return an event as a serialised GameEvent. Raises CodecError for what is none or does not fit into one."""
        return self.events.encode(event)

    def decode_event(self, message: game_pb2.GameEvent) -> Any:
        """Return an event. Raises CodecError."""
        return self.events.decode(message)


def by_seat(entries: Any, seats: int, path: str) -> None:
    """Raise CodecError unless there is one entry for each seat."""
    if len(entries) != seats:
        raise CodecError(path, f"{len(entries)} entries for {seats} seats")
