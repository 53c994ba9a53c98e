"""What keeps bots that could play from playing for now, in words for their owners; it passes by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gavelport_server.conduct.ladder.matches import Ladder
    from gavelport_server.conduct.ladder.players import Players


def hindrances(bot: str, players: Players, ladders: Iterable[Ladder], now: float) -> Iterator[str]:
    """Yield why a bot gets no matches for now, a sentence for each ladder that has none for it.

    A bot that rests gets none anywhere, and that alone is said. `now` is in seconds of trio's clock.
    """
    there = [player for player in players.of_bot(bot) if not player.leaving]
    for player in there:
        if player.rests_until > now:
            yield (
                f"{bot} {player.version} rests until {clock_text(player.rests_until - now)}: its last "
                f"{player.retired_in_row} matches all ended with it retired; `gavelport logs {bot}` tells what went "
                "wrong, and a new version need not wait"
            )
            return
    for ladder in ladders:
        name, most = ladder.name, ladder.settings.bot_per_hour
        left_s = ladder.ledger.free_at(bot, most, now) - now
        if left_s > 0:
            yield f"{bot} has played its {most} rated matches of the hour on {name}; the next at {clock_text(left_s)}"
        for player in there:
            if not player.session.connected or name not in player.held_back:
                continue
            if player.is_practice:
                left_s = ladder.practised.free_at(bot, most, now) - now
                yield f"{bot} has practised {most} times in the hour on {name}; the next at {clock_text(left_s)}"
            elif left_s <= 0:
                yield f"{bot} gets no match on {name} for now: {player.held_back[name]}"


def clock_text(left_s: float) -> str:
    """Return what the clock says in so many seconds: hour and minute, UTC, and no minute too early."""
    at = datetime.now(UTC) + timedelta(seconds=left_s)
    return f"{at + timedelta(seconds=-at.second % 60):%H:%M} UTC"
