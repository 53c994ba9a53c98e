"""An owner's side of the ladder: bots, versions, challenges, and what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from gavelport.v1 import lobby_pb2

from gavelport_server.lobby.own import own_bot, own_bots, quoted
from gavelport_server.lobby.registration import register
from gavelport_server.lobby.submission_desk import SubmissionDesk
from gavelport_server.lobby.token_desk import TokenDesk
from gavelport_server.storage.store import ResultFilter
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gavelport_server.lobby.examiner import Examiner
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.lobby.intake import Accounts
    from gavelport_server.lobby.live import Live
    from gavelport_server.lobby.packages import Packages
    from gavelport_server.storage.members import BotRecord, BotStatus, VersionRecord
    from gavelport_server.storage.store import FoundResult, Store

MAX_OPPONENTS = 8
FAULTS, MAX_FAULTS = 100, 500
SEARCHED = 2000
"""So many of a bot's latest matches are looked through for faults."""
_PAGE = 200


class LobbyDesk(TokenDesk, SubmissionDesk):
    """LobbyService. Methods are called in worker threads of trio."""

    def __init__(
        self,
        members: Accounts,
        store: Store,
        packages: Packages,
        live: Live,
        examiner: Examiner,
        changed: Callable[[], None],
    ) -> None:
        """Take where accounts, results and packages are kept, the ladders, what examines submissions.

        `changed` is called when tokens have changed.
        """
        TokenDesk.__init__(self, members, changed)
        SubmissionDesk.__init__(self, members, packages, live, examiner)
        self._store = store
        self._live = live

    def register_bot(self, caller: Caller, request: lobby_pb2.RegisterBotRequest) -> lobby_pb2.RegisterBotResponse:
        """Take a name for a bot."""
        is_admin = caller.scope == "admin"
        owner = request.owner if is_admin else caller.owner
        if request.owner not in ("", owner):
            text = f"you register bots for {caller.owner}, not for others; leave owner out"
            raise ServiceError(StatusCode.PERMISSION_DENIED, text)
        bot = register(self._members, request.name, owner, is_admin=is_admin)
        self._refresh()
        return lobby_pb2.RegisterBotResponse(bot=self._one(bot))

    def list_bots(self, caller: Caller, request: lobby_pb2.ListBotsRequest) -> lobby_pb2.ListBotsResponse:
        """Return the caller's bots; all for an admin."""
        bots = own_bots(self._members, caller)
        versions: dict[str, list[VersionRecord]] = {}
        for one in self._members.versions():
            versions.setdefault(one.bot, []).append(one)
        return lobby_pb2.ListBotsResponse(bots=self._told_all([(bot, versions.get(bot.name, [])) for bot in bots]))

    def set_withdrawn(self, caller: Caller, request: lobby_pb2.SetWithdrawnRequest) -> lobby_pb2.SetWithdrawnResponse:
        """Take a bot off its ladders, or put it back."""
        bot = own_bot(self._members, caller, request.bot)
        if bot.status == "banned":
            text = f"{bot.name} is banned; only whoever runs this server can lift that"
            raise ServiceError(StatusCode.FAILED_PRECONDITION, text)
        reason = "withdrawn by its owner" if caller.scope != "admin" else "withdrawn by an admin"
        status: BotStatus = "withdrawn" if request.withdrawn else "active"
        bot = self._members.set_status(bot.name, status, reason if request.withdrawn else "")
        self._refresh()
        return lobby_pb2.SetWithdrawnResponse(bot=self._one(bot))

    def set_version(self, caller: Caller, request: lobby_pb2.SetVersionRequest) -> lobby_pb2.SetVersionResponse:
        """Roll a bot back to a version, or lift that."""
        bot = own_bot(self._members, caller, request.bot)
        versions = [one.version for one in self._members.versions(bot.name)]
        if request.version and request.version not in versions:
            there = f"there are: {', '.join(versions)}" if versions else "none has played yet"
            text = f"{bot.name} has no version {quoted(request.version)}; {there}"
            raise ServiceError(StatusCode.NOT_FOUND, text)
        bot = self._members.pin_version(bot.name, request.version)
        self._refresh()
        return lobby_pb2.SetVersionResponse(bot=self._one(bot))

    def challenge(self, caller: Caller, request: lobby_pb2.ChallengeRequest) -> lobby_pb2.ChallengeResponse:
        """Begin an unrated match."""
        bot = own_bot(self._members, caller, request.bot)
        if len(request.opponents) > MAX_OPPONENTS:
            raise ServiceError(StatusCode.INVALID_ARGUMENT, f"name at most {MAX_OPPONENTS} opponents")
        opponents = tuple(request.opponents)
        match_id = trio.from_thread.run_sync(self._challenge, bot.name, opponents, request.ladder)
        return lobby_pb2.ChallengeResponse(match_id=match_id)

    def list_faults(self, caller: Caller, request: lobby_pb2.ListFaultsRequest) -> lobby_pb2.ListFaultsResponse:
        """Return what went wrong with a bot in its latest matches."""
        bot = own_bot(self._members, caller, request.bot)
        limit = min(request.limit or FAULTS, MAX_FAULTS)
        faults: list[lobby_pb2.BotFault] = []
        for found in self._latest(bot.name):
            faults += _faults(found, bot.name)
            if len(faults) >= limit:
                break
        return lobby_pb2.ListFaultsResponse(faults=faults[:limit])

    # -- details

    def _challenge(self, bot: str, opponents: tuple[str, ...], ladder: str) -> str:
        return self._live.requests.challenge(bot, opponents, ladder)

    def _refresh(self) -> None:
        trio.from_thread.run(self._live.refresh)

    def _one(self, bot: BotRecord) -> lobby_pb2.Bot:
        return self._told_all([(bot, self._members.versions(bot.name))])[0]

    def _told_all(self, bots: Sequence[tuple[BotRecord, Sequence[VersionRecord]]]) -> list[lobby_pb2.Bot]:
        """Return what is told of bots with these versions."""

        def live() -> tuple[frozenset[str], list[tuple[str, str]]]:
            names = [bot.name for bot, _ in bots]
            words = [(self._live.hosted_words(name), self._live.held_back(name)) for name in names]
            return frozenset(self._live.connected_names()), words

        connected, words = trio.from_thread.run_sync(live)
        told = []
        for (bot, versions), (notice, held_back) in zip(bots, words, strict=True):
            names = [one.version for one in versions]
            told.append(
                lobby_pb2.Bot(
                    name=bot.name,
                    owner=bot.owner,
                    status=bot.status,
                    reason=bot.status_reason,
                    version=bot.pinned_version or (names[-1] if names else ""),
                    pinned_version=bot.pinned_version,
                    versions=names,
                    connected=bot.name in connected,
                    last_seen_at=bot.last_seen_at,
                    hosted_versions=[one.version for one in versions if one.content_hash],
                    notice=notice,
                    held_back=held_back,
                )
            )
        return told

    def _latest(self, bot: str) -> Iterator[FoundResult]:
        beyond = None
        for _ in range(SEARCHED // _PAGE):
            page = self._store.find_results(ResultFilter(bot=bot, with_unrated=True), beyond=beyond, limit=_PAGE)
            # A local tournament in the same folder may have had a bot of this name, which is nobody's.
            yield from (found for found in page if found.kind != "tournament")
            if len(page) < _PAGE:
                return
            beyond = page[-1].place


def _faults(found: FoundResult, bot: str) -> list[lobby_pb2.BotFault]:
    return [
        lobby_pb2.BotFault(
            match_id=found.result.match_id,
            finished_at=found.result.finished_at,
            seat=number,
            version=found.entrants[number].version,
            first_fault=seat.first_fault,
            faults=dict(seat.faults),
            retired=seat.retired,
        )
        for number, seat in enumerate(found.result.seats)
        if found.entrants[number].bot == bot and (seat.faults or seat.retired or seat.first_fault)
    ]
