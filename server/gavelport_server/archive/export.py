"""Replays as files of the notation ("Exported replay" in that of each game)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gavelport_server.archive.errors import ArchiveError
from gavelport_server.archive.files import explained, path_in
from gavelport_server.archive.playback import Playback
from gavelport_server.archive.verify import verified_steps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gavelport_engine.game import Checkpoint, Json

    from gavelport_server.archive.record import Replay

NOTATION = 1
"""Version of all games' notations."""


def records(replay: Replay) -> Iterator[Json]:
    """Yield the records of the notation, keys in its order. Raises Difference where the replay is not true."""
    header, game = replay.header, replay.header.game
    yield {
        "record": "header",
        "notation": NOTATION,
        "game": game.name,
        "match": header.match_id,
        "options": game.options_to_notation(header.options),
        "commitment": header.commitment,
        "seats": [{"bot": seat.bot, "version": seat.version} for seat in header.seats],
        "deal": game.deal_to_notation(header.options, replay.seed),
    }
    playback = Playback(replay)
    yield from map(_checkpoint, playback.opening.checkpoints)
    for step in verified_steps(playback):
        yield {
            "record": "decision",
            "n": step.number,
            "turn": step.turn,
            "seat": step.seat,
            "phase": step.phase,
            "action": game.action_to_notation(step.choice.action),
            "ms": step.choice.charged_ms,
            "fault": step.choice.fault,
        }
        yield from map(_checkpoint, step.checkpoints)
    outcome = game.outcome(playback.state, replay.end.retired)
    yield {
        "record": "result",
        "end": outcome.end,
        "retired": list(replay.end.retired),
        game.total_unit: list(outcome.totals),
        "ranks": list(outcome.ranks),
        "scores": list(outcome.scores),
        "seed": replay.seed.hex(),
    }


def jsonl(replay: Replay) -> str:
    """Return the file of the notation, one record a line. Raises Difference where the replay is not true."""
    return "".join(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n" for record in records(replay))


def export(replay: Replay, folder: Path) -> Path:
    """Write `folder/<match id>.jsonl`, whole or not at all, in place of one that is there, and return its path.

    Raises Difference where the replay is not true, ArchiveError where the file cannot be written.
    """
    text = jsonl(replay)
    path = path_in(folder, replay.header.match_id, ".jsonl")
    temporary = path.with_name(f".{path.name}.new")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(text, "utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ArchiveError(explained(error, path)) from error
    return path


def _checkpoint(checkpoint: Checkpoint) -> Json:
    return {**checkpoint.record, "fingerprint": checkpoint.fingerprint.hex()}
