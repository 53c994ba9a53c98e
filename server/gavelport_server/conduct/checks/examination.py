"""The examination of a bot by real matches at a real server: each method is one check (design 12)."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import trio

from gavelport_server.conduct.checks.finding import Finding, Verdict, shortened
from gavelport_server.conduct.checks.tricks import AskTwice, CutStream, RefuseFirst, SendStrange
from gavelport_server.conduct.crew import START_S
from gavelport_server.conduct.process import GRACE_S
from gavelport_server.conduct.results import first_fault
from gavelport_server.referee.codes import Code

if TYPE_CHECKING:
    from gavelport_server.conduct.checks.sparring import Sparring, Trial
    from gavelport_server.conduct.local import LocalBot

SLOW_START_S = 5.0
END_S = 5.0
"""From the end of the session to that of the process."""
MUCH_MEMORY_MIB = 512
SETTLE_S = 0.3
"""So long a bot may take to stumble over what came after a match."""
_ACTION_WIDTH = 60


class Examination:
    """A bot, and sample bots that play against it."""

    def __init__(self, sparring: Sparring) -> None:
        """Take the bot and its partners."""
        self._sparring = sparring
        self._game = sparring.game
        self._entry = sparring.manifest.entry
        self._first: Trial | None = None

    # -- the checks, in their order

    async def starts(self) -> Finding:
        """Whether a process comes to say Hello, how long that takes, and whether it names the game."""
        check = "start-up"
        bot = await self._sparring.start()
        why = await bot.connect(START_S)
        if why:
            return await self._does_not_start(check, bot, why)
        took_s = time.monotonic() - bot.started_s
        games = bot.session.games
        if self._game.id not in games:
            named = ", ".join(games) or "none"
            return Finding(
                check,
                Verdict.FAILED,
                f"its Hello names other games than {self._game.id}: {named}",
                self._entry,
                f'name in the program what bot.toml names; with the SDK: games = ("{self._game.name}",)',
            )
        what = f"said Hello after {took_s:.1f} s"
        if took_s > SLOW_START_S:
            remedy = "load less before run(), and the rest when the first match starts; a tournament waits 20 s at most"
            return Finding(check, Verdict.WARNING, what, self._entry, remedy)
        return Finding(check, Verdict.PASSED, what)

    async def plays(self) -> Finding:
        """Whether a whole match against sample bots comes without faults."""
        self._first = await self._sparring.match(1, self._game.least_seats, 0)
        return self._judged("full match", self._first, f"against {self._partner_names()}")

    async def plays_again(self) -> Finding:
        """Whether the same process plays a second match, at the largest table."""
        seats = self._game.most_seats
        trial = await self._sparring.match(2, seats, seats - 2)
        return self._judged("second match", trial, f"in the same process, at a table of {seats}")

    async def ends_with_session(self) -> Finding:
        """Whether the process ends when the server ends the session."""
        check = "end of session"
        bot = await self._sparring.ready()
        self._sparring.table.hub.dismiss(bot.session)
        began = time.monotonic()
        with trio.move_on_after(END_S):
            code = await bot.process.wait()
            what = f"ended {time.monotonic() - began:.1f} s after the session, with exit code {code}"
            if code == 0:
                return Finding(check, Verdict.PASSED, what)
            remedy = "end with exit code 0 where the stream ends with OK"
            return Finding(check, Verdict.WARNING, what, self._entry, remedy, shortened(bot.fresh_lines()))
        await self._sparring.table.stop(bot)
        remedy = "let the process end where the stream ends with OK; it was killed"
        return Finding(check, Verdict.WARNING, f"still ran {END_S:.0f} s after the session", self._entry, remedy)

    async def is_deterministic(self) -> Finding:
        """Whether a fresh process plays the first match in the same way again."""
        check = "determinism"
        assert self._first is not None
        await self._sparring.leave()
        again = await self._sparring.match(1, self._game.least_seats, 0)
        if (finding := self._judged(check, again, "")).verdict is Verdict.FAILED:
            return finding
        pairs = zip(self._first.played, again.played, strict=False)
        for number, (one, other) in enumerate(pairs, 1):
            if one.action != other.action and one.seat != again.seat:
                return Finding(check, Verdict.LEFT_OUT, "a sample bot played the same match in another way")
            if one.action != other.action:
                return Finding(
                    check,
                    Verdict.WARNING,
                    "plays the same match in another way",
                    f"decision {number} of the match ({one.phase}): first {self._short(one.action)}, then "
                    f"{self._short(other.action)}",
                    "draw from numbers that depend on match and seat (self.rng) and search by count, not by the clock; "
                    "then results can be repeated, and versions compared",
                )
        return Finding(check, Verdict.PASSED, "a fresh process plays the same match in the same way")

    async def takes_refusals(self) -> Finding:
        """Whether the bot answers again after a refusal."""
        check = "refusals"
        trick = RefuseFirst()
        trial = await self._sparring.match(3, self._game.least_seats, 1, trick)
        if silent := trick.silent():
            return Finding(
                check,
                Verdict.FAILED,
                f"did not answer again after {len(silent)} of {len(trick.refused)} refusals",
                silent[0] + (f"; {trial.gone}" if trial.gone else ""),
                "answer the same decision again with another action while tries are left; with the SDK return one from "
                "refused(), or None for the default",
                trial.printed,
            )
        phases = ", ".join(trick.refused.values())
        return self._judged(check, trial, f"refused on purpose in {phases}: answered again each time")

    async def reconnects(self) -> Finding:
        """Whether the bot comes back after a lost stream, also inside a sealed phase."""
        check = "reconnect"
        trick = CutStream(has_sealed=bool(self._game.sealed_phases))
        trial = await self._sparring.match(4, self._game.least_seats, 2 % self._game.least_seats, trick)
        for cut in trick.cuts:
            if cut.away_s is None:
                return Finding(
                    check,
                    Verdict.FAILED,
                    "did not come back after its stream was lost",
                    cut.where + (f"; {trial.gone}" if trial.gone else ""),
                    "after UNAVAILABLE open a new stream with the last session_token, and resume (the SDK does)",
                    trial.printed,
                )
        away_s = max((cut.away_s or 0.0 for cut in trick.cuts), default=0.0)
        times = "once" if len(trick.cuts) == 1 else f"{len(trick.cuts)} times"
        what = f"came back {times}, after {away_s:.1f} s at most"
        finding = self._judged(check, trial, what, is_repeating=True)
        if finding.verdict is not Verdict.PASSED:
            return finding
        if self._game.sealed_phases and not trick.has_met_sealed:
            return Finding(check, Verdict.WARNING, f"{what}; no sealed phase came up, so that was not tried")
        if forgetful := [cut.where for cut in trick.cuts if not cut.resumed]:
            remedy = "name the session_token of the last Welcome, so that only what was missed is told again"
            return Finding(check, Verdict.WARNING, f"{what}, but not to its session", forgetful[0], remedy)
        return finding

    async def takes_repeats(self) -> Finding:
        """Whether a question that comes twice does no harm."""
        trick = AskTwice()
        trial = await self._sparring.match(5, self._game.least_seats, 0, trick)
        count = len(trick.asked)
        what = f"asked {count} {'decision' if count == 1 else 'decisions'} twice: no harm done"
        finding = self._judged("repeated question", trial, what, is_repeating=True)
        return _because(finding, "a question that is known may come again: answer it in the same way, or skip it")

    async def takes_strange_messages(self) -> Finding:
        """Whether messages from later versions, and such as come late, do no harm."""
        check = "strange messages"
        trick = SendStrange()
        trial = await self._sparring.match(6, self._game.least_seats, 1, trick)
        remedy = "skip fields, kinds of message and notices that the bot does not know"
        bot = self._sparring.bot
        if bot is not None and not trial.gone:
            with trio.move_on_after(SETTLE_S):
                await bot.process.wait()
                printed = bot.fresh_lines()
                what, where = f"ended after {trick.sent[-1]}", bot.last_words(printed)
                return Finding(check, Verdict.FAILED, what, where, remedy, shortened(printed))
        return _because(self._judged(check, trial, f"skipped {', '.join(trick.sent)}"), remedy)

    def is_fast(self) -> Finding:
        """How long decisions took, over all matches."""
        check = "speed"
        slowest_ms, where = self._sparring.slowest_ms, self._sparring.slowest_where
        mean_ms = self._sparring.charged_ms / max(1, self._sparring.decisions)
        cap_ms = self._sparring.clock.cap_ms
        what = f"slowest decision {slowest_ms:,} ms of {cap_ms:,}, {mean_ms:.1f} ms on average"
        if slowest_ms * 2 > cap_ms:
            remedy = "leave more time in hand: a busier machine takes longer; decision.time_ms says how long there is"
            return Finding(check, Verdict.WARNING, what, where, remedy)
        return Finding(check, Verdict.PASSED, what)

    def is_small(self) -> Finding:
        """How much memory the bot took at most."""
        check = "memory"
        if self._sparring.peak_kib is None:
            return Finding(check, Verdict.LEFT_OUT, "this system does not tell")
        peak_mib = self._sparring.peak_kib / 1024
        what = f"{peak_mib:,.0f} MiB at most"
        if peak_mib > MUCH_MEMORY_MIB:
            remedy = f"stay below {MUCH_MEMORY_MIB} MiB: a tournament runs several processes of each bot at a time"
            return Finding(check, Verdict.WARNING, what, self._entry, remedy)
        return Finding(check, Verdict.PASSED, what)

    async def stops(self) -> Finding:
        """Whether the process ends when it is told to, with SIGTERM."""
        check = "stop"
        bot = await self._sparring.ready()
        began = time.monotonic()
        await bot.process.stop()
        took_s, code = time.monotonic() - began, bot.process.returncode
        if code == -signal.SIGKILL:
            return Finding(
                check,
                Verdict.FAILED,
                f"still ran {GRACE_S:.0f} s after SIGTERM, and was killed",
                self._entry,
                "do not catch SIGTERM, or end soon after it",
                shortened(bot.fresh_lines()),
            )
        return Finding(check, Verdict.PASSED, f"ended {took_s:.1f} s after SIGTERM")

    # -- in words

    def _judged(self, check: str, trial: Trial, what: str, *, is_repeating: bool = False) -> Finding:
        """Return what a match says of the bot: faults fail it, refused answers are a warning.

        `is_repeating`: decisions were asked again, so that an answer may well come twice.
        """
        figures = trial.report.figures[trial.seat]
        faults = Counter(dict(figures.faults))
        if faults:
            told = ", ".join(f"{count} {reason}" for reason, count in faults.items())
            where = first_fault(figures, trial.gone)
            return Finding(
                check,
                Verdict.FAILED,
                f"faults: {told}; in {figures.decisions} decisions",
                where,
                _REMEDIES[next(iter(faults))],
                trial.printed,
            )
        slips = [one for one in trial.refusals if not (is_repeating and one.code == Code.ALREADY_ANSWERED)]
        if slips:
            first = slips[0]
            return Finding(
                check,
                Verdict.WARNING,
                f"refused answers: {len(slips)}, in {figures.decisions} decisions",
                f"decision {first.decision_id}: {first.code}: {first.sentence}",
                _ONCE if first.code in _UNASKED else _REMEDIES["illegal"],
                trial.printed,
            )
        told = ", ".join(filter(None, (what, f"{figures.decisions} decisions, no fault")))
        return Finding(check, Verdict.PASSED, told)

    async def _does_not_start(self, check: str, bot: LocalBot, why: str) -> Finding:
        ended = bot.process.returncode is not None
        await self._sparring.leave()
        if ended and bot.process.returncode == 0:
            what, remedy = "the process ended without connecting", f"let {self._entry} end with run(MyBot)"
        elif ended:
            what, remedy = why, "mend what it says; what it needs must be in the folder or installed"
        else:
            what, remedy = why, "connect to GAVELPORT_TARGET and say Hello before anything that takes long"
        return Finding(check, Verdict.FAILED, what, self._entry, remedy, shortened(bot.fresh_lines()))

    def _partner_names(self) -> str:
        return " and ".join(partner.manifest.name for partner in self._sparring.partners)

    def _short(self, action: Any) -> str:
        text = json.dumps(self._game.action_to_notation(action), ensure_ascii=False)
        return text if len(text) <= _ACTION_WIDTH else text[: _ACTION_WIDTH - 1] + "…"


def _because(finding: Finding, remedy: str) -> Finding:
    """Return a failure with the remedy that goes with what was done to the bot."""
    if finding.verdict is not Verdict.FAILED:
        return finding
    return Finding(finding.check, finding.verdict, finding.what, finding.where, remedy, finding.printed)


_ONCE = "answer each decision once, while it is open"
_UNASKED = (Code.ALREADY_ANSWERED, Code.TOO_LATE, Code.WRONG_DECISION, Code.RETIRED)
_REMEDIES = {
    "timeout": "answer within the time that each decision names (decision.time_ms), or do less",
    "illegal": "ask the rules before answering: with the SDK self.decision.space.fault(action) says why not; "
    "docs/protocol.md lists the codes",
    "unreadable": "answer with an action of the game, all of its fields set; docs/protocol.md shows how",
    "disconnected": "mend what ended the process or the stream: an exception out of the bot ends it",
}
