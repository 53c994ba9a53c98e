"""Who counts as whom behind a proxy, and that nobody else can say so."""

import ipaddress
import urllib.request
from collections.abc import Sequence
from dataclasses import replace

import pytest
import trio
import trio.testing
from gavelport_server.conduct.service import _Service
from gavelport_server.lobby.limits import Rate
from gavelport_server.pages.proxy import BehindProxy
from gavelport_server.pages.shield import Shield
from gavelport_server.serving import read_serving
from starlette.types import Message, Receive, Scope, Send

PROXY = "10.0.0.5"
FORGED = "198.51.100.66"


class Seen:
    """An application that keeps whose requests it has got."""

    def __init__(self) -> None:
        self.clients: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.clients.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def status(app: BehindProxy, client: str, *forwarded: str) -> int:
    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    headers = [(b"x-forwarded-for", one.encode()) for one in forwarded]
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "client": (client, 4711),
        "headers": headers,
    }
    await app(scope, receive, send)
    return int(told[0]["status"])


@pytest.mark.parametrize(
    ("client", "forwarded", "seen"),
    [
        (PROXY, ["203.0.113.1"], "203.0.113.1"),
        (PROXY, [f"{FORGED}, 203.0.113.1"], "203.0.113.1"),
        (PROXY, [FORGED, "203.0.113.1"], "203.0.113.1"),
        (PROXY, ["2001:DB8::1"], "2001:db8::1"),
        (f"::ffff:{PROXY}", ["::ffff:203.0.113.1"], "203.0.113.1"),
        (PROXY, [], PROXY),
        (PROXY, [""], PROXY),
        (PROXY, [f"{FORGED}, unknown"], PROXY),
        (PROXY, [f"{FORGED},"], PROXY),
        ("10.0.0.6", [FORGED], "10.0.0.6"),
        ("2001:db8::5", [FORGED], "2001:db8::5"),
    ],
)
async def test_the_last_word_of_the_proxy_counts_and_no_other(client: str, forwarded: Sequence[str], seen: str) -> None:
    app = Seen()
    await status(BehindProxy(app, ipaddress.ip_network(PROXY)), client, *forwarded)
    assert app.clients == [seen]


async def test_a_network_of_proxies_is_trusted() -> None:
    app = Seen()
    behind = BehindProxy(app, ipaddress.ip_network("10.0.0.0/24"))
    for client in ("10.0.0.9", "10.0.1.9"):
        await status(behind, client, "203.0.113.1")
    assert app.clients == ["203.0.113.1", "10.0.1.9"]


async def test_rates_are_those_of_the_proxys_clients(autojump_clock: trio.testing.MockClock) -> None:
    app = BehindProxy(Shield(Seen(), Rate(burst=1, per_s=0.1)), ipaddress.ip_network(PROXY))
    assert [await status(app, PROXY, f"203.0.113.{one}") for one in (1, 2, 1)] == [200, 200, 429]
    # Whoever pretends to be another one each time is still the same.
    assert [await status(app, "203.0.113.9", f"198.51.100.{one}") for one in (1, 2)] == [200, 429]
    assert await status(app, PROXY, "198.51.100.1, 203.0.113.9") == 429


@pytest.mark.parametrize(
    ("trusted", "seen"), [(None, "127.0.0.1"), ("127.0.0.1", "203.0.113.1"), ("127.0.0.2", "127.0.0.1")]
)
async def test_a_server_believes_whom_its_settings_name(trusted: str | None, seen: str) -> None:
    network = None if trusted is None else ipaddress.ip_network(trusted)
    serving = _Service.__new__(_Service)
    serving._settings = replace(read_serving(None), http="127.0.0.1:0", trusted_proxy=network)
    app = Seen()
    async with trio.open_nursery() as nursery:
        url = await nursery.start(serving._serve_http, app)
        request = urllib.request.Request(url, headers={"x-forwarded-for": f"{FORGED}, 203.0.113.1"})
        await trio.to_thread.run_sync(urllib.request.urlopen, request)
        nursery.cancel_scope.cancel()
    assert app.clients == [seen]
