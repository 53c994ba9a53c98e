"""Submissions examined in the sandbox, one after the other, and admitted or refused (design 9).

Owners take turns: whoever submits ten bots at once keeps nobody else waiting for more than one of them.
The examination is that of `gavelport check`. A server that ends meanwhile takes it up anew at its next start; a fault
of the server's own refuses nobody, until it has come a few times.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import structlog
import trio

from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.conduct.checks.run import check_bot
from gavelport_server.conduct.checks.sparring import SparringError
from gavelport_server.conduct.entrants import EntrantsError
from gavelport_server.conduct.match import MatchVoid
from gavelport_server.conduct.process import NoSandboxError
from gavelport_server.conduct.results import bounded
from gavelport_server.lobby.own import now_text
from gavelport_server.lobby.package import PackageError
from gavelport_server.storage.errors import FencedError, StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from gavelport_server.launcher.client import Launcher
    from gavelport_server.launcher.limits import Confinement
    from gavelport_server.lobby.intake import Accounts
    from gavelport_server.lobby.packages import Packages
    from gavelport_server.storage.submissions import SubmissionRecord

    Check = Callable[..., Awaitable[None]]


LIMIT_S = 180.0
"""Of one examination; it takes some 20 s where nothing else goes on."""
PAUSE_S = 10.0
"""After a fault of the server's own."""
LOOK_S = 0.2
MOST_FAULTS = 3
_blocking = trio.to_thread.run_sync
_log = structlog.get_logger(__name__)


class ServerFault(Exception):  # noqa: N818  not an error of whoever submitted
    """The examination came to nothing, through no fault of the bot."""


