"""What bots gave each other in the matches of a data folder, found by playing the replays again, and kept.

The folder `transfers/` holds a file for each ladder or tournament, a line for each match. It can be thrown away: what
is missing in it, or was found in another way, is found anew.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING

from gavelport_server.archive.audit import ALONE
from gavelport_server.archive.errors import ArchiveError, ReplayError
from gavelport_server.archive.files import explained, read, sha256_of
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.replay import decode_replay
from gavelport_server.ratings.sittings import Dealing, TableMatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.archive.record import Replay
    from gavelport_server.storage.store import Result, TournamentRecord

FOLDER = "transfers"
"""The folder's name in a data folder."""
FORMAT = 1
"""Of the file, and of what games count as transfers: another number when any of them counts differently."""
MOST_MATCHES = 20_000
"""The latest of a ladder; more would take long and say little more."""


_Kept = tuple[str, tuple[Dealing, ...]]
"""A replay's hash, and the dealings in it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A ladder's or tournament's matches for the report, and what is wrong with replays that were left out."""

    matches: tuple[TableMatch, ...]
    problems: tuple[str, ...]


def dealings_of(replay: Replay) -> tuple[Dealing, ...]:
    """Return the dealings between seats in a match. Raises Difference where the replay cannot be played."""
    game = replay.header.game
    state = game.initial_state(replay.header.options, replay.seed)
    sums: dict[tuple[str, int, int], tuple[int, int]] = {}
    for number, choice in enumerate(replay.choices, 1):
        seat = next(iter(game.to_act(state)), -1)
        if fault := game.fault(state, seat, choice.action):
            raise Difference(f"decision {number}: {fault.code}: {fault.sentence}")
        for kind, giver, taker, amount, goods in game.transfers(state, seat, choice.action):
            given, dealt = sums.get((kind, giver, taker), (0, 0))
            sums[kind, giver, taker] = (given + amount, dealt + goods)
        game.apply_in_place(state, {seat: choice.action}, None)
    return tuple(Dealing(*between, *figures) for between, figures in sorted(sums.items()))


def found_transfers(record: TournamentRecord, results: Sequence[Result], replays: ReplayFolder, data: Path) -> Found:
    """Return the latest matches of a ladder or tournament with what was given in them, and keep that.

    Replays that were not looked at before are shared out among processes; one that cannot be played is told of and left
    out, and so is what does not count. Raises ArchiveError where the file cannot be written.
    """
    counted = [result for result in results if not result.void_reason][-MOST_MATCHES:]
    path = data / FOLDER / f"{record.identity}.jsonl"
    before = _read(path)
    hashes = {result.match_id: result.replay_sha256 for result in counted}
    kept = {
        match_id: before[match_id] for match_id, sha256 in hashes.items() if before.get(match_id, ("",))[0] == sha256
    }
    missing = [match_id for match_id in hashes if match_id not in kept]
    problems = []
    for match_id, looked in zip(missing, _looked_at_all([replays.path(each) for each in missing]), strict=True):
        if isinstance(looked, str):
            problems.append(f"match {match_id}: {looked}")
        elif looked[0] != hashes[match_id]:
            problems.append(f"match {match_id}: its replay is not the file that was stored")
        else:
            kept[match_id] = looked
    if kept != before:
        _write(path, kept)
    matches = (_table(record, result, kept[result.match_id][1]) for result in counted if result.match_id in kept)
    return Found(tuple(matches), tuple(problems))


def _table(record: TournamentRecord, result: Result, dealings: tuple[Dealing, ...]) -> TableMatch:
    entrants = {one.number: one for one in record.entrants}
    seated = [entrants[seat.entrant] for seat in result.seats]
    is_ladder = record.kind != "tournament"
    return TableMatch(
        block=result.number
        if is_ladder
        else result.block * max(1, len(record.entrants) // record.seats) + result.table,
        bots=tuple(one.bot if is_ladder else f"{one.bot} {one.version}" for one in seated),
        dealings=dealings,
        ranks=tuple(seat.rank for seat in result.seats),
    )


def _looked_at(path: Path) -> _Kept | str:
    """Return a replay's hash and the dealings in it, or what is wrong with it."""
    try:
        stored = read(path)
        return sha256_of(stored), dealings_of(decode_replay(stored))
    except (ArchiveError, ReplayError, Difference) as error:
        return str(error).removeprefix(f"{path} ")


def _looked_at_all(paths: Sequence[Path]) -> Iterator[_Kept | str]:
    if len(paths) <= ALONE:
        yield from map(_looked_at, paths)
        return
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_looked_at, paths, chunksize=8)


def _read(path: Path) -> dict[str, _Kept]:
    """Return what was kept; nothing where there is no such file, or one of another format or not whole."""
    try:
        head, *lines = path.read_text("utf-8").splitlines()
        if json.loads(head) != {"format": FORMAT}:
            return {}
        rows = map(json.loads, lines)
        return {match_id: (sha256, tuple(Dealing(*one) for one in dealings)) for match_id, sha256, dealings in rows}
    except (OSError, ValueError, TypeError):
        return {}


def _write(path: Path, kept: Mapping[str, _Kept]) -> None:
    lines = [{"format": FORMAT}, *([match_id, *row] for match_id, row in kept.items())]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    temporary = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, "utf-8")
        temporary.replace(path)
    except OSError as error:
        raise ArchiveError(explained(error, path)) from error
