"""What comes along with the package: sample bots and ready tournaments, in the checkout and when installed."""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parent / "data"
_CHECKOUT = Path(__file__).parents[2]


def sample_bots() -> list[Path]:
    """Return the folders of the sample bots, by name."""
    return sorted(manifest.parent for manifest in _folder("sample_bots").glob("*/bot.toml"))


def sample_bot(name: str) -> Path | None:
    """Return the folder of a sample bot, or None."""
    return next((folder for folder in sample_bots() if folder.name == name), None)


def ready_tournaments() -> list[Path]:
    """Return the TOML files of the ready tournaments, by name."""
    return sorted(_folder("tournaments").glob("*.toml"))


def ready_tournament(name: str) -> Path | None:
    """Return the TOML file of a ready tournament, or None."""
    return next((path for path in ready_tournaments() if path.stem == name), None)


def _folder(name: str) -> Path:
    installed = _INSTALLED / name
    return installed if installed.is_dir() else _CHECKOUT / name
