"""The door of the services: token, scope, rate (design 9).

All that can be wrong with a token has one text. Tokens that open nothing are counted by where they come from, so that
guessing is slow; whoever has one that opens is not kept waiting by others who guess from the same place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
import trio

from gavelport_server.lobby.limits import Buckets, Rate
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gavelport_server.lobby.gate import Caller, Gate
    from gavelport_server.transport.services import Call

NO_TOKEN = "the token is missing or not valid here"  # noqa: S105  one text for all that can be wrong with it
CALLS = Rate(burst=60, per_s=20)
"""Of one token, whatever it calls."""
FAILURES = Rate(burst=20, per_s=10 / 60)
"""Of one address, with tokens that open nothing."""
SPARING: Mapping[str, Rate] = {
    "RegisterBot": Rate(burst=20, per_s=1 / 60),
    "CreateToken": Rate(burst=20, per_s=1 / 60),
    "Challenge": Rate(burst=20, per_s=1 / 30),
    "Submit": Rate(burst=20, per_s=1 / 60),
}
"""Of one token, for what leaves something behind."""
_log = structlog.get_logger(__name__)


class Door:
    """Lets callers in."""

    def __init__(self, gate: Gate, now: Callable[[], float] = trio.current_time) -> None:
        self._gate = gate
        self._now = now
        self._calls = Buckets(CALLS)
        self._failures = Buckets(FAILURES)
        self._sparing = {rpc: Buckets(rate) for rpc, rate in SPARING.items()}

    def is_open(self, token_id: str) -> bool:
        """Return whether a token, known by its id, still opens anything."""
        return self._gate.is_open(token_id)

    def on_revoked(self, call: Callable[[str], None]) -> None:
        """Have `call` told the id of every token that opens nothing any more."""
        self._gate.on_revoked(call)

    async def admit(self, call: Call) -> Caller:
        """Return who calls. Raises ServiceError for whoever may not, or may not now."""
        scheme, _, token = call.authorization.partition(" ")
        caller = None
        if scheme.lower() == "bearer":
            caller = self._gate.caller(token)
            if caller is None and not self._failures.wait(call.host, self._now()):
                caller = await self._gate.caller_after_refresh(token)
        if caller is None:
            self._limit(self._failures, call.host, "too many calls from this address without a valid token")
            raise ServiceError(StatusCode.UNAUTHENTICATED, NO_TOKEN)
        if caller.scope not in call.scopes:
            allowed = ", ".join(sorted(call.scopes))
            text = f"this takes a token of scope {allowed}; this one is of scope {caller.scope}"
            raise ServiceError(StatusCode.PERMISSION_DENIED, text)
        self._limit(self._calls, caller.token_id, "too many calls with this token")
        if call.rpc in self._sparing and caller.scope != "admin":
            self._limit(self._sparing[call.rpc], caller.token_id, "too many calls of this kind with this token")
        return caller

    def _limit(self, buckets: Buckets, key: str, text: str) -> None:
        wait_s = buckets.take(key, self._now())
        if wait_s:
            _log.debug("calls_limited", key=key, text=text)  # a flood must not fill the log
            raise ServiceError(
                StatusCode.RESOURCE_EXHAUSTED, f"{text}; try again in {wait_s:.1f} s", retry_s=round(wait_s, 1) or 0.1
            )
