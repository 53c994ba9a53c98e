"""Who plays in a tournament: folders read, those that cannot play here left out or refused."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_server import shipped
from gavelport_server.conduct.manifest import ManifestError, read_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.config import Settings


class EntrantsError(ValueError):
    """Folders that cannot be entered; `problems` lists what is wrong with each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Field:
    """The bots that play, and what is to be said about those that do not."""

    bots: tuple[BotManifest, ...]
    notices: tuple[str, ...]
    first_added: BotManifest | None
    """The first that the command line added: a gauntlet's challenger."""


def gather(settings: Settings, added: Sequence[Path]) -> Field:
    """Return the entrants: those that the settings name, else all sample bots of the game; and those added.

    A sample bot that nobody asked for by name, and that cannot run here or be read, is left out with a notice. Raises
    EntrantsError with every problem of all other folders.
    """
    bots: list[BotManifest] = []
    notices: list[str] = []
    problems: list[str] = []
    asked = [*(settings.bots or ()), *added]
    if settings.bots is None:
        for folder in shipped.sample_bots():
            try:
                bot = read_manifest(folder)
            except ManifestError as error:
                notices.append(f"{folder.name} is left out: {'; '.join(error.problems)}")
                continue
            if not _plays(bot, settings):
                continue
            if missing := missing_here(bot):
                notices.append(f"{bot.name} is left out: {missing}")
            else:
                bots.append(bot)
    for folder in asked:
        try:
            bot = read_manifest(folder)
        except ManifestError as error:
            problems += error.problems
            continue
        if not _plays(bot, settings):
            games = ", ".join(bot.games)
            problems.append(f"{bot.folder}: {bot.name} does not play {settings.game.id}: it plays {games}")
        elif missing := missing_here(bot):
            problems.append(f"{bot.folder}: {bot.name} cannot run: {missing}")
        elif bot.folder not in {other.folder for other in bots}:  # named twice is entered once
            bots.append(bot)
    if problems:
        raise EntrantsError(problems)
    first_added = next((bot for bot in bots if added and bot.folder == read_manifest(added[0]).folder), None)
    return Field(tuple(bots), tuple(notices), first_added)


def _plays(bot: BotManifest, settings: Settings) -> bool:
    return not {settings.game.name, settings.game.id}.isdisjoint(bot.games)


def missing_here(bot: BotManifest) -> str | None:
    """Return what the bot's language needs and is not there, with the remedy; None where nothing is missing."""
    if bot.language != "node":
        return None
    if shutil.which("node") is None:
        return "it runs on Node, and there is no `node` on PATH"
    if (bot.folder / "package.json").exists() and not (bot.folder / "node_modules").is_dir():
        return f"its packages are not installed; run `npm install` in {bot.folder} (or `make env` in a checkout)"
    return None
