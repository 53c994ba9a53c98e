"""What comes along with the package: sample bots, templates, tournaments, documents; in the checkout and installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

_INSTALLED = Path(__file__).parent / "data"
_CHECKOUT = Path(__file__).parents[2]


def sample_bots() -> list[Path]:
    """Return the folders of the sample bots, by name."""
    return sorted(manifest.parent for manifest in _folder("sample_bots").glob("*/bot.toml"))


def sample_bot(name: str) -> Path | None:
    """Return the folder of a sample bot, or None."""
    return next((folder for folder in sample_bots() if folder.name == name), None)


def node_modules() -> Path | None:
    """Return what Node bots need, as it is installed for a sample bot on Node; None where it is not."""
    return next((place for bot in sample_bots() if (place := bot / "node_modules").is_dir()), None)


def partners() -> list[str]:
    """Return the names of those sample bots that fill a table up, of all games, the first choice first."""
    names: list[str] = tomllib.loads((_folder("sample_bots") / "partners.toml").read_text("utf-8"))["partners"]
    return names


def ready_tournaments() -> list[Path]:
    """Return the TOML files of the ready tournaments, by name."""
    return sorted(_folder("tournaments").glob("*.toml"))


def ready_tournament(name: str) -> Path | None:
    """Return the TOML file of a ready tournament, or None."""
    return next((path for path in ready_tournaments() if path.stem == name), None)


def bot_templates() -> dict[str, dict[str, Path]]:
    """Return the templates of bots: game → language → folder."""
    found: dict[str, dict[str, Path]] = {}
    for manifest in sorted(_folder("bot_templates").glob("*/*/bot.toml")):
        found.setdefault(manifest.parents[1].name, {})[manifest.parent.name] = manifest.parent
    return found


def docs() -> Path:
    """Return the folder of the documents."""
    return _folder("docs")


def _folder(name: str) -> Path:
    installed = _INSTALLED / name
    return installed if installed.is_dir() else _CHECKOUT / name
