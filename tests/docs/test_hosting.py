"""docs/hosting.md against what it speaks of: limits, commands, the unit, the container's file, the settings."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gavelport_server.cli import doctor
from gavelport_server.conduct.checks.run import MOST_FILES
from gavelport_server.conduct.keeper import HEAD_BYTES, TAIL_BYTES
from gavelport_server.conduct.ladder.hosted import STARTS
from gavelport_server.conduct.ladder.hosted_logs import FAULTY_KEPT, KEPT
from gavelport_server.launcher.client import LauncherError, LauncherProcess
from gavelport_server.launcher.examine import REMEDIES
from gavelport_server.launcher.limits import MIB, Confinement
from gavelport_server.launcher.runtime import PACKAGES
from gavelport_server.lobby.examiner import LIMIT_S
from gavelport_server.lobby.intake import DAILY, KEPT_MIB
from gavelport_server.lobby.package import MOST_BYTES, MOST_UNPACKED_BYTES
from gavelport_server.serving import ServeTable, read_serving

from tests.architecture.sources import ROOT
from tests.cli.test_docs import is_understood, shown_commands

DOCUMENT = ROOT / "docs" / "hosting.md"
TEXT = DOCUMENT.read_text("utf-8")
DEFAULTS = ServeTable.model_validate({})
UNIT_KEYS = {"Delegate": "yes", "KillMode": "mixed", "Restart": "on-failure"}
NEEDED = {"bubblewrap", "libseccomp2", "python3", "python3-venv", "nodejs", "npm"}


def block(language: str, number: int = 0) -> str:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)
    return found[number]


def test_limits_are_those_in_force() -> None:
    usual = Confinement()
    for words in (
        f"{MOST_BYTES // MIB} MiB zipped, {MOST_UNPACKED_BYTES // MIB} MiB unpacked, {MOST_FILES:,} files",
        f"{DAILY} of an owner in 24 hours",
        f"| all versions | {KEPT_MIB:,} MiB of an owner",
        f"| memory | {usual.memory_bytes // MIB} MiB",
        f"| processor | {usual.cores:g} core |",
        f"| processes and threads | {usual.processes} |",
        f"| open files | {usual.open_files} |",
        f"| `/tmp` | {usual.scratch_bytes // MIB} MiB",
        f"the first and the last {HEAD_BYTES // 1024} KiB of each match",
        f"of the latest {KEPT} matches of a version, and of {FAULTY_KEPT} earlier ones",
    ):
        assert words in TEXT, words
    assert (HEAD_BYTES, LIMIT_S, STARTS) == (TAIL_BYTES, 180, 3)
    assert f"memory_mib = {DEFAULTS.memory_mib} " in TEXT


def test_what_is_said_to_be_installed_is() -> None:
    assert set(PACKAGES) >= {"gavelport_sdk", "gavelport_engine", "grpc", "google", "numpy"}
    found = doctor._runtime()
    assert {"Python", "gavelport", "grpcio", "protobuf", "numpy", "games"} <= set(found)
    assert found["Python"] == ".".join(map(str, sys.version_info[:3]))
    for name in set(found) - {"Python", "Node", "gavelport", "games", "numpy"}:
        assert name in TEXT, name


def test_the_commands_that_are_shown_exist() -> None:
    shown = shown_commands(TEXT.replace("/opt/gavelport/bin/gavelport", "gavelport"))
    shown += re.findall(r"`(gavelport [^`]+)`", TEXT)
    assert len(shown) >= 12
    assert [line for line in shown if not is_understood(line)] == []


def test_the_settings_are_settings(tmp_path: Path) -> None:
    path = tmp_path / "gavelport.toml"
    path.write_text(block("toml"))
    settings = read_serving(path, environment={})
    assert settings.hosting
    assert settings.user == "gavelport"


def unit() -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]  # keys as they are written
    parsed.read_string(block("ini"))
    return parsed


def test_the_unit_says_what_hosting_needs() -> None:
    service = unit()["Service"]
    assert {key: service[key] for key in UNIT_KEYS} == UNIT_KEYS
    assert "User" not in service, "the launcher needs root"
    assert float(service["TimeoutStopSec"]) > DEFAULTS.drain_s
    assert not {key for key in service if key.startswith(("Restrict", "Private", "Protect", "SystemCall", "NoNew"))}
    line = service["ExecStart"].removeprefix("/opt/gavelport/bin/gavelport ")
    assert is_understood(f"gavelport {line}")


def verified(text: str, folder: Path) -> str:
    """What systemd says of a unit; nothing, where it is sound."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    path = folder / "gavelport.service"
    path.write_text(text.replace("/opt/gavelport/bin/gavelport", sys.executable))
    done = subprocess.run([program, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False)
    return "\n".join(line for line in done.stderr.splitlines() if "gavelport.service" in line)


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    assert verified(block("ini"), tmp_path) == ""


def test_a_wrong_unit_is_caught(tmp_path: Path) -> None:
    assert "Unknown key" in verified(block("ini").replace("Delegate=", "Delegates="), tmp_path)


def container_packages(text: str) -> set[str]:
    install = re.search(r"apt-get install -y --no-install-recommends ([^\\\n]+)", text)
    assert install is not None
    return set(install[1].split())


def test_the_container_installs_what_is_needed_from_where_it_is() -> None:
    text = block("dockerfile")
    assert container_packages(text) == NEEDED
    listed = re.search(r"^apt-get install ([^#\n]+)", TEXT, re.MULTILINE)
    assert listed is not None
    assert set(listed[1].split()) == NEEDED
    instructions = re.sub(r"\\\n", "", text).splitlines()
    known = {"FROM", "RUN", "COPY", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD"}
    assert {line.split()[0] for line in instructions} == known
    from importlib.metadata import version  # noqa: PLC0415

    assert f"gavelport-{version('gavelport')}-py3-none-any.whl" in text


def unknown_packages(names: set[str]) -> set[str]:
    """Those that the package lists of this machine do not have."""
    program = shutil.which("apt-cache")
    if program is None:
        pytest.skip("apt-cache is not installed")
    done = subprocess.run([program, "show", *sorted(names)], capture_output=True, text=True, check=False)
    found = set(re.findall(r"^Package: (\S+)$", done.stdout, re.MULTILINE))
    if len(found) < len(names) / 2:
        pytest.skip("there are no package lists here")
    return names - found


def test_its_packages_exist() -> None:
    assert unknown_packages(NEEDED | {"no-such-package"}) == {"no-such-package"}


def test_remedies_are_told() -> None:
    assert REMEDIES["user_namespace"].split(":")[0] in TEXT
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shutil, "which", lambda _: None)
        with pytest.raises(LauncherError) as none:
            LauncherProcess()
    assert str(none.value).split(";")[0] in TEXT
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
        patched.setattr("os.geteuid", lambda: 1000)
        with pytest.raises(LauncherError) as nobody:
            LauncherProcess()
    assert str(nobody.value).split(";")[0] in TEXT
