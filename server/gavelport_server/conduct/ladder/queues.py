"""Who waits for what, and who has met whom of late."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gavelport_server.pairing.ladder import Waiting
from gavelport_server.ratings.elo import Rated

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Mapping, Sequence

    from gavelport_server.conduct.ladder.players import Player
    from gavelport_server.conduct.ladder.versions import Roster
    from gavelport_server.serving import LadderSettings

DAY_S = 86_400.0
HOUR_S = 3600.0
FILL_S = 5.0
"""So long a bot that practises waits for others that practise; then bots that are free for rated matches fill the
table, so that it takes them no oftener."""


class Ledger:
    """Meetings of the last 24 hours, and matches of the last hour."""

    def __init__(self) -> None:
        self.met: Counter[frozenset[str]] = Counter()
        self._meetings: deque[tuple[float, tuple[str, ...]]] = deque()
        self._recent: Counter[str] = Counter()
        self._matches: deque[tuple[float, tuple[str, ...]]] = deque()

    def add(self, bots: tuple[str, ...], at: float) -> None:
        """Take note of a match; they come in the order of time."""
        self._meetings.append((at, bots))
        self._matches.append((at, bots))
        self.met.update(_pairs(bots))
        self._recent.update(bots)

    def expire(self, now: float) -> None:
        """Forget what is over for long enough."""
        while self._meetings and self._meetings[0][0] <= now - DAY_S:
            _take(self.met, _pairs(self._meetings.popleft()[1]))
        while self._matches and self._matches[0][0] <= now - HOUR_S:
            _take(self._recent, self._matches.popleft()[1])

    def recent(self, bot: str) -> int:
        """Return a bot's matches of the last hour."""
        return self._recent[bot]

    def free_at(self, bot: str, most: int, now: float) -> float:
        """Return when a bot that plays so many matches in an hour at the most may begin the next one: now, or later."""
        if self._recent[bot] < most:
            return now
        times = [at for at, bots in self._matches if bot in bots]
        return max(now, times[-most] + HOUR_S)


def _pairs(bots: Sequence[str]) -> list[frozenset[str]]:
    return [frozenset((one, other)) for at, one in enumerate(bots) for other in bots[at + 1 :]]


def _take(counter: Counter[Any], items: Iterable[Any]) -> None:
    for item in items:
        counter[item] -= 1
        if not counter[item]:
            del counter[item]


@dataclass(frozen=True, slots=True)
class Pool:
    """What a moment's tables of one ladder are made from."""

    game: str
    now: float
    roster: Roster
    ratings: Mapping[str, Rated]
    ledger: Ledger
    kept: frozenset[str]
    """Bots that are kept for a match that is to be played again."""

    def rated(self, players: Iterable[Player]) -> dict[str, Player]:
        """Return by bot who is free for rated matches: of each bot the version that plays."""
        return {
            player.bot: player
            for player in players
            if not player.is_practice
            and player.bot not in self.kept
            and player.version == self.roster.playing(player.bot)
            and player.is_free(self.game, self.now)
        }

    def waiting(self, free: Mapping[str, Player]) -> list[Waiting]:
        """Return them as pairing knows them."""
        return [
            Waiting(
                bot=bot,
                owner=self.roster.owner(bot),
                elo=self.ratings.get(bot, Rated()).elo,
                matches=self.ratings.get(bot, Rated()).matches,
                since=player.since,
                recent=self.ledger.recent(bot),
            )
            for bot, player in free.items()
        ]

    def practice_tables(
        self, players: Iterable[Player], settings: LadderSettings, rng: random.Random, practised: Ledger
    ) -> list[list[Player]]:
        """Return unrated tables: those that practise first, then whoever is free, the house's before others."""
        there = [player for player in players if player.is_free(self.game, self.now) and player.bot not in self.kept]
        anchors = []
        for player in sorted((one for one in there if one.is_practice), key=lambda player: player.since):
            recent, most = practised.recent(player.bot), settings.bot_per_hour
            why = f"it has practised {recent} times in the last hour, and {most} are the most" if recent >= most else ""
            player.hold_back(settings.name, why)
            if not why:
                anchors.append(player)
        fillers = list(self.rated(there).values())
        found: list[list[Player]] = []
        while anchors:
            anchor = anchors[0]
            company = anchors[1:]
            if self.now - anchor.since >= FILL_S:
                company = company + in_turn(fillers, self.roster)
            table = fill([anchor], company, settings.seats)
            if table is None:
                break
            anchors = [player for player in anchors if player not in table]
            fillers = [player for player in fillers if player not in table]
            rng.shuffle(table)
            found.append(table)
        return found


def in_turn(players: Iterable[Player], roster: Roster) -> list[Player]:
    """Return who fills the seats of an unrated table: the house's first, and of others who has waited longest."""
    return sorted(players, key=lambda player: (bool(roster.owner(player.bot)), player.since, player.bot))


def fill(table: Sequence[Player], company: Iterable[Player], seats: int) -> list[Player] | None:
    """Return a table filled with the first of the company, no bot twice; None where they are too few."""
    found = list(table)
    for player in company:
        if len(found) >= seats:
            break
        if all(player.bot != seated.bot for seated in found):
            found.append(player)
    return found if len(found) == seats else None
