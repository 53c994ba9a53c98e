"""The sample bots as classes, for matches in process."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gavelport_sdk import Bot
from gavelport_server.conduct.manifest import read_manifest

if TYPE_CHECKING:
    from gavelport_server.conduct.manifest import BotManifest

SAMPLE_BOTS = Path(__file__).parents[2] / "sample_bots"
FOLDERS = sorted(path.parent for path in SAMPLE_BOTS.glob("*/bot.toml"))


def manifests(language: str, game: str) -> list[BotManifest]:
    """Return the manifests of the sample bots in one language that play a game."""
    read = map(read_manifest, FOLDERS)
    return [manifest for manifest in read if manifest.language == language and game in manifest.games]


def bot_class(name: str) -> type[Bot]:
    """Return the one bot that a Python bot's main file defines. The file is loaded as a module, so it does not run."""
    manifest = read_manifest(SAMPLE_BOTS / name)
    module_name = f"sample_bot_{name}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, manifest.folder / manifest.entry)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(manifest.folder))  # so that it finds its own modules, as in a process of its own
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(manifest.folder))
            for own in manifest.folder.glob("*.py"):
                sys.modules.pop(own.stem, None)  # another bot's module may have the same name
        sys.modules[module_name] = module
    defined = vars(sys.modules[module_name]).values()
    (found,) = [
        each for each in defined if isinstance(each, type) and issubclass(each, Bot) and each.__module__ == module_name
    ]
    return found
