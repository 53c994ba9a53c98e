"""What makes a tournament that one and no other: its settings, its entrants, and all that follows from them."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gavelport_server.pairing.deal import deal_seed, match_id
from gavelport_server.pairing.gauntlet import Gauntlet
from gavelport_server.pairing.round_robin import RoundRobin
from gavelport_server.pairing.schedule import Schedule
from gavelport_server.pairing.swiss import Swiss
from gavelport_server.referee.report import MatchSetup, SeatName
from gavelport_server.storage.store import Entrant, TournamentRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_engine.game import AnyGame

    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.config import FormatName, Settings
    from gavelport_server.pairing.schedule import Format, Pairing
    from gavelport_server.referee.report import ClockSetting

DEFAULT_MOST_SEATS = 5
"""Without `seats` given, all entrants sit at one table, up to this many (design 5)."""


class PlanError(ValueError):
    """No tournament can be made of these settings and entrants."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament, ready to be played. Rounds are no part of what it is: more of them continue it."""

    name: str
    game: AnyGame
    options: Any
    """The game's typed options, seats included."""
    clock: ClockSetting
    seats: int
    seed: bytes | None
    bots: tuple[BotManifest, ...]
    """By entrant number."""
    format: FormatName
    challenger: int | None
    """In a gauntlet, the entrant that plays every match."""

    def identity(self) -> str:
        """Return the hex digest under which the tournament is kept and resumed (design 5)."""
        given = {
            "setting": self._setting(),
            "seed": None if self.seed is None else self.seed.hex(),
            "entrants": [[bot.name, bot.version, bot.content_hash] for bot in self.bots],
        }
        return hashlib.sha256(_canonical(given).encode()).hexdigest()[:32]

    def record(self) -> TournamentRecord:
        """Return the record of a tournament that starts now, its secret freshly drawn unless a seed was given."""
        return TournamentRecord(
            identity=self.identity(),
            name=self.name,
            game=self.game.id,
            options=_canonical(self._setting()),
            secret=secrets.token_bytes(32) if self.seed is None else self.seed,
            seats=self.seats,
            entrants=tuple(
                Entrant(number, bot.name, bot.version, bot.content_hash) for number, bot in enumerate(self.bots)
            ),
            started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def schedule(self, rounds: int) -> Schedule:
        """Return the schedule of the first rounds, before any match."""
        entrants = len(self.bots)
        form: Format
        if self.challenger is not None:
            form = Gauntlet(entrants, self.seats, self.challenger)
        elif self.format == "swiss":
            form = Swiss(entrants, self.seats)
        else:
            form = RoundRobin(entrants, self.seats)
        return Schedule(form, entrants, self.seats, rounds)

    def match(self, record: TournamentRecord, pairing: Pairing) -> MatchSetup:
        """Return what is fixed of a pairing's match before it begins."""
        return MatchSetup(
            match_id=match_id(record.identity, pairing.number),
            game=self.game,
            options=self.options,
            seed=deal_seed(record.secret, pairing.deal),
            seats=tuple(SeatName(self.bots[one].name, self.bots[one].version) for one in pairing.entrants),
            clock=self.clock,
        )

    def _setting(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "game": self.game.id,
            "options": self.game.options_to_notation(self.options),
            "seats": self.seats,
            "clock": asdict(self.clock),
            "format": self.format,
            "challenger": self.challenger,
        }


def make_plan(settings: Settings, bots: Sequence[BotManifest], challenger: BotManifest | None = None) -> Plan:
    """Return the tournament of these settings between these bots. Raises PlanError where there can be none.

    Entrants are numbered by name, version and content hash, in whatever order they were given. The challenger of a
    gauntlet is one of them; without one, it is the bot that the settings name.
    """
    game = settings.game
    ordered = sorted(bots, key=lambda bot: (bot.name, bot.version, bot.content_hash))
    for one, other in pairwise(ordered):
        if (one.name, one.version) == (other.name, other.version):
            raise PlanError(
                f"two entrants are called {one.name} {one.version}: {one.folder} and {other.folder}; "
                "leave one out, or change `name` or `version` in its bot.toml"
            )
    seats = settings.seats
    if seats is None:
        seats = max(game.least_seats, min(len(ordered), game.most_seats, DEFAULT_MOST_SEATS))
    if len(ordered) < seats:
        entrants = ", ".join(bot.name for bot in ordered) or "none"
        remedy = f"a smaller --seats (at least {game.least_seats}) or " if seats > game.least_seats else ""
        raise PlanError(
            f"{game.name} at tables of {seats} takes at least {seats} entrants, and there are {len(ordered)} "
            f"({entrants}); give {remedy}more bots with --bot DIR"
        )
    return Plan(
        name=settings.name,
        game=game,
        options=game.options({**settings.options, "seats": seats}),
        clock=settings.clock,
        seats=seats,
        seed=settings.seed,
        bots=tuple(ordered),
        format=settings.format,
        challenger=_challenger(settings, ordered, challenger) if settings.format == "gauntlet" else None,
    )


def _challenger(settings: Settings, bots: Sequence[BotManifest], given: BotManifest | None) -> int:
    """Return which entrant plays every match of a gauntlet. Raises PlanError where that is not clear."""
    if given is not None:
        return bots.index(given)
    wanted = settings.challenger
    if wanted is None:
        raise PlanError(
            "a gauntlet is one bot against the field, and none is named; "
            'give your bot with --bot DIR, or write challenger = "NAME" into the tournament file'
        )
    found = [number for number, bot in enumerate(bots) if wanted in {bot.name, f"{bot.name} {bot.version}"}]
    if len(found) == 1:
        return found[0]
    if found:
        versions = ", ".join(f'"{bots[number].name} {bots[number].version}"' for number in found)
        raise PlanError(f'challenger = "{wanted}" may be any of {versions}; write the one that is meant')
    entrants = ", ".join(bot.name for bot in bots)
    raise PlanError(f'challenger = "{wanted}" is none of the entrants ({entrants})')


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
