"""House bots: sample bots that a server starts by itself, as processes that join like any other bot.

Their tokens are made at each start and are known to this server alone, in memory.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import structlog
import trio

from gavelport_server.conduct.process import BotProcess, BotStartError
from gavelport_server.lobby.gate import Caller

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.storage.members import Members

OWNER = "house"
AGAIN_S = 2.0
"""From the end of a process to the start of the next; doubled each time that one ends soon."""
AGAIN_MOST_S = 300.0
SOON_S = 60.0
LOGS_KEPT = 5
_log = structlog.get_logger(__name__)


class HouseBots:
    """The house's bots and their tokens."""

    def __init__(self, bots: Sequence[BotManifest], logs: Path) -> None:
        self._bots = {secrets.token_urlsafe(32): bot for bot in bots}
        self._logs = logs

    def caller(self, token: str) -> Caller | None:
        """Return which of the house's bots has a token, None for any other token."""
        # Looked up by the whole of 256 random bits, by a hash whose key is this process's.
        bot = self._bots.get(token)
        return None if bot is None else Caller(f"house.{bot.name}", "bot", OWNER, bot.name)

    def register(self, members: Members) -> None:
        """Enter the house and its bots in the store. Raises StoreError, where a name is another owner's."""
        members.add_owner(OWNER, is_house=True)
        for bot in self._bots.values():
            members.add_bot(bot.name, OWNER)

    async def run(self, target: str) -> None:
        """Keep all running, until cancelled."""
        async with trio.open_nursery() as nursery:
            for token, bot in self._bots.items():
                nursery.start_soon(self._keep, bot, token, target)

    async def _keep(self, bot: BotManifest, token: str, target: str) -> None:
        delay_s, starts = AGAIN_S, 0
        while True:
            starts += 1
            began = trio.current_time()
            process = BotProcess(bot, target, token, self._logs / f"{bot.name}.{starts % LOGS_KEPT}.log")
            try:
                async with process:
                    code = await process.wait()
                _log.warning("house_bot_ended", bot=bot.name, exit_code=code, text=process.first_error_line[:200])
            except BotStartError as error:
                _log.error("house_bot_not_started", bot=bot.name, text=str(error))
            delay_s = min(AGAIN_MOST_S, 2 * delay_s) if trio.current_time() - began < SOON_S else AGAIN_S
            await trio.sleep(delay_s)
