"""A launcher for the tests that need one: root, and bubblewrap."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from gavelport_server.launcher.client import Launcher, LauncherProcess, attached
from gavelport_server.launcher.main import sweep

MUST = "GAVELPORT_MUST_SANDBOX"
"""Set where these tests may not be left out, as in CI."""


@pytest.fixture
def run_dir() -> Iterator[Path]:
    """A folder that every user of the machine can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="gavelport-run-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def launcher_process(run_dir: Path) -> Iterator[LauncherProcess]:
    require_sandbox()
    process = LauncherProcess(run_dir=run_dir)
    yield process
    process.close()
    sweep(run_dir)  # of a launcher that the test has killed


@pytest.fixture
async def launcher(launcher_process: LauncherProcess) -> AsyncIterator[Launcher]:
    async with attached(launcher_process) as made:
        yield made


def require_sandbox() -> None:
    """Leave the test out, with a reason, where no sandbox can be made; fail where it may not be left out."""
    missing = [] if os.geteuid() == 0 else ["root"]
    missing += [] if shutil.which("bwrap") else ["bubblewrap"]
    if missing:
        assert not os.environ.get(MUST), f"{MUST} is set, and there is no {', no '.join(missing)}"
        pytest.skip(f"the sandbox needs {' and '.join(missing)}")
