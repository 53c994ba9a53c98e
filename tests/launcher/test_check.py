"""`check` in the sandbox: what a submitted bot has to pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from gavelport_server import shipped
from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.conduct.checks.run import check_bot
from gavelport_server.launcher.client import LauncherProcess, attached
from gavelport_server.scaffold import make_bot
from gavelport_server.transport import home

from tests.launcher.conftest import require_sandbox


def checked(folder: Path, logs: Path, run_dir: Path) -> dict[str, Finding]:
    process = LauncherProcess(shipped.node_modules(), run_dir=run_dir)
    found: dict[str, Finding] = {}

    async def check() -> None:
        async with attached(process) as launcher:
            await check_bot(folder, logs, lambda finding: found.__setitem__(finding.check, finding), launcher=launcher)

    try:
        home.run(check)
    finally:
        process.close()
    return found


@pytest.mark.parametrize("language", ["python", "node"])
def test_a_sound_bot_passes_every_check(language: str, tmp_path: Path, run_dir: Path) -> None:
    require_sandbox()
    found = checked(make_bot("newcomer", tmp_path, "container", language), tmp_path / "logs", run_dir)
    assert {name: one.what for name, one in found.items() if one.verdict is not Verdict.PASSED} == {}
    assert len(found) == 14


def test_a_bot_that_needs_what_is_not_in_the_sandbox_fails_with_its_error(tmp_path: Path, run_dir: Path) -> None:
    require_sandbox()
    folder = make_bot("newcomer", tmp_path, "container", "python")
    main = folder / "main.py"
    main.write_text(
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1', timeout=1)\n" + main.read_text()
    )
    found = checked(folder, tmp_path / "logs", run_dir)
    assert found["start-up"].verdict is Verdict.FAILED
    assert "Address family not supported by protocol" in "\n".join(found["start-up"].printed)
