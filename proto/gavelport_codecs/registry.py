"""The codecs there are: one for every game of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.shipping.rules import SHIPPING

from gavelport_codecs.container.codec import ContainerCodec
from gavelport_codecs.errors import CodecError
from gavelport_codecs.shipping.codec import ShippingCodec

if TYPE_CHECKING:
    from gavelport_codecs.codec import Codec

CODECS: dict[str, Codec] = {codec.game.name: codec for codec in (ContainerCodec(CONTAINER), ShippingCodec(SHIPPING))}


def codec_for(game: str) -> Codec:
    """Return the codec of a game, by its name (`container`) or by name and version (`container@1`).

    Raises CodecError for a game that is not known, or not at that version.
    """
    codec = CODECS.get(game.partition("@")[0])
    if codec is None or game not in {codec.game.name, codec.game.id}:
        known = ", ".join(sorted(known.game.id for known in CODECS.values()))
        raise CodecError("game", f"{game!r} is not known here; there is {known}")
    return codec
