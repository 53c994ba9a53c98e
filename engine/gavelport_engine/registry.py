"""The games there are. The one list of them; nothing registers itself on import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.shipping.rules import SHIPPING

if TYPE_CHECKING:
    from gavelport_engine.game import AnyGame

GAMES: dict[str, AnyGame] = {game.name: game for game in (CONTAINER, SHIPPING)}


def game_named(name: str) -> AnyGame:
    """Return the game of a name. Raises KeyError whose text lists the names there are."""
    try:
        return GAMES[name]
    except KeyError:
        raise KeyError(f"no game is named {name!r}; there are: {', '.join(sorted(GAMES))}") from None
