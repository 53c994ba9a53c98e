"""`gavelport web` and `play --open` as processes: real HTTP, and a clean end."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from gavelport_server.cli.web import web

from tests.pages.live import parsed

WEB = [sys.executable, "-c", "from gavelport_server.main import gavelport; gavelport()", "web", "--port", "0"]


@pytest.mark.parametrize(("by", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "SIGTERM"])
def test_a_folder_is_shown_until_it_is_stopped(folder: Path, by: signal.Signals, code: int) -> None:
    process = subprocess.Popen([*WEB, "--data", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(f"{found[0]}/matches/container-0") as answer:
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert b"Final result" in answer.read()
    finally:
        process.send_signal(by)
        _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (code, "")


def test_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(web, ["--data", str(tmp_path), "--port", "0"])
    assert result.exit_code == 1
    assert "holds no tournament data" in result.stderr


def test_a_port_that_is_taken_is_told_with_the_option(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(web, ["--data", str(folder), "--port", str(port)])
    words = f"error: cannot listen on '127.0.0.1:{port}' for HTTP: Address already in use; give another with --port\n"
    assert (result.exit_code, result.stderr) == (1, words)


@pytest.mark.long
def test_a_match_is_opened_and_watched_to_its_end(tmp_path: Path) -> None:
    """The browser is a program that keeps the address which it was given."""
    browser, kept = tmp_path / "browser", tmp_path / "address"
    browser.write_text(f'#!/bin/sh\necho "$1" > {kept}.new && mv {kept}.new {kept}\n')
    browser.chmod(0o755)
    process = subprocess.Popen(
        [*WEB[:3], "play", "trader", "shipper", "random_legal", "--quiet", "--open", "--data", str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": str(browser)},
    )
    try:
        assert process.stderr is not None
        said = next(line for line in process.stderr if line.startswith("Open"))
        address = said.split()[1].rstrip(";")
        with urllib.request.urlopen(address) as answer:
            live = answer.read()
            assert answer.headers["cache-control"] == "no-store"
        assert b"/stream" in live
        with urllib.request.urlopen(f"{address}/stream") as answer:
            told = parsed(answer.read())
        assert (told[0].event, told[-1].event) == ("scene", "over")
        assert told[0].json["decisions"] == 0
        with urllib.request.urlopen(address) as answer:
            assert b"a match for its own sake" in answer.read()
    finally:
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=20)
    assert kept.read_text().strip() == address
    assert "Replay " in printed
    assert process.returncode == 130
