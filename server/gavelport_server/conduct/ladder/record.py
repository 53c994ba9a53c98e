"""What is kept of a ladder: its two records, its results, and the matches that came to none (design 7).

Everything here is synchronous and waits for disks: it is called in a thread.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from gavelport_server.archive.files import sha256_of
from gavelport_server.conduct.results import result_of
from gavelport_server.pairing.schedule import Pairing
from gavelport_server.ratings.elo import Rated
from gavelport_server.storage.store import ResultFilter, TournamentRecord, VoidRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_server.referee.report import MatchReport
    from gavelport_server.serving import LadderSettings
    from gavelport_server.storage.store import Kind, RerunRecord, Store

REMEMBERED_MOST = 10_000
"""So many matches of the last day are looked at after a start."""


@dataclass(frozen=True, slots=True)
class LadderRecords:
    """A ladder in the store: the rated matches, and the others."""

    rated: TournamentRecord
    practice: TournamentRecord


@dataclass(frozen=True, slots=True)
class PastMatch:
    """Who met, and when: what pairing asks of matches that are over."""

    bots: tuple[str, ...]
    age_s: float


class Recorder:
    """Keeps what ladders leave behind. Raises StoreError; what failed can be tried again."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def open(self, settings: LadderSettings) -> LadderRecords:
        """Return the records of a ladder, made where it is new."""
        rated, practice = (self._store.open_tournament(_record(settings, kind)) for kind in ("ladder", "practice"))
        return LadderRecords(rated, practice)

    def count(self, identity: str, report: MatchReport, stored: bytes, seconds: float, sandbox: str = "") -> None:
        """Count a match that is over and whose replay is kept, once; one that is void already stays so.

        `sandbox` says what held the hosted bots in it.
        """
        setup = report.setup
        entrants = tuple(self._store.add_entrant(identity, seat.bot, seat.version) for seat in setup.seats)
        pairing = Pairing(number=0, round=0, block=0, rotation=0, table=0, deal=0, entrants=entrants)
        result = result_of(pairing, report, replay_sha256=sha256_of(stored), seconds=seconds)
        self._store.append_result(identity, replace(result, sandbox=sandbox))

    def name(self, identity: str) -> str:
        """Return what the ladder of a record is called, or the identity where it is not known."""
        return next((one.name for one in self._store.tournaments() if one.identity == identity), identity)

    def is_void(self, identity: str, match_id: str) -> bool:
        """Return whether a match is known to have come to nothing."""
        return any(void.match_id == match_id for void in self._store.voids(identity))

    def void(self, identity: str, match_id: str, reason: str, bots: tuple[str, ...]) -> None:
        """Keep that a match of these bots, by seat, came to nothing."""
        self._store.add_void(identity, VoidRecord(match_id, reason, now_text(), bots))

    def voids(self, identity: str) -> Sequence[VoidRecord]:
        """Return the void matches of which it is known who sat in them, oldest first."""
        return [one for one in self._store.voids(identity) if one.bots]

    def keep_rerun(self, identity: str, rerun: RerunRecord) -> bool:
        """Keep that a void match is to be played again; return whether it was not already."""
        return self._store.add_rerun(identity, rerun)

    def reruns(self, identity: str) -> Sequence[RerunRecord]:
        """Return the matches that are still to be played again."""
        return self._store.reruns(identity)

    def ratings(self, record: TournamentRecord) -> Mapping[str, Rated]:
        """Return by bot its Elo, and the matches of all its versions."""
        # Standings first: entrants are only added, and one may be between the two looks.
        standings = self._store.standings(record.identity)
        entrants = {one.number: one.bot for one in self._store.open_tournament(record).entrants}
        found: dict[str, Rated] = {}
        for standing in standings:
            bot = entrants[standing.entrant]
            known = found[bot].matches if bot in found else 0
            found[bot] = Rated(standing.elo, known + standing.matches)
        return found

    def past_day(self, record: TournamentRecord) -> Sequence[PastMatch]:
        """Return who met in the last 24 hours, the latest first."""
        now = datetime.now(UTC)
        since = (now - timedelta(days=1)).isoformat(timespec="seconds")
        wanted = ResultFilter(tournament=record.identity, since=since, with_unrated=True)
        return [
            PastMatch(
                tuple(entrant.bot for entrant in found.entrants),
                max(0.0, (now - datetime.fromisoformat(found.result.finished_at)).total_seconds()),
            )
            for found in self._store.find_results(wanted, limit=REMEMBERED_MOST)
        ]


def match_seed(secret: bytes, match_id: str) -> bytes:
    """Return the 32-byte seed of a ladder's match: HMAC-SHA256(secret, `match ID`), which only the secret tells."""
    return hmac.digest(secret, f"match {match_id}".encode(), hashlib.sha256)


def new_match_id() -> str:
    """Return 20 random hex digits, which tell nothing."""
    return secrets.token_hex(10)


def now_text() -> str:
    """Return the time as it is kept: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _record(settings: LadderSettings, kind: Kind) -> TournamentRecord:
    game = settings.game
    options = game.options({**settings.options, "seats": settings.seats})
    what: dict[str, Any] = {
        "kind": kind,
        "name": settings.name,
        "game": game.id,
        "options": game.options_to_notation(options),
        "seats": settings.seats,
    }
    text = json.dumps(what, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return TournamentRecord(
        identity=hashlib.sha256(text.encode()).hexdigest()[:32],
        name=settings.name if kind == "ladder" else f"{settings.name}-practice",
        game=game.id,
        options=text,
        secret=secrets.token_bytes(32),
        seats=settings.seats,
        entrants=(),
        started_at=now_text(),
        kind=kind,
    )
