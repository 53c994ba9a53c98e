"""Matches that are over: listed, downloaded, and seen with the eyes of one's own bot.

A replay is open once its match's block is over. Notes and the words of first faults are in the copies of the bots'
owner alone; others' copies have digests in their place, and verify as well (`archive/public.py`).
"""

from __future__ import annotations

import base64
import json
import threading
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gavelport.v1 import archive_pb2 as pb

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.public import public_copy
from gavelport_server.archive.replay import decode_replay
from gavelport_server.archive.views import seat_view
from gavelport_server.lobby.own import quoted, secrets_of
from gavelport_server.lobby.tokens import written
from gavelport_server.storage.store import ResultFilter
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.storage.members import Members
    from gavelport_server.storage.store import FoundResult, Place, Store

MATCHES, MAX_MATCHES = 100, 500
CHUNK_BYTES = 64 * 1024
_PAGE = 100


class ArchiveDesk:
    """ReplayService. Methods are called in worker threads; generators step by step."""

    def __init__(self, store: Store, members: Members, replays: ReplayFolder) -> None:
        """Take where results, accounts and replays are kept."""
        self._store = store
        self._members = members
        self._replays = replays
        self._seals = _Seals(store)

    def list_matches(self, caller: Caller, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        """Return finished matches, the latest first."""
        if request.match_id:
            found = self._found(request.match_id)
            return pb.ListMatchesResponse(matches=[self._summary(found)])
        limit = min(request.page_size or MATCHES, MAX_MATCHES)
        beyond = _place(request.page_token) if request.page_token else None
        matches = self._store.find_results(_wanted(request.filter), beyond=beyond, limit=limit)
        return pb.ListMatchesResponse(
            matches=[self._summary(one) for one in matches],
            next_page_token=_page_token(matches[-1].place) if len(matches) == limit else "",
        )

    def download_replays(
        self, caller: Caller, request: pb.DownloadReplaysRequest
    ) -> Iterator[pb.DownloadReplaysResponse]:
        """Yield the replays of all matches that fit, oldest first, in chunks."""
        own = secrets_of(self._members, caller)
        if request.match_id:
            found = self._found(request.match_id)
            if self._seals.is_sealed(found):
                text = f"the replay of {request.match_id} is sealed until all matches of its deal are over"
                raise ServiceError(StatusCode.FAILED_PRECONDITION, text)
            copy = self._copy(found, own)
            if copy is None:
                raise ServiceError(StatusCode.NOT_FOUND, f"the replay of {request.match_id} is not kept any more")
            yield from _chunks(request.match_id, copy)
            return
        wanted = _wanted(request.filter)
        beyond = None
        while page := self._store.find_results(wanted, beyond=beyond, limit=_PAGE, oldest_first=True):
            for found in page:
                copy = None if self._seals.is_sealed(found) else self._copy(found, own)
                if copy is not None:
                    yield from _chunks(found.result.match_id, copy)
            beyond = page[-1].place

    def get_seat_view(self, caller: Caller, request: pb.GetSeatViewRequest) -> Iterator[pb.GetSeatViewResponse]:
        """Yield what the caller's own bot saw and noted, decision by decision; an admin may see every seat."""
        found = self._found(request.match_id)
        seat = request.seat
        if seat >= len(found.entrants):
            text = f"match {request.match_id} has seats 0 to {len(found.entrants) - 1}"
            raise ServiceError(StatusCode.INVALID_ARGUMENT, text)
        if caller.scope != "admin" and seat not in _own_seats(found, secrets_of(self._members, caller)):
            text = f"seat {seat} of match {request.match_id} is no bot of yours; only its owner sees what it saw"
            raise ServiceError(StatusCode.PERMISSION_DENIED, text)
        stored = self._stored(found.result.match_id)
        if stored is None:
            raise ServiceError(StatusCode.NOT_FOUND, f"the replay of {request.match_id} is not kept any more")
        for record in seat_view(decode_replay(stored), seat):
            yield pb.GetSeatViewResponse(line=json.dumps(record, ensure_ascii=False))

    # -- details

    def _found(self, match_id: str) -> FoundResult:
        found = self._store.result(match_id)
        if found is None:
            text = f"no match {quoted(match_id)} is over here; `gavelport replays list --server TARGET` tells which are"
            raise ServiceError(StatusCode.NOT_FOUND, text)
        return found

    def _stored(self, match_id: str) -> bytes | None:
        try:
            if self._replays.path(match_id).exists():
                return self._replays.get(match_id)
        except ArchiveError:
            if self._replays.path(match_id).exists():
                raise
        return None

    def _copy(self, found: FoundResult, own: frozenset[str]) -> bytes | None:
        stored = self._stored(found.result.match_id)
        return None if stored is None else public_copy(stored, _own_seats(found, own))

    def _summary(self, found: FoundResult) -> pb.MatchSummary:
        result = found.result
        return pb.MatchSummary(
            match_id=result.match_id,
            tournament=found.tournament,
            game=found.game,
            rated=found.kind != "practice",
            finished_at=result.finished_at,
            seconds=result.seconds,
            end=result.end,
            seats=[
                pb.MatchSeat(
                    bot=entrant.bot,
                    version=entrant.version,
                    rank=seat.rank,
                    total=seat.total,
                    faults=sum(number for _, number in seat.faults),
                    retired=seat.retired,
                )
                for entrant, seat in zip(found.entrants, result.seats, strict=True)
            ],
            sealed=self._seals.is_sealed(found),
            void_reason=result.void_reason,
            decisions=sum(seat.decisions for seat in result.seats),
            sandbox=result.sandbox,
        )


class _Seals:
    """Which matches of tournaments in blocks may not be shown yet: those whose deal is still to be played by others."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._complete: dict[str, frozenset[tuple[int, int]]] = {}

    def is_sealed(self, found: FoundResult) -> bool:
        if found.kind != "tournament":
            return False  # every match of a ladder has a deal of its own
        block = (found.result.block, found.result.table)
        with self._lock:
            if block not in self._complete.get(found.identity, ()):
                played = Counter((one.block, one.table) for one in self._store.results(found.identity))
                seats = len(found.entrants)
                self._complete[found.identity] = frozenset(one for one, number in played.items() if number >= seats)
            return block not in self._complete[found.identity]


def _own_seats(found: FoundResult, own: frozenset[str]) -> list[int]:
    """Return the seats of own bots. In a local tournament of the same folder a bot's name is nobody's."""
    if found.kind == "tournament":
        return []
    return [seat for seat, entrant in enumerate(found.entrants) if entrant.bot in own]


def _chunks(match_id: str, copy: bytes) -> Iterator[pb.DownloadReplaysResponse]:
    for start in range(0, len(copy), CHUNK_BYTES):
        end = start + CHUNK_BYTES
        yield pb.DownloadReplaysResponse(match_id=match_id, data=copy[start:end], is_last=end >= len(copy))


def _wanted(asked: pb.MatchFilter) -> ResultFilter:
    if asked.version and not asked.bot:
        raise ServiceError(StatusCode.INVALID_ARGUMENT, "filter.version goes with filter.bot; name the bot too")
    return ResultFilter(
        bot=asked.bot,
        version=asked.version,
        tournament=asked.tournament,
        game=asked.game,
        since=_time(asked.since, "filter.since"),
        until=_time(asked.until, "filter.until"),
        with_unrated=asked.with_unrated,
    )


def _time(text: str, field: str) -> str:
    """Return a time as results have it."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
        return written(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        said = f"{field} should be a date or a time, as 2026-03-01 or 2026-03-01T12:00:00Z, not {quoted(text)}"
        raise ServiceError(StatusCode.INVALID_ARGUMENT, said) from None


def _page_token(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def _place(page_token: str) -> Place:
    try:
        finished_at, match_id = json.loads(base64.b64decode(page_token.encode("ascii"), b"-_", validate=True))
    except (ValueError, TypeError, RecursionError):
        finished_at = match_id = None
    if not all(isinstance(part, str) and part.isascii() and part.isprintable() for part in (finished_at, match_id)):
        text = "page_token is none that this server gave; leave it out for the first page"
        raise ServiceError(StatusCode.INVALID_ARGUMENT, text)
    return finished_at, match_id
