"""Running the server. Whatever changes something is kept with who did it and why."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import structlog
import trio
from gavelport.v1 import admin_pb2 as pb

from gavelport_server.lobby.own import needed, now_text, own_bot, quoted, sentence
from gavelport_server.storage.members import ActionRecord
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_server.lobby.board import Boards
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.lobby.live import Live
    from gavelport_server.storage.members import Members
    from gavelport_server.storage.store import FoundResult, Store

ACTIONS, MAX_ACTIONS = 100, 1000
_log = structlog.get_logger(__name__)


class AdminDesk:
    """AdminService. Methods are called in worker threads of trio."""

    def __init__(
        self, members: Members, store: Store, boards: Boards, live: Live, *, epoch: int, drain: Callable[[], None]
    ) -> None:
        """Take where accounts and results are kept, the ladders and their tables.

        `epoch` counts the servers that have had this database. `drain` has the server end once what runs is over; it
        is called in the trio thread.
        """
        self._members = members
        self._store = store
        self._boards = boards
        self._live = live
        self._epoch = epoch
        self._drain = drain
        self._started_at = now_text()

    def get_status(self, caller: Caller, request: pb.GetStatusRequest) -> pb.GetStatusResponse:
        """Return how the server is."""
        return trio.from_thread.run_sync(self._status)

    def set_paused(self, caller: Caller, request: pb.SetPausedRequest) -> pb.SetPausedResponse:
        """Begin no new matches, or begin them again."""
        reason = sentence(request.reason, "reason")
        trio.from_thread.run_sync(self._pause, request.paused)
        self._keep(caller, "pause" if request.paused else "resume", "", reason)
        return pb.SetPausedResponse()

    def drain(self, caller: Caller, request: pb.DrainRequest) -> pb.DrainResponse:
        """Have the server end once what runs is over."""
        self._keep(caller, "drain", "", sentence(request.reason, "reason"))
        trio.from_thread.run_sync(self._drain)
        return pb.DrainResponse()

    def set_banned(self, caller: Caller, request: pb.SetBannedRequest) -> pb.SetBannedResponse:
        """Ban a bot, or lift that."""
        bot = own_bot(self._members, caller, request.bot)
        reason = needed(request.reason, "reason")
        if not request.banned and bot.status != "banned":
            raise ServiceError(StatusCode.FAILED_PRECONDITION, f"{bot.name} is not banned")
        self._members.set_status(bot.name, "banned" if request.banned else "active", reason if request.banned else "")
        self._keep(caller, "ban" if request.banned else "unban", bot.name, reason)
        trio.from_thread.run(self._live.refresh)
        return pb.SetBannedResponse()

    def void_match(self, caller: Caller, request: pb.VoidMatchRequest) -> pb.VoidMatchResponse:
        """Have a match count for nothing."""
        reason = needed(request.reason, "reason")
        if not trio.from_thread.run_sync(self._void_running, request.match_id, reason):
            found = self._store.result(request.match_id)
            if found is None:
                text = f"no match {quoted(request.match_id)} runs here or is over"
                raise ServiceError(StatusCode.NOT_FOUND, text)
            self._void_finished(found, reason)
        self._keep(caller, "void", request.match_id, reason)
        return pb.VoidMatchResponse()

    def rerun_match(self, caller: Caller, request: pb.RerunMatchRequest) -> pb.RerunMatchResponse:
        """Play a void match again."""
        reason = sentence(request.reason, "reason")
        known = self._store.rerun(request.match_id)
        if known is not None:
            text = f"match {request.match_id} is played again already, as match {known.again_id}"
            raise ServiceError(StatusCode.NOT_FOUND, text)
        self._recall(request.match_id)
        again = trio.from_thread.run_sync(self._rerun, request.match_id)
        trio.from_thread.run(self._live.requests.save)
        self._keep(caller, "rerun", f"{request.match_id} as {again}", reason)
        return pb.RerunMatchResponse(match_id=again)

    def list_actions(self, caller: Caller, request: pb.ListActionsRequest) -> pb.ListActionsResponse:
        """Return what was done, the latest first."""
        actions = self._members.actions(min(request.limit or ACTIONS, MAX_ACTIONS))
        return pb.ListActionsResponse(
            actions=[
                pb.AdminAction(at=one.at, actor=one.actor, action=one.action, subject=one.subject, reason=one.reason)
                for one in actions
            ]
        )

    # -- in the trio thread

    def _status(self) -> pb.GetStatusResponse:
        return pb.GetStatusResponse(
            version=version("gavelport"),
            started_at=self._started_at,
            paused=self._live.is_paused,
            draining=self._live.is_draining,
            running=len(self._live.running()),
            connected=len(self._live.connected_names()),
            epoch=self._epoch,
            hosting=self._live.hosting,
        )

    def _pause(self, is_paused: bool) -> None:
        self._live.pause(is_paused=is_paused)

    def _void_running(self, match_id: str, reason: str) -> bool:
        return self._live.requests.void_running(match_id, reason)

    def _void_known(self, match_id: str, ladder: str, bots: tuple[str, ...], is_rated: bool) -> None:
        self._live.requests.void_known(match_id, ladder, bots, is_rated=is_rated)

    def _rerun(self, match_id: str) -> str:
        return self._live.requests.rerun(match_id)

    # -- details

    def _void_finished(self, found: FoundResult, reason: str) -> None:
        match_id = found.result.match_id
        if found.kind == "tournament":
            text = f"match {match_id} belongs to the tournament {found.tournament}, whose results are settled"
            raise ServiceError(StatusCode.FAILED_PRECONDITION, text)
        if not self._store.void_result(match_id, reason):
            text = f"match {match_id} is void already: {found.result.void_reason}"
            raise ServiceError(StatusCode.FAILED_PRECONDITION, text)
        self._boards.forget(found.identity)
        self._tell_void(found)

    def _recall(self, match_id: str) -> None:
        """Tell the ladders of a result that was taken out before this server started."""
        found = self._store.result(match_id)
        if found is not None and found.result.void_reason:
            self._tell_void(found)

    def _tell_void(self, found: FoundResult) -> None:
        match_id = found.result.match_id
        bots = tuple(entrant.bot for entrant in found.entrants)
        is_rated = found.kind == "ladder"
        ladder = found.tournament if is_rated else found.tournament.removesuffix("-practice")
        try:
            trio.from_thread.run_sync(self._void_known, match_id, ladder, bots, is_rated)
        except ServiceError:
            # A ladder that this server keeps, but no longer runs: its ratings are right, and nothing is played again.
            _log.info("void_on_a_ladder_that_does_not_run", match=match_id, ladder=ladder)

    def _keep(self, caller: Caller, action: str, subject: str, reason: str) -> None:
        _log.info("admin_action", actor=caller.token_id, action=action, subject=subject)
        self._members.log_action(ActionRecord(now_text(), caller.token_id, action, subject, reason))
