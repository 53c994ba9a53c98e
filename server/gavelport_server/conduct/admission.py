"""Who a ladder lets in: what the hub asks of whoever knows tokens and bots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gavelport.v1 import referee_pb2

    from gavelport_server.conduct.session import Session
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.transport.link import StatusCode


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a bot is not let in, as its stream is ended."""

    code: StatusCode
    text: str


class Admission(Protocol):
    """Asked about every stream whose token is no tournament process's. Called in the trio thread."""

    def known(self, token: str) -> Caller | None:
        """Return whose token this is, as far as is known without waiting."""
        ...

    async def looked_up(self, token: str) -> Caller | None:
        """Return whose token this is after looking for it anew; None where it opens nothing."""
        ...

    def hello(self, caller: Caller, hello: referee_pb2.Hello) -> Session | Refusal:
        """Return the session of the bot and version that say Hello, or why there is none."""
        ...
