"""The way in: what is checked before anything is loaded, and what is loaded when."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gavelport_sdk import Bot, run
from gavelport_sdk.entry import Connection, check, connection, version_of
from gavelport_sdk.errors import SetupError


class Some(Bot):
    games = ("container",)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "GAVELPORT_TARGET is not set; it says where the server is"),
        ({"GAVELPORT_TARGET": " "}, "GAVELPORT_TARGET is not set"),
        ({"GAVELPORT_TARGET": "x:1"}, "GAVELPORT_TOKEN is not set; it says the bot's token"),
        ({"GAVELPORT_TARGET": "x:1", "GAVELPORT_TOKEN": "abc\n"}, "GAVELPORT_TOKEN has characters"),
        ({"GAVELPORT_TARGET": "x:1", "GAVELPORT_TOKEN": "ä"}, "GAVELPORT_TOKEN has characters"),
    ],
)
def test_a_connection_that_is_not_set_up(environment: dict[str, str], said: str) -> None:
    with pytest.raises(SetupError, match=said):
        connection(environment)


def test_a_connection() -> None:
    given = {"GAVELPORT_TARGET": "unix:a b", "GAVELPORT_TOKEN": "t"}
    assert connection(given) == Connection("unix:a b", "t")
    assert connection(given | {"GAVELPORT_QUEUE": "rated", "GAVELPORT_CA": ""}) == Connection("unix:a b", "t")
    assert connection(given | {"GAVELPORT_QUEUE": "practice"}).is_practice


def test_certificates_are_read_at_once(tmp_path: Path) -> None:
    given = {"GAVELPORT_TARGET": "tls:x:1", "GAVELPORT_TOKEN": "t"}
    (tmp_path / "ca.pem").write_bytes(b"certificates")
    assert connection(given | {"GAVELPORT_CA": str(tmp_path / "ca.pem")}).ca == b"certificates"
    with pytest.raises(SetupError, match=r"GAVELPORT_CA: .*none\.pem cannot be read"):
        connection(given | {"GAVELPORT_CA": str(tmp_path / "none.pem")})


def test_a_certificate_of_ones_own_comes_with_its_key(tmp_path: Path) -> None:
    given = {"GAVELPORT_TARGET": "tls:x:1", "GAVELPORT_TOKEN": "t"}
    for name in ("cert", "key"):
        (tmp_path / name).write_bytes(name.encode())
    both = given | {f"GAVELPORT_{name.upper()}": str(tmp_path / name) for name in ("cert", "key")}
    assert connection(both).own == (b"key", b"cert")
    with pytest.raises(SetupError, match="belong together"):
        connection(given | {"GAVELPORT_KEY": str(tmp_path / "key")})


def test_a_queue_that_is_none() -> None:
    with pytest.raises(SetupError, match="GAVELPORT_QUEUE is 'Practice'; set it to practice"):
        connection({"GAVELPORT_TARGET": "x:1", "GAVELPORT_TOKEN": "t", "GAVELPORT_QUEUE": "Practice"})


@pytest.mark.parametrize("games", [(), "container", ["container"], (1,)])
def test_games_that_are_none(games: object) -> None:
    with pytest.raises(SetupError, match="games is"):
        check(type("Odd", (Bot,), {"games": games}), 1)


def test_no_matches_at_all() -> None:
    with pytest.raises(SetupError, match="max_matches is 0"):
        check(Some, 0)


def test_run_says_what_is_missing_and_ends_with_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GAVELPORT_TARGET", raising=False)
    with pytest.raises(SystemExit) as ended:
        run(Some)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: GAVELPORT_TARGET is not set")


def test_a_token_is_never_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GAVELPORT_TARGET", "127.0.0.1:1")
    monkeypatch.setenv("GAVELPORT_TOKEN", "hush-hush\n")
    with pytest.raises(SystemExit):
        run(Some)
    assert "hush" not in capsys.readouterr().err


def imported_by(code: str) -> set[str]:
    """Return the top-level modules that a fresh process has after running some code."""
    run = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*{{name.split('.')[0] for name in sys.modules}})"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": ""},
    )
    return set(run.stdout.split())


HEAVY = {"grpc", "google", "asyncio", "gavelport", "gavelport_codecs", "gavelport_server", "numpy", "trio"}


def test_importing_the_sdk_loads_nothing_heavy() -> None:
    assert imported_by("import gavelport_sdk") & HEAVY == set()
    bot = "from gavelport_sdk import Bot, run, container\nfrom gavelport_engine.container.actions import Pass"
    assert imported_by(bot) & HEAVY == set()


def test_what_is_heavy_is_seen() -> None:
    assert {"grpc", "google", "gavelport"} <= imported_by("import gavelport_sdk.runner")
    assert "asyncio" not in imported_by("import gavelport_sdk.session")


def test_testing_a_bot_needs_no_grpc() -> None:
    assert "grpc" not in imported_by("import gavelport_sdk.testing")


@pytest.mark.parametrize(
    ("manifest", "version"),
    [('version = "1.2"', "1.2"), ("version = 3", ""), ("version = ", ""), (None, "")],
)
def test_the_version_is_that_of_the_file_beside_the_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str | None, version: str
) -> None:
    (tmp_path / "its_bot.py").write_text("from gavelport_sdk import Bot\n\nclass Its(Bot): pass\n")
    if manifest is not None:
        (tmp_path / "bot.toml").write_text(manifest)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "its_bot", raising=False)
    bot = importlib.import_module("its_bot").Its
    assert version_of(bot) == version
    bot.version = "named"
    assert version_of(bot) == "named"
