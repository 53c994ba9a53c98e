"""The store in memory, for tests and for play that leaves nothing behind; held to the same tests as the real one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gavelport_server.ratings.elo import EloTable, LadderTable
from gavelport_server.storage.errors import FencedError, StoreError
from gavelport_server.storage.figures import met, tallied
from gavelport_server.storage.memory_submissions import MemorySubmissions
from gavelport_server.storage.store import GROWING, Entrant, FoundResult, RatingChange, Standing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from gavelport_server.ratings.elo import Change
    from gavelport_server.storage.figures import Meeting, Tallies
    from gavelport_server.storage.store import Place, RerunRecord, Result, ResultFilter, TournamentRecord, VoidRecord


@dataclass(slots=True)
class _Kept:
    record: TournamentRecord
    elo: EloTable | LadderTable
    results: dict[int, Result] = field(default_factory=dict)
    counted: int = 0
    changes: dict[str, tuple[Change, ...]] = field(default_factory=dict)
    """Of a ladder, by match."""
    voids: dict[str, VoidRecord] = field(default_factory=dict)
    reruns: dict[str, RerunRecord] = field(default_factory=dict)


class MemoryStore(MemorySubmissions):
    """A `Store`, and `Members`, that are gone with their process."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, _Kept] = {}
        self._settled: set[str] = set()
        self._epoch = 0

    def claim(self, holder: str) -> int:
        """Return the next epoch. There is nobody who could take over; see `fence`."""
        self._epoch += 1
        return self._epoch

    def fence(self) -> None:
        """Stand in for another server that takes over: every later write of a result raises FencedError."""
        self._epoch = -1

    def open_tournament(self, record: TournamentRecord) -> TournamentRecord:
        """Create the tournament, or return the one that is there under the same identity (its secret and start)."""
        with self._lock:
            self._check_epoch()
            if record.identity not in self._kept:
                self._kept[record.identity] = _Kept(record, _fresh(record))
            return self._kept[record.identity].record

    def tournaments(self) -> Sequence[TournamentRecord]:
        """Return all tournaments, oldest first."""
        with self._lock:
            return sorted((kept.record for kept in self._kept.values()), key=lambda record: record.started_at)

    def add_entrant(self, identity: str, bot: str, version: str, content_hash: str = "") -> int:
        """Return a bot's number among the entrants of a ladder or of practice; see `Store.add_entrant`."""
        with self._lock:
            self._check_epoch()
            kept, table = self._growing(identity)
            for one in kept.record.entrants:
                if (one.bot, one.version) == (bot, version):
                    if one.content_hash != content_hash:
                        raise StoreError(
                            f"{self.where}: bot {bot} {version} plays in {kept.record.name} with other content; "
                            "give changed content another version"
                        )
                    return one.number
            new = Entrant(len(kept.record.entrants), bot, version, content_hash)
            kept.record = replace(kept.record, entrants=(*kept.record.entrants, new))
            table.add(bot)
            return new.number

    def add_result(self, identity: str, result: Result) -> bool:
        """Keep a result and count it into the Elo; see `Store.add_result` and `SqlStore.add_result`."""
        with self._lock:
            self._check_epoch()
            kept = self._tournament(identity)
            if not isinstance(kept.elo, EloTable):
                raise StoreError(f"{self.where}: {identity} is no tournament; its results go to `append_result`")
            if result.match_id in self._settled:
                return False
            if (other := kept.results.get(result.number)) is not None:
                raise StoreError(
                    f"{self.where} already has match {other.match_id} at place {result.number} of the schedule; "
                    f"match {result.match_id} was not added"
                )
            results, counted, table = {**kept.results, result.number: result}, kept.counted, EloTable(kept.elo.rated)
            while (following := results.get(counted)) is not None:
                seats = following.seats
                try:
                    table.count([seat.entrant for seat in seats], [seat.rank for seat in seats])
                except ValueError as error:
                    raise StoreError(
                        f"{self.where}: place {counted} of the schedule cannot be rated: {error}"
                    ) from error
                counted += 1
            kept.results, kept.counted, kept.elo = results, counted, table
            self._settled.add(result.match_id)
            return True

    def append_result(self, identity: str, result: Result) -> Result | None:
        """Keep a result of a ladder or of practice at the next number and rate it; see `Store.append_result`."""
        with self._lock:
            self._check_epoch()
            kept, table = self._growing(identity)
            if result.match_id in self._settled:
                return None
            if len(result.seats) != kept.record.seats:
                raise StoreError(
                    f"{self.where}: match {result.match_id} has {len(result.seats)} seats, and {kept.record.name} "
                    f"has {kept.record.seats}; it was not added"
                )
            numbered = replace(result, number=kept.counted, void_reason="")
            try:
                changes = _count(table, numbered, practice=kept.record.kind == "practice")
            except ValueError as error:
                raise StoreError(f"{self.where}: match {result.match_id} cannot be counted: {error}") from error
            kept.results[kept.counted] = numbered
            kept.counted += 1
            self._settled.add(result.match_id)
            if changes:
                kept.changes[result.match_id] = changes
            return numbered

    def void_result(self, match_id: str, reason: str) -> bool:
        """Take a result out of the ratings, which are folded anew; see `Store.void_result`."""
        with self._lock:
            self._check_epoch()
            for identity, kept in self._kept.items():
                for number, result in kept.results.items():
                    if result.match_id == match_id:
                        self._growing(identity)
                        if result.void_reason:
                            return False
                        kept.results[number] = replace(result, void_reason=reason)
                        _fold_anew(kept)
                        return True
        raise StoreError(f"{self.where} holds no result of match {match_id}")

    def add_void(self, identity: str, void: VoidRecord) -> bool:
        """Keep a match that came to no result; see `Store.add_void`."""
        with self._lock:
            self._check_epoch()
            kept, _ = self._growing(identity)
            if void.match_id in self._settled:
                return False
            kept.voids[void.match_id] = void
            self._settled.add(void.match_id)
            return True

    def voids(self, identity: str) -> Sequence[VoidRecord]:
        """Return the matches that came to no result, oldest first."""
        with self._lock:
            kept = self._tournament(identity)
            ordered = sorted(kept.voids.values(), key=lambda one: (one.at, one.match_id))
            return [
                replace(one, again_id=kept.reruns[one.match_id].again_id) if one.match_id in kept.reruns else one
                for one in ordered
            ]

    def add_rerun(self, identity: str, rerun: RerunRecord) -> bool:
        """Keep that a void match is to be played again; see `Store.add_rerun`."""
        with self._lock:
            self._check_epoch()
            kept, _ = self._growing(identity)
            if rerun.match_id in kept.reruns:
                return False
            kept.reruns[rerun.match_id] = rerun
            return True

    def rerun(self, match_id: str) -> RerunRecord | None:
        """Return how a void match is played again, or None where it is not."""
        with self._lock:
            return next((one.reruns[match_id] for one in self._kept.values() if match_id in one.reruns), None)

    def reruns(self, identity: str) -> Sequence[RerunRecord]:
        """Return the matches that are still to be played again; see `Store.reruns`."""
        with self._lock:
            reruns = self._tournament(identity).reruns
            return [one for _, one in sorted(reruns.items()) if one.again_id not in self._settled]

    def results(self, identity: str, *, first: int = 0, limit: int | None = None) -> Sequence[Result]:
        """Return a tournament's results in schedule order; see `Store.results`."""
        with self._lock:
            held = self._tournament(identity).results
            return [held[number] for number in sorted(held) if number >= first][:limit]

    def voided(self, identity: str) -> Sequence[int]:
        """Return the numbers of the results that count no more, ascending."""
        with self._lock:
            return [number for number, one in sorted(self._tournament(identity).results.items()) if one.void_reason]

    def result(self, match_id: str) -> FoundResult | None:
        """Return a match's result, or None where it has none."""
        with self._lock:
            return next((one for one in self._found() if one.result.match_id == match_id), None)

    def find_results(
        self, wanted: ResultFilter, *, beyond: Place | None = None, limit: int = 100, oldest_first: bool = False
    ) -> Sequence[FoundResult]:
        """Return results of all tournaments, the latest first, at most `limit`; see `Store.find_results`."""
        with self._lock:
            fitting = sorted((one for one in self._found() if _fits(wanted, one)), key=lambda one: one.place)
        if not oldest_first:
            fitting.reverse()
        if beyond is not None:
            fitting = [one for one in fitting if (one.place > beyond if oldest_first else one.place < beyond)]
        return fitting[:limit]

    def standings(self, identity: str) -> Sequence[Standing]:
        """Return the stored Elo of every entrant, by entrant number."""
        with self._lock:
            rated = self._tournament(identity).elo.rated
            return [Standing(number, one.elo, one.matches) for number, one in enumerate(rated)]

    def rating_changes(self, identity: str, bot: str | None = None, limit: int | None = None) -> Sequence[RatingChange]:
        """Return what every rated match did, the latest match first, by seat; see `Store.rating_changes`."""
        with self._lock:
            kept = self._tournament(identity)
            matches = [
                [_change(kept.record, result, seat, one) for seat, one in enumerate(kept.changes[result.match_id])]
                for _, result in sorted(kept.results.items(), reverse=True)
                if result.match_id in kept.changes
            ]
        chosen = [seats for seats in matches if bot is None or any(one.bot == bot for one in seats)]
        return [one for seats in chosen[:limit] for one in seats]

    def tallies(self, identity: str, first: int, most: int) -> Tallies:
        """Return what the results from number `first` on come to; see `Figures.tallies`."""
        return tallied(self.results(identity), first, most)

    def meetings(self, identity: str, bots: Collection[str]) -> Sequence[Meeting]:
        """Return how these bots did against each other; see `Figures.meetings`."""
        results = self.results(identity)
        return met(self._kept[identity].record, results, bots)

    def gains(self, identity: str, since: str) -> Mapping[str, float]:
        """Return by bot what the results of late added to its Elo; see `Figures.gains`."""
        gains: dict[str, float] = {}
        for change in self.rating_changes(identity):
            if change.finished_at >= since:
                gains[change.bot] = round(gains.get(change.bot, 0.0) + change.after - change.before, 6)
        return gains

    def close(self) -> None:
        """Let go of nothing: what is kept stays until the process ends."""

    def _check_epoch(self) -> None:
        if self._epoch < 0:
            raise FencedError(f"another server has taken over this database ({self.where}); nothing more was written")

    def _tournament(self, identity: str) -> _Kept:
        if identity not in self._kept:
            raise StoreError(f"{self.where} holds no tournament {identity}; `open_tournament` makes it")
        return self._kept[identity]

    def _growing(self, identity: str) -> tuple[_Kept, LadderTable]:
        kept = self._tournament(identity)
        if not isinstance(kept.elo, LadderTable):
            raise StoreError(
                f"{self.where}: {kept.record.name} is a tournament, whose entrants and results are settled by its "
                "schedule; only ladders and practice take what comes"
            )
        return kept, kept.elo

    def _found(self) -> Iterator[FoundResult]:
        for kept in self._kept.values():
            for result in kept.results.values():
                entrants = tuple(kept.record.entrants[seat.entrant] for seat in result.seats)
                record = kept.record
                yield FoundResult(result, entrants, record.identity, record.name, record.game, record.kind)


