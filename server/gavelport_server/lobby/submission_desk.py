"""Bots submitted by their owners, and what the server kept of them: verdicts, and what they printed."""

from __future__ import annotations

import heapq
import json
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import structlog
import trio
from gavelport.v1 import lobby_pb2

from gavelport_server.lobby.intake import Intake, refusal
from gavelport_server.lobby.own import own_bot, own_bots, quoted
from gavelport_server.lobby.package import PackageError
from gavelport_server.lobby.packages import Spool
from gavelport_server.storage.submissions import OPEN
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from gavelport_server.lobby.examiner import Examiner
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.lobby.intake import Accounts
    from gavelport_server.lobby.live import Live
    from gavelport_server.lobby.packages import Packages
    from gavelport_server.storage.members import VersionRecord
    from gavelport_server.storage.submissions import SubmissionRecord

    Upload = Generator[None, lobby_pb2.SubmitRequest | None, lobby_pb2.SubmitResponse]

SUBMISSIONS, MAX_SUBMISSIONS = 20, 100
CHUNK_BYTES = 32 * 1024
_log = structlog.get_logger(__name__)
_LARGEST_ID = 2**31 - 1


class SubmissionDesk:
    """The part of the lobby that is about submissions. Methods are called in worker threads of trio."""

    def __init__(self, accounts: Accounts, packages: Packages, live: Live, examiner: Examiner) -> None:
        """Take where accounts and packages are kept, the ladders, and what examines submissions."""
        self._accounts = accounts
        self._packages = packages
        self._intake = Intake(accounts, packages)
        self._ladders = live
        self._examiner = examiner
        self._uploading: set[str] = set()
        self._lock = threading.Lock()

    def submit(self, caller: Caller) -> Upload:
        """Take a package in, to be examined."""
        if closed := self._ladders.hosting:
            text = f"this server runs no submitted bots: {closed}. A bot that runs elsewhere can connect and play"
            raise ServiceError(StatusCode.FAILED_PRECONDITION, text)
        with self._alone(caller.owner or caller.token_id):
            if caller.owner:
                self._intake.require_room(caller.owner)
            record = yield from self._received(caller)
        trio.from_thread.run_sync(self._examiner.wake)
        return lobby_pb2.SubmitResponse(submission=self._told(record))

    def get_submission(
        self, caller: Caller, request: lobby_pb2.GetSubmissionRequest
    ) -> lobby_pb2.GetSubmissionResponse:
        """Return one of the caller's submissions."""
        record = self._accounts.submission(request.id) if request.id <= _LARGEST_ID else None
        if record is None or record.bot not in {bot.name for bot in own_bots(self._accounts, caller)}:
            text = f"you have no submission {request.id}; `gavelport status` tells which there are"
            raise ServiceError(StatusCode.NOT_FOUND, text)
        return lobby_pb2.GetSubmissionResponse(submission=self._told(record))

    def list_submissions(
        self, caller: Caller, request: lobby_pb2.ListSubmissionsRequest
    ) -> lobby_pb2.ListSubmissionsResponse:
        """Return the submissions of one of the caller's bots, or of all."""
        limit = min(request.limit or SUBMISSIONS, MAX_SUBMISSIONS)
        if request.bot:
            found = self._accounts.submissions(own_bot(self._accounts, caller, request.bot).name, limit)
        elif caller.scope == "admin":
            found = self._accounts.submissions(limit=limit)
        else:
            own = own_bots(self._accounts, caller)
            of_all = (one for bot in own for one in self._accounts.submissions(bot.name, limit))
            found = heapq.nlargest(limit, of_all, key=lambda one: one.id)
        return lobby_pb2.ListSubmissionsResponse(submissions=[self._told(one) for one in found])

    def get_log(self, caller: Caller, request: lobby_pb2.GetLogRequest) -> Iterator[lobby_pb2.GetLogResponse]:
        """Yield what one of the caller's hosted bots printed in a match."""
        bot = own_bot(self._accounts, caller, request.bot)
        paths = (self._packages.log(bot.name, one.version, request.match_id) for one in self._hosted(bot.name))
        path = next(filter(None, paths), None)
        if path is None:
            text = f"nothing is kept of what {bot.name} printed in match {quoted(request.match_id)}"
            raise ServiceError(StatusCode.NOT_FOUND, f"{text}; that is kept of bots that the server runs, for a time")
        with closing(path.open("rb")) as log:
            while data := log.read(CHUNK_BYTES):
                yield lobby_pb2.GetLogResponse(data=data)

    # -- details

    def _received(self, caller: Caller) -> Generator[None, lobby_pb2.SubmitRequest | None, SubmissionRecord]:
        """Take the requests, and what they bring."""
        request = yield
        if request is None or request.WhichOneof("part") != "header":
            text = "the first message should be the header, with size_bytes and sha256 of the package"
            raise ServiceError(StatusCode.INVALID_ARGUMENT, text)
        with self._packages.incoming() as folder:
            try:
                with closing(Spool(folder / "package.zip", request.header.size_bytes, request.header.sha256)) as spool:
                    while (request := (yield)) is not None:
                        if request.WhichOneof("part") != "chunk":
                            raise PackageError(["after the header only chunks should come"])
                        spool.add(request.chunk)
                    spool.end()
                return self._intake.take(spool.path, caller)
            except PackageError as error:
                raise refusal(error.problems, folder) from error
            except OSError as error:
                _log.error("package_not_kept", reason=str(error))
                text = (
                    f"the server cannot keep the package ({error.strerror}); tell whoever runs it, and try again later"
                )
                raise ServiceError(StatusCode.UNAVAILABLE, text) from error

    @contextmanager
    def _alone(self, owner: str) -> Iterator[None]:
        """Let one upload of an owner in. Raises ServiceError while another is on its way."""
        with self._lock:
            if owner in self._uploading:
                text = "a package of yours is coming in already; send one after the other"
                raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, text, retry_s=5)
            self._uploading.add(owner)
        try:
            yield
        finally:
            with self._lock:
                self._uploading.discard(owner)

    def _hosted(self, bot: str) -> list[VersionRecord]:
        return [one for one in self._accounts.versions(bot) if one.content_hash]

    def _told(self, record: SubmissionRecord) -> lobby_pb2.Submission:
        findings = self._examiner.so_far(record.id) if record.status in OPEN else record.findings
        return lobby_pb2.Submission(
            id=record.id,
            bot=record.bot,
            version=record.version,
            content_hash=record.content_hash,
            owner=record.owner,
            received_at=record.received_at,
            status=record.status,
            decided_at=record.decided_at,
            findings=[lobby_pb2.CheckFinding(**finding) for finding in json.loads(findings)],
        )
