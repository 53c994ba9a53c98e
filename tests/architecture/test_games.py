"""No game is known by name outside its own places: what all games share asks the interface, or the registries.

Docstrings and comments may take a game as their example; code may not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from gavelport_engine.registry import GAMES

from tests.architecture.sources import ROOT, project_files

OWN = (
    "engine/gavelport_engine/{game}/",
    "proto/gavelport_codecs/{game}/",
    "proto/gavelport/v1/{game}.proto",
    "sdk/gavelport_sdk/{game}.py",
    "server/gavelport_server/pages/tables/{game}.py",
)
"""A game's own places. They import nothing of another, whose name may be a word of theirs: goods go in containers."""

ALLOWED = {
    "engine/gavelport_engine/registry.py": "the games there are",
    "proto/gavelport_codecs/registry.py": "their codecs",
    "server/gavelport_server/pages/tables/__init__.py": "their tables in the viewer",
    "sample_bots/": "each bot plays the games that it names",
    "tournaments/": "each tournament is of one game",
}
"""Further places that name games, and why."""

ONEOF_LINE = re.compile(r'import "gavelport/v1/(\w+)\.proto";|  +[A-Z]\w+ (\w+) = \d+;')
ENVELOPES = "proto/gavelport/v1/game.proto"
READ = {".py", ".proto", ".toml"}
ROOMS = ("engine/", "proto/", "sdk/", "server/", "hatch_build.py", "pyproject.toml")


def words_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every name and string in Python code; docstrings are left out."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant):
            if id(node) not in docstrings and isinstance(node.value, str):
                yield line, node.value
            continue
        for name in ("id", "attr", "arg", "name", "asname", "module"):
            if isinstance(text := getattr(node, name, None), str):
                yield line, text


def imports_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything that Python code imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def lines_of(path: str, content: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines of a file in another language, without comments and the lines of `oneof`s."""
    for number, line in enumerate(content.splitlines(), 1):
        if not (path == ENVELOPES and ONEOF_LINE.fullmatch(line)):
            yield number, re.sub("(//|#).*", "", line)


def named(path: str, content: str, games: set[str]) -> list[str]:
    """Return where a file of a room names a game that it may not know, or imports something of it."""
    if path.startswith(tuple(ALLOWED)):
        return []
    owners = {game for game in games if path.startswith(tuple(own.format(game=game) for own in OWN))}
    if path.endswith(".py"):
        words = imports_of(content) if owners else words_of(content)
    else:
        words = iter(()) if owners else lines_of(path, content)
    foreign = sorted(games - owners)
    return [f"{path}:{line}: {game}" for line, word in words for game in foreign if game in word.lower()]


def found(root: Path, paths: list[Path]) -> list[str]:
    """Return where files of the rooms name a game that they may not know."""
    return [
        place
        for path in paths
        if path.suffix in READ and path.as_posix().startswith(ROOMS)
        for place in named(path.as_posix(), (root / path).read_text("utf-8"), set(GAMES))
    ]


def test_no_game_is_named_outside_its_places() -> None:
    assert found(ROOT, project_files()) == []


def test_every_allowed_place_is_there() -> None:
    """A place that is gone must leave the list."""
    assert [place for place in ALLOWED if not (ROOT / place).exists()] == []
    for game in GAMES:
        assert [own for own in OWN if not (ROOT / own.format(game=game)).exists()] == []


@pytest.mark.parametrize(
    ("path", "content", "lines"),
    [
        ("server/gavelport_server/a.py", "from gavelport_engine.container.rules import X", [1]),
        ("server/gavelport_server/a.py", "import gavelport_engine.shipping.table as t", [1]),
        ("server/gavelport_server/a.py", 'x = 1\nif name == "container":\n    y = 2', [2]),
        ("server/gavelport_server/a.py", 'text = f"{x} shipping@{v}"', [1]),
        ("server/gavelport_server/a.py", "def show(container_words): ...", [1]),
        ("server/gavelport_server/a.py", "x.container.seats", [1]),
        ("server/gavelport_server/a.py", "call(container=1)", [1]),
        ("server/gavelport_server/a.py", "class ShippingWords: ...", [1]),
        ("server/gavelport_server/a.py", '"""Of `container@1`."""\nx = 1  # container', []),
        ("server/gavelport_server/a.py", 'class A:\n    b: int\n    """Like container."""', []),
        ("engine/gavelport_engine/container/a.py", "from gavelport_engine.container.b import c", []),
        ("engine/gavelport_engine/container/a.py", "from gavelport_engine.shipping.b import c", [1]),
        ("engine/gavelport_engine/registry.py", "from gavelport_engine.shipping.b import c", []),
        ("sdk/gavelport_sdk/container.py", "from gavelport_engine.container.b import c", []),
        ("sdk/gavelport_sdk/testing.py", 'def play(game="container"): ...', [1]),
        (ENVELOPES, 'import "gavelport/v1/container.proto";\n    ContainerDeal container = 1;\n', []),
        (ENVELOPES, "message X {\n  // as in container\n  repeated ContainerDeal deals = 1;\n}", [3]),
        ("proto/gavelport/v1/referee.proto", "message X {\n  ContainerDeal container = 1; // x\n}", [2]),
        ("pyproject.toml", 'a = 1 # container\nb = "shipping"', [2]),
    ],
)
def test_a_planted_name_is_caught(path: str, content: str, lines: list[int]) -> None:
    caught = named(path, content, {"container", "shipping"})
    assert [int(place.split(":")[1]) for place in caught] == lines
