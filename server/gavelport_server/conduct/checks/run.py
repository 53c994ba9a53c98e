"""`gavelport check`: everything that a server looks at before it takes a bot, in order (design 12)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gavelport_engine.registry import GAMES

from gavelport_server.conduct.checks.examination import Examination
from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.conduct.checks.footprint import files_of
from gavelport_server.conduct.checks.sparring import Sparring
from gavelport_server.conduct.checks.tamper import Tamperer
from gavelport_server.conduct.entrants import missing_here
from gavelport_server.conduct.local import local_table
from gavelport_server.conduct.manifest import FILE, ManifestError, read_manifest
from gavelport_server.referee.report import ClockSetting
from gavelport_server.scaffold import NAME, NAME_FORM

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from gavelport_engine.game import AnyGame

    from gavelport_server.conduct.hub import Hub
    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.launcher.client import Launcher
    from gavelport_server.launcher.limits import Confinement

    Tell = Callable[[Finding], None]

MOST_FILES = 1_000
MOST_MIB = 20
CLOCK = ClockSetting(allowance_ms=0)
"""As in the ready tournaments."""


async def check_bot(
    folder: Path,
    logs: Path,
    tell: Tell,
    clock: ClockSetting = CLOCK,
    launcher: Launcher | None = None,
    limits: Confinement | None = None,
) -> None:
    """Check a bot's folder and tell each finding as it is made. What the bots print goes to `logs`.

    With a launcher all bots run in sandboxes, of these limits or the usual ones.

    Raises MatchVoid and NoSandboxError for a fault of the server, SparringError and EntrantsError where sample bots do
    not do their part.
    """
    try:
        manifest = read_manifest(folder)
    except ManifestError as error:
        for problem in error.problems:
            where, _, what = problem.partition(": ")
            what, _, remedy = what.partition("; ")
            tell(Finding("manifest", Verdict.FAILED, what, where, remedy))
        return
    games = list(dict.fromkeys(game.partition("@")[0] for game in manifest.games))
    tell(_manifest(manifest, games))
    tell(check_files(manifest))
    # In a sandbox it is not this machine that has to have what the bot needs: its start will tell.
    if launcher is None and (missing := missing_here(manifest)):
        what, _, remedy = missing.partition("; ")
        tell(Finding("start-up", Verdict.FAILED, what, manifest.entry, remedy or "install Node.js"))
        return
    for name in games:
        told = tell if len(games) == 1 else partial(_tell_of, name, tell)
        await _examine(manifest, GAMES[name], logs, told, clock, launcher, limits)


def _manifest(manifest: BotManifest, games: Sequence[str]) -> Finding:
    told = f"{manifest.name} {manifest.version}, {manifest.language}, {', '.join(games)}"
    if NAME.fullmatch(manifest.name):
        return Finding("manifest", Verdict.PASSED, told)
    return Finding(
        "manifest",
        Verdict.WARNING,
        f"{told}: no server takes this name for a ladder",
        f"{manifest.folder / FILE}: name",
        f"use {NAME_FORM}",
    )


def check_files(manifest: BotManifest) -> Finding:
    """Return whether the folder could be sent to a server: its size, its number of files, no links out of it."""
    files = files_of(manifest.folder)
    mib = files.size_bytes / 2**20
    what = f"{files.count} {'file' if files.count == 1 else 'files'}, {files.size_bytes / 1024:,.0f} KiB"
    if files.links_outside:
        where = f"{manifest.folder}: {', '.join(files.links_outside[:3])}"
        return Finding("files", Verdict.FAILED, "links lead out of the folder", where, "put copies there instead")
    if files.count > MOST_FILES or mib > MOST_MIB:
        return Finding(
            "files",
            Verdict.FAILED,
            f"{what}; a server takes {MOST_FILES:,} files and {MOST_MIB} MiB",
            f"{manifest.folder}: most is {files.largest}, {files.largest_bytes / 2**20:,.1f} MiB",
            "leave out what the bot does not need to play: environments, data to train on, builds",
        )
    return Finding("files", Verdict.PASSED, what)


def _tell_of(game: str, tell: Tell, finding: Finding) -> None:
    """Tell a finding of a bot that plays several games."""
    tell(replace(finding, what=f"{game}: {finding.what}"))


async def _examine(
    manifest: BotManifest,
    game: AnyGame,
    logs: Path,
    tell: Tell,
    clock: ClockSetting,
    launcher: Launcher | None,
    limits: Confinement | None,
) -> None:
    tamperers: list[Tamperer] = []

    def listen(hub: Hub) -> Tamperer:
        tamperers.append(Tamperer(hub))
        return tamperers[0]

    async with local_table(logs, listen, launcher, limits) as table:
        bot = Examination(Sparring(manifest, game, clock, table, tamperers[0]))
        needed: tuple[Callable[[], Awaitable[Finding]], ...] = (bot.starts, bot.plays)
        for check in needed:
            finding = await check()
            tell(finding)
            if finding.verdict is Verdict.FAILED:
                tell(Finding("all else", Verdict.LEFT_OUT, f"comes after {finding.check}; mend that first"))
                return
        for later in (
            bot.plays_again,
            bot.ends_with_session,
            bot.is_deterministic,
            bot.takes_refusals,
            bot.reconnects,
            bot.takes_repeats,
            bot.takes_strange_messages,
            bot.stops,
        ):
            tell(await later())
        tell(bot.is_fast())
        tell(bot.is_small())
