"""One match between bots on this machine, for its own sake: neither rated nor counted (design 12)."""

from __future__ import annotations

import hashlib
import math
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import trio
from gavelport_engine.game import Checkpoint, Trace

from gavelport_server.archive.playback import Step
from gavelport_server.archive.record import Choice, canonical
from gavelport_server.archive.replay import encode_replay
from gavelport_server.conduct.crew import START_S
from gavelport_server.conduct.local import common_game, local_table, sparring_partners
from gavelport_server.conduct.match import conduct_match
from gavelport_server.pairing.deal import deal_seed, match_id
from gavelport_server.referee.commands import Refuse
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gavelport_engine.game import Json

    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.conduct.local import LocalBot
    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.referee.report import MatchReport, Played

CLOCK = ClockSetting(allowance_ms=0)
"""As in the ready tournaments: bots and referee are on one machine."""


class CasualError(ValueError):
    """These bots cannot be seated; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Casual:
    """A match to be played. The same bots, seed and seats make the same match, down to its id."""

    setup: MatchSetup
    secret: bytes
    """What the deal follows from; given again it deals the same."""
    bots: tuple[BotManifest, ...]
    """By seat."""
    asked: int
    """So many seats were asked for; sample bots fill the others."""


def casual_match(bots: Sequence[BotManifest], secret: bytes | None) -> Casual:
    """Return a match of the game that all these bots play, filled up to its least seats with sample bots.

    Raises CasualError for more bots than the game has seats, EntrantsError where no game fits.
    """
    game = common_game(bots)
    if len(bots) > game.most_seats:
        raise CasualError(
            f"{game.name} has at most {game.most_seats} seats, and {len(bots)} bots are named; leave out some"
        )
    seated = [*bots, *sparring_partners(game, max(0, game.least_seats - len(bots)), bots)]
    secret = secrets.token_bytes(8) if secret is None else secret
    options = game.options({"seats": len(seated)})
    setup = MatchSetup(
        match_id=match_id(_identity(game.id, game.options_to_notation(options), secret, seated), 0),
        game=game,
        options=options,
        seed=deal_seed(secret, 0),
        seats=tuple(SeatName(bot.name, bot.version) for bot in seated),
        clock=CLOCK,
    )
    return Casual(setup, secret, tuple(seated), len(bots))


def _identity(game: str, options: Json, secret: bytes, bots: Sequence[BotManifest]) -> str:
    """Return a hex digest of all that makes it this match and no other, the clock left aside."""
    seats = [[bot.name, bot.version, bot.content_hash] for bot in bots]
    given = {"play": game, "options": options, "seed": secret.hex(), "seats": seats}
    return hashlib.sha256(canonical(given)).hexdigest()


class Audience(Protocol):
    """Whoever follows a match while it is played. Called in another thread, one call at a time."""

    def opened(self, bots: Sequence[LocalBot], opening: Trace[Any], state: Any) -> None:
        """All bots are there or given up, and the match begins."""
        ...

    def played(self, steps: Sequence[tuple[Step, Any]]) -> None:
        """Decisions took effect, each with the position after it; sealed ones come when they are revealed."""
        ...

    def refused(self, refusal: Refuse) -> None:
        """An answer was not taken, or a bot is told that none came in time."""
        ...

    def over(self, report: MatchReport) -> None:
        """The match is over."""
        ...


async def play_casual(
    casual: Casual,
    replays: ReplayFolder,
    logs: Path,
    audience: Audience,
    watched: Callable[[Sequence[Played | Checkpoint]], None] = lambda _record: None,
) -> MatchReport:
    """Play the match with a process a bot, keep its replay, and let the audience follow.

    `watched` hears of the record as it grows, in the trio thread.

    Raises MatchVoid for a fault of the server, ArchiveError where the replay cannot be kept.
    """
    setup = casual.setup
    to_audience, from_referee = trio.open_memory_channel["int | Refuse"](math.inf)
    record: Sequence[Played | Checkpoint] = ()

    def watch(so_far: Sequence[Played | Checkpoint]) -> None:
        nonlocal record
        record = so_far
        watched(so_far)
        to_audience.send_nowait(len(so_far))

    async def tell(narrator: _Narrator) -> None:
        # In a thread: a terminal that does not take more text must not stop the referee.
        async for news in from_referee:
            if isinstance(news, Refuse):
                await trio.to_thread.run_sync(audience.refused, news)
            elif steps := narrator.steps(record[:news]):
                await trio.to_thread.run_sync(audience.played, steps)

    async with local_table(logs) as table:
        bots = [await table.start(bot) for bot in casual.bots]
        async with trio.open_nursery() as waiting:
            for bot in bots:
                waiting.start_soon(_connect, bot)
        narrator = _Narrator(setup)
        await trio.to_thread.run_sync(audience.opened, bots, narrator.opening, narrator.state)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tell, narrator)
            with to_audience:
                sessions = [bot.session for bot in bots]
                report = await conduct_match(
                    setup, sessions, reveal=True, watch=watch, refusals=to_audience.send_nowait
                )
        for bot in bots:
            table.hub.dismiss(bot.session)
        await trio.to_thread.run_sync(_keep, replays, report)
        await trio.to_thread.run_sync(audience.over, report)
    return report


async def _connect(bot: LocalBot) -> None:
    if why := await bot.connect(START_S):
        bot.session.gone(why)


def _keep(replays: ReplayFolder, report: MatchReport) -> None:
    """Store the replay; one of the same match, which was played before with the same bots and seed, goes."""
    replays.path(report.setup.match_id).unlink(missing_ok=True)
    replays.put(report.setup.match_id, encode_replay(report))


class _Narrator:
    """Plays a match along with its record, to find what came of each decision."""

    def __init__(self, setup: MatchSetup) -> None:
        self._game = setup.game
        self.opening: Trace[Any] = setup.game.opening(setup.options, setup.seed)
        self.state: Any = setup.game.initial_state(setup.options, setup.seed)
        self._taken = self._number = 0

    def steps(self, record: Sequence[Played | Checkpoint]) -> list[tuple[Step, Any]]:
        """Return what is new in the record, each decision with a copy of the position after it."""
        found: list[tuple[Step, Any]] = []
        for played in record[self._taken :]:
            if isinstance(played, Checkpoint):
                continue
            self._number += 1
            trace = Trace[Any]()
            self._game.apply_in_place(self.state, {played.seat: played.action}, trace)
            choice = Choice(played.action, played.charged_ms, played.fault, played.note)
            step = Step(self._number, played.turn, played.seat, played.phase, choice, trace.events, trace.checkpoints)
            found.append((step, self._game.copy(self.state)))
        self._taken = len(record)
        return found
