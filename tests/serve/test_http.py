"""HTTP: health, metrics and the JSON API over real sockets, on desks that answer from memory."""

import http.client
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import structlog
import trio
from gavelport.v1 import archive_pb2, ladder_pb2
from gavelport_server.conduct.journalling import JournalFigures
from gavelport_server.lobby.gate import Caller
from gavelport_server.lobby.limits import Rate
from gavelport_server.pages import server, shield
from gavelport_server.pages.application import application
from gavelport_server.pages.metrics import Metrics
from gavelport_server.pages.rendering import POLICY
from gavelport_server.transport.home import TransportError
from gavelport_server.transport.link import ServiceError, StatusCode
from starlette.routing import Router
from starlette.types import ASGIApp

from tests.architecture.sources import ROOT

SECRET = "canary-9b1f"


class Ladder:
    """A ladder desk that says what it was asked."""

    def __init__(self) -> None:
        self.callers: set[Caller] = set()
        self.asked: list[Any] = []

    def list_ladders(self, caller: Caller, request: ladder_pb2.ListLaddersRequest) -> ladder_pb2.ListLaddersResponse:
        return ladder_pb2.ListLaddersResponse(ladders=[ladder_pb2.Ladder(name="container", seats=4)])

    def get_standings(self, caller: Caller, request: ladder_pb2.GetStandingsRequest) -> ladder_pb2.GetStandingsResponse:
        self.callers.add(caller)
        self.asked.append(request)
        if request.ladder == "none":
            raise ServiceError(StatusCode.NOT_FOUND, 'there is no ladder "none"')
        standing = ladder_pb2.LadderStanding(rank=1, bot="shipper", elo=1500.5)
        return ladder_pb2.GetStandingsResponse(total=1, standings=[standing])

    def get_history(self, caller: Caller, request: ladder_pb2.GetHistoryRequest) -> ladder_pb2.GetHistoryResponse:
        raise RuntimeError(SECRET)

    def get_head_to_head(self, caller: Caller, request: Any) -> ladder_pb2.GetHeadToHeadResponse:
        self.asked.append(request)
        return ladder_pb2.GetHeadToHeadResponse()

    def list_running(self, caller: Caller, request: Any) -> ladder_pb2.ListRunningResponse:
        raise ServiceError(StatusCode.UNAVAILABLE, "not now", retry_s=3)


class Archive:
    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.at_once = self.most_at_once = 0

    def list_matches(self, caller: Caller, request: Any) -> archive_pb2.ListMatchesResponse:
        self.asked.append(request)
        return archive_pb2.ListMatchesResponse(matches=[archive_pb2.MatchSummary(match_id="m1")])

    def download_replays(self, caller: Caller, request: Any) -> Iterator[archive_pb2.DownloadReplaysResponse]:
        if request.match_id == "slow":
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            time.sleep(0.02)
            self.at_once -= 1
            yield archive_pb2.DownloadReplaysResponse(match_id="slow", data=b"all", is_last=True)
        if request.match_id == "m1":
            yield archive_pb2.DownloadReplaysResponse(match_id="m1", data=b"one, ")
            yield archive_pb2.DownloadReplaysResponse(match_id="m1", data=b"two", is_last=True)


class Sound:
    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.known: list[str] = []

    def problems(self) -> Sequence[str]:
        return self.wrong

    def notices(self) -> Sequence[str]:
        return self.known


class World:
    def __init__(self) -> None:
        self.ladder, self.archive, self.health, self.metrics = Ladder(), Archive(), Sound(), Metrics()
        self.app = application({"LadderService": self.ladder, "ReplayService": self.archive}, self.health, self.metrics)
        self.port = 0

    async def get(self, path: str, method: str = "GET", **kwargs: Any) -> http.client.HTTPResponse:
        return await trio.to_thread.run_sync(partial(self._get, path, method, **kwargs))

    def _get(self, path: str, method: str, **kwargs: Any) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, **kwargs)
        response = connection.getresponse()
        response.body = response.read()  # type: ignore[attr-defined]
        connection.close()
        return response

    async def json(self, path: str, status: int = 200) -> Any:
        response = await self.get(path)
        assert response.status == status, response.body  # type: ignore[attr-defined]
        assert response.headers["content-type"] == "application/json"
        return json.loads(response.body)  # type: ignore[attr-defined]


@asynccontextmanager
async def served(world: World, app: ASGIApp | None = None) -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        url = await nursery.start(server.serve_http, app or world.app, "127.0.0.1:0")
        world.port = int(url.rpartition(":")[2])
        yield world
        nursery.cancel_scope.cancel()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with served(World()) as world:
        yield world


