"""A ladder from nothing to verified replays, walked as docs/ladder.md says, with real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gavelport_server.archive.replay import decode_replay
from gavelport_server.serving import ServeTable, _Ladder, _Log, _Tls, read_serving

from tests.architecture.sources import ROOT
from tests.serve.servers import Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT = ROOT / "docs" / "ladder.md"
BIN = Path(sys.executable).parent
LADDER = "container"
BOT = "my_bot"
DEFAULT_TARGET = "127.0.0.1:7878"
FILE_OF_THE_DOCUMENT = "league.toml"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), flags=re.DOTALL)


def serve_options() -> list[str]:
    """What the document's `gavelport serve` is told beside its folder."""
    words = blocks("sh")[0].split()
    assert words[:4] == ["gavelport", "serve", "--data", "league"]
    return words[4:]


class Author:
    """Somebody who has a bot, in a shell of their own."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder = folder
        self.server = server
        self.environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}

    def run(self, script: str) -> str:
        """Run lines as a shell does, and return what they printed."""
        done = subprocess.run(
            ["bash", "-euc", script.replace(DEFAULT_TARGET, self.server.target)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def prepare(self, script: str) -> None:
        """Run lines, and keep what they put into the environment."""
        names = ("GAVELPORT_TARGET", "GAVELPORT_TOKEN")
        told = self.run(script + "\necho\n" + "\n".join(f'echo "{name}=${name}"' for name in names))
        self.environment |= dict(re.findall(r"^(GAVELPORT_\w+)=(.+)$", told, re.MULTILINE))

    @contextmanager
    def playing(self, line: str) -> Iterator[subprocess.Popen[bytes]]:
        """Have the bot play."""
        with (self.folder / "bot.log").open("wb") as log:
            bot = subprocess.Popen(line.split(), cwd=self.folder, env=self.environment, stdout=log, stderr=log)
            try:
                yield bot
            finally:
                bot.terminate()
                bot.wait(20)


def played(server: Server, bot: str = "") -> int:
    """So many matches count, of all bots or of one."""
    standings = server.get(f"/api/v1/ladders/{LADDER}/standings")
    if not bot:
        return int(standings["ladder"]["matches"])
    return next((int(one["matches"]) for one in standings["standings"] if one["bot"] == bot), 0)


def walk(folder: Path, options: list[str], *, matches: int, own: int, left_out: str = "") -> None:
    """Do what the document says, until so many matches count, so many of them the author's bot's own."""
    (folder / FILE_OF_THE_DOCUMENT).write_text(blocks("toml")[0])
    _, prepare, join, look = blocks("sh")
    data = folder / "league"
    with serving(data, *options) as server:
        author = Author(folder, server)
        author.prepare("\n".join(line for line in prepare.splitlines() if line != left_out))
        token = author.environment["GAVELPORT_TOKEN"]
        with author.playing(join) as bot:
            server.wait_until(lambda: played(server) >= matches and played(server, BOT) >= own, patience_s=1500)
            assert bot.poll() is None, (folder / "bot.log").read_text()
            shown = author.run(look)
        assert BOT in shown
        assert server.get("/health")["status"] == "ok"
        assert server.stop() == 0
        text = server.log.read_text()
    done = author.run("gavelport replays verify --all --data league && gavelport rate --check --data league")
    assert "0 failures" in done
    mine = sorted((folder / "mine").glob("*.zst"))
    assert len(mine) >= own
    # What must never be in a log: the token's secret, and the seeds of matches.
    canaries = [token, token.rpartition("_")[2][:20], *(decode_replay(one.read_bytes()).seed.hex() for one in mine)]
    assert [canary for canary in canaries if canary in text + server.printed] == []
    events = [json.loads(line) for line in text.splitlines()]
    assert [line for line in events if line["level"] in ("error", "critical")] == []
    assert {"serving", "bot_connected", "match_begun", "match_over", "draining", "stopped"} <= {
        line["event"] for line in events
    }


def test_a_new_bot_joins_and_is_rated(tmp_path: Path) -> None:
    walk(
        tmp_path,
        ["--sample-bots", "shipper,trader,random_legal", "--drain-s", "20"],
        matches=4,
        own=3,
        left_out=f"gavelport check {BOT}",
    )


@pytest.mark.long
@pytest.mark.timeout(2400)
def test_300_matches_as_the_document_says(tmp_path: Path) -> None:
    walk(tmp_path, [*serve_options(), "--config", str(tmp_path / FILE_OF_THE_DOCUMENT)], matches=300, own=100)


def test_the_file_in_the_document_has_every_key_and_is_understood(tmp_path: Path) -> None:
    (file,) = blocks("toml")
    (tmp_path / "serve.toml").write_text(file)
    settings = read_serving(tmp_path / "serve.toml")
    assert (settings.data, [one.name for one in settings.ladders]) == (tmp_path / "league", [LADDER])
    keys = {
        *ServeTable.model_fields,
        *(key for table in (_Tls, _Log, _Ladder) for key in table.model_fields),
    }
    assert [key for key in keys if not re.search(rf"^(# )?(\[+{key}\]|{key} = )", file, flags=re.MULTILINE)] == []
