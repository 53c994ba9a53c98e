"""Who is how good, and why."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import trio
from gavelport.v1 import ladder_pb2 as pb

from gavelport_server.lobby.board import options_text
from gavelport_server.lobby.own import quoted
from gavelport_server.ratings.elo import actual_score, expected_score
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.archive.fits import BotFit, LadderFit
    from gavelport_server.lobby.board import Boards, LadderStore, Line
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.lobby.live import Live
    from gavelport_server.storage.store import RatingChange, TournamentRecord

STANDINGS, MAX_STANDINGS = 100, 500
CHANGES, MAX_CHANGES = 100, 1000
MAX_CROSSED = 30
"""Bots that are set against each other."""
LEADERS = 12
"""Bots that are set against each other where nobody is named."""


class LadderDesk:
    """LadderService. Methods are called in worker threads of trio."""

    def __init__(self, store: LadderStore, boards: Boards, live: Live) -> None:
        """Take where ladders are kept, their tables, and the ladders that run."""
        self._store = store
        self._boards = boards
        self._live = live

    def list_ladders(self, caller: Caller, request: pb.ListLaddersRequest) -> pb.ListLaddersResponse:
        """Return all ladders."""
        return pb.ListLaddersResponse(ladders=[self._told(record) for record in self._boards.ladders()])

    def get_standings(self, caller: Caller, request: pb.GetStandingsRequest) -> pb.GetStandingsResponse:
        """Return a part of a ladder's table."""
        record = self._ladder(request.ladder)
        limit = _limit(request.limit, STANDINGS, MAX_STANDINGS)
        lines = self._lines(record)
        if not request.with_inactive:
            lines = [line for line in lines if not line.is_inactive]
        fit = self._boards.fit(record.identity)
        fitted = {one.bot: one for one in fit.bots} if fit else {}
        return pb.GetStandingsResponse(
            ladder=self._told(record),
            total=len(lines),
            standings=[
                _standing(line, fitted.get(line.bot)) for line in lines[request.offset : request.offset + limit]
            ],
            fitted_at=fit.fitted_at if fit else "",
            fitted_matches=fit.matches if fit else 0,
        )

    def get_history(self, caller: Caller, request: pb.GetHistoryRequest) -> pb.GetHistoryResponse:
        """Return the changes of a bot's rating, each with what made it."""
        record = self._ladder(request.ladder)
        self._require(record, [request.bot])
        limit = _limit(request.limit, CHANGES, MAX_CHANGES)
        changes = self._store.rating_changes(record.identity, request.bot, limit)
        return pb.GetHistoryResponse(
            changes=[
                _change(list(seats), request.bot) for _, seats in groupby(changes, key=lambda change: change.match_id)
            ]
        )

    def get_head_to_head(self, caller: Caller, request: pb.GetHeadToHeadRequest) -> pb.GetHeadToHeadResponse:
        """Return who came before whom, how often, for every two of the bots."""
        record = self._ladder(request.ladder)
        bots = list(dict.fromkeys(request.bots))
        if len(bots) > MAX_CROSSED:
            raise ServiceError(StatusCode.INVALID_ARGUMENT, f"name at most {MAX_CROSSED} bots, not {len(bots)}")
        self._require(record, bots)
        if not bots:
            bots = [line.bot for line in self._lines(record)[:LEADERS] if not line.is_inactive]
        fit = self._boards.fit(record.identity)
        met = {(one.bot, one.other): one for one in self._store.meetings(record.identity, bots)}
        pairs = []
        for bot in bots:
            for other in bots:
                meeting = met.get((min(bot, other), max(bot, other)))
                if bot == other or meeting is None:
                    continue
                worse = meeting.matches - meeting.better - meeting.equal
                better = meeting.better if bot == meeting.bot else worse
                pairs.append(
                    pb.HeadToHead(
                        bot=bot,
                        other=other,
                        matches=meeting.matches,
                        better=better,
                        equal=meeting.equal,
                        beats=_chance(fit, bot, other),
                    )
                )
        return pb.GetHeadToHeadResponse(pairs=pairs)

    def list_running(self, caller: Caller, request: pb.ListRunningRequest) -> pb.ListRunningResponse:
        """Return the running matches of a ladder, or of all."""
        if request.ladder:
            self._ladder(request.ladder)
        running = trio.from_thread.run_sync(self._live.running, request.ladder)
        return pb.ListRunningResponse(
            matches=[
                pb.RunningMatch(
                    match_id=one.match_id,
                    ladder=one.ladder,
                    rated=one.is_rated,
                    bots=one.bots,
                    started_at=one.started_at,
                    decisions=one.decisions,
                )
                for one in running
            ]
        )

    # -- details

    def _ladder(self, name: str) -> TournamentRecord:
        ladders = self._boards.ladders()
        for record in ladders:
            if record.name == name:
                return record
        there = ", ".join(record.name for record in ladders) or "none yet"
        raise ServiceError(StatusCode.NOT_FOUND, f"there is no ladder {quoted(name)}; there are: {there}")

    def _require(self, record: TournamentRecord, bots: Sequence[str]) -> None:
        known = {one.bot for one in record.entrants}
        for bot in bots:
            if bot not in known:
                who = f"`gavelport ladder {record.name}` tells who has"
                raise ServiceError(StatusCode.NOT_FOUND, f"no bot {quoted(bot)} has played on {record.name}; {who}")

    def _lines(self, record: TournamentRecord) -> list[Line]:
        connected = frozenset(trio.from_thread.run_sync(self._live.connected_names))
        return self._boards.lines(record, connected)

    def _told(self, record: TournamentRecord) -> pb.Ladder:
        matches, bots = self._boards.matches(record)
        return pb.Ladder(
            name=record.name,
            game=record.game,
            options=options_text(record),
            seats=record.seats,
            matches=matches,
            bots=bots,
            running=len(trio.from_thread.run_sync(self._live.running, record.name)),
        )


