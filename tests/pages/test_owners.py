"""What owners are told of their bots' faults for a token in a form: to them alone, and kept nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import structlog
import trio
import trio.testing
from gavelport_server.lobby.door import FAILURES, Door
from gavelport_server.lobby.gate import Caller
from gavelport_server.lobby.mishaps import HEAD, TAIL
from gavelport_server.pages.application import application
from gavelport_server.pages.metrics import Metrics
from gavelport_server.pages.rendering import POLICY
from gavelport_server.pages.shield import LARGEST_FORM
from gavelport_server.pages.site import site
from gavelport_server.pages.source import StoreSource
from starlette.routing import Mount
from starlette.testclient import TestClient

from tests.lobby.world import House
from tests.pages.test_site import checked

CANARY = "canary-7f3a"
BOT = "ant"


class Well:
    def problems(self) -> Sequence[str]:
        return []

    def notices(self) -> Sequence[str]:
        return []


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A server's own, with two matches in which `ant` was at fault, and one in which it was not."""
    made = House(tmp_path)
    made.play("m1", (BOT, "bee", "cow"), ago=timedelta(hours=1))
    made.play("m2", (BOT, "bee", "cow"))
    made.play("m3", ("bee", BOT, "cow"))
    return made


@pytest.fixture
def server(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    async def looked(token: str) -> Caller | None:  # the gate's own task does not run here
        await house.gate.refresh()
        return house.gate.caller(token)

    monkeypatch.setattr(house.gate, "caller_after_refresh", looked)
    pages = site(StoreSource(house.store, house.data), is_served=True)
    app = application(house.desks.by_name, Well(), Metrics(), [Mount("/", pages)], Door(house.gate))
    with TestClient(app, backend="trio", raise_server_exceptions=False) as client:
        yield client


def tell(server: TestClient, token: str, bot: str = BOT, match: str = "") -> Any:
    return server.post(f"/bots/{bot}/faults", data={"token": token, "match": match})


@pytest.mark.parametrize("scope", ["bot", "owner"])
def test_an_owner_is_told_decision_observation_and_log(server: TestClient, house: House, scope: Any) -> None:
    token = house.token(scope, owner="ann", bot=BOT if scope == "bot" else "")
    answer = tell(server, token)
    html = unescape(answer.text)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-security-policy"] == POLICY
    assert "form-action 'self'" in POLICY
    assert "set-cookie" not in answer.headers
    assert ">m2</a>" in html
    assert "illegal: planted" in html
    assert "It saw" in html
    assert token not in answer.text
    assert checked(answer.text).bad == []


def test_a_match_can_be_named_and_its_log_is_shortened(server: TestClient, house: House, tmp_path: Path) -> None:
    house.store.add_version(BOT, "2", "ab" * 32)
    path = tmp_path / "logs" / "hosted" / BOT / "2" / "m1.log"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"line {number} <b>\x1b[2J\n" for number in range(100)))
    html = tell(server, house.token("owner", owner="ann"), match="m1").text
    assert ">m1</a>" in html
    assert "line 0 &lt;b&gt;" in html
    assert f"line {HEAD - 1} " in html
    assert f"line {HEAD} " not in html
    assert f"line {100 - TAIL} " in html
    assert f"{100 - HEAD - TAIL} lines" in html
    assert "\x1b" not in html
    assert checked(html).bad == []
    assert tell(server, house.token("owner", owner="ann"), match="nothing").status_code == 404


