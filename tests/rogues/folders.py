"""Folders of rogues and of the bots that repeat them, as somebody would submit them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from gavelport_engine.game import Json

HERE = Path(__file__).parent
MANIFEST = 'name = "{name}"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'


def rogue_folder(inside: Path, kind: str, name: str = "") -> Path:
    """Make the folder of a rogue of that kind and return it."""
    folder = _folder(inside, name or kind)
    shutil.copytree(HERE / "bots", folder / "bots", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "main.py").write_text(f'from bots.kinds import KINDS\n\nKINDS["{kind}"].make().main()\n')
    return folder


def control_folder(inside: Path, name: str, script: Sequence[Json | None]) -> Path:
    """Make the folder of a bot that plays a script of actions, the default where it says None, and return it."""
    folder = _folder(inside, name)
    shutil.copy(HERE / "control_bot.py", folder / "main.py")
    (folder / "script.json").write_text(json.dumps(script))
    return folder


def _folder(inside: Path, name: str) -> Path:
    folder = inside / name
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(MANIFEST.format(name=name))
    return folder