def _limit(asked: int, usual: int, most: int) -> int:
    return min(asked or usual, most)


def _standing(line: Line, own: BotFit | None) -> pb.LadderStanding:
    told = pb.LadderStanding(
        rank=line.rank,
        bot=line.bot,
        version=line.version,
        owner=line.owner,
        elo=line.elo,
        matches=line.matches,
        provisional=line.is_provisional,
        inactive=line.is_inactive,
        connected=line.is_connected,
        first_share=line.first_share,
        mean_total=line.mean_total,
        faults=line.faults,
        day_change=line.day_change,
    )
    if own is not None:
        told.fit.CopyFrom(
            pb.RatingFit(rating=own.rating, low=own.low, high=own.high, rank_low=own.rank_low, rank_high=own.rank_high)
        )
    return told


def _change(seats: Sequence[RatingChange], bot: str) -> pb.RatingChange:
    own = next(one for one in seats if one.bot == bot)
    return pb.RatingChange(
        match_id=own.match_id,
        number=own.number,
        finished_at=own.finished_at,
        version=own.version,
        seat=own.seat,
        before=own.before,
        after=own.after,
        k=own.k,
        rank=own.rank,
        pairs=[
            pb.RatingPair(
                seat=other.seat,
                bot=other.bot,
                before=other.before,
                scored=actual_score(own.rank, other.rank),
                expected=expected_score(own.before, other.before),
            )
            for other in seats
            if other is not own
        ],
    )


def _chance(fit: LadderFit | None, bot: str, other: str) -> float:
    """Return how likely a bot comes before another by their ratings; 0 where one has none."""
    if fit is None:
        return 0.0
    if known := fit.chance(bot, other):
        return known
    one, another = fit.of(bot), fit.of(other)
    return expected_score(one.rating, another.rating) if one and another else 0.0