async def test_health_says_ok_or_what_is_wrong(world: World) -> None:
    assert await world.json("/health") == {"status": "ok", "problems": [], "notices": []}
    world.health.known.append("no submitted bot is run: bwrap is not installed")
    assert await world.json("/health") == {"status": "ok", "problems": [], "notices": world.health.known}
    world.health.wrong.append("the journal cannot be written: disk full")
    told = {"status": "failing", "problems": world.health.wrong, "notices": world.health.known}
    assert await world.json("/health", 503) == told


async def test_metrics_are_what_was_counted(world: World) -> None:
    class Live:
        running = staticmethod(lambda: {"container": 3})
        connected = staticmethod(lambda: 12)
        streams = staticmethod(lambda: 13)
        is_failing = staticmethod(lambda: True)
        journal = staticmethod(lambda: JournalFigures(groups=2, entries=5, sync_s=0.25, slowest_sync_s=0.2))

    metrics = world.metrics
    metrics.watch(Live())
    metrics.match_over("container", "normal")
    metrics.followed(0.003)
    metrics.token_refused()
    response = await world.get("/metrics")
    text = response.body.decode()  # type: ignore[attr-defined]
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in (
        'gavelport_matches_total{end="normal",ladder="container"} 1.0',
        'gavelport_running_matches{ladder="container"} 3.0',
        "gavelport_connected_bots 12.0",
        "gavelport_streams 13.0",
        "gavelport_storage_failing 1.0",
        "gavelport_journal_sync_seconds_count 2.0",
        "gavelport_journal_sync_seconds_sum 0.25",
        "gavelport_journal_slowest_sync_seconds 0.2",
        "gavelport_journal_entries_total 5.0",
        'gavelport_referee_overhead_seconds_bucket{le="0.002"} 0.0',
        'gavelport_referee_overhead_seconds_bucket{le="0.005"} 1.0',
        "gavelport_refused_tokens_total 1.0",
    ):
        assert line in text.splitlines()
    document = (ROOT / "docs" / "ladder.md").read_text("utf-8")
    names = set(re.findall(r"^# TYPE (gavelport_\w+)", text, re.MULTILINE))
    assert len(names) > 8
    assert [name for name in names if name not in document] == []
    assert re.search(r"^process_resident_memory_bytes \d", text, re.MULTILINE)
    assert re.search(r"^process_open_fds \d", text, re.MULTILINE)


async def test_the_api_gives_the_services_answers_to_a_spectator(world: World) -> None:
    told = await world.json("/api/v1/ladders/container/standings?limit=5&with_inactive=true")
    assert told["standings"][0]["bot"] == "shipper"
    assert told["standings"][0]["elo"] == 1500.5
    assert (told["total"], told["standings"][0]["provisional"], told["fitted_at"]) == (1, False, "")
    (asked,) = world.ladder.asked
    assert asked == ladder_pb2.GetStandingsRequest(ladder="container", limit=5, with_inactive=True)
    assert {caller.scope for caller in world.ladder.callers} == {"spectator"}
    assert (await world.json("/api/v1/ladders"))["ladders"][0]["seats"] == 4


async def test_lists_and_filters_are_parameters(world: World) -> None:
    await world.json("/api/v1/ladders/container/head-to-head?bots=a&bots=b%20c")
    assert list(world.ladder.asked[0].bots) == ["a", "b c"]
    await world.json("/api/v1/matches?bot=shipper&since=2026-01-01&page_size=7")
    asked = archive_pb2.ListMatchesRequest(page_size=7)
    asked.filter.bot, asked.filter.since = "shipper", "2026-01-01"
    await world.json("/api/v1/matches/m1")
    assert world.archive.asked == [asked, archive_pb2.ListMatchesRequest(match_id="m1")]


async def test_a_replay_is_its_bytes(world: World) -> None:
    response = await world.get("/api/v1/matches/m1/replay")
    assert response.body == b"one, two"  # type: ignore[attr-defined]
    assert response.headers["content-disposition"] == 'attachment; filename="m1.zst"'
    assert (await world.json("/api/v1/matches/m2/replay", 404))["message"] == "there is no replay of match m2"


async def test_replays_are_made_one_at_a_time(world: World) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(world.get, "/api/v1/matches/slow/replay")
    assert world.archive.most_at_once == 1


