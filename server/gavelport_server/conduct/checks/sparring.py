"""A bot and the sample bots that play against it, match by match, with tricks where they are wanted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from gavelport_server.conduct.checks.finding import shortened
from gavelport_server.conduct.checks.tamper import Tap, Trick
from gavelport_server.conduct.crew import START_S
from gavelport_server.conduct.local import sparring_partners
from gavelport_server.conduct.match import conduct_match
from gavelport_server.referee.report import MatchSetup, Played, SeatName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport.v1 import referee_pb2
    from gavelport_engine.game import AnyGame

    from gavelport_server.conduct.checks.tamper import Tamperer
    from gavelport_server.conduct.local import LocalBot, LocalTable
    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.referee.report import ClockSetting, MatchReport

RETURN_S = 5.0
"""So long a bot whose stream is lost is waited for between matches; then a fresh process takes its place."""
LAST_WORDS_S = 0.3
"""So long a process whose stream is lost may take to end, for what it prints to be there."""


class SparringError(Exception):
    """A sample bot did not do its part; nothing can be said of the bot that is checked."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A match of the bot."""

    report: MatchReport
    seat: int
    refusals: Sequence[referee_pb2.Refused]
    """Those of the referee itself."""
    gone: str
    """Why the bot's process is gone; empty while it is there."""
    printed: tuple[str, ...]

    @property
    def decisions(self) -> int:
        """How many decisions the bot was asked."""
        return self.report.figures[self.seat].decisions

    @property
    def played(self) -> list[Played]:
        """All decisions of the match."""
        return [one for one in self.report.record if isinstance(one, Played)]


class Sparring:
    """A bot under examination, with its process, and its partners with theirs."""

    def __init__(
        self, manifest: BotManifest, game: AnyGame, clock: ClockSetting, table: LocalTable, tamperer: Tamperer
    ) -> None:
        """Take the bot and the table, at which nobody sits yet; `tamperer` stands before the table's hub."""
        self.manifest = manifest
        self.game = game
        self.clock = clock
        self.table = table
        self.bot: LocalBot | None = None
        self.partners: list[LocalBot] = []
        self._tamperer = tamperer
        self._tap = Tap()
        # Of all matches:
        self.slowest_ms = -1
        self.slowest_where = ""
        self.charged_ms = self.decisions = 0
        self.peak_kib: int | None = None

    async def match(self, number: int, seats: int, seat: int, trick: Trick | None = None) -> Trial:
        """Play a match with the bot on a seat; those of one number are the same match.

        Raises SparringError, MatchVoid, and EntrantsError where the game has no sample bots.
        """
        while len(self.partners) < seats - 1:
            wanted = sparring_partners(self.game, len(self.partners) + 1)[-1]
            self.partners.append(await self.table.start(wanted))
        bot = await self.ready()
        bot.fresh_lines()
        for partner in self.partners:
            if why := await partner.connect(START_S):
                raise SparringError(f"the sample bot {partner.manifest.name} is not there: {why}")
        seated = self.partners[: seats - 1]
        seated.insert(seat, bot)
        setup = MatchSetup(
            match_id=f"check-{number}-{self.manifest.content_hash[:12]}",
            game=self.game,
            options=self.game.options({"seats": seats}),
            seed=hashlib.sha256(f"gavelport check {number}".encode()).digest(),
            seats=tuple(SeatName(each.manifest.name, each.manifest.version) for each in seated),
            clock=self.clock,
        )
        self._tap.trick, self._tap.refusals = trick or Trick(), []
        report = await conduct_match(setup, [each.session for each in seated], reveal=True)
        self._tap.trick = Trick()
        await self._settle(bot)
        printed = bot.fresh_lines()
        gone = bot.last_words(printed) if bot.session.gone_reason else ""
        trial = Trial(report, seat, self._tap.refusals, gone, shortened(printed))
        self._measure(trial, bot)
        return trial

    def _measure(self, trial: Trial, bot: LocalBot) -> None:
        figures = trial.report.figures[trial.seat]
        self.charged_ms += figures.charged_ms
        self.decisions += figures.decisions
        for number, played in enumerate(trial.played, 1):
            if played.seat == trial.seat and played.charged_ms > self.slowest_ms:
                self.slowest_ms = played.charged_ms
                self.slowest_where = f"decision {number} of match {trial.report.setup.match_id} ({played.phase})"
        peak_kib = bot.process.peak_memory_kib
        if peak_kib is not None:
            self.peak_kib = max(peak_kib, self.peak_kib or 0)

    # -- the bot's process

    async def start(self) -> LocalBot:
        """Start a process, which need not come to anything."""
        self.bot = bot = await self.table.start(self.manifest)
        self._tap = self._tamperer.tap(bot.token)
        return bot

    async def ready(self) -> LocalBot:
        """Return a process that is connected: the present one, or a fresh one in its place."""
        bot = self.bot
        if bot is not None and not bot.session.gone_reason and not await bot.connect(RETURN_S):
            return bot
        await self.leave()
        bot = await self.start()
        if why := await bot.connect(START_S):
            bot.session.gone(why)
        return bot

    async def leave(self) -> None:
        """Stop the process; the next match has a fresh one."""
        if self.bot is not None:
            await self.table.stop(self.bot)
            self.bot = None

    async def _settle(self, bot: LocalBot) -> None:
        """Let a process that is about to end do so, that its last words are there."""
        if not bot.session.connected and bot.process.is_started:
            with trio.move_on_after(LAST_WORDS_S):
                await bot.process.wait()
