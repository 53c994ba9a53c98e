"""A served ladder's matches are watched by HTTP while they are played, and turn into replays."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.pages.live import Told, parsed
from tests.serve.servers import Server, serving

TRIES = 5


def watched(server: Server) -> tuple[str, list[Told]]:
    """Watch a match that runs, to its end; return its id and what was told."""
    for _ in range(TRIES):
        found: list[Any] = []

        def runs(found: list[Any] = found) -> bool:
            found[:] = server.get("/api/v1/running").get("matches", [])
            return bool(found)

        server.wait_until(runs)
        match_id = str(found[-1]["match_id"])
        with urllib.request.urlopen(f"{server.url}/matches/{match_id}/stream", timeout=60) as answer:
            if answer.status == 200:
                return match_id, parsed(answer.read())
    raise AssertionError("no match could be watched before it was over")


@pytest.mark.long
def test_a_match_is_watched_while_it_is_played(tmp_path: Path) -> None:
    bots = "shipper,trader,random_legal,all_rounder,factory_owner"
    with serving(tmp_path / "data", "--sample-bots", bots) as server:
        assert '"/live"' in server.text("/")  # and the pages' process is there
        match_id, told = watched(server)
        assert (told[0].event, told[-1].event) == ("scene", "over")
        end = told[-1].json
        decisions = [step["decisions"] for one in told if one.event == "steps" for step in one.json]
        assert decisions == sorted(decisions)
        assert decisions[-1] == end["decisions"]
        server.wait_until(lambda: "verdict" in server.text(f"/matches/{match_id}"))
        listed = server.get(f"/api/v1/matches/{match_id}")["matches"][0]
        assert sorted(seat["rank"] for seat in listed["seats"]) == sorted(end["ranks"])
        assert server.text(f"/matches/{match_id}/stream").count("event: scene") <= 1
        assert "no such match" in server.text("/matches/0123456789abcdef0123").lower()
        assert [line for line in server.events() if line["level"] in ("error", "critical")] == []