@pytest.mark.parametrize(
    ("path", "status", "code", "words"),
    [
        ("/api/v1/ladders/none/standings", 404, "not_found", 'there is no ladder "none"'),
        ("/api/v1/running", 503, "service_unavailable", "not now"),
        ("/api/v1/ladders/x/standings?limit=-1", 400, "bad_request", 'limit: should be a whole number, not "-1"'),
        ("/api/v1/ladders/x/standings?limit=5000000000", 400, "bad_request", "limit: 5000000000 is out of range"),
        ("/api/v1/ladders/x/standings?with_inactive=yes", 400, "bad_request", "with_inactive: should be true or false"),
        ("/api/v1/ladders/x/standings?limit=1&limit=2", 400, "bad_request", "limit: is given twice"),
        (
            "/api/v1/ladders/x/standings?ladder=y",
            400,
            "bad_request",
            "ladder: no such parameter here; there are: limit, offset",
        ),
        ("/api/v1/matches/m1?bot=x", 400, "bad_request", "bot: no such parameter here; there are: none"),
        ("/api/v1/matches?colour=1", 400, "bad_request", "colour: no such parameter here; there are: bot, game"),
        ("/api/v1/nothing", 404, "not_found", "/api/v1/openapi.json lists all that is"),
        ("/api", 404, "not_found", "/api/v1/openapi.json lists all that is"),
        ("/api/v2/ladders", 404, "not_found", "/api/v1/openapi.json lists all that is"),
        ("/nothing", 404, "not_found", "there is nothing at this path"),
        ("/api/v1/matches/m%001", 404, "not_found", "the sign NUL (%00)"),
        ("/api/v1/matches?bot=%00", 404, "not_found", "the sign NUL (%00)"),
    ],
)
async def test_errors_are_json_that_says_what_to_do(
    world: World, path: str, status: int, code: str, words: str
) -> None:
    told = await world.json(path, status)
    assert told["code"] == code
    assert words in told["message"]


async def test_what_fails_tells_its_number_alone(world: World) -> None:
    with structlog.testing.capture_logs() as logs:
        told = await world.json("/api/v1/ladders/x/bots/y/history", 500)
    assert SECRET not in str(told)
    assert logs[0]["error_id"] in told["message"]


async def test_it_is_only_read(world: World) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        response = await world.get("/api/v1/ladders", method)
        assert (response.status, response.headers["allow"]) == (405, "GET, HEAD")
    assert (await world.get("/api/v1/ladders", body=b"x")).status == 413
    head = await world.get("/api/v1/ladders", "HEAD")
    assert (head.status, head.body) == (200, b"")  # type: ignore[attr-defined]


async def test_every_answer_has_the_headers_of_security(world: World) -> None:
    for path in ("/health", "/api/v1/ladders", "/nothing"):
        response = await world.get(path)
        assert {name: response.headers[name] for name in shield.HEADERS} == shield.HEADERS
        assert "server" not in response.headers


async def test_an_address_that_asks_too_often_is_told_to_wait() -> None:
    world = World()
    async with served(world, shield.Shield(world.app, Rate(burst=3, per_s=0.001))):
        assert [(await world.get("/health")).status for _ in range(4)] == [200, 200, 200, 429]
        response = await world.get("/health")
        assert 900 <= int(response.headers["retry-after"]) <= 1001


BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


