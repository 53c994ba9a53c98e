"""Folders of bad bots, as somebody would submit them."""

import shutil
from pathlib import Path

BAD_BOTS = Path(__file__).with_name("bad_bots.py")


def bad_bot(inside: Path, kind: str) -> Path:
    """Make the folder of a bad bot of that kind and return it."""
    folder = inside / kind
    folder.mkdir(parents=True)
    shutil.copy(BAD_BOTS, folder)
    (folder / "main.py").write_text(f'from bad_bots import KINDS\n\nKINDS["{kind}"]()\n')
    (folder / "bot.toml").write_text(
        f'name = "{kind}"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
    )
    return folder
