"""`bot.toml`: what a bot's folder says about the bot (design 3).

    name = "random_legal"
    version = "1"
    language = "python"        # or "node"
    entry = "main.py"          # what is started, in the folder
    games = ["container"]      # or "container@1"

Nothing else may stand in it. All that is wrong is said at once.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from gavelport_engine.registry import GAMES
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic_core import ErrorDetails

FILE = "bot.toml"
Language: TypeAlias = Literal["python", "node"]

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SHOWN = 80
_LEFT_OUT = frozenset({"node_modules", "__pycache__"})


class ManifestError(ValueError):
    """A bot's folder that cannot be played; `problems` says for each fault the file, the key and what to do."""

    def __init__(self, problems: list[str]) -> None:
        """Keep all problems, so that they can be mended at once."""
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class BotManifest:
    """A bot as its folder describes it."""

    name: str
    version: str
    language: Language
    entry: str
    """Relative to the folder."""
    games: tuple[str, ...]
    folder: Path
    """Absolute."""
    content_hash: str
    """SHA-256 of the folder's files, hex."""


def _word(value: str) -> str:
    if not _WORD.fullmatch(value):
        raise ValueError("use 1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit")
    return value


def _game(value: str) -> str:
    name, at, version = value.partition("@")
    game = GAMES.get(name)
    if game is None or (at and version != str(game.version)):
        known = ", ".join(f'"{each.name}" (or "{each.id}")' for each in GAMES.values())
        raise ValueError(f"{value!r} is not played here; use {known}")
    return value


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, AfterValidator(_word)]
    version: Annotated[str, AfterValidator(_word)]
    language: Language
    entry: str = Field(min_length=1)
    games: list[Annotated[str, AfterValidator(_game)]] = Field(min_length=1)


_REMEDIES = {
    "name": 'write e.g. name = "my_bot"',
    "version": 'write e.g. version = "1"',
    "language": 'write language = "python" or language = "node"',
    "entry": 'write e.g. entry = "main.py"',
    "games": f'write e.g. games = ["{min(GAMES)}"]',
}


def read_manifest(folder: Path) -> BotManifest:
    """Return what a bot's folder says.

    Raises:
        ManifestError: the folder, its bot.toml or the entry is missing or wrong; every problem is listed.
    """
    folder = folder.resolve()
    path = folder / FILE
    if not folder.is_dir():
        raise ManifestError([f"{folder}: is no folder; name the folder that has the bot's {FILE}"])
    try:
        keys = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        example = "; ".join(remedy.removeprefix("write ").removeprefix("e.g. ") for remedy in _REMEDIES.values())
        raise ManifestError([f"{path}: is missing; make it with: {example}"]) from None
    except (OSError, ValueError, RecursionError) as error:  # also of numbers, or of brackets, beyond all measure
        remedy = 'write a line for each key, such as version = "1"'
        if isinstance(error, OSError):
            remedy = "let it be a file that can be read"
        elif isinstance(error, UnicodeDecodeError):
            remedy = "save it as UTF-8"
        raise ManifestError([f"{path}: cannot be read as TOML in UTF-8: {error}; {remedy}"]) from None
    problems: list[str] = []
    file = None
    try:
        file = _File.model_validate(keys)
    except ValidationError as error:
        problems += [_problem(path, detail) for detail in error.errors()]
    entry = keys.get("entry")
    if isinstance(entry, str) and entry and (problem := _entry_problem(folder, entry)):
        problems.append(f"{path}: entry: {problem}")
    if problems or file is None:
        raise ManifestError(problems)
    try:
        digest = content_hash(folder)
    except OSError as error:
        raise ManifestError([f"{folder}: {error}; every file of the bot must be readable"]) from None
    return BotManifest(file.name, file.version, file.language, file.entry, tuple(file.games), folder, digest)


def _problem(path: Path, detail: ErrorDetails) -> str:
    place = ".".join(str(part) for part in detail["loc"])
    key = str(detail["loc"][0])
    if detail["type"] == "extra_forbidden":
        return f"{path}: {place}: unknown key; take it out (there are: {', '.join(_REMEDIES)})"
    if detail["type"] == "value_error":
        return f"{path}: {place}: {detail['ctx']['error']}"
    if detail["type"] == "missing":
        return f"{path}: {place}: is missing; {_REMEDIES[key]}"
    return f"{path}: {place}: {detail['msg']}, not {_shown(detail['input'])}; {_REMEDIES[key]}"


def _shown(value: object) -> str:
    """Return a value as it is told: a long one is cut, and a number of more digits than can be written is named."""
    try:
        text = repr(value)
    except ValueError:
        return "such a number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _entry_problem(folder: Path, entry: str) -> str:
    try:
        path = (folder / entry).resolve()
        is_file = path.is_file()
    except (OSError, ValueError):  # longer than a path may be, or with a NUL
        return f"{_shown(entry)} can be no path; name the file that is started"
    if not path.is_relative_to(folder):
        return f"{entry!r} is outside the bot's folder; name a file in it"
    if not is_file:
        return f"there is no file {entry!r} in the bot's folder; name the file that is started"
    return ""


def content_hash(folder: Path) -> str:
    """Return the SHA-256, hex, over the relative paths and contents of the folder's files, sorted by path.

    `node_modules`, `__pycache__` and whatever is hidden are left out: they are made, not written. Lengths go in before
    paths and contents, so that no two folders that differ read the same.
    """
    digest = hashlib.sha256()
    files = {path.relative_to(folder).as_posix(): path for path in bot_files(folder)}
    for name in sorted(files):
        for part in (name.encode(), files[name].read_bytes()):
            digest.update(len(part).to_bytes(8))
            digest.update(part)
    return digest.hexdigest()


def bot_files(folder: Path) -> Iterator[Path]:
    """Yield the files that make up a bot: those that its content hash runs over."""
    for path in folder.iterdir():
        if path.name in _LEFT_OUT or path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():  # a link to a folder could lead round in circles
                yield from bot_files(path)
        elif path.is_file():
            yield path