async def test_a_browser_is_told_by_a_page_what_is_refused_and_a_program_by_json() -> None:
    world = World()
    async with served(world, shield.Shield(world.app, Rate(burst=4, per_s=0.001), has_live=True)):
        for path, method, status, words in (
            ("/matches", "POST", 405, "There is only GET and HEAD here"),
            ("/bots/x%00", "GET", 404, "has the sign NUL (%00) in its name; leave it out."),
        ):
            answer = await world.get(path, method, headers=BROWSER)
            assert (answer.status, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
            assert words in answer.body.decode()  # type: ignore[attr-defined]
        answer = [await world.get("/matches", headers=BROWSER) for _ in range(5)][-1]
        assert answer.status == 429
        html = answer.body.decode()  # type: ignore[attr-defined]
        assert "This address asks too often; try again in" in html
        assert "<h1>Too many requests</h1>" in html
        assert 'href="/live"' in html
        assert 900 <= int(answer.headers["retry-after"]) <= 1001
        sound = shield.HEADERS | {"content-security-policy": POLICY}
        assert {name: answer.headers[name] for name in sound} == sound
        for path, headers in (("/api/v1/ladders", BROWSER), ("/api", BROWSER), ("/matches", {"accept": "*/*"})):
            answer = await world.get(path, headers=headers)
            assert (answer.status, answer.headers["content-type"]) == (429, "application/json")
            assert json.loads(answer.body)["code"] == "too_many_requests"  # type: ignore[attr-defined]


async def test_a_browser_is_told_of_a_failure_by_a_page() -> None:
    async def failing(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError(SECRET)

    told: list[Any] = []

    async def send(message: Any) -> None:
        told.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/apiary",
        "query_string": b"",
        "headers": [(b"accept", BROWSER["accept"].encode())],
    }
    with structlog.testing.capture_logs() as logs:
        await shield.Shield(failing)(scope, None, send)  # type: ignore[arg-type]  # it hears of nothing
    html = told[1]["body"].decode()
    assert told[0]["status"] == 500
    assert f"The server failed; its log has error {logs[0]['error_id']}." in html
    assert SECRET not in html
    assert 'href="/live"' not in html


@pytest.mark.parametrize(
    ("accept", "is_html"),
    [
        (BROWSER["accept"], True),
        ("text/html", True),
        ("TEXT/HTML ; q=0.9, application/json;q=0.8", True),
        ("text/*;q=0.5", True),
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("text/html;q=0.5, application/json", False),
        ("text/html;q=0, */*", False),
        ("text/event-stream", False),
        ("text/css,*/*;q=0.1", False),
        (",;q=,;;q=x,text/html;q=\x00", True),
    ],
)
def test_who_prefers_html(accept: str, is_html: bool) -> None:
    assert shield.prefers_html(accept) == is_html


async def test_openapi_describes_every_path_and_resolves(world: World) -> None:
    told = await world.json("/api/v1/openapi.json")
    assert "/api/v1/ladders/{ladder}/standings" in told["paths"]
    assert len(told["paths"]) == 8
    references = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(told)))
    assert references == told["components"]["schemas"].keys()
    standings = told["paths"]["/api/v1/ladders/{ladder}/standings"]["get"]["parameters"]
    assert {one["name"]: one["in"] for one in standings} == {
        "ladder": "path",
        "offset": "query",
        "limit": "query",
        "with_inactive": "query",
    }
    assert told["components"]["schemas"]["LadderStanding"]["properties"]["elo"] == {"type": "number"}


async def test_a_request_that_never_ends_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "KEEP_ALIVE_S", 0.2)
    async with served(World()) as world:
        stream = await trio.open_tcp_stream("127.0.0.1", world.port)
        await stream.send_all(b"GET /health HTTP/1.1\r\nhost: x\r\n")
        with trio.fail_after(5):
            assert await stream.receive_some() == b""
        await stream.aclose()
        huge = await trio.open_tcp_stream("127.0.0.1", world.port)
        await huge.send_all(b"GET /health HTTP/1.1\r\nx: " + b"x" * 20_000)
        assert b" 431 " in (await huge.receive_some())
        await huge.aclose()


@pytest.mark.parametrize(
    ("opening", "status"),
    [
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", b"405"),
        (b"GET /health HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n", b"200"),
    ],
)
async def test_who_asks_for_http_2_has_1_1_and_no_connection_for_ever(
    monkeypatch: pytest.MonkeyPatch, opening: bytes, status: bytes
) -> None:
    monkeypatch.setattr(server, "KEEP_ALIVE_S", 0.2)
    told = b""
    async with served(World()) as world:
        stream = await trio.open_tcp_stream("127.0.0.1", world.port)
        await stream.send_all(opening)
        with trio.fail_after(5):
            while part := await stream.receive_some():
                told += part
        await stream.aclose()
    assert told.startswith(b"HTTP/1.1 " + status)


async def test_a_reader_that_reads_nothing_does_not_keep_it_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await Router()(scope, receive, send)
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            while True:
                await send({"type": "http.response.body", "body": bytes(65536), "more_body": True})

    monkeypatch.setattr(server, "UNREAD_S", 1)
    with trio.fail_after(15):
        async with served(World(), endless) as world:
            stream = await trio.open_tcp_stream("127.0.0.1", world.port)
            await stream.send_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            await trio.sleep(0.2)
    await stream.aclose()
    assert threading.active_count() < 50


async def test_a_taken_address_is_told(world: World) -> None:
    with pytest.raises(TransportError, match=r"cannot listen on '127\.0\.0\.1:\d+' for HTTP: Address already in use"):
        await server.serve_http(world.app, f"127.0.0.1:{world.port}")