class Examiner:
    """Examines what was submitted. `run` is a task of trio; `wake` is called in its thread."""

    def __init__(
        self,
        accounts: Accounts,
        packages: Packages,
        logs: Path,
        admitted: Callable[[], Awaitable[None]],
        *,
        check: Check = check_bot,
    ) -> None:
        """Take where submissions and packages are kept.

        Args:
            accounts: whose open submissions are examined.
            packages: their files.
            logs: a folder for what bots print meanwhile; it is removed behind each examination.
            admitted: is called when there is a new version.
            check: the examination, called as `check_bot`.
        """
        self._accounts = accounts
        self._packages = packages
        self._logs = logs
        self._admitted = admitted
        self._check = check
        self._woken = trio.Event()
        self._faults: Counter[int] = Counter()
        self._under_way: tuple[int, list[Finding]] = (0, [])
        self._turn = 0
        self._last_turns: dict[str, int] = {}
        """Of owners who have had one."""

    def so_far(self, number: int) -> str:
        """Return what was found so far of the submission that is being examined, as JSON; of any other nothing."""
        under_way, findings = self._under_way
        return as_json(findings) if number == under_way else "[]"

    def wake(self) -> None:
        """Look for new submissions."""
        self._woken.set()

    async def run(self, launcher: Launcher, limits: Confinement | None = None) -> None:
        """Examine in its sandboxes, of these limits or the usual ones, until cancelled."""
        self._check = partial(self._check, launcher=launcher, limits=limits)
        while True:
            self._woken = trio.Event()
            try:
                while waiting := await _blocking(self._accounts.open_submissions):
                    record = self._next(waiting)
                    while launcher.is_lost:  # noqa: ASYNC110  nothing tells of another
                        await trio.sleep(PAUSE_S)
                    await self._examine(record, launcher)
            except FencedError:
                raise
            except (StoreError, ServerFault, OSError) as error:
                _log.error("examination_failed", reason=str(error))
                await trio.sleep(PAUSE_S)
            else:
                await self._woken.wait()

    def _next(self, waiting: Sequence[SubmissionRecord]) -> SubmissionRecord:
        """Return the oldest submission of the owner whose last turn is longest ago."""
        chosen = min(waiting, key=lambda one: (self._last_turns.get(one.owner, 0), one.id))
        self._turn += 1
        self._last_turns[chosen.owner] = self._turn
        return chosen

    async def _examine(self, record: SubmissionRecord, launcher: Launcher) -> None:
        await _blocking(self._accounts.check_submission, record.id)
        findings: list[Finding] = []
        self._under_way = record.id, findings
        logs = self._logs / str(record.id)
        try:
            folder = await _blocking(self._packages.folder, record.content_hash)
            await self._found(folder, logs, findings, launcher)
        except (PackageError, FileNotFoundError):
            findings.append(_failure("package", "is not on the server any more, or is damaged", "submit it again"))
        except ServerFault as fault:
            self._faults[record.id] += 1
            if self._faults[record.id] < MOST_FAULTS:
                raise
            what = f"could not be examined, {MOST_FAULTS} times: {fault}"
            findings.append(_failure("examination", what, "this is the server's fault; submit it again later"))
        finally:
            await _blocking(partial(shutil.rmtree, logs, ignore_errors=True))
        await self._decide(record, findings)
        self._under_way = (0, [])

    async def _found(self, folder: Path, logs: Path, findings: list[Finding], launcher: Launcher) -> None:
        """Add what is found. Raises ServerFault."""
        await trio.Path(logs).mkdir(parents=True, exist_ok=True)

        def tell(finding: Finding) -> None:
            findings.append(_kept(finding, folder))

        failure: Exception | None = None
        with trio.move_on_after(LIMIT_S) as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_end_with, launcher, nursery.cancel_scope)
                try:
                    await self._check(folder, logs, tell)
                except Exception as error:  # noqa: BLE001  looked at below, out of the nursery, which would wrap it
                    failure = error
                nursery.cancel_scope.cancel()
        if launcher.is_lost:
            raise ServerFault("the launcher of the sandboxes is gone")
        if isinstance(failure, SparringError | EntrantsError | MatchVoid | NoSandboxError):
            raise ServerFault(str(failure)) from failure
        if isinstance(failure, StoreError | OSError):
            raise failure
        if failure is not None:  # a fault in the examination itself shall cost one submission at most, and no server
            _log.error("examination_broke", exc_info=failure)
            raise ServerFault(f"{type(failure).__name__}: {failure}") from failure
        if scope.cancelled_caught:
            what = f"was not over after {LIMIT_S:.0f} s"
            remedy = "answer faster: it plays about ten matches, and each process ends in time"
            findings.append(_failure("examination", what, remedy))

    async def _decide(self, record: SubmissionRecord, findings: list[Finding]) -> None:
        for version in await _blocking(self._accounts.versions, record.bot):
            if version.version == record.version and version.content_hash != record.content_hash:
                what = f"{record.version} has come in from elsewhere meanwhile, and a version does not change"
                findings.append(_failure("version", what, "raise version in bot.toml"))
        passed = not any(finding.verdict is Verdict.FAILED for finding in findings)
        decide = self._accounts.admit_submission if passed else self._accounts.refuse_submission
        await _blocking(decide, record.id, as_json(findings), now_text())
        _log.info("submission_decided", bot=record.bot, version=record.version, end="admitted" if passed else "refused")
        if passed:
            await self._admitted()
        else:
            await _blocking(self._packages.remove, record.content_hash)


async def _end_with(launcher: Launcher, scope: trio.CancelScope) -> None:
    """Cancel what goes on once the launcher is gone: what comes of it then says nothing of the bot."""
    while not launcher.is_lost:  # noqa: ASYNC110  nothing tells of it
        await trio.sleep(LOOK_S)
    scope.cancel()


def as_json(findings: list[Finding]) -> str:
    """Return findings as they are kept."""
    return json.dumps([asdict(finding) for finding in findings], ensure_ascii=False)


def _failure(check: str, what: str, remedy: str) -> Finding:
    return Finding(check, Verdict.FAILED, what, "", remedy)


def _kept(finding: Finding, folder: Path) -> Finding:
    """Return a finding as it is kept: its paths are those of the bot's folder, and what the bot printed is bounded."""
    at = str(folder.resolve())
    texts = (text.replace(f"{at}/", "").replace(at, "the folder") for text in (finding.what, finding.where))
    what, where = (bounded(text) for text in texts)
    printed = tuple(bounded(line.expandtabs(4)) for line in finding.printed)
    return Finding(finding.check, finding.verdict, what, where, finding.remedy, printed)
