"""The JSON API does what its description says: schemathesis asks it whatever the description allows, and what not."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest
import trio
from gavelport_server.lobby.limits import Rate
from gavelport_server.pages import openapi
from gavelport_server.pages.api import routes
from gavelport_server.pages.server import serve_http
from gavelport_server.pages.shield import Shield
from google.protobuf.descriptor import FieldDescriptor
from starlette.routing import Router

from tests.lobby.world import House

SCHEMATHESIS = Path(sys.executable).with_name("st")
EXAMPLES = 60
SEED = 7


def house_with_matches(data: Path) -> House:
    house = House(data)
    for number in range(3):
        house.play(f"m{number}", ("ant", "bee", "cow"), number=number, ago=timedelta(hours=number))
    return house


async def examined(data: Path, *options: str) -> tuple[int, str]:
    """Serve an API, have it examined, and return the exit code and what was said."""
    house = house_with_matches(data)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.gate.run)
        app = Shield(Router(routes(house.desks.by_name)), Rate(burst=1e6, per_s=1e6))
        url = await nursery.start(serve_http, app, "127.0.0.1:0")
        command = [
            *(str(SCHEMATHESIS), "--no-color", "run", f"{url}/api/v1/openapi.json"),
            *("--max-examples", str(EXAMPLES), "--seed", str(SEED), "--workers", "2", *options),
        ]
        done = await trio.run_process(
            command,
            capture_stdout=True,
            capture_stderr=True,
            check=False,
            cwd=data,
            env={"PATH": "", "HOME": str(data)},
        )
        nursery.cancel_scope.cancel()
    return done.returncode, (done.stdout + done.stderr).decode()


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_schemathesis_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = await examined(tmp_path, "--checks", "all")
    with capsys.disabled():
        print("\n".join(said.splitlines()[-30:]))
    assert code == 0, said


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_it_would_find_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        openapi._TYPES, FieldDescriptor.CPPTYPE_UINT32, {"type": "integer", "format": "int64", "minimum": 0}
    )
    code, said = await examined(tmp_path, "--phases", "coverage")
    assert code == 1
    assert "Schema-valid request rejected" in said
