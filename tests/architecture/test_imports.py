"""The arrow between the rooms is a test, and the test is shown to catch what breaks it."""

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, room_modules

ENGINE = "engine/gavelport_engine/"
TRANSPORT = "server/gavelport_server/transport/"


def imported(source: str) -> Iterator[str]:
    """Yield the full name of every module, or name in a module, that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names)


def foreign_to_engine(source: str) -> list[str]:
    """Imports that are neither the engine's own nor the standard library's."""
    own = sys.stdlib_module_names | {"gavelport_engine", ""}  # "" is a relative import
    return [name for name in imported(source) if name.split(".")[0] not in own]


def generated_services(source: str) -> list[str]:
    """Imports of generated gRPC code."""
    return [name for name in imported(source) if any(part.endswith("_pb2_grpc") for part in name.split("."))]


def test_engine_imports_the_standard_library_only() -> None:
    found = {
        str(path): names
        for path in room_modules()
        if path.as_posix().startswith(ENGINE) and (names := foreign_to_engine((ROOT / path).read_text("utf-8")))
    }
    assert found == {}


def test_only_transport_imports_generated_services_in_the_server() -> None:
    found = {
        str(path): names
        for path in room_modules()
        if path.as_posix().startswith("server/")
        and not path.as_posix().startswith(TRANSPORT)
        and (names := generated_services((ROOT / path).read_text("utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "foreign"),
    [
        ("import numpy", ["numpy"]),
        ("def f():\n    from gavelport.v1 import referee_pb2", ["gavelport.v1.referee_pb2"]),
        ("import math, gavelport_server.main", ["gavelport_server.main"]),
        ("from collections import abc\nfrom gavelport_engine.rng import Stream", []),
        ("from .goods import Colour\nfrom . import table", []),
    ],
)
def test_a_foreign_import_in_the_engine_is_caught(source: str, foreign: list[str]) -> None:
    assert foreign_to_engine(source) == foreign


@pytest.mark.parametrize(
    ("source", "services"),
    [
        ("from gavelport.v1 import referee_pb2_grpc", ["gavelport.v1.referee_pb2_grpc"]),
        ("import gavelport.v1.referee_pb2_grpc as g", ["gavelport.v1.referee_pb2_grpc"]),
        ("from gavelport.v1.a_pb2_grpc import AStub", ["gavelport.v1.a_pb2_grpc.AStub"]),
        ("from gavelport.v1 import referee_pb2", []),
    ],
)
def test_a_generated_service_is_caught(source: str, services: list[str]) -> None:
    assert generated_services(source) == services


# A module that breaks a contract of pyproject.toml, and what it imports.
PLANTED = {
    "engine/gavelport_engine/planted.py": "gavelport_codecs",
    "proto/gavelport/planted.py": "gavelport_engine",
    "proto/gavelport_codecs/planted.py": "gavelport_sdk",
    "sdk/gavelport_sdk/planted.py": "gavelport_server",
    "server/gavelport_server/planted.py": "gavelport_sdk",
    "server/gavelport_server/referee/planted.py": "gavelport_server.storage",
    "server/gavelport_server/referee/planted_codec.py": "gavelport_codecs",
    "server/gavelport_server/pairing/planted.py": "sqlalchemy",
    "server/gavelport_server/ratings/planted.py": "trio",
    "server/gavelport_server/storage/planted.py": "grpc",
}


def test_import_contracts_catch_planted_faults(tmp_path: Path) -> None:
    paths = [tmp_path / room for room in ("proto", "engine", "sdk", "server")]
    for path in paths:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / path.name, path, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, module in PLANTED.items():
        (tmp_path / name).write_text(f"import {module}\n", "utf-8")

    run = subprocess.run(
        [Path(sysconfig.get_path("scripts"), "lint-imports"), "--no-cache", "--no-logo"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 1, run.stdout + run.stderr
    assert "0 kept" in run.stdout
    said = {line.strip("- ").partition(" (l.")[0] for line in run.stdout.splitlines()}
    for name, module in PLANTED.items():
        planted = ".".join(Path(name).with_suffix("").parts[1:])
        assert f"{planted} -> {module}" in said
