"""Whose request it is that comes through a proxy, for all that counts by address: rates, and places at live pages."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, TypeAlias

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class BehindProxy:
    """An ASGI application around another, which sees the clients of a proxy in the proxy's place."""

    def __init__(self, app: ASGIApp, trusted: Network) -> None:
        """Take the application, and the addresses of proxies whose word is taken."""
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, as its client's own where a trusted proxy says whose it is."""
        if scope.get("client") and (client := self._client(scope)) is not None:
            scope = {**scope, "client": (str(client), 0)}
        await self._app(scope, receive, send)

    def _client(self, scope: Scope) -> Address | None:
        if (proxy := _address(scope["client"][0])) is None or proxy not in self._trusted:
            return None
        # The last one is what the proxy itself has seen; those before it are the client's own words.
        told = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
        return _address(told.rpartition(",")[2].strip())


def _address(text: str) -> Address | None:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
