"""What owners and admins ask for: challenges, matches made void, matches played again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from gavelport_server.conduct.ladder.matches import VoidMatch
from gavelport_server.conduct.ladder.queues import fill, in_turn
from gavelport_server.conduct.ladder.record import new_match_id
from gavelport_server.lobby.limits import Buckets, Rate
from gavelport_server.storage.store import RerunRecord
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Collection, Sequence

    from gavelport_server.conduct.journalling import InWorker
    from gavelport_server.conduct.ladder.matches import Ladder, Matches
    from gavelport_server.conduct.ladder.players import Player, Players
    from gavelport_server.conduct.ladder.record import Recorder
    from gavelport_server.conduct.ladder.versions import Roster

CHALLENGES = Rate(burst=100, per_s=100 / 86_400)
"""Of one bot."""
HOSTED_LOST = "a bot that this server runs sat in it, and its process ended with the server; it is played again"
LAUNCHER_LOST = "the launcher of hosted bots was lost; it is played again"
PLAYED_AGAIN = frozenset({HOSTED_LOST, LAUNCHER_LOST})
"""Reasons of void matches that are played again without anybody asking."""


@dataclass(eq=False, slots=True)
class _Again:
    rerun: RerunRecord
    void: VoidMatch
    is_kept: bool
    """Whether the store has it; before, it does not begin."""


class Requests:
    """Asked for by name; what cannot be done is refused with ServiceError."""

    def __init__(
        self,
        roster: Roster,
        players: Players,
        matches: Matches,
        rng: random.Random,
        ladders: Callable[[], Sequence[Ladder]],
        recorder: Recorder,
        in_worker: InWorker,
    ) -> None:
        self._roster = roster
        self._players = players
        self._matches = matches
        self._rng = rng
        self._ladders = ladders
        self._recorder = recorder
        self._in_worker = in_worker
        self._challenges = Buckets(CHALLENGES)
        self._again: list[_Again] = []

    # -- challenges

    def challenge(self, bot: str, opponents: Sequence[str], ladder: str) -> str:
        """Begin an unrated match of a bot against bots by name and return its id.

        The seats that are left go to whoever is free, the house's bots first.

        Raises ServiceError: NOT_FOUND for names that are none; INVALID_ARGUMENT for a table that there cannot be;
        FAILED_PRECONDITION where a bot is not connected, not free or withdrawn, or no table can be filled;
        RESOURCE_EXHAUSTED beyond a bot's challenges of a day.
        """
        found = self._ladder(ladder)
        seats = found.settings.seats
        names = [bot, *opponents]
        if len(set(names)) != len(names):
            raise ServiceError(StatusCode.INVALID_ARGUMENT, "a bot sits on one seat of a match: name each once")
        if len(names) > seats:
            text = f"{found.name} has tables of {seats}: name at most {seats - 1} opponents, not {len(opponents)}"
            raise ServiceError(StatusCode.INVALID_ARGUMENT, text)
        now = trio.current_time()
        table = fill([self._free(name, found, now) for name in names], self._company(found, now), seats)
        if table is None:
            text = f"a table of {seats} cannot be filled: too few bots are free; try again later"
            raise ServiceError(StatusCode.FAILED_PRECONDITION, text)
        wait_s = self._challenges.take(bot, now)
        if wait_s:
            text = f"{bot} has had its challenges of a day; try again in {wait_s:.0f} s"
            raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, text, retry_s=wait_s)
        self._rng.shuffle(table)
        return self._matches.start(found, table, is_rated=False).match_id

    def _ladder(self, name: str) -> Ladder:
        for ladder in self._ladders():
            if ladder.name == name:
                return ladder
        there = ", ".join(ladder.name for ladder in self._ladders())
        raise ServiceError(StatusCode.NOT_FOUND, f"there is no ladder {name[:64]!r}; there are: {there}")

    def _free(self, bot: str, ladder: Ladder, now: float) -> Player:
        if self._roster.bot(bot) is None:
            raise ServiceError(StatusCode.NOT_FOUND, f"there is no bot {bot[:64]!r}")
        why = self._roster.why_not_paired(bot)
        if why:
            raise ServiceError(StatusCode.FAILED_PRECONDITION, why)
        there = [player for player in self._players.of_bot(bot) if player.session.connected]
        if not there:
            raise ServiceError(StatusCode.FAILED_PRECONDITION, f"{bot} is not connected")
        if not any(ladder.game in player.games for player in there):
            raise ServiceError(StatusCode.FAILED_PRECONDITION, f"{bot} does not play {ladder.game}")
        free = [player for player in there if player.is_free(ladder.game, now)]
        if not free:
            raise ServiceError(StatusCode.FAILED_PRECONDITION, f"{bot} is at its matches; try again later")
        playing = self._roster.playing(bot)
        return next((player for player in free if player.version == playing), free[0])

    def _company(self, ladder: Ladder, now: float) -> list[Player]:
        return in_turn((player for player in self._players if player.is_free(ladder.game, now)), self._roster)

    # -- matches made void, and played again

    def void_running(self, match_id: str, reason: str) -> bool:
        """End a running match as one that counts for nothing; return whether there was one."""
        running = self._matches.running.get(match_id)
        if running is not None:
            self._matches.void(running, reason)
        return running is not None

    def void_known(self, match_id: str, ladder: str, bots: Sequence[str], *, is_rated: bool) -> None:
        """Take note of a match whose result was taken out of the ratings, so that it can be played again."""
        found = self._ladder(ladder)
        found.is_stale = True
        self._matches.voids[match_id] = VoidMatch(found, is_rated, tuple(bots))

    def rerun(self, match_id: str) -> str:
        """Have a void match played again and return the id of the new one.

        The same bots sit at the same seats, over a fresh deal, as soon as all are there and free. `save` keeps it.
        Raises ServiceError: NOT_FOUND for a match that is not known to be void.
        """
        void = self._matches.voids.pop(match_id, None)
        if void is None:
            text = f"match {match_id[:64]!r} is not known to be void; only such a match is played again, and only once"
            raise ServiceError(StatusCode.NOT_FOUND, text)
        again = RerunRecord(match_id, new_match_id(), void.bots)
        self._again.append(_Again(again, void, is_kept=False))
        return again.again_id

    async def save(self) -> None:
        """Have the store keep what is to be played again, so that it is over a restart. Raises StoreError."""
        for again in [one for one in self._again if not one.is_kept]:
            identity = again.void.ladder.record(is_rated=again.void.is_rated).identity
            if await self._in_worker(self._recorder.keep_rerun, identity, again.rerun) or again.is_kept:
                again.is_kept = True
            elif again in self._again:
                self._again.remove(again)  # it is played again already

    async def load(self, ladder: Ladder, running: Collection[str]) -> None:
        """Take from the store what is void and what is still to be played again, but for matches that run."""
        for is_rated in (True, False):
            identity = ladder.record(is_rated=is_rated).identity
            for void in await self._in_worker(self._recorder.voids, identity):
                self._matches.remember(void.match_id, VoidMatch(ladder, is_rated, void.bots))
                if void.reason in PLAYED_AGAIN and not void.again_id:
                    self.rerun(void.match_id)  # a server ended before it kept that
            for rerun in await self._in_worker(self._recorder.reruns, identity):
                if rerun.again_id not in running:
                    self._again.append(_Again(rerun, VoidMatch(ladder, is_rated, rerun.bots), is_kept=True))

    def play_again(self, ladder: Ladder, now: float) -> frozenset[str]:
        """Begin what can be played again now, and return the bots that are kept for what soon can."""
        kept: set[str] = set()
        for again in [one for one in self._again if one.void.ladder is ladder and one.is_kept]:
            bots = again.void.bots
            there = [self._there(bot, ladder) for bot in bots]
            table = [player for player in there if player is not None]
            if len(table) < len(bots):
                continue
            if kept.isdisjoint(bots) and all(player.is_free(ladder.game, now) for player in table):
                self._again.remove(again)
                self._matches.start(ladder, table, is_rated=again.void.is_rated, match_id=again.rerun.again_id)
            else:
                kept.update(bots)
        return frozenset(kept)

    def _there(self, bot: str, ladder: Ladder) -> Player | None:
        """Return the version of a bot that would play, if it is there and may."""
        players = [
            player
            for player in self._players.of_bot(bot)
            if player.session.connected and ladder.game in player.games and not player.leaving and not player.unpaired
        ]
        playing = self._roster.playing(bot)
        return next((player for player in players if player.version == playing), None)
