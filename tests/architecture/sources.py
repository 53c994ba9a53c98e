"""The files of this checkout, as the tests of its architecture read them."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("engine", "proto/gavelport_codecs", "sdk", "server")


def project_files() -> list[Path]:
    """Files under version control, and new ones that are not ignored, relative to the root."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files are the project's own cannot be told")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = {Path(name) for name in listed.split("\0") if name}
    return sorted(name for name in names if (ROOT / name).is_file())


def room_modules() -> list[Path]:
    """Python files of the rooms that are packages, relative to the root."""
    return [
        path
        for path in project_files()
        if path.suffix == ".py" and path.as_posix().startswith(tuple(f"{r}/" for r in ROOMS))
    ]
