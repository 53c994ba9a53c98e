"""Rogues against honest bots, and then their controls: real processes over the real server."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import trio
from gavelport_engine.registry import GAMES
from gavelport_server.archive.record import Replay
from gavelport_server.archive.replay import decode_replay, encode_replay
from gavelport_server.conduct.crew import START_S
from gavelport_server.conduct.local import LocalBot, LocalTable, find_bots, local_table
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import ClockSetting, MatchReport, MatchSetup, SeatName

from tests.rogues.bots.kinds import KINDS
from tests.rogues.control import Script, script_of
from tests.rogues.folders import control_folder, rogue_folder

SEATS = 4
CLOCK = ClockSetting(bank_ms=2000, increment_ms=200, cap_ms=2000, allowance_ms=20)
"""Tight by its bank, so that a rogue is over with after three seconds; an honest bot may be kept waiting by a busy
machine for two."""
HONEST = ("shipper", "trader", "random_legal")
MAX_ROUNDS = 25
NEVER_THERE_S = 2.0
"""So long a match waits for a rogue that will not come, before it begins without it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One match, and what was seen of the bot in question from outside."""

    report: MatchReport
    replay: Replay
    seconds: float
    was_there: bool
    """Whether the bot had connected when the match began."""


@dataclass(frozen=True, slots=True)
class Duel:
    """A rogue's match and its control."""

    seat: int
    rogue: Side
    control: Side


def match_setup(kind: str, seat: int) -> MatchSetup:
    """Return the match of a kind of rogue on a seat: always the same."""
    seed = hashlib.sha256(f"rogue {kind} {seat}".encode()).digest()
    names = list(HONEST)
    names.insert(seat, kind)
    game = GAMES["container"]
    return MatchSetup(
        match_id=seed.hex()[:20],
        game=game,
        options=game.options({"seats": SEATS, "max_rounds": MAX_ROUNDS}),
        seed=seed,
        seats=tuple(SeatName(name, "1") for name in names),
        clock=CLOCK,
    )


class Company:
    """Honest bots that play one match after another."""

    def __init__(self, table: LocalTable, bots: list[LocalBot]) -> None:
        self._table = table
        self._bots = bots

    @classmethod
    async def gather(cls, table: LocalTable) -> Company:
        bots = [await table.start(manifest) for manifest in find_bots(HONEST)]
        for bot in bots:
            why = await bot.connect(START_S)
            assert not why, f"{bot.manifest.name}: {why}"
        return cls(table, bots)

    async def play(self, folder: Path, setup: MatchSetup, seat: int, patience_s: float) -> tuple[Side, LocalBot]:
        """Play a match with the bot of a folder on a seat; return also the bot, whose process has ended."""
        bot = await self._table.start(read_manifest(folder))
        await bot.connect(patience_s)
        was_there = bot.session.connected
        sessions = [honest.session for honest in self._bots]
        sessions.insert(seat, bot.session)
        began = trio.current_time()
        report = await conduct_match(setup, sessions, reveal=True)
        seconds = trio.current_time() - began
        await self._table.stop(bot)
        return Side(report, decode_replay(encode_replay(report)), seconds, was_there), bot


async def play_duels(
    rogues: Iterable[tuple[str, int]],
    folder: Path,
    *,
    tables: int = 3,
    edit: Callable[[Script], Script] = lambda script: script,
) -> dict[str, Duel]:
    """Return the duels of rogues, each a kind and a seat, by kind. A void match fails.

    The controls are played by processes that never met the rogues' matches.

    Args:
        rogues: kinds and seats, no kind twice.
        folder: where bots' folders and logs go.
        tables: so many rogues at a time.
        edit: what is done to a control's script, to plant a fault.
    """
    duels: dict[str, Duel] = {}
    to_rogues, rogue_queue = trio.open_memory_channel[tuple[str, int]](math.inf)
    to_controls, control_queue = trio.open_memory_channel[tuple[str, int, Side]](math.inf)
    with to_rogues:
        for each in rogues:
            to_rogues.send_nowait(each)

    async def at_table(table: LocalTable, to_controls: trio.MemorySendChannel[tuple[str, int, Side]]) -> None:
        async with to_controls:
            company = await Company.gather(table)
            async for kind, seat in rogue_queue:
                patience_s = NEVER_THERE_S if KINDS[kind].never_there else START_S
                bot = rogue_folder(folder / "rogues", kind)
                rogue, _ = await company.play(bot, match_setup(kind, seat), seat, patience_s)
                to_controls.send_nowait((kind, seat, rogue))

    async def control(table: LocalTable) -> None:
        company = await Company.gather(table)
        async for kind, seat, rogue in control_queue:
            bot = control_folder(folder / "controls", kind, edit(script_of(rogue.replay, seat)))
            copy, _ = await company.play(bot, match_setup(kind, seat), seat, START_S)
            duels[kind] = Duel(seat, rogue, copy)

    async with local_table(folder / "logs") as table, trio.open_nursery() as nursery:
        nursery.start_soon(control, table)
        with to_controls:
            for _ in range(tables):
                nursery.start_soon(at_table, table, to_controls.clone())
    return duels


def processes_inside(folder: Path) -> list[str]:
    """Return what runs in a folder or below it, as `PID NAME`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            inside = (process / "cwd").readlink().is_relative_to(folder)
            name = (process / "comm").read_text().strip()
        except OSError:  # it has ended meanwhile, or is somebody else's
            continue
        if inside and int(process.name) != os.getpid():
            found.append(f"{process.name} {name}")
    return found
