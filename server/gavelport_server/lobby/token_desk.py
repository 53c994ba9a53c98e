"""Tokens made, listed and revoked for their owners."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from gavelport.v1 import access_pb2, lobby_pb2

from gavelport_server.lobby.own import now_text, own_bot, quoted, sentence
from gavelport_server.lobby.registration import add_owner
from gavelport_server.lobby.tokens import is_open, make
from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_server.lobby.gate import Caller
    from gavelport_server.storage.members import Members, Scope, TokenRecord

MAX_OPEN_TOKENS = 100
"""Of one owner."""
MAX_DAYS = 3650
_SCOPES: dict[int, Scope] = {
    access_pb2.SCOPE_BOT: "bot",
    access_pb2.SCOPE_OWNER: "owner",
    access_pb2.SCOPE_SPECTATOR: "spectator",
    access_pb2.SCOPE_ADMIN: "admin",
}


class TokenDesk:
    """The part of the lobby that is about tokens."""

    def __init__(self, members: Members, changed: Callable[[], None]) -> None:
        """Take where accounts are kept, and what is called, in the calling thread, when tokens have changed."""
        self._members = members
        self._changed = changed

    def create_token(self, caller: Caller, request: lobby_pb2.CreateTokenRequest) -> lobby_pb2.CreateTokenResponse:
        """Make a token."""
        scope = _SCOPES.get(request.scope)
        if scope is None:
            raise ServiceError(StatusCode.INVALID_ARGUMENT, "scope is missing: bot, owner, spectator or admin")
        if caller.scope != "admin" and scope != "bot":
            text = f"an owner makes tokens of scope bot; one of scope {scope} is made by whoever runs this server"
            raise ServiceError(StatusCode.PERMISSION_DENIED, text)
        if request.expires_in_days > MAX_DAYS:
            text = f"a token opens for at most {MAX_DAYS} days, or for ever"
            raise ServiceError(StatusCode.INVALID_ARGUMENT, text)
        bot = owner = ""
        if scope == "bot":
            record = own_bot(self._members, caller, request.bot)
            bot, owner = record.name, record.owner
        elif request.bot:
            raise ServiceError(StatusCode.INVALID_ARGUMENT, f"a token of scope {scope} is for no bot; leave bot out")
        else:
            owner = add_owner(self._members, request.owner) if scope == "owner" else ""
        self._require_room(owner)
        secret, token = make(
            scope,
            owner=owner,
            bot=bot,
            note=sentence(request.note, "note"),
            now=datetime.now(UTC),
            expires_in=timedelta(days=request.expires_in_days) if request.expires_in_days else None,
        )
        self._members.add_token(token)
        self._changed()
        return lobby_pb2.CreateTokenResponse(secret=secret, token=told(token))

    def list_tokens(self, caller: Caller, request: lobby_pb2.ListTokensRequest) -> lobby_pb2.ListTokensResponse:
        """Return the caller's tokens; all for an admin."""
        return lobby_pb2.ListTokensResponse(tokens=[told(token) for token in self._own(caller)])

    def revoke_token(self, caller: Caller, request: lobby_pb2.RevokeTokenRequest) -> lobby_pb2.RevokeTokenResponse:
        """Revoke a token of the caller's; any for an admin."""
        if all(token.id != request.id for token in self._own(caller)):
            text = f"you have no token {quoted(request.id)}; `gavelport token list` tells which there are"
            raise ServiceError(StatusCode.NOT_FOUND, text)
        self._members.revoke_token(request.id, now_text())
        self._changed()
        return lobby_pb2.RevokeTokenResponse()

    def _own(self, caller: Caller) -> list[TokenRecord]:
        tokens = self._members.tokens()
        return [token for token in tokens if caller.scope == "admin" or token.owner == caller.owner != ""]

    def _require_room(self, owner: str) -> None:
        now = datetime.now(UTC)
        if owner and sum(token.owner == owner and is_open(token, now) for token in self._members.tokens()) >= (
            MAX_OPEN_TOKENS
        ):
            text = f"{owner} has {MAX_OPEN_TOKENS} tokens that are open; revoke those that nobody needs"
            raise ServiceError(StatusCode.RESOURCE_EXHAUSTED, text)


def told(token: TokenRecord) -> lobby_pb2.Token:
    """Return what is told of a token: all but its secret."""
    return lobby_pb2.Token(
        id=token.id,
        scope=access_pb2.Scope.Value(f"SCOPE_{token.scope.upper()}"),
        owner=token.owner,
        bot=token.bot,
        note=token.note,
        created_at=token.created_at,
        expires_at=token.expires_at,
        revoked_at=token.revoked_at,
        last_used_at=token.last_used_at,
    )
