"""What operators do to a server: an admin's word, a stop in the middle, PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.postgres import postgres_schema
from tests.serve.servers import GAVELPORT, Server, command, serving

if TYPE_CHECKING:
    from pathlib import Path

FOUR = ("--sample-bots", "shipper,trader,random_legal,factory_owner")


def gavelport(*arguments: str, token: str = "") -> str:
    done = subprocess.run(
        [str(GAVELPORT), *arguments],
        env={**os.environ, "GAVELPORT_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def is_playing(server: Server) -> bool:
    return server.metric("gavelport_running_matches") > 0 and server.metric("gavelport_journal_entries_total") > 30


def test_an_admin_has_it_drained(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data) as server:
        token = gavelport("token", "create", "--data", str(data), "--scope", "admin")
        gavelport("admin", "drain", "--reason", "the end", "--server", server.target, token=token)
        assert server.process.wait(30) == 0
    actions = [line for line in server.events() if line.get("action") == "drain"]
    assert [line["actor"] for line in actions] == [token.split("_")[1]]
    assert token not in server.log.read_text()


@pytest.mark.long
def test_what_runs_when_it_is_stopped_goes_on_at_the_next_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, *FOUR, "--drain-s", "0") as server:
        server.wait_until(lambda: is_playing(server))
        (running,) = server.get("/api/v1/running")["matches"]
        assert server.stop() == 0
    assert [line["running"] for line in server.events() if line["event"] == "left_in_journal"] == [1]
    with serving(data, *FOUR) as server:
        taken_up = [line["match"] for line in server.events() if line["event"] == "match_taken_up"]
        assert taken_up == [running["match_id"]]
        server.wait_until(lambda: "matches" in server.get(f"/api/v1/matches/{running['match_id']}"))
        (match,) = server.get(f"/api/v1/matches/{running['match_id']}")["matches"]
        assert [seat["faults"] for seat in match["seats"]] == [0, 0, 0, 0]
        server.stop()
    gavelport("replays", "verify", "--all", "--data", str(data))
    gavelport("rate", "--check", "--data", str(data))


@pytest.mark.long
def test_a_drain_lets_running_matches_end(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, *FOUR, "--drain-s", "60") as server:
        server.wait_until(lambda: is_playing(server))
        assert server.stop() == 0
    events = server.events()
    begun = {line["match"] for line in events if line["event"] == "match_begun"}
    assert begun
    assert begun == {line["match"] for line in events if line["event"] == "match_over"}


@pytest.mark.long
def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, *FOUR, "--drain-s", "600") as server:
        server.wait_until(lambda: is_playing(server))
        server.process.send_signal(signal.SIGTERM)
        server.wait_until(lambda: any(line["event"] == "draining" for line in server.events()))
        assert server.stop(signal.SIGINT) == 130


@pytest.mark.long
def test_with_postgresql_everything_is_there_and_one_server_at_a_time(tmp_path: Path) -> None:
    with postgres_schema() as url:
        database = {"GAVELPORT_SERVE_DATABASE": url}
        data = tmp_path / "data"
        with serving(data, *FOUR, env=database) as server:
            server.wait_until(lambda: bool(server.get("/api/v1/matches")["matches"]))
            server.wait_until(lambda: "<!doctype html>" in server.text("/matches"))
            other = subprocess.run(
                command(tmp_path / "other"),
                env={**os.environ, **database},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert other.returncode == 1, other.stdout
            assert other.stderr.startswith("error: ")
            server.process.kill()
            server.process.wait()
        with serving(data, *FOUR, env=database) as server:
            assert server.events()[-1]["level"] == "info"
            epochs = [line["epoch"] for line in server.events() if line["event"] == "serving"]
            assert epochs == [1, 2]
            server.wait_until(lambda: server.metric("gavelport_matches_total") >= 1)
            assert server.stop() == 0
        assert not (data / "gavelport.db").exists()
