"""Folders of rogues, as somebody would submit them."""

import shutil
from pathlib import Path

ROGUE = Path(__file__).with_name("rogue.py")


def rogue_folder(inside: Path, kind: str) -> Path:
    """Make the folder of a rogue of that kind and return it."""
    folder = inside / kind
    folder.mkdir(parents=True)
    shutil.copy(ROGUE, folder / "rogue.py")
    (folder / "main.py").write_text(f'from rogue import KINDS\n\nKINDS["{kind}"]().play()\n')
    (folder / "bot.toml").write_text(
        f'name = "{kind}"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
    )
    return folder