def test_whoever_may_not_be_told_cannot_tell_why(server: TestClient, house: House) -> None:
    tokens = {
        "others' owner": house.token("owner", owner="bob"),
        "others' bot": house.token("bot", owner="bob", bot="bee"),
        "owner's other bot": house.token("bot", owner="ann", bot="asp"),
        "spectator": house.token("spectator"),
        "expired": house.token("owner", owner="ann", expires_in=timedelta(seconds=-1)),
        "none": "",
        "junk": f"gp_{CANARY}",
        "no sign of ASCII": "ä\r\n",
    }
    said = set()
    with structlog.testing.capture_logs() as logs:
        for token in tokens.values():
            for bot in (BOT, "nobody"):
                answer = tell(server, token, bot)
                assert answer.status_code == 403
                assert answer.headers["cache-control"] == "no-store"
                said.add(answer.text.replace(bot, ""))
        answer = tell(server, house.token("owner", owner="ann"), "bee")
        said.add(answer.text.replace("bee", ""))
    assert len(said) == 1
    assert "planted" not in said.pop()
    assert not any(token in json.dumps(logs, default=str) for token in tokens.values() if token)


def test_guessing_is_slow(server: TestClient) -> None:
    answers = [tell(server, f"guess{number}") for number in range(int(FAILURES.burst) + 1)]
    assert [one.status_code for one in answers[:-1]] == [403] * int(FAILURES.burst)
    assert answers[-1].status_code == 429
    assert "try again" in answers[-1].text


@pytest.mark.parametrize(
    ("path", "content", "kind", "status"),
    [
        (f"/bots/{BOT}/faults", "token=x" + "y" * LARGEST_FORM, "application/x-www-form-urlencoded", 413),
        (f"/bots/{BOT}/faults", '{"token": "x"}', "application/json", 400),
        (f"/bots/{BOT}/faults", "&".join("a=b" for _ in range(9)), "application/x-www-form-urlencoded", 400),
        (f"/bots/{BOT}/faults", "token=x&match=%00", "application/x-www-form-urlencoded", 400),
        (f"/bots/{BOT}", "token=x", "application/x-www-form-urlencoded", 405),
        ("/matches", "token=x", "application/x-www-form-urlencoded", 405),
        ("/api/v1/ladders", "token=x", "application/x-www-form-urlencoded", 405),
    ],
)
def test_nothing_but_the_form_is_taken(server: TestClient, path: str, content: str, kind: str, status: int) -> None:
    answer = server.post(path, content=content, headers={"content-type": kind})
    assert answer.status_code == status


@pytest.mark.parametrize("ending", ["none", "the client's"])
async def test_a_form_that_does_not_come_is_not_waited_for(
    house: House, ending: str, autojump_clock: trio.testing.MockClock
) -> None:
    comes: list[dict[str, Any]] = [{"type": "http.request", "body": b"token=x", "more_body": True}]
    if ending != "none":
        comes.append({"type": "http.disconnect"})
    sent: list[Any] = []

    async def receive() -> Any:
        return comes.pop(0) if comes else await trio.sleep_forever()

    async def send(message: Any) -> None:
        sent.append(message)

    path, headers = f"/bots/{BOT}/faults", [(b"content-type", b"application/x-www-form-urlencoded")]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    app = application(house.desks.by_name, Well(), Metrics(), door=Door(house.gate))
    with structlog.testing.capture_logs() as logs, trio.fail_after(20):
        await app(scope, receive, send)
    assert sent[0]["status"] == (408 if ending == "none" else 400)
    assert logs == []


def test_the_form_is_there_where_it_is_served(server: TestClient, house: House) -> None:
    for path in (f"/bots/{BOT}", f"/bots/{BOT}/faults"):
        html = server.get(path).text
        assert f'action="/bots/{BOT}/faults" method="post"' in html
    html = server.get(f"/bots/{BOT}").text
    assert f"gavelport replays download --to replays --bot {BOT} --ladder main" in html
    links = ("/docs/http-api", "/api/v1/ladders/main/standings", f"/api/v1/ladders/main/bots/{BOT}/history")
    for link in links:
        assert f'href="{link}"' in html
        assert server.get(link).status_code == 200
    alone = TestClient(site(StoreSource(house.store, house.data)), backend="trio")
    assert 'method="post"' not in alone.get(f"/bots/{BOT}").text
    assert alone.post(f"/bots/{BOT}/faults", data={"token": "x"}).status_code == 405
