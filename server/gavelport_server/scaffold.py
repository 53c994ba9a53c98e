"""A new bot's folder, made from a template (`bot_templates/<game>/<language>/`, each itself a bot called `my_bot`)."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from typing import TYPE_CHECKING

from gavelport_server import shipped

if TYPE_CHECKING:
    from pathlib import Path

PLACEHOLDER = "my_bot"
"""How the template's bot is called."""
NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
"""What a bot or an owner may be called."""
NAME_FORM = "1 to 40 lower-case letters, digits, _ or -, the first a letter"
"""The same, for people."""


class ScaffoldError(ValueError):
    """The bot cannot be made; the text says why and what to do."""


def make_bot(name: str, inside: Path, game: str, language: str) -> Path:
    """Make the folder of a new bot and return it. Raises ScaffoldError, leaving nothing behind."""
    if not NAME.fullmatch(name):
        raise ScaffoldError(
            f'"{name[:60]}" cannot be the name of a bot: '
            'use 1 to 40 lower-case letters, digits, "_" or "-", the first a letter'
        )
    if shipped.sample_bot(name) is not None:
        raise ScaffoldError(f'"{name}" is a sample bot; give another name, so that tables can tell them apart')
    template = _template(game, language)
    folder = inside / name
    try:
        folder.mkdir()
    except FileExistsError:
        raise ScaffoldError(f"{folder} is there already and was left as it is; give another name") from None
    except OSError as error:
        raise ScaffoldError(f"{folder} cannot be made: {error.strerror}") from error
    try:
        _fill(folder, template, name, language)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ScaffoldError(f"{folder} cannot be filled: {error.strerror}; nothing was kept") from error
    return folder


def _template(game: str, language: str) -> Path:
    templates = shipped.bot_templates()
    if game not in templates:
        raise ScaffoldError(f'there is no template for "{game}"; there are: {", ".join(templates)}')
    if language not in templates[game]:
        raise ScaffoldError(f"there is no template for {game} in {language}; there are: {', '.join(templates[game])}")
    return templates[game][language]


def _fill(folder: Path, template: Path, name: str, language: str) -> None:
    for path in sorted(template.iterdir()):
        if path.is_file():
            text = path.read_text("utf-8")
            (folder / path.name).write_text(re.sub(rf"\b{PLACEHOLDER}\b", name, text), "utf-8")
    if language == "node":  # whoever has no Python package needs the messages as they are
        protos = folder / "proto" / "gavelport" / "v1"
        protos.mkdir(parents=True)
        for proto in files("gavelport.v1").iterdir():
            if proto.name.endswith(".proto"):
                (protos / proto.name).write_bytes(proto.read_bytes())
