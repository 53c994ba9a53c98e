"""What the hub asks before it lets a bot in: its token of the gate, its version of the ladders."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gavelport.v1 import referee_pb2

    from gavelport_server.conduct.admission import Refusal
    from gavelport_server.conduct.ladder.service import LadderService
    from gavelport_server.conduct.session import Session
    from gavelport_server.lobby.gate import Caller, Gate


class LadderAdmission:
    """The `Admission` of a server's ladders."""

    def __init__(self, gate: Gate, service: LadderService) -> None:
        self._gate = gate
        self._service = service

    def known(self, token: str) -> Caller | None:
        """As `Admission.known`; a bot that has been registered just now is looked up, too."""
        caller = self._gate.caller(token)
        return None if caller is not None and self._is_stranger(caller) else caller

    async def looked_up(self, token: str) -> Caller | None:
        """As `Admission.looked_up`."""
        caller = await self._gate.caller_after_refresh(token)
        if caller is not None and self._is_stranger(caller):
            await self._service.refresh()
        return caller

    def hello(self, caller: Caller, hello: referee_pb2.Hello) -> Session | Refusal:
        """As `Admission.hello`."""
        return self._service.hello(caller, hello)

    def _is_stranger(self, caller: Caller) -> bool:
        return caller.scope == "bot" and not self._service.knows(caller.bot)