def _fresh(record: TournamentRecord) -> EloTable | LadderTable:
    if record.kind in GROWING:
        return LadderTable(one.bot for one in record.entrants)
    return EloTable.fresh(len(record.entrants))


def _count(table: LadderTable, result: Result, *, practice: bool) -> tuple[Change, ...]:
    """Count a result; in practice it is only looked at."""
    entrants, ranks = [seat.entrant for seat in result.seats], [seat.rank for seat in result.seats]
    if not practice:
        return table.count(entrants, ranks)
    table.changes(entrants, ranks)
    return ()


def _fold_anew(kept: _Kept) -> None:
    table = LadderTable(one.bot for one in kept.record.entrants)
    kept.changes = {}
    for _, result in sorted(kept.results.items()):
        if not result.void_reason and kept.record.kind == "ladder":
            kept.changes[result.match_id] = _count(table, result, practice=False)
    kept.elo = table


def _change(record: TournamentRecord, result: Result, seat: int, change: Change) -> RatingChange:
    entrant = record.entrants[result.seats[seat].entrant]
    return RatingChange(
        match_id=result.match_id,
        number=result.number,
        finished_at=result.finished_at,
        seat=seat,
        bot=entrant.bot,
        version=entrant.version,
        rank=result.seats[seat].rank,
        before=change.before,
        after=change.after,
        k=change.k,
    )


def _fits(wanted: ResultFilter, one: FoundResult) -> bool:
    played = [
        entrant
        for entrant, seat in zip(one.entrants, one.result.seats, strict=True)
        if wanted.bot in ("", entrant.bot)
        and wanted.version in ("", entrant.version)
        and (seat.faults or not wanted.is_faulty)
    ]
    finished_at = one.result.finished_at
    return (
        bool(played)
        and (not wanted.against or any(entrant.bot == wanted.against for entrant in one.entrants))
        and (wanted.with_unrated or one.kind != "practice")
        and (one.tournament == wanted.tournament or one.identity.startswith(wanted.tournament))
        and (one.game == wanted.game or one.game.startswith(f"{wanted.game}@" if wanted.game else ""))
        and (not wanted.since or finished_at >= wanted.since)
        and (not wanted.until or finished_at < wanted.until)
    )
