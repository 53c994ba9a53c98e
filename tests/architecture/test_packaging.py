"""The wheel carries the packages, the contract and the data, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

PACKAGES = {
    "gavelport",
    "gavelport_codecs",
    "gavelport_engine",
    "gavelport_sdk",
    "gavelport_server",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with what this environment has, so without network."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(ROOT)], check=True)
    (path,) = folder.glob("gavelport-*.whl")
    return path


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_top_level_holds_the_packages_and_metadata(names: set[str]) -> None:
    top = {name.split("/")[0] for name in names}
    metadata = {name for name in top if name.endswith(".dist-info")}
    assert len(metadata) == 1
    assert top - metadata == PACKAGES


def test_every_package_is_typed(names: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= names


def test_contract_and_generated_code_are_inside(names: set[str]) -> None:
    protos = {path.relative_to(ROOT / "proto") for path in ROOT.glob("proto/**/*.proto")}
    assert protos
    for proto in protos:
        stem = proto.with_suffix("").as_posix()
        endings = (".proto", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")
        assert {stem + ending for ending in endings} <= names


def test_a_game_s_figures_are_inside(names: set[str]) -> None:
    files = [path.relative_to(ROOT / "engine").as_posix() for path in ROOT.glob("engine/**/*.toml")]
    assert files
    assert set(files) <= names


@pytest.mark.parametrize("folder", ["bot_templates", "sample_bots", "tournaments"])
def test_data_are_inside_as_in_the_checkout(names: set[str], folder: str) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    here = {name for name in listed.split("\0") if name}
    prefix = "gavelport_server/data/"
    assert here
    assert {n.removeprefix(prefix) for n in names if n.startswith(prefix + folder)} == here


def test_nothing_that_was_installed_or_left_is_inside(names: set[str]) -> None:
    assert [n for n in names if "node_modules" in n or "__pycache__" in n or "tests/" in n] == []


def test_a_plain_install_is_what_a_bot_needs(wheel: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*pip, str(tmp_path), str(wheel)], check=True)
    code = (
        "import sys, gavelport_sdk, gavelport_engine, gavelport_codecs\n"
        f"assert gavelport_sdk.__file__.startswith({str(tmp_path)!r}), gavelport_sdk.__file__\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    server_only = "alembic click numpy pydantic rich sqlalchemy structlog trio zstandard"
    assert set(server_only.split()) & set(run.stdout.split()) == set()
